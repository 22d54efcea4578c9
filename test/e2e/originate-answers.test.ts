/**
 * Calls by POST /api/voice/originate and what the far end describes before and when it answers: a description that does not fit is none
 * before the answer (RFC 6337 section 2.2), and a call that this end gives up for want of media is not reported as refused there.
 */
import t from 'tap'
import { tone, toneLevel } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { offer } from '../engine/offers.ts'
import { Dialog, SipPeer } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'

const far = await SipPeer.udp(0, '127.0.3.2')
const { address } = far
const scene = await Scene.open({
  settings: (base) => {
    base['trunks'] = [
      ...(base['trunks'] as object[]),
      { id: 'far', server: `${address}:${far.port}`, transport: 'udp', register: false, numbers: ['+15550007000'] },
    ]
  },
})
t.setTimeout(120_000)
t.teardown(async () => {
  await scene.close()
  far.close()
})

Object.assign(far, { target: scene.daemon.sipPort })

type Body = 'none' | 'good' | 'off' | 'unread' | 'encrypted' | 'G.729'
type Step = readonly [code: number, body: Body]
interface Course {
  readonly steps: readonly Step[]
  /** Of call.ended; without it the call becomes a conversation. */
  readonly ended?: { readonly endReason: string; readonly endedBy: string; readonly sipCode: number }
}

const ours = { endReason: 'failed', endedBy: 'system', sipCode: 488 }
const courses: readonly Course[] = [
  ...(['off', 'unread', 'encrypted', 'G.729'] as const).flatMap((body): Course[] => [
    {
      steps: [
        [183, body],
        [180, 'none'],
        [200, 'good'],
      ],
    },
    // An answer that is encrypted without a key is left out: it is acknowledged and no BYE came within 6 s. What it becomes is not known.
    ...(body === 'encrypted'
      ? []
      : [
          { steps: [[200, body]], ended: ours } as const,
          {
            steps: [
              [183, body],
              [200, body],
            ],
            ended: ours,
          } as const,
        ]),
  ]),
  {
    steps: [
      [183, 'good'],
      [183, 'off'],
      [200, 'good'],
    ],
  },
  {
    steps: [
      [183, 'good'],
      [200, 'none'],
    ],
  },
  {
    steps: [
      [183, 'off'],
      [486, 'none'],
    ],
    ended: { endReason: 'busy', endedBy: 'callee', sipCode: 486 },
  },
  {
    steps: [
      [183, 'unread'],
      [488, 'none'],
    ],
    ended: { endReason: 'failed', endedBy: 'callee', sipCode: 488 },
  },
]

for (const { steps, ended } of courses)
  t.test(`${steps.map(([code, body]) => `${code} ${body}`).join(', ')}: ${ended === undefined ? 'a talk' : ended.endedBy}`, async (t) => {
    scene.app.reset()
    scene.app.script = (event) => (event.event === 'call.answered' ? [{ pause: { seconds: 60 } }] : [])
    const rtp = await RtpPhone.open(address)
    t.teardown(() => rtp.close())
    const bodies: Record<Body, string> = {
      none: '',
      good: sdp(rtp.port, { address }),
      off: offer(['off'], [0], { address }),
      'G.729': offer(['G.729'], [rtp.port], { address }),
      unread: 'nonsense\r\n',
      encrypted: offer(['encrypted without a key'], [rtp.port], { address }),
    }
    const { body } = await scene.originate({ to: '+12125550142', trunkId: 'far', endpoint: 'reception' })
    const invite = await far.request('INVITE')
    for (const [code, description] of steps) {
      far.answer(invite, code, { body: bodies[description] })
      // Its answer shows that what came before was read.
      if (code < 200) await far.ask('OPTIONS', 'sip:pbx')
    }
    const dialog = Dialog.of(far, invite)
    const event = (name: string) => scene.app.until(name, (e) => e.callId === body.callId)
    if (ended !== undefined) {
      if (steps.at(-1)![0] === 200) far.answer(await dialog.request('BYE'), 200)
      t.match((await event('call.ended')).event, ended)
      t.notOk(
        scene.app.received.some(({ event: told }) => told.event === 'call.answered'),
        'it was not answered',
      )
    } else {
      await dialog.request('ACK')
      await event('call.answered')
      t.match(invite.body, /^m=audio [1-9]/m)
      rtp.say(tone(500, 5000))
      await eventually('our audio', () => rtp.packets.length > 10)
      t.equal((await scene.daemon.api('POST', `/api/voice/calls/${body.callId}`, { state: 'completed' })).status, 200)
      far.answer(await dialog.request('BYE'), 200)
      t.match((await event('call.ended')).event, { state: 'completed' })
      t.ok(toneLevel(rtp.heard().subarray(-400), 500) < 0)
    }
    far.received.splice(0)
    t.same(await scene.finish(), [])
  })
