/** What telephones and carriers write into a=crypto: whatever is agreed on is heard. */
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { whole } from '../../drivers/sip/reading.ts'
import { toneLevel } from '../harness/audio.ts'
import { Srtp } from '../harness/srtp.ts'
import { eventually } from '../harness/waiting.ts'
import { Engine, skip, trunk } from './engine.ts'
import { RtpSource } from './rtp-source.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

const suite = 'AES_CM_128_HMAC_SHA1_80'
const inline = (): string => randomBytes(30).toString('base64')
const [key, other] = [inline(), inline()]
const longKey = randomBytes(46).toString('base64')
const portOf = (body: string): number => Number(/m=audio (\d+)/.exec(body)?.[1])
const name = (length: number): Buffer => Buffer.concat([Buffer.alloc(length - 1), Buffer.from([1])])

interface Row {
  readonly what: string
  readonly lines: readonly string[]
  readonly profile?: string
  /** Bytes of the name of the key in each packet. */
  readonly named?: number
  /** The tag that is agreed on; 0 where the call is refused. */
  readonly tag: number
}

const rows: readonly Row[] = [
  { what: 'a key alone', lines: [`1 ${suite} inline:${key}`], tag: 1 },
  { what: 'a lifetime as a power', lines: [`1 ${suite} inline:${key}|2^31`], tag: 1 },
  { what: 'a lifetime as a number', lines: [`1 ${suite} inline:${key}|1048576`], tag: 1 },
  { what: 'a lifetime and a named key', lines: [`1 ${suite} inline:${key}|2^31|1:1`], named: 1, tag: 1 },
  { what: 'a named key', lines: [`4 ${suite} inline:${key}|1:4`], named: 4, tag: 4 },
  { what: 'a key with a name of 128 bytes', lines: [`1 ${suite} inline:${key}|1:128`], named: 128, tag: 1 },
  {
    what: 'several keys, then one',
    lines: [`1 ${suite} inline:${other}|2^20|1:4;inline:${other}|2^20|2:4`, `2 ${suite} inline:${key}`],
    tag: 2,
  },
  { what: 'several keys alone', lines: [`1 ${suite} inline:${key}|2^20|1:4;inline:${other}|2^20|2:4`], tag: 0 },
  { what: 'a name that cannot be', lines: [`1 ${suite} inline:${key}|1:200`], tag: 0 },
  { what: 'packets in the clear after all', lines: [`1 ${suite} inline:${key} UNENCRYPTED_SRTP`], tag: 0 },
  { what: 'packets without a tag', lines: [`1 ${suite} inline:${key} UNAUTHENTICATED_SRTP`, `2 ${suite} inline:${key}`], tag: 2 },
  { what: 'keys that change on the way', lines: [`1 ${suite} inline:${key} KDR=10`], tag: 0 },
  { what: 'a parameter that nobody knows', lines: [`1 ${suite} inline:${key} FOO=1`], tag: 0 },
  { what: 'parameters that matter to the sender', lines: [`1 ${suite} inline:${key}|2^31 WSH=64 KDR=0 -FOO`], tag: 1 },
  { what: 'RTCP in the clear', lines: [`1 ${suite} inline:${key} UNENCRYPTED_SRTCP`], tag: 1 },
  { what: 'suites that are not ours first', lines: [`5 AES_CM_256_HMAC_SHA1_80 inline:${longKey}`, `7 ${suite} inline:${key}`], tag: 7 },
  { what: 'a key beside the plain profile', lines: [`1 ${suite} inline:${key}`], profile: 'RTP/AVP', tag: 1 },
  {
    what: 'a named key beside the plain profile, and what it could be',
    lines: [`1 ${suite} inline:${key}|2^31|1:1`],
    profile: 'RTP/AVP\r\na=tcap:1 RTP/SAVP\r\na=pcfg:1 t=1',
    named: 1,
    tag: 1,
  },
  { what: 'with feedback', lines: [`1 ${suite} inline:${key}`], profile: 'RTP/SAVPF', tag: 1 },
]

t.test('whatever is agreed on is heard', { skip, timeout: 120_000 }, async (t) => {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  t.teardown(async () => (peer.close(), engine.stop()))
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`, { srtp: 'optional' })] })

  const described = ({ lines, profile = 'RTP/SAVP' }: Row, port: number): string => {
    const [protocol = '', ...more] = profile.split('\r\n')
    return sdp(port, { more: [...more, ...lines.map((line) => `a=crypto:${line}`)] }).replace('RTP/AVP', protocol)
  }
  const heard = async (t: Test, row: Row, leg: number, source: RtpSource, port: number, answer: string) => {
    const [, tag = '', theirs = ''] = /a=crypto:(\d+) \S+ inline:(\S+)/.exec(answer) ?? []
    t.equal(Number(tag), row.tag, `${row.what}: the tag`)
    const ours = new Srtp(theirs)
    const proven = new Promise<boolean>((resolve) => source.socket.on('message', (data) => ours.proves(data) && resolve(true)))
    const mine = new Srtp(key, row.named === undefined ? undefined : name(row.named))
    const before = engine.audio.length
    engine.send('tap', { leg, on: true })
    const timer = setInterval(() => source.raw(mine.protect(source.frame()), port), 20)
    const sounds = () => engine.audio.length > before + 20 && toneLevel(engine.heard(leg).subarray(-1600), 300) > -30
    await eventually(`${row.what}: heard`, sounds, 8000)
    clearInterval(timer)
    t.ok(await proven, `${row.what}: what we send has our key`)
  }

  for (const row of rows) {
    await t.test(`offered: ${row.what}`, async (t) => {
      const source = await RtpSource.open()
      t.teardown(() => source.close())
      const call = new Dialog(peer)
      call.invite('101', { body: described(row, source.port) })
      if (row.tag === 0) {
        t.equal((await call.final('INVITE')).status, 488)
        call.send('ACK')
        return
      }
      const leg = whole((await engine.next('invite'))['leg'])
      engine.send('answer', { leg })
      const { body } = await call.answered()
      await engine.next('answered', { leg })
      await heard(t, row, leg, source, portOf(body), body)
      await call.ask('BYE')
      await engine.next('ended', { leg })
    })
  }

  for (const row of rows.filter(({ profile, lines: [first = ''] }) => profile === undefined && first.startsWith(`1 ${suite}`))) {
    await t.test(`answered: ${row.what}`, async (t) => {
      await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`, { srtp: 'required' })] })
      const source = await RtpSource.open()
      t.teardown(() => source.close())
      const leg = engine.dial({ trunk: 'main', to: '+15557654321' })
      const invite = await peer.request('INVITE')
      const offered = new RegExp(`a=crypto:(\\d+) ${suite} inline:\\S+`).exec(invite.body)
      const line = row.lines[0]!.replace(/^1/, offered![1]!)
      peer.answer(invite, 200, { body: described({ ...row, lines: [line] }, source.port) })
      await Dialog.of(peer, invite).request('ACK')
      if (row.tag === 1) {
        await engine.next('answered', { leg })
        await heard(t, { ...row, tag: Number(offered![1]) }, leg, source, portOf(invite.body), offered![0])
        engine.send('hangup', { leg })
      }
      peer.answer(await Dialog.of(peer, invite).request('BYE'), 200)
      t.match(await engine.next('ended', { leg }), row.tag === 1 ? { by: 'local' } : { by: 'system', reason: 'failed' })
    })
  }
})
