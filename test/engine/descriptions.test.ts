/**
 * Offers as telephones and carriers make them: of several lines the one that fits is the call, and what cannot be a call is refused with
 * the reason.
 */
import t, { type Test } from 'tap'
import { tone, toneLevel } from '../harness/audio.ts'
import { RtpPhone } from '../harness/phone.ts'
import { eventually } from '../harness/scene.ts'
import { Engine, extension, skip, trunk } from './engine.ts'
import { mediaLines, offer, type Line } from './offers.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer, type SipMessage } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

/** Lines, which of them is the call, and where the offer comes from. */
const taken: readonly (readonly [from: 'trunk' | 'safe' | 'phone' | 'plain phone', lines: readonly Line[], at: number])[] = [
  ['trunk', ['encrypted', 'plain'], 1],
  ['trunk', ['plain', 'encrypted'], 0],
  ['trunk', ['encrypted without a key', 'video', 'plain'], 2],
  ['trunk', ['video', 'plain', 'application'], 1],
  ['trunk', ['application', 'fax', 'plain'], 2],
  ['trunk', ['fax', 'encrypted', 'plain', 'video'], 2],
  ['trunk', ['plain', 'plain'], 0],
  ['trunk', ['off', 'plain'], 1],
  ['trunk', ['off', 'off', 'feedback'], 2],
  ['trunk', ['plain', 'off'], 0],
  ['trunk', ['G.729', 'plain'], 1],
  ['trunk', ['inactive', 'plain'], 1],
  ['trunk', ['of IPv6', 'plain'], 1],
  ['trunk', ['plain', 'of IPv6', 'video'], 0],
  ['trunk', ['browser', 'application', 'video', 'plain', 'encrypted', 'off'], 3],
  ['plain phone', ['encrypted', 'plain'], 1],
  ['plain phone', ['video', 'G.729', 'plain'], 2],
  ['phone', ['of IPv6', 'inactive', 'of IPv6', 'plain'], 3],
  ['phone', ['encrypted in an unknown way', 'plain'], 1],
  ['phone', ['encrypted without a key', 'plain', 'plain'], 1],
]
/** Only their descriptions are looked at: the tests encrypt nothing. */
const encrypted: readonly (readonly [from: 'safe' | 'phone', lines: readonly Line[], at: number])[] = [
  ['phone', ['plain', 'encrypted'], 1],
  ['phone', ['encrypted', 'plain'], 0],
  ['phone', ['encrypted in an unknown way', 'encrypted', 'plain'], 1],
  ['safe', ['plain', 'encrypted'], 1],
  ['safe', ['encrypted', 'video', 'plain'], 0],
]
const refused: readonly (readonly [from: 'trunk' | 'safe' | 'phone' | 'plain phone', lines: readonly Line[], warning: number])[] = [
  ['trunk', [], 304],
  ['trunk', ['video', 'application'], 304],
  ['trunk', ['off'], 304],
  ['trunk', ['encrypted'], 302],
  ['trunk', ['browser', 'video'], 302],
  ['trunk', ['G.729'], 305],
  ['safe', ['plain', 'feedback'], 302],
  ['phone', ['encrypted without a key'], 302],
  ['phone', ['encrypted in an unknown way'], 302],
  ['plain phone', ['G.729', 'encrypted'], 305],
]

t.test('offers', { skip, timeout: 120_000 }, async (t) => {
  const password = 'a password of mine'
  const engine = await Engine.start({ extensions: [extension('101', password), extension('102', password, { srtp: 'off' })] })
  const peers = {
    trunk: await SipPeer.udp(engine.port()),
    safe: await SipPeer.udp(engine.port(), '127.0.5.1'),
    phone: await SipPeer.udp(engine.port(), '127.0.5.2'),
  }
  await engine.configure({
    trunks: [trunk(`127.0.0.1:${peers.trunk.port}`), trunk(`127.0.5.1:${peers.safe.port}`, { id: 'safe', srtp: 'required' })],
  })
  for (const user of ['101', '102']) t.equal((await register(peers.phone, user, password))?.status, 200)
  t.teardown(async () => {
    for (const peer of Object.values(peers)) peer.close()
    await engine.stop()
  })

  /** Its INVITE is on the way; `answer` gives the final answer. */
  const calls = async (from: 'trunk' | 'safe' | 'phone' | 'plain phone', body: string) => {
    const peer = from === 'trunk' || from === 'safe' ? peers[from] : peers.phone
    const call = new Dialog(peer)
    if (peer !== peers.phone) {
      call.invite('101', { body })
      return call
    }
    const user = from === 'phone' ? '101' : '102'
    call.invite('103', { from: `<sip:${user}@pbx>`, body })
    const challenge = await call.final('INVITE')
    call.send('ACK')
    call.send('INVITE', { body, headers: [authorization(challenge, 'INVITE', call.target, user, password)] })
    return call
  }
  const answers = async (call: Dialog) => {
    const leg = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
    engine.send('answer', { leg })
    const ok = await call.answered()
    await engine.next('answered', { leg })
    return { leg, ok }
  }
  const ends = async (call: Dialog, leg: number) => {
    engine.send('hangup', { leg })
    call.peer.answer(await call.request('BYE'), 200)
    return engine.next('ended', { leg })
  }
  /** Both hear each other at this line of the answer. */
  const talk = async (t: Test, leg: number, rtp: RtpPhone, answer: SipMessage, at: number, hz = 300) => {
    const line = mediaLines(answer.body)[at]
    rtp.sendTo(line?.port ?? 0, '127.0.0.1')
    engine.send('tap', { leg, on: true })
    const [before, packets] = [engine.heard(leg).length, rtp.packets.length]
    rtp.say(tone(hz, 3000))
    engine.send('play', { leg, play: 1, tone: { hz: [hz + 140], ms: 3000 } })
    await eventually(`${hz} Hz from the far end`, () => toneLevel(engine.heard(leg).subarray(before).subarray(-1600), hz) > -25, 5000)
    await eventually(
      `${hz + 140} Hz at the far end`,
      () => rtp.packets.length > packets + 20 && toneLevel(rtp.heard().subarray(-1600), hz + 140) > -30,
      5000,
    )
    engine.send('clear', { leg })
    await engine.next('played', { leg })
    t.pass(`both hear each other at line ${at}`)
  }
  const checkLines = (t: Test, answer: SipMessage, kinds: readonly string[], at: number) => {
    const answered = mediaLines(answer.body)
    t.same(
      answered.map(({ kind }) => kind),
      kinds,
      'as many lines as in the offer, in its order',
    )
    t.same(
      answered.map(({ port }) => port !== 0),
      kinds.map((_, n) => n === at),
      'one of them is the call',
    )
  }
  const kindsOf = (body: string) => mediaLines(body).map(({ kind }) => kind)

  // Each talks for seconds: they do so at once.
  const all = <Row>(rows: readonly Row[], each: (row: Row) => Promise<unknown>) => Promise.all(rows.map(each))
  await t.test('of several lines one is the call, wherever it stands', (t) =>
    all(taken, async ([from, lines, at]) => {
      const rtp = await RtpPhone.open()
      t.teardown(() => rtp.close())
      const ports = lines.map((_, n) => (n === at ? rtp.port : 4000 + 2 * n))
      const body = offer(lines, ports)
      const call = await calls(from, body)
      const { leg, ok } = await answers(call)
      checkLines(t, ok, kindsOf(body), at)
      await talk(t, leg, rtp, ok, at)
      // The same lines again, as a refresh or after a hold: nothing moves.
      const again = await call.ask('INVITE', { body: offer(lines, ports, { version: 2 }) })
      call.send('ACK')
      checkLines(t, again, kindsOf(body), at)
      await talk(t, leg, rtp, again, at, 600)
      t.match(await ends(call, leg), { by: 'local', reason: 'hangup' }, `${lines.join(', ')} from a ${from}: line ${at}`)
    }),
  )

  await t.test('an encrypted line comes before a plain one where both may be', (t) =>
    all(encrypted, async ([from, lines, at]) => {
      const body = offer(lines, [4000])
      const call = await calls(from, body)
      const { leg, ok } = await answers(call)
      checkLines(t, ok, kindsOf(body), at)
      t.match(ok.body, /m=audio [1-9]\d* RTP\/SAVP/, `${lines.join(', ')} from a ${from}: line ${at}`)
      await ends(call, leg)
    }),
  )

  await t.test('what cannot be a call is refused with 488 and the reason, in a call as well', (t) =>
    all(refused, async ([from, lines, warning]) => {
      const what = `${lines.join(', ') || 'nothing'} from a ${from}`
      const first = await calls(from, offer(lines, [4000]))
      const answer = await first.final('INVITE')
      first.send('ACK')
      t.equal(answer.status, 488, what)
      t.match(answer.header('Warning'), new RegExp(`^${warning} pbx "`), what)
      t.same(engine.of('invite', { sipCallId: first.callId }), [], `${what}: nobody was told of a call`)
      const rtp = await RtpPhone.open()
      t.teardown(() => rtp.close())
      const stands = from === 'safe' || from === 'phone' ? (['encrypted'] as const) : (['plain'] as const)
      const call = await calls(from, offer(stands, [rtp.port]))
      const { leg, ok } = await answers(call)
      for (const method of ['INVITE', 'UPDATE']) {
        const again = await call.ask(method, { body: offer(lines, [4000], { version: 2 }) })
        if (method === 'INVITE') call.send('ACK')
        t.equal(again.status, 488, `${what}: ${method}`)
        t.match(again.header('Warning'), new RegExp(`^${warning} pbx "`), `${what}: ${method}`)
      }
      if (stands[0] === 'plain') await talk(t, leg, rtp, ok, 0)
      await ends(call, leg)
    }),
  )

  await t.test('a line that was refused becomes the call by re-INVITE, and the other one again', async (t) => {
    const [first, second] = [await RtpPhone.open(), await RtpPhone.open()]
    t.teardown(() => [first, second].forEach((rtp) => rtp.close()))
    const call = await calls('trunk', offer(['off', 'plain'], [0, first.port]))
    const { leg, ok } = await answers(call)
    await talk(t, leg, first, ok, 1)
    const moved = await call.ask('INVITE', { body: offer(['plain', 'off'], [second.port, 0], { version: 2 }) })
    call.send('ACK')
    checkLines(t, moved, ['audio', 'audio'], 0)
    await talk(t, leg, second, moved, 0, 600)
    for (const key of '7') await second.press(key)
    t.match(await engine.next('digit', { leg }), { digit: '7' })
    const back = await call.ask('INVITE', { body: offer(['off', 'plain', 'video'], [0, first.port], { version: 3 }) })
    call.send('ACK')
    checkLines(t, back, ['audio', 'audio', 'video'], 1)
    const third = await RtpPhone.open()
    t.teardown(() => third.close())
    const again = await call.ask('INVITE', { body: offer(['off', 'plain', 'video'], [0, third.port], { version: 4 }) })
    call.send('ACK')
    await talk(t, leg, third, again, 1, 450)
    const held = await call.ask('INVITE', { body: offer(['off', 'inactive', 'video'], [0, third.port], { version: 5 }) })
    call.send('ACK')
    checkLines(t, held, ['audio', 'audio', 'video'], 1)
    await engine.next('held', { leg })
    engine.send('hold', { leg, on: true })
    const ours = await call.request('INVITE')
    t.equal(
      mediaLines(ours.body).findIndex(({ port }) => port !== 0),
      1,
      'our own offer keeps the line',
    )
    peers.trunk.answer(ours, 200, { body: offer(['off', 'inactive', 'off'], [0, third.port], { version: 6 }) })
    await call.request('ACK')
    await ends(call, leg)
  })

  await t.test('what others leave out is filled in', async (t) => {
    const without = (text: string, ...patterns: readonly RegExp[]) => patterns.reduce((left, pattern) => left.replaceAll(pattern, ''), text)
    const dynamic = (body: string) => body.replace(/(m=audio \d+ RTP\/AVP 0)/, '$1 97 98')
    const rows: readonly (readonly [what: string, change: (body: string) => string])[] = [
      ['no name', (body: string) => without(body, /^s=.*\r\n/gm)],
      ['an empty name', (body: string) => body.replace(/^s=.*\r\n/m, 's=\r\n')],
      ['a name of one blank', (body: string) => body.replace(/^s=.*\r\n/m, 's= \r\n')],
      ['dynamic types that nothing explains', dynamic],
      ['an explanation that cannot be read', (body: string) => `${dynamic(body)}a=rtpmap:97 AMR\r\na=rtpmap:98\r\n`],
      ['a payload type that there is not', (body: string) => body.replace(/(m=audio \d+ RTP\/AVP 0)/, '$1 200')],
      ['no explanation at all', (body: string) => without(body, /^a=(rtpmap|fmtp).*\r\n/gm)],
      ['all of it', (body: string) => without(dynamic(body), /^s=.*\r\n/gm)],
    ]
    await all(rows, async ([what, change]) => {
      const rtp = await RtpPhone.open()
      const call = await calls('trunk', change(offer(['plain'], [rtp.port])))
      const { leg, ok } = await answers(call)
      t.notMatch(ok.body, /m=audio \d+ RTP\/AVP .*(9[78]|200)/, what)
      await talk(t, leg, rtp, ok, 0)
      // On hold without a word of explanation, and back: keys mean what they meant.
      const [held, back] = [0, 1].map((n) => {
        const body = without(
          change(offer(['plain'], [rtp.port], { version: 2 + n })),
          what.startsWith('no expl') ? /^$/g : /^a=(rtpmap|fmtp).*\r\n/gm,
        )
        return n === 0 ? body.replace('c=IN IP4 127.0.0.1', 'c=IN IP4 0.0.0.0') : body
      })
      t.equal((await call.ask('INVITE', { body: held! })).status, 200, `${what}: held`)
      call.send('ACK')
      await engine.next('held', { leg })
      const resumed = await call.ask('INVITE', { body: back! })
      t.equal(resumed.status, 200, `${what}: back`)
      call.send('ACK')
      await engine.next('resumed', { leg })
      if (!what.startsWith('no expl')) {
        await rtp.press('4')
        t.match(await engine.next('digit', { leg }), { digit: '4', method: 'rfc4733' }, `${what}: keys`)
      }
      await ends(call, leg)
      rtp.close()
    })
  })

  await t.test('what cannot be read, or is not valid, is refused with 488 and a warning, never 400 or 415', async (t) => {
    const plain = offer(['plain'], [4000])
    for (const [what, body] of [
      ['no origin', plain.replace(/^o=.*\r\n/m, '')],
      ['no connection', plain.replace(/^c=.*\r\n/m, '')],
      ['no version that we know', plain.replace('v=0', 'v=9')],
      ['noise', 'nonsense\r\n'],
      ['an address of no kind', plain.replace('c=IN IP4', 'c=IN IP5')],
    ] as const) {
      const first = await calls('trunk', body)
      const answer = await first.final('INVITE')
      first.send('ACK')
      t.equal(answer.status, 488, what)
      t.match(answer.header('Warning'), /^3\d\d \S+ ".+"/, what)
      const call = await calls('trunk', plain)
      const { leg } = await answers(call)
      for (const method of ['INVITE', 'UPDATE']) {
        const again = await call.ask(method, { body })
        if (method === 'INVITE') call.send('ACK')
        t.equal(again.status, 488, `${what}: ${method}`)
        t.match(again.header('Warning'), /^3\d\d \S+ ".+"/, `${what}: ${method}`)
      }
      await ends(call, leg)
    }
  })

  await t.test('a codec that the trunk may not have is refused with 488 in a call, and the call goes on', async (t) => {
    await engine.configure({ trunks: [trunk(`127.0.0.1:${peers.trunk.port}`, { codecs: ['PCMU'] })] })
    const rtp = await RtpPhone.open()
    t.teardown(() => rtp.close())
    const call = await calls('trunk', sdp(rtp.port))
    const { leg, ok } = await answers(call)
    for (const method of ['INVITE', 'UPDATE']) {
      const again = await call.ask(method, { body: sdp(rtp.port, { codecs: '8 101', version: 2 }) })
      if (method === 'INVITE') call.send('ACK')
      t.equal(again.status, 488)
      t.match(again.header('Warning'), /^305 pbx "/)
    }
    await talk(t, leg, rtp, ok, 0)
    await ends(call, leg)
    await engine.configure({ trunks: [trunk(`127.0.0.1:${peers.trunk.port}`)] })
  })

  await t.test(
    'an answer in an ACK that does not fit ends the call as failed; an offer in a PRACK is answered, or the call refused',
    async (t) => {
      const asked = new Dialog(peers.trunk)
      asked.invite('101')
      const leg = Number((await engine.next('invite', { sipCallId: asked.callId }))['leg'])
      engine.send('answer', { leg })
      asked.learn(await asked.final('INVITE'))
      asked.send('ACK', { body: offer(['G.729'], [4000]) })
      t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'failed', code: 488 })
      peers.trunk.answer(await asked.request('BYE'), 200)
      for (const [lines, status] of [
        [['encrypted', 'plain'], 200],
        [['G.729'], 488],
      ] as const) {
        const call = new Dialog(peers.trunk)
        call.invite('101', { body: offer(['plain'], [4000]), headers: ['Require: 100rel', 'Supported: 100rel'] })
        const early = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
        engine.send('progress', { leg: early, code: 183 })
        const progress = await call.provisional(183)
        call.learn(progress)
        const prack = await call.ask('PRACK', {
          headers: [`RAck: ${progress.header('RSeq')} ${progress.header('CSeq')}`],
          body: offer(lines, [4000], { version: 2 }),
        })
        t.equal(prack.status, 200)
        if (status === 200) {
          checkLines(t, prack, ['audio', 'audio'], 1)
          engine.send('answer', { leg: early })
          await call.answered()
          await engine.next('answered', { leg: early })
          await ends(call, early)
        } else {
          const final = await call.final('INVITE')
          t.equal(final.status, 488)
          t.match(final.header('Warning'), /^3\d\d \S+ ".+"/)
          call.send('ACK')
          await engine.next('ended', { leg: early })
        }
      }
    },
  )
})
