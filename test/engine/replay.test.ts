/** What was seen on the wire, sent again, also from the very address of the phone: it changes nothing and places nothing. */
import t from 'tap'
import { Engine, extension, skip } from './engine.ts'
import { SipPeer, token, type SipMessage } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const uri = 'sip:pbx'

interface Phone {
  readonly engine: Engine
  readonly peer: SipPeer
  /** The texts of all that it has sent. */
  readonly sent: string[]
}

async function phoneOf(t: { teardown: (done: () => unknown) => void }): Promise<Phone> {
  const engine = await Engine.start({ extensions: [extension('101', 'right'), extension('102', 'other')] })
  const peer = await SipPeer.udp(engine.port())
  const sent: string[] = []
  const raw = peer.raw.bind(peer)
  peer.raw = (text, port) => (sent.push(String(text)), raw(text, port))
  t.teardown(async () => {
    peer.close()
    await engine.stop()
  })
  return { engine, peer, sent }
}

/** A request with a proof for a nonce of its own. */
async function proven(
  peer: SipPeer,
  method: string,
  target: string,
  headers: readonly string[],
  body = '',
): Promise<SipMessage | undefined> {
  const who = { from: 'sip:101@pbx', to: method === 'REGISTER' ? 'sip:101@pbx' : target, callId: token(), body }
  const challenge = await peer.ask(method, target, { ...who, headers })
  const proof = authorization(challenge!, method, target, '101', 'right')
  return peer.ask(method, target, { ...who, cseq: 2, headers: [...headers, proof] })
}

const register = (peer: SipPeer, contact = `Contact: ${peer.contact};expires=300`) => proven(peer, 'REGISTER', uri, [contact])

/** The text as it was, or with one line of it changed, as an attacker may do who has not the password. */
const copies: readonly (readonly [string, (text: string) => string])[] = [
  ['the same bytes', (text) => text],
  ['another branch', (text) => text.replace(/branch=\S+/, `branch=z9hG4bK${token()}`)],
  ['another Call-ID', (text) => text.replace(/Call-ID: \S+/, `Call-ID: ${token()}`)],
  ['another CSeq', (text) => text.replace(/CSeq: \d+/, 'CSeq: 3')],
  ['another Contact', (text) => text.replace(/Contact: <[^>]*>|Contact: \*/, 'Contact: <sip:thief@127.0.0.99:5060>')],
  [
    'another Contact and branch',
    (text) =>
      text
        .replace(/branch=\S+/, `branch=z9hG4bK${token()}`)
        .replace(/Contact: <[^>]*>|Contact: \*/, 'Contact: <sip:thief@127.0.0.99:5060>'),
  ],
]

for (const [what, copy] of copies) {
  t.test(`a REGISTER sent again with ${what} neither removes nor adds a binding`, { skip, timeout: 30_000 }, async (t) => {
    const { engine, peer, sent } = await phoneOf(t)
    t.equal((await register(peer, 'Contact: *\r\nExpires: 0'))?.status, 200)
    const removes = sent.at(-1)!
    t.equal((await register(peer))?.status, 200)
    const adds = sent.at(-1)!
    await engine.next('registration', (m) => (m['contacts'] as unknown[]).length === 1)
    engine.messages.length = 0
    for (const text of [removes, adds]) {
      const again = copy(text)
      peer.raw(again)
      const callId = /Call-ID: (\S+)/.exec(again)?.[1]
      // The very same bytes have an answer, which a phone takes for the one that was lost: what stands now.
      await peer.next('an answer', (m) => m.status >= 200 && m.header('Call-ID') === callId, 1000).catch(() => undefined)
    }
    t.same(engine.of('registration'), [])
    // A query for the bindings shows one, the phone's own.
    const now = await proven(peer, 'REGISTER', uri, [])
    t.match(now?.headers('Contact').join(), peer.contact.slice(1, -1))
    t.notMatch(now?.headers('Contact').join(), 'thief')
  })
}

t.test('a retransmission is answered as what was lost', { skip, timeout: 30_000 }, async (t) => {
  const { peer, sent } = await phoneOf(t)
  const first = await register(peer)
  t.equal(first?.status, 200)
  const other = await SipPeer.udp(peer.target)
  t.teardown(() => other.close())
  peer.raw(sent.at(-1)!)
  other.raw(sent.at(-1)!)
  const again = await other.next('an answer', (m) => m.status >= 200)
  t.match(again, { status: 401 }, 'of another sender it is none')
})

const others: readonly (readonly [string, string, string[], string])[] = [
  ['INVITE', 'sip:102@pbx', [], sdp(4000)],
  ['SUBSCRIBE', 'sip:102@pbx', ['Event: dialog', 'Accept: application/dialog-info+xml', 'Expires: 600'], ''],
]
for (const [method, target, headers, body] of others) {
  t.test(`${method} sent again when it is over places nothing`, { skip, timeout: 60_000 }, async (t) => {
    const { engine, peer, sent } = await phoneOf(t)
    const answer = proven(peer, method, target, headers, body)
    if (method === 'INVITE') engine.send('reject', { leg: (await engine.next('invite'))['leg'], code: 480 })
    await answer
    if (method === 'SUBSCRIBE') await engine.next('subscribe')
    const text = sent.find((one) => one.startsWith(method) && one.includes('Authorization:'))!
    if (method === 'INVITE') {
      const refusal = await answer
      const line = (name: string) => `${name}: ${refusal?.header(name)}`
      peer.raw(
        `ACK ${target} SIP/2.0\r\n${[...refusal!.headers('Via').map((via) => `Via: ${via}`), line('From'), line('To'), line('Call-ID'), 'CSeq: 2 ACK'].join('\r\n')}\r\nContent-Length: 0\r\n\r\n`,
      )
    }
    engine.messages.length = 0
    for (const [, copy] of copies) peer.raw(copy(text))
    await peer.ask('OPTIONS', uri, { ms: 1000 })
    t.same(engine.of('invite'), [])
    t.ok(engine.of('subscribe').every((m) => m['again'] === true))
  })
}

t.test(
  'honest counts: nc may jump, begin again, or serve another nonce; none of them is a wrong password',
  { skip, timeout: 30_000 },
  async (t) => {
    const { engine, peer } = await phoneOf(t)
    const who = { from: 'sip:101@pbx', to: 'sip:101@pbx' }
    const challenge = await peer.ask('REGISTER', uri, who)
    const status = async (nc: number, cnonce: string) => {
      const answer = await peer.ask('REGISTER', uri, {
        ...who,
        headers: [authorization(challenge!, 'REGISTER', uri, '101', 'right', { nc, cnonce })],
      })
      return `${answer?.status}${/stale=true/.test(answer?.header('WWW-Authenticate') ?? '') ? ' stale' : ''}`
    }
    const counts: readonly (readonly [number, string, string])[] = [
      [1, 'a', '200'],
      [2, 'b', '200'],
      [7, 'c', '200'],
      [7, 'c', '401 stale'],
      [7, 'd', '401 stale'],
      [3, 'e', '401 stale'],
      [1, 'f', '401 stale'],
      [1, 'a', '401 stale'],
      [1, 'g', '401 stale'],
      [1, 'h', '401 stale'],
      [1, 'i', '401 stale'],
      [8, 'j', '200'],
      [0xffffffff, 'k', '200'],
    ]
    for (const [nc, cnonce, expected] of counts) t.equal(await status(nc, cnonce), expected, `nc=${nc}`)
    t.same(engine.of('banned'), [])
  },
)

t.test('a nonce of an engine that is gone is stale, not wrong', { skip, timeout: 30_000 }, async (t) => {
  const before = await Engine.start({ extensions: [extension('101', 'right')] })
  const old = await SipPeer.udp(before.port())
  const who = { from: 'sip:101@pbx', to: 'sip:101@pbx' }
  const challenge = await old.ask('REGISTER', uri, who)
  await before.stop()
  old.close()
  const { engine, peer } = await phoneOf(t)
  for (let n = 1; n <= 8; n++) {
    const answer = await peer.ask('REGISTER', uri, {
      ...who,
      headers: [authorization(challenge!, 'REGISTER', uri, '101', 'right', { nc: n })],
    })
    t.match(answer?.header('WWW-Authenticate'), /stale=true/)
  }
  t.same(engine.of('banned'), [])
})
