/** Where a call's audio may come from when the far end is not where its description says: behind NAT, moved, restarted. */
import t, { type Test } from 'tap'
import { rms, toneLevel } from '../harness/audio.ts'
import { eventually } from '../harness/scene.ts'
import { Engine, pause, skip, trunk } from './engine.ts'
import { RtpSource } from './rtp-source.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

t.test('the far end of a call', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`, { allow: ['127.3.0.0/16'] })] })
  t.teardown(async () => {
    peer.close()
    await engine.stop()
  })
  /** Silent when the test ends: the next call may get the same port. */
  const open = async (t: Test, address = '127.0.0.1') => {
    const source = await RtpSource.open(address)
    t.teardown(() => source.close())
    return source
  }
  /** An answered call that is tapped; `port` is the engine's. */
  const answered = async (body: string) => {
    const call = new Dialog(peer)
    call.invite('101', { body })
    const leg = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
    engine.send('answer', { leg })
    const ok = await call.answered()
    await engine.next('answered', { leg })
    engine.send('tap', { leg, on: true })
    return { call, leg, port: Number(/m=audio (\d+)/.exec(ok.body)?.[1]) }
  }
  /** 300 Hz now, half a second after what was under way has ended. */
  const hears = async (leg: number) => {
    const before = engine.heard(leg).length
    await eventually(
      '300 Hz',
      () => {
        const heard = engine.heard(leg).subarray(before)
        const newest = heard.subarray(-1600)
        return heard.length >= 4000 && toneLevel(newest, 300) - toneLevel(newest, 880) > 20
      },
      8000,
    )
  }
  const spokenTo = (source: RtpSource) => {
    const before = source.received
    return eventually('audio from the engine', () => source.received > before + 20)
  }
  const end = async (call: Dialog, leg: number) => {
    engine.send('hangup', { leg })
    peer.answer(await call.request('BYE'), 200)
    return (await engine.next('ended', { leg }))['stats'] as Record<string, number>
  }

  // Both wait for seconds: they do so at once.
  await Promise.all([
    t.test('a phone behind NAT is heard from the address its messages come from, and spoken to there', async (t) => {
      const phone = await open(t)
      const { call, leg, port } = await answered(sdp(4000, { address: '127.200.0.1' }))
      phone.speak(port)
      await hears(leg)
      await spokenTo(phone)
      t.match(await end(call, leg), { foreignPackets: 0 })
    }),
    t.test('a gateway of the trunk that moves to another port is heard there after 5 s of silence', async (t) => {
      const gateway = await open(t, '127.3.4.5')
      const { call, leg, port } = await answered(sdp(gateway.port, { address: '127.3.4.5' }))
      gateway.speak(port)
      await hears(leg)
      gateway.silence()
      const silent = performance.now()
      const moved = (await open(t, '127.3.9.9')).speak(port)
      await hears(leg)
      t.ok(performance.now() - silent > 4900, 'not before')
      await spokenTo(moved)
      const stats = await end(call, leg)
      t.ok(stats['foreignPackets']! > 100, `${stats['foreignPackets']} packets were dropped until then`)
    }),
  ])

  await t.test('after a re-INVITE the new address is heard, and what the old one still sends is not', async (t) => {
    const before = await open(t)
    const { call, leg, port } = await answered(sdp(before.port))
    before.speak(port)
    await hears(leg)
    const after = await open(t, '127.0.0.7')
    call.send('INVITE', { body: sdp(after.port, { address: '127.0.0.7', version: 2 }) })
    const moved = Number(/m=audio (\d+)/.exec((await call.answered()).body)?.[1])
    await spokenTo(after)
    before.received = 0
    after.speak(moved)
    await hears(leg)
    await spokenTo(after)
    t.ok(before.received < 3, 'the old one hears nothing more')
    t.ok((await end(call, leg))['foreignPackets']! > 5)
  })

  await t.test('a gateway that begins anew with another SSRC is heard on; keys may have an SSRC of their own', async (t) => {
    const gateway = await open(t)
    const { call, leg, port } = await answered(sdp(gateway.port))
    gateway.speak(port)
    await hears(leg)
    gateway.ssrc++
    gateway.sequence = 1
    await hears(leg)
    const audio = { ssrc: gateway.ssrc, sequence: gateway.sequence, timestamp: gateway.timestamp }
    const keys = await open(t)
    Object.assign(keys, { ssrc: 7, sequence: 50_000, timestamp: 99 })
    const strange = await open(t, '127.0.0.9')
    const before = engine.heard(leg).length
    for (const key of '3355') {
      for (const packet of keys.key(key)) gateway.raw(packet, port)
      for (const packet of strange.key('9')) strange.raw(packet, port)
      await pause(60)
    }
    for (const packet of gateway.key('5')) gateway.raw(packet, port)
    for (const digit of '33555') t.match(await engine.next('digit', { leg }), { digit })
    t.same(engine.of('digit', { leg }), [], 'each once, and none of a stranger’s')
    t.equal(gateway.ssrc, audio.ssrc)
    await hears(leg)
    const frames = engine.heard(leg).subarray(before)
    const silent = Array.from({ length: Math.floor(frames.length / 160) }, (_, n) => rms(frames.subarray(160 * n, 160 * n + 160)) < 100)
    t.ok(silent.filter(Boolean).length < 12, 'the talk goes on meanwhile')
    const stats = await end(call, leg)
    t.match(stats, { foreignPackets: 4 * 6 + 1 })
  })

  await t.test('a technician is told whether packets are a stranger’s or of a second source of the far end', async (t) => {
    for (const [who, address, text] of [
      ['a stranger', '127.0.0.9', /from 127\.0\.0\.9:\d+, which is not its far end/],
      ['a second source', '127.0.0.1', /of a second source \(SSRC\) from its far end, 127\.0\.0\.1:\d+/],
    ] as const) {
      const gateway = await open(t)
      const { call, leg, port } = await answered(sdp(gateway.port))
      gateway.speak(port)
      await hears(leg)
      const other = address === '127.0.0.1' ? gateway : await open(t, address)
      const second = await open(t)
      for (let n = 0; n < 12; n++) {
        second.sequence += 2
        other.raw(second.frame(), port)
      }
      await engine.next('log', (m) => text.test(String(m['text'])), 5000)
      t.pass(who)
      await hears(leg)
      t.match(await end(call, leg), { foreignPackets: 12 })
    }
  })

  await t.test('nothing is sent before the ACK, but after PRACK', async (t) => {
    const phone = await open(t)
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(phone.port), headers: ['Require: 100rel', 'Supported: 100rel'] })
    const leg = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
    engine.send('progress', { leg, code: 183 })
    const early = await call.provisional(183)
    t.match(early.body, 'm=audio')
    engine.send('play', { leg, play: 1, tone: { hz: [440], ms: 200 } })
    await engine.next('played', { leg, play: 1 })
    t.equal(phone.received, 0)
    call.learn(early)
    const prack = call.ask('PRACK', { headers: [`RAck: ${early.header('RSeq')} ${early.header('CSeq')}`] })
    t.equal((await prack).status, 200)
    await spokenTo(phone)
    engine.send('answer', { leg })
    await call.answered()
    await engine.next('answered', { leg })
    await end(call, leg)
  })
})
