/** What a caller who was answered already hears before the words, where the one who was wanted is busy or cannot be called (E.180). */
import { progressTone, toneCountryOf, type ProgressTone } from '../../drivers/tones.ts'
import type { Call } from '../calls/call.ts'
import type { Taken } from './taken.ts'

const atLeastMs = 1500
const samplesPerMs = 8

export async function soundRefusal(call: Call, taken: Taken, country: string): Promise<void> {
  const kind = toneOf(taken)
  if (kind === null) return
  const clip = progressTone(toneCountryOf(country), kind)
  for (let ms = 0; ms < atLeastMs; ms += clip.samples.length / samplesPerMs)
    if (!(await call.play({ kind: 'clip', clip })).completed) return
}

/** Nobody has this number. */
export function notInService({ outcome, sipCode }: Taken): boolean {
  return outcome === 'failed' && (sipCode === 404 || sipCode === 484 || sipCode === 604)
}

/** null: it rang, and that was heard. */
function toneOf(taken: Taken): ProgressTone | null {
  if (notInService(taken)) return 'special-information'
  switch (taken.outcome) {
    case 'busy':
    case 'refused':
      return 'busy'
    case 'unreachable':
    case 'failed':
      return 'congestion'
    default:
      return null
  }
}
