/**
 * A box behind a real Kamailio that is the way of the phones and of the provider at once: `scripts/run test/proofs/edge/main.ts`. Needs no
 * network but the loopback interface; prints a line for each look, and exits 1 where one of them is not as it should be.
 */
import { freePort } from '../../harness/daemon.ts'
import { Engine, extension, pause, trunk } from '../../engine/engine.ts'
import { phoneCalls } from '../../engine/phone-calls.ts'
import { register } from '../../engine/registering.ts'
import { Dialog, SipPeer, token } from '../../engine/sip-peer.ts'
import { authorization, sdp } from '../../engine/sip-text.ts'
import { crowd } from './crowd.ts'
import { KamailioEdge, noKamailio } from './kamailio.ts'

const address = '127.0.0.50'
const providerAddress = '127.0.0.60'

let bad = 0
function look(what: string, good: boolean, seen: unknown = ''): void {
  if (!good) bad += 1
  console.log(`${good ? 'good' : 'BAD '}  ${what}${seen === '' ? '' : `: ${String(seen)}`}`)
}

async function main(): Promise<void> {
  if (noKamailio !== null) return console.log(noKamailio)
  const port = await freePort(address)
  const edgeAt = `${address}:${port}`
  const provider = await SipPeer.udp(port, providerAddress, address)
  const engine = await Engine.start({
    edges: [`${address}/32`],
    phoneNetworks: [],
    emergencyNumbers: ['911'],
    calls: 50,
    trunks: [trunk(`${providerAddress}:${provider.port}`, { outboundProxy: edgeAt, numbers: ['+15550001000'] })],
    extensions: [extension('101', 'right'), extension('102', 'other')],
    ban: { failures: 5, windowSeconds: 30, seconds: 60 },
  })
  const edge = KamailioEdge.start({ address, port, box: `127.0.0.1:${engine.port()}`, provider: `${providerAddress}:${provider.port}` })
  const phone = await SipPeer.udp(port, '127.0.0.71', address)
  const twin = await SipPeer.udp(port, '127.0.0.72', address)
  const guesser = await SipPeer.udp(port, '127.0.0.73', address)
  try {
    await pause(1500)
    await phonesCall(engine, phone, port)
    await providerCalls(engine, provider, port)
    await boxCalls(engine, provider, phone, twin)
    await guesses(engine, guesser, phone)
  } finally {
    for (const peer of [phone, twin, guesser, provider]) peer.close()
    await edge.close()
    await engine.stop()
  }
  await crowd(look)
  console.log(bad === 0 ? 'all good' : `${bad} are not as they should be`)
  process.exitCode = bad === 0 ? 0 : 1
}

async function phonesCall(engine: Engine, phone: SipPeer, port: number): Promise<void> {
  const answer = await register(phone, '101', 'right', [
    `Contact: <sip:101@127.0.0.71:${phone.port};line=x>;expires=300`,
    'Supported: path',
  ])
  look('a phone registers', answer?.status === 200, answer?.start)
  const told = await engine.next('registration')
  const contact = (told['contacts'] as { address: string; path?: string }[])[0]
  look('its address is its own', contact?.address === `127.0.0.71:${phone.port}`, contact?.address)
  look('the way to it is known', /lr;received=sip:127\.0\.0\.71/.test(decodeURIComponent(contact?.path ?? '')), contact?.path)
  for (const number of ['911', '*43', '+15551230009', '102']) {
    const call = phoneCalls(phone, '101', 'right', number)
    const invite = await engine.next('invite')
    const known = invite['extension'] === '101' && invite['to'] === number && invite['source'] === `127.0.0.71:${phone.port}`
    look(`the phone dials ${number}`, known, JSON.stringify({ from: invite['extension'], to: invite['to'], source: invite['source'] }))
    engine.send('progress', { leg: invite['leg'], code: 180 })
    const { dialog } = await call
    engine.send('answer', { leg: invite['leg'] })
    await dialog.answered().catch(() => undefined)
    const answered = await engine.next('answered', { leg: invite['leg'] }, 3000).catch(() => null)
    look(`${number}: the answer and its ACK pass`, answered !== null)
    engine.send('hangup', { leg: invite['leg'] })
    const bye = await phone.request('BYE').catch(() => null)
    look(`${number}: the BYE of the box comes`, bye !== null)
    if (bye !== null) phone.answer(bye, 200)
    await engine.next('ended', { leg: invite['leg'] })
  }
  const asked = `sip:102@${address}:${port}`
  const who = { from: 'sip:101@pbx', callId: token(), headers: ['Event: dialog', 'Accept: application/dialog-info+xml', 'Expires: 600'] }
  const challenge = await phone.ask('SUBSCRIBE', asked, who)
  const lamp = await phone.ask('SUBSCRIBE', asked, {
    ...who,
    cseq: 2,
    headers: [...who.headers, authorization(challenge!, 'SUBSCRIBE', asked, '101', 'right')],
  })
  look('the phone watches a lamp', lamp?.status === 200, lamp?.start)
}

async function providerCalls(engine: Engine, provider: SipPeer, port: number): Promise<void> {
  const options = await provider.ask('OPTIONS', `sip:${address}:${port}`)
  look('the provider asks whether the box is there', options?.status === 200, options?.start)
  const call = new Dialog(provider)
  call.invite('+15550001000', { target: `sip:+15550001000@${address}:${port}`, body: sdp(4000) })
  const invite = await engine.next('invite')
  look('the provider calls', invite['trunk'] === 'main' && invite['source'] === `${providerAddress}:${provider.port}`, invite['source'])
  engine.send('answer', { leg: invite['leg'] })
  await call.answered()
  await engine.next('answered', { leg: invite['leg'] })
  engine.send('hangup', { leg: invite['leg'] })
  provider.answer(await provider.request('BYE'), 200)
  await engine.next('ended', { leg: invite['leg'] })
}

async function boxCalls(engine: Engine, provider: SipPeer, phone: SipPeer, twin: SipPeer): Promise<void> {
  const out = engine.dial({ trunk: 'main', to: '+15551230001' })
  const invite = await provider.request('INVITE')
  look('the box calls through the edge', invite.header('From') !== '' && invite.headers('Via').length === 2, invite.start)
  provider.answer(invite, 486)
  await engine.next('ended', { leg: out })
  await register(twin, '101', 'right', [`Contact: <sip:101@127.0.0.72:${twin.port};line=y>;expires=300`])
  const leg = engine.dial({ extension: '101', to: '101' })
  for (const [peer, line] of [
    [phone, 'line=x'],
    [twin, 'line=y'],
  ] as const) {
    const rung = await peer.request('INVITE').catch(() => null)
    look(`a phone behind the edge rings, by its whole Contact (${line})`, rung?.start.includes(line) === true, rung?.start)
    if (rung !== null) peer.answer(rung, 180)
  }
  engine.send('hangup', { leg })
  for (const peer of [phone, twin]) {
    const cancel = await peer.request('CANCEL').catch(() => null)
    if (cancel !== null) peer.answer(cancel, 200)
    look('its CANCEL comes', cancel !== null)
  }
}

async function guesses(engine: Engine, guesser: SipPeer, phone: SipPeer): Promise<void> {
  for (let n = 0; n < 6; n++) await register(guesser, '101', `wrong${n}`)
  const banned = await engine.next('banned')
  look('six wrong passwords ban that phone', banned['address'] === '127.0.0.73', banned['address'])
  const again = await register(phone, '101', 'right', [`Contact: <sip:101@127.0.0.71:${phone.port};line=x>;expires=300`])
  look('and no other', again?.status === 200, again?.start)
}

await main()
