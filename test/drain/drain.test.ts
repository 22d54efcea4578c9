/** `pbx drain`: no new calls, over restarts; calls go on, what is accepted waits, help is placed, and proxies are answered accordingly. */
import t from 'tap'
import { Dialog, SipPeer } from '../engine/sip-peer.ts'
import { phoneCalls } from '../engine/phone-calls.ts'
import { sdp } from '../engine/sip-text.ts'
import { eventually, Scene } from '../harness/scene.ts'

const uri = 'sip:pbx'
const scene = await Scene.open({
  settings: (base) => {
    base['box'] = { id: '001' }
    base['sip'] = { ...(base['sip'] as object), phoneNetworks: ['127.0.0.9/32'] }
  },
})
t.setTimeout(180_000)
t.teardown(() => scene.close())
const { app, daemon } = scene
app.script = () => [{ gather: { timeout: 60 } }]

const line = await SipPeer.udp(daemon.sipPort)
t.teardown(() => line.close())

async function caller(): Promise<{ status: number; dialog: Dialog }> {
  const dialog = new Dialog(line)
  dialog.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${line.target}`, body: sdp(4000) })
  const answer = await dialog.final('INVITE', 20_000)
  dialog.learn(answer)
  dialog.send('ACK')
  return { status: answer.status, dialog }
}

const options = async (): Promise<number | undefined> => (await line.ask('OPTIONS', uri))?.status
const ready = async (): Promise<number> => (await fetch(`${daemon.http}/readyz`)).status
const view = async (): Promise<any> => JSON.parse((await daemon.pbx('drain', '--show', '--json')).out)

t.test('a drain', async (t) => {
  const talk = await caller()
  t.equal(talk.status, 200)
  const begun = await daemon.pbx('drain')
  t.match(begun.out, /takes no new calls. In progress: 1/, begun.error)

  await t.test('proxies hear it, the watchdog does not', async (t) => {
    t.equal(await options(), 503)
    t.equal(await ready(), 503)
    t.equal((await fetch(`${daemon.http}/`, { method: 'OPTIONS' })).status, 503)
    t.equal((await fetch(`${daemon.http}/healthz`)).status, 200)
    t.equal((await caller()).status, 503)
    t.match(String((await daemon.api('GET', '/metrics')).body), /^pbx_draining 1$/m)
    t.match(String((await daemon.api('GET', '/metrics')).body), /^pbx_box_info\{box="001",/m)
    t.match((await daemon.pbx('status')).out, /takes no new calls since/)
  })

  await t.test('a phone is refused, and its call for help is placed', async (t) => {
    const phone = await SipPeer.udp(daemon.sipPort, '127.0.0.9')
    t.teardown(() => phone.close())
    t.equal((await phoneCalls(phone, '101', 'a-long-password', '+15551230009', 10_000)).answer.status, 503)
    await scene.expect('answer')
    const help = await phoneCalls(phone, '101', 'a-long-password', '911', 10_000)
    if (help.answer.status < 200) await help.dialog.answered(10_000)
    t.ok(help.answer.status === 180 || help.answer.status === 183 || help.answer.status === 200, `${help.answer.status}`)
    help.dialog.send('BYE')
    await scene.finish()
  })

  let placed = ''
  await t.test('a request is accepted and waits, over kill -9', async (t) => {
    const accepted = await scene.originate({ to: '+15559870000', endpoint: 'reception' })
    t.equal(accepted.status, 200, JSON.stringify(accepted.body))
    placed = accepted.body.callId
    t.equal(placed.slice(19, 22), '001', 'its id names the box')
    t.match(await view(), { draining: true, waiting: 1 })
    await daemon.kill()
    await daemon.start(false)
    await eventually('it is there again', async () => (await fetch(`${daemon.http}/healthz`).catch(() => null))?.status === 200, 30_000)
    t.equal(await ready(), 503)
    t.equal(await options(), 503)
    t.equal((await caller()).status, 503)
    t.match(await view(), { draining: true, waiting: 1 })
    t.match(await daemon.api('GET', `/api/voice/calls/${placed}`), { body: { state: 'queued' } })
  })

  await t.test('--off: calls are taken, and what waited is dialled', async (t) => {
    await scene.expect('answer')
    t.match((await daemon.pbx('drain', '--off')).out, /The box takes calls/)
    await daemon.ready()
    t.equal(await options(), 200)
    await eventually('it is dialled', async () => (await daemon.api('GET', `/api/voice/calls/${placed}`)).body.state !== 'queued', 10_000)
    const again = await caller()
    t.equal(again.status, 200)
    again.dialog.send('BYE')
  })
})

t.test('calls that are left after the time are ended', async (t) => {
  const talk = await caller()
  t.equal(talk.status, 200)
  const [row] = (await daemon.api('GET', '/api/voice/calls?limit=1')).body.items
  t.match((await daemon.pbx('drain', '--for', '2s')).out, /left are ended at/)
  await eventually('its BYE comes', async () => (await line.request('BYE')).header('Call-ID') === talk.dialog.callId, 10_000)
  await eventually('it has ended', async () => {
    const { endReason, endedBy } = (await daemon.api('GET', `/api/voice/calls/${row.callId}`)).body
    return endReason === 'shutdown' && endedBy === 'system'
  })
  await daemon.pbx('drain', '--off')
})

t.test('times that are none are refused', async (t) => {
  for (const time of ['x', '-1', '25h', '1d']) t.not((await daemon.pbx('drain', '--for', time)).code, 0, time)
  t.match(await view(), { draining: false })
})
