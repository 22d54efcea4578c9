/** Calls for help where much goes on at once: every leg taken, several who call, a daemon that stands still for a while, an engine that dies, trunks that say nothing. */
import { readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { Dialog, SipPeer, type SipMessage } from '../engine/sip-peer.ts'
import { phoneCalls } from '../engine/phone-calls.ts'
import { sdp } from '../engine/sip-text.ts'
import { eventually, pause, Scene } from '../harness/scene.ts'

const calls = 50
const password = 'a-long-password'
const line = { kind: 'sip', transport: 'udp', username: '', password: '', register: false, channels: 1, srtp: 'off' }
const [crowd, main, other] = [await SipPeer.udp(0), await SipPeer.udp(0), await SipPeer.udp(0)]
const providers = [crowd, main, other]
const phones: SipPeer[] = []
const scene = await Scene.open({
  settings: (base) => {
    base['sip'] = { ...(base['sip'] as object), calls, phoneNetworks: ['127.0.0.48/28'] }
    base['trunks'] = [
      { ...line, id: 'crowd', server: `127.0.0.1:${crowd.port}`, numbers: ['+15550003000'], channels: calls - 2 },
      { ...line, id: 'main', server: `127.0.0.1:${main.port}`, numbers: ['+15550001000'], default: true },
      { ...line, id: 'other', server: `127.0.0.1:${other.port}`, numbers: ['+15550002000'] },
    ]
    base['inbound'] = [{ trunk: '*', to: '*', destination: 'endpoint:reception' }]
    base['emergency'] = { location: 'Ground floor', callerId: '+15550001000', trunks: ['main', 'other'] }
  },
})
const { app, daemon } = scene
for (let n = 0; n < 5; n++) phones.push(await SipPeer.udp(daemon.sipPort, `127.0.0.${49 + n}`))
t.setTimeout(420_000)
t.teardown(async () => {
  await scene.close()
  for (const peer of [...providers, ...phones]) peer.close()
})
t.afterEach(() => {
  for (const timer of serving.splice(0)) clearInterval(timer)
  for (const peer of [...providers, ...phones]) peer.received.splice(0)
})

const serving: NodeJS.Timeout[] = []
const pending = new Map<string, SipMessage>()
/** What comes to a provider is answered as `manner` says, and BYE and CANCEL as they must be, to the end of the test. */
function serve(peers: readonly SipPeer[], manner: (invite: SipMessage, peer: SipPeer) => void): { invites: SipMessage[] } {
  const invites: SipMessage[] = []
  const timer = setInterval(() => {
    for (const peer of peers)
      for (const message of peer.received.splice(0)) {
        const id = message.header('Call-ID')
        if (message.method === 'INVITE') {
          invites.push(message)
          pending.set(id, message)
          manner(message, peer)
        } else if (message.method === 'CANCEL') {
          peer.answer(message, 200)
          peer.answer(pending.get(id)!, 487)
        } else if (message.method === 'BYE') peer.answer(message, 200)
      }
  }, 5)
  serving.push(timer)
  return { invites }
}
const taking = (peers: readonly SipPeer[] = providers) => serve(peers, (invite, peer) => peer.answer(invite, 200, { body: sdp(9) }))
const isHelp = ({ start }: SipMessage): boolean => start.startsWith('INVITE sip:911@')

/** The phone dials and is connected. */
async function connected(phone: SipPeer, number = '911', ms = 15_000): Promise<Dialog> {
  const { dialog, answer } = await phoneCalls(phone, '101', password, number, ms)
  if (answer.status >= 200) {
    dialog.learn(answer)
    dialog.send('ACK')
    if (answer.status !== 200) throw new Error(`${number}: ${answer.status}`)
  } else await dialog.answered(ms)
  return dialog
}

/** As telephones do: what has no answer is sent again. */
async function insisting(phone: SipPeer): Promise<Dialog> {
  for (let tries = 0; tries < 8; tries++) {
    const dialog = await connected(phone, '911', 2000).catch(() => null)
    if (dialog !== null) return dialog
  }
  return connected(phone)
}

function stands(t: Test, { peer, callId }: Dialog): void {
  const byes = peer.received.filter((message) => message.method === 'BYE' && message.header('Call-ID') === callId)
  t.same(
    byes.map(({ text }) => text),
    [],
    'nobody who called for help is cut off',
  )
}

async function hungUp(t: Test, dialogs: readonly Dialog[]): Promise<void> {
  for (const dialog of dialogs) t.equal((await dialog.ask('BYE')).status, 200)
}

/** Every leg that there is room for, as callers of an application. */
async function crowded(): Promise<() => Promise<void>> {
  app.script = () => [{ gather: { timeout: 120 } }]
  const dialogs: Dialog[] = []
  for (const [peer, count, to] of [
    [crowd, calls - 2, '+15550003000'],
    [main, 1, '+15550001000'],
    [other, 1, '+15550002000'],
  ] as const)
    for (let n = 0; n < count; n++) {
      const dialog = new Dialog(peer)
      dialog.reach(daemon.sipPort)
      dialog.invite(to, { from: '<sip:+13105550142@carrier>', target: `sip:${to}@127.0.0.1:${daemon.sipPort}`, body: sdp(9) })
      const { status, start } = await dialog.answered(10_000)
      if (status !== 200) throw new Error(`${to}: ${start}`)
      dialogs.push(dialog)
    }
  return async () => {
    for (const dialog of dialogs) {
      dialog.reach(daemon.sipPort)
      dialog.send('BYE')
    }
    await eventually('the crowd is gone', async () => (await live()) === 0, 20_000)
    app.reset()
  }
}
const live = async (): Promise<number> =>
  (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: any) => !call.endedAt).length

t.test('every leg and every channel is taken, and five call for help at once', async (t) => {
  const undo = await crowded()
  const provider = taking()
  const dialogs = await Promise.all(phones.map((phone, n) => connected(phone, ['911', '*67911', '9-1-1', '911#', '*67-911'][n])))
  t.equal(provider.invites.filter(isHelp).length, phones.length)
  await pause(1000)
  for (const dialog of dialogs) stands(t, dialog)
  await hungUp(t, dialogs)
  await undo()
})

t.test('nobody else has a place then', async (t) => {
  const undo = await crowded()
  taking()
  for (const number of ['+13105550142', '*43', '102']) await t.rejects(connected(phones[0]!, number), /503/, number)
  await undo()
})

t.test('the number is withheld before help is called, in every state', async (t) => {
  const provider = taking()
  await hungUp(t, [await connected(phones[0]!, '*67911')])
  await daemon.kill()
  await hungUp(t, [await connected(phones[0]!, '*67911')])
  t.same(
    provider.invites.map((invite) => [isHelp(invite), /sip:\+15550001000@/.test(invite.header('From'))]),
    [
      [true, true],
      [true, true],
    ],
  )
  await daemon.start()
})

t.test('the first trunk says nothing: the second one, with a daemon and without', async (t) => {
  for (const alone of [false, true]) {
    if (alone) await daemon.kill()
    const silent = serve([main], () => undefined)
    const provider = taking([other, crowd])
    const dialog = await connected(phones[0]!, '911', 20_000)
    t.ok(silent.invites.some(isHelp))
    t.equal(provider.invites.filter(isHelp).length, 1)
    await hungUp(t, [dialog])
    if (alone) await daemon.start()
    for (const timer of serving.splice(0)) clearInterval(timer)
  }
})

for (const seconds of [3, 6, 20]) {
  t.test(`the daemon stands still for ${seconds} s: whoever calls for help meanwhile is connected once, and stays so`, async (t) => {
    const provider = taking()
    const helpBefore = daemon.log.filter(({ msg }) => /^EMERGENCY CALL/.test(msg ?? '')).length
    daemon.signal('SIGSTOP')
    const woken = pause(seconds * 1000).then(() => daemon.signal('SIGCONT'))
    const dialog = await connected(phones[0]!, '911', 30_000)
    await woken
    await daemon.ready()
    await pause(3000)
    const taken = provider.invites.filter(isHelp)
    t.equal(taken.length, 1, 'one call at the provider')
    stands(t, dialog)
    t.equal(daemon.log.filter(({ msg }) => /^EMERGENCY CALL/.test(msg ?? '')).length > helpBefore, true, 'people are notified')
    await hungUp(t, [dialog])
  })
}

t.test('the daemon stands still when it has begun to place the call: whoever calls is connected all the same', async (t) => {
  const rings = serve(providers, (invite, peer) => peer.answer(invite, 180))
  const { dialog } = await phoneCalls(phones[0]!, '101', password, '911', 5000)
  await eventually('it rings at the centre', () => rings.invites.some(isHelp), 5000)
  daemon.signal('SIGSTOP')
  clearInterval(serving.pop())
  const provider = taking()
  await dialog.answered(15_000)
  t.equal(provider.invites.filter(isHelp).length, 1)
  daemon.signal('SIGCONT')
  await daemon.ready()
  await pause(2000)
  stands(t, dialog)
  await hungUp(t, [dialog])
})

t.test('who hangs up before the centre is there has called for help, and the next daemon says so', async (t) => {
  const provider = serve(providers, (invite, peer) => peer.answer(invite, 180))
  await daemon.kill()
  const before = daemon.log.length
  const call = await phoneCalls(phones[0]!, '101', password, '911', 12_000)
  t.equal(call.answer.status, 180)
  await eventually('it rings at the centre', () => provider.invites.some(isHelp), 5000)
  call.dialog.send('CANCEL')
  t.equal((await call.dialog.final('INVITE')).status, 487)
  call.dialog.send('ACK')
  await daemon.start()
  await eventually(
    'it is told',
    () => daemon.log.slice(before).some(({ msg }) => msg === 'EMERGENCY CALL, placed by the engine alone'),
    5000,
  )
  t.match((await daemon.pbx('audit', 'list', '--json')).out, /call\.emergency/)
  t.notMatch((await daemon.pbx('status')).out, /COULD NOT BE PUT THROUGH/)
})

t.test('a talk for help outlives the daemon', async (t) => {
  const provider = taking()
  const dialog = await connected(phones[0]!)
  await eventually('the talk is known', async () => (await live()) === 1, 5000)
  await daemon.kill()
  await pause(6000)
  await daemon.start()
  await pause(1500)
  stands(t, dialog)
  t.equal(provider.invites.filter(isHelp).length, 1)
  await hungUp(t, [dialog])
  await eventually('its end is known', async () => (await live()) === 0, 5000)
})

t.test('the engine dies in a call for help: the next call for help is placed', async (t) => {
  const provider = taking()
  await connected(phones[0]!)
  const { pid } = daemon.log.findLast(({ msg }) => msg === 'pbx-engine is up')!
  process.kill(Number(pid), 'SIGKILL')
  await hungUp(t, [await insisting(phones[1]!)])
  t.ok(provider.invites.filter(isHelp).length >= 2)
})

t.test('the configuration changes and the box starts again by itself: help is placed meanwhile', async (t) => {
  const provider = taking()
  const config = parse(readFileSync(daemon.configFile, 'utf8'))
  config.sip.rtpPorts = config.sip.rtpPorts.replace(/\d+$/, (last: string) => String(Number(last) - 2))
  const next = `${daemon.configFile}.next`
  writeFileSync(next, stringify(config))
  const applied = daemon.pbx('config', 'apply', next, '--yes')
  let done = false
  void applied.then(() => (done = true))
  let count = 0
  for (; !done || count < 2; count++) {
    const phone = phones[count % phones.length]!
    await hungUp(t, [await insisting(phone)])
    await pause(100)
  }
  const { code, out, error } = await applied
  t.equal(code, 0, out + error)
  await daemon.ready()
  t.ok(provider.invites.filter(isHelp).length >= count, `${count} calls`)
})

t.test('the box is being stopped: help is placed until the last', async (t) => {
  app.script = () => [{ gather: { timeout: 60 } }]
  const talk = new Dialog(crowd)
  talk.reach(daemon.sipPort)
  talk.invite('+15550003000', { target: `sip:+15550003000@127.0.0.1:${daemon.sipPort}`, body: sdp(9) })
  await talk.answered(10_000)
  const provider = taking()
  const stopped = daemon.stop(40_000, 'SIGINT')
  await pause(300)
  await hungUp(t, [await connected(phones[0]!), await connected(phones[1]!, '*67911')])
  talk.send('BYE')
  await stopped
  t.equal(provider.invites.filter(isHelp).length, 2)
})
