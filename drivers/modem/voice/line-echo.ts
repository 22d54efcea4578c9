/**
 * The echo of an analog line: the hybrids of modem and exchange give back some of what is said on it, later and weaker (ITU-T G.168), so
 * speakers hear themselves, or a prompt interrupts itself. How much later is found by correlation; a filter of 48 ms from there on learns
 * the rest (normalised LMS). One filter learns, another is used, and takes over what was learnt when that is better: while both sides speak
 * nothing is unlearnt. Pure.
 */

const blockSamples = 160
/** What is kept of both sides, by the clock of the line; a power of two. */
const kept = 16_384
const mask = kept - 1
/** Of what is said, so much may be known ahead of the line. */
const aheadSamples = 5000
const taps = 384
/** So much of the filter is ahead of the delay that was found. */
const marginSamples = 64
const learningRate = 0.4
/** Of a mean square: quieter is nothing to learn of. */
const quiet = 2500
/** A sample of more than this share of the loudest that may come back is of the other side (Geigel); no hybrid loses less. */
const ownShare = 0.7
const holdBlocks = 3
/**
 * What has been learnt is of the line, and not of somebody who speaks meanwhile, where it leaves so little of all that is heard for so many blocks;
 * one that is good is not given up lightly.
 */
const first = { share: 0.5, blocks: 2 }
const later = { share: 0.25, blocks: 4 }
const goodShare = 0.03
const goodBlocks = 25
/** A filter that is good leaves this share of the echo at most: more is of somebody who speaks, or of a line that has changed if it lasts. */
const doubtShare = 0.25
const mostDoubted = 75

/** What is left is of late no louder than this share of what was heard, in power: otherwise a block stays as it was heard. */
const mostLouder = 1.2

/** Sought each half second in the last second, at a quarter of the rate, up to 300 ms. */
const soughtEvery = 4000
const quarter = 4
const soughtSamples = 2000
const mostDelay = 600
const isEcho = 0.3
const isSurely = 0.5
/** Found so far from what is known, in quarters: the line has another delay. */
const elsewhere = 20

/** Echo that is left over where nobody else speaks is made this much weaker. */
const restGain = 0.2
const restShare = 0.1

export class LineEcho {
  readonly #said = new Float32Array(kept)
  readonly #heard = new Float32Array(kept)
  /** Samples that were heard. */
  #at = 0
  /** In samples; null while it is not known. */
  #delay: number | null = null
  #candidate: number | null = null
  #sinceSought = 0
  readonly #learns = new Float32Array(taps)
  readonly #used = new Float32Array(taps)
  #hold = 0
  #gain = 1
  /** Blocks in which the one that learns was better, the one that is used was good, and not as good as it has been. */
  #better = 0
  #doubted = 0
  #good = 0
  /** Mean squares of late: what was heard, what is left of it with either filter. */
  #power = { heard: 0, learns: 0, used: 0 }
  readonly #window = new Float32Array(taps - 1 + blockSamples)
  readonly #left = new Float32Array(blockSamples)

  /** Ms by which the echo is late; null while there is none that is known. */
  get delayMs(): number | null {
    return this.#delay === null ? null : this.#delay / 8
  }

  /** These samples will be on the line when so many were heard. */
  said(at: number, samples: Int16Array): void {
    for (let i = 0; i < samples.length; i++) this.#said[(at + i) & mask] = samples[i]!
  }

  /** From there on nothing will be on the line of what was said. */
  drop(at: number): void {
    for (let i = 0; i < aheadSamples; i++) this.#said[(at + i) & mask] = 0
  }

  /** What comes from the line, without the echo. */
  heard(samples: Int16Array): Int16Array {
    const all = new Int16Array(samples.length)
    for (let at = 0; at < samples.length; at += blockSamples) {
      const block = samples.subarray(at, at + blockSamples)
      all.set(this.#block(block), at)
    }
    return all
  }

  #block(block: Int16Array): Int16Array {
    for (let i = 0; i < block.length; i++) {
      this.#heard[(this.#at + i) & mask] = block[i]!
      this.#said[(this.#at + aheadSamples + i) & mask] = 0
    }
    const cancelled = this.#delay === null ? block : this.#cancel(block, this.#at - this.#delay)
    this.#at += block.length
    this.#sinceSought += block.length
    if (this.#sinceSought >= soughtEvery) {
      this.#sinceSought = 0
      this.#seek()
    }
    return cancelled
  }

  /** `from`: what was said there comes back with the first sample. */
  #cancel(block: Int16Array, from: number): Int16Array {
    const [learns, used, window, left] = [this.#learns, this.#used, this.#window, this.#left]
    let loudest = 0
    for (let i = 0; i < taps - 1 + block.length; i++) {
      const sample = this.#said[(from - taps + 1 + i) & mask]!
      window[i] = sample
      loudest = Math.max(loudest, Math.abs(sample))
    }
    if (loudest === 0) {
      this.#gain = 1
      return block
    }
    if (block.some((sample) => Math.abs(sample) > ownShare * loudest)) this.#hold = holdBlocks
    else if (this.#hold > 0) this.#hold -= 1
    const learning = this.#learning
    let energy = 0
    for (let i = 0; i < taps - 1; i++) energy += window[i]! ** 2
    const power = { heard: 0, echo: 0, learns: 0, used: 0 }
    for (let i = 0; i < block.length; i++) {
      const last = i + taps - 1
      energy += window[last]! ** 2
      let [byLearns, byUsed] = [0, 0]
      for (let k = 0; k < taps; k++) {
        const sample = window[last - k]!
        byLearns += learns[k]! * sample
        byUsed += used[k]! * sample
      }
      const error = block[i]! - byLearns
      left[i] = block[i]! - byUsed
      if (learning && energy > quiet * taps) {
        const step = (learningRate * error) / energy
        for (let k = 0; k < taps; k++) learns[k]! += step * window[last - k]!
      }
      energy -= window[i]! ** 2
      power.heard += block[i]! ** 2
      power.echo += byUsed ** 2
      power.learns += error ** 2
      power.used += left[i]! ** 2
    }
    this.#judge(power, block.length)
    // While it learns from two tones at once, or the line changes, what it takes away may be no echo.
    if (this.#power.used > mostLouder * this.#power.heard) left.set(block)
    return this.#quieten(block.length, power.echo > quiet * block.length && power.used < restShare * power.echo)
  }

  /** Which of the filters is the better one. */
  #judge(now: { readonly heard: number; readonly echo: number; readonly learns: number; readonly used: number }, length: number): void {
    const late = (before: number, sum: number): number => 0.7 * before + (0.3 * sum) / length
    const { heard, learns, used } = (this.#power = {
      heard: late(this.#power.heard, now.heard),
      learns: late(this.#power.learns, now.learns),
      used: late(this.#power.used, now.used),
    })
    if (now.heard > quiet * length && !this.#isGood) this.#good = used < goodShare * heard ? this.#good + 1 : 0
    this.#doubt(this.#isGood && now.used > doubtShare * now.echo + quiet * length)
    const { share, blocks } = this.#isGood ? later : first
    this.#better = this.#learning && learns < 0.8 * used && learns < share * heard ? this.#better + 1 : 0
    if (this.#better >= blocks) this.#used.set(this.#learns)
    else if (used > 1.5 * heard) this.#forget()
    else if (learns > 2 * used) this.#learns.set(this.#used)
  }

  get #isGood(): boolean {
    return this.#good >= goodBlocks
  }

  /** Nobody speaks but the echo, as far as is known. */
  get #learning(): boolean {
    return this.#hold === 0 && (this.#doubted === 0 || this.#doubted > mostDoubted)
  }

  /** What was learnt in the block that raises it is given up. */
  #doubt(doubtful: boolean): void {
    if (doubtful && this.#doubted === 0) this.#learns.set(this.#used)
    this.#doubted = doubtful ? this.#doubted + 1 : 0
  }

  #forget(): void {
    this.#learns.fill(0)
    this.#used.fill(0)
    this.#power = { heard: 0, learns: 0, used: 0 }
    this.#better = this.#doubted = 0
    this.#good = 0
  }

  /** @param echoAlone: nobody speaks but the echo. */
  #quieten(length: number, echoAlone: boolean): Int16Array {
    const goal = echoAlone ? restGain : 1
    const step = (goal - this.#gain) / length
    const samples = new Int16Array(length)
    for (let i = 0; i < length; i++) {
      this.#gain += step
      samples[i] = Math.max(-32_768, Math.min(32_767, Math.round(this.#left[i]! * this.#gain)))
    }
    this.#gain = goal
    return samples
  }

  /** The delay at which what was heard is most like what was said. */
  #seek(): void {
    const heard = this.#quarters(this.#heard, soughtSamples)
    const said = this.#quarters(this.#said, soughtSamples + mostDelay)
    const power = (samples: Float32Array): number => samples.reduce((sum, sample) => sum + sample * sample, 0)
    const heardPower = power(heard)
    let saidPower = power(said.subarray(mostDelay))
    let best = { like: 0, delay: 0 }
    for (let delay = 0; delay <= mostDelay && heardPower > 0; delay++) {
      const from = mostDelay - delay
      if (saidPower > quiet * soughtSamples * 0.1) {
        let sum = 0
        for (let i = 0; i < soughtSamples; i++) sum += heard[i]! * said[from + i]!
        const like = Math.abs(sum) / Math.sqrt(heardPower * saidPower)
        if (like > best.like) best = { like, delay }
      }
      if (from > 0) saidPower += said[from - 1]! ** 2 - said[from + soughtSamples - 1]! ** 2
    }
    if (best.like >= isEcho) this.#found(best.delay, best.like >= isSurely)
  }

  /** The newest samples at a quarter of the rate, each as its change, by which the pitch of a voice misleads less. */
  #quarters(all: Float32Array, count: number): Float32Array {
    const samples = new Float32Array(count)
    const from = this.#at - quarter * count
    let before = 0
    for (let i = 0; i < count; i++) {
      let sum = 0
      for (let k = 0; k < quarter; k++) sum += all[(from + quarter * i + k) & mask]!
      samples[i] = i === 0 ? 0 : (sum - before) / quarter
      before = sum
    }
    return samples
  }

  /** Twice at the same place, or surely at once where there was none. */
  #found(delay: number, surely: boolean): void {
    const known = this.#delay === null ? null : (this.#delay + marginSamples) / quarter
    const again = this.#candidate !== null && Math.abs(this.#candidate - delay) <= 2
    this.#candidate = delay
    if (known !== null && Math.abs(known - delay) <= elsewhere) return
    if (!again && !(known === null && surely)) return
    this.#delay = Math.max(0, quarter * delay - marginSamples)
    this.#forget()
  }
}
