/** The health gate of a change: what worked before it must work after it. */
import type { Config } from '../schema/config.ts'

/** What of the box works, at one moment. */
export interface Facts {
  /** Parts without which the box is not ready. */
  readonly parts: readonly Fact[]
  readonly trunks: readonly Fact[]
}

interface Fact {
  readonly name: string
  readonly ok: boolean
  readonly reason: string
}

/** What worked and does not any more, in words. A trunk that is not configured any more is not missed. */
export function lost(before: Facts, now: Facts, config: Pick<Config, 'trunks'>): string[] {
  const missing = (what: string, was: readonly Fact[], is: readonly Fact[]): string[] =>
    was.flatMap(({ name, ok }) => {
      const found = is.find((fact) => fact.name === name)
      if (!ok || found?.ok === true) return []
      return [`${what} ${name}: ${found === undefined ? 'it is gone' : found.reason}`]
    })
  const trunks = before.trunks.filter(({ name }) => config.trunks.some(({ id }) => id === name))
  return [...missing('part', before.parts, now.parts), ...missing('trunk', trunks, now.trunks)]
}
