/** Calls that come in through a trunk, as pbx-engine alone handles them: answers, ends, media changes. */
import t from 'tap'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toneLevel } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { whole } from '../../drivers/sip/reading.ts'
import { Engine, skip, trunk } from './engine.ts'
import { Dialog, SipPeer, type SipMessage } from './sip-peer.ts'
import { sdp } from './sip-text.ts'
import { listens } from '../harness/ears.ts'

const everything = { skip, timeout: 60_000 }

t.test('inbound calls', everything, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
  t.teardown(async () => {
    peer.close()
    await engine.stop()
  })

  /** An established call; the phone has sent and received. */
  const establish = async (body = sdp, via = peer) => {
    const rtp = await RtpPhone.open()
    const call = new Dialog(via)
    call.invite('101', { body: body(rtp.port) })
    const invite = await engine.next('invite', { sipCallId: call.callId })
    const leg = invite['leg'] as number
    engine.send('answer', { leg })
    const ok = await call.answered()
    const answered = await engine.next('answered', { leg })
    return { rtp, call, leg, ok, invite, answered }
  }
  const hangUp = async ({ call, leg, rtp }: { call: Dialog; leg: number; rtp: RtpPhone }) => {
    engine.send('hangup', { leg })
    call.peer.answer(await call.request('BYE'), 200)
    await engine.next('ended', { leg })
    rtp.close()
  }

  await t.test('rings, is answered, hears a tone, and hangs up', async (t) => {
    const rtp = await RtpPhone.open()
    const call = new Dialog(peer)
    call.invite('+15550001000', {
      from: '"Ann \\"A\\" Lee" <sip:+15551230001@pbx>',
      headers: ['X-Case: 7', 'Diversion: <sip:+15559999999@x>;reason=no-answer', 'User-Agent: x'],
      body: sdp(rtp.port),
    })
    const invite = await engine.next('invite')
    t.match(invite, {
      trunk: 'main',
      extension: '',
      from: '+15551230001',
      to: '+15550001000',
      fromName: /Ann/,
      diversion: '+15559999999',
      headers: { 'x-case': '7' },
      source: `127.0.0.1:${peer.port}`,
      sipCallId: call.callId,
      secure: false,
    })
    const leg = invite['leg'] as number
    t.equal(leg % 2, 1)
    engine.send('progress', { leg, code: 180 })
    await call.provisional(180)
    engine.send('answer', { leg })
    const ok = await call.answered()
    t.equal(ok.status, 200)
    t.notMatch(ok.text, /PJSIP|pjproject|2\.17|^Server|^User-Agent/im, 'no name and no version')
    t.match(await engine.next('answered', { leg }), { codec: 'PCMU', secure: false })
    engine.send('play', { leg, play: 1, tone: { hz: [440], ms: 500, dbm0: -10 } })
    t.match(await engine.next('played', { leg, play: 1 }), { completed: true, playedMs: 500 })
    await listens(rtp, 100)
    const heard = rtp.heard()
    t.ok(
      Math.abs(toneLevel(heard.subarray(-6400, -2400), 440) - toneLevel(heard.subarray(-6400, -2400), 880)) > 20,
      'the tone is at the phone',
    )
    t.equal((await call.ask('BYE', { headers: ['Reason: Q.850;cause=31'] })).status, 200)
    t.match(await engine.next('ended', { leg }), {
      by: 'remote',
      reason: 'hangup',
      code: 200,
      cause: 31,
      stats: { rxPackets: Number, txPackets: Number },
    })
    rtp.close()
  })

  await t.test('is hung up by us, with the cause in a Reason header', async (t) => {
    const call = await establish()
    engine.send('hangup', { leg: call.leg, cause: 17 })
    const bye = await call.call.request('BYE')
    t.match(bye.header('Reason'), 'Q.850;cause=17')
    peer.answer(bye, 200)
    t.match(await engine.next('ended', { leg: call.leg }), { by: 'local', reason: 'hangup', code: 200 })
    call.rtp.close()
  })

  await t.test('CANCEL', async (t) => {
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9) })
    const leg = whole((await engine.next('invite'))['leg'])
    await call.provisional(100)
    call.send('CANCEL')
    t.equal((await call.final('CANCEL')).status, 200)
    t.equal((await call.final('INVITE')).status, 487)
    call.send('ACK')
    t.match(await engine.next('ended', { leg }), { by: 'remote', reason: 'canceled', code: 487 })
  })

  for (const [code, reason] of [
    [486, ''],
    [404, 'No such clinic'],
    [603, ''],
    [503, ''],
  ] as const) {
    await t.test(`is refused with ${code}`, async (t) => {
      const call = new Dialog(peer)
      call.invite('101', { body: sdp(9) })
      const leg = whole((await engine.next('invite'))['leg'])
      engine.send('reject', { leg, code, ...(reason === '' ? {} : { reason }) })
      const final = await call.final('INVITE')
      t.equal(final.status, code)
      if (reason !== '') t.match(final.start, reason)
      call.send('ACK')
      t.match(await engine.next('ended', { leg }), { by: 'local', reason: 'rejected', code })
    })
  }

  await t.test('an INVITE without SDP gets our offer, and its answer comes in the ACK', async (t) => {
    const rtp = await RtpPhone.open()
    const call = new Dialog(peer)
    call.invite('101')
    const leg = whole((await engine.next('invite'))['leg'])
    engine.send('answer', { leg })
    const ok = await call.final('INVITE')
    t.match(ok.body, /m=audio \d+ RTP\/AVP 0 8 9 /)
    t.notMatch(ok.body, /m=(text|video)/)
    call.learn(ok)
    call.send('ACK', { body: sdp(rtp.port) })
    t.match(await engine.next('answered', { leg }), { codec: 'PCMU' })
    engine.send('play', { leg, play: 1, tone: { hz: [500], ms: 300 } })
    await engine.next('played', { leg })
    await rtp.until('the tone', () => rtp.packets.length > 10)
    await hangUp({ call, leg, rtp })
  })

  await t.test('hold and resume by the far end', async (t) => {
    const { rtp, call, leg, ok } = await establish()
    const mine = sdp(rtp.port, { direction: 'sendonly', version: 2 })
    const held = await (call.send('INVITE', { body: mine }), call.answered())
    t.match(held.body, /a=recvonly/)
    await engine.next('held', { leg })
    await (call.send('INVITE', { body: sdp(rtp.port, { version: 3 }) }), call.answered())
    await engine.next('resumed', { leg })
    t.ok(ok.body)
    const before = rtp.packets.length
    engine.send('play', { leg, play: 3, tone: { hz: [440], ms: 300 } })
    await engine.next('played', { leg, play: 3, completed: true })
    t.ok(rtp.packets.length > before + 10, 'audio goes on')
    // The old way of RFC 2543: connection address 0.0.0.0, and inactive.
    for (const body of [sdp(rtp.port, { address: '0.0.0.0', version: 4 }), sdp(rtp.port, { direction: 'inactive', version: 6 })]) {
      await (call.send('INVITE', { body }), call.answered())
      await engine.next('held', { leg })
      await (call.send('INVITE', { body: sdp(rtp.port, { version: 7 }) }), call.answered())
      await engine.next('resumed', { leg })
    }
    await hangUp({ call, leg, rtp })
  })

  await t.test('hold and resume by us', async (t) => {
    const { rtp, call, leg } = await establish()
    engine.send('hold', { leg, on: true })
    let again = await call.request('INVITE')
    t.match(again.body, /a=sendonly/)
    peer.answer(again, 200, { body: sdp(rtp.port, { direction: 'recvonly', version: 2 }) })
    await call.request('ACK')
    engine.send('play', { leg, play: 1, tone: { hz: [440], ms: 300 } })
    await engine.next('played', { leg, play: 1, completed: true })
    engine.send('hold', { leg, on: false })
    again = await call.request('INVITE')
    t.match(again.body, /a=sendrecv/)
    peer.answer(again, 200, { body: sdp(rtp.port, { version: 3 }) })
    await call.request('ACK')
    const before = rtp.packets.length
    engine.send('play', { leg, play: 2, tone: { hz: [440], ms: 300 } })
    await engine.next('played', { leg, play: 2, completed: true })
    t.ok(rtp.packets.length > before + 10)
    t.same(engine.of('held'), [])
    await hangUp({ call, leg, rtp })
  })

  await t.test('a re-INVITE that changes the codec and the port', async (t) => {
    const { rtp, call, leg } = await establish()
    const other = await RtpPhone.open()
    await (call.send('INVITE', { body: sdp(other.port, { codecs: '8 101', version: 2 }) }), call.answered())
    engine.send('play', { leg, play: 1, tone: { hz: [440], ms: 300 } })
    await engine.next('played', { leg, play: 1, completed: true })
    t.ok(other.packets.some((p) => p.payloadType === 8))
    other.close()
    await hangUp({ call, leg, rtp })
  })

  await t.test('a re-INVITE without SDP is answered with an offer', async (t) => {
    const { rtp, call, leg } = await establish()
    call.send('INVITE')
    const ok = await call.final('INVITE')
    t.match(ok.body, /m=audio/)
    call.send('ACK', { body: sdp(rtp.port, { version: 2 }) })
    await hangUp({ call, leg, rtp })
  })

  await t.test('session timers: the far end refreshes by UPDATE, or its session ends', async (t) => {
    const rtp = await RtpPhone.open()
    const call = new Dialog(peer)
    call.invite('101', { headers: ['Supported: timer', 'Session-Expires: 1800;refresher=uac', 'Min-SE: 90'], body: sdp(rtp.port) })
    const leg = whole((await engine.next('invite'))['leg'])
    engine.send('answer', { leg })
    const ok = await call.answered()
    t.match(ok.header('Session-Expires'), /1800;refresher=uac/)
    t.match(ok.header('Require'), /timer/)
    const update = await call.ask('UPDATE', { headers: ['Supported: timer', 'Session-Expires: 1800;refresher=uac', 'Min-SE: 90'] })
    t.equal(update.status, 200)
    t.match(update.header('Session-Expires'), '1800')
    await hangUp({ call, leg, rtp })
    const short = new Dialog(peer)
    short.invite('101', { headers: ['Supported: timer', 'Session-Expires: 30'], body: sdp(rtp.port) })
    t.match(await short.final('INVITE'), { status: 422 })
    short.send('ACK')
  })

  await t.test('100rel when the far end requires it', async (t) => {
    const rtp = await RtpPhone.open()
    const call = new Dialog(peer)
    call.invite('101', { headers: ['Require: 100rel'], body: sdp(rtp.port) })
    const leg = whole((await engine.next('invite'))['leg'])
    engine.send('progress', { leg, code: 183 })
    const early = await call.provisional(183)
    t.match(early.header('Require'), '100rel')
    t.match(early.body, 'm=audio')
    call.learn(early)
    t.equal((await call.ask('PRACK', { headers: [`RAck: ${early.header('RSeq')} ${early.header('CSeq')}`] })).status, 200)
    engine.send('play', { leg, play: 1, tone: { hz: [440], ms: 200 } })
    await engine.next('played', { leg, play: 1, completed: true })
    t.ok(rtp.packets.length > 5, 'early media')
    engine.send('answer', { leg })
    await call.peer.next('200', (m: SipMessage) => m.status === 200 && m.header('CSeq') === '1 INVITE')
    // ACK carries the CSeq of the INVITE.
    call.send('ACK')
    await engine.next('answered', { leg })
    await hangUp({ call, leg, rtp })
  })

  await t.test('REFER is declined and reported, other methods are answered', async (t) => {
    const { rtp, call, leg } = await establish()
    t.equal((await call.ask('REFER', { headers: ['Refer-To: <sip:999@elsewhere>'] })).status, 603)
    t.match(await engine.next('refer', { leg }), { to: '999' })
    t.equal((await call.ask('OPTIONS')).status, 200)
    t.match(await call.ask('MESSAGE', { body: 'hello', type: 'text/plain' }), { status: Number })
    t.match(await call.ask('FROBNICATE'), { status: /405|501/ })
    await hangUp({ call, leg, rtp })
  })

  await t.test('is transferred by us', async (t) => {
    const { rtp, call, leg } = await establish()
    engine.send('refer', { leg, to: '+15557654321' })
    const refer = await call.request('REFER')
    t.match(refer.header('Refer-To'), /15557654321/)
    peer.answer(refer, 202)
    const notify = await call.ask('NOTIFY', {
      headers: ['Event: refer', 'Subscription-State: terminated;reason=noresource'],
      body: 'SIP/2.0 200 OK\r\n',
      type: 'message/sipfrag;version=2.0',
    })
    t.equal(notify.status, 200)
    await engine.next('referred', { leg, code: 200 })
    await hangUp({ call, leg, rtp })
  })

  await t.test('a recording is complete before the call is', async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'pbx-engine-'))
    t.teardown(() => rmSync(dir, { recursive: true }))
    const { rtp, call, leg } = await establish()
    const file = join(dir, 'x.wav')
    engine.send('record', { leg, record: 5, file, maxMs: 10_000 })
    await listens(rtp, 300)
    const mark = engine.messages.length
    t.equal((await call.ask('BYE')).status, 200)
    await engine.next('recorded', { leg, record: 5, reason: 'ended' })
    t.ok(existsSync(file))
    t.equal(engine.messages.findIndex((m) => m.t === 'ended') >= mark || (await engine.next('ended', { leg })) !== null, true)
    rtp.close()
  })

  await t.test('over TCP', async (t) => {
    const tcp = await SipPeer.tcp(engine.port('tcp'))
    const call = await establish(sdp, tcp)
    t.match(call.ok.header('Contact'), /transport=tcp/i)
    await hangUp(call)
    tcp.close()
  })

  await t.test('a late answer reaches no other call', async (t) => {
    const first = new Dialog(peer)
    first.invite('101', { body: sdp(9) })
    const leg = whole((await engine.next('invite'))['leg'])
    first.send('CANCEL')
    await engine.next('ended', { leg })
    const second = new Dialog(peer)
    second.invite('101', { body: sdp(9) })
    const next = (await engine.next('invite'))['leg']
    engine.send('answer', { leg })
    engine.send('reject', { leg: next, code: 486 })
    t.equal((await second.final('INVITE')).status, 486)
    t.not(next, leg)
  })

  await t.test('a call whose phone falls silent ends', async (t) => {
    await engine.configure({ mediaTimeoutSeconds: 2 })
    const { rtp, call, leg } = await establish()
    rtp.muted = true
    const bye = await call.request('BYE', 9000)
    peer.answer(bye, 200)
    t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'media-timeout' })
    rtp.close()
    await engine.configure({ mediaTimeoutSeconds: 60 })
  })
})
