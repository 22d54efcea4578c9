/** Whether somebody speaks, by how loud it is against the noise of the line: 20 ms at a time. */

/** Root mean square of a sample: about -43 dBm0. */
const floor = 160
/** So much louder than the noise. */
const over = 3
const beginsAfterMs = 60
const endsAfterMs = 400
const frameMs = 20

export class VoiceDetector {
  #noise = floor / over
  #loudMs = 0
  #quietMs = 0
  active = false

  /** True when `active` changed. @param samples null: 20 ms of a key, which is no voice. */
  hear(samples: Int16Array | null): boolean {
    const loud = samples !== null && this.#isLoud(samples)
    this.#loudMs = loud ? this.#loudMs + frameMs : 0
    this.#quietMs = loud ? 0 : this.#quietMs + frameMs
    const active = this.active ? this.#quietMs < endsAfterMs : this.#loudMs >= beginsAfterMs
    if (active === this.active) return false
    this.active = active
    return true
  }

  #isLoud(samples: Int16Array): boolean {
    let power = 0
    for (const sample of samples) power += sample * sample
    const level = Math.sqrt(power / Math.max(1, samples.length))
    const loud = level > Math.max(floor, this.#noise * over)
    // Noise is learnt slowly upwards, at once downwards.
    this.#noise = loud ? this.#noise * 1.002 : Math.min(level, this.#noise * 1.05 + 1)
    return loud
  }
}
