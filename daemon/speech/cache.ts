/**
 * Spoken phrases by key: in memory up to a number of bytes, least recently used first out; on disk only those that were
 * said on three different calls, so that a text with a caller's data in it never gets there.
 */
import type { DiskCache } from './disk-cache.ts'

export interface PhraseUse {
  readonly callId: string
  /** Forgotten by the disk, however often it is said. */
  readonly sensitive: boolean
}

const callsBeforeDisk = 3
/** Keys whose calls are counted. */
const mostCounted = 20_000

export class PhraseCache {
  readonly #limit: number
  readonly #disk: DiskCache | null
  readonly #memory = new Map<string, Int16Array>()
  readonly #flights = new Map<string, Promise<Int16Array>>()
  readonly #calls = new Map<string, Set<string>>()
  #bytes = 0

  constructor(limitBytes: number, disk: DiskCache | null) {
    this.#limit = limitBytes
    this.#disk = disk
  }

  get bytes(): number {
    return this.#bytes
  }

  /** From memory, or the making that is under way. */
  find(key: string, use: PhraseUse): Int16Array | Promise<Int16Array> | undefined {
    const known = this.#memory.get(key)
    if (known === undefined) return this.#flights.get(key)
    this.#memory.delete(key)
    this.#memory.set(key, known)
    this.#count(key, use, known)
    return known
  }

  /** Whether a file has it; reading it is cheaper than making it. */
  onDisk(key: string): boolean {
    return this.#disk?.has(key) === true
  }

  /** Made once however many ask at the same time. A failure is not kept. */
  get(key: string, use: PhraseUse, make: () => Promise<Int16Array>): Promise<Int16Array> {
    const found = this.find(key, use)
    if (found !== undefined) return Promise.resolve(found)
    const flight = this.#obtain(key, make)
      .then((samples) => {
        this.#keep(key, samples)
        this.#count(key, use, samples)
        return samples
      })
      .finally(() => this.#flights.delete(key))
    this.#flights.set(key, flight)
    return flight
  }

  async #obtain(key: string, make: () => Promise<Int16Array>): Promise<Int16Array> {
    return (await this.#disk?.read(key)) ?? (await make())
  }

  #keep(key: string, samples: Int16Array): void {
    if (samples.byteLength > this.#limit) return
    this.#memory.set(key, samples)
    this.#bytes += samples.byteLength
    for (const [oldest, old] of this.#memory) {
      if (this.#bytes <= this.#limit) return
      this.#memory.delete(oldest)
      this.#bytes -= old.byteLength
    }
  }

  #count(key: string, use: PhraseUse, samples: Int16Array): void {
    if (this.#disk === null || use.sensitive || this.#disk.has(key)) return
    const calls = this.#calls.get(key) ?? new Set()
    this.#calls.delete(key)
    calls.add(use.callId)
    if (calls.size >= callsBeforeDisk) {
      this.#disk.write(key, samples)
      return
    }
    this.#calls.set(key, calls)
    if (this.#calls.size > mostCounted) this.#calls.delete(this.#calls.keys().next().value!)
  }
}
