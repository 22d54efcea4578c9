/**
 * Calls for help over real SIP: who is notified and how, what the centre learns of where the phone is, a box that stops, and the test call.
 */
import t from 'tap'
import { findClip, speech, tone } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { MailServer } from '../mail/server.ts'
import { Dialog, SipPeer } from '../engine/sip-peer.ts'
import { authorization, sdp } from '../engine/sip-text.ts'
import { RtpPhone } from '../harness/phone.ts'

const upstairs = '127.0.0.41'
const mail = await MailServer.open(t)
const scene = await Scene.open({
  settings: (base) => {
    base['site'] = { ...(base['site'] as object), name: 'Riverside Clinic', country: 'US', number: '+15550001000' }
    base['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'clinic@example.com' }
    base['sms'] = { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003' }] }
    base['emergency'] = {
      trunks: ['main'],
      callerId: '+15550001000',
      location: 'Riverside Clinic, ground floor',
      locations: [
        {
          networks: [`${upstairs}/32`],
          text: 'Riverside Clinic, second floor',
          callerId: '+15550001002',
          headers: { Geolocation: '<https://lis.example.net/second-floor>' },
        },
      ],
      notify: { extensions: ['101', '102'], mail: 'office@example.com', sms: ['+15555550123'] },
    }
  },
})
const { app, daemon, trunk } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())
const registrar = `127.0.0.1:${daemon.sipPort}`
const phone = async (options: Partial<Parameters<typeof Baresip.start>[0]> = {}) => {
  const started = scene.keep(await Baresip.start({ registrar, user: '101', password: 'a-long-password', ...options }))
  await started.until('REGISTER_OK')
  return started
}

t.test('phones, mail and text say at once who calls for help and where; the call waits for none of them', async (t) => {
  const centre = await scene.expect('answer')
  const nurse = await phone({ user: '102', password: 'another-long-password', address: '127.0.0.3', autoAnswer: true })
  const caller = await phone()
  const arrived = mail.next()
  await caller.command('dial', `sip:911@${registrar}`)
  await caller.until('CALL_ESTABLISHED')
  await centre.rtp.sound()
  await nurse.until('CALL_ESTABLISHED')
  t.match(JSON.stringify(nurse.events), /EMERGENCY Front desk/, 'its display says so')
  await arrived
  t.match(mail.received.at(-1), { to: ['office@example.com'], text: /Subject: EMERGENCY CALL to 911 from extension 101, Front desk/ })
  t.match(mail.received.at(-1)?.text, /Where: Riverside Clinic, ground floor/)
  const texts = JSON.parse((await daemon.pbx('sms', 'list', '--json')).out) as { to: string; body?: string }[]
  t.match(texts, [{ to: '+15555550123' }])
  await nurse.until('CALL_CLOSED', 60_000)
  const said = speech('Emergency call to 9 1 1 from extension 101, Front desk, Riverside Clinic, ground floor.')
  // A slow voice begins with a shorter piece, which sounds a little different.
  t.ok(findClip(nurse.heard(), said).heardMs > 2000, 'the nurse hears who and where')
  t.notOk(
    caller.events.some(({ type }) => type === 'CALL_CLOSED'),
    'the call for help goes on',
  )
  t.equal(caller.events.filter(({ type }) => type === 'CALL_INCOMING').length, 0, 'who calls for help is not rung')
  await caller.command('hangup')
  await caller.until('CALL_CLOSED')
  t.match(trunk.invites.at(-1), /^From: "Front desk" <sip:\+15550001000@/m)
  t.notMatch(trunk.invites.at(-1), /Geolocation/)
})

t.test('a phone of another network: its own place, number and headers', async (t) => {
  await scene.expect('answer')
  const caller = await phone({ address: upstairs })
  const arrived = mail.next()
  await caller.command('dial', `sip:911@${registrar}`)
  await caller.until('CALL_ESTABLISHED')
  await arrived
  t.match(mail.received.at(-1)?.text, /Where: Riverside Clinic, second floor/)
  t.match(trunk.invites.at(-1), /^Geolocation: <https:\/\/lis\.example\.net\/second-floor>/m)
  t.match(trunk.invites.at(-1), /^From: "Front desk" <sip:\+15550001002@/m)
  await caller.command('hangup')
  await caller.until('CALL_CLOSED')
  t.match((await daemon.pbx('status')).out, /the last time from 101, Front desk, Riverside Clinic, second floor/)
})

t.test('a phone that is not registered calls for help with its password, and may call nobody else', async (t) => {
  const lapsed = scene.keep(await SipPeer.udp(daemon.sipPort, '127.0.0.43'))
  void lapsed.ask('INVITE', 'sip:102@pbx', { from: 'sip:101@pbx', body: sdp(9), ms: 10 })
  const centre = await scene.expect('answer')
  const rtp = scene.keep(await RtpPhone.open(lapsed.address))
  const offer = { body: sdp(rtp.port, { address: lapsed.address }) }
  const call = new Dialog(lapsed)
  call.invite('911', { from: '<sip:101@pbx>', ...offer })
  const challenge = await call.final('INVITE')
  t.equal(lapsed.bytes, challenge.text.length, 'of a call to somebody else a stranger hears nothing')
  call.send('ACK')
  call.send('INVITE', { ...offer, headers: [authorization(challenge, 'INVITE', call.target, '101', 'a-long-password')] })
  await call.answered()
  rtp.say(tone(440, 5000))
  await centre.rtp.sound()
  t.equal((await call.ask('BYE')).status, 200)
  t.match((await daemon.pbx('status')).out, /the last time from 101, Front desk/)
})

t.test('pbx emergency test calls the test number alone and keeps what is read back', async (t) => {
  const provider = await scene.expect('answer')
  const asked = daemon.pbx('emergency', 'test', '--json')
  await provider.rtp.until('audio', () => provider.rtp.packets.length > 5)
  provider.rtp.say(tone(440, 3000))
  await provider.rtp.said()
  await provider.hangup()
  const { code, out } = await asked
  t.equal(code, 0)
  const view = JSON.parse(out) as Record<string, unknown>
  t.match(view, { number: '933', trunkId: 'main', callerId: '+15550001000', location: 'Riverside Clinic, ground floor', answered: true })
  t.type(view['recordingId'], 'string')
  t.match(trunk.invites.at(-1), /^INVITE sip:933@/)
  t.match((await daemon.pbx('audit', 'list', '--json')).out, /emergency\.test/)
  const nobody = await daemon.pbx('emergency', 'test')
  t.equal(nobody.code, 1)
  t.match(nobody.out, /was not answered \(SIP 404\)/)
})

t.test('a box that stops still calls for help', async (t) => {
  app.script = () => [{ gather: { timeout: 60 } }]
  const holder = await scene.call()
  const [caller, other] = [await phone(), await phone({ user: '102', password: 'another-long-password', address: '127.0.0.3' })]
  await scene.expect('answer')
  daemon.signal('SIGTERM')
  await eventually('it stops', () => daemon.log.some(({ msg }) => msg?.startsWith('stopping') === true))
  await other.command('dial', `sip:101@${registrar}`)
  t.match((await other.until('CALL_CLOSED')).param, /^503/, 'others are refused: it stops')
  await caller.command('dial', `sip:911@${registrar}`)
  await caller.until('CALL_ESTABLISHED')
  await caller.command('hangup')
  await caller.until('CALL_CLOSED')
  await holder.hangup()
})
