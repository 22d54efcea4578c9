/** Connects a call to a desk phone: rings it, answers the caller when it answers, and joins the two until one hangs up. */
import type { LegEnd, LegEvent, LineDriver } from '../../drivers/line.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Call } from './call.ts'

const ringSeconds = 30

/** A phone that is there at all has said so by then; the caller hears that something happens even where none does. */
const ringAtOnceMs = 250

interface ConnectOptions {
  readonly driver: LineDriver
  readonly clock: Clock
  readonly log: Log
}

/** Ringback of North America (440 and 480 Hz, 2 s on, 4 s off), for a caller who was answered already. */
const ringback = { kind: 'tone', hz: [440, 480], ms: 2000, dbm0: -19 } as const

/** Whether the person there declined, or is in another call: the caller hears busy. */
export function isBusy({ by, sipCode }: LegEnd): boolean {
  return by === 'remote' && (sipCode === 486 || sipCode === 600 || sipCode === 603)
}

/**
 * Resolves true when a phone answered and that conversation is over, false when it could not be had; `refused` is told why. When
 * `signal` aborts, as it does at the end of the call, the phones are released and nothing is waited for.
 */
export async function connectToExtension(
  call: Call,
  extension: string,
  signal: AbortSignal,
  options: ConnectOptions,
  refused: (end: LegEnd) => void = () => undefined,
): Promise<boolean> {
  if (signal.aborted) return false
  const callee = options.driver.dial({
    via: { kind: 'extension' },
    to: extension,
    from: call.row.from,
    callerName: call.row.callerName,
    timeoutSeconds: ringSeconds,
  })
  const before = call.row.activity
  call.activity('ringing-dest')
  call.note('leg', `ringing extension ${extension}`)
  const answered = Promise.withResolvers<boolean>()
  const ended = Promise.withResolvers<LegEnd | null>()
  const left = Promise.withResolvers<false>()
  let ringing = false
  let bridged = false
  let over = false
  const ring = async () => {
    if (ringing || over || signal.aborted) return
    ringing = true
    if (!call.answered) return call.progress(180)
    while (ringing && !signal.aborted) {
      if (!(await call.play(ringback)).completed) return
      await call.play({ kind: 'silence', ms: 4000 })
    }
  }
  callee.onEvent = (event: LegEvent) => {
    if (event.type === 'ringing') void ring()
    else if (event.type === 'answered') answered.resolve(true)
    else if (event.type === 'transfer-requested') callee.answerTransfer(false)
    else if (event.type === 'ended') {
      over = true
      ended.resolve(event.end)
      answered.resolve(false)
    }
  }
  const leave = () => {
    callee.hangup()
    answered.resolve(false)
    ended.resolve(null)
    left.resolve(false)
  }
  signal.addEventListener('abort', leave)
  const soon = options.clock.after(ringAtOnceMs, () => void ring())
  try {
    const taken = await answered.promise
    soon.cancel()
    over = true
    ringing = false
    if (signal.aborted) return call.over.aborted
    call.clear()
    const end = taken ? null : await ended.promise
    if (end !== null) {
      refused(end)
      call.activity(before)
      call.note('leg', `extension ${extension}: ${end.text === '' ? end.reason : end.text} (${end.sipCode})`)
      return false
    }
    const there = await Promise.race([call.answer(), left.promise])
    if (!there || signal.aborted) {
      leave()
      return true
    }
    call.activity('routed')
    call.note('leg', `extension ${extension} answered`)
    call.leg?.bridge(callee)
    bridged = true
    await ended.promise
    if (!signal.aborted) call.end({ reason: 'routed-ended', by: 'callee' })
    return true
  } finally {
    signal.removeEventListener('abort', leave)
    if (signal.aborted && !call.over.aborted) {
      if (bridged) call.leg?.unbridge()
      call.activity(before)
    }
  }
}
