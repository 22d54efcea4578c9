/**
 * Which prompts the engine holds, under which number. A prompt is uploaded once and then named; the least recently
 * used ones are dropped when their bytes exceed the limit, except while a play that names them is pending.
 */
import type { Clip } from '../line.ts'
import { encodeClip, encodeMessage, maxClipSamples } from './frames.ts'

const standardLimit = 64 * 1024 * 1024

interface Entry {
  readonly key: string
  readonly number: number
  readonly bytes: number
  uses: number
}

export class ClipStore {
  readonly #send: (...frames: Buffer[]) => void
  readonly #limit: number
  /** In order of last use, oldest first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #next = 1

  constructor(send: (...frames: Buffer[]) => void, limitBytes: number = standardLimit) {
    this.#send = send
    this.#limit = limitBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Number of the clip in the engine, uploaded if it is not there yet. It stays until `release` was called as often. */
  acquire(clip: Clip): number {
    let entry = this.#entries.get(clip.key)
    if (entry === undefined) {
      // What does not fit in a frame (17 minutes) is cut: no prompt is that long on purpose.
      const samples = clip.samples.length > maxClipSamples ? clip.samples.subarray(0, maxClipSamples) : clip.samples
      entry = { key: clip.key, number: this.#next, bytes: samples.byteLength, uses: 0 }
      this.#next += 1
      this.#bytes += entry.bytes
      this.#send(...encodeClip(entry.number, samples))
    } else {
      this.#entries.delete(clip.key)
    }
    this.#entries.set(clip.key, entry)
    entry.uses += 1
    this.#shrink()
    return entry.number
  }

  /** One play of the clip has ended. A key of an engine that has gone is ignored. */
  release(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.uses === 0) return
    entry.uses -= 1
    this.#shrink()
  }

  /** The engine is gone and its clips with it. */
  reset(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  #shrink(): void {
    if (this.#bytes <= this.#limit) return
    for (const entry of this.#entries.values()) {
      if (entry.uses > 0) continue
      this.#entries.delete(entry.key)
      this.#bytes -= entry.bytes
      this.#send(encodeMessage({ t: 'clipDrop', clip: entry.number }))
      if (this.#bytes <= this.#limit) return
    }
  }
}
