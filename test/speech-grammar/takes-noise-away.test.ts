/** What is done to an utterance before it is decoded. */
import t from 'tap'
import { isTone, signalToNoiseDb, withoutNoise, withoutSilence } from '../../drivers/steady-noise.ts'
import { createGrammarRecogniser } from '../../drivers/speech-grammar/recogniser.ts'
import { makeNoise, overLine, speak, type Noise, type Voice } from '../../scripts/cli/selftest/corpus.ts'
import { departments } from '../../scripts/cli/selftest/phrases.ts'

const rate = 8000
const toneFrom = 8000
const toneTo = 16_000

/** A tone of one second in three of noise. */
function toneIn(noise: Noise, snrDb: number, hertz = 1000): Int16Array {
  const amplitude = 6000
  const around = makeNoise(noise, 24_000, amplitude / Math.SQRT2 / 10 ** (snrDb / 20), 5)
  return Int16Array.from(around, (sample, at) =>
    Math.round(sample + (at >= toneFrom && at < toneTo ? amplitude * Math.sin((2 * Math.PI * hertz * at) / rate) : 0)),
  )
}

function levelDb(samples: Int16Array, from: number, to: number): number {
  const part = samples.subarray(from, to)
  return 10 * Math.log10(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length + 1e-9)
}

t.test('how loud a voice is beside its line', (t) => {
  for (const noise of ['white', 'car'] as const) {
    for (const snrDb of [10, 20, 30]) {
      const found = signalToNoiseDb(toneIn(noise, snrDb))
      t.ok(Math.abs(found - snrDb) < 7, `${noise}, ${snrDb} dB: ${found.toFixed(1)}`)
    }
  }
  t.ok(signalToNoiseDb(Int16Array.from(makeNoise('white', 16_000, 1000, 1))) < 3, 'noise alone')
  t.ok(signalToNoiseDb(new Int16Array(16_000)) < 0, 'silence')
  t.equal(signalToNoiseDb(new Int16Array(100)), -Infinity, 'next to nothing')
  t.end()
})

t.test('steady noise goes, a tone stays', (t) => {
  for (const noise of ['white', 'car'] as const) {
    const before = toneIn(noise, 15)
    const after = withoutNoise(before)
    t.equal(after.length, before.length)
    const gone = levelDb(before, 1000, 7000) - levelDb(after, 1000, 7000)
    // A car's swells and fades, and only what it is at its quietest is taken away.
    t.ok(gone > (noise === 'white' ? 12 : 5), `${noise}: ${gone.toFixed(1)} dB of the noise are gone`)
    const lost = levelDb(before, toneFrom + 1000, toneTo - 1000) - levelDb(after, toneFrom + 1000, toneTo - 1000)
    t.ok(Math.abs(lost) < 1, `${noise}: the tone lost ${lost.toFixed(1)} dB`)
  }
  t.end()
})

t.test('tones of a line are distinguished from voices', async (t) => {
  for (const hertz of [425, 1100, 2100]) t.ok(isTone(withoutSilence(toneIn('white', 40, hertz))), `${hertz} Hz`)
  for (const voice of ['slt', 'rms', 'awb'] as const)
    for (const text of ['no', 'yes', 'moon', 'five', 'Dr. Patel']) {
      const { samples } = overLine(await speak(text, 'command', voice), 'quiet', 0, 7)
      t.notOk(isTone(withoutSilence(samples)), `${voice}: ${text}`)
    }
  t.notOk(isTone(new Int16Array(8000)) || isTone(new Int16Array(10)), 'silence')
})

t.test('silence around a voice is cut, the voice is not', (t) => {
  for (const samples of [toneIn('white', 45), toneIn('white', 15)]) {
    const left = withoutSilence(samples)
    t.ok(left.length >= 8000 + 2 * 1400 && left.length <= 8000 + 2 * 1800, `${left.length} samples`)
    t.same(left, samples.slice(toneFrom - 1600, toneFrom - 1600 + left.length), 'from 0.2 s before')
  }
  const silence = new Int16Array(4000)
  t.equal(withoutSilence(silence).length, 4000, 'of silence nothing')
  t.end()
})

t.test('whatever the samples, as many come back and none is out of range', (t) => {
  for (const length of [0, 1, 127, 128, 129, 255, 256, 257, 1000]) {
    t.equal(withoutNoise(new Int16Array(length).fill(length)).length, length)
    t.ok(withoutSilence(new Int16Array(length).fill(length)).length <= length)
  }
  const loudest = Int16Array.from({ length: 8000 }, (_, at) => (at % 40 < 20 ? 32_767 : -32_768))
  t.ok(
    withoutNoise(loudest).every((sample, at) => Math.abs(sample) < 2000 || Math.sign(sample) === Math.sign(loudest[at]!)),
    'nothing turned over',
  )
  t.end()
})
