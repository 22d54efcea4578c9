/**
 * Packets of a codec, or of a number for keys, that is not agreed on any more, or was never: what comes of them is heard as what it is or
 * not at all, never by the wrong codec. Judged by level: the wrong law of G.711 is some 12 dB too loud, and noise.
 */
import t from 'tap'
import { linearToAlaw, linearToUlaw, rms, tone, toneLevel } from '../harness/audio.ts'
import { eventually } from '../harness/scene.ts'
import { Engine, skip, trunk } from './engine.ts'
import { RtpSource } from './rtp-source.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

const amplitude = 4000
const level = amplitude / Math.SQRT2
const sound = tone(400, 20, amplitude)
const payloads: Record<number, Buffer> = {
  0: Buffer.from(Uint8Array.from(sound, linearToUlaw)),
  8: Buffer.from(Uint8Array.from(sound, linearToAlaw)),
  // G.722 of a tone; what it is does not matter, for it is to be heard by itself alone.
  9: Buffer.from(Uint8Array.from(sound, (sample) => (sample >> 6) & 255)),
  13: Buffer.from([40]),
  101: Buffer.from([5, 0x80 | 10, 3, 32]),
  111: Buffer.alloc(160, 0x55),
}

/**
 * Agreed on at first, then by re-INVITE; what the far end sends all the time; whether that is heard as the conversation, after the change.
 */
const changes: readonly (readonly [first: string, then: string, sent: number, heard: boolean])[] = [
  ['0 101', '8 101', 0, true],
  ['8 101', '0 101', 8, true],
  ['0 101', '9 101', 0, false],
  ['9 101', '0 101', 9, false],
  ['9 101', '8 101', 9, false],
  ['8 101', '9 101', 8, false],
  ['0 101', '8 101', 111, false],
  ['0 101', '8 101', 13, false],
  ['8 101', '0 101', 13, false],
]

t.test('packets of a codec that is not agreed on', { skip, timeout: 120_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
  t.teardown(async () => {
    peer.close()
    await engine.stop()
  })
  const establish = async (codecs: string) => {
    const rtp = await RtpSource.open()
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(rtp.port, { codecs }) })
    const leg = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
    engine.send('answer', { leg })
    const ok = await call.answered()
    await engine.next('answered', { leg })
    engine.send('tap', { leg, on: true })
    return { call, leg, rtp, port: Number(/m=audio (\d+)/.exec(ok.body)?.[1]) }
  }
  const ends = async (call: Dialog, leg: number) => {
    engine.send('hangup', { leg })
    peer.answer(await call.request('BYE'), 200)
    return engine.next('ended', { leg })
  }
  /** Sends packets of this type, one each 20 ms, until stopped. */
  const speaks = (rtp: RtpSource, port: number, type: number) => {
    const timer = setInterval(() => {
      rtp.timestamp += 160
      rtp.raw(rtp.packet(type, payloads[type]!), port)
    }, 20)
    return () => clearInterval(timer)
  }
  const newest = (leg: number, ms: number) => engine.heard(leg).subarray(-8 * ms)
  const sane = (samples: Int16Array) =>
    Math.max(...Array.from({ length: Math.floor(samples.length / 160) }, (_, n) => rms(samples.subarray(160 * n, 160 * n + 160))))

  // Each talks for seconds: they do so at once.
  const rows = changes.flatMap((change) => [false, true].map((held) => ({ change, held })))
  await t.test('are heard by their own codec or not at all, in a talk and on hold', (t) =>
    Promise.all(
      rows.map(async ({ change: [first, then, sent, heard], held }) => {
        const what = `${first} becomes ${then}${held ? ', on hold,' : ''} while packets of type ${sent} come`
        const { call, leg, rtp, port } = await establish(first)
        const silence = speaks(rtp, port, sent)
        const before = engine.heard(leg).length
        await eventually('what comes before', () => engine.heard(leg).length > before + 4000)
        const loudest = sent === 9 ? 40_000 : level * 1.3
        t.ok(sane(newest(leg, 300)) < loudest, `${what}: as loud as it is`)
        t.equal(
          (await call.ask('INVITE', { body: sdp(rtp.port, { codecs: then, version: 2, direction: held ? 'sendonly' : 'sendrecv' }) }))
            .status,
          200,
        )
        call.send('ACK')
        if (held) await engine.next('held', { leg })
        const since = engine.heard(leg).length
        await eventually('the time after', () => engine.heard(leg).length > since + 12_000)
        const after = engine.heard(leg).subarray(since + 4000)
        t.ok(sane(after) < level * 1.3, `${what}: nothing is louder than the talk: ${sane(after)} of ${level}`)
        if (heard && !held) await eventually(`${what}: heard by its own law`, () => toneLevel(newest(leg, 200), 400) > -25)
        if (!heard) t.ok(rms(newest(leg, 200)) < 50, `${what}: silence: ${rms(newest(leg, 200))}`)
        silence()
        const { stats } = await ends(call, leg)
        t.match(stats, { foreignPackets: 0 })
        rtp.close()
      }),
    ),
  )

  await t.test(
    'keys under the number that was agreed on before, or under that of another, are no audio; those under the new one are keys',
    async (t) => {
      const { call, leg, rtp, port } = await establish('0 101')
      const silence = speaks(rtp, port, 0)
      const key = (type: number) => {
        for (const [duration, end] of [
          [160, 0],
          [320, 0],
          [480, 0x80],
          [480, 0x80],
          [480, 0x80],
        ] as const)
          rtp.raw(rtp.packet(type, Buffer.from([5, end | 10, duration >> 8, duration & 255])), port)
        rtp.timestamp += 1600
      }
      key(101)
      t.match(await engine.next('digit', { leg }), { digit: '5' })
      const body = sdp(rtp.port, { codecs: '8 96', version: 2 }).replace('96 x/8000', '96 telephone-event/8000')
      t.equal((await call.ask('INVITE', { body })).status, 200)
      call.send('ACK')
      key(101)
      key(110)
      key(96)
      t.match(await engine.next('digit', { leg }), { digit: '5' })
      await engine.settled()
      t.same(engine.of('digit', { leg }), [], 'once')
      t.ok(sane(newest(leg, 400)) < level * 1.3)
      silence()
      await ends(call, leg)
      rtp.close()
    },
  )
})
