/** Speech on the box as a technician sees it and tries it. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { WarningSchema } from './operation.ts'

const SpeechRoleSchema = Type.Object({
  role: Type.String({ description: 'call, recording, voice or detector.' }),
  engine: Type.String({ description: 'Id of the model or engine that serves; "" for none.' }),
  vocabulary: Type.Optional(
    Choice(['open', 'closed', 'none'], { description: 'Of recognisers. closed understands only what a gather expects.' }),
  ),
  why: Type.String({ description: 'Why this one, or why none.' }),
  fix: Type.String({ description: 'What would make it better, such as a model to install; "" when nothing.' }),
})
export type SpeechRoleView = View<typeof SpeechRoleSchema>

const SpeechProcessSchema = Type.Object({
  name: Type.String(),
  state: Type.String({ description: 'running, starting, idle (started when it is needed), waiting (before a restart) or off.' }),
  pid: Type.Union([Type.Integer(), Type.Null()]),
  memoryBytes: Type.Union([Type.Integer(), Type.Null()]),
  limitBytes: Type.Integer(),
  restarts: Type.Integer(),
  reason: Type.String({ description: 'Of the last end; "" when it has not ended.' }),
})
export type SpeechProcessView = View<typeof SpeechProcessSchema>

export const SpeechSchema = named(
  'Speech',
  Type.Object({
    roles: Type.Array(SpeechRoleSchema),
    processes: Type.Array(SpeechProcessSchema),
    voices: Type.Array(Type.Object({ language: Type.String(), engines: Type.Array(Type.String()) }), {
      description: 'Engines that speak a language, the preferred one first.',
    }),
    leftOut: Type.Array(Type.Object({ id: Type.String(), reason: Type.String(), fix: Type.String() }), {
      description: 'Installed, but not used.',
    }),
    problems: Type.Array(WarningSchema),
    recommended: Type.Array(
      Type.Object({
        id: Type.String(),
        title: Type.String(),
        roles: Type.Array(Type.String(), { description: 'What it serves as: call, recording, voice, detector.' }),
        downloadBytes: Type.Integer(),
        memoryBytes: Type.Integer({ description: 'At most while it works.' }),
        installed: Type.Boolean(),
      }),
      { description: 'The models that suit this machine and the language of the site: `pbx models install recommended`.' },
    ),
  }),
)
export type SpeechView = View<typeof SpeechSchema>

export const LanguageSchema = Type.String({ pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$', description: 'BCP 47, such as en-US.' })

export const SayRequestSchema = named(
  'SayRequest',
  Type.Object(
    {
      text: Type.String({ minLength: 1, maxLength: 4096 }),
      voice: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      language: Type.Optional(LanguageSchema),
      rate: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2 })),
    },
    { additionalProperties: false, examples: [{ text: 'Good morning.' }] },
  ),
)
export type SayRequest = View<typeof SayRequestSchema>

export const SaidSchema = named(
  'Said',
  Type.Object({
    engine: Type.String({ description: 'Who spoke; several when one could not say everything.' }),
    firstMs: Type.Integer({ description: 'Until the first sound was there.' }),
    ms: Type.Integer({ description: 'Until all was.' }),
    seconds: Type.Number(),
    warnings: Type.Array(Type.String()),
    wav: Type.String({ description: 'Base64 of RIFF/WAVE: 8 kHz, mono, signed 16 bit.' }),
  }),
)
export type SaidView = View<typeof SaidSchema>

export const TranscribesSchema = Type.Object({ ok: Type.Boolean(), reason: Type.String() })

const transcript = {
  status: Choice(['done', 'empty', 'off', 'failed']),
  text: Type.String(),
  reason: Type.String({ description: '"" when done; model-missing, switched-off, ...' }),
  engine: Type.String({ description: 'Id of the recogniser; "" when none worked.' }),
  ms: Type.Integer(),
}
const TranscriptSchema = Type.Object(transcript)
export type TranscriptView = View<typeof TranscriptSchema>

export const TranscribingSchema = named(
  'Transcribing',
  Type.Union([
    Type.Object({ type: Type.Literal('progress'), doneMs: Type.Number(), totalMs: Type.Number() }),
    Type.Object({ type: Type.Literal('transcript'), ...transcript }),
  ]),
)
export type Transcribing = View<typeof TranscribingSchema>
