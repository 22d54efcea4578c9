/** Waiting for what somebody hears, in the time of the sound itself: a machine that is late with it is waited for, and one that is in time is not. */
import { toneLevel } from './audio.ts'
import { found } from './waiting.ts'

/** Somebody in a call, while it lasts. */
export interface Ear {
  /** The last of what was heard, at 8 kHz; less where less came. */
  lately(ms: number): Int16Array
  /** How much sound has come by now, silence too. */
  readonly heardMs: number
  /** What its signalling says of the call. */
  signalling?(): string
}

const pieceMs = 20
const loudDb = -30

/** Resolves when this tone has been heard for so long without a break. */
export async function hears(ear: Ear, hz: number, ms = 500): Promise<void> {
  const heard = () => {
    const samples = ear.lately(ms)
    if (samples.length < 8 * ms) return false
    for (let at = 0; at < samples.length; at += 8 * pieceMs)
      if (toneLevel(samples.subarray(at, at + 8 * pieceMs), hz) < loudDb) return false
    return true
  }
  await found(() => `${hz} Hz for ${ms} ms; ${ear.heardMs} ms of sound came ${ear.signalling?.() ?? ''}`, heard, 15_000, 50)
}

/** Resolves when so much more sound, or silence, has come. */
export async function listens(ear: Ear, ms: number): Promise<void> {
  const enough = ear.heardMs + ms
  await found(
    () => `${ms} ms of sound; ${ms - enough + ear.heardMs} came`,
    () => ear.heardMs >= enough,
    ms + 15_000,
  )
}
