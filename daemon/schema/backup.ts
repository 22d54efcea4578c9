/** Backups as they are made and shown. */
import { Type } from '@sinclair/typebox'
import { named, type View } from './named.ts'

export const BackupBeginSchema = named(
  'BackupBegin',
  Type.Object(
    { pid: Type.Integer({ minimum: 1, description: 'Process that makes the backup: once it is gone another may.' }) },
    { examples: [{ pid: 4711 }] },
  ),
)

export const BackupBegunSchema = named(
  'BackupBegun',
  Type.Object({ folder: Type.String({ description: 'Where the copy of the store lies.' }) }),
)
export type BackupBegunView = View<typeof BackupBegunSchema>

const outcome = {
  ok: Type.Boolean(),
  error: Type.String({ maxLength: 1000, description: 'Why it failed; empty where it did not.' }),
  file: Type.String({ maxLength: 4096 }),
  bytes: Type.Integer({ minimum: 0 }),
  files: Type.Integer({ minimum: 0 }),
  nightly: Type.Boolean({ description: 'Whether the timer asked for it.' }),
}

export const BackupOutcomeSchema = named(
  'BackupOutcome',
  Type.Object(outcome, {
    examples: [
      { ok: true, error: '', file: '/var/backups/pbxd/pbxd-clinic-20260304T021500Z.tar.age', bytes: 73_400_320, files: 412, nightly: true },
    ],
  }),
)
export type BackupOutcome = View<typeof BackupOutcomeSchema>

const Shown = Type.Union([Type.Object({ at: Type.String({ format: 'date-time' }), ...outcome }), Type.Null()])

export const BackupViewSchema = named(
  'Backups',
  Type.Object({
    last: { ...Shown, description: 'How the last one ended.' },
    good: { ...Shown, description: 'The last one that was made and opened again.' },
    running: Type.Boolean(),
  }),
)
export type BackupView = View<typeof BackupViewSchema>

export const BackupStepSchema = named(
  'BackupStep',
  Type.Object({
    state: Type.Unsafe<'asked' | 'running' | 'made'>({ type: 'string', enum: ['asked', 'running', 'made'] }),
    backup: Type.Union([BackupViewSchema.properties.last, Type.Null()], { description: 'The one that was made.' }),
  }),
)
export type BackupStep = View<typeof BackupStepSchema>
