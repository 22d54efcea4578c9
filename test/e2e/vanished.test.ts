/**
 * Parties that vanish without a word: a phone in a conversation, the network of the trunk, a phone that a call is transferred to, a trunk
 * in mid-dial.
 */
import t from 'tap'
import { Dialog, SipPeer } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'
import { tone } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { eventually } from '../harness/scene.ts'
import { handDesk, openTalkers } from '../harness/talkers.ts'
import { password } from '../sip-driver/phones.ts'

const mediaTimeoutSeconds = 5
const [first, second] = [await SipPeer.udp(0, '127.0.3.1'), await SipPeer.udp(0, '127.0.3.2')]
const scene = await openTalkers((base) => {
  base['sip'] = { ...(base['sip'] as object), mediaTimeoutSeconds }
  base['extensions'] = ['101', '102', '103'].map((number) => ({
    number,
    name: `Desk ${number}`,
    password,
    ringSeconds: 5,
    class: 'national',
  }))
  base['trunks'] = [
    ...(base['trunks'] as object[]),
    ...[first, second].map(({ address, port }, n) => ({
      id: ['first', 'second'][n],
      server: `${address}:${port}`,
      transport: 'udp',
      register: false,
      numbers: [`+1555000700${n}`],
    })),
  ]
  base['outbound'] = [{ to: '+1*', trunks: ['first', 'second'] }]
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(async () => {
  await scene.close()
  for (const far of [first, second]) far.close()
})
t.afterEach(() => scene.sweep())

const past = async (): Promise<any[]> => (await daemon.api('GET', '/api/pbx/calls/history')).body.items
/** Packets of speech that arrive from now on. */
const hears = (rtp: RtpPhone): Promise<number> => rtp.sound(performance.now())

t.test('a phone vanishes in a talk: after the media timeout the other one is hung up, and the history has the call', async (t) => {
  const [one, other] = await Promise.all([handDesk(scene, '101'), handDesk(scene, '102')])
  const calling = one.calls('102')
  const called = await other.takes()
  const call = await calling
  await call.dialog.answered()
  await hears(called.rtp)
  // It answers nothing by itself.
  one.peer.answersOptions = false
  call.rtp.muted = true
  const gone = performance.now()
  other.peer.answer(await called.dialog.request('BYE', 30_000), 200)
  t.ok(performance.now() - gone > (mediaTimeoutSeconds - 1) * 1000, 'not before')
  let record: any
  await eventually('it is in the history', async () => (record = (await past())[0]) !== undefined)
  t.match(record, { outcome: 'answered', extension: '101', hangupBy: 'system' })
})

t.test('the network of the trunk is gone: its call ends after the media timeout, phones talk on', async (t) => {
  const [desk, one, other] = await Promise.all([handDesk(scene, '101'), handDesk(scene, '102'), handDesk(scene, '103')])
  const outside = await SipPeer.udp(daemon.sipPort)
  const voice = await RtpPhone.open()
  voice.say(tone(300, 60_000))
  const dialog = new Dialog(outside)
  dialog.invite('+15550001000', { body: sdp(voice.port) })
  const taken = await desk.takes()
  await dialog.answered()
  const inside = one.calls('103')
  const called = await other.takes()
  const calling = await inside
  await calling.dialog.answered()
  await hears(taken.rtp)
  voice.close()
  outside.close()
  desk.peer.answer(await taken.dialog.request('BYE', 30_000), 200)
  await Promise.all([calling, called].map(({ rtp }) => hears(rtp)))
  t.equal((await calling.dialog.ask('BYE')).status, 200)
  await other.hungUp(called)
})

t.test('transferred to a phone without power: it rings again at who transferred', async (t) => {
  const [one, other, dead] = await Promise.all([handDesk(scene, '101'), handDesk(scene, '102'), handDesk(scene, '103')])
  const calling = await one.calls('102')
  const called = await other.takes()
  await calling.dialog.answered()
  await hears(called.rtp)
  dead.peer.answersOptions = false
  t.equal((await calling.dialog.ask('REFER', { headers: ['Refer-To: <sip:103@pbx>'] })).status, 202)
  one.peer.answer(await calling.dialog.request('BYE', 20_000), 200)
  const again = await one.takes()
  await hears(again.rtp)
  await hears(called.rtp)
  t.equal((await again.dialog.ask('BYE')).status, 200)
  await other.hungUp(called)
})

t.test('a trunk fails while it dials, by an error or by silence: the next one has the call', async (t) => {
  const phone = await handDesk(scene, '101')
  for (const fails of ['an answer', 'silence']) {
    const call = await phone.calls('+15551230009')
    const dialled = await first.request('INVITE')
    if (fails === 'an answer') {
      first.answer(dialled, 100)
      first.answer(dialled, 503)
    }
    const invite = await second.request('INVITE', 10_000)
    second.answer(invite, 200, { body: sdp(39_000, { address: second.address }) })
    await call.dialog.answered()
    await second.request('ACK')
    t.equal((await call.dialog.ask('BYE')).status, 200)
    second.answer(await second.request('BYE'), 200)
  }
})
