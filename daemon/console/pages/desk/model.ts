/** The calls of the house as the Desk sorts them: pure. */
import type { DeskView } from '../../../schema/desk.ts'
import type { CallDeed, CallRecordView } from '../../../schema/history.ts'
import { ringingAt } from '../../frame/ringing.ts'

export type Call = CallRecordView
type Queue = DeskView['queues'][number]
type Slot = DeskView['parking'][number]

/** A call that somebody waits in. */
export interface Waiting {
  readonly call: Call | undefined
  readonly callId: string
  readonly name: string
  readonly number: string
  /** Name of the queue. */
  readonly queue: string
  readonly since: string
  /** Extensions that ring for it. */
  readonly ringing: readonly string[]
  /** The box is to call back. */
  readonly absent: boolean
}

export interface Parked {
  readonly slot: string
  readonly call: Call | undefined
  readonly callId: string
  readonly name: string
  readonly number: string
  readonly since: string
  readonly by: string
}

export interface Sorted {
  /** That ring at the own phone. */
  readonly mine: readonly Call[]
  /** In which the own phone talks. */
  readonly talk: Call | undefined
  /** The longest first, without those that ring at the own phone. */
  readonly waiting: readonly Waiting[]
  /** That ring at somebody else's phone, and wait in no queue. */
  readonly elsewhere: readonly Call[]
  readonly parked: readonly Parked[]
  readonly talking: readonly Call[]
  /** In a menu or a mailbox, with an application, on the way. */
  readonly others: readonly Call[]
  readonly count: number
}

/** Extensions that talk in the call now. */
export function talkingIn(call: Call): string[] {
  const taken = call.legs.filter(({ trunkId, answeredAt, endedAt }) => trunkId === '' && answeredAt !== null && endedAt === null)
  const own = call.direction !== 'inbound' && call.extension !== undefined ? [call.extension] : []
  return [...new Set([...own, ...taken.map(({ to }) => to)])]
}

/** Whom the other side talks with: extensions, or the numbers outside that the call was forwarded to. */
export function partnersOf(call: Call): string[] {
  const inside = talkingIn(call)
  return inside.length > 0
    ? inside
    : call.legs.filter(({ answeredAt, endedAt }) => answeredAt !== null && endedAt === null).map(({ to }) => to)
}

/** The number of the person outside; of a call within the house, of the caller. */
export function outsideOf({ direction, from, to, legs }: Call): string {
  if (direction !== 'outbound') return from
  return legs.findLast(({ trunkId }) => trunkId !== '')?.to ?? to
}

/** The name that came with the number outside; '' of a call to the outside, which has only the name of the phone that dials. */
export const nameOutside = ({ direction, callerName = '' }: Call): string => (direction === 'outbound' ? '' : callerName)

/** What is said of a call that is with nobody. Without a phone of the house the box itself has placed it: a fax, a reminder, an application. */
export function placeOf({ direction, extension = '', steps }: Call): 'byWhom' | 'byBox' | 'leavesMessage' | 'sendsFax' | 'inMenu' {
  if (direction !== 'inbound') return extension === '' ? 'byBox' : 'byWhom'
  const to = steps.at(-1)?.to ?? ''
  if (to === 'fax') return 'sendsFax'
  return to.startsWith('voicemail:') ? 'leavesMessage' : 'inMenu'
}

/** Why a message has no words. */
export function wordlessBy(transcriptStatus: string | undefined): 'wordsOff' | 'wordsFailed' | 'noWords' {
  if (transcriptStatus === 'off') return 'wordsOff'
  return transcriptStatus === 'failed' ? 'wordsFailed' : 'noWords'
}

/** A call by which a phone has taken another one: both are one conversation, which the other shows. */
function isPickupOf(call: Call, all: readonly Call[]): boolean {
  if (call.direction !== 'internal' || call.extension === undefined) return false
  return all.some(
    (other) =>
      other !== call &&
      other.startedAt < call.startedAt &&
      talkingIn(other).includes(call.extension!) &&
      call.legs.some(({ to }) => to === other.from),
  )
}

export function sorted({ calls, queues, parking }: DeskView, own: string | null): Sorted {
  const all = calls.filter(({ state }) => state !== 'ended')
  const live = all.filter((call) => !isPickupOf(call, all))
  const byId = new Map(live.map((call) => [call.callId, call]))
  const mine = live.filter((call) => own !== null && ringingAt(call).includes(own))
  const talks = live.filter(isTalk)
  const talk = talks.find((call) => own !== null && talkingIn(call).includes(own))
  // A call stands once. What a queue and the slots say of it may be older than its own record.
  const placed = new Set([...mine, ...talks].map(({ callId }) => callId))
  const isFree = ({ callId }: { readonly callId: string }): boolean => !placed.has(callId)
  const waiting = queues
    .flatMap((queue) => waitingIn(queue, byId))
    .filter((one) => isFree(one) && (one.absent || one.call !== undefined))
    .toSorted((a, b) => (a.since < b.since ? -1 : 1))
  for (const { callId } of waiting) placed.add(callId)
  const parked = parking.flatMap((slot) => parkedIn(slot, byId)).filter(isFree)
  for (const { callId } of parked) placed.add(callId)
  const rest = live.filter(isFree)
  const elsewhere = rest.filter((call) => ringingAt(call).length > 0)
  return {
    ...{ mine, talk, waiting, elsewhere, parked, talking: talks.filter((call) => call !== talk) },
    others: rest.filter((call) => ringingAt(call).length === 0),
    count: live.length,
  }
}

/** A menu, a mailbox or a queue answers the caller as well: it is a talk once somebody has picked up. */
const isTalk = (call: Call): boolean => (call.state === 'answered' || call.state === 'held') && partnersOf(call).length > 0

function waitingIn(queue: Queue, byId: ReadonlyMap<string, Call>): Waiting[] {
  return queue.callers.map(({ callId, state, from, callerName, since, ringing }) => ({
    ...{ call: byId.get(callId), callId, name: callerName, number: from, queue: queue.name, since, ringing },
    absent: state !== 'waits',
  }))
}

function parkedIn({ slot, call }: Slot, byId: ReadonlyMap<string, Call>): Parked[] {
  if (call === null) return []
  const { callId, callerName: name, from: number, since, by } = call
  return [{ slot, call: byId.get(callId), callId, name, number, since: since ?? '', by }]
}

export type Deed = CallDeed | 'park'

/** What the box would do with the call now: nothing else is offered. */
export function deedsOf(call: Call | undefined, { parking }: Pick<DeskView, 'parking'>): readonly Deed[] {
  const { callId = '', deeds = [] } = call ?? {}
  const parks =
    deeds.includes('move') && parking.some((slot) => slot.call === null) && !parking.some((slot) => slot.call?.callId === callId)
  return parks ? [...deeds, 'park'] : deeds
}

/** Where a call may be sent: to a phone that can ring, or else to its mailbox; undefined where it has neither. */
export function destinationOf({ number, state, forwardAll, mailbox }: DeskView['extensions'][number]): string | undefined {
  if (forwardAll !== null || !isOff(state)) return number
  return mailbox ? `voicemail:${number}` : undefined
}

const isOff = (state: string): boolean => state === 'not registered' || state === 'unreachable'

export type Lamp = 'ring' | 'talk' | 'dnd' | 'off' | 'free'

/** What a colleague does now, and since when. */
export function lampOf(
  { number, state, talking, doNotDisturb, forwardAll }: DeskView['extensions'][number],
  calls: readonly Call[],
): { readonly lamp: Lamp; readonly since: string | undefined; readonly forward: string | null } {
  const talk = calls.find((call) => isTalk(call) && talkingIn(call).includes(number))
  const ring = calls.find((call) => ringingAt(call).includes(number))
  const leg = ring?.legs.findLast(({ to }) => to === number)
  if (talk !== undefined || talking) return { lamp: 'talk', since: talk?.answeredAt, forward: null }
  if (ring !== undefined) return { lamp: 'ring', since: leg?.startedAt, forward: null }
  if (isOff(state)) return { lamp: 'off', since: undefined, forward: forwardAll }
  if (doNotDisturb) return { lamp: 'dnd', since: undefined, forward: forwardAll }
  return { lamp: 'free', since: undefined, forward: forwardAll }
}
