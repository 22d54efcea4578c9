/**
 * Cuts long audio where it is quietest. The memory of every model grows with the length of what it is given, and Whisper
 * reads no more than 30 seconds at all.
 */

/** Samples at 8 kHz. A piece is never longer than this, and a cut is looked for in its last third. */
export const longestPiece = 15 * 8000
const earliestCut = 10 * 8000
const quiet = 800

export function* pieces(samples: Int16Array): Generator<Int16Array> {
  let start = 0
  while (samples.length - start > longestPiece) {
    const cut = quietest(samples, start + earliestCut, start + longestPiece)
    yield samples.subarray(start, cut)
    start = cut
  }
  yield samples.subarray(start)
}

/** Middle of the quietest 100 ms. */
function quietest(samples: Int16Array, from: number, to: number): number {
  let best = to
  let least = Infinity
  for (let at = from; at + quiet <= to; at += quiet / 4) {
    let energy = 0
    for (let index = at; index < at + quiet; index += 1) energy += samples[index]! ** 2
    if (energy < least) {
      least = energy
      best = at + quiet / 2
    }
  }
  return best
}
