/** Calls for help as telephones make them that are shut out, not yet known, or write more than others do; and what the engine says of those that it places by itself. */
import t from 'tap'
import { Engine, extension, skip, trunk } from './engine.ts'
import { register, storm } from './registering.ts'
import { phoneCalls } from './phone-calls.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const uri = 'sip:pbx'
const box = '127.0.0.1'

async function open(t: { teardown(fn: () => unknown): void }, more: object = {}) {
  const line = await SipPeer.udp(0)
  const engine = await Engine.start({
    phoneNetworks: [],
    trunks: [trunk(`127.0.0.1:${line.port}`)],
    extensions: [extension('101', 'right'), extension('102', 'other')],
    emergencyNumbers: ['911'],
    help: { dial: { '911': '911' }, trunks: ['main'], places: [] },
    ban: { failures: 5, windowSeconds: 30, seconds: 3600 },
    ...more,
  })
  t.teardown(async () => (line.close(), engine.stop()))
  const peer = async (address: string, transport: 'udp' | 'tcp' = 'udp') => {
    const one = await SipPeer[transport](engine.port(transport), address)
    t.teardown(() => one.close())
    return one
  }
  return { engine, line, peer }
}

for (const transport of ['udp', 'tcp'] as const)
  t.test(
    `whose neighbour guessed passwords calls for help over ${transport}, and does nothing else`,
    { skip, timeout: 60_000 },
    async (t) => {
      const { engine, peer } = await open(t)
      const address = '127.0.0.81'
      const [guesser, neighbour] = [await peer(address), transport === 'udp' ? await peer(address) : undefined]
      for (let n = 0; n < 5; n++) t.equal((await register(guesser, '101', `wrong${n}`))?.status, 403)
      t.match(await engine.next('banned'), { address })
      const phone = neighbour ?? (await peer(address, 'tcp'))
      t.equal(await phone.ask('REGISTER', uri, { to: 'sip:102@pbx', ms: 300 }), undefined)
      t.equal(await phone.ask('INVITE', 'sip:102@pbx', { body: sdp(9), ms: 300 }), undefined)
      const call = phoneCalls(phone, '102', 'other', '911')
      const invite = await engine.next('invite')
      t.match(invite, { extension: '102', to: '911' })
      engine.send('answer', { leg: invite['leg'] })
      const { dialog, answer } = await call
      t.equal(answer.status, 200)
      dialog.learn(answer)
      dialog.send('ACK')
      await engine.next('answered', { leg: invite['leg'] })
      t.equal((await dialog.ask('BYE')).status, 200, 'and hangs up')
      t.match(await engine.next('ended', { leg: invite['leg'] }), { by: 'remote' })
      // A guesser gains next to nothing by it.
      let answered = 0
      for (let n = 0; n < 30; n++) if ((await guesser.ask('INVITE', 'sip:911@pbx', { body: sdp(9), ms: 40 })) !== undefined) answered++
      t.ok(answered <= 8, `${answered} of 30`)
      t.same(engine.of('banned'), [])
    },
  )

t.test('who is shut out by a ban in a talk hangs up, and is not cut off', { skip, timeout: 60_000 }, async (t) => {
  const { engine, peer } = await open(t, { phoneNetworks: ['127.0.0.82/32'] })
  const [phone, guesser] = [await peer('127.0.0.82'), await peer('127.0.0.82')]
  const call = phoneCalls(phone, '102', 'other', '*43')
  const invite = await engine.next('invite')
  engine.send('answer', { leg: invite['leg'] })
  const { dialog, answer } = await call
  for (let n = 0; n < 5; n++) await register(guesser, '101', `wrong${n}`)
  await engine.next('banned')
  dialog.learn(answer)
  dialog.send('ACK')
  await engine.next('answered', { leg: invite['leg'] })
  t.equal((await dialog.ask('BYE')).status, 200)
})

t.test('a branch that registers all at once behind one address: help is called meanwhile', { skip, timeout: 60_000 }, async (t) => {
  const { engine, peer } = await open(t)
  const [branch, phone] = [await peer('127.0.0.83'), await peer('127.0.0.83')]
  t.ok(((await storm(branch, '101', 'right', 1500)).get(200) ?? 0) < 1500, 'more than a source may')
  const again = storm(branch, '101', 'right', 200)
  const call = phoneCalls(phone, '102', 'other', '911')
  const invite = await engine.next('invite')
  engine.send('reject', { leg: invite['leg'], code: 480 })
  t.equal((await call).answer.status, 480)
  await again
})

const pidf = '<presence xmlns="urn:ietf:params:xml:ns:pidf" entity="pres:a@x"><tuple id="a"/></presence>'
const multipart = [
  '--b1',
  'Content-Type: application/sdp',
  '',
  sdp(9).trimEnd(),
  '--b1',
  'Content-Type: application/pidf+xml',
  'Content-ID: <a@x>',
  '',
  pidf,
  '--b1--',
  '',
].join('\r\n')
const manners: readonly (readonly [string, { target?: string; headers?: string[]; body?: string; type?: string }])[] = [
  [
    'with its place beside the description (RFC 6442)',
    { body: multipart, type: 'multipart/mixed;boundary=b1', headers: ['Geolocation: <cid:a@x>', 'Geolocation-Routing: no'] },
  ],
  ['without a description', { body: '' }],
  ['by a route that it was given', { headers: [`Route: <sip:${box};lr>`] }],
  ['as a service, by a route', { target: 'urn:service:sos.police', headers: [`Route: <sip:${box};lr>`] }],
  ['with a priority', { headers: ['Priority: emergency', 'Resource-Priority: esnet.1', 'Accept-Contact: *;+sip.phone'] }],
  ['in an escaped user', { target: `sip:%39%31%31@${box}` }],
  ['in capitals', { target: `SIP:911@PBX;USER=PHONE` }],
  ['with a port and a transport', { target: `sip:911@${box}:5060;transport=udp;user=phone` }],
  ['to another host', { target: 'sip:911@192.0.2.99' }],
  ['without a user: in To alone', { target: `sip:${box}` }],
  ['with the code of an extension beside it', { headers: ['Replaces: 1@x;to-tag=1;from-tag=2'] }],
]
for (const transport of ['udp', 'tcp'] as const)
  t.test(`a phone that was never here calls for help over ${transport}`, { skip, timeout: 90_000 }, async (t) => {
    const { engine, peer } = await open(t)
    const phone = await peer('127.0.0.84', transport)
    for (const [what, { target = `sip:911@${box}`, headers = [], body = sdp(9), type }] of manners) {
      const call = new Dialog(phone)
      Object.assign(call, { local: '<sip:102@pbx>;tag=1', remote: '<sip:911@pbx>', target })
      const how = { body, ...(type === undefined ? {} : { type }) }
      call.send('INVITE', { ...how, headers })
      const asked = await call.final('INVITE').catch((error: Error) => t.fail(`${what}: ${error.message.slice(0, 60)}`))
      if (typeof asked === 'boolean') continue
      t.equal(asked.status, 401, what)
      call.send('ACK')
      call.send('INVITE', { ...how, headers: [...headers, authorization(asked, 'INVITE', target, '102', 'other')] })
      const invite = await engine
        .next('invite', {}, 2000)
        .catch((error: Error) => t.fail(`${what}: ${error.message.slice(0, 60)} ${phone.received.map(({ start }) => start).join()}`))
      if (typeof invite === 'boolean') continue
      t.match(invite, { extension: '102', to: '911' }, what)
      engine.send('answer', { leg: invite['leg'] })
      const answer = await call.final('INVITE')
      t.equal(answer.status, 200, what)
      call.learn(answer)
      call.send('ACK', body === '' ? { body: sdp(9) } : {})
      await engine.next('answered', { leg: invite['leg'] })
      t.equal((await call.ask('BYE')).status, 200, what)
      await engine.next('ended', { leg: invite['leg'] })
    }
  })

t.test('the engine places calls by itself, and says once what came of each', { skip, timeout: 120_000 }, async (t) => {
  const { engine, line, peer } = await open(t)
  const phone = await peer('127.0.0.85')
  const call = async () => {
    const one = phoneCalls(phone, '102', 'other', '911', 9000)
    const invite = await engine.next('invite')
    const out = await line.request('INVITE', 9000)
    line.answer(out, 180)
    t.equal((await engine.next('ended', { leg: invite['leg'] }))['text'], 'the engine places this call by itself')
    const { dialog, answer } = await one
    t.equal(answer.status, 180)
    return { dialog, out, leg: invite['leg'] as number }
  }
  const helped = async (lost: boolean) =>
    void t.match(await engine.next('helped'), { extension: '102', number: '911', source: '127.0.0.85', lost })

  await t.test('answered', async (t) => {
    const { dialog, out, leg } = await call()
    // Too late: the daemon has no part in it.
    for (const order of ['hangup', 'reject', 'answer', 'progress']) engine.send(order, { leg })
    line.answer(out, 200, { body: sdp(9) })
    await dialog.answered()
    await helped(false)
    const bye = line.request('BYE')
    t.equal((await dialog.ask('BYE')).status, 200)
    line.answer(await bye, 200)
  })
  await t.test('the phone gives up', async (t) => {
    const { dialog } = await call()
    dialog.send('CANCEL')
    t.equal((await dialog.final('INVITE')).status, 487)
    dialog.send('ACK')
    const cancel = await line.request('CANCEL')
    line.answer(cancel, 200)
    await helped(false)
  })
  await t.test('refused by every trunk', async () => {
    const { dialog, out } = await call()
    line.answer(out, 486)
    t.equal((await dialog.final('INVITE')).status, 503)
    dialog.send('ACK')
    await helped(true)
  })
  await t.test('nothing is left', async () => {
    engine.send('ping', { n: 9 })
    t.match(await engine.next('pong', { n: 9 }), { legs: 0 })
    t.same(engine.of('helped'), [], 'each was told once')
  })
})
