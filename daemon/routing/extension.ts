/** Connects a call to a desk phone: rings it, answers the caller when it answers, and joins the two until one hangs up. */
import type { Call } from '../calls/call.ts'
import { SecondLeg } from '../calls/second-leg.ts'
import type { Clock } from '../clock.ts'
import type { TakeRequest } from './destinations.ts'
import { answered, canceled, takenOf, type Taken } from './taken.ts'
import type { Trunks } from './trunks.ts'

const usualSeconds = 30

/** A phone that is there at all has said so by then; the caller hears that something happens even where none does. */
const ringAtOnceMs = 250

export interface ExtensionOptions {
  readonly trunks: Trunks
  readonly clock: Clock
}

/** Ringback of North America (440 and 480 Hz, 2 s on, 4 s off), for a caller who was answered already. */
const ringback = { kind: 'tone', hz: [440, 480], ms: 2000, dbm0: -19 } as const

/**
 * Resolves when that conversation is over, or with why there was none. When the signal aborts, as it does at the end of the call,
 * the phones are released and nothing is waited for.
 */
export async function takeToExtension(options: ExtensionOptions, call: Call, extension: string, request: TakeRequest): Promise<Taken> {
  const { signal } = request
  if (signal.aborted) return canceled
  const { clock, trunks } = options
  const phone = new SecondLeg(call, extension, '', clock)
  const { from, callerName } = call.row
  const timeoutSeconds = request.timeoutSeconds ?? usualSeconds
  phone.attach(trunks.phone().dial({ to: extension, from, callerName, timeoutSeconds }, phone.over))
  const before = call.row.activity
  call.activity('ringing-dest')
  call.note('leg', `ringing extension ${extension}`)
  const left = Promise.withResolvers<false>()
  const leave = () => {
    phone.release()
    left.resolve(false)
  }
  signal.addEventListener('abort', leave)
  const ringing = new Ringing(call, clock, signal)
  phone.onRinging = () => ringing.begin()
  try {
    const taken = (await Promise.race([phone.taken, left.promise])) && (await announced(phone, request, left.promise))
    ringing.stop()
    if (signal.aborted) return canceled
    call.clear()
    if (!taken) {
      const after = phone.row.answeredAt !== null
      const end = await phone.ended
      call.activity(before)
      call.note('leg', `extension ${extension}: ${end.text === '' ? end.reason : end.text} (${end.sipCode})`)
      return after ? { outcome: 'refused', sipCode: 603, text: 'hung up before the call was put through' } : takenOf(end)
    }
    const there = await Promise.race([call.answer(), left.promise])
    if (!there || signal.aborted) {
      leave()
      return canceled
    }
    // One that has hung up in this very moment was answered all the same.
    if (!phone.over.aborted && !phone.bridge()) {
      call.activity(before)
      return cannotJoin(call, phone)
    }
    call.activity('routed')
    call.note('leg', `extension ${extension} answered`)
    await Promise.race([phone.ended, left.promise])
    if (signal.aborted) return canceled
    call.note('leg', `extension ${extension} hung up`)
    if (request.afterwards === 'stay') call.activity(before)
    else call.end({ reason: 'routed-ended', by: 'callee' })
    return answered
  } finally {
    signal.removeEventListener('abort', leave)
    if (signal.aborted && !call.over.aborted) {
      if (call.row.activity === 'routed') call.leg?.audio?.unbridge()
      call.activity(before)
    }
  }
}

/** They are of two line drivers. */
function cannotJoin(call: Call, phone: SecondLeg): Taken {
  const text = 'the two lines cannot be joined'
  call.note('error', `extension ${phone.row.to}: ${text}`)
  phone.release()
  return { outcome: 'failed', sipCode: 0, text }
}

/** Who answers hears why, while the caller hears it ring; false when one of them is gone before its end. */
async function announced(phone: SecondLeg, { announce = [] }: TakeRequest, left: Promise<false>): Promise<boolean> {
  for (const part of announce) {
    const source = await Promise.race([part.catch(() => null), left])
    if (source === false) return false
    if (source !== null && !(await phone.play(source)) && phone.over.aborted) return false
  }
  return !phone.over.aborted
}

/** What the caller hears until somebody answers. */
class Ringing {
  readonly #call: Call
  readonly #signal: AbortSignal
  readonly #soon: { cancel(): void }
  #state: 'quiet' | 'rings' | 'over' = 'quiet'

  constructor(call: Call, clock: Clock, signal: AbortSignal) {
    this.#call = call
    this.#signal = signal
    this.#soon = clock.after(ringAtOnceMs, () => this.begin())
  }

  begin(): void {
    if (this.#state !== 'quiet' || this.#signal.aborted) return
    this.#state = 'rings'
    if (this.#call.answered) void this.#sound()
    else this.#call.progress(180)
  }

  stop(): void {
    this.#state = 'over'
    this.#soon.cancel()
  }

  async #sound(): Promise<void> {
    while (this.#state === 'rings' && !this.#signal.aborted) {
      if (!(await this.#call.play(ringback)).completed) return
      await this.#call.play({ kind: 'silence', ms: 4000 })
    }
  }
}
