/** Two clocks that differ: an hour of conversation between a modem's crystal and the box, in virtual time. */
import fc from 'fast-check'
import t from 'tap'
import { DriftBuffer } from '../../drivers/drift.ts'

const frame = 160
const frameMs = 20

interface Seen {
  /** The longest lead, ms. */
  readonly deepest: number
  /** How often the listener had nothing. */
  readonly gaps: number
  readonly leftOut: number
  readonly madeUp: number
}

/**
 * `ppm`: the clock of what comes against that of what goes; the box stands still for `stallMs` out of each second, and passes on then what came
 * meanwhile.
 */
function talk(ppm: number, stallMs: number, minutes = 60, loud = true): Seen {
  const buffer = new DriftBuffer()
  const comesMs = frameMs / (1 + ppm / 1e6)
  let [sentTo, deepest, gaps] = [0, 0, 0]
  for (let i = 0; i * comesMs < minutes * 60_000; i++) {
    const came = i * comesMs
    const now = Math.max(came, Math.floor(came / 1000) * 1000 + stallMs)
    buffer.add(new Int16Array(frame).fill(loud ? (i % 2 === 0 ? 3000 : -3000) : 0))
    const samples = buffer.take(sentTo - now)
    if (samples.length === 0) continue
    if (sentTo > 0 && sentTo < now) gaps++
    sentTo = Math.max(sentTo, now) + samples.length / 8
    deepest = Math.max(deepest, sentTo - now)
  }
  return { deepest, gaps, leftOut: buffer.leftOut, madeUp: buffer.madeUp }
}

t.test('an hour at 100 ppm each way: the delay does not grow, and one frame in ten thousand is all that it costs', async (t) => {
  for (const ppm of [-100, 100])
    for (const stallMs of [0, 60]) {
      const { deepest, gaps, leftOut, madeUp } = talk(ppm, stallMs)
      t.comment(`${ppm} ppm, ${stallMs} ms: a lead of ${deepest} ms at most, ${leftOut} left out, ${madeUp} repeated`)
      t.equal(gaps, 0, `${ppm} ppm, ${stallMs} ms`)
      t.ok(deepest <= 180, `${ppm} ppm, ${stallMs} ms: ${deepest} ms`)
      // 100 ppm of 180,000 frames.
      t.ok(leftOut + madeUp <= 20, `${ppm} ppm, ${stallMs} ms: ${leftOut} and ${madeUp}`)
    }
})

t.test('a box that stands still for longer than the lead gets a longer one, and tears nothing from then on', async (t) => {
  const { gaps, leftOut, madeUp } = talk(0, 150, 10)
  t.ok(gaps >= 1 && gaps <= 8, `${gaps} gaps`)
  t.ok(leftOut + madeUp <= 40, `${leftOut} and ${madeUp}`)
})

t.test('a call that was on hold is no busy box: its lead is the same as before', async (t) => {
  const buffer = new DriftBuffer()
  let [sentTo, now] = [0, 0]
  for (let hold = 0; hold < 10; hold++, now += 2000) {
    for (const until = now + 3000; now < until; now += frameMs) {
      buffer.add(new Int16Array(frame).fill(3000))
      sentTo = Math.max(sentTo, now) + buffer.take(sentTo - now).length / 8
    }
    t.ok(sentTo - now <= 100, `${sentTo - now} ms`)
  }
  t.equal(buffer.leftOut, 0)
})

t.test('where a frame has to go or come, it is one in which nobody speaks', async (t) => {
  const buffer = new DriftBuffer()
  const gone: number[] = []
  for (let i = 0; i < 2000; i++) {
    // Every 50th frame is quiet.
    buffer.add(new Int16Array(frame).fill(i % 50 === 0 ? 10 : 3000))
    const before = buffer.leftOut
    buffer.take(200)
    if (buffer.leftOut > before) gone.push(i % 50)
  }
  t.ok(gone.length > 0 && gone.every((at) => at === 0), `left out ${gone.join(' ')}`)
})

t.test('a prompt before the talk, or a long standstill: the lead is cut back, not kept for the rest of the call', async (t) => {
  const buffer = new DriftBuffer()
  let sentTo = 600
  for (let now = 0; now < 5000; now += frameMs) {
    buffer.add(new Int16Array(frame).fill(3000))
    sentTo = Math.max(sentTo, now) + buffer.take(sentTo - now).length / 8
  }
  t.ok(sentTo - 5000 <= 160, `${sentTo - 5000} ms`)
})

t.test('whatever the clocks and the box do, the lead stays under half a second', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: -2000, max: 2000 }), fc.integer({ min: 0, max: 400 }), fc.boolean(), (ppm, stallMs, loud) => {
      const { deepest } = talk(ppm, stallMs, 2, loud)
      return deepest <= 500
    }),
    { numRuns: 60 },
  )
  t.pass()
})
