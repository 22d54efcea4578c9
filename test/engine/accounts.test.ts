/** Accounts at a provider: each has a contact and calls of its own; whose number was dialled, who calls, and who we say we are. */
import t from 'tap'
import { Engine, skip, trunk } from './engine.ts'
import { Dialog, SipPeer, type SipMessage } from './sip-peer.ts'

t.test('accounts', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({ phoneNetworks: [] })
  const registrar = await SipPeer.udp(engine.port())
  t.teardown(async () => (registrar.close(), engine.stop()))
  const server = `127.0.0.1:${registrar.port}`

  const contactOf = (message: SipMessage): string => /<([^>]+)>/.exec(message.header('Contact'))?.[1] ?? ''
  /** Takes the registrations of some accounts; gives the contact of each. */
  const registered = async (...ids: string[]) => {
    const contacts = new Map<string, string>()
    while (contacts.size < ids.length) {
      const request = await registrar.request('REGISTER')
      registrar.answer(request, 200, { headers: [`Contact: ${request.header('Contact')};expires=300`] })
      contacts.set(/sip:([^@]+)@/.exec(request.header('From'))![1]!, contactOf(request))
    }
    for (const id of ids) await engine.next('trunk', { id, state: 'registered' })
    return contacts
  }
  /** What the engine says of a call to this request URI. */
  const arriving = async (uri: string, headers: string[] = [], { to = uri, from = '<sip:+15551230001@pbx>' } = {}) => {
    const call = new Dialog(registrar)
    call.local = `${from};tag=1`
    call.remote = `<${to}>`
    call.target = uri
    call.send('INVITE', { headers })
    const invite = await engine.next('invite', { sipCallId: call.callId })
    engine.send('reject', { leg: invite['leg'], code: 486 })
    await call.final('INVITE')
    call.send('ACK')
    await engine.next('ended', { leg: invite['leg'] })
    return invite
  }
  const number = (digits: string) => `sip:${digits}@127.0.0.1`

  await t.test('a call belongs to the account whose contact it was sent to', async (t) => {
    const account = (id: string, more: object) => trunk(server, { id, username: id, password: 'x', register: true, ...more })
    await engine.configure({
      trunks: [
        account('fax', { numbers: ['+15550001999'] }),
        account('voice', { numbers: ['+15550001000', '+15550001001'] }),
        trunk(server, { id: 'by-address' }),
      ],
    })
    const contacts = await registered('fax', 'voice')
    const [fax, voice] = [contacts.get('fax')!, contacts.get('voice')!]
    t.not(fax, voice)
    const to = number('15550001001')
    t.match(await arriving(voice, [], { to }), { trunk: 'voice', to: '15550001001' }, 'sent to the contact, the number in To')
    t.match(await arriving(fax, [], { to: number('5550001999') }), { trunk: 'fax', to: '5550001999' })
    t.match(
      await arriving(voice.replace(/;.*/, ''), [], { to }),
      { trunk: 'voice', to: '15550001001' },
      'to a contact without its parameters',
    )
    t.match(await arriving(number('+15550001000')), { trunk: 'voice', to: '+15550001000' }, 'to a number that only one of them has')
    t.match(await arriving(number('+15557777777')), { to: '+15557777777', trunk: 'by-address' }, 'to any other')
  })

  await t.test('the dialled number', async (t) => {
    const uses = async (more: object) => {
      await engine.configure({ trunks: [trunk(server, { username: 'clinic', password: 'x', numbers: ['+15550001000'], ...more })] })
      return async (uri: string, to: string, party?: string) =>
        (await arriving(uri, party === undefined ? [] : [`P-Called-Party-ID: "Us" <${number(party)}>`], { to: number(to) }))['to']
    }
    const own = 'sip:clinic@127.0.0.1;line=main'
    const auto = await uses({})
    t.equal(await auto(number('+15550001000'), '777'), '+15550001000', 'the request URI where it is none of ours')
    t.equal(await auto(own, '+15550001000'), '+15550001000')
    t.equal(await auto(own, '+18005550000', '15550001000'), '15550001000', 'To is what was dialled before it was forwarded to us')
    t.equal(await auto(own, 'clinic', '+15551112222'), '+15551112222', 'To is the account')
    t.equal(await auto(own, '+15559998888'), '+15559998888', 'a number that was not configured')
    t.equal(await auto(own, 'clinic'), 'clinic', 'nothing names a number')
    t.equal(await (await uses({ calledNumber: 'to' }))(number('1'), '+15550001000'), '+15550001000')
    t.equal(await (await uses({ calledNumber: 'request-uri' }))(own, '+15550001000'), 'clinic')
    t.equal(await (await uses({ calledNumber: 'p-called-party-id' }))(number('1'), '2', '3'), '3')
  })

  await t.test('who calls, and who forwarded the call', async (t) => {
    await engine.configure({ trunks: [trunk(server)] })
    const called = number('+15550001000')
    const from = '"Anonymous" <sip:anonymous@anonymous.invalid>'
    const of = async (headers: string[], given?: string) => arriving(called, headers, given === undefined ? {} : { from: given })
    const asserted = 'P-Asserted-Identity: "Ann" <sip:+15552220000@x>, <tel:+15553330000>'
    const party = 'Remote-Party-ID: "Ann" <sip:+15554440000@x>;party=calling;privacy=off'
    t.equal((await of([party, asserted]))['from'], '+15552220000', 'asserted')
    t.equal((await of([party]))['from'], '+15554440000', 'Remote-Party-ID')
    t.equal((await of(['Remote-Party-ID: <sip:+15554440000@x>;party=called']))['from'], '+15551230001', 'that of the other side')
    t.equal((await of([asserted, 'Privacy: id'], from))['from'], '', 'withheld, though the network knows it')
    t.equal((await of([]))['from'], '+15551230001')
    t.equal(
      (await of(['Diversion: <sip:+15550007777@x>;reason=no-answer', 'Diversion: <sip:+15550006666@x>']))['diversion'],
      '+15550007777',
    )
    const history = 'History-Info: <sip:+15550005555@x>;index=1, "A, B" <sip:+15550006666@x;cause=302>;index=1.1;mp=1'
    t.equal((await of([history]))['diversion'], '+15550005555', 'RFC 7044')
    const older = 'History-Info: <sip:+15550004444@x?Reason=SIP%3Bcause%3D486>;index=1, <sip:+15550001000@x>;index=1.1'
    t.equal((await of([older]))['diversion'], '+15550004444', 'RFC 4244')
  })

  await t.test('who we say we are', async (t) => {
    const shown = async (more: object, members: object = {}) => {
      await engine.configure({
        trunks: [trunk(server, { username: 'clinic', password: 'x', fromDomain: 'clinic.test', numbers: ['+15550001000'], ...more })],
      })
      const leg = engine.dial({ trunk: 'main', to: '+15551230001', callerName: 'Riverside', ...members })
      const invite = await registrar.request('INVITE')
      registrar.answer(invite, 486)
      await engine.next('ended', { leg })
      return {
        from: invite.header('From').replace(/;tag=.*/, ''),
        asserted: invite.header('P-Asserted-Identity'),
        preferred: invite.header('P-Preferred-Identity'),
        privacy: invite.header('Privacy'),
        diversion: invite.header('Diversion'),
      }
    }
    const ours = '"Riverside" <sip:+15550001000@clinic.test>'
    t.same(await shown({}), { from: ours, asserted: '', preferred: '', privacy: '', diversion: '' })
    t.match(await shown({ from: 'account', identityHeader: 'asserted' }), {
      from: '"Riverside" <sip:clinic@clinic.test>',
      asserted: ours,
      privacy: '',
    })
    t.match(await shown({ identityHeader: 'preferred' }), { from: ours, asserted: '', preferred: ours })
    const anonymous = '"Anonymous" <sip:anonymous@anonymous.invalid>'
    t.match(await shown({}, { from: '' }), { from: anonymous, privacy: 'id', asserted: '' })
    t.match(await shown({ identityHeader: 'asserted' }, { from: '' }), {
      from: anonymous,
      privacy: 'id',
      asserted: '<sip:+15550001000@clinic.test>',
    })
    t.match(await shown({ from: 'account' }, { from: '' }), { from: '"Anonymous" <sip:clinic@clinic.test>', privacy: 'id' })
    const diversion = '<sip:+15550001000@clinic.test>;reason=unconditional;privacy=off'
    t.match(await shown({}, { from: '+15552223333', diversion: '+15550001000' }), {
      from: '"Riverside" <sip:+15552223333@clinic.test>',
      diversion,
    })
    t.match(await shown({ diversionHeader: false }, { diversion: '+15550001000' }), { diversion: '' })
  })
})
