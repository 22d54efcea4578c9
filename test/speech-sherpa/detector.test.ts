import t from 'tap'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toTelephoneRate } from '../../drivers/resample.ts'
import type { EndpointDetector } from '../../drivers/speech.ts'
import { createSileroDetectors } from '../../drivers/speech-sherpa/detector.ts'
import { readWav } from '../../drivers/wav.ts'
import { joined, silence, tinyCtc } from './onnx.ts'

const modelFile = join(import.meta.dirname, '../../.cache/models/silero-vad/silero_vad.onnx')
const folder = mkdtempSync(join(tmpdir(), 'pbx-silero-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const detectors = createSileroDetectors(modelFile, { size: 2 })
t.teardown(() => detectors.close())

function say(words: string, voice = 'slt'): Int16Array {
  const file = join(folder, 'say.wav')
  spawnSync('flite', ['-voice', voice, '-t', words, '-o', file])
  const { samples, rate } = readWav(readFileSync(file))
  return toTelephoneRate(samples, rate)
}

interface Change {
  readonly atMs: number
  readonly voice: boolean
}

/** Feeds 20 ms at a time, as a line does. */
function changes(samples: Int16Array, detector: EndpointDetector = detectors.take()): Change[] {
  const found: Change[] = []
  let last = false
  for (let at = 0; at < samples.length; at += 160) {
    const voice = detector.push(samples.subarray(at, at + 160))
    if (voice !== last) found.push({ atMs: (at + 160) / 8, voice })
    last = voice
  }
  detectors.give(detector)
  return found
}

/** First and last 20 ms above -40 dBFS, in milliseconds. */
function extent(samples: Int16Array): { from: number; to: number } {
  const loud = (at: number): boolean => Math.sqrt(samples.subarray(at, at + 160).reduce((sum, s) => sum + s * s, 0) / 160) > 300
  let from = 0
  while (!loud(from)) from += 80
  let to = samples.length - 160
  while (!loud(to)) to -= 80
  return { from: from / 8, to: to / 8 + 20 }
}

function noise(ms: number, peak: number): Int16Array {
  let state = 99
  return Int16Array.from({ length: ms * 8 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.round((state / 0x40000000 - 1) * peak)
  })
}

const tone = (ms: number, ...frequencies: number[]): Int16Array =>
  Int16Array.from({ length: ms * 8 }, (_, n) =>
    Math.round(frequencies.reduce((sum, hz) => sum + 6000 * Math.sin((2 * Math.PI * hz * n) / 8000), 0)),
  )
const repeated = (times: number, ...parts: Int16Array[]): Int16Array => joined(...Array.from({ length: times }, () => joined(...parts)))
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

t.test('speech is found, and found to have ended, in about the stated times', async (t) => {
  const onsets: number[] = []
  const releases: number[] = []
  for (const voice of ['slt', 'rms', 'awb', 'kal16']) {
    for (const words of ['yes', 'operator', 'three four five', 'please call me back tomorrow']) {
      const speech = say(words, voice)
      const { from, to } = extent(speech)
      const found = changes(joined(silence(1000), speech, silence(1500)))
      if (!t.ok(found.length >= 2, `${voice}: ${words}`)) continue
      onsets.push(found[0]!.atMs - 1000 - from)
      releases.push(found.at(-1)!.atMs - 1000 - to)
      t.equal(found.at(-1)!.voice, false)
    }
  }
  t.ok(Math.abs(median(onsets) - detectors.onsetDelayMs) <= 50, `onset ${onsets.toSorted((a, b) => a - b).join(' ')}`)
  t.ok(Math.abs(median(releases) - detectors.releaseDelayMs) <= 80, `release ${releases.toSorted((a, b) => a - b).join(' ')}`)
})

t.test('speech is found in noise', async (t) => {
  const speech = joined(silence(1000), say('I would like to speak to the nurse'), silence(1000))
  const hiss = noise(speech.length / 8, 600)
  const found = changes(speech.map((sample, index) => sample + (hiss[index] ?? 0)))
  t.ok(found.length >= 2 && found[0]!.atMs > 1000)
})

t.test('tones, noise and silence are no voice', async (t) => {
  const low = [697, 770, 852, 941]
  const high = [1209, 1336, 1477, 1633]
  const cases = {
    ringback: repeated(2, tone(2000, 440, 480), silence(4000)),
    busy: repeated(8, tone(500, 480, 620), silence(500)),
    dial: tone(4000, 350, 440),
    DTMF: joined(...low.flatMap((a) => high.map((b) => joined(tone(100, a, b), silence(100))))),
    'faint noise': noise(5000, 100),
    noise: noise(5000, 3000),
    'loud noise': noise(5000, 20_000),
    'clipped noise': noise(5000, 1).map((_, index) => (index % 3 === 0 ? 32_767 : -32_768)),
    silence: silence(5000),
  }
  for (const [name, samples] of Object.entries(cases)) t.same(changes(samples), [], name)
})

t.test('pieces of any length give the same', async (t) => {
  const speech = joined(silence(500), say('Monday morning'), silence(800))
  const seen = (length: number): boolean[] => {
    const detector = detectors.take()
    const states: boolean[] = []
    for (let at = 0; at < speech.length; at += length) states.push(detector.push(speech.subarray(at, at + length)))
    states.push(detector.push(new Int16Array(0)))
    detectors.give(detector)
    return states
  }
  const byWindow = seen(256)
  t.equal(
    seen(1)
      .filter((_, index) => (index + 1) % 256 === 0)
      .join(''),
    byWindow.slice(0, Math.floor(speech.length / 256)).join(''),
  )
  t.ok(byWindow.includes(true))
})

t.test('a detector that comes back knows nothing of the last call', async (t) => {
  const speech = say('this is somebody who speaks')
  const detector = detectors.take()
  t.ok(detector.push(speech.subarray(0, 8000)))
  detectors.give(detector)
  detectors.give(detector)
  const again = detectors.take()
  t.equal(again, detector)
  t.equal(again.push(silence(20)), false)
  const taken = [again, ...Array.from({ length: 4 }, () => detectors.take())]
  t.equal(new Set(taken).size, 5, 'more than the pool held, and none twice')
  for (const each of taken) t.equal(each.push(silence(100)), false)
  t.ok(changes(joined(silence(300), speech, silence(500)), again).length >= 2)
  for (const each of taken.slice(1)) detectors.give(each)
})

t.test('twenty minutes of talking without a pause stay small and are one stretch', async (t) => {
  const speech = say('one two three four five six seven eight nine ten')
  const { from, to } = extent(speech)
  const words = speech.subarray(from * 8, to * 8 - 800)
  const detector = detectors.take()
  let longestGap = 0
  let gap = 0
  const run = (seconds: number): void => {
    for (let fed = 0; fed < seconds * 8000; fed += words.length) {
      for (let at = 0; at < words.length; at += 160) {
        gap = detector.push(words.subarray(at, at + 160)) ? 0 : gap + 20
        if (fed > 0) longestGap = Math.max(longestGap, gap)
      }
    }
  }
  run(30)
  const before = process.memoryUsage().rss
  // Kept as it came, this would be 73 MiB.
  run(1140)
  const grown = (process.memoryUsage().rss - before) / 2 ** 20
  t.ok(grown < 50, `grew by ${grown.toFixed(0)} MiB`)
  t.ok(longestGap < 300, `gaps of ${longestGap} ms at most`)
  detectors.give(detector)
})

t.test('any other file is refused before the engine sees it', async (t) => {
  const whole = readFileSync(modelFile)
  const cut = join(folder, 'cut.onnx')
  for (const length of [0, 100, 1_000_000, whole.length - 1]) {
    writeFileSync(cut, whole.subarray(0, length))
    t.throws(() => createSileroDetectors(cut), { code: 'engine-failed' }, `${length} bytes`)
  }
  writeFileSync(cut, Buffer.concat([whole, Buffer.from('<html>')]))
  t.throws(() => createSileroDetectors(cut), { code: 'engine-failed' }, 'a longer one')
  t.throws(() => createSileroDetectors(join(folder, 'absent')), { code: 'engine-failed', message: /cannot be read/ })
  const other = tinyCtc(folder)
  t.throws(() => createSileroDetectors(join(other.directory, 'model.onnx')), { code: 'engine-failed', message: /not the Silero/ })
})
