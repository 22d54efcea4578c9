/** A session timer (RFC 4028) that the far end ought to refresh and does not: the call ends, and nobody is said to have hung up. */
import t from 'tap'
import { RtpPhone } from '../harness/phone.ts'
import { Scene } from '../harness/scene.ts'
import { Sipp } from '../harness/sipp.ts'

const scene = await Scene.open()
t.setTimeout(180_000)
t.teardown(() => scene.close())

// 90 s is the shortest session there is; its end comes 30 s before.
t.test('a call whose session timer ran out was ended by the system', async (t) => {
  scene.app.script = () => [{ gather: { timeout: 120 } }]
  const rtp = scene.keep(await RtpPhone.open())
  const sip = scene.keep(
    await Sipp.start({
      scenario: 'caller',
      target: `127.0.0.1:${scene.daemon.sipPort}`,
      fields: [rtp.port, '+15550001000', '+15551230001', 'ANN LEE'],
      arguments: ['-timeout', '150'],
      edit: (xml) => xml.replace('X-Campaign: spring', 'Supported: timer\n      Session-Expires: 90;refresher=uac'),
    }),
  )
  await rtp.until('audio', () => rtp.packets.length > 10, 20_000)
  const { event } = await scene.app.until('call.ended', () => true, 120_000)
  t.match(event, { state: 'completed', endReason: 'failed', endedBy: 'system' })
  t.ok(event.talkSeconds >= 50 && event.talkSeconds <= 95, `${event.talkSeconds} s`)
  t.equal(await sip.exit, 0, 'it had a BYE')
  t.same(await scene.finish(), [])
})
