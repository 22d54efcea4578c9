/** Voice and fax on one line: a modem line of ours that talks, and another that faxes to it over the samples of a simulated exchange. */
import t, { type Test } from 'tap'
import type { FaxLeg, FaxResult } from '../../drivers/fax.ts'
import type { Leg } from '../../drivers/line.ts'
import { createModemLine, type ModemLine } from '../../drivers/modem/driver.ts'
import { AnalogHost } from '../../drivers/sim/analog/host.ts'
import { makePage, readTiff, samePixels, writeTiff } from '../fax-engine/tiff.ts'
import { eventually } from '../harness/scene.ts'
import { faxProgram, sending, Story } from '../modem/rig.ts'
import { programs, silent, VoiceRig, WatchedLeg } from './rig.ts'

t.setTimeout(300_000)

/** A second box on the exchange of the rig. */
async function other(t: Test, rig: VoiceRig, number: string): Promise<ModemLine> {
  const host = new AnalogHost(programs, rig.exchange.line(number))
  const device = await host.open()
  await host.plug()
  const line = createModemLine({ id: 'other', device, number, faxProgram, log: silent, rtscts: false })
  t.teardown(async () => {
    await line.stop()
    await host.close()
  })
  line.start()
  await eventually('the other line is ready', () => line.status().state === 'ready')
  return line
}

t.test('a fax that calls is heard in the call, and received in it: the modem changes to its fax class without hanging up', async (t) => {
  // A modem that takes its time: what is said meanwhile must not come among the commands.
  const rig = await new VoiceRig({ leavesMs: 200 }, { delayMs: 60 }).open({ faxProgram })
  t.teardown(() => rig.close())
  const sender = await other(t, rig, '300')
  const pages = [makePage(200, 1)]
  writeTiff(rig.file('doc.tif'), pages)
  const rings = rig.rings()
  const caller = new Story()
  sender.sendFax('200', sending(rig.file('doc.tif')), caller)
  const call = new WatchedLeg((await rings).voice!())
  const leg = call.leg as Leg & FaxLeg
  leg.answer()
  await call.until('answered')
  leg.audio!.play(1, { kind: 'tone', hz: [440], ms: 60_000 })
  const told = new Promise<string>((resolve) => leg.listenForTones(resolve))
  t.equal(await told, 'cng', 'the calling tone, while an application speaks')
  const from = rig.trace.length
  const request = { file: rig.file('got.tif'), stationId: '200', ecm: true, t38: false }
  const ended = new Promise<FaxResult>((resolve) => leg.receiveFax(request, { progress: () => undefined, ended: resolve }))
  const [sent, received] = await Promise.all([caller.result, ended])
  t.match(sent, { code: 0, dial: 'connected', pages: 1, ecm: true, bitRate: 14_400 }, 'as the sender has it')
  t.match(received, { code: 0, pages: 1, badRows: 0 })
  t.same(
    readTiff(rig.file('got.tif')).map((page, i) => samePixels(page, pages[i]!)),
    [true],
    'every pixel',
  )
  const said = rig.trace.slice(from).filter((line) => line.startsWith('>'))
  const answered = said.indexOf('> ATA')
  t.equal(said.slice(0, answered).filter((line) => line === '> AT+FCLASS=1').length, 1, said.join(' '))
  t.notOk(
    said.slice(0, answered).some((line) => /ATH|ATZ|VLS=0/.test(line)),
    'it does not hang up in between',
  )
  await call.ended()
  await rig.is('ready')
  await eventually('the sender is ready', () => sender.status().state === 'ready')
  await rig.taken()
})

t.test('a voice call that is dialled hears that a fax machine has answered', async (t) => {
  const rig = await new VoiceRig({}, { delayMs: 60 }).open({ faxProgram })
  t.teardown(() => rig.close())
  const machine = await other(t, rig, '300')
  machine.onRing = (ring) => ring.receiveFax({ file: rig.file('none.tif'), stationId: '300', ecm: true, t38: false }, new Story())
  const call = new WatchedLeg(rig.line.placeCall('300', 40))
  const leg = call.leg as Leg & FaxLeg
  const told = new Promise<string>((resolve) => leg.listenForTones(resolve))
  t.equal(await told, 'ced')
  leg.hangup()
  await call.ended()
  await rig.is('ready')
})
