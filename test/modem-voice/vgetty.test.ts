/** An answering machine that is not ours: vgetty on a simulated modem of its own takes a call of the box, over a simulated exchange. What it says is heard, what is said it keeps. */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { AnalogHost } from '../../drivers/sim/analog/host.ts'
import { unsigned } from '../../drivers/sim/analog/modem-sound.ts'
import { Peer, whyNot } from '../fax-peers/packages.ts'
import { readWav, tone, toneLevel } from '../harness/audio.ts'
import { programs, VoiceRig, WatchedLeg } from './rig.ts'

t.setTimeout(120_000)

const coding = unsigned('1,"UNSIGNED PCM",8,0,8000,0,0')
/** The loudest second of a tone. */
const loudest = (samples: Int16Array, hz: number): number =>
  Math.max(
    ...Array.from({ length: Math.floor(samples.length / 8000) }, (_, i) => toneLevel(samples.subarray(i * 8000, (i + 1) * 8000), hz)),
  )

t.test('vgetty', { skip: await whyNot('vgetty') }, async (t) => {
  const rig = await new VoiceRig().open()
  const modem = new AnalogHost(programs, rig.exchange.line('300'), { codings: [coding], hearsBusy: true, fullDuplex: false })
  const device = await modem.open()
  await modem.plug()
  writeFileSync(rig.file('greeting'), coding.encode(tone(620, 2500)))
  const vgetty = await Peer.start('vgetty', 'vgetty.sh', [device, rig.directory])
  t.teardown(async () => {
    await vgetty.close()
    await rig.close()
    await modem.close()
  })
  await vgetty.says(/^ready/)
  const call = new WatchedLeg(rig.line.placeCall('300', 40))
  await call.until('ringing')
  await call.until('answered')
  const audio = call.leg.audio!
  audio.record(1, { file: rig.file('heard.wav'), maxMs: 3000 })
  await call.until('recorded')
  t.ok(loudest(readWav(readFileSync(rig.file('heard.wav'))).samples, 620) > -20, 'its greeting')
  audio.play(1, { kind: 'clip', clip: { key: 'message', samples: tone(880, 5000) } })
  t.match(await call.until('played'), { completed: true })
  call.leg.hangup()
  await call.ended()
  await vgetty.says(/^over/)
  t.ok(loudest(coding.decode(readFileSync(rig.file('message'))), 880) > -20, 'the message that it kept')
  t.match(readFileSync(rig.file('received.log'), 'latin1'), /<DLE> <b>/, 'it was told that the box has hung up')
  await rig.is('ready')
})
