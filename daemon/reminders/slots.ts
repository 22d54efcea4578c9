/**
 * The plan of a day: which of the moments at which a line is likely to be free a reminder is called at. The first choices lie
 * far apart and later ones between them, so that few calls and many both spread evenly over the hours.
 */
import { dayAt, instantOf } from './zone.ts'
import { openSpans, workingDayBefore, type CallWindow, type Span } from './window.ts'

/** Ringing, the message, an answer: what a call takes on a line on average. */
export const assumedCallMs = 90_000
/** Nobody is called later than this before the appointment. */
export const leastNoticeMs = 2 * 3_600_000
/** Looking further would cost more than it gains. */
const mostSlots = 5000

/** How many calls are planned near a moment, over all reminders. */
export class Bookings {
  readonly #slotMs: number
  readonly #taken = new Map<number, number>()

  constructor(lines: number) {
    this.#slotMs = Math.max(1000, Math.floor(assumedCallMs / lines))
  }

  get slotMs(): number {
    return this.#slotMs
  }

  take(at: number): void {
    const slot = this.#slot(at)
    this.#taken.set(slot, (this.#taken.get(slot) ?? 0) + 1)
  }

  release(at: number): void {
    const slot = this.#slot(at)
    const left = (this.#taken.get(slot) ?? 0) - 1
    if (left > 0) this.#taken.set(slot, left)
    else this.#taken.delete(slot)
  }

  at(at: number): number {
    return this.#taken.get(this.#slot(at)) ?? 0
  }

  #slot(at: number): number {
    return Math.floor(at / this.#slotMs)
  }
}

export interface SlotRequest {
  readonly appointmentAt: number
  readonly zone: string
  readonly now: number
  readonly leadDays: number
  readonly window: CallWindow
  /** Days on which the number may not be called any more. */
  readonly closed?: (day: string) => boolean
}

/** When the first call is made; null where there is no moment left. Does not take it. */
export function firstSlot(request: SlotRequest, bookings: Bookings): number | null {
  const { appointmentAt, zone, now, leadDays, window, closed } = request
  const latest = appointmentAt - leastNoticeMs
  const wanted = workingDayBefore(dayAt(appointmentAt, zone), leadDays, window)
  const earliest = Math.max(now, instantOf(wanted, 0, zone))
  let best: { at: number; taken: number } | null = null
  for (const span of openSpans(earliest, latest, zone, window)) {
    if (closed?.(span.day) === true) continue
    const found = leastTaken(span, bookings, span.day !== wanted ? inOrder : span.start === now ? fromTheMiddle : farApart)
    if (found.taken === 0) return found.at
    if (best === null || found.taken < best.taken) best = found
  }
  return best?.at ?? null
}

/** When another call is made, as early as can be; null where there is no moment left. Does not take it. */
export function nextSlot({ appointmentAt, zone, now, window, closed }: SlotRequest, bookings: Bookings): number | null {
  let best: { at: number; taken: number } | null = null
  for (const span of openSpans(now, appointmentAt - leastNoticeMs, zone, window)) {
    if (closed?.(span.day) === true) continue
    const found = leastTaken(span, bookings, inOrder)
    if (found.taken === 0) return found.at
    if (best === null || found.taken < best.taken) best = found
  }
  return best?.at ?? null
}

type Order = (count: number) => Iterable<number>

function leastTaken({ start, end }: Span, bookings: Bookings, order: Order): { at: number; taken: number } {
  const count = Math.min(mostSlots, Math.max(1, Math.floor((end - start) / bookings.slotMs)))
  let best: { at: number; taken: number } | null = null
  for (const index of order(count)) {
    const at = start + index * bookings.slotMs
    const taken = bookings.at(at)
    if (best === null || taken < best.taken) best = { at, taken }
    if (best.taken === 0) break
  }
  return best ?? { at: start, taken: bookings.at(start) }
}

function* inOrder(count: number): Iterable<number> {
  for (let index = 0; index < count; index++) yield index
}

/** Not at once: somebody who has just booked does not expect to be reminded. */
function* fromTheMiddle(count: number): Iterable<number> {
  for (const index of farApart(count)) yield (index + (count >> 1)) % count
}

/** One request has many reminders for the same window. */
let lastOrder: { readonly count: number; readonly order: readonly number[] } = { count: 0, order: [] }

/** 0 to `count` - 1, each once, as the bits of a counter reversed: halves, quarters, eighths. */
function farApart(count: number): readonly number[] {
  if (lastOrder.count === count) return lastOrder.order
  const bits = Math.ceil(Math.log2(Math.max(2, count)))
  const order = new Set<number>()
  for (let n = 0; n < 2 ** bits; n++) {
    let reversed = 0
    for (let bit = 0; bit < bits; bit++) if (n & (1 << bit)) reversed |= 1 << (bits - 1 - bit)
    order.add(Math.floor((reversed * count) / 2 ** bits))
  }
  lastOrder = { count, order: [...order] }
  return lastOrder.order
}
