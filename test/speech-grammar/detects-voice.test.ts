/** WebRTC's voice detector on real voices, noise and silence. */
import t from 'tap'
import { createWebrtcDetectors } from '../../drivers/speech-grammar/detector.ts'
import type { EndpointDetector } from '../../drivers/speech.ts'
import { makeNoise, overLine, speak, type Noise } from '../../scripts/cli/selftest/corpus.ts'

const detectors = await createWebrtcDetectors()
t.teardown(() => detectors.close())
const lead = 16_000

/** What it says after each 20 ms. */
function told(detector: EndpointDetector, samples: Int16Array): boolean[] {
  const out: boolean[] = []
  for (let at = 0; at < samples.length; at += 160) out.push(detector.push(samples.subarray(at, at + 160)))
  return out
}

async function call(noise: Noise, snrDb: number): Promise<Int16Array> {
  const spoken = await speak('I would like to speak to the pharmacy', 'free', 'slt')
  const samples = new Int16Array(lead + spoken.samples.length + 8000)
  samples.set(spoken.samples, lead)
  return overLine({ ...spoken, samples }, noise, snrDb, 5).samples
}

t.test('voice begins and ends with the voice, on a quiet line and in steady noise', async (t) => {
  t.equal(detectors.id, 'webrtc')
  for (const [noise, snrDb] of [
    ['quiet', 0],
    ['white', 20],
  ] as const) {
    const detector = detectors.take()
    const voice = told(detector, await call(noise, snrDb))
    // The line's own noise may be taken for voice until its floor is known.
    const first = voice.indexOf(true, 90)
    t.ok(first * 20 >= 2000 && first * 20 <= 2900, `${noise}: begins at ${first * 20} ms`)
    t.notOk(voice.at(-1), 'ends')
    t.ok(voice.slice(90).filter(Boolean).length * 20 > 1200, 'and lasts')
    detectors.give(detector)
  }
})

t.test('silence and steady noise are no voice for long', async (t) => {
  const detector = detectors.take()
  t.notOk(told(detector, new Int16Array(80_000)).includes(true), 'silence')
  detector.reset()
  t.notOk(told(detector, Int16Array.from(makeNoise('white', 80_000, 100, 1))).includes(true), 'a line that hisses')
  detector.reset()
  const loud = told(detector, Int16Array.from(makeNoise('white', 80_000, 1000, 2)))
  t.notOk(loud.slice(110).includes(true), 'a loud noise from its third second on')
  detectors.give(detector)
})

t.test('pieces of any length give the same; one that is given back knows nothing of the call before', async (t) => {
  const samples = await call('quiet', 0)
  const one = detectors.take()
  const whole = one.push(samples.subarray(0, lead + 8000))
  detectors.give(one)
  const other = detectors.take()
  let last = false
  for (let at = 0; at < lead + 8000; at += 37) last = other.push(samples.subarray(at, Math.min(lead + 8000, at + 37)))
  t.equal(last, whole)
  t.ok(whole)
  detectors.give(other)
  t.notOk(detectors.take().push(new Int16Array(240)))
})
