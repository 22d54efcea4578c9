/** What the engine reads out of addresses: numbers and names, what is withheld, calls for help in every form, other schemes. */
import fc from 'fast-check'
import t from 'tap'
import { Engine, extension, pause, skip, trunk } from './engine.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const help = { emergencyNumbers: ['911', '9911', '+1911', '112'], extensions: [extension('101', 'right', { name: 'Front "A" desk' })] }
const box = '127.0.0.1'
const ours = `sip:+15550001000@${box}`

/** An engine with a trunk at `peer`, and what it says of calls there. */
async function open(t: { teardown(fn: () => unknown): void }) {
  const engine = await Engine.start({ phoneNetworks: [] })
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)], ...help })
  t.teardown(async () => (peer.close(), engine.stop()))
  const arriving = async (headers: string[], { from = '<sip:+15551230001@carrier>', uri = ours } = {}) => {
    const call = new Dialog(peer)
    call.local = `${from};tag=1`
    call.remote = `<${uri}>`
    call.target = uri
    call.send('INVITE', { headers })
    const invite = await engine.next('invite', { sipCallId: call.callId })
    engine.send('reject', { leg: invite['leg'], code: 486 })
    await call.final('INVITE')
    call.send('ACK')
    await engine.next('ended', { leg: invite['leg'] })
    return invite
  }
  return { engine, peer, arriving }
}

t.test('from a trunk', { skip, timeout: 120_000 }, async (t) => {
  const { arriving } = await open(t)
  const number = '+13105550142'

  await t.test('a ported number, a context, an extension behind it: the number alone, wherever it stands', async (t) => {
    for (const more of ['', ';npdi;rn=+12125559999', ';ext=5', ';isub=1', ';cpc=ordinary;oli=0', ';tgrp=a;trunk-context=example.com']) {
      const uri = `sip:${number}${more}@carrier;user=phone`
      t.match(await arriving([], { uri: `sip:+15550001000${more}@${box}`, from: `<${uri}>` }), { to: '+15550001000', from: number }, more)
      t.match(await arriving([`P-Asserted-Identity: <tel:${number}${more}>`]), { from: number }, more)
      t.match(await arriving([`Remote-Party-ID: "A <sip:+1900@x>" <${uri}>;party=calling`]), { from: number }, more)
      t.match(await arriving([`Diversion: <${uri}>;reason=no-answer`]), { diversion: number }, more)
      t.match(await arriving([`History-Info: <${uri}>;index=1,<sip:9@x;cause=302>;index=1.1`]), { diversion: number }, more)
    }
  })

  await t.test('number and name come from the same place', async (t) => {
    const from = `"From Name" <sip:+15551230001@carrier>`
    t.match(await arriving([], { from: '"Dr. \\"Bob\\" Lee" <sip:+15551230001@x>' }), { fromName: 'Dr. "Bob" Lee' })
    t.match(await arriving([], { from: '"ANN LEE" <tel:+1-310-555-0142>' }), { from: number, fromName: 'ANN LEE' })
    t.match(await arriving([`P-Asserted-Identity: "Asserted" <sip:${number}@x>`], { from }), { from: number, fromName: 'Asserted' })
    t.match(await arriving([`P-Asserted-Identity: <sip:${number}@x>`], { from }), { from: number, fromName: '' }, 'another number')
    t.match(
      await arriving(['P-Asserted-Identity: <sip:15551230001@x>'], { from }),
      { from: '15551230001', fromName: 'From Name' },
      'the same',
    )
    t.match(await arriving([`P-Asserted-Identity: <sip:${number}@x>, "T" <tel:${number}>`], { from }), { from: number, fromName: 'T' })
    t.match(await arriving([`Remote-Party-ID: "Party" <sip:${number}@x>`], { from }), { from: number, fromName: 'Party' })
    t.match(await arriving([], { from: '"Unavailable" <sip:+15551230001@x>' }), { from: '+15551230001', fromName: '' }, 'no name')
  })

  await t.test('who withholds the number is nobody, wherever it stands', async (t) => {
    const token = fc.constantFrom('id', 'ID', 'Id', 'user', 'USER', 'header', 'Header')
    const beside = fc.array(fc.constantFrom('critical', 'session', 'none'), { maxLength: 2 })
    const parting = fc.constantFrom(';', ' ; ', ';\t', ',', ', ')
    const said = fc
      .tuple(token, beside, parting, fc.boolean())
      .map(([wish, others, between, split]) =>
        split ? [...others, wish].map((one) => `Privacy: ${one}`) : [`privacy: ${[wish, ...others].join(between)}`],
      )
    const secret = '+13105550142'
    const ways = fc.oneof(
      said.map((headers) => ({ headers, from: `"Ann Lee" <sip:${secret}@carrier>` })),
      fc.constantFrom('full', 'FULL', '"full"', 'name', 'uri').map((privacy) => ({
        headers: [`Remote-Party-ID: "Ann Lee" <sip:${secret}@x>;party=calling;Privacy=${privacy};screen=yes`],
        from: `"Ann Lee" <sip:${secret}@carrier>`,
      })),
      fc
        .constantFrom(
          '"Anonymous" <sip:anonymous@anonymous.invalid>',
          '<sip:Restricted@x>',
          '<sip:unavailable@unknown.invalid>',
          `"ANONYMOUS" <sip:${secret}@x>`,
          `"Restricted" <sip:${secret}@x>`,
          `<sip:${secret}@Anonymous.Invalid>`,
          '<sip:anonymous.invalid>',
          '<sip:anonymous.invalid:5060;transport=udp>',
          '<sip:anonymous;x=y@x>',
        )
        .map((from) => ({ headers: [], from })),
    )
    const beyond = fc.subarray([
      `P-Asserted-Identity: "Ann Lee" <sip:${secret}@x>`,
      `P-Preferred-Identity: "Ann Lee" <tel:${secret}>`,
      `Remote-Party-ID: "Ann Lee" <sip:${secret}@x>;party=calling;privacy=off`,
      `Diversion: "Ann Lee" <sip:${secret}@x>;reason=unconditional`,
      `X-Caller: ${secret}`,
      `X-Original-From: "A. Lee" <sip:${secret}@10.0.0.1:5060;user=phone>;tag=77`,
      `X-Call: id=17;cli=1-310-555-0142;route=9`,
      `X-Escaped: %2B13105550142%4010.0.0.1`,
      `X-Cnam: ANN LEE (mobile)`,
    ])
    await fc.assert(
      fc.asyncProperty(ways, beyond, async ({ headers, from }, more) => {
        const invite = await arriving([...headers, ...more], { from })
        // The forwarding party is another one, unless the number is that of the caller.
        const known = [...headers, ...more, from].some((header) => /^(?!Diversion|X-).*3105550142/.test(header))
        const named = [...headers, ...more, from].some((header) => /^(?!Diversion|X-).*Ann Lee/.test(header))
        const shown = { ...invite, diversion: '', headers: {} }
        const said = JSON.stringify(known && (named || !more.some((header) => header.startsWith('X-Cnam'))) ? invite : shown)
        return invite['from'] === '' && invite['fromName'] === '' && !/310.?555.?0142|Ann Lee/i.test(said)
      }),
      { numRuns: 60 },
    )
    const open = `"Ann Lee" <sip:${secret}@carrier>`
    for (const privacy of ['none', 'None', 'critical', 'session', ''])
      t.match(await arriving(privacy === '' ? [] : [`Privacy: ${privacy}`], { from: open }), { from: secret, fromName: 'Ann Lee' }, privacy)
    t.match(await arriving(['Privacy: history', `Diversion: <sip:+15559990000@x>`], { from: open }), { from: secret, diversion: '' })
    t.match(await arriving(['Diversion: <sip:+15559990000@x>;privacy=full']), { diversion: '' })
  })

  await t.test('other schemes get 416', async (t) => {
    const { peer } = await open(t)
    for (const uri of ['urn:service:sos', 'mailto:a@example.com', 'im:a@example.com', 'urn:service:counseling', 'h323:a@b'])
      for (const method of ['INVITE', 'OPTIONS', 'MESSAGE'])
        t.equal((await peer.ask(method, uri, { to: `sip:a@${box}` }))?.status, 416, uri)
  })
})

t.test('from a phone', { skip, timeout: 120_000 }, async (t) => {
  const { engine } = await open(t)
  const uri = 'sip:pbx'
  const registered = await SipPeer.udp(engine.port(), '127.0.0.21')
  const unknown = await SipPeer.udp(engine.port(), '127.0.0.22')
  t.teardown(() => [registered, unknown].forEach((peer) => peer.close()))
  const challenge = await registered.ask('REGISTER', uri, { to: 'sip:101@pbx' })
  const headers = [authorization(challenge!, 'REGISTER', uri, '101', 'right'), `Contact: ${registered.contact};expires=600`]
  t.equal((await registered.ask('REGISTER', uri, { to: 'sip:101@pbx', cseq: 2, headers }))?.status, 200)

  const call = async (peer: SipPeer, target: string, to = target, from = '<sip:101@pbx>', more: readonly string[] = []) => {
    const dialog = new Dialog(peer)
    dialog.local = `${from};tag=1`
    dialog.remote = `<${to}>`
    dialog.target = target
    dialog.send('INVITE', { body: sdp(9), headers: more })
    const asked = await dialog
      .final('INVITE', 1500)
      .catch((error: Error) => Promise.reject(new Error(`${target}: ${error.message.slice(0, 80)}`)))
    dialog.send('ACK')
    dialog.send('INVITE', { body: sdp(9), headers: [...more, authorization(asked, 'INVITE', target, '101', 'right')] })
    const invite = await engine.next('invite', { sipCallId: dialog.callId })
    engine.send('reject', { leg: invite['leg'], code: 486 })
    t.equal((await dialog.final('INVITE')).status, 486)
    dialog.send('ACK')
    // No phone dials more often than 20 times a second.
    await pause(50)
    await engine.next('ended', { leg: invite['leg'] })
    return invite
  }

  await t.test('a call for help in every form, from a phone that is registered and from one that only has a password', async (t) => {
    const rows: [target: string, number: string][] = [
      ...['911', '9911', '9-1-1', '+1911', '%2B1911', '911;phone-context=+1', '911;phone-context=example.com', '112;npdi'].flatMap(
        (user): [string, string][] => {
          const number = user.replace('%2B', '+').replace(/;.*/, '').replaceAll('-', '')
          return [
            `sip:${user}@${box}`,
            `SIP:${user}@${box};user=phone`,
            `sips:${user}@${box}`,
            `sip:${user}@${box}?Subject=x`,
            `tel:${user.replace('%2B', '+')}`,
          ].map((target) => [target, number])
        },
      ),
      ...['urn:service:sos', 'URN:SERVICE:SOS', 'urn:service:sos.ambulance', 'urn:service:sos.police', 'urn:service:sos.unheard-of'].map(
        (target): [string, string] => [target, '911'],
      ),
    ]
    for (const peer of [registered, unknown])
      for (const [target, number] of rows) {
        t.match(await call(peer, target), { to: number, extension: '101' }, target)
        if (peer === registered) t.match(await call(peer, target, 'sip:102@elsewhere'), { to: number }, `${target}, another To`)
      }
    for (const require of ['nonsense', 'resource-priority, timer', '100rel', ''])
      t.match(await call(registered, `sip:911@${box}`, undefined, undefined, [`Require: ${require}`]), { to: '911' }, `Require: ${require}`)
    t.match(await call(unknown, `sip:${box}`, `sip:911@${box}`), { to: '911' }, 'the request names nobody, To does')
  })

  await t.test('what is no call for help is that of a stranger to who is not known', async (t) => {
    for (const target of [
      `sip:912@${box}`,
      `sip:911x@${box}`,
      `sip:102@${box}`,
      'urn:service:counseling',
      'mailto:911@example.com',
      'tel:9110',
    ])
      t.equal(await unknown.ask('INVITE', target, { from: 'sip:101@pbx', to: 'sip:102@pbx', body: sdp(9), ms: 150 }), undefined, target)
  })

  await t.test('a number with parameters is the number; a phone bears what is configured', async (t) => {
    for (const user of ['102', '*72', '*7244123', '%2321%23', '+13105550142'])
      for (const more of ['', ';phone-context=example.com', ';phone-context=+1', ';ext=5'])
        t.match(
          await call(registered, `sip:${user}${more}@${box};user=phone`, undefined, '"Boss" <sip:+15559999999@x>'),
          { to: user.replaceAll('%23', '#'), from: '101', fromName: 'Front "A" desk' },
          user + more,
        )
    t.match(await call(registered, 'tel:5550142;phone-context=+1310'), { to: '+13105550142' })
  })

  await t.test('other methods and schemes have an answer', async (t) => {
    const status = async (method: string, target: string) => (await registered.ask(method, target, { to: 'sip:a@pbx', ms: 1500 }))?.status
    for (const target of ['mailto:a@x', 'im:a@x', 'urn:service:counseling', 'urn:isbn:1'])
      for (const method of ['INVITE', 'OPTIONS', 'MESSAGE', 'SUBSCRIBE', 'INFO', 'FROBNICATE'])
        t.equal(await status(method, target), 416, `${method} ${target}`)
    t.equal(await status('OPTIONS', 'urn:service:sos'), 200)
    for (const method of ['MESSAGE', 'SUBSCRIBE', 'PUBLISH', 'INFO']) t.equal(await status(method, 'urn:service:sos'), 416, method)
  })
})

t.test('a name comes to the phone as it was: escaped once, read once, whatever letters it has', { skip, timeout: 120_000 }, async (t) => {
  const { engine, peer } = await open(t)
  const phone = await SipPeer.udp(engine.port(), '127.0.0.35')
  t.teardown(() => phone.close())
  await register(phone, '101', 'right', [`Contact: ${phone.contact}`])
  /** The name that a phone is shown when a call with this From comes in; `from` as bytes. */
  const through = async (from: Buffer) => {
    const call = new Dialog(peer)
    const head = [
      `INVITE ${ours} SIP/2.0`,
      peer.via(),
      '',
      `To: <${ours}>`,
      `Call-ID: ${call.callId}`,
      'CSeq: 1 INVITE',
      `Contact: ${peer.contact}`,
    ]
    const [before, after] = [head.slice(0, 2), [...head.slice(3), 'Max-Forwards: 70', 'Content-Length: 0', '', '']]
    peer.raw(Buffer.concat([Buffer.from(`${before.join('\r\n')}\r\nFrom: `), from, Buffer.from(`;tag=1\r\n${after.join('\r\n')}`)]))
    const invite = await engine.next('invite', { sipCallId: call.callId })
    const leg = engine.dial({ extension: '101', to: '101', from: '5', callerName: invite['fromName'] })
    const rung = await phone.request('INVITE')
    phone.answer(rung, 486)
    await engine.next('ended', { leg })
    engine.send('reject', { leg: invite['leg'], code: 486 })
    await engine.next('ended', { leg: invite['leg'] })
    const written = Buffer.from(rung.header('From'), 'latin1').toString('utf8')
    const shown = /^(?:"((?:[^"\\]|\\.)*)" )?</.exec(written)
    return { told: invite['fromName'], shown: shown?.[1]?.replaceAll(/\\(.)/gsu, '$1') ?? (shown === null ? written : '') }
  }
  const quoted = (name: string): string => `"${name.replaceAll(/["\\]/g, '\\$&')}" <sip:+15551230001@carrier>`
  const forms: readonly (readonly [Buffer, string])[] = [
    [Buffer.from('"Dr. \\"Bob\\" Lee" <sip:+13105550142@x>'), 'Dr. "Bob" Lee'],
    [Buffer.from('"a \\\\ b" <sip:1@x>'), 'a \\ b'],
    [Buffer.from('"\\A\\n\\n" <sip:1@x>'), 'Ann'],
    [Buffer.from('ANN LEE <sip:1@x>'), 'ANN LEE'],
    [Buffer.from('"ANN LEE" <tel:+1-310-555-0142>'), 'ANN LEE'],
    [Buffer.from('"" <sip:1@x>'), ''],
    [Buffer.from('"Lee, Ann <x@y>; z" <sip:1@x>'), 'Lee, Ann <x@y>; z'],
    [Buffer.from('"Müller 山田 🚑" <sip:1@x>'), 'Müller 山田 🚑'],
    [Buffer.from('"Müller \\"Änne\\"" <sip:1@x>', 'latin1'), 'Müller "Änne"'],
    [Buffer.from('"100 % \\%22" <sip:1@x>'), '100 % %22'],
  ]
  for (const [from, name] of forms) t.same(await through(from), { told: name, shown: name }, from.toString('latin1'))
  const letter = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('"', '\\', "'", ' ', '<', '>', ',', ';', '%', '=', 'a', 'Z') },
    { weight: 2, arbitrary: fc.constantFrom('ü', 'é', '山', '🚑', 'ß') },
  )
  const name = fc
    .array(letter, { minLength: 1, maxLength: 30 })
    .map((letters) => letters.join('').trim())
    .filter((text) => text !== '')
  await fc.assert(
    fc.asyncProperty(name, async (text) => {
      const { told, shown } = await through(Buffer.from(quoted(text)))
      return told === text && shown === text
    }),
    { numRuns: 60 },
  )
})
