/** Phones of a box whose machine may be another one in a moment: those that would not notice it come again soon. */
import t from 'tap'
import { Engine, extension, skip, trunk } from './engine.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer, token } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const inPair = { connectedSeconds: 60, lampSeconds: 120 }
const expires = (text = ''): number => Number(/expires=(\d+)/.exec(text)?.[1])

for (const [what, settings, connected, lamp] of [
  ['a box that is alone', {}, 900, 600],
  ['a pair', inPair, 60, 120],
] as const) {
  t.test(`how long phones may be silent at ${what}`, { skip, timeout: 60_000 }, async (t) => {
    const engine = await Engine.start({ extensions: [extension('101', 'right'), extension('102', 'right')], ...settings })
    t.teardown(() => engine.stop())
    for (const [transport, most] of [
      ['udp', 900],
      ['tcp', connected],
    ] as const) {
      const phone = await SipPeer[transport](engine.port(transport), '127.0.0.21')
      t.teardown(() => phone.close())
      const answer = await register(phone, '101', 'right', [`Contact: <sip:101@127.0.0.21:${phone.port}>;expires=900`])
      t.equal(answer?.status, 200, transport)
      const own = answer?.headers('Contact').find((contact) => contact.includes(`:${phone.port}>`))
      t.ok(Math.abs(expires(own) - most) <= 1, `${transport}: ${own}`)

      const asked = 'sip:102@pbx'
      const who = { from: 'sip:101@pbx', to: asked, callId: token() }
      const headers = ['Event: dialog', 'Expires: 600']
      const challenge = await phone.ask('SUBSCRIBE', asked, { ...who, headers })
      const proof = authorization(challenge!, 'SUBSCRIBE', asked, '101', 'right')
      const subscribed = await phone.ask('SUBSCRIBE', asked, { ...who, cseq: 2, headers: [...headers, proof] })
      t.equal(subscribed?.status, 200, transport)
      t.equal(Number(subscribed?.header('Expires')), lamp, transport)
    }
  })
}

t.test('a machine that gives way answers nobody who is new, and ends what it has', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start()
  const line = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${line.port}`)] })
  t.teardown(async () => {
    line.close()
    await engine.stop()
  })
  const drain = async (more: object) => {
    engine.send('drain', more)
    engine.send('ping', { n: 1 })
    await engine.next('pong')
  }
  const options = () => line.ask('OPTIONS', 'sip:pbx', { ms: 2000 })
  t.equal((await options())?.status, 200)
  await drain({})
  t.equal((await options())?.status, 503, 'a box that is alone says so')
  await drain({ silent: true })
  t.equal(await options(), undefined)
  const call = new Dialog(line)
  call.invite('101', { target: 'sip:101@pbx', body: sdp(4000) })
  await t.rejects(call.final('INVITE', 2000), 'it is not refused, for another machine takes it')
})
