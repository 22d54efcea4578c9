/** A backup that somebody asks for on a page: root makes it, and the daemon follows how it goes. */
import { writeFileSync } from 'node:fs'
import { isoTime, pause, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Emit } from '../http/route.ts'
import type { BackupStep, BackupView } from '../schema/backup.ts'
import type { BackupDesk } from './desk.ts'

export interface BackupRunOptions {
  readonly clock: Clock
  readonly desk: Pick<BackupDesk, 'state' | 'mustBeStartable'>
  /** Whose change starts the unit that makes backups. */
  readonly file: string
}

const lookMs = 500
/** A unit that is there starts at once. */
const startMs = 20_000
const mostMs = 4 * 3_600_000

export class BackupRun {
  readonly #options: BackupRunOptions

  constructor(options: BackupRunOptions) {
    this.#options = options
  }

  /** Asks for one; the returned function says how it goes. Throws ApiError: not_supported, backup_running. */
  begin(signal: AbortSignal): (emit: Emit) => Promise<void> {
    const { clock, desk, file } = this.#options
    desk.mustBeStartable()
    const before = desk.state().last?.at
    writeFileSync(file, `${isoTime(clock.now())}\n`, { mode: 0o600 })
    return (emit) => this.#follow(before, emit, signal)
  }

  async #follow(before: string | undefined, emit: Emit, signal: AbortSignal): Promise<void> {
    const { clock, desk } = this.#options
    const begun = clock.elapsed()
    await emit({ state: 'asked', backup: null } satisfies BackupStep)
    let seen = false
    while (!signal.aborted) {
      const { running, last } = desk.state()
      if (last !== null && last.at !== before) return ended(last, emit)
      if (running && !seen) await emit({ state: 'running', backup: null } satisfies BackupStep)
      seen ||= running
      if (!seen && clock.elapsed() - begun > startMs)
        throw new ApiError('not_supported', 'Nobody makes backups here: on an installed box pbxd-backup.path does; run pbx backup as root.')
      if (clock.elapsed() - begun > mostMs) throw new ApiError('overloaded', 'The backup takes more than four hours.')
      await pause(clock, lookMs, signal)
    }
  }
}

async function ended(last: NonNullable<BackupView['last']>, emit: Emit): Promise<void> {
  if (!last.ok) throw new ApiError('backup_failed', `The backup failed: ${last.error}`)
  await emit({ state: 'made', backup: last } satisfies BackupStep)
}
