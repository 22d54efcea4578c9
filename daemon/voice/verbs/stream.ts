import { Type } from '@sinclair/typebox'
import { unitMark } from '../../schema/units.ts'
import { defineVerb, httpUrl, socketUrl, withDefault } from '../verb.ts'

export const stream = defineVerb({
  name: 'stream',
  summary: 'Opens a media-stream WebSocket for real-time audio.',
  details: ['The frames are those of Twilio Media Streams.'].join('\n'),
  example: [{ stream: { url: 'wss://app.example/media', parameters: { patient: 'A-5' } } }],
  gives: [],
  needs: 'answered',
  ends: false,
  unsupported: 'this version cannot open media streams yet',
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
        { description: 'Whose audio is sent; outbound and both only with background.' },
      ),
      'inbound',
    ),
    maxSeconds: Type.Optional(Type.Number({ [unitMark]: 's', minimum: 1, maximum: 28800, description: 'Default: the limit of the call.' })),
    actionUrl: Type.Optional(httpUrl('Receives stream.completed.')),
    statusCallbackUrl: Type.Optional(httpUrl('Receives stream.started, stream.stopped and stream.error.')),
    drainOnClose: withDefault(Type.Boolean({ description: 'Plays what is queued after the server closed.' }), true),
    extensions: withDefault(
      Type.Array(Type.Union([Type.Literal('vad'), Type.Literal('queue')]), { maxItems: 2, description: 'Frames beyond those of Twilio.' }),
      [],
    ),
    codec: withDefault(Type.Union([Type.Literal('audio/x-mulaw')], { description: 'Form of the audio.' }), 'audio/x-mulaw'),
  }),
})
