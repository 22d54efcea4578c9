/** Voice calls on an analog line: a real serial driver on a pseudo terminal, a simulated V.253 modem and exchange, and somebody with a telephone. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { readWav, tone, toneLevel } from '../harness/audio.ts'
import { eventually } from '../harness/scene.ts'
import { chips } from './chips.ts'
import { VoiceRig, WatchedLeg } from './rig.ts'

t.setTimeout(300_000)
// They wait most of their time, each with an exchange of its own.
t.jobs = 4

const clip = (hz: number, ms: number) => ({ kind: 'clip', clip: { key: `${hz}-${ms}`, samples: tone(hz, ms) } }) as const

for (const { name, quirks, duplex, selects } of chips) {
  t.test(name, { buffered: true }, async (t) => {
    const rig = await new VoiceRig(quirks).open()
    t.teardown(() => rig.close())
    t.equal(rig.line.voice?.duplex, duplex)
    t.ok(rig.trace.includes(`> AT+VSM=${selects}`), 'the format')

    await t.test('a call that rings is answered; a prompt, a key, a recording; the caller hangs up', async (t) => {
      const rings = rig.rings()
      rig.handset.call('200')
      const ring = await rings
      t.equal(ring.callerNumber, '5550100', 'the number comes between the rings')
      const call = new WatchedLeg(ring.voice!())
      call.leg.answer()
      await call.until('answered')
      t.equal(rig.line.status().state, 'talking')
      const audio = call.leg.audio!
      audio.play(1, clip(500, 1000))
      audio.play(2, clip(900, 500))
      t.match(await call.until('played', 2), { playId: 2, completed: true, playedMs: 500 })
      await eventually('the prompts', () => toneLevel(rig.handset.last(400), 900) > -25)
      rig.handset.press('5')
      t.match(await call.until('digit'), { digit: '5' })
      await eventually(
        'the line is listening',
        () => rig.line.voice?.duplex === 'full' || rig.trace.slice(-2).join() === '> AT+VRX,< CONNECT',
      )
      audio.record(7, { file: rig.file('said.wav'), maxMs: 60_000 })
      rig.handset.say(tone(700, 1000))
      await call.until('voice')
      await call.until('voice', 2)
      audio.stopRecord(7)
      t.match(await call.until('recorded'), { recordId: 7, reason: 'stopped' })
      const { samples } = readWav(readFileSync(rig.file('said.wav')))
      t.ok(samples.length > 8000, `${samples.length} samples`)
      const loud = samples.findIndex((sample) => Math.abs(sample) > 1000)
      t.ok(toneLevel(samples.subarray(loud + 800, loud + 6400), 700) > -25)
      rig.handset.hangUp()
      t.match(await call.ended(), { by: 'remote', reason: 'hangup', cause: 16 })
      await rig.is('ready')
    })

    await t.test('what is being said stops when it is cleared, and the rest is told', async (t) => {
      const call = await rig.taken()
      call.leg.audio!.play(1, clip(500, 10_000))
      call.leg.audio!.play(2, clip(600, 1000))
      // More than is sent ahead of what the line is known to have heard.
      await eventually('the prompt', () => toneLevel(rig.handset.last(1000), 500) > -20)
      call.leg.audio!.clear()
      const [first, second] = [await call.until('played', 1), await call.until('played', 2)]
      t.match(
        [first, second],
        [
          { playId: 1, completed: false },
          { playId: 2, completed: false, playedMs: 0 },
        ],
      )
      t.ok(first.playedMs > 0 && first.playedMs < 3000, `${first.playedMs} ms were heard`)
      await eventually('silence', () => toneLevel(rig.handset.last(200), 500) < -50)
      call.leg.audio!.play(3, clip(800, 400))
      t.match(await call.until('played', 3), { playId: 3, completed: true })
      call.leg.hangup()
      t.match(await call.ended(), { by: 'local', reason: 'hangup' })
      await rig.is('ready')
      rig.handset.hangUp()
    })

    await t.test('a call out: rings, is answered, and is told when the other side has gone', async (t) => {
      rig.handset.onRing = () => undefined
      const call = new WatchedLeg(rig.line.placeCall('5550100', 40))
      await eventually('the telephone rings', () => rig.handset.rings > 0 && rig.exchange.line('5550100').state === 'ringing')
      await call.until('ringing')
      rig.handset.lift()
      rig.handset.say(tone(620, 1500))
      await call.until('answered')
      call.leg.audio!.play(1, clip(500, 500))
      await call.until('played')
      await eventually('the prompt', () => toneLevel(rig.handset.last(400), 500) > -30)
      rig.handset.hangUp()
      t.match(await call.ended(), { by: 'remote', reason: 'hangup' })
      await rig.is('ready')
      t.equal(rig.line.voice?.duplex, quirks.fullDuplex === false ? 'half' : 'full', 'as it has shown itself')
    })
  })
}
