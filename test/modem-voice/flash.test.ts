/** A line behind a switchboard: the hook is flashed in a call, another extension is called, and hanging up transfers. */
import t from 'tap'
import { Handset } from '../../drivers/sim/analog/handset.ts'
import { realClock } from '../../drivers/sim/time.ts'
import { tone, toneLevel } from '../harness/audio.ts'
import { eventually, pause } from '../harness/scene.ts'
import { VoiceRig } from './rig.ts'

t.setTimeout(120_000)
t.jobs = 2

for (const { name, quirks } of [
  { name: 'full duplex, AT+VTS=!', quirks: { hearsBusy: true } },
  { name: 'half duplex, ATD!;', quirks: { fullDuplex: false, flashes: false } },
]) {
  t.test(name, { buffered: true }, async (t) => {
    const rig = await new VoiceRig(quirks).open()
    t.teardown(() => rig.close())
    const third = new Handset(rig.exchange.line('102'), realClock)
    t.teardown(() => third.hangUp())
    const caller = rig.handset
    const call = await rig.taken()

    call.leg.audio!.sendDigits('!')
    await eventually('the caller waits', () => caller.line.state === 'held')
    await eventually('a second dial tone', () => rig.exchange.line('200').state === 'dial-tone')
    call.leg.audio!.sendDigits('!')
    await eventually('back to the caller', () => caller.line.state === 'talking')

    third.lift()
    call.leg.audio!.sendDigits('!102')
    await eventually('the extension is busy', () => rig.exchange.line('200').tone === 'busy')
    // Four rounds of busy tone and more: one who is not behind a switchboard has hung up after three.
    await pause(4500)
    third.hangUp()
    call.leg.audio!.sendDigits('!')
    await eventually('back to the caller again', () => caller.line.state === 'talking')

    call.leg.audio!.sendDigits('!102')
    await eventually('the extension rings', () => third.line.state === 'ringing')
    third.lift()
    await eventually('the extension talks to the box', () => third.line.state === 'talking')
    t.equal(caller.line.state, 'held')
    t.same(call.of('ended'), [], 'the tones of the switchboard are no hang-up')
    call.leg.hangup()
    await call.ended()
    await eventually('both are joined', () => caller.line.peer === third.line && third.line.peer === caller.line)
    third.say(tone(600, 1000))
    await eventually('and talk', () => toneLevel(caller.last(200), 600) > -25)
    caller.hangUp()
    await rig.is('ready')
  })
}
