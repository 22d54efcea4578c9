/**
 * Sound that comes by one clock and goes by another, such as from a network to the crystal of a modem: what is more than is needed against
 * delays is left out, what is missing is made up, both where it is quiet as long as that is possible. Pure.
 */

const frame = 160
/** Frames that are kept against unsteady delivery: more than `most` for a while means that the other clock is faster. */
const target = 3
const most = 6
const overflow = 15
/** Mean square of a frame in which nobody speaks. */
const quiet = 40_000

export class DriftBuffer {
  #frames: Int16Array[] = []
  #rest = new Int16Array(0)
  #begun = false
  #last: Int16Array = new Int16Array(frame)
  #lowest = Infinity
  #taken = 0
  leftOut = 0
  madeUp = 0

  add(samples: Int16Array): void {
    const all = new Int16Array(this.#rest.length + samples.length)
    all.set(this.#rest)
    all.set(samples, this.#rest.length)
    let at = 0
    for (; at + frame <= all.length; at += frame) this.#frames.push(all.slice(at, at + frame))
    this.#rest = all.slice(at)
    while (this.#frames.length > overflow) this.#drop(0)
  }

  /** Frames that wait. */
  get depth(): number {
    return this.#frames.length
  }

  /** The next frame; nothing before there are enough to begin. */
  take(): Int16Array {
    if (!this.#begun && this.#frames.length < target) return new Int16Array(0)
    this.#begun = true
    this.#lowest = Math.min(this.#lowest, this.#frames.length)
    // Over two seconds there were always more than are needed.
    if (++this.#taken % 100 === 0) {
      if (this.#lowest > target) this.#dropQuietest()
      this.#lowest = Infinity
    }
    if (this.#frames.length > most) this.#dropQuietest(quiet)
    const next = this.#frames.shift()
    if (next === undefined) {
      this.madeUp += 1
      // Softer each time, so that a pause of the network is no buzz.
      this.#last = this.#last.map((sample) => sample >> 1)
      return this.#last
    }
    this.#last = next
    return next
  }

  #drop(index: number): void {
    this.#frames.splice(index, 1)
    this.leftOut += 1
  }

  /** The quietest one, where it is not louder than `limit`. */
  #dropQuietest(limit = Infinity): void {
    const powers = this.#frames.map((samples) => samples.reduce((sum, sample) => sum + sample * sample, 0) / frame)
    const index = powers.indexOf(Math.min(...powers))
    if (index >= 0 && powers[index]! <= limit) this.#drop(index)
  }
}
