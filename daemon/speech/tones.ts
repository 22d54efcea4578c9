/** Sounds that need no engine and no file. */
import type { Clip, PlaySource } from '../../drivers/line.ts'

/** Before a recording: 1 kHz, 200 ms, -13 dBm0. */
export const beep: PlaySource = { kind: 'tone', hz: [1000], ms: 200, dbm0: -13 }

/** Heard in place of a phrase that nobody could speak: two short notes, falling. */
export const failureTone: Clip = { key: 'tone:failure:1', samples: notes([480, 400], 180, 60) }

function notes(hz: readonly number[], ms: number, gapMs: number): Int16Array {
  const length = ms * 8
  const step = (ms + gapMs) * 8
  const samples = new Int16Array(hz.length * step)
  for (const [note, frequency] of hz.entries()) {
    for (let index = 0; index < length; index += 1) {
      const edge = Math.min(1, index / 80, (length - 1 - index) / 80)
      samples[note * step + index] = Math.round(3200 * edge * Math.sin((2 * Math.PI * frequency * index) / 8000))
    }
  }
  return samples
}
