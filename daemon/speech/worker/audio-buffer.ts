/** The last part of an audio stream, addressed by sample number from the stream's beginning. */
export class AudioBuffer {
  #samples = new Int16Array(8000)
  #start = 0
  #length = 0

  /** Number of the first sample that is kept. */
  get start(): number {
    return this.#start
  }

  /** Number of the sample that comes next. */
  get end(): number {
    return this.#start + this.#length
  }

  push(samples: Int16Array): void {
    const needed = this.#length + samples.length
    if (needed > this.#samples.length) {
      const grown = new Int16Array(Math.max(needed, this.#samples.length * 2))
      grown.set(this.#samples.subarray(0, this.#length))
      this.#samples = grown
    }
    this.#samples.set(samples, this.#length)
    this.#length = needed
  }

  /** Forgets what lies before `sample`. */
  dropBefore(sample: number): void {
    const dropped = Math.min(this.#length, Math.max(0, sample - this.#start))
    if (dropped === 0) return
    this.#samples.copyWithin(0, dropped, this.#length)
    this.#start += dropped
    this.#length -= dropped
  }

  /** Keeps nothing; the next sample has this number. */
  restart(sample: number): void {
    this.#start = sample
    this.#length = 0
  }

  /** A copy of the samples from `from` up to `to`, as far as they are kept. */
  slice(from: number, to: number): Int16Array {
    return this.#samples.slice(Math.max(0, from - this.#start), Math.max(0, Math.min(this.#length, to - this.#start)))
  }
}
