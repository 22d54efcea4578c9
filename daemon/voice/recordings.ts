/**
 * The recordings of calls: files below the storage directory, a row each, kept for some days or until they are deleted. Each has a
 * row from before its first sample, so that none is ever on the disk that nobody knows of, whenever the daemon dies.
 */
import { existsSync, statSync, closeSync, fsyncSync, openSync, readSync, renameSync, truncateSync, writeSync } from 'node:fs'
import { link, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Timer } from '../base/clock.ts'
import { idPattern, newId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { madeFolder } from '../store/disk.ts'
import type { Store } from '../store/store.ts'
import type { RecordingBegunRow, RecordingRow, TranscriptJobRow } from '../store/tables.ts'
import type { RecordingOrder, RecordingStore } from './session-types.ts'
import type { TranscriptState } from './transcripts.ts'

/** Finishes what a recorder left that died. */
const headerBytes = 44
/** Where the header says how many bytes a second are (RIFF/WAVE, `nAvgBytesPerSec`). */
const rateOffset = 28
/** Where it says how many a sample of all channels has (`nBlockAlign`). */
const frameOffset = 32

/** Of a whole file of so many bytes, as the engine writes them: 16 bits, one or two channels. Throws where there is none. */
function wavDurationMs(file: string, bytes: number): number {
  const fd = openSync(file, 'r')
  try {
    const rate = Buffer.alloc(4)
    readSync(fd, rate, 0, 4, rateOffset)
    return Math.round(((bytes - headerBytes) * 1000) / Math.max(1, rate.readUInt32LE()))
  } finally {
    closeSync(fd)
  }
}

/** Finishes a WAV whose writer died: the sizes in its header are set from the file's own length. Throws when there is none. */
function repairPartial(file: string): void {
  const part = `${file}.part`
  const fd = openSync(part, 'r+')
  try {
    const bytes = statSync(part).size
    const header = Buffer.alloc(headerBytes)
    readSync(fd, header, 0, headerBytes, 0)
    if (bytes <= headerBytes || header.toString('latin1', 0, 4) !== 'RIFF') throw new Error('the file holds no audio')
    const whole = bytes - ((bytes - headerBytes) % Math.max(2, header.readUInt16LE(frameOffset)))
    truncateSync(part, whole)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(whole - 8)
    writeSync(fd, size, 0, 4, 4)
    size.writeUInt32LE(whole - headerBytes)
    writeSync(fd, size, 0, 4, headerBytes - 4)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(part, file)
}

const retryMs = 5000
/** A file without a row is what a deletion left that was cut off; younger ones may be on their way to their row. */
const strayMs = 3_600_000

interface Unstored {
  readonly row: RecordingRow
  readonly job: TranscriptJobRow | null
}

export class Recordings implements RecordingStore {
  readonly #dir: string
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #adopting = new Map<string, Promise<RecordingRow | null>>()
  readonly #keepMs: number
  /** What the disk has not taken yet. */
  readonly #unstored = new Map<string, Unstored>()
  readonly #removed: ((id: string) => void)[] = []
  #retry: Timer | null = null
  #storedLate: (job: TranscriptJobRow) => void = () => undefined

  constructor(options: { dir: string; store: Store; clock: Clock; log: Log; keepDays: number }) {
    this.#dir = options.dir
    this.#store = options.store
    this.#clock = options.clock
    this.#log = options.log
    this.#keepMs = options.keepDays * 86_400_000
    madeFolder(this.#dir)
  }

  async begin(order: RecordingOrder): Promise<{ id: string; file: string }> {
    madeFolder(this.#dir)
    const id = newId()
    const { recordingsBegun } = this.#store.tables
    await this.#store.transaction(() => recordingsBegun.put(id, { ...order, recordingId: id, startedAt: this.#clock.now() }))
    return { id, file: this.#path(id) }
  }

  async publish(id: string, callId: string, durationMs: number, transcript: TranscriptState): Promise<'stored' | 'waiting' | 'none'> {
    const row = this.#finished(id, callId, durationMs, transcript)
    if (row === null) {
      this.discard(id)
      return 'none'
    }
    const unstored = { row, job: transcript.job }
    try {
      await this.#put(unstored)
      return 'stored'
    } catch (error) {
      this.#log.error({ err: error, callId, recordingId: id }, 'a recording could not be stored; trying again')
      this.#unstored.set(id, unstored)
      this.#tryAgain()
      return 'waiting'
    }
  }

  /** Its end needs no report, or was reported: resolves when that is durable. */
  async settled(id: string): Promise<void> {
    const { recordingsBegun } = this.#store.tables
    await this.#store.transaction(() => void recordingsBegun.remove(id))
  }

  discard(id: string): void {
    const { recordingsBegun } = this.#store.tables
    this.#store
      .transaction(() => void recordingsBegun.remove(id))
      .catch((error: unknown) =>
        this.#log.warn({ err: error, recordingId: id }, 'the row of a dropped recording stays until the next start'),
      )
    void this.#removeFiles(id)
  }

  /** Whether it has begun, and its end was not reported. */
  isBegun(id: string): boolean {
    return this.#store.tables.recordingsBegun.get(id) !== undefined
  }

  /** Recordings that the last run of the daemon began and did not report; of one call, or of all. */
  begun(callId?: string): RecordingBegunRow[] {
    const rows = [...this.#store.tables.recordingsBegun.range()].map(({ value }) => value)
    return callId === undefined ? rows : rows.filter((row) => row.callId === callId)
  }

  /**
   * Takes over a recording that the end of the daemon cut off. null: nothing was recorded, and nothing is left of it. Rejects where the
   * disk takes nothing.
   */
  adopt(begun: RecordingBegunRow, transcript: TranscriptState): Promise<RecordingRow | null> {
    // The call and its mailbox may ask at once: the second would write over the transcript that the first has by then.
    const { recordingId } = begun
    const adopting = this.#adopting.get(recordingId) ?? this.#adopt(begun, transcript).finally(() => this.#adopting.delete(recordingId))
    this.#adopting.set(recordingId, adopting)
    return adopting
  }

  async #adopt(begun: RecordingBegunRow, transcript: TranscriptState): Promise<RecordingRow | null> {
    const known = this.#store.tables.recordings.get(begun.recordingId)
    if (known !== undefined) return known
    const row = this.#finished(begun.recordingId, begun.callId, 0, transcript)
    if (row === null) {
      this.discard(begun.recordingId)
      return null
    }
    await this.#put({ row, job: transcript.job })
    this.#log.warn({ callId: begun.callId, recordingId: begun.recordingId }, 'a recording was cut off when the daemon stopped; it is kept')
    return row
  }

  /** Called with the transcript that is to be made of a recording which the disk did not take at first. */
  onStoredLate(observer: (job: TranscriptJobRow) => void): void {
    this.#storedLate = observer
  }

  /** The file of a recording, or undefined when there is none of that id. */
  find(id: string): { row: RecordingRow; file: string } | undefined {
    if (!idPattern.test(id)) return undefined
    const row = this.#store.tables.recordings.get(id) ?? this.#unstored.get(id)?.row
    return row && { row, file: this.#path(id) }
  }

  /**
   * Somebody else keeps it from now on: `keep` is given its file, which it moves, and what it has to run in the transaction that makes it
   * the keeper.
   */
  async handOver(id: string, keep: (file: string, alongside: () => void) => Promise<void>): Promise<void> {
    const { tables } = this.#store
    await keep(this.#path(id), () => {
      tables.recordings.remove(id)
      tables.recordingsBegun.remove(id)
      tables.transcriptJobs.remove(id)
    })
    this.#unstored.delete(id)
    for (const observer of this.#removed) observer(id)
  }

  /**
   * A recording of its own of a file that somebody else keeps, of which this is known. Resolves with its id when it is durable; `alongside`
   * runs in the transaction.
   */
  async copy(
    from: string,
    known: Pick<RecordingRow, 'callId' | 'durationMs' | 'transcript' | 'transcriptStatus'>,
    alongside: (id: string) => void,
  ): Promise<string> {
    const id = newId()
    // The same blocks under another name: a full disk has room for that.
    await link(from, this.#path(id))
    const now = this.#clock.now()
    const { size: bytes } = await stat(from)
    const row = { ...known, recordingId: id, file: `recordings/${id}.wav`, bytes, createdAt: now, expiresAt: now + this.#keepMs }
    await this.#store.transaction(() => {
      this.#store.tables.recordings.put(id, row)
      alongside(id)
    })
    return id
  }

  /** Adds an observer that is called for every recording that was removed. */
  onRemoved(observer: (id: string) => void): void {
    this.#removed.push(observer)
  }

  /** Removes the row with its transcript, durably, and then the file; `alongside` runs in the transaction. False when there was none. */
  async remove(id: string, alongside: () => void = () => undefined): Promise<boolean> {
    if (this.find(id) === undefined) return false
    const { tables } = this.#store
    await this.#store.transaction(() => {
      tables.recordings.remove(id)
      tables.recordingsBegun.remove(id)
      tables.transcriptJobs.remove(id)
      alongside()
    })
    this.#unstored.delete(id)
    for (const observer of this.#removed) observer(id)
    await this.#removeFiles(id)
    return true
  }

  /** Removes what is past its time, and files that no row knows. */
  async sweep(): Promise<number> {
    const now = this.#clock.now()
    const expired = [...this.#store.tables.recordings.range()].filter(({ value }) => value.expiresAt <= now)
    for (const { key } of expired) await this.remove(key)
    return expired.length + (await this.#removeStrays(now))
  }

  stop(): void {
    this.#retry?.cancel()
  }

  async #removeStrays(now: number): Promise<number> {
    const { recordingsBegun } = this.#store.tables
    let removed = 0
    for (const name of await readdir(this.#dir)) {
      const id = name.replace(/\.wav(?:\.part)?$/, '')
      if (this.find(id) !== undefined || recordingsBegun.get(id) !== undefined) continue
      const file = join(this.#dir, name)
      const changed = (await stat(file).catch(() => null))?.mtimeMs
      if (changed === undefined || Math.abs(now - changed) < strayMs) continue
      await rm(file, { force: true })
      this.#log.warn({ file: name }, 'a recording that no row knows was removed')
      removed += 1
    }
    return removed
  }

  /** The row of a recording that has ended; null where its file is of no use. */
  #finished(id: string, callId: string, durationMs: number, transcript: TranscriptState): RecordingRow | null {
    const file = this.#path(id)
    let bytes: number
    try {
      if (!existsSync(file)) repairPartial(file)
      bytes = statSync(file).size
    } catch (error) {
      this.#log.warn({ callId, recordingId: id, err: error }, 'a recording left no usable file')
      return null
    }
    const now = this.#clock.now()
    return {
      recordingId: id,
      callId,
      file: `recordings/${id}.wav`,
      bytes,
      durationMs: durationMs > 0 ? durationMs : wavDurationMs(file, bytes),
      createdAt: now,
      expiresAt: now + this.#keepMs,
      transcript: '',
      transcriptStatus: transcript.status,
      ...(transcript.reason === '' ? {} : { transcriptReason: transcript.reason }),
    }
  }

  async #put({ row, job }: Unstored): Promise<void> {
    // No row names a file whose name is lost in a power cut: it may have got it just now.
    await this.#settle()
    const { recordings, transcriptJobs } = this.#store.tables
    await this.#store.transaction(() => {
      recordings.put(row.recordingId, row)
      if (job !== null) transcriptJobs.put(row.recordingId, job)
    })
  }

  async #settle(): Promise<void> {
    const folder = await open(this.#dir, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  #tryAgain(): void {
    this.#retry?.cancel()
    this.#retry = this.#clock.after(retryMs, () => void this.#storeLate())
  }

  async #storeLate(): Promise<void> {
    for (const [id, unstored] of this.#unstored) {
      try {
        await this.#put(unstored)
      } catch {
        return this.#tryAgain()
      }
      // It may have been deleted meanwhile.
      if (!this.#unstored.delete(id)) await this.remove(id)
      else if (unstored.job !== null) this.#storedLate(unstored.job)
    }
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
