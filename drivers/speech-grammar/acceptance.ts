/**
 * Whether a hypothesis is what was said. A closed grammar always finds something; what it found is compared, frame by frame,
 * with any sounds in any order: speech that fits no phrase is explained much better by these.
 */
import type { Segment } from './engine.ts'

export interface Verdict {
  readonly accepted: boolean
  /** 0 to 1; from 0.5 on it is accepted. */
  readonly confidence: number
}

/** Length of the stretch whose fit is looked for worst, in 10 ms frames. */
const stretch = 40
/**
 * Fitted by logistic regression to synthetic voices, each left out in turn, on quiet and noisy lines: what was said in the
 * grammar and understood, against what was not, free sentences and lone words of no grammar (`test/proofs/speech`).
 */
const weight = { words: -1.46, worst: -0.67, silence: -0.39, length: -2.33, constant: 3.34 }
/** Chosen by hand: of lone words of no grammar six in a hundred are taken, of right answers on a quiet line one is lost. */
const threshold = -1.2
/**
 * A word of two or three sounds (yes, no) has little by which it could fit well, and what is said instead of one is seldom
 * as short: chosen by hand, just above what lone words of no grammar reach.
 */
const short = { phones: 3, heard: 5, easier: 2.3 }
/** Where the line is noisier than this each 10 dB raise the threshold so far: something wrong is worse than nothing there. */
const quietDb = 30
const noisier = 0.1
/** With noise each further word is one more that may be wrong, and nothing shows which: so far for 10 dB and a word. */
const noisierByWord = 0.2

export const isFiller = (word: string): boolean => word.startsWith('<') || word.startsWith('[')

/**
 * `sounds` is the same utterance as any sounds; `phones` how many sounds the words of the hypothesis have; `snrDb` how much louder the
 * voice was than the line before any processing.
 */
export function judge(
  hypothesis: readonly Segment[],
  sounds: readonly Segment[],
  { phones, frames, snrDb }: { readonly phones: number; readonly frames: number; readonly snrDb: number },
): Verdict {
  const heard = sounds.filter(({ word }) => !isFiller(word)).length
  if (heard === 0 || phones === 0) return { accepted: false, confidence: 0 }
  const lag = difference(hypothesis, sounds, frames)
  const words = hypothesis.filter(({ word }) => !isFiller(word))
  const wordFrames = words.reduce((sum, segment) => sum + segment.frames, 0)
  const ofWords = words.reduce((sum, segment) => sum + lag.over(segment), 0) / Math.max(1, wordFrames)
  const ofSilence = Math.max(0, ...hypothesis.filter(({ word }) => isFiller(word)).map((segment) => lag.over(segment)))
  const score =
    weight.constant +
    weight.words * Math.max(-2, ofWords) +
    weight.worst * lag.worst() +
    weight.silence * (ofSilence / 100) +
    weight.length * Math.abs(Math.log(phones / heard + 0.05))
  const noise = Math.max(0, quietDb - snrDb) / 10
  const easier = phones <= short.phones && heard <= short.heard ? short.easier : 0
  const least = threshold - easier + noise * (noisier + noisierByWord * (words.length - 1))
  return { accepted: score >= least, confidence: 1 / (1 + Math.exp((least - score) / 2)) }
}

/** How much worse the hypothesis explains each frame than the sounds do. */
function difference(hypothesis: readonly Segment[], sounds: readonly Segment[], frames: number) {
  const lag = new Float64Array(frames + 4)
  const add = (segments: readonly Segment[], sign: number): void => {
    for (const { from, frames: length, score } of segments) {
      const end = Math.min(lag.length, from + Math.max(1, length))
      for (let at = Math.max(0, from); at < end; at += 1) lag[at]! += (sign * score) / Math.max(1, length)
    }
  }
  add(sounds, 1)
  add(hypothesis, -1)
  const sums = new Float64Array(lag.length + 1)
  for (let at = 0; at < lag.length; at += 1) sums[at + 1] = sums[at]! + lag[at]!
  return {
    over: ({ from, frames: length }: Segment): number =>
      sums[Math.min(lag.length, Math.max(0, from) + length)]! - sums[Math.min(lag.length, Math.max(0, from))]!,
    worst: (): number => {
      if (lag.length <= stretch) return sums[lag.length]! / lag.length
      let worst = Number.NEGATIVE_INFINITY
      for (let at = 0; at + stretch < lag.length; at += 1) worst = Math.max(worst, (sums[at + stretch]! - sums[at]!) / stretch)
      return worst
    },
  }
}
