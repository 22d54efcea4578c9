/** The calls of the house as the Desk sorts them: pure. */
import type { DeskView } from '../../../schema/desk.ts'
import type { CallRecordView } from '../../../schema/history.ts'
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
  /** The longest first. */
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
  const waiting = queues.flatMap((queue) => waitingIn(queue, byId)).toSorted((a, b) => (a.since < b.since ? -1 : 1))
  const parked = parking.flatMap(parkedIn)
  const placed = new Set([...waiting, ...parked].map(({ callId }) => callId))
  const isMine = (call: Call): boolean => own !== null && ringingAt(call).includes(own)
  const talks = live.filter((call) => isTalk(call) && !placed.has(call.callId))
  const talk = talks.find((call) => own !== null && talkingIn(call).includes(own))
  const rest = live.filter((call) => !placed.has(call.callId) && !isTalk(call) && !isMine(call))
  const elsewhere = rest.filter((call) => ringingAt(call).length > 0)
  return {
    ...{ mine: live.filter(isMine), talk, waiting, elsewhere, parked, talking: talks.filter((call) => call !== talk) },
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

function parkedIn({ slot, call }: Slot): Parked[] {
  return call === null
    ? []
    : [{ slot, callId: call.callId, name: call.callerName, number: call.from, since: call.since ?? '', by: call.by }]
}

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
  if (state === 'not registered' || state === 'unreachable') return { lamp: 'off', since: undefined, forward: forwardAll }
  if (doNotDisturb) return { lamp: 'dnd', since: undefined, forward: forwardAll }
  return { lamp: 'free', since: undefined, forward: forwardAll }
}
