/** Finished telephones (baresip) at pbx-engine: registration, TLS with SRTP, wideband, both ways. */
import t from 'tap'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tone, toneLevel } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { certificate } from '../harness/processes.ts'
import { Engine, extension, skip } from './engine.ts'
import { register } from './registering.ts'
import { SipPeer } from './sip-peer.ts'
import { eventually } from '../harness/waiting.ts'

/** The loudest of some frequencies, when it stands out by 15 dB. */
function pitch(samples: Int16Array): number {
  const middle = samples.subarray(Math.floor(samples.length * 0.4), Math.floor(samples.length * 0.8))
  const levels = [220, 300, 440, 600, 880, 1320].map((hz) => ({ hz, level: toneLevel(middle, hz) })).toSorted((a, b) => b.level - a.level)
  return levels[0]!.level - levels[1]!.level > 15 ? levels[0]!.hz : 0
}

t.test('telephones', { skip, timeout: 60_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-engine-'))
  await certificate(dir)
  const engine = await Engine.start({
    tls: { listen: '127.0.0.1:0', cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') },
    extensions: [extension('101', 'right'), extension('102', 'secure'), extension('103', 'tcp')],
  })
  t.teardown(async () => {
    await engine.stop()
    rmSync(dir, { recursive: true })
  })
  const registered = (number: string) =>
    engine.next('registration', (m) => m['extension'] === number && (m['contacts'] as unknown[]).length > 0)

  type Tap = { match: typeof t.match; equal: typeof t.equal; ok: typeof t.ok }
  /** A tone in the middle of what was heard, in dB against the same tone as it was sent. */
  const gain = (samples: Int16Array, hz: number, sent: Int16Array): number => {
    const middle = samples.subarray(Math.floor(samples.length * 0.4), Math.floor(samples.length * 0.4) + 4000)
    return toneLevel(middle, hz) - toneLevel(sent.subarray(0, 4000), hz)
  }
  const atMinus10 = tone(440, 1000, 32767 * 10 ** ((-10 - 3.14) / 20))

  const both = async (
    t: Tap,
    phone: Baresip,
    number: string,
    transport: 'udp' | 'tcp' | 'tls',
    expected: { codec: string; secure: boolean },
  ) => {
    const leg = engine.dial({ extension: number, to: number, from: '999' })
    await phone.until('CALL_ESTABLISHED')
    t.match(await engine.next('answered', { leg }), expected, 'called by us')
    engine.send('tap', { leg, on: true })
    engine.send('play', { leg, play: 1, tone: { hz: [440], ms: 1500, dbm0: -10 } })
    await engine.next('played', { leg, play: 1 })
    t.equal(pitch(engine.heard(leg)), 300, 'we hear its voice')
    const heard = gain(engine.heard(leg), 300, tone(300, 1000))
    t.ok(Math.abs(heard) < 1, `as loud as it speaks: ${heard.toFixed(1)} dB`)
    engine.send('hangup', { leg })
    await engine.next('ended', { leg })
    await phone.until('CALL_CLOSED')
    t.equal(pitch(phone.heard()), 440, 'it hears our tone')
    const said = gain(phone.heard(), 440, atMinus10)
    t.ok(Math.abs(said) < 1, `as loud as we play it: ${said.toFixed(1)} dB`)
    await phone.command('dial', `sip:700@127.0.0.1:${engine.port(transport)};transport=${transport}`)
    const invite = await engine.next('invite')
    t.match(invite, { extension: number, to: '700' })
    const caller = invite['leg'] as number
    engine.send('answer', { leg: caller })
    t.match(await engine.next('answered', { leg: caller }), expected, 'calls us')
    engine.send('tap', { leg: caller, on: true })
    await eventually('300 Hz', () => pitch(engine.heard(caller)) === 300)
    await phone.command('hangup')
    t.match(await engine.next('ended', { leg: caller }), { by: 'remote', reason: 'hangup' })
  }
  await t.test('G.722 over UDP', async (t) => {
    const phone = await Baresip.start({
      registrar: `127.0.0.1:${engine.port()}`,
      user: '101',
      password: 'right',
      codecs: 'G722/16000/1',
      voiceRate: 16000,
      voice: tone(150, 60000),
      autoAnswer: true,
    })
    t.teardown(() => phone.close())
    await registered('101')
    await both(t, phone, '101', 'udp', { codec: 'G722', secure: false })
  })
  await t.test('TLS, with SRTP required by the phone', async (t) => {
    const phone = await Baresip.start({
      registrar: `127.0.0.1:${engine.port('tls')}`,
      user: '102',
      password: 'secure',
      transport: 'tls',
      mediaEncryption: 'srtp-mand',
      autoAnswer: true,
    })
    t.teardown(() => phone.close())
    t.match(await registered('102'), { contacts: [{ transport: 'tls' }] })
    await both(t, phone, '102', 'tls', { codec: 'PCMU', secure: true })
  })
  await t.test('TCP', async (t) => {
    const phone = await Baresip.start({
      registrar: `127.0.0.1:${engine.port('tcp')}`,
      user: '103',
      password: 'tcp',
      transport: 'tcp',
      codecs: 'PCMA/8000/1',
      autoAnswer: true,
    })
    t.teardown(() => phone.close())
    t.match(await registered('103'), { contacts: [{ transport: 'tcp' }] })
    await both(t, phone, '103', 'tcp', { codec: 'PCMA', secure: false })
  })

  await t.test('a phone that requires SRTP refuses a line without it', async (t) => {
    await engine.configure({ extensions: [extension('102', 'secure', { srtp: 'off' })] })
    const phone = await Baresip.start({
      registrar: `127.0.0.1:${engine.port('tls')}`,
      user: '102',
      password: 'secure',
      transport: 'tls',
      mediaEncryption: 'srtp-mand',
      autoAnswer: true,
    })
    t.teardown(() => phone.close())
    await registered('102')
    t.match(await engine.next('ended', { leg: engine.dial({ extension: '102', to: '102', from: '999' }) }), {
      by: 'remote',
      reason: 'rejected',
      code: 488,
    })
  })
})

t.test(
  'so many phones of an extension as it may have: the one that registered longest ago gives way',
  { skip, timeout: 60_000 },
  async (t) => {
    const engine = await Engine.start({ extensions: [{ ...extension('101', 'right'), phones: 2 }, extension('102', 'right')] })
    t.teardown(() => engine.stop())
    const contacts = async (user: string, phones: number) => {
      const kept: string[] = []
      for (let n = 0; n < phones; n++) {
        const phone = await SipPeer.udp(engine.port('udp'), `127.0.0.${40 + n}`)
        t.teardown(() => phone.close())
        const answer = await register(phone, user, 'right', [`Contact: ${phone.contact}`])
        kept.splice(0, kept.length, ...answer!.headers('Contact').map((text) => /@127\.0\.0\.(\d+)/.exec(text)?.[1] ?? text))
      }
      return kept.toSorted()
    }
    t.strictSame(await contacts('101', 4), ['42', '43'])
    t.equal((await contacts('102', 9)).length, 8, 'eight where nothing is said')
  },
)
