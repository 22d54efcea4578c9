/** How loud a recording is along its time, and when its words are spoken. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { peakCount, peaksOf, timedWords } from '../../drivers/wav-peaks.ts'
import { wavBytes } from '../../drivers/wav.ts'

const folder = mkdtempSync(join(tmpdir(), 'peaks-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
let made = 0
function wav(bytes: Uint8Array): string {
  const file = join(folder, `${(made += 1)}.wav`)
  writeFileSync(file, bytes)
  return file
}

t.test('each part has its loudest sample, of a short recording and of a long one', async (t) => {
  for (const seconds of [1, 40]) {
    const half = seconds * 4000
    const { durationMs, peaks } = await peaksOf(wav(wavBytes(Int16Array.from({ length: 2 * half }, (_, n) => (n < half ? 16_384 : -8192)))))
    t.equal(durationMs, seconds * 1000)
    t.equal(peaks.length, peakCount)
    t.same(new Set(peaks.slice(0, 199)), new Set([128]))
    t.same(new Set(peaks.slice(201, 399)), new Set([64]))
  }
})

t.test('two channels, a file that is cut off, one that is none, one without a sound', async (t) => {
  const stereo = wavBytes(Int16Array.from({ length: 16_000 }, (_, n) => (n % 2 === 0 ? 0 : 32_767)))
  stereo.writeUInt16LE(2, 22)
  const { durationMs, peaks } = await peaksOf(wav(stereo))
  t.equal(durationMs, 1000)
  t.ok(peaks.slice(0, 390).every((peak) => peak === 255))
  t.equal((await peaksOf(wav(wavBytes(new Int16Array(8000)).subarray(0, 8044)))).durationMs, 500)
  for (const bytes of [Buffer.from('no sound'), new Uint8Array(0), wavBytes(new Int16Array(0))]) {
    const empty = await peaksOf(wav(bytes))
    t.equal(empty.durationMs, 0)
    t.same(timedWords('some words', empty), [])
  }
  await t.rejects(peaksOf(join(folder, 'none.wav')))
})

t.test('words follow each other, within the recording and never in its pauses', async (t) => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 40 })
  const loud = fc.array(fc.constantFrom(0, 0, 90, 200), { minLength: peakCount, maxLength: peakCount })
  fc.assert(
    fc.property(words, loud, (said, peaks) => {
      const timed = timedWords(said.join(' '), { durationMs: 40_000, peaks })
      if (peaks.every((peak) => peak === 0)) return timed.length === 0
      const inOrder = timed.every(({ fromMs, toMs }, n) => fromMs <= toMs && fromMs >= (timed[n - 1]?.fromMs ?? 0) && toMs <= 40_000)
      return inOrder && timed.map(({ text }) => text).join(' ') === said.join(' ')
    }),
  )
  const peaks = Array.from({ length: peakCount }, (_, part) => (part >= 100 && part < 300 ? 0 : 200))
  const [first, second] = timedWords('Hello there', { durationMs: 40_000, peaks })
  t.ok(first!.fromMs < 10_000 && second!.toMs > 30_000, 'before the pause and after it')
})
