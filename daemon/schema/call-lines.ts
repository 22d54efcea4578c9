/** What calls to the outside go through: the trunks, and analog lines that are for voice. */
import type { Config } from './config.ts'

export interface CallLine {
  readonly id: string
  readonly numbers: readonly string[]
  readonly channels: number
  readonly default: boolean
}

/** Trunks first. */
export function callLines(config: Config): readonly CallLine[] {
  return [...config.trunks, ...analogLines(config)]
}

function analogLines({ lines, site }: Config): readonly CallLine[] {
  return lines
    .filter(({ roles }) => roles.includes('voice'))
    .map(({ id, number = site.number }) => ({ id, numbers: number === undefined ? [] : [number], channels: 1, default: false }))
}
