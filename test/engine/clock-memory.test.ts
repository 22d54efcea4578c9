/** The media clock takes and frees no memory: not while people talk, hear prompts, are recorded, bridged, or press keys. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { encodeClip, frameKind } from '../../drivers/sip/frames.ts'
import { tone } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { Engine, skip, trunk } from './engine.ts'
import { compiled } from './instant.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

/** PCM for a `play` with `stream`. */
function pcm(leg: number, play: number, samples: Int16Array): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32LE(9 + samples.byteLength, 0)
  head[4] = frameKind.pcm
  head.writeUInt32LE(leg, 5)
  head.writeUInt32LE(play, 9)
  return Buffer.concat([head, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)])
}

t.test('the media clock takes and frees no memory', { skip, timeout: 60_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-clock-'))
  const file = join(dir, 'counts')
  const environment = { LD_PRELOAD: compiled('allocations', ['-shared', '-fPIC']), ALLOCATIONS: file }
  const engine = await Engine.start({ inbandDigits: true }, environment)
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`, { inbandDigits: 'always' })] })
  const phones: RtpPhone[] = []
  t.teardown(async () => {
    for (const phone of phones) phone.close()
    peer.close()
    await engine.stop()
    rmSync(dir, { recursive: true })
  })
  const counts = () => {
    const bytes = readFileSync(file)
    return { taken: bytes.readBigUInt64LE(0), freed: bytes.readBigUInt64LE(8), others: bytes.readBigUInt64LE(16) }
  }
  const answered = async (codecs: string) => {
    const phone = await RtpPhone.open()
    phones.push(phone)
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(phone.port, { codecs }) })
    const leg = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
    engine.send('answer', { leg })
    await call.answered()
    await engine.next('answered', { leg })
    await phone.until('audio', () => phone.packets.length > 5)
    return { phone, leg, call }
  }
  const end = async ({ leg, call, phone }: { leg: number; call: Dialog; phone: RtpPhone }) => {
    // It would go on sending to a port that the next call may get.
    phone.close()
    engine.send('hangup', { leg })
    peer.answer(await call.request('BYE'), 200)
    await engine.next('ended', { leg })
  }
  const ticks = async () => {
    engine.send('ping', { n: 7 })
    await engine.next('pong', { n: 7 })
  }

  for (const part of encodeClip(1, tone(440, 200))) engine.write(part)
  const before = counts()
  const caller = await answered('0 101')
  const { leg } = caller
  const played = (play: number, completed = true) => engine.next('played', { leg, play, completed })

  engine.send('play', { leg, play: 1, clip: 1 })
  engine.send('play', { leg, play: 2, tone: { hz: [440, 480], ms: 100 } })
  engine.send('play', { leg, play: 3, silenceMs: 100 })
  for (const play of [1, 2, 3]) await played(play)
  engine.send('play', { leg, play: 4, stream: true })
  for (let i = 0; i < 10; i++) engine.write(pcm(leg, 4, tone(440, 50)))
  engine.send('playEnd', { leg, play: 4 })
  await played(4)
  engine.send('play', { leg, play: 5, tone: { hz: [440], ms: 60_000 } })
  engine.send('clear', { leg })
  await played(5, false)

  engine.send('listen', { leg, on: true })
  engine.send('tap', { leg, on: true })
  engine.send('record', { leg, record: 1, file: join(dir, 'one.wav'), maxMs: 300 })
  caller.phone.say(tone(600, 500))
  await engine.next('voice', { leg, active: true })
  await engine.next('recorded', { leg, record: 1, reason: 'max-length' })
  engine.send('record', { leg, record: 2, file: join(dir, 'two.wav'), maxMs: 0 })
  await engine.next('voice', { leg, active: false })
  engine.send('recordStop', { leg, record: 2, trimMs: 0 })
  await engine.next('recorded', { leg, record: 2, reason: 'stopped' })
  engine.send('tones', { leg, on: true })
  caller.phone.say(tone(1100, 700))
  await engine.next('tone', { leg, tone: 'cng' })
  caller.phone.pressInBand('4')
  t.match(await engine.next('digit', { leg }), { digit: '4', method: 'inband' })
  await caller.phone.press('5')
  t.match(await engine.next('digit', { leg }), { digit: '5', method: 'rfc4733' })
  engine.send('tones', { leg, on: false })
  engine.send('listen', { leg, on: false })
  engine.send('tap', { leg, on: false })

  for (const codecs of ['8 101', '9']) {
    const other = await answered(codecs)
    engine.bridge(leg, other.leg)
    const heard = other.phone.packets.length
    await other.phone.until('the other one', () => other.phone.packets.length > heard + 25)
    await end(other)
  }
  const [one, two] = [await answered('9'), await answered('9')]
  engine.bridge(one.leg, two.leg)
  engine.send('record', { leg: one.leg, record: 3, file: join(dir, 'both.wav'), maxMs: 300, channels: 2 })
  await engine.next('recorded', { leg: one.leg, record: 3 })
  for (const each of [leg, one.leg, two.leg]) engine.send('join', { leg: each, bridge: 9, hears: true, speaks: true })
  engine.send('loop', { leg, clip: 1 })
  engine.send('play', { leg: two.leg, play: 6, clip: 1, over: true })
  await engine.next('played', { leg: two.leg, play: 6, completed: true })
  engine.send('loopStop', { leg })
  engine.send('leave', { leg })
  engine.bridge(one.leg, two.leg)
  const heard = two.phone.packets.length
  await two.phone.until('the other one', () => two.phone.packets.length > heard + 25)
  await end(one)
  await end(two)
  await end(caller)
  await ticks()
  await ticks()

  const after = counts()
  t.equal(after.taken - before.taken, 0n, 'taken by the clock')
  t.equal(after.freed - before.freed, 0n, 'freed by the clock')
  t.ok(after.others - before.others > 100n, `others took ${after.others - before.others} pieces meanwhile: it is counted`)
})
