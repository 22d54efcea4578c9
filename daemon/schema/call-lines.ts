/** What calls to the outside go through: the trunks, and analog lines that are for voice. */
import { derived } from '../base/derived.ts'
import type { Config } from './config.ts'

export interface CallLine {
  readonly id: string
  readonly numbers: readonly string[]
  readonly channels: number
  readonly default: boolean
}

const known = new WeakMap<Config, () => readonly CallLine[]>()

/** Trunks first. */
export function callLines(config: Config): readonly CallLine[] {
  let lines = known.get(config)
  if (lines === undefined) known.set(config, (lines = derived(config, () => [...config.trunks, ...analogLines(config)])))
  return lines()
}

function analogLines({ lines, site }: Config): readonly CallLine[] {
  return lines
    .filter(({ roles }) => roles.includes('voice'))
    .map(({ id, number = site.number }) => ({ id, numbers: number === undefined ? [] : [number], channels: 1, default: false }))
}
