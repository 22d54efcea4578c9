/** Room for calls: so many legs at once, what is kept for help, who gives way, and how OPTIONS is answered. */
import t from 'tap'
import { behindEdge, edgeAddress } from './behind-edge.ts'
import { Engine, extension, pause, skip, trunk } from './engine.ts'
import { phoneCalls } from './phone-calls.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

const calls = 6
/** Beyond these, for help. */
const forHelp = 4
const uri = 'sip:pbx'
/** A call that came in and that nobody takes is refused after so long: a call that is refused at once is not one of these. */
const nobodyTakesMs = 5000

type Checks = Pick<typeof t, 'equal' | 'ok' | 'comment'>

interface House {
  readonly engine: Engine
  readonly line: SipPeer
  readonly phone: SipPeer
  /** A call of the provider's, answered; its leg and its end at the provider. */
  talk(): Promise<{ leg: number; dialog: Dialog }>
}

async function house(more: object = {}): Promise<House> {
  const line = await SipPeer.udp(0)
  const engine = await Engine.start({
    calls,
    trunks: [trunk(`127.0.0.1:${line.port}`)],
    extensions: [extension('101', 'right'), extension('102', 'other')],
    emergencyNumbers: ['911'],
    phoneNetworks: ['127.0.0.80/32'],
    ...more,
  })
  Object.assign(line, { target: engine.port() })
  const phone = await SipPeer.udp(engine.port(), '127.0.0.80')
  t.teardown(async () => {
    await engine.stop()
    for (const peer of [line, phone]) peer.close()
  })
  const talk = async () => {
    const dialog = new Dialog(line)
    dialog.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${engine.port()}`, body: sdp(4000) })
    const invite = await engine.next('invite', { sipCallId: dialog.callId })
    engine.send('answer', { leg: invite['leg'] })
    await dialog.answered()
    await engine.next('answered', { leg: invite['leg'] })
    return { leg: invite['leg'] as number, dialog }
  }
  return { engine, line, phone, talk }
}

async function refusedInTime(t: Checks, line: SipPeer, engine: Engine): Promise<void> {
  const dialog = new Dialog(line)
  const began = performance.now()
  dialog.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${engine.port()}`, body: sdp(4000) })
  const answer = await dialog.final('INVITE')
  t.equal(answer.status, 503)
  t.ok(Number(answer.header('Retry-After')) > 0)
  const tookMs = Math.round(performance.now() - began)
  t.comment(`refused after ${tookMs} ms`)
  t.ok(tookMs < nobodyTakesMs)
}

t.test('whom there is no room for is refused with 503, and has room again afterwards', { skip, timeout: 60_000 }, async (t) => {
  const { engine, line, phone, talk } = await house()
  const talks = []
  for (let n = 0; n < calls; n++) talks.push(await talk())
  await refusedInTime(t, line, engine)
  t.equal((await line.ask('OPTIONS', uri))?.status, 503)
  const refused = await phoneCalls(phone, '101', 'right', '+15551230001')
  t.equal(refused.answer.status, 503, 'a phone of the house, too')
  t.ok(Number(refused.answer.header('Retry-After')) > 0)
  const leg = engine.dial({ trunk: 'main', to: '+15551230002' })
  t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'failed', code: 503, text: /no room.*sip\.calls: 6/ })
  engine.send('ping', { n: 7 })
  t.match(await engine.next('pong', { n: 7 }), { calls, callsLimit: calls })
  await talks[0]!.dialog.ask('BYE')
  t.equal((await line.ask('OPTIONS', uri))?.status, 200)
  await talk()
})

t.test('a repeated INVITE of a call that came in is not refused when the room is full', { skip, timeout: 60_000 }, async (t) => {
  const { engine, line, talk } = await house()
  for (let n = 1; n < calls; n++) await talk()
  const last = new Dialog(line)
  last.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${engine.port()}`, body: sdp(4000) })
  const invite = await engine.next('invite')
  engine.send('progress', { leg: invite['leg'], code: 180 })
  await last.provisional(180)
  t.equal((await line.ask('OPTIONS', uri))?.status, 503)
  engine.send('answer', { leg: invite['leg'] })
  t.equal((await last.answered()).status, 200)
})

t.test('calls that end by the dozen leave their places at once', { skip, timeout: 60_000 }, async (t) => {
  const { engine, line, phone, talk } = await house()
  const began = performance.now()
  for (let n = 0; n < 40; n++) {
    const talks = [await talk(), await talk(), await talk()]
    for (const { dialog } of talks) {
      dialog.reach(engine.port())
      t.equal((await dialog.ask('BYE')).status, 200)
    }
  }
  t.comment(`${Math.round(performance.now() - began)} ms`)
  const help = phoneCalls(phone, '101', 'right', '911')
  const invite = await engine.next('invite', { to: '911' })
  engine.send('reject', { leg: invite['leg'], code: 480 })
  t.equal((await help).answer.status, 480)
  t.equal((await line.ask('OPTIONS', uri))?.status, 200)
})

t.test('a call for help has a place when nobody else has, and then that of another call', { skip, timeout: 60_000 }, async (t) => {
  const { engine, line, phone, talk } = await house()
  const talks = []
  for (let n = 0; n < calls - 1; n++) talks.push(await talk())
  const ringing = new Dialog(line)
  ringing.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${engine.port()}`, body: sdp(4000) })
  const rung = await engine.next('invite')
  engine.send('progress', { leg: rung['leg'], code: 180 })
  await ringing.provisional(180)

  const help: number[] = []
  const callHelp = async () => {
    const call = phoneCalls(phone, '101', 'right', '911')
    const invite = await engine.next('invite', { to: '911' })
    engine.send('progress', { leg: invite['leg'], code: 180 })
    t.equal((await call).answer.status, 180)
    const leg = engine.dial({ trunk: 'main', to: '911', help: true })
    const out = await line.request('INVITE')
    line.answer(out, 200, { body: sdp(4002) })
    await engine.next('answered', { leg })
    engine.send('answer', { leg: invite['leg'] })
    await (await call).dialog.answered()
    await engine.next('answered', { leg: invite['leg'] })
    engine.bridge(leg, invite['leg'] as number)
    help.push(leg, invite['leg'] as number)
  }
  await callHelp()
  await callHelp()
  t.same(engine.of('ended'), [], `${forHelp} legs are kept for help`)

  await callHelp()
  const first = await engine.next('ended')
  t.match(first, { leg: rung['leg'], by: 'system', code: 503, text: /call for help/ }, 'who rings gives way first')
  const answer = await ringing.final('INVITE')
  t.equal(answer.status, 503)
  t.ok(Number(answer.header('Retry-After')) > 0)
  ringing.send('ACK')
  const second = await engine.next('ended')
  t.match(second, { leg: talks.at(-1)!.leg, by: 'system', reason: 'failed' }, 'then the newest of those who talk')
  line.answer(await line.request('BYE'), 200)
  await callHelp()
  for (let n = 0; n < 2; n++) {
    const { leg } = await engine.next('ended')
    t.notOk(help.includes(leg as number), 'never a call for help')
    line.answer(await line.request('BYE'), 200)
  }
})

t.test('what this box dials gives way, too, before anybody who talks', { skip, timeout: 60_000 }, async (t) => {
  const { engine, line, phone, talk } = await house({ calls: 2 })
  await talk()
  const leg = engine.dial({ trunk: 'main', to: '+15551230002' })
  line.answer(await line.request('INVITE'), 180)
  await engine.next('ringing', { leg })
  for (let n = 0; n < forHelp; n++) {
    engine.dial({ trunk: 'main', to: '911', help: true })
    line.answer(await line.request('INVITE'), 180)
  }
  const call = phoneCalls(phone, '101', 'right', '911')
  await engine.next('invite', { to: '911' })
  t.match(await engine.next('ended'), { leg, by: 'system', code: 503, text: /call for help/ })
  line.answer(await line.request('CANCEL'), 200)
  void call.catch(() => undefined)
})

t.test('without a daemon that speaks, calls are refused at once but for those for help', { skip, timeout: 60_000 }, async (t) => {
  const { engine, line, phone } = await house()
  engine.send('ping', { n: 1 })
  await engine.next('pong', { n: 1 })
  t.equal((await line.ask('OPTIONS', uri))?.status, 200)
  const before = new Dialog(line)
  const began = performance.now()
  before.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${engine.port()}`, body: sdp(4000) })
  await engine.next('invite', { sipCallId: before.callId })
  t.equal((await before.final('INVITE')).status, 503)
  before.send('ACK')
  const waited = performance.now() - began
  t.ok(waited > 2000 && waited < nobodyTakesMs - 500, `who came before it stood still waited ${Math.round(waited)} ms`)
  const answer = await line.ask('OPTIONS', uri)
  t.equal(answer?.status, 503)
  t.ok(Number(answer?.header('Retry-After')) > 0)
  await refusedInTime(t, line, engine)
  const refused = await phoneCalls(phone, '101', 'right', '+15551230001')
  t.equal(refused.answer.status, 503)
  t.ok(refused.took < nobodyTakesMs)
  t.same(engine.of('invite'), [])
  const help = phoneCalls(phone, '101', 'right', '911')
  const invite = await engine.next('invite', { to: '911' })
  engine.send('ping', { n: 2 })
  engine.send('progress', { leg: invite['leg'], code: 180 })
  t.equal((await help).answer.status, 180, 'held until the daemon speaks again')
  t.equal((await line.ask('OPTIONS', uri))?.status, 200)
})

t.test('while it drains the box says so to whoever asks', { skip, timeout: 60_000 }, async (t) => {
  const { engine, line } = await house()
  engine.send('drain')
  engine.send('ping', { n: 1 })
  await engine.next('pong', { n: 1 })
  t.match(await line.ask('OPTIONS', uri), { status: 503 })
  await refusedInTime(t, line, engine)
  engine.send('drain', { on: false })
  engine.send('ping', { n: 2 })
  await engine.next('pong', { n: 2 })
  t.match(await line.ask('OPTIONS', uri), { status: 200 })
})

t.test(
  'a phone behind an edge hears that the box is closed before it has to prove itself, so the edge asks the next box',
  { skip, timeout: 60_000 },
  async (t) => {
    const { engine, talk } = await house({ calls: 1, edges: [`${edgeAddress}/32`] })
    const phone = await behindEdge(engine.port(), { received: '10.7.0.1', rport: '40001' })
    t.teardown(() => phone.close())
    const asked = async (number: string): Promise<number | undefined> =>
      (await phone.ask('INVITE', `sip:${number}@pbx`, { from: 'sip:101@pbx', body: sdp(4000), ms: 1000 }))?.status
    const closed = async (why: string): Promise<void> => {
      t.equal(await asked('+15551230001'), 503, why)
      t.equal(await asked('911'), 401, `${why}: a call for help comes in`)
    }
    t.equal(await asked('+15551230001'), 401, 'while it takes calls')
    engine.send('drain')
    engine.send('ping', { n: 1 })
    await engine.next('pong', { n: 1 })
    await closed('it drains')
    engine.send('drain', { on: false })
    engine.send('ping', { n: 2 })
    await engine.next('pong', { n: 2 })
    t.equal(await asked('+15551230001'), 401, 'it drains no more')
    await talk()
    await closed('it is full')
  },
)
