/** Tones of a country: what a phone hears while one goes round, and that each is as loud as the standard asks and has no seam. */
import t from 'tap'
import { progressTone, toneCountries, type ProgressTone } from '../../drivers/tones.ts'
import { toneLevel } from '../harness/audio.ts'
import { HandPhone } from './hand-phone.ts'
import { course, PhoneRig, skip } from './phones.ts'

const kinds: readonly ProgressTone[] = ['dial', 'ringback', 'busy', 'congestion', 'special-information', 'call-waiting']

t.test('every tone is as loud as E.180 asks, begins and ends without an edge, and is made once', async (t) => {
  for (const country of toneCountries) {
    for (const kind of kinds) {
      const clip = progressTone(country, kind)
      t.equal(progressTone(country, kind), clip)
      const sounding = clip.samples.filter((_, i) => clip.samples.subarray(Math.max(0, i - 20), i + 20).some((sample) => sample !== 0))
      const power = sounding.reduce((sum, sample) => sum + sample * sample, 0) / sounding.length
      const dbm0 = 20 * Math.log10((Math.sqrt(power) * Math.SQRT2) / 32_767) + 3.14
      t.ok(dbm0 > -14 && dbm0 < -12.5, `${country} ${kind}: ${dbm0.toFixed(1)} dBm0`)
      const twice = Int16Array.from([...clip.samples.slice(-200), ...clip.samples.slice(0, 200)])
      const step = Math.max(...twice.slice(1).map((sample, i) => Math.abs(sample - twice[i]!)))
      t.ok(step < 6000, `${country} ${kind}: a step of ${step}`)
    }
  }
})

t.test('a phone hears the cadence of its country, round after round', { skip, timeout: 60_000 }, async (t) => {
  const rig = await PhoneRig.start(t, {}, ['101'])
  const phone = await HandPhone.register(rig.port, '101', 300)
  t.teardown(() => phone.close())
  const a = rig.ring('101')
  const call = await phone.takes()
  await a.until('answered')
  const heard = async (country: (typeof toneCountries)[number], kind: ProgressTone, hz: readonly number[], ms: number) => {
    const from = call.rtp.heard().length
    a.leg.loop(progressTone(country, kind))
    await a.passes(ms)
    a.leg.stopLoop()
    await a.passes(100)
    return course(call.rtp.heard().subarray(from), hz).map(({ hz: f, ms: length }) => ({ hz: f, ms: length }))
  }
  /** Within one piece of 40 ms at either end. */
  const like = (runs: readonly { hz: number; ms: number }[], wanted: readonly (readonly [hz: number, ms: number])[], what: string) => {
    const first = runs.findIndex(({ hz }) => hz === wanted[0]![0])
    wanted.forEach(([hz, ms], i) => {
      const run = runs[first + i]
      t.ok(run?.hz === hz && Math.abs(run.ms - ms) <= 80, `${what}: ${hz} Hz for ${ms} ms in ${JSON.stringify(runs)}`)
    })
  }
  like(
    await heard('GB', 'ringback', [450], 3600),
    [
      [450, 400],
      [0, 200],
      [450, 400],
      [0, 2000],
    ],
    'GB ringback',
  )
  like(
    await heard('US', 'busy', [620], 2000),
    [
      [620, 500],
      [0, 500],
      [620, 500],
    ],
    'US busy',
  )
  like(
    await heard('DE', 'special-information', [950, 1400, 1800], 2200),
    [
      [950, 330],
      [1400, 330],
      [1800, 330],
      [0, 1000],
    ],
    'special information',
  )
  const from = call.rtp.heard().length
  a.leg.loop(progressTone('FR', 'dial'))
  await a.passes(2600)
  const dial = call.rtp.heard().subarray(from + 2400, from + 18_400)
  for (let at = 0; at + 800 <= dial.length; at += 800) t.ok(toneLevel(dial.subarray(at, at + 800), 440) > -20, 'dial tone without a gap')
  a.leg.hangup()
  await phone.hungUp(call)
})
