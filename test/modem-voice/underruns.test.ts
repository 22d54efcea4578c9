/** Gaps in what a line says, because the box came too late with the next sound: counted where there was one, and nowhere else. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import type { PatchPartner, Patch } from '../../drivers/patch.ts'
import type { VoiceLeg } from '../../drivers/modem/voice/leg.ts'
import { tone } from '../harness/audio.ts'
import { pause } from '../harness/scene.ts'
import { VoiceRig } from './rig.ts'

t.setTimeout(120_000)

const clip = (ms: number) => ({ kind: 'clip', clip: { key: `${ms}`, samples: tone(500, ms) } }) as const

const delays = monitorEventLoopDelay({ resolution: 10 })
delays.enable()
/** A machine that is too busy for the test makes gaps, too. */
const stoodStill = (): boolean => delays.max > 250e6

/** The event loop stands still. */
function busy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

for (const { name, quirks } of [
  { name: 'full duplex', quirks: {} },
  { name: 'full duplex, and the modem tells that it has nothing more to say', quirks: { tellsUnderrun: true } },
  { name: 'half duplex', quirks: { fullDuplex: false } },
]) {
  t.test(name, async (t) => {
    const rig = await new VoiceRig(quirks).open()
    t.teardown(() => rig.close())
    const call = await rig.taken()
    const audio = call.leg.audio!
    const gaps = () => rig.line.voice!.underruns
    delays.reset()
    audio.play(1, clip(500))
    audio.play(2, clip(500))
    await call.until('played', 2)
    await pause(200)
    audio.play(3, clip(500))
    await call.until('played', 3)
    const none = gaps()
    t.ok(none === 0 || stoodStill(), `the end of a prompt is no gap: ${none}`)

    audio.play(4, clip(2000))
    await pause(600)
    busy(700)
    await call.until('played', 4)
    const one = gaps()
    t.ok(one > none, `a gap is counted: ${one}`)

    delays.reset()
    audio.play(5, clip(10_000))
    await pause(300)
    audio.clear()
    await pause(200)
    audio.play(6, clip(300))
    await call.until('played', 6)
    t.ok(gaps() === one || stoodStill(), `what is broken off has no gap: ${gaps()}`)
    call.leg.hangup()
    await call.ended()
  })
}

t.test('a box that stood still for seconds keeps its call', async (t) => {
  const rig = await new VoiceRig().open()
  t.teardown(() => rig.close())
  const call = await rig.taken()
  busy(5000)
  call.leg.audio!.play(1, clip(300))
  t.match(await call.until('played'), { completed: true })
  t.same(call.of('ended'), [])
  call.leg.hangup()
  await call.ended()
})

t.test('a talk: what comes late from the other side is a gap, its pause is none', async (t) => {
  const rig = await new VoiceRig().open()
  t.teardown(() => rig.close())
  const call = await rig.taken()
  let patch: Patch | null = null
  delays.reset()
  const partner: PatchPartner = { joined: (own) => (patch = own), hear: () => undefined, press: () => undefined }
  t.ok((call.leg as VoiceLeg).patch(partner))
  const talk = async (ms: number): Promise<void> => {
    const began = performance.now()
    for (let said = 0; said < ms; said += 20) {
      patch!.say(tone(500, 20))
      await pause(began + said + 20 - performance.now())
    }
  }
  await talk(1000)
  await pause(1000)
  await talk(500)
  const none = rig.line.voice!.underruns
  // So little is sent ahead in a talk that any pause of the machine is a gap.
  t.ok(none === 0 || delays.max > 30e6, `${none}`)
  await pause(200)
  await talk(500)
  const one = rig.line.voice!.underruns
  t.ok(one > none, `${one}`)
  call.leg.hangup()
  await call.ended()
})
