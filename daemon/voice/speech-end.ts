/**
 * When the caller fell silent, as near as the loudness of 20 ms frames tells it: for the trace alone, which shows how long
 * after the last word an answer came.
 */

/** 20 dB below the loudest frame. */
const silentShare = 0.01
/** Mean square of a frame at -50 dBFS: what is quieter is line noise. */
const faintest = (32_768 * 10 ** (-50 / 20)) ** 2

export class SpeechEnd {
  #loudest = 0
  #at: number | null = null

  audio(samples: Int16Array, now: number): void {
    let sum = 0
    for (const sample of samples) sum += sample * sample
    const power = samples.length === 0 ? 0 : sum / samples.length
    this.#loudest = Math.max(this.#loudest, power)
    if (power > faintest && power > this.#loudest * silentShare) this.#at = now
  }

  /** Milliseconds since the last sound; nothing when there was none. */
  ago(now: number): { readonly msAfterSpeech?: number } {
    return this.#at === null ? {} : { msAfterSpeech: Math.max(0, Math.round(now - this.#at)) }
  }
}
