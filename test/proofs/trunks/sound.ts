/** Listening to both ends of a call: how loud a tone arrives against how loud it was sent, and for how long. */
import { toneLevel } from '../../harness/audio.ts'
import { check } from './cell.ts'

/** Level of a sine in dB below full scale. */
export const levelOf = (amplitude: number): number => 20 * Math.log10(amplitude / 32768)
/** What `play` of the engine sends for a tone of -10 dBm0 (ITU-T G.711: full scale is +3.14 dBm0). */
export const ourLevel = -10 - 3.14

export interface Heard {
  /** Of the loudest 300 ms, dB below full scale. */
  readonly level: number
  /** How long it was within 3 dB of that, milliseconds. */
  readonly ms: number
}

/** What there is of a tone in 8 kHz samples. */
export function listen(samples: Int16Array, hz: number): Heard {
  const step = 800
  const levels: number[] = []
  for (let at = 0; at + 3 * step <= samples.length; at += step) levels.push(toneLevel(samples.subarray(at, at + 3 * step), hz))
  if (levels.length === 0) return { level: -120, ms: 0 }
  const level = Math.max(...levels)
  // Windows that lie whole in the tone, and what each of them is longer than its step.
  const whole = levels.filter((one) => one > level - 3).length
  return { level, ms: whole * 100 + 200 }
}

export const gain = (db: number): string => `${db < 0 ? '' : '+'}${(Math.abs(db) < 0.05 ? 0 : db).toFixed(1)} dB`

/** Judges one direction, reported as "we hear" or "it hears": within `tolerance` dB of the level it was sent with, for at least `ms`. */
export function judge(who: string, samples: Int16Array, hz: number, sent: number, ms = 1000, tolerance = 1): string {
  const heard = listen(samples, hz)
  check(heard.level > sent - 30, `${who} no ${hz} Hz (${heard.level.toFixed(0)} dB below full scale)`)
  const off = heard.level - sent
  check(Math.abs(off) <= tolerance, `${who} ${hz} Hz at ${gain(off)}`)
  check(heard.ms >= ms, `${who} ${hz} Hz for ${heard.ms} ms`)
  return `${who} ${gain(off)}`
}
