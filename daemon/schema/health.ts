/** How the box is, on one page. Times are ISO 8601 UTC, sizes bytes. */
import { Type } from '@sinclair/typebox'
import { BackupViewSchema } from './backup.ts'
import { BoxEventSchema } from './box-events.ts'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { CheckSchema, LineSchema, StatusSchema } from './operation.ts'
import { severities } from './states.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const diskKinds = ['store', 'recordings', 'voicemail', 'faxes', 'texts', 'mail', 'speech', 'other'] as const
export type DiskKind = (typeof diskKinds)[number]

const Bytes = (description: string) => Type.Integer({ minimum: 0, description })
const Rate = Type.Union([Type.Integer(), Type.Null()], { description: 'Of the last two weeks; null until a day has passed.' })

const OutageSchema = Type.Object({
  since: TimeSchema,
  until: { ...NullableTimeSchema, description: 'null while it lasts.' },
  severity: Choice(severities),
  text: Type.String(),
})

export const LineHistorySchema = named(
  'LineHistory',
  Type.Object({
    id: Type.String(),
    since: { ...TimeSchema, description: 'Where the history that was asked for begins.' },
    outages: Type.Array(OutageSchema, { description: 'When the line was down, oldest first.' }),
    unknown: Type.Array(OutageSchema, { description: 'When pbxd did not run, so that nobody knows.' }),
  }),
)
export type LineHistoryView = View<typeof LineHistorySchema>

export const VerdictSchema = named(
  'Verdict',
  Type.Object({
    ok: Type.Boolean(),
    severity: Choice(['ok', ...severities], { description: 'Of the worst that lasts.' }),
    faults: Type.Integer({ minimum: 0, description: 'Warnings and errors that last.' }),
    code: Type.String({ description: 'Of the worst; "" when all is well.' }),
    text: Type.String({ description: 'One sentence.' }),
  }),
)
export type VerdictView = View<typeof VerdictSchema>

const DiskSchema = Type.Object({
  dir: Type.String(),
  freeBytes: Bytes('Of its file system.'),
  totalBytes: Bytes('Of its file system.'),
  measuredAt: TimeSchema,
  kinds: Type.Array(Type.Object({ kind: Choice(diskKinds), bytes: Bytes('On the disk.'), bytesPerDay: Rate })),
  bytesPerDay: Rate,
  fullAt: { ...NullableTimeSchema, description: 'When nothing is free any more at this rate; null: not in ten years.' },
})

export const CertificateSchema = named(
  'Certificate',
  Type.Object({
    subject: Type.String(),
    issuer: Type.String(),
    names: Type.Array(Type.String(), { description: 'Host names and addresses that it is good for.' }),
    validFrom: TimeSchema,
    validTo: TimeSchema,
    daysLeft: Type.Integer({ description: 'Negative once it has expired.' }),
    fingerprint: Type.String({ description: 'SHA-256.' }),
    selfSigned: Type.Boolean(),
  }),
)
export type CertificateView = View<typeof CertificateSchema>

export const UpgradeSchema = named(
  'Upgrade',
  Type.Object({
    version: Type.String({ description: 'That runs.' }),
    last: Type.Union([
      Type.Object({
        phase: Choice(['laying', 'checking', 'starting', 'watching', 'returning', 'done', 'refused', 'returned'], {
          description: 'In this order; done, refused and returned are ends. returned: the former version is back.',
        }),
        from: Type.String(),
        to: Type.String(),
        began: Type.String(),
        ended: Type.String({ description: '"" while it has not ended.' }),
        reason: Type.String({ description: 'Why it did not come to what was wanted.' }),
      }),
      Type.Null(),
    ]),
    failed: Type.Array(Type.Object({ version: Type.String(), at: Type.String(), reason: Type.String() }), {
      description: 'Versions that did not come up.',
    }),
  }),
)
export type UpgradeView = View<typeof UpgradeSchema>

const { calls, clock, memory, queues, parts, pair } = StatusSchema.properties

const details = {
  events: Type.Array(BoxEventSchema, { description: 'What lasts, with since when, why, the remedy and who was notified.' }),
  lines: Type.Array(
    Type.Composite([
      LineSchema,
      Type.Object({ outages: LineHistorySchema.properties.outages, unknown: LineHistorySchema.properties.unknown }),
    ]),
    { description: 'Trunks and modem lines, with the last 7 days.' },
  ),
  phones: Type.Object({
    registered: Type.Integer({ minimum: 0 }),
    away: Type.Array(Type.Object({ id: Type.String(), state: Type.String(), since: TimeSchema })),
  }),
  calls: Type.Object({
    ...calls.properties,
    today: Type.Object({
      inbound: Type.Integer(),
      answered: Type.Integer(),
      missed: Type.Integer(),
      abandoned: Type.Integer(),
      voicemail: Type.Integer(),
      outgoing: Type.Integer(),
    }),
  }),
  parts,
  queues,
  pair,
  disk: DiskSchema,
  backup: Type.Composite([
    BackupViewSchema,
    Type.Object({ configured: Type.Boolean({ description: 'Whether there is a recovery key, without which there are no backups.' }) }),
  ]),
  clock: Type.Composite([clock, Type.Object({ trusted: Type.Boolean({ description: 'Whether reminders go by it.' }) })]),
  certificate: Type.Union([CertificateSchema, Type.Null()], { description: 'Of the web port; null without TLS.' }),
  upgrade: UpgradeSchema,
  startedAt: TimeSchema,
  memory: Type.Composite([memory, Type.Object({ totalBytes: Bytes('Of the machine.'), freeBytes: Bytes('Of the machine.') })]),
  load: Type.Object({
    one: Type.Number(),
    five: Type.Number(),
    fifteen: Type.Number(),
    processors: Type.Integer({ minimum: 1, description: 'A load of as many is all that they do.' }),
  }),
  engine: Type.Object({
    ok: Type.Boolean(),
    reason: Type.String(),
    facts: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  }),
  speech: Type.Object({ ok: Type.Boolean(), text: Type.String() }),
}

const HealthDetailsSchema = Type.Object(details)
export type HealthDetails = View<typeof HealthDetailsSchema>

export const HealthSchema = named(
  'Health',
  Type.Composite([
    Type.Object({
      asOf: { ...TimeSchema, description: 'One reading serves all who ask within five seconds.' },
      verdict: VerdictSchema,
    }),
    Type.Partial(HealthDetailsSchema),
  ]),
)
export type HealthView = { readonly asOf: string; readonly verdict: VerdictView } & Partial<HealthDetails>

export const TestStepSchema = named(
  'TestStep',
  Type.Composite(
    [
      CheckSchema,
      Type.Object({
        byHand: Type.Optional(
          Type.String({ description: 'What a person has to do, where the box cannot try it alone: the route, or a sentence.' }),
        ),
      }),
    ],
    { description: 'One thing that was tried. A test ends with {"done":true}.' },
  ),
)
export type TestStep = View<typeof TestStepSchema>
