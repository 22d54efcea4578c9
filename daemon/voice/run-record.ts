/** Runs a recording on a call: which key, silence, length or hang-up ends it, and what file it leaves. */
import type { Recorded } from '../calls/call.ts'
import { hear } from '../calls/hearing.ts'
import { witness } from '../calls/witness.ts'
import type { Timer } from '../base/clock.ts'
import type { RecordReason } from '../schema/states.ts'
import { seam } from './prompts.ts'
import type { RecordingOrder, VerbCall } from './session-types.ts'
import { noTranscript, type TakeTranscript } from './transcripts.ts'

export interface RecordOptions {
  readonly maxMs: number
  /** 0: silence does not end it. */
  readonly silenceMs: number
  /** 0: waits for the first word as long as the recording may be. */
  readonly initialMs: number
  readonly finishOnKey: string
  readonly playBeep: boolean
  /** Who is notified of it; kept with the recording. */
  readonly order: RecordingOrder
  /** Hears what is recorded; null where no transcript was asked for. */
  readonly transcript: TakeTranscript | null
}

export interface RecordResult {
  readonly reason: RecordReason
  /** null: nothing usable was written. */
  readonly recordingId: string | null
  /** The disk has not taken it yet. */
  readonly waits: boolean
  readonly durationMs: number
  readonly finishKey: string | null
}

const beep = { kind: 'tone', hz: [1000], ms: 250, dbm0: -15 } as const
/** The recorder's last word comes within this time of the end of a call, or its process is gone. */
const recorderGraceMs = 2000

/** Resolves with the result, or null when the document was replaced (the file is dropped). */
export async function runRecord(view: VerbCall, options: RecordOptions): Promise<RecordResult | null> {
  const { call, clock } = view
  const nothing = { recordingId: null, waits: false, durationMs: 0, finishKey: null }
  // Nobody is asked to speak to a disk that takes nothing.
  const begun = await view.recordings.begin(options.order).catch((error: unknown) => {
    view.log.error({ err: error, callId: call.id }, 'a recording could not begin')
    return null
  })
  if (begun === null) return view.replaced.aborted ? null : { ...nothing, reason: view.signal.aborted ? 'hangup' : 'error' }
  const { id, file } = begun
  if (options.playBeep && !view.signal.aborted) {
    seam(call)
    await call.play(beep)
  }
  if (view.signal.aborted) {
    view.recordings.discard(id)
    return view.replaced.aborted ? null : { ...nothing, reason: 'hangup' }
  }
  call.activity('recording')
  const began = clock.elapsed()
  witness(call.id, 'begun', id)
  const recording = call.record(file, options.maxMs)
  const deafen = [hear(call, 'voice')]
  // From here on, so that the beep is no part of what is understood.
  if (options.transcript !== null) deafen.push(hear(call, 'audio'))
  const ended = await endOf(view, recording, options)
  recording.stop(ended?.trimMs ?? 0)
  for (const stop of deafen) stop()
  const transcript = ended === null ? noTranscript : (options.transcript?.end(id, ended.reason) ?? noTranscript)
  const done = await lastWord(view, recording, file, began)
  if (!call.over.aborted) call.activity('app')
  if (ended === null) {
    view.recordings.discard(id)
    return null
  }
  const stored = await view.recordings.publish(id, call.id, done.durationMs, transcript)
  const kept = stored !== 'none'
  if (kept) call.row.recordings.push(id)
  return {
    reason: stored === 'stored' || (stored === 'none' && ended.reason === 'hangup') ? ended.reason : 'error',
    recordingId: kept ? id : null,
    waits: stored === 'waiting',
    durationMs: kept ? done.durationMs : 0,
    finishKey: ended.finishKey,
  }
}

/** What ended it; `trimMs`: of its end, which the key is heard in. */
interface Ended {
  readonly reason: RecordReason
  readonly finishKey: string | null
  readonly trimMs: number
}

/** Waits for the key, the silence, the length or the hang-up that ends a recording; null when the document was replaced. */
async function endOf(view: VerbCall, recording: { readonly done: Promise<Recorded> }, options: RecordOptions): Promise<Ended | null> {
  const { call, clock } = view
  const end = Promise.withResolvers<Ended | null>()
  let quiet: Timer | null =
    options.initialMs > 0 ? clock.after(options.initialMs, () => end.resolve({ reason: 'timeout', finishKey: null, trimMs: 0 })) : null
  let finished = false
  // The key that ends the recording has done its work; every other may be meant for what comes next.
  const release = view.keys.claim((key) => {
    if (finished || key !== options.finishOnKey) return false
    return (finished = true)
  })
  const unlisten = call.listen((signal) => {
    if (signal.type === 'audio') options.transcript?.audio(signal.samples)
    else if (signal.type === 'voice') {
      quiet?.cancel()
      quiet = null
      if (!signal.active && options.silenceMs > 0)
        quiet = clock.after(options.silenceMs, () => end.resolve({ reason: 'silence', finishKey: null, trimMs: 0 }))
    } else if (signal.type === 'digit' && options.finishOnKey === signal.digit) {
      call.note('key', signal.digit, { method: signal.method })
      // A tone in the audio is cut off with its first 40 ms of detection; RFC 4733 and INFO leave no tone behind.
      end.resolve({ reason: 'finish-key', finishKey: signal.digit, trimMs: signal.method === 'inband' ? signal.durationMs + 60 : 0 })
    }
  })
  const onAbort = () => end.resolve(view.replaced.aborted ? null : { reason: 'hangup', finishKey: null, trimMs: 0 })
  view.signal.addEventListener('abort', onAbort)
  void recording.done.then((done) =>
    end.resolve({
      reason: done.reason === 'failed' ? 'error' : done.reason === 'ended' ? 'hangup' : 'max-length',
      finishKey: null,
      trimMs: 0,
    }),
  )
  const ended = await end.promise
  quiet?.cancel()
  release()
  unlisten()
  view.signal.removeEventListener('abort', onAbort)
  return ended
}

/** What the recorder says of its file: at the latest a moment after the end, or its process is gone. */
async function lastWord(
  { clock }: VerbCall,
  recording: { readonly done: Promise<Recorded> },
  file: string,
  began: number,
): Promise<Recorded> {
  const grace = Promise.withResolvers<Recorded>()
  const timer = clock.after(recorderGraceMs, () =>
    grace.resolve({ file, durationMs: clock.elapsed() - began - recorderGraceMs, reason: 'failed' }),
  )
  const done = await Promise.race([recording.done, grace.promise])
  timer.cancel()
  return done
}
