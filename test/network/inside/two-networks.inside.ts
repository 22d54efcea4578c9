/** A box in two networks: each far end gets the address at which it reaches us. */
import t from 'tap'
import { extension, trunk } from '../../engine/engine.ts'
import { register } from '../../engine/registering.ts'
import { RtpSource } from '../../engine/rtp-source.ts'
import { Dialog, SipPeer } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { office, origin, shown, sipPort, site, wan } from './site.ts'

const { box, engine } = await site()
const provider = await SipPeer.udp(sipPort, wan.provider, wan.box)
const phone = await SipPeer.udp(sipPort, office.phone, office.box)
const rtp = await RtpSource.open(wan.provider)
const sources = new Set<string>()
rtp.socket.on('message', (_, from) => sources.add(from.address))
t.teardown(async () => (provider.close(), phone.close(), rtp.close(), await engine.stop(), box.close()))

const line = (more: object = {}) =>
  trunk(`${wan.provider}:${provider.port}`, { register: true, username: 'clinic', password: 'secret', keepAliveSeconds: 1, ...more })
const accept = async (ms?: number) => {
  const request = await provider.request('REGISTER', ms)
  provider.answer(request, 200, { headers: [`Contact: ${request.header('Contact')};expires=300`] })
  return request
}
const description = sdp(rtp.port, { address: wan.provider })

await t.test('requests outside of calls', async (t) => {
  provider.answersOptions = false
  await engine.configure({ trunks: [line()], extensions: [extension('101', 'right')] })
  t.match(shown(await accept()), { via: wan.box, contact: wan.box }, 'REGISTER')
  const question = await provider.request('OPTIONS')
  provider.answer(question, 200)
  t.equal(shown(question).via, wan.box, 'OPTIONS')
  provider.answersOptions = true
  engine.send('textSend', { id: 1, trunk: 'main', to: '+15551230001', from: '+15550001000', body: 'Good morning' })
  const text = await provider.request('MESSAGE')
  provider.answer(text, 200)
  t.equal(shown(text).via, wan.box, 'MESSAGE')
})

await t.test('a call to the provider, and one to a phone', async (t) => {
  for (const [peer, order, address] of [
    [provider, { trunk: 'main', to: '+15551230001' }, wan.box],
    [phone, { extension: '101', to: '101' }, office.box],
  ] as const) {
    if (peer === phone) t.equal((await register(phone, '101', 'right'))?.status, 200)
    const leg = engine.dial(order)
    const invite = await peer.request('INVITE')
    t.same(shown(invite), { via: address, contact: address, media: [address] })
    t.ok(origin(invite).rest.endsWith(` ${address}`), 'and by o=')
    peer.answer(invite, 486)
    await engine.next('ended', { leg })
  }
})

await t.test('a call from the provider, held and taken up again', async (t) => {
  const call = new Dialog(provider)
  call.invite('+15550001000', { body: description })
  const { leg } = await engine.next('invite')
  engine.send('answer', { leg })
  const answer = await call.answered()
  t.match(shown(answer), { contact: wan.box, media: [wan.box] })
  await engine.next('answered', { leg })
  engine.send('hold', { leg, on: true })
  const hold = await call.request('INVITE')
  t.same(shown(hold), { via: wan.box, contact: wan.box, media: [wan.box] })
  t.equal(origin(hold).rest, origin(answer).rest, 'of the same session')
  t.equal(origin(hold).version, origin(answer).version + 1)
  provider.answer(hold, 200, { body: description })
  await call.request('ACK')
  while (sources.size === 0) await new Promise((resolve) => rtp.socket.once('message', resolve))
  t.same([...sources], [wan.box], 'and its audio comes from there')
  call.send('BYE')
  await engine.next('ended', { leg })
})

await t.test('a fax that changes to T.38, whoever asks for it', async (t) => {
  const image = (version: number): string =>
    [
      'v=0',
      `o=- 1 ${version} IN IP4 ${wan.provider}`,
      's=-',
      `c=IN IP4 ${wan.provider}`,
      't=0 0',
      `m=image ${rtp.port} udptl t38`,
      'a=T38FaxVersion:0',
      'a=T38MaxBitRate:14400',
      'a=T38FaxRateManagement:transferredTCF',
      'a=T38FaxUdpEC:t38UDPRedundancy',
      '',
    ].join('\r\n')
  for (const asks of ['the provider', 'the box'] as const) {
    const call = new Dialog(provider)
    call.invite('+15550001000', { body: description })
    const { leg } = await engine.next('invite')
    engine.send('answer', { leg })
    await call.answered()
    await engine.next('answered', { leg })
    const file = `${t.testdir()}/in.tif`
    engine.send('faxReceive', { leg, file, stationId: '2', ecm: true, modems: ['v17'], t38: true })
    const says = asks === 'the box' ? await call.request('INVITE', 15_000) : undefined
    if (says) {
      provider.answer(says, 200, { body: image(2) })
      await call.request('ACK')
    } else {
      engine.send('ping', { n: 1 })
      await engine.next('pong', { n: 1 })
      call.send('INVITE', { body: image(2) })
    }
    const description38 = says ?? (await call.answered())
    t.match(description38.body, /^m=image [1-9]\d* udptl t38/m, `${asks} asks for it`)
    t.same(shown(description38).media, [wan.box], 'and its datagrams are to come to the address in that network')
    t.ok(origin(description38).rest.endsWith(` ${wan.box}`))
    const port = Number(/^m=image (\d+)/m.exec(description38.body)?.[1])
    const from = await new Promise((resolve) => rtp.socket.on('message', (_, source) => source.port === port && resolve(source.address)))
    t.equal(from, wan.box, 'from which ours come')
    call.send('BYE')
    await engine.next('ended', { leg })
  }
})

await t.test('a public address, for all who are not in the local networks', async (t) => {
  const publicAddress = '198.51.100.7'
  await engine.configure({ publicAddress, localNetworks: ['10.77.0.0/16'] })
  t.match(shown(await accept()), { via: wan.box, contact: publicAddress }, 'it registers with that at once')
  let leg: unknown = engine.dial({ trunk: 'main', to: '+15551230001' })
  const out = await provider.request('INVITE')
  t.same(shown(out), { via: wan.box, contact: publicAddress, media: [publicAddress] })
  provider.answer(out, 486)
  await engine.next('ended', { leg })
  const call = new Dialog(provider)
  call.invite('+15550001000', { body: description })
  leg = (await engine.next('invite'))['leg']
  engine.send('answer', { leg })
  const answer = await call.answered()
  t.match(shown(answer), { contact: publicAddress, media: [publicAddress] })
  t.ok(origin(answer).rest.endsWith(` ${publicAddress}`))
  call.target = call.target.replace(publicAddress, wan.box)
  call.send('BYE')
  await engine.next('ended', { leg })
  leg = engine.dial({ extension: '101', to: '101' })
  const inside = await phone.request('INVITE')
  t.same(shown(inside), { via: office.box, contact: office.box, media: [office.box] }, 'a phone in the office is told ours')
  phone.answer(inside, 486)
  await engine.next('ended', { leg })
})
