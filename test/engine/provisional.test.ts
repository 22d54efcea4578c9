/**
 * What comes before the answer to a call of ours, in every order: a description that does not fit is none before the final one (RFC 6337
 * section 2.2), and what the engine ends by itself is not reported as the far end's.
 */
import t, { type Test } from 'tap'
import { tone, toneLevel } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { eventually } from '../harness/scene.ts'
import { Engine, extension, skip, trunk } from './engine.ts'
import { offer } from './offers.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer, type SipMessage } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

type Body = 'none' | 'good' | 'other' | 'off' | 'G.729' | 'unread' | 'encrypted' | 'gone'
type Step = readonly [code: number, body: Body, branch?: string]

/** `other`: at another port and with another codec. `gone`: a codec that we know and did not offer. */
const orders: readonly { readonly steps: readonly Step[]; readonly codec: string; readonly early: boolean }[] = [
  {
    steps: [
      [183, 'off'],
      [200, 'good'],
    ],
    codec: 'PCMU',
    early: false,
  },
  {
    steps: [
      [180, 'none'],
      [183, 'off'],
      [180, 'none'],
      [200, 'good'],
    ],
    codec: 'PCMU',
    early: false,
  },
  {
    steps: [
      [183, 'G.729'],
      [200, 'good'],
    ],
    codec: 'PCMU',
    early: false,
  },
  {
    steps: [
      [183, 'gone'],
      [200, 'good'],
    ],
    codec: 'PCMU',
    early: false,
  },
  {
    steps: [
      [183, 'encrypted'],
      [200, 'other'],
    ],
    codec: 'PCMA',
    early: false,
  },
  {
    steps: [
      [183, 'unread'],
      [180, 'off'],
      [200, 'good'],
    ],
    codec: 'PCMU',
    early: false,
  },
  {
    steps: [
      [180, 'good'],
      [180, 'none'],
      [200, 'good'],
    ],
    codec: 'PCMU',
    early: true,
  },
  {
    steps: [
      [180, 'good'],
      [200, 'none'],
    ],
    codec: 'PCMU',
    early: true,
  },
  {
    steps: [
      [183, 'good'],
      [180, 'none'],
      [200, 'other'],
    ],
    codec: 'PCMA',
    early: true,
  },
  {
    steps: [
      [183, 'good'],
      [183, 'off'],
      [200, 'good'],
    ],
    codec: 'PCMU',
    early: true,
  },
  {
    steps: [
      [183, 'off'],
      [183, 'good'],
      [200, 'none'],
    ],
    codec: 'PCMU',
    early: true,
  },
  {
    steps: [
      [183, 'good', 'a'],
      [180, 'off', 'b'],
      [200, 'other', 'b'],
    ],
    codec: 'PCMA',
    early: true,
  },
  {
    steps: [
      [183, 'off', 'a'],
      [183, 'good', 'b'],
      [200, 'good', 'a'],
    ],
    codec: 'PCMU',
    early: true,
  },
  {
    steps: [
      [183, 'good', 'a'],
      [183, 'other', 'b'],
      [183, 'unread', 'c'],
      [200, 'other', 'b'],
    ],
    codec: 'PCMA',
    early: true,
  },
]
/** None of these comes to a conversation; the far end never said no. */
const without: readonly { readonly steps: readonly Step[]; readonly reliable?: boolean }[] = [
  {
    steps: [
      [183, 'off'],
      [200, 'off'],
    ],
  },
  {
    steps: [
      [183, 'off'],
      [200, 'none'],
    ],
  },
  {
    steps: [
      [183, 'good'],
      [200, 'off'],
    ],
  },
  {
    steps: [
      [180, 'none'],
      [200, 'G.729'],
    ],
  },
  { steps: [[183, 'off']], reliable: true },
  { steps: [[183, 'G.729']], reliable: true },
]
const named = (steps: readonly Step[]) => steps.map((step) => step.join(' ')).join(', ')

t.test('before the answer', { skip, timeout: 120_000 }, async (t) => {
  const password = 'a password of mine'
  const engine = await Engine.start({ extensions: [extension('101', password)] })
  const carrier = await SipPeer.udp(engine.port())
  const phone = await SipPeer.udp(engine.port(), '127.0.5.2')
  await engine.configure({ trunks: [trunk(`127.0.0.1:${carrier.port}`, { codecs: ['PCMU', 'PCMA'] })] })
  t.equal((await register(phone, '101', password))?.status, 200)
  t.teardown(async () => {
    carrier.close()
    phone.close()
    await engine.stop()
  })
  t.afterEach(() => [carrier, phone].forEach((peer) => peer.received.splice(0)))
  const open = async (t: Test) => {
    const rtp = await RtpPhone.open()
    t.teardown(() => rtp.close())
    return rtp
  }
  const bodies = (first: number, second: number): Record<Body, string> => ({
    none: '',
    good: sdp(first),
    other: sdp(second, { codecs: '8 101' }),
    off: offer(['off'], [0]),
    'G.729': offer(['G.729'], [first]),
    gone: sdp(first, { codecs: '9 101' }),
    unread: 'nonsense\r\n',
    encrypted: offer(['encrypted without a key'], [first]),
  })
  const dials = async (to: { trunk: string } | { extension: string }) => {
    const peer = 'trunk' in to ? carrier : phone
    const leg = engine.dial({ ...to, to: '101' })
    return { peer, leg, invite: await peer.request('INVITE') }
  }
  const says = (peer: SipPeer, invite: SipMessage, [code, body, tag = 'peer']: Step, from: Record<Body, string>, headers: string[] = []) =>
    peer.answer(invite, code, { tag, body: from[body], headers })

  for (const { steps, codec, early } of orders) {
    await t.test(named(steps), async (t) => {
      const [first, second] = [await open(t), await open(t)]
      const { peer, leg, invite } = await dials({ trunk: 'main' })
      const from = bodies(first.port, second.port)
      for (const step of steps.slice(0, -1)) {
        says(peer, invite, step, from)
        // Its answer shows that what came before was read.
        await peer.ask('OPTIONS', 'sip:101@127.0.0.1')
        if (step[1] === 'good') await first.until('our silence', () => first.packets.length > 0, 4000)
      }
      if (early) await engine.next('ringing', { leg, early: true })
      else t.same(engine.of('ringing', { leg, early: true }), [], 'no early media are told where there are none')
      t.same(
        peer.received.filter((m) => m.method === 'CANCEL'),
        [],
        'it rings on',
      )
      const heard = codec === 'PCMA' ? second : first
      says(peer, invite, steps.at(-1)!, from)
      const dialog = Dialog.of(peer, invite)
      await dialog.request('ACK')
      t.match(await engine.next('answered', { leg }), { codec })
      engine.send('tap', { leg, on: true })
      heard.law = codec === 'PCMA' ? 8 : 0
      await heard.until('audio', () => heard.packets.length > 0, 4000)
      heard.say(tone(500, 1500))
      await eventually('500 Hz', () => Math.abs(toneLevel(engine.heard(leg).subarray(-1600), 500) + 15) < 6, 4000)
      const tags = steps.at(-1)?.[2] ?? 'peer'
      engine.send('hangup', { leg })
      const bye = await dialog.request('BYE')
      t.match(bye.header('To'), `tag=${tags}`)
      peer.answer(bye, 200)
      t.match(await engine.next('ended', { leg }), { by: 'local', reason: 'hangup' })
    })
  }

  for (const to of [{ trunk: 'main' }, { extension: '101' }]) {
    for (const { steps, reliable = false } of without) {
      await t.test(`${named(steps)}${reliable ? ', reliably' : ''} of ${JSON.stringify(to)}: failed by the system`, async (t) => {
        const { peer, leg, invite } = await dials(to)
        const dialog = Dialog.of(peer, invite)
        const from = bodies(4000, 4002)
        for (const step of steps) says(peer, invite, step, from, reliable ? ['Require: 100rel', 'RSeq: 7'] : [])
        if (reliable) {
          const request = (method: string) => peer.next(method, (m) => m.method === method && m.header('Call-ID') === dialog.callId)
          const cancel = await request('CANCEL')
          peer.answer(cancel, 200)
          peer.answer(invite, 487)
        } else {
          const bye = await dialog.request('BYE')
          peer.answer(bye, 200)
        }
        t.match(await engine.next('ended', { leg }), {
          by: 'system',
          reason: 'failed',
          code: 488,
          cause: 88,
          text: 'no media was agreed on',
        })
        t.same(engine.of('answered', { leg }), [])
      })
    }
  }
})
