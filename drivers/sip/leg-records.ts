/** The recordings of one leg: orders to the engine, and callbacks at their end. */
import type { LegEvent } from '../line.ts'
import type { BothRecorded } from '../pbx.ts'
import type { Message } from './frames.ts'
import { oneOf, text, whole } from './reading.ts'
import type { Spool } from './spool.ts'

export interface RecordOptions {
  readonly file: string
  readonly maxMs: number
}

export const nothingRecorded: BothRecorded = { durationMs: 0, reason: 'failed' }

export class LegRecords {
  readonly #order: (t: string, members: Record<string, unknown>) => void
  readonly #spool: Pick<Spool, 'toRecord' | 'placeOf'>
  /** Those of both sides, by number. */
  readonly #done = new Map<number, (recorded: BothRecorded) => void>()

  constructor(order: (t: string, members: Record<string, unknown>) => void, spool: Pick<Spool, 'toRecord' | 'placeOf'>) {
    this.#order = order
    this.#spool = spool
  }

  record(recordId: number, { file, maxMs }: RecordOptions, more: { readonly channels?: 2 } = {}): void {
    this.#order('record', { record: recordId, file: this.#spool.toRecord(file), maxMs: Math.round(maxMs), ...more })
  }

  recordBoth(recordId: number, options: RecordOptions, done: (recorded: BothRecorded) => void): void {
    this.onRecorded(recordId, done)
    this.record(recordId, options, { channels: 2 })
  }

  onRecorded(recordId: number, done: (recorded: BothRecorded) => void): void {
    this.#done.set(recordId, done)
  }

  stop(recordId: number, trimMs?: number): void {
    this.#order('recordStop', trimMs === undefined ? { record: recordId } : { record: recordId, trimMs: Math.round(trimMs) })
  }

  /** The end of a recording, as an event of the leg; null where a callback has taken it. */
  recorded(message: Message): LegEvent | null {
    const recordId = whole(message['record'])
    const durationMs = whole(message['durationMs'])
    const reason = oneOf(message['reason'], ['stopped', 'max-length', 'ended', 'failed'], 'failed')
    const done = this.#done.get(recordId)
    if (done === undefined) return { type: 'recorded', recordId, file: this.#spool.placeOf(text(message['file'])), durationMs, reason }
    this.#done.delete(recordId)
    done({ durationMs, reason })
    return null
  }

  /** Those of an engine that died. */
  lost(): readonly ((recorded: BothRecorded) => void)[] {
    return [...this.#done.values()]
  }
}
