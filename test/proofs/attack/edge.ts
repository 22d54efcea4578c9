/** Hosts in front of and behind a proxy of the house, and an attacker who has seen a phone's requests on the wire. */
import { lowerVia, peerWith, type Behind } from '../../engine/behind-edge.ts'
import { phoneCalls } from '../../engine/phone-calls.ts'
import { register } from '../../engine/registering.ts'
import { Dialog, SipPeer, token } from '../../engine/sip-peer.ts'
import { authorization, sdp } from '../../engine/sip-text.ts'
import type { Scene } from '../../harness/scene.ts'
import { none, type Area, type Verdict } from './attack.ts'

const edge = '127.50.0.1'
const password = 'a-long-password'
const uri = 'sip:pbx'
const calls = 50

const through = (box: Scene, behind: Behind): Promise<SipPeer> => peerWith(box.daemon.sipPort, edge, () => lowerVia(behind))

/** Four requests of a stranger whose Via names somebody who is known: how many were answered by anything but a challenge. */
async function forgedVia(box: Scene): Promise<Verdict> {
  const names: Behind[] = [
    { received: '127.0.0.1' },
    { received: edge },
    { received: '127.51.0.1', rport: '40001' },
    { sentBy: '127.0.0.1:5060' },
  ]
  const phone = await through(box, { received: '127.51.0.1', rport: '40001' })
  await register(phone, '101', password)
  let answered = 0
  for (const behind of names) {
    const stranger = await peerWith(box.daemon.sipPort, '127.52.0.1', () => lowerVia(behind))
    for (const method of ['INVITE', 'OPTIONS', 'MESSAGE', 'SUBSCRIBE']) {
      const answer = await stranger.ask(method, 'sip:+15550001000@pbx', { body: sdp(9), ms: 300 })
      answered += answer === undefined ? 0 : 1
    }
    stranger.close()
  }
  phone.close()
  return none({ 'answers to a stranger': answered }, `${names.length * 4} requests`)
}

/** 60 passwords guessed by one behind the edge, while a phone with the same address is registered. */
async function guesses(box: Scene): Promise<Verdict> {
  const phone = await through(box, { received: '127.53.0.1', rport: '40001' })
  const guesser = await through(box, { received: '127.53.0.1', rport: '40002' })
  const before = (await register(phone, '101', password))?.status
  let answered = 0
  for (let n = 0; n < 60; n++) {
    if ((await Promise.race([register(guesser, '102', `guess-${n}`), new Promise<void>((done) => setTimeout(done, 400))]))?.status !== 403)
      break
    answered++
  }
  const after = (await register(phone, '101', password))?.status
  for (const peer of [phone, guesser]) peer.close()
  return {
    seen: `${answered} guesses answered; the phone got ${before} before and ${after ?? 'silence'} after`,
    stood: answered === 5 && after === 200,
  }
}

/** A phone's REGISTERs as they were on the wire, from its own address: `Contact: *`, and one that adds a binding. */
async function replayed(box: Scene): Promise<Verdict> {
  const phone = await SipPeer.udp(box.daemon.sipPort, '127.54.0.1')
  const sent: string[] = []
  const raw = phone.raw.bind(phone)
  phone.raw = (text, port) => (sent.push(String(text)), raw(text, port))
  const headers = [`Contact: ${phone.contact};expires=300`]
  await register(phone, '102', 'another-long-password', ['Contact: *', 'Expires: 0'])
  const removes = sent.at(-1)!
  await register(phone, '102', 'another-long-password', headers)
  const copies = [
    removes,
    removes.replace(/branch=\S+/, `branch=z9hG4bK${token()}`),
    sent.at(-1)!.replace(phone.contact, '<sip:thief@127.55.0.1>'),
  ]
  for (const copy of copies) raw(copy)
  await new Promise((done) => setTimeout(done, 500))
  const challenge = await phone.ask('REGISTER', uri, { to: 'sip:102@pbx' })
  const asked = await phone.ask('REGISTER', uri, {
    to: 'sip:102@pbx',
    cseq: 2,
    headers: [authorization(challenge!, 'REGISTER', uri, '102', 'another-long-password')],
  })
  const bindings = asked?.headers('Contact').join(' ') ?? ''
  phone.close()
  const stood = bindings.includes(phone.contact.slice(1, -1)) && !bindings.includes('thief')
  return { seen: `afterwards it is bound to ${bindings || 'nothing'}`, stood }
}

/** As many callers as there is room for hold their calls; then a phone calls for help. */
async function full(box: Scene): Promise<Verdict> {
  box.app.script = () => [{ gather: { timeout: 60 } }]
  const line = await SipPeer.udp(box.daemon.sipPort)
  const answers: number[] = []
  for (let n = 0; n < calls + 10; n++) {
    const call = new Dialog(line)
    call.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${box.daemon.sipPort}`, body: sdp(4000) })
    const answer = await call.final('INVITE', 10_000)
    answers.push(answer.status)
    call.learn(answer)
    call.send('ACK')
  }
  const phone = await through(box, { received: '127.56.0.1', rport: '40001' })
  await box.expect('answer')
  const help = await phoneCalls(phone, '101', password, '911', 10_000)
  const status = help.answer.status < 200 ? (await help.dialog.answered(10_000)).status : help.answer.status
  for (const peer of [line, phone]) peer.close()
  const count = (code: number) => answers.filter((one) => one === code).length
  return {
    seen: `${count(200)} answered, ${count(503)} x 503, ${count(486)} x 486; then 911: ${status}`,
    stood: count(200) === calls && count(503) === 10 && status === 200,
  }
}

export const edgeArea: Area = {
  name: 'edge',
  settings: (settings) => {
    settings.sip.edges = [`${edge}/32`]
    settings.sip.calls = calls
    for (const trunk of settings.trunks) trunk.channels = calls
  },
  attacks: [
    { name: 'a stranger whose Via names the provider, the edge, or a registered phone', play: forgedVia },
    { name: '60 guesses through the edge beside a registered phone of the same address', play: guesses },
    { name: 'a REGISTER seen on the wire, sent again from the address of the phone', play: replayed },
    { name: `${calls} calls that take all the room, then a call for help`, play: full },
  ],
}
