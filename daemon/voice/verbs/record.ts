import { Type } from '@sinclair/typebox'
import { unitMark } from '../../schema/named.ts'
import { runRecord, type RecordResult } from '../run-record.ts'
import type { VerbCall } from '../session-types.ts'
import type { TakeTranscript, TranscriptFields } from '../transcripts.ts'
import { actionUrl, defineVerb, hints, language, withDefault, type Parsed } from '../verb.ts'

const parameters = Type.Object({
  maxSeconds: withDefault(Type.Number({ [unitMark]: 's', minimum: 1, maximum: 3600, description: 'Longest recording in seconds.' }), 120),
  finishOnKey: withDefault(
    Type.String({ pattern: '^[0-9*#A-Da-d]*$', maxLength: 16, description: 'The key that ends the recording; "" for none.' }),
    '#',
  ),
  transcribe: withDefault(Type.Boolean({ description: 'Sends the transcript with the event.' }), false),
  playBeep: withDefault(Type.Boolean({ description: 'Plays a tone before the recording starts.' }), true),
  silenceTimeout: withDefault(
    Type.Number({ [unitMark]: 's', minimum: 0, maximum: 30, description: 'Seconds of silence that end the recording; 0 for none.' }),
    5,
  ),
  initialTimeout: withDefault(
    Type.Number({ [unitMark]: 's', minimum: 0, maximum: 60, description: 'Seconds to wait for the first word; 0 for no limit.' }),
    10,
  ),
  language: Type.Optional(language('BCP 47 language of the speech. Default: the language of the site.')),
  hints: hints(),
  sensitive: withDefault(Type.Boolean({ description: 'Keeps the transcript out of logs and trace.' }), false),
  actionUrl: actionUrl(),
})

export type RecordParams = Parsed<typeof parameters>

export const record = defineVerb({
  name: 'record',
  summary: 'Records the caller and posts record.completed.',
  details: [
    'It ends the document. The caller hears a tone (`playBeep`), speaks, and ends with the key of `finishOnKey`, with silence or by hanging up.',
    'The recording is a WAV file that `mediaUrl` of the event names; fetch it with an access token. It is kept `voice.recordingDays` (7), or',
    'until `DELETE /api/voice/recordings/{id}`. With `transcribe` the event waits up to 10 s for the transcript; one that takes longer follows',
    'as `record.transcribed`. A box without a model for recordings has none: `transcriptStatus` is then `off`.',
  ].join('\n'),
  example: [
    { say: { text: 'Please leave a message after the tone.' } },
    { record: { maxSeconds: 60, finishOnKey: '#', silenceTimeout: 4, actionUrl: 'http://127.0.0.1:3000/message' } },
  ],
  gives: ['record.completed', 'record.transcribed'],
  needs: 'answered',
  ends: true,
  parameters,
  coerce(raw, report) {
    const given = raw.finishOnKey
    const keys = typeof given === 'number' ? String(given) : given
    if (typeof keys !== 'string' || keys.length < 2) return raw
    report.warn('/finishOnKey', `takes one key; "${keys.slice(0, 1)}" is used`)
    return { ...raw, finishOnKey: keys.slice(0, 1) }
  },
  async run(params, view) {
    if (!(await view.playPrompts()) && view.replaced.aborted) return { kind: 'stop' }
    const url = params.actionUrl ?? view.documentUrl
    const { sensitive } = params
    const wanted = params.transcribe ? { language: params.language ?? view.language, hints: params.hints ?? [] } : null
    // A part of this program reads a late transcript where it is kept.
    const late = view.internal ? '' : url
    const transcript = wanted === null ? null : view.transcript({ ...wanted, url: late, sensitive })
    const result = await runRecord(view, {
      maxMs: Math.round(params.maxSeconds * 1000),
      silenceMs: Math.round(params.silenceTimeout * 1000),
      initialMs: Math.round(params.initialTimeout * 1000),
      finishOnKey: params.finishOnKey.toUpperCase(),
      playBeep: params.playBeep,
      order: view.recordingOrder({ url, sensitive, transcript: wanted }),
      transcript,
    })
    if (result === null) transcript?.abandon()
    if (result === null) return { kind: 'stop' }
    const said = transcript === null ? ({ transcript: '', transcriptStatus: 'off' } as const) : await transcriptOf(view, transcript, result)
    const fields = {
      reason: result.reason,
      ...said,
      recordingId: result.recordingId ?? '',
      mediaUrl: result.recordingId === null ? '' : `/api/voice/recordings/${result.recordingId}.wav`,
      durationMs: result.durationMs,
      ...(result.finishKey === null ? {} : { finishKey: result.finishKey }),
    }
    return { kind: 'ask', question: { event: 'record.completed', url, fields, sensitive } }
  },
})

async function transcriptOf(view: VerbCall, transcript: TakeTranscript, result: RecordResult): Promise<TranscriptFields> {
  const company = view.keepCompany()
  // It does not wait for one, and neither does the caller.
  const until = view.internal ? AbortSignal.abort() : view.replaced
  const said = result.waits ? transcript.postponed() : await transcript.fields(result.recordingId, until)
  // Not waited for: the event gets its number before a late transcript can get one.
  void company.stop()
  const reason = said.transcriptReason
  view.call.note('speech', `transcript: ${said.transcriptStatus}`, reason === undefined ? undefined : { reason })
  return said
}
