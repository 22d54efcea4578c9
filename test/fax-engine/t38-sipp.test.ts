/** The change to T.38 asked for by sipp, while a fax is received: offers as odd as gateways make them, session refreshes, and BYE in the midst. */
import t, { type Test } from 'tap'
import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine, skip, trunk } from '../engine/engine.ts'
import { freePort } from '../harness/daemon.ts'
import { Sipp } from '../harness/sipp.ts'

t.setTimeout(180_000)

const noSipp = spawnSync('sipp', ['-v']).error !== undefined && 'sipp is not installed'
const attributes = ['a=T38FaxVersion:0', 'a=T38MaxBitRate:14400', 'a=T38FaxRateManagement:transferredTCF', 'a=T38FaxUdpEC:t38UDPRedundancy']
const offers: Readonly<Record<string, readonly string[]>> = {
  'as most make it': ['m=image [field0] udptl t38', ...attributes],
  'without any attribute': ['m=image [field0] udptl t38'],
  'with FEC, a later version, flags without a value and words nobody knows': [
    'm=image [field0] udptl t38',
    'a=T38FaxVersion:3',
    'a=T38MaxBitRate:33600',
    'a=T38FaxFillBitRemoval',
    'a=T38FaxTranscodingMMR:0',
    'a=T38FaxRateManagement:localTCF',
    'a=T38FaxMaxBuffer:72',
    'a=T38FaxMaxDatagram:316',
    'a=T38FaxUdpEC:t38UDPFEC',
    'a=T38VendorInfo:0 0 0',
  ],
  'audio and image, both with a port': ['m=audio 9 RTP/AVP 0', 'm=image [field0] udptl t38', ...attributes],
  'image first, audio closed': ['m=image [field0] UDPTL t38', ...attributes, 'm=audio 0 RTP/AVP 0'],
}

t.test('T.38 asked for by sipp', { skip: skip || noSipp }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'fax-t38-sipp-'))
  const engine = await Engine.start()
  const port = await freePort()
  await engine.configure({ trunks: [trunk(`127.0.0.1:${port}`)] })
  t.teardown(async () => {
    await engine.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  const play = async (offer: readonly string[], changes: boolean, t: Test): Promise<void> => {
    const ear = createSocket('udp4')
    await new Promise<void>((resolve) => ear.bind(0, '127.0.0.1', resolve))
    const heard = new Promise<Buffer>((resolve) => ear.once('message', resolve))
    const sipp = await Sipp.start({
      scenario: 't38-caller',
      target: `127.0.0.1:${engine.port()}`,
      port,
      fields: [ear.address().port, '101', '15551230001'],
      edit: (xml) => {
        const text = xml.replaceAll('OFFER', offer.join('\n      '))
        return changes ? text : text.replaceAll('m=image [1-9][0-9]* udptl t38', 'm=audio [1-9]')
      },
    })
    t.teardown(async () => {
      await sipp.close()
      ear.close()
    })
    const leg = Number((await engine.next('invite'))['leg'])
    engine.send('answer', { leg })
    await engine.next('answered', { leg })
    const order = { file: join(directory, `${leg}.tif`), stationId: '2', ecm: true, modems: ['v17', 'v29'], t38: changes }
    engine.send('faxReceive', { leg, ...order })
    if (changes) t.ok((await heard).length >= 6, 'UDPTL comes')
    t.match(await engine.next('faxEnded', { leg }), { code: 49, transport: changes ? 't38' : 'sip-audio', pages: 0 }, 'BYE ends it')
    await engine.next('ended', { leg })
    t.equal(await sipp.exit, 0, sipp.failure())
  }
  for (const [name, offer] of Object.entries(offers)) await t.test(name, (t) => play(offer, true, t))
  await t.test('an image line that is closed changes nothing', (t) => play(['m=audio 9 RTP/AVP 0', 'm=image 0 udptl t38'], false, t))
})
