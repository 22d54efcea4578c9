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
  /** It was answered no, such as by 403: waiting does not change that. */
  readonly refused?: boolean
}

/** Whether something that worked before was answered no. */
export function isRefused(before: Facts, now: Facts, { trunks }: Pick<Config, 'trunks'>): boolean {
  const worked = new Set(before.trunks.flatMap(({ name, ok }) => (ok && trunks.some(({ id }) => id === name) ? [name] : [])))
  return now.trunks.some(({ name, ok, refused }) => !ok && refused === true && worked.has(name))
}

/** What worked and does not any more, in words. A trunk that is not configured any more is not missed. */
export function lost(before: Facts, now: Facts, config: Pick<Config, 'trunks'>): string[] {
  const missing = (what: string, was: readonly Fact[], is: readonly Fact[]): string[] =>
    was.flatMap(({ name, ok }) => {
      const found = is.find((fact) => fact.name === name)
      if (!ok || found?.ok === true) return []
      return [`${what} ${name}: ${found === undefined ? 'it no longer exists' : found.reason}`]
    })
  const trunks = before.trunks.filter(({ name }) => config.trunks.some(({ id }) => id === name))
  return [...missing('part', before.parts, now.parts), ...missing('trunk', trunks, now.trunks)]
}
