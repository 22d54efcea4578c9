/** Texts that a SIP trunk brings: accepted when they are kept, refused in plain words, never twice, never from strangers. */
import t from 'tap'
import { freePort } from '../harness/daemon.ts'
import { Sipp } from '../harness/sipp.ts'
import { SipPeer, token, type Extra } from '../engine/sip-peer.ts'
import { authorization } from '../engine/sip-text.ts'
import { other, own, Rig, sipTrunk, skip } from './rig.ts'
import { eventually } from '../harness/waiting.ts'

t.setTimeout(180_000)

const plain = 'text/plain'

/** A provider by hand at pbxd's trunk. */
async function provider(): Promise<{ peer: SipPeer; rig: Rig; text: (extra?: Asked) => Promise<number>; close: () => Promise<void> }> {
  const port = await freePort()
  const peer = await SipPeer.udp(port)
  const rig = await Rig.start([sipTrunk(`127.0.0.1:${peer.port}`)], { udp: `127.0.0.1:${port}` })
  const text = async (extra: Asked = {}): Promise<number> =>
    (await peer.ask('MESSAGE', `sip:${own}@127.0.0.1`, { from: `sip:${other}@pbx`, type: plain, body: 'hello', ...extra }))?.status ?? 0
  return { peer, rig, text, close: () => (peer.close(), rig.stop()) }
}
type Asked = Parameters<SipPeer['ask']>[2]

t.test('texts in', { skip }, async (t) => {
  // What takes long waits in parallel with the rest: 10 s for a daemon that says nothing.
  const slow = await provider()
  let late: () => void = () => undefined
  slow.rig.keep = () => new Promise((resolve) => (late = resolve))
  const unconfirmed = slow.text({ body: 'not kept yet', ms: 15_000 })

  const { peer, rig, text, close } = await provider()
  let count = 0
  const next = (): Promise<(typeof rig.texts)[number]> => rig.received(++count)
  t.teardown(close)

  await t.test('a provider delivers a text', async (t) => {
    const port = await freePort()
    const sippPort = await freePort()
    const rig = await Rig.start([sipTrunk(`127.0.0.1:${sippPort}`)], { udp: `127.0.0.1:${port}` })
    const fields = [own, other, 'Komme später, Gruß']
    const scenario = '../../sip-messages/scenarios/sends-text'
    const sipp = await Sipp.start({ scenario, target: `127.0.0.1:${port}`, port: sippPort, fields })
    t.match(await rig.received(), {
      from: other,
      to: own,
      body: /^Komme später, Gruß/,
      encoding: 'GSM-7',
      sentAt: Date.UTC(2010, 10, 13, 23, 29),
      providerId: /^[0-9a-f]{32}$/,
    })
    t.equal(await sipp.exit, 0, sipp.failure())
    await rig.stop()
    await sipp.close()
  })

  await t.test('accepted only when it is kept', async (t) => {
    let kept: () => void = () => undefined
    rig.keep = () => new Promise((resolve) => (kept = resolve))
    let code = 0
    const asking = text({ body: 'STOP' }).then((answer) => (code = answer))
    t.match(await next(), { body: 'STOP', encoding: 'GSM-7', sentAt: null })
    t.ok(await peer.ask('OPTIONS', 'sip:pbx'), 'what came after it is answered')
    t.equal(code, 0, 'no word yet')
    kept()
    t.equal(await asking, 200)
    t.notMatch(peer.received.map((message) => message.text).join(''), /PJSIP|Server:|User-Agent|Contact/i)
    rig.keep = () => Promise.reject(new Error('the disk is full'))
    const refused = await peer.ask('MESSAGE', `sip:${own}@pbx`, { type: plain, body: 'x' })
    t.equal(refused?.status, 503)
    t.match(refused?.header('Retry-After'), /^\d+$/)
    t.ok(rig.logged.some((line) => /could not be stored/.test(line)))
    await next()
    rig.keep = () => Promise.resolve()
  })

  await t.test('the same request again is the same text', async (t) => {
    let kept: () => void = () => undefined
    rig.keep = () => new Promise((resolve) => (kept = resolve))
    const request = message(peer, 'once')
    peer.raw(request)
    await next()
    for (let again = 0; again < 3; again++) peer.raw(request)
    t.ok(await peer.ask('OPTIONS', 'sip:pbx'), 'what came after it is answered')
    kept()
    await peer.next('200', (m) => m.status === 200)
    const bytes = peer.bytes
    peer.raw(request)
    await eventually('an answer', () => peer.bytes !== bytes, undefined, 5)
    rig.keep = () => Promise.resolve()
    t.equal(rig.texts.length, count, 'told once, answered twice')
    const keys = new Set<string>()
    for (const [callId, cseq] of [
      ['a', 1],
      ['a', 2],
      ['b', 2],
    ] as const) {
      t.equal(await text({ callId, cseq }), 200)
      keys.add((await next()).providerId)
    }
    t.equal(keys.size, 3, 'another request is another text')
  })

  await t.test('what is no plain text', async (t) => {
    const refuse = async (extra: Extra): Promise<string> => {
      const answer = await peer.ask('MESSAGE', `sip:${own}@pbx`, { type: plain, ...extra })
      return `${answer?.status} ${answer?.header('Accept')}`.trim()
    }
    const accept = '415 text/plain;charset=utf-8'
    t.equal(await refuse({ type: 'text/html', body: '<b>x</b>' }), accept)
    t.equal(await refuse({ type: 'application/im-iscomposing+xml', body: '<x/>' }), accept)
    t.equal(await refuse({ type: 'multipart/mixed;boundary=b', body: '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n' }), accept)
    t.equal(await refuse({ type: 'text/plain;charset=iso-8859-1', body: 'x' }), accept)
    t.equal(await refuse({ headers: ['Content-Encoding: gzip'], body: 'x' }), accept)
    t.equal(await refuse({ body: 'x'.repeat(4097) }), '413')
    t.equal(await refuse({ body: '' }), '400')
    t.equal(await refuse({ body: '\u0000\u0007' }), '400')
    peer.raw(message(peer, 'cut short', { length: 200 }))
    t.equal((await peer.next('400', (m) => m.status >= 200)).status, 400)
    peer.raw(message(peer, 'untyped').replace('Content-Type: text/plain\r\n', ''))
    t.equal((await peer.next('415', (m) => m.status >= 200)).status, 415)
    t.equal(rig.texts.length, count)
    t.equal(await text({ type: 'text/plain; charset="UTF-8"', body: 'x'.repeat(4096) }), 200)
    t.equal((await next()).body.length, 4096)
  })

  await t.test('hostile texts are told harmlessly', async (t) => {
    t.equal(await text({ body: 'a\u0000b\u001b[31m\r\nc\td\u007f' }), 200)
    t.equal((await next()).body, 'ab[31m\r\nc\td')
    const [head = ''] = message(peer, '', { length: 5 }).split('\r\n\r\n')
    peer.raw(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62])]))
    await peer.next('200', (m) => m.status === 200)
    t.match(await next(), { body: 'a��(b', encoding: 'UCS-2' })
    peer.raw(message(peer, 'hello and more', { length: 5 }))
    t.equal((await next()).body, 'hello', 'what follows the body is no part of it')
    await peer.next('200', (m) => m.status === 200)
    const long = 'x'.repeat(2500)
    t.equal(await text({ headers: [`Date: ${long}`, `P-Asserted-Identity: <sip:${long}@pbx>`, `Subject: ${long}`] }), 200)
    const strange = await next()
    t.ok(strange.from.length <= 512)
    t.equal(strange.sentAt, null)
    t.equal(await text({ from: 'sip:anonymous@anonymous.invalid' }), 200)
    t.equal((await next()).from, '')
    t.equal(await text({ from: 'sip:anonymous@x', headers: [`P-Asserted-Identity: <tel:${other}>`] }), 200)
    t.equal((await next()).from, '', 'who writes an anonymous From wants to be unknown')
    peer.raw(message(peer, 'x').replace('1 MESSAGE', '1 INVITE'))
    t.equal((await peer.next('400', (m) => m.status >= 200)).status, 400)
  })

  await t.test('strangers hear nothing, telephones hear no', async (t) => {
    const stranger = await SipPeer.udp(peer.target, '127.0.0.9')
    const request = { type: plain, body: 'x' }
    t.equal(await stranger.ask('MESSAGE', `sip:${own}@pbx`, { ...request, ms: 400 }), undefined)
    t.equal(stranger.bytes, 0)
    const phone = await SipPeer.udp(peer.target, '127.0.0.3')
    const who = { to: 'sip:101@pbx', from: 'sip:101@pbx' }
    const challenge = await phone.ask('REGISTER', 'sip:pbx', who)
    await phone.ask('REGISTER', 'sip:pbx', { ...who, headers: [authorization(challenge!, 'REGISTER', 'sip:pbx', '101', 'right')] })
    const answer = await phone.ask('MESSAGE', `sip:${other}@pbx`, { from: 'sip:101@pbx', ...request })
    t.match(answer, { status: 403, text: /Warning: 399 pbx "Texts of extensions are not carried"/ })
    t.equal(rig.texts.length, count)
    stranger.close()
    phone.close()
  })

  await t.test('a trunk that carries no texts, or not yet, says so', async (t) => {
    const calls = await SipPeer.udp(peer.target)
    const plainTrunk = sipTrunk(`127.0.0.1:${calls.port}`, { id: 'calls' })
    rig.driver.configure({ ...rig.configuration, trunks: [...rig.configuration.trunks, plainTrunk] })
    const asks = async () => (await calls.ask('MESSAGE', `sip:${own}@pbx`, { type: plain, body: 'x', ms: 500 }))?.status
    await eventually('it carries no texts', async () => (await asks()) === 405)
    rig.driver.texts.claim('calls')
    t.equal((await calls.ask('MESSAGE', `sip:${own}@pbx`, { type: plain, body: 'x' }))?.status, 503)
    const options = await peer.ask('OPTIONS', 'sip:pbx')
    t.match(options?.header('Allow'), /MESSAGE/)
    t.match(options?.header('Accept'), /text\/plain/)
    rig.driver.configure(rig.configuration)
    // Its address is that of the other trunk.
    await eventually('it is no trunk of its own any more', async () => (await asks()) === 200)
    // So some of what was asked was taken as its text.
    count = rig.texts.length
    calls.close()
  })

  await t.test('over TCP, whose end in between does no harm', async (t) => {
    const first = await SipPeer.tcp(rig.port('tcp'))
    let kept: () => void = () => undefined
    rig.keep = () => new Promise((resolve) => (kept = resolve))
    void first.ask('MESSAGE', `sip:${own}@pbx`, { type: plain, body: 'left alone', ms: 100 })
    t.equal((await next()).body, 'left alone')
    first.close()
    await new Promise((resolve) => setTimeout(resolve, 300))
    kept()
    rig.keep = () => Promise.resolve()
    const second = await SipPeer.tcp(rig.port('tcp'))
    t.equal((await second.ask('MESSAGE', `sip:${own}@pbx`, { type: plain, body: 'again' }))?.status, 200)
    await next()
    second.close()
  })

  await t.test('a flood is held back', async (t) => {
    const all = await Promise.all(Array.from({ length: 400 }, () => text({ ms: 8000 })))
    const taken = all.filter((code) => code === 200).length
    t.ok(taken >= 150 && taken < 350, `${taken} taken`)
    t.equal(all.filter((code) => code === 503).length, 400 - taken)
    t.equal(rig.texts.length, count + taken)
  })

  await t.test('a daemon that does not say: 503, and its late word changes nothing', async (t) => {
    t.equal(await unconfirmed, 503)
    t.equal(slow.rig.texts.length, 1)
    late()
    const again = slow.text({ body: 'second', ms: 15_000 })
    await slow.rig.received(2)
    slow.rig.driver.stop().catch(() => undefined)
    t.equal(await again, 503, 'a daemon that goes says so at once')
    await slow.close()
  })
})

function message(peer: SipPeer, body: string, { length = Buffer.byteLength(body) } = {}): string {
  const head = [
    `MESSAGE sip:${own}@pbx SIP/2.0`,
    peer.via(),
    `From: <sip:${other}@pbx>;tag=${token()}`,
    `To: <sip:${own}@pbx>`,
    `Call-ID: ${token()}`,
    'CSeq: 1 MESSAGE',
    'Max-Forwards: 70',
    `Content-Type: ${plain}`,
    `Content-Length: ${length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
