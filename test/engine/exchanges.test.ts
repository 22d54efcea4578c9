/** What other exchanges, gateways and old phones send where the plain case has one line less, or one more. */
import t from 'tap'
import { whole } from '../../drivers/sip/reading.ts'
import { Engine, extension, skip, trunk } from './engine.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer, token } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

t.test('exchanges', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({ extensions: [extension('101', 'right')] })
  const peer = await SipPeer.udp(engine.port())
  const server = `127.0.0.1:${peer.port}`
  await engine.configure({ trunks: [trunk(server)] })
  t.teardown(async () => (peer.close(), engine.stop()))
  const isOver = async (leg: number, call: Dialog) => {
    peer.answer(await call.request('BYE'), 200)
    return engine.next('ended', { leg })
  }

  await t.test('a call manager: no description, Min-SE alone, rings of its own', async (t) => {
    const call = new Dialog(peer)
    call.invite('101', {
      headers: [
        'Date: Fri, 19 Jul 2024 08:46:29 GMT',
        'Supported: timer,resource-priority,replaces',
        'Min-SE:  3600',
        'Expires: 180',
        'Call-Info: <urn:x-cisco-remotecc:callinfo>; security= Unknown; orientation= from; gci= 3-14955303; isVoip; call-instance= 1',
        'Send-Info: conference, x-cisco-conference',
        'Alert-Info: <file://Bellcore-dr1/>',
        'Session-ID: 20d2394000105000a00070f09651a8bd;remote=00000000000000000000000000000000',
        'Remote-Party-ID: <sip:7099092@10.199.245.133;x-cisco-callback-number=7099092>;party=calling;screen=yes;privacy=off',
        `Contact: <sip:7099092@127.0.0.1:${peer.port}>;+u.sip!devicename.ccm.cisco.com="SEP70F09651A8BD"`,
      ],
    })
    const leg = whole((await engine.next('invite', {}, 2000))['leg'])
    engine.send('answer', { leg })
    const answer = await call.final('INVITE')
    t.equal(answer.status, 200)
    t.match(answer.body, /m=audio \d+ RTP\/AVP/)
    const interval = Number(/^\d+/.exec(answer.header('Session-Expires'))?.[0] ?? 3600)
    t.ok(interval >= 3600, answer.header('Session-Expires'))
    call.learn(answer)
    call.send('ACK', { body: sdp(9) })
    await engine.next('answered', { leg })
    engine.send('hangup', { leg })
    await isOver(leg, call)
  })

  await t.test('lines next to the audio, and attributes that nobody knows', async (t) => {
    const rows = [
      ['m=image 0 udptl t38'],
      ['m=video 5000 RTP/AVP 96', 'a=rtpmap:96 H264/90000'],
      ['m=application 9 TCP/MRCPv2', 'c=IN IP4 127.0.0.1'],
      ['m=video 5000 RTP/AVP 200', 'c=IN IP4 127.0.0.1'],
      ['m=video 5000 RTP/AVP 99', 'c=IN IP4 127.0.0.1'],
      ['m=application 9 TCP/MRCPv2', 'a=setup:active', 'a=connection:new', 'a=resource:speechsynth', 'a=cmid:1'],
      [
        'm=image 13962 udptl t38',
        'c=IN IP4 127.0.0.1',
        'a=sendrecv',
        'a=T38FaxMaxDatagram:612',
        'a=T38FaxUdpEC:t38UDPRedundancy',
        'a=direction:both',
      ],
    ]
    for (const more of rows)
      await t.test(more.join(' '), async (t) => {
        const call = new Dialog(peer)
        const own = [
          'v=0',
          'o=- 123 456 IN IP4 127.0.0.1',
          's=Express 12.5.1.11001-348',
          't=0 0',
          'm=audio 52790 RTP/AVP 0 96',
          'c=IN IP4 127.0.0.1',
        ]
        const audio = [
          'a=rtpmap:0 pcmu/8000',
          'a=rtpmap:96 telephone-event/8000',
          'a=fmtp:96 0-15',
          'a=recvonly',
          'a=mid:1',
          'a=direction:both',
        ]
        call.invite('101', { body: [...own, ...audio, ...more, ''].join('\r\n') })
        const leg = whole((await engine.next('invite', {}, 2000))['leg'])
        engine.send('answer', { leg })
        const { status, body } = await call.answered()
        t.equal(status, 200)
        t.match(body, /m=audio [1-9]\d* RTP\/AVP 0 96\r\n[^]*a=sendonly[^]*m=\w+ 0 /, body)
        await engine.next('answered', { leg })
        engine.send('hangup', { leg })
        await isOver(leg, call)
      })
  })

  await t.test('a payload type that there is not, next to one that there is', async (t) => {
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9, { codecs: '200 0 101 999' }) })
    const leg = whole((await engine.next('invite', {}, 2000))['leg'])
    engine.send('answer', { leg })
    t.match((await call.answered()).body, /m=audio [1-9]\d* RTP\/AVP 0 101\r\n/)
    await engine.next('answered', { leg })
    engine.send('hangup', { leg })
    await isOver(leg, call)
  })

  await t.test('an answer without a tag, and the BYE of that call (RFC 3261 section 12.2.1.1)', async (t) => {
    const leg = engine.dial({ trunk: 'main', to: '+15557654321' })
    const invite = await peer.request('INVITE')
    const call = Dialog.of(peer, invite)
    call.local = invite.header('To')
    peer.changes = (text) => text.replace(/;tag=peer/g, '')
    peer.answer(invite, 180)
    peer.answer(invite, 200, { body: sdp(9) })
    await call.request('ACK')
    await engine.next('answered', { leg })
    const bye = await call.ask('BYE')
    peer.changes = undefined
    t.equal(bye.status, 200)
    t.match(await engine.next('ended', { leg }), { by: 'remote' })
  })

  await t.test('a caller without a tag', async (t) => {
    const call = new Dialog(peer)
    peer.changes = (text) => text.replace(/^(From: [^\r]*);tag=[^\r]*/m, '$1')
    call.invite('101', { body: sdp(9) })
    const leg = whole((await engine.next('invite', {}, 2000))['leg'])
    engine.send('answer', { leg })
    t.equal((await call.answered()).status, 200)
    await engine.next('answered', { leg })
    t.equal((await call.ask('BYE')).status, 200)
    await engine.next('ended', { leg })
    peer.changes = undefined
  })

  await t.test('the same description again: the answer is the same one, to its version', async (t) => {
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9) })
    const leg = whole((await engine.next('invite', {}, 2000))['leg'])
    engine.send('answer', { leg })
    const first = await call.answered()
    await engine.next('answered', { leg })
    for (let n = 0; n < 3; n++) {
      const again = await call.ask('INVITE', { body: sdp(9) })
      call.send('ACK')
      t.equal(again.body, first.body)
    }
    engine.send('hangup', { leg })
    await isOver(leg, call)
  })

  await t.test('a registrar that lists a contact that is none next to ours; REGISTER names the domain alone', async (t) => {
    await engine.configure({ trunks: [trunk(server, { id: 'reg', username: 'clinic', register: true })] })
    const asked = await peer.request('REGISTER')
    t.match(asked.start, /^REGISTER sip:[^@]+ SIP/)
    const own = asked.header('Contact').replace(/;expires=\d+/, '')
    peer.answer(asked, 200, { headers: [`Contact: ${own};expires=390,: <sip:r25vbuel@bnnnmsalf81i.invalid;transport=ws>;expires=30`] })
    t.match(await engine.next('trunk', { id: 'reg', state: 'registered' }), { code: 200 })
    await engine.configure({ trunks: [trunk(server)] })
  })

  await t.test('a phone with a name without quotes asks for a lamp and says no form', async (t) => {
    const phone = await SipPeer.udp(engine.port(), '127.0.0.31')
    t.teardown(() => phone.close())
    phone.changes = (text) => text.replace(/^(From|To): </gm, '$1: Af <')
    t.equal((await register(phone, '101', 'right', [`Contact: ${phone.contact}`]))?.status, 200)
    const who = { from: 'sip:101@pbx', to: 'sip:102@pbx', callId: token(), headers: ['Event: dialog', 'Expires: 3600', 'Supported: path'] }
    const challenge = await phone.ask('SUBSCRIBE', 'sip:102@pbx', who)
    const proof = authorization(challenge!, 'SUBSCRIBE', 'sip:102@pbx', '101', 'right')
    const answer = await phone.ask('SUBSCRIBE', 'sip:102@pbx', { ...who, cseq: 2, headers: [...who.headers, proof] })
    t.equal(answer?.status, 200)
  })

  await t.test('a provider that writes our own number in From, and the caller in P-Asserted-Identity', async (t) => {
    const call = new Dialog(peer)
    call.invite('101', {
      from: '"OWN" <sip:+15550100@pbx>',
      body: sdp(9),
      headers: ['P-Asserted-Identity: <sip:+13105550142@pbx;user=phone>'],
    })
    const invite = await engine.next('invite', {}, 2000)
    t.match(JSON.stringify(invite), /\+13105550142/)
    engine.send('hangup', { leg: whole(invite['leg']) })
    await call.final('INVITE')
    call.send('ACK')
  })
})
