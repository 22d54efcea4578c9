/** A change of the configuration, and its revisions, for the technician. */
import { Type } from '@sinclair/typebox'
import { Choice } from '../choice.ts'
import { named, type View } from '../named.ts'

const Effects = Choice(['live', 'restart'], {
  description: 'live: while the daemon runs, no call is touched. restart: when no call would be cut.',
})

export const ConfigChangeSchema = named(
  'ConfigChange',
  Type.Object(
    {
      path: Type.String({ description: 'The key; an item of a list by its name, such as extensions[101].name.' }),
      change: Choice(['added', 'removed', 'changed', 'moved'], { description: 'moved: the items of the list have another order.' }),
      before: Type.Optional(Type.String({ description: 'Without secrets.' })),
      after: Type.Optional(Type.String({ description: 'Without secrets.' })),
      effect: Effects,
    },
    { description: 'One key that is otherwise.' },
  ),
)
export type ConfigChange = View<typeof ConfigChangeSchema>

export const ConfigFaultSchema = named(
  'ConfigFault',
  Type.Object(
    { file: Type.String(), line: Type.Integer(), column: Type.Integer(), path: Type.String(), text: Type.String() },
    { description: 'A fault, or a warning, at its place in the file. Lines and columns count from 1.' },
  ),
)

export type ConfigFaultView = View<typeof ConfigFaultSchema>

const plan = {
  changes: Type.Array(ConfigChangeSchema),
  effect: Choice(['none', 'live', 'restart'], { description: 'Of all changes together. none: both mean the same.' }),
  confirm: Type.Boolean({ description: 'Whether it is taken back unless somebody confirms it: listeners and TLS.' }),
}

export const ConfigCheckSchema = named(
  'ConfigCheck',
  Type.Object(
    { ok: Type.Boolean(), faults: Type.Array(ConfigFaultSchema), warnings: Type.Array(ConfigFaultSchema), ...plan },
    { description: 'What the running daemon, as its own user, thinks of a configuration, and what it would change.' },
  ),
)
export type ConfigCheckView = View<typeof ConfigCheckSchema>

const Text = Type.String({
  maxLength: 1_048_576,
  description: 'The whole file, YAML. A secret may stand there as its mark, such as (kept ab12), as GET /api/config/text has it.',
})

const Base = Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d{1,10}\\.[0-9a-f]{16}$' })], {
  description:
    'What the change was made from: the revision, or the base of GET /api/config/text, which stands for the file as well. Where somebody else has changed it meanwhile: 409 revision_changed, with the changes of both.',
})

export const ConfigTextSchema = named(
  'ConfigText',
  Type.Object(
    {
      configFile: Type.String(),
      revision: Type.Union([Type.Integer(), Type.Null()], { description: 'What is in use.' }),
      base: Type.String({ description: 'For check and apply: the revision and the file as they are now.' }),
      text: Type.String({
        description:
          'What the file says now, or the revision that was asked for, with its comments. Secrets are marks such as (kept ab12).',
      }),
      ok: Type.Boolean({ description: 'Whether the text would be accepted.' }),
      faults: Type.Array(ConfigFaultSchema),
      warnings: Type.Array(ConfigFaultSchema),
      fileIsOther: Type.Boolean({ description: 'Whether the file says something else than what is in use.' }),
      ...plan,
    },
    { description: 'The text of a configuration, and what it would change.' },
  ),
)
export type ConfigTextView = View<typeof ConfigTextSchema>

export const RevisionChangedSchema = named(
  'ConfigRevisionChanged',
  Type.Object({
    error: Type.String(),
    code: Type.String(),
    requestId: Type.String(),
    revision: Type.Union([Type.Integer(), Type.Null()], { description: 'What is in use now.' }),
    base: Type.String(),
    theirs: Type.Array(ConfigChangeSchema, { description: 'What was changed meanwhile.' }),
    yours: Type.Array(ConfigChangeSchema, { description: 'What the request would change of what is in use now.' }),
  }),
)

export const ConfigCheckRequestSchema = named(
  'ConfigCheckRequest',
  Type.Object(
    { text: Type.Optional(Text), base: Type.Optional(Base) },
    { additionalProperties: false, description: 'text: by default what the file says now.', examples: [{}] },
  ),
)

const Values = Type.Record(Type.String(), Type.Unknown())

export const ConfigEditRequestSchema = named(
  'ConfigEditRequest',
  Type.Object(
    {
      text: Text,
      values: Type.Optional({ ...Values, description: 'Sections to set, such as hours; null takes one away. Without it the text stays.' }),
    },
    {
      additionalProperties: false,
      description: 'Sections of a text as values. Only what is otherwise is written: comments, order and spelling of all else stay.',
      examples: [{ text: 'site: { name: Riverside } # the clinic\n', values: { site: { name: 'Lakeside' } } }],
    },
  ),
)

export const ConfigEditedSchema = named(
  'ConfigEdited',
  Type.Object({
    text: Type.String(),
    values: Type.Union([Values, Type.Null()], { description: 'What its sections say; null where it is no valid YAML.' }),
  }),
)
export type ConfigEditedView = View<typeof ConfigEditedSchema>

const options = {
  confirmed: Type.Optional(
    Type.Boolean({ description: 'Whether it stays without a confirmation; by default what changes neither listeners nor TLS does.' }),
  ),
  waitSeconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86_400, description: 'How long a restart may wait for calls it would cut; 600 by default.' }),
  ),
  now: Type.Optional(Type.Boolean({ description: 'Whether a restart may cut calls.' })),
}

export const ConfigApplyRequestSchema = named(
  'ConfigApplyRequest',
  Type.Object(
    {
      text: Type.Optional(Text),
      base: Type.Optional(Base),
      note: Type.Optional(Type.String({ maxLength: 200, description: 'Why, for the history.' })),
      ...options,
    },
    { additionalProperties: false, description: 'text: by default what the file says now.', examples: [{}] },
  ),
)

export const ConfigRevertRequestSchema = named(
  'ConfigRevertRequest',
  Type.Object(
    { revision: Type.Optional(Type.Integer({ minimum: 1, description: 'By default the one before.' })), ...options },
    { additionalProperties: false, examples: [{}] },
  ),
)

export const configChangeStates = ['waiting', 'applying', 'checking', 'unconfirmed', 'applied', 'reverted'] as const

export const ConfigUnderWaySchema = named(
  'ConfigUnderWay',
  Type.Object(
    {
      state: Choice(configChangeStates, {
        description:
          'waiting: for calls that a restart would cut. checking: whether everything works as before. unconfirmed: in use until `until`, then rolled back unless it is confirmed. reverted: the previous configuration is in use.',
      }),
      reason: Type.String({ description: 'Why it waits, or why it was taken back.' }),
      until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
      revision: Type.Union([Type.Integer(), Type.Null()], { description: 'Its number, once it is applied.' }),
      file: Type.String({ description: 'Why the file could not be written; "" where it was, or is not yet.' }),
      ...plan,
    },
    { description: 'The latest change, as far as it is.' },
  ),
)
export type ConfigUnderWayView = View<typeof ConfigUnderWaySchema>

export const ConfigStateSchema = named(
  'ConfigState',
  Type.Object(
    {
      configFile: Type.Union([Type.String(), Type.Null()], { description: 'Null on the embedded default.' }),
      revision: Type.Union([Type.Integer(), Type.Null()], { description: 'What is in use.' }),
      change: Type.Union([ConfigUnderWaySchema, Type.Null()], { description: 'The latest since the daemon was started.' }),
      fileIsOther: Type.Boolean({ description: 'Whether the file says something else than what is in use.' }),
      fileIsBehind: Type.Boolean({
        description:
          'Whether that is because the service could not write it: the next start uses what was applied, and root writes it (pbx config write).',
      }),
    },
    { description: 'Which configuration is in use.' },
  ),
)
export type ConfigStateView = View<typeof ConfigStateSchema>

export const ConfigRevisionSchema = named(
  'ConfigRevision',
  Type.Object(
    {
      revision: Type.Integer(),
      at: Type.String({ format: 'date-time' }),
      by: Type.String({ description: 'Who applied it: uid:0; start: it was found in the file when the daemon was started.' }),
      note: Type.String(),
      outcome: Choice(['applied', 'reverted'], { description: 'reverted: it was in use and was taken back.' }),
      reason: Type.String({ description: 'Why it was taken back.' }),
      changes: Type.Integer({ description: 'How many keys it changed.' }),
      summary: Type.Array(Type.String(), { description: 'The first of them.' }),
      inUse: Type.Boolean(),
    },
    { description: 'A configuration that was in use.' },
  ),
)
export type ConfigRevisionView = View<typeof ConfigRevisionSchema>
