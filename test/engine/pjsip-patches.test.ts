/** What PJSIP 2.17 gets wrong and drivers/sip/engine/pjsip repairs: more of something than there is room for. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { Engine, skip, trunk } from './engine.ts'
import { Dialog, SipPeer, type SipMessage } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

t.test('what is mended in PJSIP', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  const server = `127.0.0.1:${peer.port}`
  t.teardown(async () => (peer.close(), engine.stop()))
  const offer = async (body: string) => {
    const call = new Dialog(peer)
    call.invite('101', { body })
    const invite = await engine.next('invite', {}, 300).catch(() => undefined)
    if (invite !== undefined) engine.send('answer', { leg: invite['leg'] })
    const final = await call.final('INVITE')
    call.learn(final)
    call.send('ACK')
    if (final.status === 200) await call.ask('BYE')
    if (invite !== undefined) await engine.next('ended', { leg: invite['leg'] })
    return final.status
  }
  const crypto = (count: number) => [
    'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz',
    ...Array.from({ length: count - 1 }, (_, i) => `a=crypto:${i + 2} X inline:A`),
  ]

  await t.test('an offer with more than 64 a=crypto lines is refused (GHSA-m9g3-jcj8-qjfm)', async (t) => {
    await engine.configure({ trunks: [trunk(server, { srtp: 'required' })] })
    const secured = (count: number) => sdp(9, { codecs: '0', more: crypto(count) }).replace('RTP/AVP', 'RTP/SAVP')
    t.equal(await offer(secured(60)), 200)
    t.ok((await offer(secured(66))) >= 400)
    t.equal(await offer(secured(1)), 200)
  })

  await t.test('a registrar that names more Service-Route than there is room for names none', async (t) => {
    await engine.configure({ trunks: [trunk(server, { register: true, username: 'clinic', password: 'x' })] })
    const register = await peer.request('REGISTER')
    const routes = Array.from({ length: 12 }, (_, i) => `Service-Route: <sip:127.0.0.${i + 10}:5060;lr>`)
    peer.answer(register, 200, { headers: [`Contact: ${register.header('Contact')};expires=300`, ...routes] })
    await engine.next('trunk', { state: 'registered' })
    const leg = engine.dial({ trunk: 'main', to: '+15551230001' })
    const invite = await peer.request('INVITE')
    t.same(invite.headers('Route'), [])
    peer.answer(invite, 486)
    await engine.next('ended', { leg })
  })

  await t.test('a registrar that writes no address into "received" is not believed (#5149)', async (t) => {
    const account = trunk(server, { id: 'odd', register: true, username: 'odd', password: 'x' })
    const isNew = (register: SipMessage) => register.method === 'REGISTER' && !/expires[=:]\s*0\b/i.test(register.text)
    for (const received of ['a:b', '::1', 'clinic.test']) {
      const accept = (register: SipMessage) => {
        const via = register.headers('Via').map((value) => value.replace(/;rport(=\d+)?/, `;rport=6000;received=${received}`))
        const odd = { ...register, headers: (name: string) => (name === 'Via' ? via : register.headers(name)) }
        peer.answer(odd, 200, { headers: [`Contact: ${register.header('Contact')};expires=300`] })
      }
      await engine.configure({ trunks: [account] })
      accept(await peer.next('REGISTER', isNew))
      await engine.next('trunk', { id: 'odd', state: 'registered' })
      const again = await peer.next('another', isNew, 500).catch(() => undefined)
      if (again) accept(again)
      t.notOk(again, `${received} is made no contact of`)
      await engine.configure({ trunks: [] })
      peer.answer(await peer.request('REGISTER'), 200)
    }
    engine.send('ping', { n: 1 })
    await engine.next('pong', { n: 1 })
  })
})

/** Time of the processor that the engine has taken, in ms. */
function processorMs({ child }: Engine): number {
  const [, ...fields] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[10]) + Number(fields[11])) * 10
}

t.test(
  'branches that are chosen to fall into one row of a table cost no more than others (#5116)',
  { skip, timeout: 120_000 },
  async (t) => {
    const engine = await Engine.start()
    const peer = await SipPeer.udp(engine.port())
    t.teardown(async () => (peer.close(), engine.stop()))
    await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(4000) })
    const invite = await engine.next('invite')
    engine.send('answer', { leg: invite['leg'] })
    await call.answered()
    // Times 33 and plus, letter by letter: "ar" and "c0" are one number, and so is any row of them; "ax" is another one.
    const branch = (n: number, other: string) => Array.from({ length: 16 }, (_, bit) => ((n >> bit) & 1 ? 'c0' : other)).join('')
    const flood = async (name: string, other: string) => {
      const before = processorMs(engine)
      for (let n = 0; n < 10_000; n++) {
        call.cseq++
        const via = `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};rport;branch=z9hG4bK${name}${branch(n, other)}`
        const head = [
          via,
          `From: ${call.local}`,
          `To: ${call.remote}`,
          `Call-ID: ${call.callId}`,
          `CSeq: ${call.cseq} INFO`,
          'Max-Forwards: 70',
        ]
        peer.raw(`INFO ${call.target} SIP/2.0\r\n${head.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`)
        if (n % 50 !== 49) continue
        engine.send('ping', { n: n + 1 })
        await engine.next('pong', { n: n + 1 })
      }
      return processorMs(engine) - before
    }
    const [others, chosen] = [await flood('a', 'ax'), await flood('b', 'ar')]
    t.comment(`${others} ms of the processor for 10,000, ${chosen} ms where they are chosen`)
    t.ok(chosen < others * 2 + 200, `${chosen} ms, ${others} ms`)
  },
)
