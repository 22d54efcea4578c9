/** An exact tone and its judge: mu-law passes the box without being decoded, so that every byte that comes back is known beforehand. */
import { linearToUlaw, rate } from '../audio.ts'
import { quiet } from './frames.ts'

/** Repeats after a second and no earlier (997 is prime), so that a piece lost or played twice shows at once. */
export const toneHz = 997
const amplitude = 8000

const period = Uint8Array.from({ length: rate }, (_, n) =>
  linearToUlaw(Math.round(amplitude * Math.sin((2 * Math.PI * toneHz * n) / rate))),
)

/** `bytes` of the tone from sample number `from`, its phase going on from piece to piece. */
export function tonePiece(from: number, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, n) => period[(from + n) % rate]!)
}

export interface ToneVerdict {
  /** Bytes of silence before the tone. */
  readonly lead: number
  /** Bytes from the first to the last of the tone. */
  readonly length: number
  /** Number of the tone's first byte that is not what it should be, -1 when all are. */
  readonly firstWrong: number
  readonly wrong: number
}

/** The two zeros of mu-law sound alike; a codec may give one for the other. */
const alike = (a: number | undefined, b: number | undefined): boolean =>
  a === b || (((a ?? 0) & 0x7f) === 0x7f && ((b ?? 0) & 0x7f) === 0x7f)

/** Holds mu-law that was heard against the tone that began with its sample 0: a gap, a click or a repeated piece makes bytes wrong. */
export function judgeTone(heard: Uint8Array): ToneVerdict {
  const silent = (byte: number | undefined) => alike(byte, quiet)
  let lead = 0
  while (lead < heard.length && silent(heard[lead])) lead += 1
  let end = heard.length
  while (end > lead && silent(heard[end - 1])) end -= 1
  // Sample 0 of the tone is a zero, and so silent itself.
  const from = Math.max(0, lead - 1)
  let firstWrong = -1
  let wrong = 0
  for (let n = from; n < end; n += 1) {
    if (alike(heard[n], period[(n - from) % rate])) continue
    wrong += 1
    if (firstWrong < 0) firstWrong = n - from
  }
  return { lead: from, length: end - from, firstWrong, wrong }
}
