/** REFER as telephones write it: compact names, with and without brackets, for calls that stand and for a consultation that still rings. */
import t from 'tap'
import { Engine, extension, skip, trunk } from './engine.ts'
import { phoneCalls } from './phone-calls.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

const numbers = ['+15550001000']

async function house() {
  const engine = await Engine.start({ extensions: [extension('101', 'right'), extension('102', 'other')] })
  const phone = await SipPeer.udp(engine.port(), '127.0.0.31')
  const stranger = await SipPeer.udp(engine.port(), '127.0.0.32')
  await register(phone, '101', 'right', [`Contact: ${phone.contact}`])
  await register(stranger, '102', 'other', [`Contact: ${stranger.contact}`])
  const close = async () => (phone.close(), stranger.close(), engine.stop())
  return { engine, phone, stranger, close }
}

/** Its far end may transfer from now on. */
async function allow(engine: Engine, leg: number): Promise<void> {
  engine.send('transfers', { leg, on: true })
  engine.send('ping', { n: leg })
  await engine.next('pong', { n: leg })
}

/** A conversation of the phone, which may have it transferred. */
async function talk(engine: Engine, phone: SipPeer) {
  const leg = engine.dial({ extension: '101', to: '101' })
  const invite = await phone.request('INVITE')
  phone.answer(invite, 200, { body: sdp(4000) })
  const dialog = Dialog.of(phone, invite)
  await phone.request('ACK')
  await engine.next('answered', { leg })
  await allow(engine, leg)
  return { leg, dialog }
}

const tagOf = (header: string): string => /tag=([^;>]+)/.exec(header)?.[1] ?? ''

t.test('every form of REFER is understood, or refused', { skip, timeout: 90_000 }, async (t) => {
  const { engine, phone, close } = await house()
  t.teardown(close)
  const understood: readonly (readonly [string, readonly string[], object])[] = [
    ['long', ['Refer-To: <sip:102@pbx>', 'Referred-By: <sip:101@pbx>'], { to: '102', referredBy: '101' }],
    ['compact', ['r: <sip:102@pbx>', 'b: <sip:101@pbx>'], { to: '102', referredBy: '101' }],
    ['compact, in capitals', ['R: <sip:102@pbx>', 'B :<sip:101@pbx>'], { to: '102', referredBy: '101' }],
    ['address alone', ['r: sip:102@pbx'], { to: '102' }],
    ['address alone with a parameter', ['Refer-To: sip:102@pbx;transport=udp'], { to: '102' }],
    ['a name', ['Refer-To: "Desk, <two>" <sip:102@pbx;user=phone>;x=y'], { to: '102' }],
    ['tel', ['Refer-To: <tel:102>'], { to: '102' }],
    ['tel, outside', ['r: tel:+1-310-555-0142'], { to: '+13105550142' }],
    ['folded', ['Refer-To:\r\n <sip:102@pbx>'], { to: '102' }],
    ['sips', ['Refer-To: <sips:102@pbx>'], { to: '102' }],
    ['method INVITE', ['Refer-To: <sip:102@pbx;method=INVITE>'], { to: '102' }],
    ['with x, o, u, k, s', ['r: <sip:102@pbx>', 'x: 90', 'o: refer', 'u: refer', 'k: replaces, norefersub', 's: x'], { to: '102' }],
    ['parameters of the number', ['Refer-To: <sip:102;phone-context=pbx@pbx;user=phone>'], { to: '102' }],
    ['Refer-Sub true', ['Refer-To: <sip:102@pbx>', 'Refer-Sub: true'], { to: '102' }],
    ['other headers in the address', ['Refer-To: <sip:102@pbx?Subject=x&Require=replaces>'], { to: '102' }],
  ]
  for (const [name, headers, event] of understood) {
    const { leg, dialog } = await talk(engine, phone)
    t.equal((await dialog.ask('REFER', { headers })).status, 202, name)
    const told = await engine.next('refer', { leg })
    t.match(told, { ...event, replaces: 0 }, name)
    t.match((await dialog.request('NOTIFY')).body, 'SIP/2.0 100', name)
    engine.send('hangup', { leg })
    phone.answer(await dialog.request('BYE'), 200)
  }
  const refused: readonly (readonly [string, readonly string[], number])[] = [
    ['none', [], 400],
    ['two headers', ['Refer-To: <sip:102@pbx>', 'r: <sip:103@pbx>'], 400],
    ['a list', ['Refer-To: <sip:102@pbx>, <sip:103@pbx>'], 400],
    ['empty', ['Refer-To: '], 400],
    ['of another scheme', ['r: <mailto:a@b>'], 400],
    ['another method', ['Refer-To: <sip:102@pbx;method=BYE>'], 603],
    ['Replaces that names nothing', ['Refer-To: <sip:102@pbx?Replaces=x>'], 400],
    ['a call that is not there', ['Refer-To: <sip:102@pbx?Replaces=a%3Bto-tag%3Db%3Bfrom-tag%3Dc>;x=y'], 603],
    ['the same without brackets', ['r: sip:102@pbx?replaces=a%3Bto-tag%3Db%3Bfrom-tag%3Dc'], 603],
  ]
  for (const [name, headers, status] of refused) {
    const { leg, dialog } = await talk(engine, phone)
    t.equal((await dialog.ask('REFER', { headers })).status, status, name)
    engine.send('hangup', { leg })
    phone.answer(await dialog.request('BYE'), 200)
  }
  t.same(
    engine.of('refer').filter(({ refer }) => refer !== 0),
    [],
  )
})

t.test('whoever wants to hear nothing of a transfer hears nothing', { skip, timeout: 30_000 }, async (t) => {
  const { engine, phone, close } = await house()
  t.teardown(close)
  for (const wish of ['false', 'FALSE', 'false;x=y']) {
    const { leg, dialog } = await talk(engine, phone)
    const answer = await dialog.ask('REFER', { headers: ['r: <sip:102@pbx>', `Refer-Sub: ${wish}`] })
    t.match([answer.status, answer.header('Refer-Sub')], [202, 'false'])
    const { refer } = await engine.next('refer', { leg })
    engine.send('referProgress', { leg, refer, code: 200 })
    engine.send('hangup', { leg })
    phone.answer(await dialog.request('BYE'), 200)
    t.equal(phone.received.filter(({ method }) => method === 'NOTIFY').length, 0)
  }
})

t.test(
  'a consultation that still rings is named by its early dialog, whichever way round its tags stand',
  { skip, timeout: 60_000 },
  async (t) => {
    const { engine, phone, stranger, close } = await house()
    t.teardown(close)
    for (const turned of [false, true]) {
      const { leg, dialog } = await talk(engine, phone)
      const calling = phoneCalls(phone, '101', 'right', '102')
      const invite = await engine.next('invite')
      engine.send('progress', { leg: invite['leg'], code: 180 })
      const ringing = (await calling).answer
      const [own, theirs] = [tagOf(ringing.header('From')), tagOf(ringing.header('To'))]
      const tags = turned ? `to-tag=${own};from-tag=${theirs}` : `to-tag=${theirs};from-tag=${own}`
      const replaces = encodeURIComponent(`${ringing.header('Call-ID')};${tags}`)
      const theft = await (async () => {
        const other = engine.dial({ extension: '102', to: '102' })
        const rung = await stranger.request('INVITE')
        stranger.answer(rung, 200, { body: sdp(4002) })
        await stranger.request('ACK')
        await engine.next('answered', { leg: other })
        await allow(engine, other)
        return Dialog.of(stranger, rung)
      })()
      t.equal((await theft.ask('REFER', { headers: [`Refer-To: <sip:102@pbx?Replaces=${replaces}>`] })).status, 603, 'not its call')
      t.equal((await dialog.ask('REFER', { headers: [`r: <sip:102@pbx?Replaces=${replaces}>`] })).status, 202)
      t.match(await engine.next('refer', (m) => m['leg'] === leg), { to: '102', replaces: invite['leg'] })
      engine.send('reject', { leg: invite['leg'], code: 487 })
      engine.send('hangup', { leg })
      phone.answer(await dialog.request('BYE'), 200)
    }
  },
)

t.test('a REFER that belongs to no call is refused', { skip, timeout: 30_000 }, async (t) => {
  const { engine, phone, close } = await house()
  const provider = await SipPeer.udp(engine.port(), '127.0.0.33')
  t.teardown(async () => (provider.close(), close()))
  await engine.configure({ trunks: [trunk(`127.0.0.33:${provider.port}`, { numbers })] })
  for (const peer of [phone, provider])
    for (const name of ['Refer-To', 'r'])
      t.equal((await peer.ask('REFER', 'sip:101@pbx', { headers: [`${name}: <sip:102@pbx>`] }))?.status, 403)
  t.equal((await phone.ask('NOTIFY', 'sip:101@pbx', { headers: ['o: message-summary'] }))?.status, 481)
  t.same(engine.of('refer'), [])
})
