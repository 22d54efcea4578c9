import { Type } from '@sinclair/typebox'
import type { StreamTrack } from '../../schema/stream-frames.ts'
import { unitMark } from '../../schema/named.ts'
import { pointerPart } from '../parameters.ts'
import { formats } from '../stream/format.ts'
import { recordStream } from '../stream/recorded.ts'
import { defineVerb, httpUrl, socketUrl, withDefault } from '../verb.ts'

export const stream = defineVerb({
  name: 'stream',
  summary: 'Opens a media-stream WebSocket for real-time audio.',
  details: [
    'The frames are those of Twilio Media Streams: `connected`, `start`, `media`, `dtmf`, `mark`, `stop` to the server; `media`, `mark`, `clear`',
    'from it. The request is signed like every other, over an empty body. A server on this machine is reached at the host and port of a',
    'configured endpoint, or with `callbacks.allowLoopback: true` at any that is not of the box; `ws://` goes to private networks. When the server closes, what it has sent is heard to its end (`drainOnClose`);',
    'then comes `actionUrl`, or the next verb. Without either the call ends, or, when the server was lost, goes where the failure policy sends it.',
  ].join('\n'),
  example: [
    { say: { text: 'One moment, I connect you with our assistant.' } },
    { stream: { url: 'ws://127.0.0.1:3000/media', parameters: { patient: 'A-5' }, actionUrl: 'http://127.0.0.1:3000/after' } },
  ],
  gives: ['stream.completed'],
  needs: 'answered',
  ends: false,
  parameters: Type.Object({
    url: socketUrl('WebSocket URL; its query string is kept.'),
    parameters: Type.Optional(
      Type.Record(Type.String({ maxLength: 500 }), Type.String({ maxLength: 500 }), {
        maxProperties: 50,
        description: 'Sent as customParameters.',
      }),
    ),
    name: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the stream, for its status events.' })),
    background: withDefault(Type.Boolean({ description: 'Only sends audio; the next verb runs at once.' }), false),
    track: withDefault(
      Type.Union(
        [
          Type.Literal('inbound'),
          Type.Literal('outbound'),
          Type.Literal('both'),
          Type.Literal('inbound_track'),
          Type.Literal('outbound_track'),
          Type.Literal('both_tracks'),
        ],
        { description: 'Which audio is sent: what the caller says (inbound) or hears (outbound); outbound and both need background.' },
      ),
      'inbound',
    ),
    maxSeconds: Type.Optional(Type.Number({ [unitMark]: 's', minimum: 1, maximum: 28800, description: 'Default: the limit of the call.' })),
    actionUrl: Type.Optional(httpUrl('Receives stream.completed.')),
    statusCallbackUrl: Type.Optional(httpUrl('Receives stream.started, stream.stopped and stream.error.')),
    drainOnClose: withDefault(Type.Boolean({ description: 'Plays what is queued after the server closed.' }), true),
    record: withDefault(
      Type.Boolean({ description: 'Records the call while the stream lasts: the caller on the left, what they hear on the right.' }),
      false,
    ),
    transcribe: withDefault(Type.Boolean({ description: 'The recording is transcribed: the words of the caller. Needs record.' }), false),
    extensions: withDefault(
      Type.Array(Type.Union([Type.Literal('vad'), Type.Literal('queue')]), { maxItems: 2, description: 'Frames beyond those of Twilio.' }),
      [],
    ),
    codec: withDefault(
      Type.Union([Type.Literal('audio/x-mulaw'), Type.Literal('audio/x-l16;rate=16000')], {
        description:
          'Form of the audio, both ways: G.711 µ-law at 8 kHz, or 16-bit samples at 16 kHz with the low byte first, for calls in G.722.',
      }),
      'audio/x-mulaw',
    ),
  }),
  check(params, _, report) {
    if (!params.track.startsWith('inbound') && !params.background)
      report.error('/track', 'what the caller hears (outbound, both) is sent in the background only: background: true')
    if (params.transcribe && !params.record) report.error('/transcribe', 'a transcript is made of a recording: record: true')
    for (const [name, value] of Object.entries(params.parameters ?? {}))
      if (name.length + value.length > 500)
        report.error(`/parameters/${pointerPart(name)}`, 'name and value have more than 500 characters together')
  },
  async run(params, view) {
    if (!(await view.playPrompts())) return { kind: 'stop' }
    const { call } = view
    const order = {
      url: params.url,
      name: params.name ?? '',
      background: params.background,
      tracks: tracksOf(params.track),
      format: formats[params.codec],
      customParameters: params.parameters ?? {},
      extensions: params.extensions,
      drainOnClose: params.drainOnClose,
      maxMs: params.maxSeconds === undefined ? null : Math.round(params.maxSeconds * 1000),
      statusUrl: params.statusCallbackUrl ?? '',
    }
    const recorded = params.record ? await recordStream(view, { transcribe: params.transcribe, url: params.actionUrl ?? '' }) : null
    if (params.background) {
      // It ends with the call, whose end is reported last.
      call.holdEnd(view.stream(order).then(() => recorded?.()))
      return { kind: 'next', failure: '' }
    }
    call.activity('streaming')
    // Keys are sent to the server, and mean nothing to what comes afterwards.
    const release = view.keys.claim(() => true)
    const end = await view.stream(order)
    release()
    const recording = await recorded?.()
    if (!call.over.aborted) call.activity('app')
    view.guards.mediaOrInput()
    if (end.reason === 'replaced') return { kind: 'stop' }
    if (params.actionUrl !== undefined) {
      const { streamSid, reason, durationMs, framesIn, framesOut, closeCode } = end
      const fields = { streamSid, reason, durationMs, framesIn, framesOut, ...(closeCode === null ? {} : { closeCode }), ...recording }
      return { kind: 'ask', question: { event: 'stream.completed', url: params.actionUrl, fields } }
    }
    if (end.reason === 'hangup') return { kind: 'stop' }
    return { kind: 'next', failure: end.error === '' ? '' : `the stream: ${end.error}` }
  },
})

function tracksOf(track: string): readonly StreamTrack[] {
  if (track.startsWith('both')) return ['inbound', 'outbound']
  return [track.startsWith('outbound') ? 'outbound' : 'inbound']
}
