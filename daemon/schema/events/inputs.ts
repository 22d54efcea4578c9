/** Events that say what a caller has entered or said. */
import { Type } from '@sinclair/typebox'
import { Choice } from '../choice.ts'
import { named, Count } from '../named.ts'
import { gatherReasons, recordReasons } from '../states.ts'
import { IdSchema, TranscriptStatusSchema } from '../voice-call.ts'
import { callEvent } from './form.ts'

const finishKey = Type.Optional(
  Type.String({
    pattern: '^[0-9*#A-D]$',
    description: 'Present when a key of finishOnKey ended the input: that key. It is no part of it.',
  }),
)

const transcript = {
  transcript: Type.String({ description: 'Words of the caller; empty without a transcript.' }),
  transcriptStatus: TranscriptStatusSchema,
  transcriptReason: Type.Optional(
    Type.String({
      description:
        'Present when a transcript was asked for and could not be made: `model-missing`, `model-unusable`, `switched-off`, ' +
        '`language-unsupported`, `no-recording` and others.',
    }),
  ),
}

const recording = '019a5b3c-6a20-7c11-8f3d-5e9d7a1b2c48'

export const inputEvents = {
  'gather.completed': callEvent(
    'gather.completed',
    {
      reason: named(
        'GatherReason',
        Choice(gatherReasons, {
          description:
            'Why the input ended. digits: keys were pressed. speech: words were understood. timeout: nothing came in time, or fewer keys than ' +
            'numDigits. no-match: somebody spoke and nothing was understood. hangup: the caller has left; answer []. error: no recogniser works.',
        }),
      ),
      digits: Type.String({ description: 'Pressed keys; empty for none. On timeout and hangup, the keys pressed so far.' }),
      speech: Type.String({ description: 'Understood speech; empty for none.' }),
      bargeIn: Type.Boolean({ description: 'Whether the caller interrupted the prompts.' }),
      durationMs: Count('ms', 'From the beginning of the gather, prompts included, to its end.'),
      engine: Type.Optional(
        Type.String({ description: 'Present with input speech: the recogniser, such as embedded-grammar; empty without one.' }),
      ),
      finishKey,
      confidence: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description:
            'Present with speech if the recogniser reports it: confidence, 0 to 1. A model that was asked for more than four digits hears them again: 0.95 when twice the same, else 0.4.',
        }),
      ),
      language: Type.Optional(Type.String({ description: 'Present with speech if the recogniser reports it: BCP 47.' })),
    },
    {
      name: 'GatherCompletedEvent',
      route: 'control',
      verb: 'gather',
      description:
        'A gather has ended. The event is delivered whatever happens to the call meanwhile; answer it with the next document. After reason ' +
        '`hangup` the answer is ignored; answer [].',
      example: { reason: 'digits', digits: '2', speech: '', bargeIn: true, durationMs: 3120 },
    },
  ),
  'gather.partial': callEvent(
    'gather.partial',
    {
      speech: Type.String({ description: 'What was understood so far.' }),
      stable: Type.Boolean({ description: 'The caller has paused: these are the words unless more follow.' }),
    },
    {
      name: 'GatherPartialEvent',
      route: 'partial',
      verb: 'gather',
      description:
        'A gather with `partialUrl` sends what the caller has said so far, one event at a time and only the newest. The answer is ignored; ' +
        'after one that is not 2xx within 5 s no more of them are sent in this gather.',
      example: { speech: 'I would like to', stable: false },
    },
  ),
  'record.completed': callEvent(
    'record.completed',
    {
      reason: named(
        'RecordReason',
        Choice(recordReasons, {
          description:
            'Why the recording ended. finish-key: the key of finishOnKey. silence: silenceTimeout of it. max-length: maxSeconds. timeout: nobody ' +
            'said anything. hangup: the caller has left. error: it could not be stored.',
        }),
      ),
      ...transcript,
      recordingId: Type.Union([IdSchema, Type.Literal('')], { description: 'Id of the recording; empty without one.' }),
      mediaUrl: Type.String({
        pattern: '^(/api/voice/recordings/[^/]+\\.wav)?$',
        description: 'Path of the WAV file, for requests with an access token; empty without a recording.',
      }),
      durationMs: Count('ms', 'Length of the recording.'),
      finishKey,
    },
    {
      name: 'RecordCompletedEvent',
      route: 'control',
      verb: 'record',
      description:
        'A recording has ended. The event is delivered whatever happens to the call meanwhile; answer it with the next document. After reason ' +
        '`hangup` the answer is ignored; answer []. A transcript that is not ready within 10 s follows as record.transcribed.',
      example: {
        reason: 'finish-key',
        transcript: 'please call me back about my appointment',
        transcriptStatus: 'done',
        recordingId: recording,
        mediaUrl: `/api/voice/recordings/${recording}.wav`,
        durationMs: 6480,
        finishKey: '#',
      },
    },
  ),
  'record.transcribed': callEvent(
    'record.transcribed',
    { recordingId: { ...IdSchema, description: 'As in record.completed.' }, ...transcript },
    {
      name: 'RecordTranscribedEvent',
      route: 'later',
      verb: 'record',
      description:
        'The transcript of a recording whose record.completed said `pending`; it goes to the same address as that, also after call.ended. ' +
        'The answer is not read.',
      example: {
        sequence: 7,
        state: 'completed',
        recordingId: recording,
        transcript: 'please call me back about my appointment',
        transcriptStatus: 'done',
      },
    },
  ),
}
