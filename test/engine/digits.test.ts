/** Keys of all kinds at pbx-engine: each is reported once, whatever is lost on the way. */
import t from 'tap'
import { createSocket } from 'node:dgram'
import { concat, keyTone, silence } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { Engine, pause, skip, trunk } from './engine.ts'
import { stopThread } from './instant.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'
import { listens } from '../harness/ears.ts'

/** In their order; the last is a flash of the hook. */
const codes = '0123456789*#ABCD!'

/** An RTP source whose every packet the test writes. */
async function openRtp() {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  let sequence = 100
  let target = 0
  const send = (type: number, timestamp: number, payload: Buffer, marker = false): void => {
    const head = Buffer.alloc(12)
    head[0] = 0x80
    head[1] = type | (marker ? 0x80 : 0)
    head.writeUInt16BE(sequence++ & 0xffff, 2)
    head.writeUInt32BE(timestamp, 4)
    head.writeUInt32BE(77, 8)
    socket.send(Buffer.concat([head, payload]), target, '127.0.0.1')
  }
  return {
    port: socket.address().port,
    towards: (body: string) => void (target = Number(/m=audio (\d+)/.exec(body)?.[1])),
    event: (key: string, timestamp: number, duration: number, end = false, marker = false) =>
      send(101, timestamp, Buffer.from([codes.indexOf(key), (end ? 0x80 : 0) | 10, duration >> 8, duration & 255]), marker),
    lose: () => void sequence++,
    close: () => socket.close(),
  }
}

t.test('keys', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
  t.teardown(async () => (peer.close(), engine.stop()))

  const establish = async (port: number, codecs = '0 101', more: string[] = []) => {
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(port, { codecs, more }) })
    const leg = (await engine.next('invite'))['leg'] as number
    engine.send('answer', { leg })
    const ok = await call.answered()
    await engine.next('answered', { leg })
    return { call, leg, ok }
  }
  const end = async (leg: number, call: Dialog) => {
    engine.send('hangup', { leg })
    peer.answer(await call.request('BYE'), 200)
    await engine.next('ended', { leg })
    t.same(engine.of('digit', { leg }), [], 'no key was reported twice')
  }
  const keys = async (leg: number, count: number) => {
    const all = []
    for (let n = 0; n < count; n++) all.push(await engine.next('digit', { leg }))
    return all
  }

  await t.test('RFC 4733', async (t) => {
    const rtp = await openRtp()
    const { call, leg, ok } = await establish(rtp.port)
    rtp.towards(ok.body)
    t.match(ok.body, 'telephone-event/8000')
    let at = 16_000
    const press = async (key: string, { ends = 3, frames = 5 } = {}) => {
      for (let n = 1; n <= frames; n++) {
        rtp.event(key, at, n * 160, false, n === 1)
        await pause(2)
      }
      for (let n = 0; n < 3; n++) {
        if (n < ends) rtp.event(key, at, (frames + 1) * 160, true)
        else rtp.lose()
      }
      at += 16_000
    }
    for (const key of codes) await press(key)
    const all = await keys(leg, codes.length)
    t.equal(all.map((m) => m['digit']).join(''), codes, 'all sixteen, and a flash')
    t.same(
      all.map((m) => [m['method'], m['durationMs']]),
      Array(codes.length).fill(['rfc4733', 0]),
    )
    await press('5')
    await press('5')
    t.equal((await keys(leg, 2)).map((m) => m['digit']).join(''), '55', 'the same key twice')
    await press('7', { ends: 0 })
    t.match(await keys(leg, 1), [{ digit: '7' }], 'all ends lost, nothing follows')
    await press('8', { ends: 0 })
    await press('8', { ends: 1 })
    await press('9', { ends: 2 })
    t.equal((await keys(leg, 3)).map((m) => m['digit']).join(''), '889', 'ends lost, another key follows')
    for (let n = 0; n < 3; n++) rtp.event('3', at, 800, true)
    t.match(await keys(leg, 1), [{ digit: '3' }], 'only the ends arrived')
    at += 16_000
    const send = (key: string, marker: boolean, stamps: (packet: number) => number, durations: (packet: number) => number) => {
      for (let n = 1; n <= 8; n++) rtp.event(key, at + stamps(n), durations(n), n > 5, marker && n === 1)
    }
    const spread = (n: number) => Math.min(n, 6) * 160
    for (const key of '1234') send(key, true, () => 0, spread)
    t.equal((await keys(leg, 4)).map((m) => m['digit']).join(''), '1234', 'four keys under one timestamp')
    for (const key of '5566') send(key, true, () => 0, spread)
    t.equal((await keys(leg, 4)).map((m) => m['digit']).join(''), '5566', 'the same keys again under it, each with its mark')
    at += 16_000
    for (const key of '1123') {
      send(key, false, (n) => (n > 5 ? n * 160 : 0), spread)
      at += 3200
    }
    t.equal((await keys(leg, 4)).map((m) => m['digit']).join(''), '1123', 'no mark, and ends with timestamps of their own')
    for (const key of '77') {
      send(
        key,
        true,
        () => 0,
        () => 0,
      )
      at += 3200
    }
    t.equal((await keys(leg, 2)).map((m) => m['digit']).join(''), '77', 'no durations')
    at += 16_000
    rtp.event('4', at, 160, false, true)
    t.match(await keys(leg, 1), [{ digit: '4' }], 'a key is reported when it is pressed')
    for (let n = 2; n < 80; n++) rtp.event('4', at, n * 160)
    for (let n = 0; n < 3; n++) rtp.event('4', at, 80 * 160, true)
    at += 16_000
    await press('0')
    t.match(await keys(leg, 1), [{ digit: '0' }], 'and not again when it is let go')
    await end(leg, call)
    rtp.close()
  })

  await t.test('SIP INFO, both kinds', async (t) => {
    const rtp = await RtpPhone.open()
    const { call, leg } = await establish(rtp.port)
    const relay = (body: string) => call.ask('INFO', { body, type: 'application/dtmf-relay' })
    t.equal((await relay('Signal=5\r\nDuration=160\r\n')).status, 200)
    t.match(await keys(leg, 1), [{ digit: '5', method: 'info', durationMs: 160 }])
    t.equal((await relay('Signal= #\r\nDuration= 90\r\n')).status, 200)
    t.match(await keys(leg, 1), [{ digit: '#' }])
    t.equal((await relay('Signal=11\r\nDuration=100')).status, 200)
    t.match(await keys(leg, 1), [{ digit: '#' }], 'some phones number the keys')
    t.equal((await relay('Signal=*')).status, 200)
    t.match(await keys(leg, 1), [{ digit: '*' }])
    t.equal((await call.ask('INFO', { body: '7\r\n', type: 'application/dtmf' })).status, 200)
    t.match(await keys(leg, 1), [{ digit: '7', method: 'info' }])
    t.equal((await relay('Signal=16\r\nDuration=250\r\n')).status, 200)
    t.equal((await call.ask('INFO', { body: '!', type: 'application/dtmf' })).status, 200)
    t.match(await keys(leg, 2), [{ digit: '!', method: 'info', durationMs: 250 }, { digit: '!' }], 'a flash of the hook')
    t.match(await call.ask('INFO', { body: 'x', type: 'application/dtmf' }), { status: 400 })
    for (const [type, body] of [
      ['application/hook-flash', 'signal=hf\r\n'],
      ['application/dtmf-relay', 'Signal=hf\r\nDuration=100\r\n'],
      ['application/broadsoft; version=1.0', 'event flashhook\r\n'],
    ] as const) {
      t.equal((await call.ask('INFO', { body, type })).status, 200, type)
      t.match(await keys(leg, 1), [{ digit: '!', method: 'info' }], `a flash by ${type}`)
    }
    t.match(await call.ask('INFO', { body: 'event talk', type: 'application/broadsoft' }), { status: 415 })
    const other = await call.ask('INFO', { body: '<x/>', type: 'application/media_control+xml' })
    t.equal(other.status, 415)
    t.match(other.header('Accept'), 'application/dtmf-relay')
    t.match(await call.ask('INFO'), { status: 200 }, 'an empty INFO asks whether we live')
    await end(leg, call)
    rtp.close()
  })

  await t.test('a key by INFO is acknowledged when the daemon has it, not before', async (t) => {
    const rtp = await RtpPhone.open()
    const { call, leg } = await establish(rtp.port)
    const goOn = await stopThread(engine.child.pid ?? 0, 'link-writer')
    if (goOn === undefined) t.pass('a thread that stands still', { skip: 'this system lets nobody stop a thread' })
    else {
      const asked = performance.now()
      t.match(await call.ask('INFO', { body: 'Signal=5\r\nDuration=160\r\n', type: 'application/dtmf-relay' }), { status: 200 })
      t.ok(performance.now() - asked > 90, 'a daemon that cannot be told is given up after 100 ms')
      await goOn()
      t.match(await keys(leg, 1), [{ digit: '5' }])
    }
    await end(leg, call)
    rtp.close()
  })

  await t.test('in the voice', async (t) => {
    const rtp = await RtpPhone.open()
    const { call, leg } = await establish(rtp.port, '0')
    await rtp.until('audio', () => rtp.packets.length > 0)
    rtp.say(concat(silence(200), keyTone('4', 100), silence(100), keyTone('4', 80), silence(100), keyTone('#', 300), silence(100)))
    const all = await keys(leg, 3)
    t.equal(all.map((m) => m['digit']).join(''), '44#')
    t.match(all, [{ method: 'inband' }, { method: 'inband' }, { method: 'inband' }])
    await end(leg, call)
    rtp.close()
  })

  await t.test('no key is heard in the voice of who sends keys as events, unless the trunk says so', async (t) => {
    const trunks = (inbandDigits: string) => [trunk(`127.0.0.1:${peer.port}`, { inbandDigits })]
    for (const [setting, codecs, expected] of [
      ['auto', '0 101', ''],
      ['always', '0 101', '4'],
      ['never', '0', ''],
    ] as const) {
      await engine.configure({ trunks: trunks(setting) })
      const rtp = await RtpPhone.open()
      const { call, leg } = await establish(rtp.port, codecs)
      await rtp.until('audio', () => rtp.packets.length > 0)
      rtp.say(concat(keyTone('4', 100), silence(300)))
      await rtp.said()
      await listens(rtp, 100)
      await engine.settled()
      t.equal(
        engine.messages
          .splice(0)
          .map((m) => m['digit'] ?? '')
          .join(''),
        expected,
        `${setting}, ${codecs}`,
      )
      await end(leg, call)
      rtp.close()
    }
    await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
  })

  await t.test('audio goes out in packets as long as the far end asks for', async (t) => {
    for (const [wanted, ms] of [
      [10, 10],
      [30, 30],
      [60, 60],
      [200, 60],
    ] as const) {
      const rtp = await RtpPhone.open()
      const { call, leg } = await establish(rtp.port, '0 101', [`a=ptime:${wanted}`])
      await rtp.until('audio', () => rtp.packets.length > 5)
      t.same([...new Set(rtp.packets.slice(1).map((p) => p.payload.length / 8))], [ms], `ptime ${wanted}`)
      await end(leg, call)
      rtp.close()
    }
  })

  await t.test('a phone that sends RFC 4733 and lets the tone through as well', async (t) => {
    const rtp = await RtpPhone.open()
    const { call, leg } = await establish(rtp.port)
    await rtp.until('audio', () => rtp.packets.length > 0)
    for (const key of '12') {
      rtp.say(concat(keyTone(key, 60), silence(60)))
      await listens(rtp, 30)
      await rtp.press(key, 100)
    }
    t.equal((await keys(leg, 2)).map((m) => m['digit']).join(''), '12')
    await rtp.press('3', 100)
    t.match(await keys(leg, 1), [{ digit: '3' }])
    await end(leg, call)
    rtp.close()
  })

  await t.test('keys sent by us', async (t) => {
    const rtp = await RtpPhone.open()
    const { call, leg } = await establish(rtp.port)
    engine.send('digits', { leg, digits: '42#' })
    await rtp.until(
      'three keys',
      () => new Set(rtp.packets.filter((p) => p.payloadType === 101 && (p.payload[1]! & 0x80) !== 0).map((p) => p.timestamp)).size === 3,
    )
    const ends = rtp.packets.filter((p) => p.payloadType === 101 && (p.payload[1]! & 0x80) !== 0)
    t.equal([...new Map(ends.map((p) => [p.timestamp, codes[p.payload[0]!]])).values()].join(''), '42#')
    engine.send('digits', { leg, digits: '9', method: 'info' })
    const info = await call.request('INFO')
    t.match(info.body, /Signal=\s*9/)
    peer.answer(info, 200)
    await end(leg, call)
    rtp.close()
    const deaf = await RtpPhone.open()
    const inband = await establish(deaf.port, '0')
    engine.send('digits', { leg: inband.leg, digits: '6' })
    await deaf.sound()
    t.notOk(deaf.packets.some((p) => p.payloadType === 101))
    await end(inband.leg, inband.call)
    deaf.close()
  })
})
