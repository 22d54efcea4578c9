/** Gaps in what a line says, because the box came too late with the next sound: counted where there was one, and nowhere else. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import t, { type Test } from 'tap'
import type { PatchPartner, Patch } from '../../drivers/pbx.ts'
import type { VoiceLeg } from '../../drivers/modem/voice/leg.ts'
import { tone } from '../harness/audio.ts'
import { eventually, pause } from '../harness/waiting.ts'
import { VoiceRig } from './rig.ts'

t.setTimeout(120_000)

const clip = (ms: number) => ({ kind: 'clip', clip: { key: `${ms}`, samples: tone(500, ms) } }) as const

const delays = monitorEventLoopDelay({ resolution: 10 })
delays.enable()
/** A machine that stands still for longer makes gaps by itself, and says nothing of the box. */
const mostStillMs = 250
const mostTalkStillMs = 30
const mostTries = 10

/** No gap comes of something; what a busy machine may have made is done again. Skipped where the machine stands still each time. */
async function noGap(t: Test, rig: VoiceRig, what: string, something: () => Promise<void>, stillMs = mostStillMs): Promise<void> {
  let still = 0
  for (let tries = 0; tries < mostTries; tries++) {
    const before = rig.line.voice!.underruns
    delays.reset()
    await something()
    if (rig.line.voice!.underruns === before) return void t.pass(what)
    if (delays.max > stillMs * 1e6) still++
  }
  if (still === mostTries) t.pass(what, { skip: `this machine stands still for ${stillMs} ms each time` })
  else t.fail(`${what}: one each time`)
}

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
    let id = 0
    const play = (ms: number): void => audio.play(++id, clip(ms))
    /** All of them, whole or broken off. */
    const over = (): Promise<unknown> => call.until('played', id)
    await noGap(t, rig, 'the end of a prompt is no gap', async () => {
      play(500)
      play(500)
      await over()
      await pause(200)
      play(500)
      await over()
    })

    const before = rig.line.voice!.underruns
    play(2000)
    await pause(600)
    busy(700)
    await over()
    t.ok(rig.line.voice!.underruns > before, `a gap is counted: ${rig.line.voice!.underruns - before}`)

    await noGap(t, rig, 'what is broken off has no gap', async () => {
      play(10_000)
      await pause(300)
      audio.clear()
      await pause(200)
      play(300)
      await over()
    })
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
  const partner: PatchPartner = { joined: (own) => (patch = own), hear: () => undefined, press: () => undefined }
  t.ok((call.leg as VoiceLeg).patch(partner))
  const talk = async (ms: number): Promise<void> => {
    const began = performance.now()
    for (let said = 0; said < ms; said += 20) {
      patch!.say(tone(500, 20))
      await pause(began + said + 20 - performance.now())
    }
  }
  // So little is sent ahead in a conversation that any pause of the machine is a gap.
  const spoken = async (): Promise<void> => {
    await talk(1000)
    await pause(1000)
    await talk(500)
  }
  await noGap(t, rig, 'a pause of the other side is no gap', spoken, mostTalkStillMs)
  const none = rig.line.voice!.underruns
  await eventually('what comes late is a gap', async () => {
    await pause(200)
    await talk(500)
    return rig.line.voice!.underruns > none
  })
  call.leg.hangup()
  await call.ended()
})
