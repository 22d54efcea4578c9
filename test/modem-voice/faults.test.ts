/** What calls on an analog line meet: numbers that cannot be had, damaged answers, a modem that is pulled out, another box. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { readWav, speech, tone, toneLevel } from '../harness/audio.ts'
import { eventually, pause } from '../harness/scene.ts'
import type { FaxRing } from '../../drivers/fax.ts'
import { createModemLine } from '../../drivers/modem/driver.ts'
import { AnalogHost } from '../../drivers/sim/analog/host.ts'
import { programs, VoiceRig, WatchedLeg } from './rig.ts'

t.setTimeout(300_000)
// They wait most of their time, each with an exchange of its own.
t.jobs = 3

const clip = (hz: number, ms: number) => ({ kind: 'clip', clip: { key: `${hz}-${ms}`, samples: tone(hz, ms) } }) as const

t.test('numbers that cannot be had', { buffered: true }, async (t) => {
  const rig = await new VoiceRig().open()
  t.teardown(() => rig.close())

  await t.test('busy, also by pulses and behind an office exchange; and a number that there is not', async (t) => {
    rig.handset.lift()
    t.match(await new WatchedLeg(rig.line.placeCall('P5550W100', 40)).ended(), { by: 'remote', sipCode: 486, cause: 17 })
    t.ok(rig.trace.includes('> ATDTP5550W100;'), 'what the modem has to know is passed on')
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

t.test('a modem whose voice was not understood at first is asked when it rings, and has the call', { buffered: true }, async (t) => {
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

t.test('a line is on hook after a call of which every command to hang up was damaged', { buffered: true }, async (t) => {
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

t.test('how loud the line is, and levels that somebody has tuned', { buffered: true }, async (t) => {
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
  const lossy = await new VoiceRig({ echo: { lossDb: 12, delayMs: 30 } }).open()
  t.teardown(() => lossy.close())
  const { echoLoss } = (await lossy.line.test(true))!.levels!
  t.ok(echoLoss! > 13 && echoLoss! < 19, `what comes back is not cancelled where it is measured: ${echoLoss} dB`)
  const half = await new VoiceRig({ fullDuplex: false }).open()
  t.teardown(() => half.close())
  t.match(await half.line.test(true), { levels: { dialTone: Number, echoLoss: null } })
})

t.test('a modem that leaves the sound of a call by itself is led back into it', { buffered: true }, async (t) => {
  const rig = await new VoiceRig({ endsAfterMs: 4000 }).open()
  t.teardown(() => rig.close())
  const call = await rig.taken()
  const entered = (): number => rig.trace.filter((line) => line === '> AT+VTR').length
  for (const times of [2, 3]) {
    await eventually('it left its sound, and is in it again', () => entered() === times && rig.trace.at(-1) === '< CONNECT')
    call.leg.audio!.play(times, clip(500, 1000))
    await eventually('the prompt', () => toneLevel(rig.handset.last(400), 500) > -25)
    t.match(await call.until('played', times - 1), { playId: times, completed: true })
  }
  t.same(call.of('ended'), [])
  rig.handset.hangUp()
  t.match(await call.ended(), { by: 'remote', reason: 'hangup' })
  await rig.is('ready')
})

t.test('what the line gives back of a prompt is no voice; the caller who speaks meanwhile is', { buffered: true }, async (t) => {
  const rig = await new VoiceRig({ echo: { lossDb: 10, delayMs: 30 } }).open()
  t.teardown(() => rig.close())
  const call = await rig.taken()
  const audio = call.leg.audio!
  const menu = {
    kind: 'clip',
    clip: { key: 'menu', samples: speech('Please press one for appointments, two for prescriptions, three for billing.') },
  } as const
  audio.play(1, menu)
  await call.until('played')
  audio.listen(true)
  audio.play(2, menu)
  await call.until('played', 2)
  t.same(call.of('voice'), [])
  audio.play(3, menu)
  rig.handset.say(speech('I would like to see the doctor.'))
  t.match(await call.until('voice'), { active: true })
  t.ok(call.of('played').length === 2, 'while the prompt goes on')
  call.leg.hangup()
  await call.ended()
})

t.test('a modem that is unplugged in a call ends it, and is back when it is plugged in', { buffered: true }, async (t) => {
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

t.test('a modem that was away for long is back as soon as one that was not', { buffered: true }, async (t) => {
  const rig = await new VoiceRig().open({ reopenMs: [3000, 600_000] })
  t.teardown(() => rig.close())
  await rig.host.unplug()
  // It was looked for twice meanwhile; twice as late each time, it would be so again twelve seconds after that.
  await pause(9000)
  await rig.host.plug()
  const plugged = performance.now()
  await rig.is('ready')
  const lookOfOneTwiceAsLate = 12_000
  t.ok(performance.now() - plugged < lookOfOneTwiceAsLate, 'within five seconds, and what it takes to set it up')
})

t.test('two boxes call each other over an exchange, and talk both ways', { buffered: true }, async (t) => {
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
