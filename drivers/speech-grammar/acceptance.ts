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
 * Fitted by logistic regression to synthetic voices, each left out in turn: what was said in the grammar and understood,
 * against free sentences taken for something (`scripts/speech`).
 */
const weight = { words: -1.6, worst: -1.4, silence: -0.39, length: -4.73, short: 7.36, constant: 4.32 }
const threshold = 0.5
/** Sounds of an utterance from which on it is no longer short, and over how many fewer that grows. */
const shortBelow = 14
const shortSpan = 8

export const isFiller = (word: string): boolean => word.startsWith('<') || word.startsWith('[')

/** `sounds` is the same utterance as any sounds; `phones` how many sounds the words of the hypothesis have. */
export function judge(hypothesis: readonly Segment[], sounds: readonly Segment[], phones: number, frames: number): Verdict {
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
    weight.length * Math.abs(Math.log(phones / heard + 0.05)) +
    weight.short * Math.min(1, Math.max(0, (shortBelow - heard) / shortSpan))
  return { accepted: score >= threshold, confidence: 1 / (1 + Math.exp((threshold - score) / 2)) }
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
