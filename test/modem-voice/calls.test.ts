/** Voice calls on an analog line: a real serial driver on a pseudo terminal, a simulated V.253 modem and exchange, and somebody with a telephone. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { readWav, tone, toneLevel } from '../harness/audio.ts'
import { eventually } from '../harness/scene.ts'
import type { FaxRing } from '../../drivers/fax.ts'
import { createModemLine } from '../../drivers/modem/driver.ts'
import { AnalogHost } from '../../drivers/sim/analog/host.ts'
import { programs, VoiceRig, WatchedLeg } from './rig.ts'

t.setTimeout(300_000)

const clip = (hz: number, ms: number) => ({ kind: 'clip', clip: { key: `${hz}-${ms}`, samples: tone(hz, ms) } }) as const
const kinds = [
  { name: 'full duplex, mu-law', quirks: {} },
  { name: 'full duplex, 8 bit linear', quirks: { format: 'unsigned', shielded: false } },
  { name: 'half duplex', quirks: { fullDuplex: false } },
  { name: 'half duplex, listening ends by ESC', quirks: { fullDuplex: false, escape: true, model: 'Lucent LT V.92' } },
] as const

for (const { name, quirks } of kinds) {
  t.test(name, async (t) => {
    const rig = await new VoiceRig(quirks).open()
    t.teardown(() => rig.close())
    t.equal(rig.line.voice?.duplex, 'fullDuplex' in quirks ? 'half' : 'full')

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
    })
  })
}

t.test('numbers that cannot be had', async (t) => {
  const rig = await new VoiceRig().open()
  t.teardown(() => rig.close())

  await t.test('busy, also by pulses and behind an office exchange; and a number that there is not', async (t) => {
    rig.handset.lift()
    t.match(await new WatchedLeg(rig.line.placeCall('P5550W100', 40)).ended(), { by: 'remote', sipCode: 486, cause: 17 })
    t.ok(rig.trace.includes('> ATDTP5550W100'), 'what the modem has to know is passed on')
    await rig.is('ready')
    t.match(await new WatchedLeg(rig.line.placeCall('999', 40)).ended(), { by: 'remote', sipCode: 503, cause: 34 })
    rig.handset.hangUp()
    await rig.is('ready')
  })

  await t.test('nobody takes it, and the line is dialled again at once', async (t) => {
    t.match(await new WatchedLeg(rig.line.placeCall('5550100', 4)).ended(), { reason: 'no-answer', cause: 19 })
    const next = new WatchedLeg(rig.line.placeCall('5550100', 40))
    await next.until('ringing')
    next.leg.hangup()
    t.match(await next.ended(), { by: 'local', reason: 'canceled' })
    await eventually('it rings no more', () => rig.exchange.line('5550100').state === 'idle')
    await rig.is('ready')
  })

  await t.test('a caller gives up before anybody answers', async (t) => {
    const rings = rig.rings()
    rig.handset.call('200')
    const call = new WatchedLeg((await rings).voice!())
    rig.handset.hangUp()
    t.match(await call.ended(), { by: 'remote', reason: 'canceled' })
    await rig.is('ready')
  })

  await t.test('the wire is cut: there is no dial tone', async (t) => {
    rig.exchange.line('200').cutOff()
    t.match(await new WatchedLeg(rig.line.placeCall('5550100', 40)).ended(), { sipCode: 503, cause: 27, text: /cable/ })
  })
})

t.test('a modem whose voice was not understood at first is asked when it rings, and has the call', async (t) => {
  let damaged = 1
  const rig = await new VoiceRig({ damaged: (command) => command === '+FCLASS=8' && damaged-- > 0 }).open({ reopenMs: [600_000, 600_000] })
  t.teardown(() => rig.close())
  t.not(rig.line.status().text, '', 'it is said that it has none')
  t.equal(rig.line.voice?.duplex, null)
  const call = await rig.taken()
  t.equal(rig.line.voice?.duplex, 'full')
  rig.handset.hangUp()
  await call.ended()
  await rig.is('ready')
  t.equal(rig.line.status().text, '')
})

t.test('a line is on hook after a call of which every command to hang up was damaged', async (t) => {
  let damaged = 0
  const lost: string[] = []
  const rig = await new VoiceRig({ damaged: (command) => /^(H0|Z)$/.test(command) && damaged-- > 0 && lost.push(command) > 0 }).open()
  t.teardown(() => rig.close())
  const call = await rig.taken()
  damaged = 3
  call.leg.hangup()
  rig.handset.hangUp()
  await call.ended()
  await rig.is('ready')
  t.same(lost, ['H0', 'H0', 'Z'])
  t.equal(rig.exchange.line('200').state, 'idle')
  await rig.taken()
})

t.test('how loud the line is, and levels that somebody has tuned', async (t) => {
  const rig = await new VoiceRig().open({ setup: ['AT+VGR=140'] })
  t.teardown(() => rig.close())
  t.ok(rig.trace.lastIndexOf('> AT+VGR=140') > rig.trace.lastIndexOf('> AT+VGR=128'), 'not set back')
  const found = await rig.line.test(true)
  t.match(found, { answered: true, levels: { dialTone: Number, noise: Number, echoLoss: Number } })
  const { dialTone, noise } = found!.levels!
  t.ok(dialTone! > -40 && dialTone! < -3, `dial tone ${dialTone}`)
  t.ok(noise! < dialTone! - 20, `then ${noise}`)
  await rig.is('ready')
  t.equal(rig.exchange.line('200').state, 'idle')
  await rig.taken()
  rig.handset.hangUp()
  const half = await new VoiceRig({ fullDuplex: false }).open()
  t.teardown(() => half.close())
  t.match(await half.line.test(true), { levels: { dialTone: Number, echoLoss: null } })
})

t.test('a modem that is unplugged in a call ends it, and is back when it is plugged in', async (t) => {
  const rig = await new VoiceRig().open()
  t.teardown(() => rig.close())
  const call = await rig.taken()
  call.leg.audio!.play(1, clip(500, 5000))
  await rig.host.unplug()
  t.match(await call.ended(), { by: 'system', reason: 'unreachable' })
  rig.handset.hangUp()
  await rig.host.plug()
  await rig.is('ready')
  const again = await rig.taken()
  again.leg.hangup()
  await again.ended()
})

t.test('two boxes call each other over an exchange, and talk both ways', async (t) => {
  const one = await new VoiceRig().open()
  t.teardown(() => one.close())
  const other = new AnalogHost(programs, one.exchange.line('300'))
  const device = await other.open()
  await other.plug()
  const line = createModemLine({
    id: 'line2',
    device,
    number: '300',
    faxProgram: '/bin/false',
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
    voice: { country: 'US' },
    rtscts: false,
  })
  line.start()
  t.teardown(async () => {
    await line.stop()
    await other.close()
  })
  await eventually('the other box is ready', () => line.status().state === 'ready')
  const rings = new Promise<FaxRing>((resolve) => (line.onRing = resolve))
  const caller = new WatchedLeg(one.line.placeCall('300', 40))
  const ring = await rings
  t.equal(ring.callerNumber, '200')
  const called = new WatchedLeg(ring.voice!())
  called.leg.answer()
  await called.until('answered')
  called.leg.audio!.play(1, clip(700, 4000))
  await caller.until('answered')
  caller.leg.audio!.record(1, { file: one.file('one.wav'), maxMs: 1500 })
  t.match(await caller.until('recorded'), { reason: 'max-length' })
  called.leg.audio!.clear()
  called.leg.audio!.record(2, { file: one.file('two.wav'), maxMs: 1500 })
  caller.leg.audio!.play(2, clip(900, 3000))
  await called.until('recorded')
  for (const [file, hz] of [
    ['one.wav', 700],
    ['two.wav', 900],
  ] as const) {
    const { samples } = readWav(readFileSync(one.file(file)))
    t.ok(toneLevel(samples.subarray(-4000), hz) > -25, file)
  }
  caller.leg.hangup()
  t.match(await called.ended(), { by: 'remote', reason: 'hangup' }, 'the other box hears that it is over')
})
