/** What is heard in the tones of an exchange, country by country, in samples: hang-ups, answers, and voices that are neither. */
import t from 'tap'
import { AnswerWatch } from '../../drivers/modem/voice/answer-watch.ts'
import { LineTones } from '../../drivers/modem/voice/line-tones.ts'
import { progressTone, toneCountries, type ProgressTone, type ToneCountry } from '../../drivers/tones.ts'
import { speech, tone } from '../harness/audio.ts'

const frame = 160

/** So many ms of the tone, from somewhere within its round, at a level, with the noise of a line. */
function exchange(country: ToneCountry, what: ProgressTone, ms: number, { offset = 0, gain = 1, noise = 30 } = {}): Int16Array {
  const { samples } = progressTone(country, what)
  return Int16Array.from({ length: ms * 8 }, (_, i) => gain * samples[(i + offset) % samples.length]! + noise * (Math.random() - 0.5) * 2)
}

const silence = (ms: number): Int16Array => new Int16Array(ms * 8)
const joined = (...parts: readonly Int16Array[]): Int16Array => Int16Array.from(parts.flatMap((part) => [...part]))

/** What is recognised first, and after how many ms; null for nothing. */
function recognised(country: ToneCountry, samples: Int16Array): { tone: ProgressTone; ms: number } | null {
  const tones = new LineTones(country)
  for (let at = 0; at + frame <= samples.length; at += frame) {
    const found = tones.hear(samples.subarray(at, at + frame))
    if (found !== null) return { tone: found, ms: at / 8 }
  }
  return null
}

t.test('busy, congestion and dial tone of every country, loud and faint, from anywhere in their round', async (t) => {
  for (const country of toneCountries) {
    for (const what of ['busy', 'congestion', 'dial'] as const) {
      for (const [offset, gain] of [
        [0, 1],
        [1234, 1],
        [2777, 0.3],
      ] as const) {
        const found = recognised(country, exchange(country, what, 9000, { offset, gain }))
        // Where two tones are alike, either of them is the end of a call.
        t.ok(found !== null, `${country} ${what} at ${offset}, ${gain}`)
      }
    }
  }
})

t.test('nothing of that is found in ringback, speech, music of one tone, or silence', async (t) => {
  const said = speech('Good morning, this is Mrs Miller, I would like to ask whether the doctor has time for me on Thursday')
  for (const country of toneCountries) {
    t.equal(recognised(country, exchange(country, 'ringback', 30_000)), null, `${country}: ringback`)
    t.equal(recognised(country, joined(said, silence(500), said)), null, `${country}: speech`)
    t.equal(recognised(country, tone(1000, 8000)), null, `${country}: a tone`)
    t.equal(recognised(country, silence(10_000)), null, `${country}: silence`)
  }
})

/** What became of a call, with the ms at which it was known. */
function course(country: ToneCountry, samples: Int16Array): [string, number][] {
  const watch = new AnswerWatch(country)
  const seen: [string, number][] = []
  for (let at = 0; at + frame <= samples.length; at += frame) {
    for (const what of watch.hear(samples.subarray(at, at + frame))) seen.push([what, at / 8])
  }
  return seen
}

t.test('a call that is dialled: rings and is answered, by somebody who speaks or says nothing; busy; nobody there', async (t) => {
  const hello = speech('Riverside Clinic, good morning')
  for (const country of toneCountries) {
    // Two rounds of ringback, and somebody lifts in the third.
    const ring = exchange(country, 'ringback', 10_500)
    const answered = course(country, joined(ring, silence(300), hello, silence(2000)))
    t.same(
      answered.map(([what]) => what),
      ['ringing', 'answered'],
      `${country}: answered`,
    )
    t.ok(answered[1]![1] >= 10_500 && answered[1]![1] < 12_500, `${country}: known at ${answered[1]![1]} ms`)
    const mute = course(country, joined(ring, silence(8000)))
    t.same(
      mute.map(([what]) => what),
      ['ringing', 'answered'],
      `${country}: answered by somebody who says nothing`,
    )
    t.same(
      course(country, joined(silence(1500), hello)).map(([what]) => what),
      ['answered'],
      `${country}: answered at once`,
    )
    t.ok(
      ['busy', 'congestion'].includes(course(country, joined(silence(1000), exchange(country, 'busy', 8000)))[0]![0]),
      `${country}: busy`,
    )
    t.same(
      course(country, exchange(country, 'ringback', 60_000)).map(([what]) => what),
      ['ringing'],
      `${country}: nobody there`,
    )
  }
})
