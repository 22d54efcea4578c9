/**
 * Sound that comes by one clock and goes by another, such as from a modem's crystal to a network: what comes is sent on at once, so that a lead
 * waits where it is heard, long enough that a box which stands still for a moment tears nothing. The lead's median over some seconds shows how
 * the clocks differ, whatever the box does meanwhile: a frame is left out where the lead grows, and repeated where it shrinks. Pure.
 */

const frame = 160
const frameMs = 20
/** Frames that are sent at first; more after each time that they were too few. */
const firstTarget = 5
const mostTarget = 12
/** A listener that has heard nothing for longer has heard a pause, such as of a call on hold; for less, a gap. */
const longestGapMs = 500
/**
 * A lead beyond that, for half a second, is cut back at once: it comes from a prompt before the conversation, or from a box that stood
 * still for long.
 */
const mostMs = 300
const mostOver = 25
/** Frames that are kept where none is taken. */
const mostKept = 15
/** Frames over which the lead is judged: a second at first, for it settles then, and up to four. */
const firstJudged = 50
const mostJudged = 200
/** From there on the clocks have drifted apart. */
const apartMs = 20
/** Mean square of a frame in which nobody speaks; for so many frames such a one is awaited, before any other is left out or repeated. */
const quiet = 40_000
const patience = 100

export class DriftBuffer {
  #frames: Int16Array[] = []
  #target = firstTarget
  #begun = false
  #leads: number[] = []
  #judged = firstJudged
  /** Frames to leave out (less than 0) or to repeat, and for how many one was awaited that is quiet. */
  #due = 0
  #awaited = 0
  #over = 0
  #cutting = false
  leftOut = 0
  madeUp = 0
  /** How often the listener had to wait. */
  gaps = 0

  /** 20 ms of 8 kHz. */
  add(samples: Int16Array): void {
    this.#frames.push(samples)
    while (this.#frames.length > mostKept) this.#leaveOut()
  }

  /**
   * What is to be sent now: any number of frames, none before there are enough to begin.
   * @param leadMs so much of what was sent is not heard yet; 0 or less where the listener has waited, for so long.
   */
  take(leadMs: number): Int16Array {
    if (this.#begun && leadMs <= 0) this.#runDry(leadMs)
    if (!this.#begun && this.#frames.length < this.#target) return new Int16Array(0)
    if (this.#frames.length === 0) return new Int16Array(0)
    if (!this.#begun) this.#start(true)
    this.#cut(leadMs)
    const taken: Int16Array[] = []
    for (const next of this.#frames.splice(0)) {
      taken.push(...this.#corrected(next))
      this.#judge(Math.max(0, leadMs) + taken.length * frameMs)
    }
    const all = new Int16Array(taken.length * frame)
    for (const [i, each] of taken.entries()) all.set(each, i * frame)
    return all
  }

  #runDry(leadMs: number): void {
    this.#start(false)
    if (leadMs <= -longestGapMs) return
    this.#target = Math.min(mostTarget, this.#target + 1)
    this.gaps += 1
  }

  #start(begun: boolean): void {
    this.#begun = begun
    this.#leads = []
    this.#judged = firstJudged
    this.#due = 0
  }

  #cut(leadMs: number): void {
    const lead = (): number => leadMs + this.#frames.length * frameMs
    this.#over = lead() > mostMs ? this.#over + 1 : 0
    if (this.#over >= mostOver) this.#cutting = true
    if (!this.#cutting) return
    this.#start(true)
    while (this.#frames.length > 0 && lead() > this.#target * frameMs) this.#leaveOut()
    this.#cutting = lead() > this.#target * frameMs
  }

  #leaveOut(): void {
    this.#frames.shift()
    this.leftOut += 1
  }

  /** Itself; nothing, or twice, where that is due. */
  #corrected(next: Int16Array): readonly Int16Array[] {
    if (this.#due === 0) return [next]
    const power = next.reduce((sum, sample) => sum + sample * sample, 0) / frame
    if (power > quiet && ++this.#awaited < patience) return [next]
    const repeats = this.#due > 0
    this.#due -= Math.sign(this.#due)
    this.#awaited = 0
    if (repeats) this.madeUp += 1
    else this.leftOut += 1
    return repeats ? [next, next] : []
  }

  #judge(leadMs: number): void {
    if (this.#due !== 0) return
    this.#leads.push(leadMs)
    if (this.#leads.length < this.#judged) return
    const median = this.#leads.toSorted((a, b) => a - b)[this.#judged / 2]!
    const off = this.#target * frameMs - median
    this.#leads = []
    this.#judged = Math.min(mostJudged, 2 * this.#judged)
    if (Math.abs(off) > apartMs) this.#due = Math.round(off / frameMs)
  }
}
