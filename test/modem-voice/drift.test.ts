/** Two clocks that differ: an hour of talk between a modem's crystal and the box, in virtual time. */
import fc from 'fast-check'
import t from 'tap'
import { DriftBuffer } from '../../drivers/modem/voice/drift.ts'

const frame = 160

interface Seen {
  readonly deepest: number
  readonly leftOut: number
  readonly madeUp: number
}

/** `ppm`: the clock of what comes against that of what goes; `unsteady`: by so many ms a frame may be late. */
function hour(ppm: number, unsteady: number, minutes = 60): Seen {
  const buffer = new DriftBuffer()
  const comesMs = 20 / (1 + ppm / 1e6)
  const frames = minutes * 60 * 50
  let sent = 0
  let deepest = 0
  let seed = 1
  const late = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (seed / 0x7fff_ffff) * unsteady
  }
  let due = late()
  for (let taken = 0; taken < frames; taken++) {
    const now = taken * 20 + 10
    while (due <= now) {
      buffer.add(new Int16Array(frame).fill(sent % 2 === 0 ? 3000 : -3000))
      sent++
      due = Math.max(due, sent * comesMs + late())
    }
    buffer.take()
    deepest = Math.max(deepest, buffer.depth)
  }
  return { deepest, leftOut: buffer.leftOut, madeUp: buffer.madeUp }
}

t.test('an hour at 100 ppm each way: the delay does not grow, and one frame in ten thousand is all that it costs', async (t) => {
  for (const ppm of [-100, 0, 100]) {
    const { deepest, leftOut, madeUp } = hour(ppm, 10)
    t.comment(`${ppm} ppm: at most ${deepest} frames wait, ${leftOut} left out, ${madeUp} made up`)
    t.ok(deepest <= 8, `${ppm} ppm: ${20 * deepest} ms`)
    // 100 ppm of 180,000 frames.
    t.ok(leftOut <= 30 && madeUp <= 30, `${ppm} ppm: ${leftOut} and ${madeUp}`)
  }
})

t.test('whatever the clocks and the network do, no more than 300 ms ever wait', async (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: -2000, max: 2000 }),
      fc.integer({ min: 0, max: 400 }),
      (ppm, unsteady) => hour(ppm, unsteady, 2).deepest <= 15,
    ),
    { numRuns: 60 },
  )
  t.pass()
})
