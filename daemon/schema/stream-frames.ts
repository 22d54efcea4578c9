/**
 * The text frames of a media stream, as schemas and as types: what the box sends to the server, and what the server may send. They are those
 * of Twilio Media Streams, whose counters are strings and whose order is fixed, and two of our own for servers that ask for them.
 */
import { Type, type Static, type TObject, type TProperties, type TUnsafe } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named } from './named.ts'
import { CallIdSchema } from './voice-call.ts'

const counter = (description: string) => Type.String({ pattern: '^(0|[1-9][0-9]*)$', description })
const sequenceNumber = counter('Counts all frames but connected, speech and queue, from 1 and without gaps.')
export const StreamSidSchema = Type.String({ pattern: '^MZ[0-9a-f]{32}$', description: 'Id of the stream.' })
const accountSid = Type.String({ pattern: '^AC[0-9a-f]{32}$', description: 'The same of a box for ever.' })
const callSid = { ...CallIdSchema, description: 'The `callId` of the events.' }
const markName = Type.String({ maxLength: 256, description: 'As the server gave it; names may repeat.' })

export const streamTracks = ['inbound', 'outbound'] as const
export type StreamTrack = (typeof streamTracks)[number]
const track = Choice(streamTracks, { description: 'inbound: what the caller says. outbound: what the caller hears.' })

const MediaFormatSchema = Type.Object(
  {
    encoding: Choice(['audio/x-mulaw', 'audio/x-l16'], { description: 'G.711 mu-law, or 16-bit samples with the low byte first.' }),
    sampleRate: Type.Unsafe<8000 | 16_000>({
      type: 'integer',
      enum: [8000, 16_000],
      description: 'Of audio/x-mulaw 8000, of audio/x-l16 16000.',
    }),
    channels: Type.Literal(1),
  },
  { additionalProperties: false, description: 'Form of the audio, both ways: `codec` of the verb.' },
)

export interface FrameSpec<T = unknown> {
  readonly schema: TUnsafe<T>
  /** When it is sent, or what it does. */
  readonly when: string
}

type Fields<N extends string, F extends TProperties> = { event: N } & Static<TObject<F>>

interface FrameOptions<N extends string, F extends TProperties> {
  readonly name: string
  readonly when: string
  readonly example: Omit<Fields<N, F>, 'event'>
  /** A server may send more than is known; the box does not. */
  readonly open?: boolean
}

function frame<const N extends string, F extends TProperties>(
  event: N,
  fields: F,
  { name, when, example, open = false }: FrameOptions<N, F>,
): FrameSpec<Fields<N, F>> {
  const about = { description: when, examples: [{ event, ...example }], ...(open ? {} : { additionalProperties: false }) }
  return { when, schema: named(name, Type.Object({ event: Type.Literal(event), ...fields }, about)) as unknown as TUnsafe<Fields<N, F>> }
}

const inside = <F extends TProperties>(fields: F, description: string) => Type.Object(fields, { additionalProperties: false, description })

const exampleSids = {
  accountSid: 'AC3f0c9a7be21d4c58a6b1904e7d25f813',
  callSid: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
  streamSid: 'MZ019a5b3c6a117c22b03d4e5f60718293',
}
const { streamSid: exampleSid } = exampleSids
/** 20 ms of mu-law silence. */
const examplePayload = Buffer.alloc(160, 0xff).toString('base64')

/** From the box. */
export const boxFrames = {
  connected: frame(
    'connected',
    { protocol: Type.Literal('Call'), version: Type.Literal('1.0.0') },
    { name: 'StreamConnectedFrame', when: 'The first frame.', example: { protocol: 'Call', version: '1.0.0' } },
  ),
  start: frame(
    'start',
    {
      sequenceNumber,
      start: inside(
        {
          accountSid,
          streamSid: StreamSidSchema,
          callSid,
          tracks: Type.Array(track, { minItems: 1, maxItems: 2, description: 'Whose audio is sent: `track` of the verb.' }),
          mediaFormat: MediaFormatSchema,
          customParameters: Type.Record(Type.String(), Type.String(), { description: 'The verb’s `parameters`; {} without any.' }),
        },
        'Which call this is, and what its audio looks like.',
      ),
      streamSid: StreamSidSchema,
    },
    {
      name: 'StreamStartFrame',
      when: 'The second frame.',
      example: {
        sequenceNumber: '1',
        start: {
          ...exampleSids,
          tracks: ['inbound'],
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
          customParameters: { patient: 'A-5' },
        },
        streamSid: exampleSid,
      },
    },
  ),
  media: frame(
    'media',
    {
      sequenceNumber,
      media: inside(
        {
          track,
          chunk: counter('Counts the frames of a track from 1, those among them that were left out because the server reads too slowly.'),
          timestamp: counter('Milliseconds since the start by the clock of the audio: (chunk - 1) x 20.'),
          payload: Type.String({
            contentEncoding: 'base64',
            description: 'Base64 of 20 ms: 160 bytes of mu-law, or 640 bytes of 16-bit samples. What the network lost is filled in.',
          }),
        },
        'The audio.',
      ),
      streamSid: StreamSidSchema,
    },
    {
      name: 'StreamMediaFrame',
      when: 'Every 20 ms, of each track.',
      example: {
        sequenceNumber: '2',
        media: { track: 'inbound', chunk: '1', timestamp: '0', payload: examplePayload },
        streamSid: exampleSid,
      },
    },
  ),
  dtmf: frame(
    'dtmf',
    {
      sequenceNumber,
      dtmf: inside({ track: Type.Literal('inbound_track'), digit: Type.String({ pattern: '^[0-9*#A-D]$' }) }, 'The key.'),
      streamSid: StreamSidSchema,
    },
    {
      name: 'StreamKeyFrame',
      when: 'At the end of each key that the caller presses.',
      example: { sequenceNumber: '9', dtmf: { track: 'inbound_track', digit: '1' }, streamSid: exampleSid },
    },
  ),
  mark: frame(
    'mark',
    { sequenceNumber, mark: inside({ name: markName }, 'Which.'), streamSid: StreamSidSchema },
    {
      name: 'StreamMarkFrame',
      when: 'What the server sent before its mark has been played, or was cleared.',
      example: { sequenceNumber: '12', mark: { name: 'greeting' }, streamSid: exampleSid },
    },
  ),
  stop: frame(
    'stop',
    { sequenceNumber, stop: inside({ accountSid, callSid }, 'Of which call.'), streamSid: StreamSidSchema },
    {
      name: 'StreamStopFrame',
      when: 'The last frame: the call has ended, or continues without the stream.',
      example: {
        sequenceNumber: '90',
        stop: { accountSid: exampleSids.accountSid, callSid: exampleSids.callSid },
        streamSid: exampleSid,
      },
    },
  ),
  speech: frame(
    'speech',
    {
      speech: inside(
        {
          state: Choice(['started', 'stopped'], { description: 'Whether somebody speaks from now on.' }),
          timestamp: counter('Milliseconds since the start, as those of media.'),
        },
        'What the box hears.',
      ),
      streamSid: StreamSidSchema,
    },
    {
      name: 'StreamSpeechFrame',
      when: 'With `extensions: ["vad"]`: the caller begins to speak, or stops.',
      example: { speech: { state: 'started', timestamp: '1240' }, streamSid: exampleSid },
    },
  ),
  queue: frame(
    'queue',
    {
      queue: inside(
        {
          ms: counter('Milliseconds of audio that are still to be played.'),
          state: Choice(['xoff', 'xon', 'drained'], {
            description: 'xoff: it is filling, over 30 s. xon: it has room, under 10 s. drained: it is empty.',
          }),
        },
        'What waits to be played.',
      ),
      streamSid: StreamSidSchema,
    },
    {
      name: 'StreamQueueFrame',
      when: 'With `extensions: ["queue"]`: the server should pause, may go on, or has nothing more that is played.',
      example: { queue: { ms: '30020', state: 'xoff' }, streamSid: exampleSid },
    },
  ),
} as const

export type BoxFrameName = keyof typeof boxFrames
/** As it is sent. */
export type BoxFrame<N extends BoxFrameName = BoxFrameName> = N extends BoxFrameName ? Static<(typeof boxFrames)[N]['schema']> : never

const otherSid = Type.Optional(Type.Unknown({ description: 'Not looked at: a socket is one stream.' }))

/** From the server. What is none of these is passed over, and counted. */
export const serverFrames = {
  media: frame(
    'media',
    {
      media: Type.Object(
        {
          payload: Type.String({
            contentEncoding: 'base64',
            description: 'Base64 of audio in the format that `start` names, any length, without a file header.',
          }),
        },
        { description: 'The audio.' },
      ),
      streamSid: otherSid,
    },
    {
      name: 'StreamServerMediaFrame',
      when: 'Is played after what is queued. Send as fast as you like: the box has the clock.',
      example: { media: { payload: examplePayload }, streamSid: exampleSid },
      open: true,
    },
  ),
  mark: frame(
    'mark',
    { mark: Type.Object({ name: markName }, { description: 'Which.' }), streamSid: otherSid },
    {
      name: 'StreamServerMarkFrame',
      when: 'Is sent back when all before it has been played; at once when nothing is queued.',
      example: { mark: { name: 'greeting' }, streamSid: exampleSid },
      open: true,
    },
  ),
  clear: frame(
    'clear',
    { streamSid: otherSid },
    {
      name: 'StreamServerClearFrame',
      when: 'What is queued is dropped, all marks come back at once in their order, and new audio plays.',
      example: { streamSid: exampleSid },
      open: true,
    },
  ),
} as const

export type ServerFrame = { [N in keyof typeof serverFrames]: Static<(typeof serverFrames)[N]['schema']> }[keyof typeof serverFrames]

export const ServerFrameSchema = Type.Union(Object.values(serverFrames).map(({ schema }) => schema))
