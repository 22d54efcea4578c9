/** What is heard, into a WAV file while it comes: 8 kHz mono signed 16-bit PCM, under `.part` until it is complete and synced. */
import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs'
import { wavBytes } from '../../wav.ts'

const headBytes = 44
/** Written a second at a time. */
const pieceSamples = 8000

export class Recorder {
  readonly file: string
  readonly #mostSamples: number
  #descriptor: number | null
  #pending: Int16Array[] = []
  #waiting = 0
  #written = 0
  #failed = false

  /** A file that cannot be made makes a recording that fails at its end. */
  constructor(file: string, maxMs: number) {
    this.file = file
    this.#mostSamples = Math.round(maxMs * 8)
    try {
      this.#descriptor = openSync(`${file}.part`, 'w', 0o640)
      writeSync(this.#descriptor, wavBytes(new Int16Array(0)))
    } catch {
      this.#descriptor = null
      this.#failed = true
    }
  }

  /** True when it is as long as it may be. */
  hear(samples: Int16Array): boolean {
    const room = this.#mostSamples - this.#written - this.#waiting
    this.#pending.push(samples.slice(0, Math.max(0, room)))
    this.#waiting += Math.min(samples.length, Math.max(0, room))
    if (this.#waiting >= pieceSamples) this.#write()
    return this.#written + this.#waiting >= this.#mostSamples
  }

  /** Its length in ms, or null where the disk did not take it. `trimMs` is cut from the end. */
  finish(trimMs: number): number | null {
    this.#write()
    const descriptor = this.#descriptor
    if (descriptor === null) return null
    this.#descriptor = null
    try {
      const samples = Math.max(0, this.#written - Math.round(trimMs * 8))
      if (!this.#failed) {
        ftruncateSync(descriptor, headBytes + 2 * samples)
        const head = wavBytes(new Int16Array(0))
        head.writeUInt32LE(36 + 2 * samples, 4)
        head.writeUInt32LE(2 * samples, 40)
        writeSync(descriptor, head, 0, headBytes, 0)
        fsyncSync(descriptor)
      }
      closeSync(descriptor)
      if (this.#failed) return null
      renameSync(`${this.file}.part`, this.file)
      return Math.round(samples / 8)
    } catch {
      return null
    }
  }

  #write(): void {
    const pending = this.#pending
    this.#pending = []
    this.#waiting = 0
    if (this.#descriptor === null || this.#failed) return
    try {
      for (const samples of pending) {
        const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
        for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at)
        this.#written += samples.length
      }
    } catch {
      this.#failed = true
    }
  }
}
