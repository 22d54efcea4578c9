/** Events of media streams. */
import { Type } from '@sinclair/typebox'
import { Choice } from '../choice.ts'
import { named, Count } from '../named.ts'
import { StreamSidSchema } from '../stream-frames.ts'
import { streamReasons } from '../states.ts'
import { callEvent } from './form.ts'
import { TranscriptStatusSchema } from '../voice-call.ts'

const streamSid = { ...StreamSidSchema, description: 'Id of the stream, as in its frames.' }
const name = Type.String({ description: 'Name from the verb; empty without one.' })
const exampleSid = 'MZ019a5b3c6a117c22b03d4e5f60718293'

export const streamEvents = {
  'stream.completed': callEvent(
    'stream.completed',
    {
      streamSid,
      reason: named(
        'StreamReason',
        Choice(streamReasons, {
          description:
            'Why the stream ended. client-closed: the server closed it. hangup: the caller has left. max-length: maxSeconds. replaced: another ' +
            'document took its place. connect-failed: the server could not be reached. error: it was lost, or accepted nothing for 10 s.',
        }),
      ),
      durationMs: Count('ms', 'From the connection to the end of playback.'),
      framesIn: Count('frames', 'Frames of audio from the server.'),
      framesOut: Count('frames', 'Frames of audio to the server.'),
      closeCode: Type.Optional(
        Type.Integer({ minimum: 1000, maximum: 4999, description: 'Present when the connection was closed with a code (RFC 6455, 7.4).' }),
      ),
      recordingId: Type.Optional(Type.String({ description: 'With `record`; empty where the disk took nothing.' })),
      mediaUrl: Type.Optional(Type.String({ description: 'With `record`: the WAV file of two channels, for an access token.' })),
      transcript: Type.Optional(Type.String({ description: 'With `transcribe`: the words of the caller.' })),
      transcriptStatus: Type.Optional(TranscriptStatusSchema),
      transcriptReason: Type.Optional(Type.String({ description: 'Why there is no transcript, where there could have been one.' })),
    },
    {
      name: 'StreamCompletedEvent',
      route: 'control',
      verb: 'stream',
      description:
        'A stream with `actionUrl` has ended. The event is delivered whatever happens to the call meanwhile; answer it with the next document. ' +
        'After reason `hangup` the answer is ignored; answer [].',
      example: { streamSid: exampleSid, reason: 'client-closed', durationMs: 42_180, framesIn: 310, framesOut: 2109, closeCode: 1000 },
    },
  ),
  'stream.started': callEvent(
    'stream.started',
    { streamSid, name },
    {
      name: 'StreamStartedEvent',
      route: 'stream',
      verb: 'stream',
      description: 'A stream with `statusCallbackUrl` is connected. The answer is not read.',
      example: { streamSid: exampleSid, name: 'agent' },
    },
  ),
  'stream.stopped': callEvent(
    'stream.stopped',
    { streamSid, name },
    {
      name: 'StreamStoppedEvent',
      route: 'stream',
      verb: 'stream',
      description: 'A stream with `statusCallbackUrl` that was connected has ended. The answer is not read.',
      example: { streamSid: exampleSid, name: 'agent' },
    },
  ),
  'stream.error': callEvent(
    'stream.error',
    { streamSid, name, error: Type.String({ description: 'What went wrong, for a person.' }) },
    {
      name: 'StreamErrorEvent',
      route: 'stream',
      verb: 'stream',
      description: 'A stream with `statusCallbackUrl` could not be connected, or was lost. The answer is not read.',
      example: { streamSid: exampleSid, name: 'agent', error: 'the server closed with 1011' },
    },
  ),
}
