/**
 * How the box is, for a technician in front of it. Times are ISO 8601 UTC, durations whole seconds unless a name ends in `Ms`, sizes bytes.
 */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { severities } from './states.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

const bytes = (description: string) => Type.Integer({ minimum: 0, description })

export const LineSchema = named(
  'Line',
  Type.Object({
    id: Type.String(),
    kind: Choice(['trunk', 'extension', 'line'], { description: 'line: an analog line on a modem.' }),
    ok: Type.Boolean(),
    state: Type.String({ description: 'registered, reachable, unreachable, refused, not registered, ...' }),
    reason: Type.String({ description: '"" when all is well.' }),
    since: TimeSchema,
    activeCalls: Type.Integer({ minimum: 0 }),
    channels: Type.Integer({ minimum: 0, description: 'Calls at once; 0 where there is no limit.' }),
    duplex: Type.Optional(
      Choice(['full', 'half'], {
        description: 'Of a modem with voice; half: callers are not heard while it speaks, so that keys interrupt it and words do not.',
      }),
    ),
    underruns: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Of a modem with voice: gaps in what was said to callers since the start, because the box came too late with the next sound.',
      }),
    ),
  }),
)
export type LineView = View<typeof LineSchema>

const mend = { text: Type.String(), fix: Type.String({ description: 'The remedy: a command or a line of the configuration.' }) }

export const WarningSchema = named('Warning', Type.Object(mend, { description: 'Something that a person should look at.' }))

const StatusWarningSchema = named(
  'StatusWarning',
  Type.Object(
    {
      kind: Choice(['line', 'disk', 'clock', 'login', 'warning'], { description: 'As of the events of the box.' }),
      code: Type.String({ description: 'Which warning it is, for programs; the text may change.' }),
      severity: Choice(severities, {
        description: 'notice: worth knowing; warning: to be repaired; error: people are not served.',
      }),
      since: TimeSchema,
      ...mend,
    },
    { description: 'Something about the box that a person should look at.' },
  ),
)
export type WarningView = View<typeof WarningSchema>

const PartSchema = Type.Object({
  name: Type.String(),
  ok: Type.Boolean(),
  reason: Type.String({ description: 'Why it is not well; when it is, a fact worth knowing or "".' }),
})
export type PartView = View<typeof PartSchema>

const QueueSchema = Type.Object({
  name: Type.String(),
  waiting: Type.Integer({ minimum: 0 }),
  oldestAt: NullableTimeSchema,
  dead: Type.Integer({ minimum: 0, description: 'Given up; only a person can send them again.' }),
})
export type QueueView = View<typeof QueueSchema>

export const PairSchema = named(
  'Pair',
  Type.Object(
    {
      here: Type.String({ description: 'The machine that answers: it serves.' }),
      since: { ...NullableTimeSchema, description: 'Since when it serves.' },
      known: Type.Boolean({ description: 'Whether Pacemaker has said how the pair stands within the last 45 s.' }),
      witness: Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether the witness is there; null where that is not known.' }),
      machines: Type.Array(
        Type.Object({
          name: Type.String(),
          role: Choice(['active', 'standby', 'starting', 'away', 'unknown']),
          version: Type.String({ description: '"" where it has not said.' }),
          fit: Type.Boolean({ description: 'Its version reads the store, so that it may take over.' }),
        }),
      ),
    },
    { description: 'Two machines that are one box.' },
  ),
)
export type PairView = View<typeof PairSchema>

export const StatusSchema = named(
  'Status',
  Type.Object({
    version: Type.String(),
    pid: Type.Integer(),
    startedAt: TimeSchema,
    uptimeSeconds: Type.Integer(),
    ready: Type.Boolean(),
    draining: Type.Boolean({ description: 'Stopping: calls in progress go on, new ones are refused.' }),
    configFile: Type.Union([Type.String(), Type.Null()]),
    addresses: Type.Object({ http: Type.Union([Type.String(), Type.Null()]), sip: Type.Array(Type.String()) }),
    parts: Type.Array(PartSchema, { description: 'As in /readyz.' }),
    lines: Type.Array(LineSchema),
    calls: Type.Object({ active: Type.Integer(), queued: Type.Integer(), sinceStart: Type.Integer() }),
    queues: Type.Array(QueueSchema, { description: 'Work that waits to go out.' }),
    disk: Type.Object({ dir: Type.String(), usedBytes: bytes('Of the store.'), freeBytes: bytes('Of its file system.') }),
    clock: Type.Object({
      now: TimeSchema,
      timeZone: Type.String(),
      synchronised: Type.Union([Type.Boolean(), Type.Null()], { description: 'null where the system does not say.' }),
    }),
    memory: Type.Object({ daemonBytes: bytes('Resident.'), engineBytes: Type.Union([bytes('Resident.'), Type.Null()]) }),
    warnings: Type.Array(StatusWarningSchema, { description: 'The most severe first.' }),
    pair: Type.Optional(PairSchema),
  }),
)
export type StatusView = View<typeof StatusSchema>

export const CheckSchema = named(
  'Check',
  Type.Object({
    name: Type.String(),
    level: Choice(['ok', 'warning', 'failure']),
    text: Type.String(),
    fix: Type.String({ description: 'What to do; "" when all is well.' }),
  }),
)
export type CheckView = View<typeof CheckSchema>

export const BanSchema = named(
  'Ban',
  Type.Object(
    {
      address: Type.String({ description: 'An IPv4 address, or an IPv6 network of 64 bits.' }),
      seconds: Type.Integer({ description: 'Left.' }),
      failures: Type.Integer(),
    },
    { description: 'A source of wrong passwords that is ignored.' },
  ),
)
export type BanView = View<typeof BanSchema>
