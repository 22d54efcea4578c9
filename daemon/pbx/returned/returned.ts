/**
 * Calls that the engine has kept while no daemon was there: a talk is put together again from its legs and the row of its call, and goes on
 * as if nothing had been; a caller who was with an application or in a queue goes to the fallback. What has ended meanwhile is reported
 * afterwards.
 */
import type { Leg } from '../../../drivers/line.ts'
import type { StandingLeg } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { FarLeg } from '../../calls/far-leg.ts'
import { newCallRow } from '../../calls/new-call.ts'
import { SecondLeg } from '../../calls/second-leg.ts'
import { isTerminal } from '../../calls/state.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Inbound } from '../../routing/inbound.ts'
import type { Destinations } from '../../routing/destinations.ts'
import type { Trunks } from '../../routing/trunks.ts'
import type { Config } from '../../schema/config.ts'
import type { Store } from '../../store/store.ts'
import type { CallRow } from '../../store/tables.ts'
import type { TalkWatch } from '../recording/talk-recorder.ts'
import { partnerOf } from '../talk/talk.ts'
import { readTag, type TalkTag } from '../talk/tag.ts'
import type { HouseTalks } from '../talk/talks.ts'

export interface ReturnedOptions {
  readonly config: Config
  readonly store: Store
  readonly calls: Calls
  readonly trunks: Trunks
  readonly inbound: Pick<Inbound, 'resume'>
  readonly destinations: Pick<Destinations, 'send'>
  /** Reports what a caller had entered; the end of the call waits for that. */
  readonly tellInputs: (call: Call) => Promise<void>
  readonly talks: HouseTalks
  readonly recorder: Pick<TalkWatch, 'resume'>
  readonly clock: Clock
  readonly log: Log
}

interface Found extends StandingLeg {
  readonly of: TalkTag
}

/** Given the legs that stand; returns those that belong to a talk again. */
export function resumeTalks(options: ReturnedOptions, standing: readonly StandingLeg[]): readonly Leg[] {
  const { calls, log } = options
  const talks = new Map<string, Found[]>()
  for (const leg of standing) {
    const of = readTag(leg.tag)
    if (of !== null) talks.set(of.call, [...(talks.get(of.call) ?? []), { ...leg, of }])
  }
  const taken: Leg[] = []
  for (const [callId, legs] of talks) {
    const own = legs.find(({ of }) => of.side === 'own')
    const far = legs.find(({ of }) => of.side === 'far')
    if (own === undefined || calls.get(callId) !== undefined) continue
    if (far === undefined && resumeAlone(options, own)) taken.push(own.leg)
    if (far !== undefined && resume(options, own, far)) taken.push(own.leg, far.leg)
  }
  log.info({ legs: standing.length, taken: taken.length }, 'calls go on that have outlived the last run')
  return taken
}

/** false: by its row it has ended. */
function resume(options: ReturnedOptions, own: Found, far: Found): boolean {
  const { inbound, talks, recorder } = options
  const call = callOf(options, own.of.call, own, far)
  if (call === null) return false
  const left = Promise.withResolvers<null>()
  call.over.addEventListener('abort', () => left.resolve(null), { once: true })
  const leg = far.of.lender === '' ? secondLeg(options, call, far) : lentLeg(options, call, far)
  if (leg === null) return false
  for (const standing of [own, far]) recorder.resume(call, standing)
  const { name, activity } = far.of
  const partner = { leg, name, activity }
  inbound.resume(call, () => talks.converse(call, partner, { signal: call.over, left: left.promise, before: '' }))
  call.note('state', `the talk has outlived the daemon, ${Math.round(own.answeredMs / 1000)} s after its answer`)
  call.activity(activity)
  limit(options, call)
  return true
}

/** Nobody knows any more where in a menu, a queue or a mailbox the caller was: they go where callers go whom nobody takes. */
function resumeAlone(options: ReturnedOptions, own: Found): boolean {
  const { config, inbound, destinations, tellInputs } = options
  const { direction = 'inbound' } = options.store.tables.calls.get(own.of.call) ?? {}
  if (direction !== 'inbound') return false
  const call = callOf(options, own.of.call, own)
  if (call === null) return false
  const text = 'the program was started again'
  call.note('state', `${text} in the middle of the call`)
  call.holdEnd(tellInputs(call))
  const fallback = config.voice.endpoints.find(({ id }) => id === call.row.endpointId)?.fallbackDestination
  inbound.resume(call, async () => {
    if (fallback === undefined) return { outcome: 'failed', sipCode: 503, text }
    call.note('state', `fallback to ${fallback}: ${text}`)
    return destinations.send(call, fallback, { signal: call.over })
  })
  return true
}

/** null: it has ended by its row. */
function callOf({ store, calls, clock }: ReturnedOptions, callId: string, found: Found, far?: Found): Call | null {
  const { leg, held, answeredMs, of } = found
  const row = store.tables.calls.get(callId) ?? rowFromLegs(callId, found, far, clock.now())
  if (isTerminal(row.state)) return null
  const call = calls.add({ ...row, legs: (row.legs ?? []).map((one) => ({ ...one })), steps: (row.steps ?? []).map((one) => ({ ...one })) })
  const { number, trunkId } = call.party
  const same = number === of.party.number && trunkId === of.party.trunkId
  call.resume(leg, { answeredMs, holds: held, party: same ? null : of.party })
  return call
}

/** Of a call that the store does not know, as it is a stand-in or another one: nobody is cut off for a lost row. */
function rowFromLegs(callId: string, { answeredMs, of: { party } }: Found, far: Found | undefined, now: number): CallRow {
  const { number: from, name: callerName, extension, trunkId } = party
  const to = far?.of.party.number ?? ''
  return { ...newCallRow(now - answeredMs, 'inbound'), callId, from, callerName, extension, trunkId, to, answeredAt: now - answeredMs }
}

function secondLeg({ clock, trunks }: ReturnedOptions, call: Call, { leg, held, of: { party } }: Found): FarLeg {
  const known = (call.row.legs ?? []).findLast(
    ({ to, trunkId, endedAt }) => to === party.number && trunkId === party.trunkId && endedAt === null,
  )
  const far = new SecondLeg(call, party.number, party.trunkId, clock, known)
  far.resume(leg, held)
  trunks.stands(party.trunkId, far.over)
  return far
}

/** The own leg of a further call, which has its row and its end for itself. */
function lentLeg(options: ReturnedOptions, call: Call, far: Found): FarLeg | null {
  const { inbound } = options
  const lender = callOf(options, far.of.lender, far)
  if (lender === null) return null
  const left = Promise.withResolvers<null>()
  lender.over.addEventListener('abort', () => left.resolve(null), { once: true })
  inbound.resume(lender, () => left.promise.then(() => ({ outcome: 'answered', sipCode: 0, text: '' }) as const))
  // That they were joined stands in both rows already.
  for (const { row } of [call, lender]) row.legs = (row.legs ?? []).filter(({ endedAt }) => endedAt !== null)
  return partnerOf(call, lender, left.promise).leg
}

/** What was left of the time that the application allowed for the call. */
function limit({ config }: ReturnedOptions, call: Call): void {
  const endpoint = config.voice.endpoints.find(({ id }) => id === call.row.endpointId)
  if (endpoint !== undefined) call.limit(Math.max(1, endpoint.maxCallSeconds - call.talkSeconds))
}
