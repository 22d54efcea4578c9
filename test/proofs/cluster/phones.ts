/** Phones through the edge that pbx cluster render wrote: behind address translation, many at once, guessers, strangers, places of help. */
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { register } from '../../engine/registering.ts'
import { SipPeer, token } from '../../engine/sip-peer.ts'
import { authorization, sdp } from '../../engine/sip-text.ts'
import { extensionOf, LightPhone } from '../../harness/light-phone.ts'
import { edge, provider } from '../../../scripts/cluster/fleet.ts'
import { look } from '../../cluster/caller.ts'
import { callsForHelp } from './room.ts'
import { passwordOf, Phone, type Stage } from './stage.ts'

export const crowdCount = 500
const promisedSeconds = 30

export async function phones(stage: Stage): Promise<void> {
  await translated()
  await rings(stage)
  await places(stage)
  await strangers(stage)
  await otherBox(stage)
  await crowd(stage)
}

function sh(...lines: string[]): void {
  for (const line of lines) {
    const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${line}: ${stderr}`)
  }
}

/** A branch with private addresses behind a router of the kernel. */
async function translated(): Promise<void> {
  sh(
    'ip netns add router && ip netns add branch',
    'ip link add name to-router type veth peer name eth0 netns router && ip link set to-router master bridge0 up',
    'ip -n router link set lo up && ip -n router address add 10.211.0.50/24 dev eth0 && ip -n router link set eth0 up',
    'ip link add name inner netns router type veth peer name eth0 netns branch',
    'ip -n router address add 192.168.77.1/24 dev inner && ip -n router link set inner up',
    'ip -n branch link set lo up && ip -n branch address add 192.168.77.2/24 dev eth0 && ip -n branch link set eth0 up',
    'ip -n branch route add default via 192.168.77.1',
    'ip netns exec router sysctl -qw net.ipv4.ip_forward=1',
    'ip netns exec router iptables -t nat -A POSTROUTING -o eth0 -j MASQUERADE',
  )
  const child = spawn('ip', ['netns', 'exec', 'branch', process.execPath, join(import.meta.dirname, 'branch-phone.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  await new Promise((done) => child.once('close', done))
  const {
    registered = 0,
    answered = 0,
    back = 0,
  } = (out === '' ? {} : JSON.parse(out)) as { registered?: number; answered?: number; back?: number }
  look('a phone behind address translation registers and calls *43', registered === 200 && answered === 200, `${registered}, ${answered}`)
  look('it is heard, and hears', back > 100, `${back} packets of 3 s came back`)
}

/** Two phones of one extension, and what else phones of the house do. */
async function rings(stage: Stage): Promise<void> {
  const [a] = stage.boxes
  const phones = [await Phone.at('10.211.0.41', '101'), await Phone.at('10.211.0.42', '101')]
  for (const phone of phones) await phone.register()
  const other = await Phone.at('10.211.0.30', '102')
  await other.register()
  const both = async (when: string): Promise<void> => {
    for (const { peer } of phones) peer.received.length = 0
    const dialling = other.dials('101')
    const invites = await Promise.all(phones.map(({ peer }) => peer.request('INVITE', 10_000).catch(() => null)))
    look(
      `both phones of an extension ring ${when}, each by its whole Contact`,
      invites.every((invite, n) => invite?.start === `INVITE sip:101@${phones[n]!.peer.address}:${phones[n]!.peer.port};line=x SIP/2.0`),
      invites.map((invite) => invite?.start ?? 'nothing').join(', '),
    )
    invites.forEach((invite, n) => invite !== null && phones[n]!.peer.answer(invite, 486))
    const { dialog, answer } = await dialling
    if (answer.status < 200) await dialog.final('INVITE', 8000).catch(() => null)
    dialog.send('ACK')
  }
  await both('through the edge')
  await a.restart()
  await stage.caller.reaches(stage.boxes)
  await both('after a restart of their box, without another REGISTER')
  const { peer } = other
  const lamp = { from: 'sip:102@pbx', callId: token(), headers: ['Event: dialog', 'Accept: application/dialog-info+xml', 'Expires: 600'] }
  const challenge = await peer.ask('SUBSCRIBE', 'sip:101@pbx', lamp)
  const proof = challenge === undefined ? '' : authorization(challenge, 'SUBSCRIBE', 'sip:101@pbx', '102', passwordOf('102'))
  const watched = await peer.ask('SUBSCRIBE', 'sip:101@pbx', { ...lamp, cseq: 2, headers: [...lamp.headers, proof] })
  const lit = await peer.request('NOTIFY', 5000).catch(() => null)
  look('a lamp is watched, and its state comes', watched?.status === 200 && lit !== null, watched?.status)
  const required = await register(peer, '102', passwordOf('102'), ['Require: nonsense'])
  look('Require: nonsense: 420', required?.status === 420 && required.header('Unsupported') === 'nonsense', required?.start)
  for (const one of [...phones, other]) one.peer.close()
}

async function places(stage: Stage): Promise<void> {
  const [one, two] = [await Phone.at('10.211.0.41', '101'), await Phone.at('10.211.0.42', '101')]
  for (const phone of [one, two]) await phone.register()
  const [ground, second] = [await callsForHelp(stage, one), await callsForHelp(stage, two)]
  look(
    'a call for help carries the place of its phone’s own network',
    ground.place === '' && second.place === 'second floor',
    `"${ground.place}", "${second.place}"`,
  )
  for (const phone of [one, two]) phone.peer.close()
}

/** Whose headers claim to be somebody else. */
async function strangers(stage: Stage): Promise<void> {
  const [a] = stage.boxes
  const stranger = await SipPeer.udp(5060, '10.211.0.43', edge)
  const past = await SipPeer.udp(5060, '10.211.0.43', a.address)
  const forged = `Via: SIP/2.0/UDP ${provider}:5060;received=${provider};rport=5060;branch=z9hG4bKforged`
  const answers: number[] = []
  for (const peer of [stranger, past]) {
    for (const method of ['INVITE', 'MESSAGE', 'SUBSCRIBE']) {
      const extra = {
        body: method === 'INVITE' ? sdp(9) : 'x',
        type: method === 'INVITE' ? 'application/sdp' : 'text/plain',
        headers: [forged],
        ms: 1500,
      }
      answers.push((await peer.ask(method, `sip:+15550001000@${edge}`, extra))?.status ?? 0)
    }
  }
  look(
    'a stranger with the Via of the provider below the own one is nobody',
    answers.every((status) => status === 0 || status >= 400),
    answers.join(),
  )
  const path = await past.ask('REGISTER', 'sip:pbx', {
    from: 'sip:101@pbx',
    to: 'sip:101@pbx',
    headers: [`Path: <sip:${edge};lr>`, 'Supported: path'],
    ms: 1500,
  })
  look('a REGISTER past the edge with a Path has to prove itself', path === undefined || path.status >= 400, path?.status)
  stranger.close()
  past.close()
}

/** The box of a phone is away: its calls go by another one, which asks it to prove itself. */
async function otherBox(stage: Stage): Promise<void> {
  const [a] = stage.boxes
  const phone = await Phone.at('10.211.0.41', '101')
  await phone.register()
  await a.kill(true)
  await new Promise((done) => setTimeout(done, 4000))
  const help = await callsForHelp(stage, phone)
  look('the box of a phone is away: its call for help is placed', help.reached && help.status === 200, help.status)
  stage.line.received.length = 0
  const dialling = phone.dials('+12125551234')
  const invite = await stage.line.request('INVITE', 10_000).catch(() => null)
  if (invite !== null) stage.line.answer(invite, 486)
  const { answer } = await dialling
  look('and so is any other call of it', invite !== null, answer.status)
  await stage.back(a)
  phone.peer.close()
}

async function crowd(stage: Stage): Promise<void> {
  const [a] = stage.boxes
  const branch = '10.211.0.41'
  const all: LightPhone[] = []
  for (let n = 0; n < crowdCount; n++) all.push(LightPhone.at(await SipPeer.udp(5060, branch, edge), n))
  const began = performance.now()
  const times = await Promise.all(all.map(async (phone) => ((await phone.register()) ? performance.now() - began : Infinity)))
  const sorted = times.toSorted((x, y) => x - y)
  const seconds = (ms = 0): string => (ms / 1000).toFixed(2)
  const repeated = all.reduce((sum, phone) => sum + phone.repeated, 0)
  look(
    `${crowdCount} phones of one address register at once within ${promisedSeconds} s`,
    sorted.at(-1)! <= promisedSeconds * 1000,
    `half ${seconds(sorted[crowdCount / 2])} s, last ${seconds(sorted.at(-1))} s, ${repeated} requests sent again`,
  )
  const bans = a.pbx('lines', 'bans').out
  look('none of them is banned', !bans.includes(branch), bans.trim())
  const guesser = await SipPeer.udp(5060, branch, edge)
  let answered = 0
  for (let n = 0; n < 60; n++)
    if ((await Promise.race([register(guesser, extensionOf(0), `wrong${n}`), late()]))?.status === 403) answered += 1
  look('60 guesses next to them are answered five times', answered === 5, answered)
  look('and the phones go on', (await all[0]!.register()) && (await all.at(-1)!.register()))
  for (const { peer } of all) peer.close()
  guesser.close()
}

const late = (): Promise<undefined> => new Promise((done) => setTimeout(() => done(undefined), 500))
