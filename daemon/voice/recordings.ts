/** The recordings of calls: files below the storage directory, a row each, kept for some days or until they are deleted. */
import { mkdirSync, openSync, readSync, closeSync, statSync, truncateSync, writeSync, fsyncSync, renameSync, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { idPattern, newId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import type { RecordingRow } from '../store/tables.ts'
import type { RecordingStore } from './session-types.ts'
import type { TranscriptState } from './transcripts.ts'

const headerBytes = 44
const bytesPerMs = 16

export class Recordings implements RecordingStore {
  readonly #dir: string
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #keepMs: number
  readonly #open = new Map<string, string>()
  readonly #removed: ((id: string) => void)[] = []

  constructor(options: { dir: string; store: Store; clock: Clock; log: Log; keepDays: number }) {
    this.#dir = options.dir
    this.#store = options.store
    this.#clock = options.clock
    this.#log = options.log
    this.#keepMs = options.keepDays * 86_400_000
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
  }

  create(callId: string): { id: string; file: string } {
    const id = newId()
    this.#open.set(id, callId)
    return { id, file: this.#path(id) }
  }

  async publish(id: string, durationMs: number, transcript: TranscriptState): Promise<boolean> {
    const callId = this.#open.get(id) ?? ''
    this.#open.delete(id)
    const file = this.#path(id)
    let bytes: number
    try {
      if (!existsSync(file)) repairPartial(file)
      bytes = statSync(file).size
    } catch (error) {
      this.#log.warn({ callId, recordingId: id, err: error }, 'a recording left no usable file')
      return false
    }
    const now = this.#clock.now()
    const row: RecordingRow = {
      recordingId: id,
      callId,
      file: `recordings/${id}.wav`,
      bytes,
      durationMs: durationMs > 0 ? durationMs : Math.round((bytes - headerBytes) / bytesPerMs),
      createdAt: now,
      expiresAt: now + this.#keepMs,
      transcript: '',
      transcriptStatus: transcript.status,
      ...(transcript.reason === '' ? {} : { transcriptReason: transcript.reason }),
    }
    const { tables } = this.#store
    await this.#store.transaction(() => {
      tables.recordings.put(id, row)
      if (transcript.job !== null) tables.transcriptJobs.put(id, transcript.job)
    })
    return true
  }

  discard(id: string): void {
    this.#open.delete(id)
    void this.#removeFiles(id)
  }

  /** The file of a recording, or undefined when there is none of that id. */
  find(id: string): { row: RecordingRow; file: string } | undefined {
    if (!idPattern.test(id)) return undefined
    const row = this.#store.tables.recordings.get(id)
    return row && { row, file: this.#path(id) }
  }

  /** Tells of every recording that was removed. */
  onRemoved(observer: (id: string) => void): void {
    this.#removed.push(observer)
  }

  /** Removes the row with its transcript, durably, and then the file. False when there was none. */
  async remove(id: string): Promise<boolean> {
    if (!idPattern.test(id) || this.#store.tables.recordings.get(id) === undefined) return false
    const { tables } = this.#store
    await this.#store.transaction(() => {
      tables.recordings.remove(id)
      tables.transcriptJobs.remove(id)
    })
    for (const observer of this.#removed) observer(id)
    await this.#removeFiles(id)
    return true
  }

  /** Removes what is past its time. */
  async purge(): Promise<number> {
    const now = this.#clock.now()
    const expired = [...this.#store.tables.recordings.range()].filter(({ value }) => value.expiresAt <= now)
    for (const { key } of expired) await this.remove(key)
    return expired.length
  }

  #path(id: string): string {
    return join(this.#dir, `${id}.wav`)
  }

  async #removeFiles(id: string): Promise<void> {
    for (const file of [this.#path(id), `${this.#path(id)}.part`]) {
      await rm(file, { force: true }).catch((error: unknown) =>
        this.#log.warn({ err: error, recordingId: id }, 'a recording could not be removed'),
      )
    }
  }
}

/** Finishes a WAV whose writer died: the sizes in its header are set from the file's own length. Throws when there is none. */
function repairPartial(file: string): void {
  const part = `${file}.part`
  const fd = openSync(part, 'r+')
  try {
    const bytes = statSync(part).size
    const magic = Buffer.alloc(4)
    readSync(fd, magic, 0, 4, 0)
    if (bytes <= headerBytes || magic.toString('latin1') !== 'RIFF') throw new Error('the file holds no audio')
    const even = bytes - (bytes % 2)
    truncateSync(part, even)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(even - 8)
    writeSync(fd, size, 0, 4, 4)
    size.writeUInt32LE(even - headerBytes)
    writeSync(fd, size, 0, 4, headerBytes - 4)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(part, file)
}
