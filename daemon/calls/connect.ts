/** Connects a call to a desk phone: rings it, answers the caller when it answers, and joins the two until one hangs up. */
import type { LegEnd, LegEvent, LineDriver } from '../../drivers/line.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Call } from './call.ts'

const ringSeconds = 30

interface ConnectOptions {
  readonly driver: LineDriver
  readonly clock: Clock
  readonly log: Log
}

/** Ringback of North America (440 and 480 Hz, 2 s on, 4 s off), for a caller who was answered already. */
const ringback = { kind: 'tone', hz: [440, 480], ms: 2000, dbm0: -19 } as const

/** Resolves true when the phone answered and that conversation is over, false when it could not be had. */
export async function connectToExtension(call: Call, extension: string, options: ConnectOptions): Promise<boolean> {
  if (call.over.aborted) return false
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
  const ended = Promise.withResolvers<LegEnd>()
  let ringing = false
  const ring = async () => {
    ringing = true
    if (!call.answered) return call.progress(180)
    while (ringing && !call.over.aborted) {
      if (!(await call.play(ringback)).completed) return
      await call.play({ kind: 'silence', ms: 4000 })
    }
  }
  callee.onEvent = (event: LegEvent) => {
    if (event.type === 'ringing' && !ringing) void ring()
    else if (event.type === 'answered') answered.resolve(true)
    else if (event.type === 'transfer-requested') callee.answerTransfer(false)
    else if (event.type === 'ended') {
      ended.resolve(event.end)
      answered.resolve(false)
    }
  }
  const leave = () => callee.hangup()
  call.over.addEventListener('abort', leave)
  try {
    const taken = await answered.promise
    ringing = false
    call.clear()
    if (call.over.aborted) return true
    if (!taken) {
      const end = await ended.promise
      call.activity(before)
      call.note('leg', `extension ${extension}: ${end.text === '' ? end.reason : end.text} (${end.sipCode})`)
      return false
    }
    if (!(await call.answer())) {
      leave()
      return true
    }
    call.activity('routed')
    call.note('leg', `extension ${extension} answered`)
    call.leg?.bridge(callee)
    await ended.promise
    call.end({ reason: 'routed-ended', by: 'callee' })
    return true
  } finally {
    call.over.removeEventListener('abort', leave)
  }
}
