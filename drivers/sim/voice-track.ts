/** What one side of a simulated call has said and when: of the far end, the source of recordings, taps and `voice` events; of ours, of forks. */

interface Spoken {
  readonly startMs: number
  readonly samples: Int16Array
}

const quietBelow = 200

export class VoiceTrack {
  readonly #spoken: Spoken[] = []

  /** Samples sound from `startMs` of line time on. */
  add(startMs: number, samples: Int16Array): void {
    this.#spoken.push({ startMs, samples })
  }

  /** Whatever sounds later than this does not. */
  cutOff(atMs: number): void {
    const kept = this.#spoken.filter(({ startMs }) => startMs < atMs)
    this.#spoken.splice(
      0,
      this.#spoken.length,
      ...kept.map(({ startMs, samples }) => ({ startMs, samples: samples.subarray(0, Math.round((atMs - startMs) * 8)) })),
    )
  }

  /** Drops what had ended by then: no code asks for it any more. */
  forget(beforeMs: number): void {
    const kept = this.#spoken.filter(({ startMs, samples }) => startMs + samples.length / 8 > beforeMs)
    this.#spoken.splice(0, this.#spoken.length, ...kept)
  }

  /** 8 kHz samples of a stretch of line time; silence where nothing was said. */
  cut(fromMs: number, toMs: number): Int16Array {
    const first = Math.round(fromMs * 8)
    const cut = new Int16Array(Math.max(0, Math.round(toMs * 8) - first))
    for (const { startMs, samples } of this.#spoken) {
      const shift = Math.round(startMs * 8) - first
      const begin = Math.max(0, -shift)
      const end = Math.min(samples.length, cut.length - shift)
      if (end > begin) cut.set(samples.subarray(begin, end), shift + begin)
    }
    return cut
  }

  /** Nothing louder than the noise of a line in this stretch. */
  isQuiet(fromMs: number, toMs: number): boolean {
    return this.cut(fromMs, toMs).every((sample) => Math.abs(sample) < quietBelow)
  }

  speaksAt(ms: number): boolean {
    return this.#spoken.some(({ startMs, samples }) => ms >= startMs && ms < startMs + samples.length / 8)
  }
}
