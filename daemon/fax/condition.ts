/** Whether faxes can be sent and received now, and through which lines, for those who look at the box. */
import { receivesFaxes } from '../routing/destinations.ts'
import type { Config } from '../schema/config.ts'
import type { LineCondition } from './line.ts'

export interface FaxCondition {
  readonly ok: boolean
  /** Without names and numbers; '' when all is well. */
  readonly reason: string
  readonly detail: string
  /** Whether the disk has room for what comes in. */
  readonly room: boolean
}

export interface ConditionFacts {
  /** Lines that may send. */
  readonly lines: readonly LineCondition[]
  readonly room: boolean
  readonly reserveMegabytes: number
  /** Lines and trunks whose numbers take faxes; `*` for any trunk. */
  readonly receiving: readonly string[]
}

export function faxCondition({ lines, room, reserveMegabytes, receiving }: ConditionFacts): FaxCondition {
  const works = lines.filter((line) => line.ok)
  const lost = lines.length > 0 && works.length === 0
  const refusing = receiving.length > 0 && !room
  const reasons = [lost ? 'no line can send faxes' : '', refusing ? 'no room to receive faxes' : ''].filter((text) => text !== '')
  const sends = works.length === 0 ? 'cannot send' : `sends through ${works.map(({ id }) => id).join(', ')}`
  const names = receiving.map((id) => (id === '*' ? 'any trunk' : id)).join(', ')
  const receives = refusing
    ? `does not receive: less than ${reserveMegabytes} MB are free`
    : receiving.length === 0
      ? 'no number receives'
      : `receives through ${names}`
  const faults = lines.filter((line) => !line.ok).map((line) => `${line.id}: ${line.reason}`)
  return { ok: reasons.length === 0, reason: reasons.join('; '), detail: [sends, receives, ...faults].join('; '), room: !refusing }
}

/** Modem lines, and trunks with a rule that leads to the fax, or to an application whose numbers take faxes too. */
export function receivingTrunks(config: Config): string[] {
  const lines = config.lines.filter((line) => line.roles.includes('fax')).map(({ id }) => id)
  if (config.trunks.length === 0) return lines
  const rules = config.inbound.filter((rule) => rule.extension === undefined && receivesFaxes(rule.destination, rule.fax === 'auto'))
  return [...new Set([...lines, ...rules.map((rule) => rule.trunk ?? '*')])]
}
