/**
 * What is said on an analog line comes back: the echo is gone after two seconds of speech, another speaker is heard as before, nothing is
 * made louder.
 */
import fc from 'fast-check'
import t from 'tap'
import { LineEcho } from '../../drivers/modem/voice/line-echo.ts'
import { Hybrid, type HybridLoss } from '../../drivers/sim/analog/modem-quirks.ts'
import { rms, speech } from '../harness/audio.ts'

const frame = 160
const second = 8000
const menu =
  'For appointments press one. For prescriptions press two. For billing, press three, or stay on the line, and somebody will speak to you soon.'
const near =
  'Good morning, this is the pharmacy in Station Road. I am calling about a prescription that came in yesterday, and the doctor has to sign it.'

const joined = (...pieces: readonly Int16Array[]): Int16Array => Int16Array.from(pieces.flatMap((piece) => [...piece]))
const db = (part: number, whole: number): number => 20 * Math.log10(Math.max(part, 1e-9) / Math.max(whole, 1e-9))

/** Frame by frame, what is said 40 ms ahead of the line. `losses`: of each second the line is another from its own on. */
function through(
  said: Int16Array,
  other: Int16Array,
  losses: readonly (readonly [second: number, loss: HybridLoss])[],
): { came: Int16Array; left: Int16Array } {
  const echo = new LineEcho()
  let hybrid = new Hybrid(losses[0]![1])
  const length = Math.floor(Math.max(said.length, other.length) / frame) * frame
  const [came, left] = [new Int16Array(length), new Int16Array(length)]
  const piece = (all: Int16Array, at: number): Int16Array => {
    const samples = new Int16Array(frame)
    samples.set(all.subarray(at, at + frame))
    return samples
  }
  for (const at of [0, frame]) echo.said(at, piece(said, at))
  for (let at = 0; at < length; at += frame) {
    for (const [from, loss] of losses) if (from > 0 && at === from * second) hybrid = new Hybrid(loss)
    echo.said(at + 2 * frame, piece(said, at + 2 * frame))
    const heard = hybrid.hear(piece(other, at))
    hybrid.said(piece(said, at))
    came.set(heard, at)
    left.set(echo.heard(heard), at)
  }
  return { came, left }
}

const prompt = speech(menu)
const silent = new Int16Array(0)

for (const loss of [
  { lossDb: 8, delayMs: 0 },
  { lossDb: 14, delayMs: 60 },
  { lossDb: 20, delayMs: 200 },
])
  t.test(`an echo of -${loss.lossDb} dB after ${loss.delayMs} ms`, async (t) => {
    const { came, left } = through(joined(prompt, prompt), silent, [[0, loss]])
    const from = 2 * second
    const weaker = db(rms(left.subarray(from)), rms(came.subarray(from)))
    t.ok(weaker < -30, `${weaker.toFixed(1)} dB`)
  })

t.test('who speaks meanwhile is heard as before, and the echo is gone at once when he is silent', async (t) => {
  const loss = { lossDb: 12, delayMs: 40 }
  const said = joined(prompt, prompt, prompt)
  const other = new Int16Array(said.length)
  const voice = speech(near)
  const from = 4 * second
  other.set(voice, from)
  const { came, left } = through(said, other, [[0, loss]])
  const until = from + voice.length
  const lost = left.subarray(from, until).map((sample, i) => sample - voice[i]!)
  const [before, after] = [
    db(rms(came.subarray(from, until).map((sample, i) => sample - voice[i]!)), rms(voice)),
    db(rms(lost), rms(voice)),
  ]
  t.ok(after < Math.min(-15, before - 6), `what is no voice: ${before.toFixed(1)} dB, then ${after.toFixed(1)} dB`)
  const then = db(rms(left.subarray(until + second / 4)), rms(came.subarray(until + second / 4)))
  t.ok(then < -25, `${then.toFixed(1)} dB`)
})

t.test('a line that gives back later than before is learnt anew', async (t) => {
  const said = joined(prompt, prompt, prompt)
  const { came, left } = through(said, silent, [
    [0, { lossDb: 10, delayMs: 20 }],
    [8, { lossDb: 12, delayMs: 90 }],
  ])
  const weaker = db(rms(left.subarray(11 * second)), rms(came.subarray(11 * second)))
  t.ok(weaker < -25, `${weaker.toFixed(1)} dB`)
})

t.test('where nothing is said, what is heard stays as it is', async (t) => {
  const voice = speech(near)
  const { left } = through(silent, voice, [[0, { lossDb: 10, delayMs: 0 }]])
  t.same(left, voice.subarray(0, left.length))
})

t.test('nothing is made louder, whatever both say, and however it is cut', async (t) => {
  const source = fc.record({
    kind: fc.constantFrom('noise', 'tone', 'silence'),
    level: fc.integer({ min: 10, max: 30_000 }),
    seed: fc.nat(1000),
  })
  const made = ({ kind, level, seed }: { kind: string; level: number; seed: number }): Int16Array => {
    let state = seed + 1
    return Int16Array.from({ length: 3 * second }, (_, i) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      if (kind === 'silence') return 0
      return kind === 'tone' ? level * Math.sin(i * (0.1 + seed / 1000)) : ((state / 1_073_741_824 - 1) * level) | 0
    })
  }
  fc.assert(
    fc.property(source, source, (one, two) => {
      const { came, left } = through(made(one), made(two), [[0, { lossDb: 10, delayMs: 30 }]])
      for (let at = 0; at < came.length; at += second) {
        if (rms(left.subarray(at, at + second)) > 1.2 * rms(came.subarray(at, at + second)) + 20) return false
      }
      return true
    }),
    {
      numRuns: 25,
      // Two loud tones, of which the filter learnt a mixture.
      examples: [
        [
          { kind: 'tone', level: 29_990, seed: 82 },
          { kind: 'tone', level: 12_115, seed: 11 },
        ],
      ],
    },
  )
  t.pass()
})
