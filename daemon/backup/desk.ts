/** What the running daemon does for backups: a copy of its store while everything goes on, and the memory of how the last ones ended. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isoTime, type Clock } from '../base/clock.ts'
import { wallTime } from '../base/day.ts'
import { ours, said, type Ours } from '../base/for-log.ts'
import { ApiError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import type { BackupBegunView, BackupOutcome, BackupView } from '../schema/backup.ts'
import { freeBytes } from '../store/disk.ts'
import type { Store } from '../store/store.ts'
import { placesOf, restoredNote, restoreFolder, workFolder } from './places.ts'

export interface BackupDeskOptions {
  readonly config: Config
  readonly configFile: string | null
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly startedAt: number
}

const lastKey = 'backupLast'
const goodKey = 'backupGood'
/** A night's backup that is so late did not happen. */
const lateMs = 36 * 3_600_000
/** Free disk space to leave, in addition to the copy of the store. */
const spareBytes = 64 * 1024 * 1024

interface Outcome extends BackupOutcome {
  /** Milliseconds since the epoch. */
  readonly at: number
}

export class BackupDesk {
  readonly #options: BackupDeskOptions
  readonly #folder: string
  /** Process id of the program that makes a backup. */
  #pid: number | null = null

  constructor(options: BackupDeskOptions) {
    this.#options = options
    this.#folder = join(options.config.storage.dir, workFolder)
  }

  /** What a run before left, and of a restore that was never decided. */
  clear(): void {
    for (const name of [workFolder, restoreFolder]) rmSync(join(this.#options.config.storage.dir, name), { recursive: true, force: true })
  }

  /** When the backup was made that this box was restored from, reported once; null where it was not. */
  restored(): { readonly madeAt: string; readonly host: string } | null {
    const file = join(this.#options.config.storage.dir, restoredNote)
    if (!existsSync(file)) return null
    const note = JSON.parse(readFileSync(file, 'utf8')) as { madeAt: string; host: string }
    rmSync(file)
    return note
  }

  /** Throws ApiError: `backup_running`, `storage_full`. */
  async begin(pid: number): Promise<BackupBegunView> {
    const { store, config } = this.#options
    if (this.#pid !== null && lives(this.#pid)) throw new ApiError('backup_running', `A backup is already running (process ${this.#pid}).`)
    const { bytes } = store.health()
    if (freeBytes(config.storage.dir) < bytes + spareBytes)
      throw new ApiError('storage_full', `There is no room for a copy of the store: free some space on the disk of ${config.storage.dir}.`)
    this.#pid = pid
    try {
      rmSync(this.#folder, { recursive: true, force: true })
      mkdirSync(join(this.#folder, 'credentials'), { recursive: true, mode: 0o700 })
      await store.backup(join(this.#folder, 'store'))
      this.#copyCredentials()
    } catch (error) {
      this.#over()
      throw error
    }
    return { folder: this.#folder }
  }

  /** The service alone can read them. */
  #copyCredentials(): void {
    const { configFile, log } = this.#options
    const from = process.env['CREDENTIALS_DIRECTORY']
    if (from === undefined || configFile === null) return
    for (const name of placesOf(readFileSync(configFile, 'utf8'), configFile).credentials) {
      try {
        writeFileSync(join(this.#folder, 'credentials', name), readFileSync(join(from, name)), { mode: 0o600 })
      } catch (error) {
        log.warn({ credential: name, reason: (error as NodeJS.ErrnoException).code }, 'a credential could not be read for the backup')
      }
    }
  }

  /** How it ended, which is remembered; `record` runs in the same transaction. */
  async end(outcome: BackupOutcome, record: () => void): Promise<void> {
    const { store, clock } = this.#options
    this.#over()
    const text = JSON.stringify({ ...outcome, at: clock.now() } satisfies Outcome)
    await store.transaction(() => {
      store.tables.meta.put(lastKey, text)
      if (outcome.ok) store.tables.meta.put(goodKey, text)
      record()
    })
  }

  /** Throws ApiError: not_supported, backup_running. */
  mustBeStartable(): void {
    if (this.#options.config.backup.recoveryKey === undefined)
      throw new ApiError('not_supported', 'There are no backups without a recovery key: run pbx backup key, and set backup.recoveryKey.')
    if (this.state().running) throw new ApiError('backup_running', 'A backup is already running.')
  }

  #over(): void {
    this.#pid = null
    rmSync(this.#folder, { recursive: true, force: true })
  }

  state(): BackupView {
    const shown = (outcome: Outcome | null): BackupView['last'] => {
      if (outcome === null) return null
      const { at, ...rest } = outcome
      return { at: isoTime(at), ...rest }
    }
    return { last: shown(this.#read(lastKey)), good: shown(this.#read(goodKey)), running: this.#pid !== null && lives(this.#pid) }
  }

  #read(key: string): Outcome | null {
    const text = this.#options.store.tables.meta.get(key)
    return typeof text === 'string' ? (JSON.parse(text) as Outcome) : null
  }

  /** What a person should know; nothing where no backups are asked for. */
  fault(): { readonly code: string; readonly text: Ours } | null {
    const { config, clock, startedAt } = this.#options
    if (config.backup.recoveryKey === undefined) return null
    const last = this.#read(lastKey)
    const since = this.#read(goodKey)?.at ?? null
    const good = ours(since === null ? 'there is no backup yet' : `the last good backup is from ${wallTime(since, config.site.timeZone)}`)
    if (last !== null && !last.ok) return { code: 'backup-failed', text: said`The last backup failed; ${good}: ${last.error}` }
    if (clock.now() - (since ?? startedAt) > lateMs)
      return { code: 'backup-late', text: said`There was no backup for more than a day; ${good}` }
    return null
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
