/**
 * A stream that is recorded: the caller on the left, what they hear on the right where the line can separate the two, and the caller's
 * words.
 */
import { pbxLeg } from '../../../drivers/pbx.ts'
import { hear } from '../../calls/hearing.ts'
import { settledWithin } from '../../base/clock.ts'
import type { VerbCall } from '../session-types.ts'
import { noTranscript, type TakeTranscript, type TranscriptFields } from '../transcripts.ts'

/** What `stream.completed` says of it. */
export interface StreamRecorded extends Partial<TranscriptFields> {
  readonly recordingId: string
  readonly mediaUrl: string
}

export interface RecordedStreamOptions {
  readonly transcribe: boolean
  /** Receives a transcript that is late; '' for nobody. */
  readonly url: string
}

const longestMs = 24 * 3_600_000
/** The recorder's last word comes within this time of the end of a call, or its process is gone. */
const recorderGraceMs = 2000
/** Numbers that neither a call nor the recorder of conversations gives to recordings. */
const firstNumber = 0x2000_0000
let numbers = firstNumber

/** The returned function ends it, and resolves when it is stored. Where the disk takes nothing the stream goes on without a recording. */
export async function recordStream(view: VerbCall, { transcribe, url }: RecordedStreamOptions): Promise<() => Promise<StreamRecorded>> {
  const { call, clock, language } = view
  const wanted = transcribe ? { language, hints: [] } : null
  const begun = await view.recordings
    .begin(view.recordingOrder({ url: '', sensitive: false, transcript: wanted }))
    .catch((error: unknown) => {
      view.log.error({ err: error, callId: call.id }, 'a recording could not begin')
      call.note('error', 'the recording of the stream could not begin')
      return null
    })
  if (begun === null) return async () => ({ recordingId: '', mediaUrl: '' })
  const { id, file } = begun
  const transcript = wanted === null ? null : view.transcript({ ...wanted, url, sensitive: false })
  const line = recordLine(view, file)
  const deafen =
    transcript === null ? [] : [call.listen((event) => event.type === 'audio' && transcript.audio(event.samples)), hear(call, 'audio')]
  call.note('leg', 'recording the stream', { recordingId: id })
  return async () => {
    for (const stop of deafen) stop()
    line.stop()
    const state = transcript?.end(id, call.over.aborted ? 'hangup' : 'stopped') ?? noTranscript
    await settledWithin(clock, recorderGraceMs, [line.done])
    const stored = await view.recordings.publish(id, call.id, 0, state)
    if (stored === 'none') {
      transcript?.abandon()
      return { recordingId: '', mediaUrl: '' }
    }
    call.row.recordings.push(id)
    const kept = { recordingId: id, mediaUrl: `/api/voice/recordings/${id}.wav` }
    return transcript === null ? kept : { ...kept, ...(await said(view, transcript, id, stored === 'waiting')) }
  }
}

async function said(view: VerbCall, transcript: TakeTranscript, id: string, waits: boolean): Promise<TranscriptFields> {
  if (waits) return transcript.postponed()
  const company = view.keepCompany()
  const fields = await transcript.fields(id, view.replaced)
  await company.stop()
  return fields
}

function recordLine({ call }: VerbCall, file: string): { readonly done: Promise<unknown>; stop(): void } {
  const leg = pbxLeg(call.leg)
  if (leg === null) {
    const { done, stop } = call.record(file, longestMs)
    return { done, stop: () => stop(0) }
  }
  const number = ++numbers
  const done = new Promise((resolve) => leg.recordBoth(number, { file, maxMs: longestMs }, resolve))
  return { done, stop: () => call.leg?.audio?.stopRecord(number) }
}
