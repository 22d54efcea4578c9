/** Two trunks at one address: whose a call is, by what it came from and by what it says. */
import t from 'tap'
import { Engine, skip, trunk } from './engine.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

const ip = '127.0.0.43'
const both = '+15550001000'

interface Way {
  readonly name: string
  /** Which server's port it comes from; '': another one of that address. */
  readonly from: 'a' | 'b' | ''
  readonly to: string
  /** Of the request URI. */
  readonly mark?: string
  readonly is: string
}

t.test('the port that a call comes from says more than the number that it is for', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({ phoneNetworks: [] })
  const peers = {
    a: await SipPeer.udp(engine.port(), ip),
    b: await SipPeer.udp(engine.port(), ip),
    '': await SipPeer.udp(engine.port(), ip),
  }
  const tcp = await SipPeer.tcp(engine.port('tcp'), ip)
  t.teardown(async () => ([...Object.values(peers), tcp].forEach((peer) => peer.close()), engine.stop()))
  const at = (id: 'a' | 'b', more: object) => trunk(`${ip}:${peers[id].port}`, { id, ...more })
  const whose = async (peer: SipPeer, to: string, mark = '') => {
    const call = new Dialog(peer)
    call.invite(to, { target: `sip:${to}@127.0.0.1:${peer.target}${mark === '' ? '' : `;line=${mark}`}`, body: sdp(9) })
    const invite = await engine.next('invite')
    engine.send('reject', { leg: invite['leg'], code: 486 })
    await call.final('INVITE')
    call.send('ACK')
    await engine.next('ended', { leg: invite['leg'] })
    return invite['trunk']
  }
  const numbers = { a: ['+15550001001', both], b: ['+15550001002', both] }
  const ways: readonly Way[] = [
    { name: 'own port, own number', from: 'a', to: '+15550001001', is: 'a' },
    { name: 'own port, own number', from: 'b', to: '+15550001002', is: 'b' },
    { name: 'own port, a number of both', from: 'a', to: both, is: 'a' },
    { name: 'own port, a number of both', from: 'b', to: both, is: 'b' },
    { name: "own port, the other's number", from: 'b', to: '+15550001001', is: 'b' },
    { name: 'own port, nobody’s number', from: 'b', to: '+15550009999', is: 'b' },
    { name: "own port, the other's user name", from: 'b', to: 'account-a', is: 'b' },
    { name: "own port, the other's mark", from: 'b', to: both, mark: 'a', is: 'a' },
    { name: 'own port, a mark of nobody', from: 'b', to: both, mark: 'c', is: 'b' },
    { name: 'another port, a number of one', from: '', to: '+15550001002', is: 'b' },
    { name: 'another port, a user name', from: '', to: 'account-b', is: 'b' },
    { name: 'another port, a mark', from: '', to: '+15550001001', mark: 'b', is: 'b' },
    { name: 'another port, nobody’s number', from: '', to: '+15550009999', is: 'a' },
  ]
  await engine.configure({
    trunks: [at('a', { numbers: numbers.a, username: 'account-a' }), at('b', { numbers: numbers.b, username: 'account-b' })],
  })
  for (const { name, from, to, mark, is } of ways) t.equal(await whose(peers[from], to, mark), is, `${from} ${name}`)

  await t.test('over TCP it comes from any port: by number, user name and mark', async (t) => {
    t.equal(await whose(tcp, '+15550001002'), 'b')
    t.equal(await whose(tcp, 'account-b'), 'b')
    t.equal(await whose(tcp, both, 'b'), 'b')
    t.equal(await whose(tcp, '+15550001001'), 'a')
  })

  await t.test('two accounts at one port: by mark, user name and number', async (t) => {
    const shared = { id: 'c', username: 'account-c', numbers: ['+15550001003'] }
    await engine.configure({ trunks: [at('a', { numbers: numbers.a }), at('b', { numbers: numbers.b }), { ...at('b', {}), ...shared }] })
    t.equal(await whose(peers.b, '+15550001002'), 'b')
    t.equal(await whose(peers.b, '+15550001003'), 'c')
    t.equal(await whose(peers.b, 'account-c'), 'c')
    t.equal(await whose(peers.b, both, 'c'), 'c')
    t.equal(await whose(peers.b, '+15550001001'), 'b', 'never the one of the other port')
    t.equal(await whose(peers.a, '+15550001003'), 'a')
  })

  await t.test('an address range of one trunk holds the server of the other', async (t) => {
    const range = trunk('127.0.0.99:5060', { id: 'range', allow: ['127.0.0.0/24'], numbers: [both, '+15550001001'] })
    await engine.configure({ trunks: [at('b', { numbers: ['+15550001002'] }), range] })
    t.equal(await whose(peers.b, both), 'b')
    t.equal(await whose(peers[''], '+15550001001'), 'range')
  })
})
