/** The way of a call through the house, as rungs in order of time: pure. */
import type { CallRecordView } from '../../../schema/history.ts'

export type PlaceKind =
  'caller' | 'extension' | 'outside' | 'queue' | 'menu' | 'hours' | 'group' | 'voicemail' | 'endpoint' | 'fax' | 'hangup' | 'other'

export interface Place {
  readonly kind: PlaceKind
  /** Extension, number, or id; '' for none. */
  readonly name: string
}

/**
 * `begins`: the caller, or the phone that calls. `step`: a place of the house, with how long the call was there. `rang`: a phone or a number that
 * rang in vain. `talk`: one that took it. `sent`: somebody sent it on. `end`: who hung up.
 */
export interface Rung {
  readonly kind: 'begins' | 'step' | 'rang' | 'talk' | 'sent' | 'end'
  /** ISO 8601. */
  readonly at: string
  readonly place: Place
  /** Milliseconds there; null where that is not known. */
  readonly ms: number | null
  /** What became of it there: `answered`, `no-answer`, `blind`, `caller` and the like; '' for nothing that need be said. */
  readonly outcome: string
  /** It belongs to the step before it. */
  readonly inner: boolean
}

/** Of a destination as the configuration writes it, such as `menu:main`, `102` or `voicemail:100`. */
export function placeOf(to: string): Place {
  const [, kind = '', name = ''] = /^([a-z]+):(.*)$/.exec(to) ?? []
  const known: Readonly<Record<string, PlaceKind>> = {
    ...({ queue: 'queue', menu: 'menu', hours: 'hours', group: 'group' } as const),
    ...({ voicemail: 'voicemail', endpoint: 'endpoint', external: 'outside' } as const),
  }
  if (known[kind] !== undefined) return { kind: known[kind], name }
  if (to === 'fax' || to === 'hangup') return { kind: to, name: '' }
  if (/^\d{1,6}$/.test(to)) return { kind: 'extension', name: to }
  return { kind: /^[+*]?[\d* ]{3,}$/.test(to) ? 'outside' : 'other', name: to }
}

const between = (from: string, to: string | null | undefined): number | null =>
  to == null ? null : Math.max(0, Date.parse(to) - Date.parse(from))

/** Of two at one moment the step comes first. */
const order: readonly Rung['kind'][] = ['begins', 'step', 'sent', 'rang', 'talk', 'end']

export function ladderOf(call: CallRecordView): Rung[] {
  const { direction, from, extension = '', startedAt, endedAt, steps, legs, transfers = [], hangupBy } = call
  const inner = direction === 'inbound' || steps.length > 0
  const begins: Place = direction === 'inbound' ? { kind: 'caller', name: from } : { kind: 'extension', name: extension || from }
  const rungs: Rung[] = [
    { kind: 'begins', at: startedAt, place: begins, ms: null, outcome: direction, inner: false },
    ...steps.map((step): Rung => ({
      ...{ kind: 'step', at: step.at, place: placeOf(step.to), ms: between(step.at, step.endedAt ?? endedAt), inner: false },
      outcome: step.outcome,
    })),
    ...transfers.map((one): Rung => ({ kind: 'sent', at: one.at, place: placeOf(one.to), ms: null, outcome: one.kind, inner: false })),
    ...legs.flatMap((leg) => ofLeg(leg, inner, endedAt)),
  ]
  if (endedAt !== undefined)
    rungs.push({ kind: 'end', at: endedAt, place: { kind: 'other', name: '' }, ms: null, outcome: hangupBy ?? '', inner: false })
  return rungs.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || order.indexOf(a.kind) - order.indexOf(b.kind))
}

/** It rang until somebody took it there, and then they talked. */
function ofLeg(
  { to, trunkId, startedAt, answeredAt, endedAt, sipCode }: CallRecordView['legs'][number],
  inner: boolean,
  end?: string,
): Rung[] {
  const place: Place = { kind: trunkId === '' ? 'extension' : 'outside', name: to }
  const of = { place, inner }
  const until = endedAt ?? end
  if (answeredAt === null) return [{ ...of, kind: 'rang', at: startedAt, ms: between(startedAt, until), outcome: refusal(sipCode) }]
  return [
    { ...of, kind: 'rang', at: startedAt, ms: between(startedAt, answeredAt), outcome: 'answered' },
    { ...of, kind: 'talk', at: answeredAt, ms: between(answeredAt, until), outcome: '' },
  ]
}

/** Why a phone did not take it (RFC 3261 section 21). */
function refusal(sipCode: number): string {
  if (sipCode === 486 || sipCode === 600) return 'busy'
  if (sipCode === 603 || sipCode === 403) return 'refused'
  if (sipCode === 404 || sipCode === 410 || sipCode === 503) return 'unreachable'
  return 'no-answer'
}
