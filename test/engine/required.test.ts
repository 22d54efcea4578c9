/** Require (RFC 3261 section 8.2.2.3): what nobody here knows is refused by its name, by every request but ACK, CANCEL and BYE. */
import t from 'tap'
import { Engine, extension, skip, trunk } from './engine.ts'
import { register } from './registering.ts'
import { Dialog, SipPeer, token, type SipMessage } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

const asked = 'sip:101@127.0.0.1'
/** What Require says, and what Unsupported has to; '': nothing is refused. */
const wishes = [
  ['nonsense', 'nonsense'],
  ['100rel, precondition', 'precondition'],
  ['a, Timer, b', 'a, b'],
  ['TIMER, 100rel', ''],
] as const

t.test('what a request requires', { skip, timeout: 60_000 }, async (t) => {
  const engine = await Engine.start({ extensions: [extension('101', 'right')] })
  const provider = await SipPeer.udp(engine.port())
  const phone = await SipPeer.udp(engine.port(), '127.0.0.31')
  t.teardown(async () => (provider.close(), phone.close(), engine.stop()))
  await engine.configure({ trunks: [trunk(`127.0.0.1:${provider.port}`)] })
  const registered = await register(phone, '101', 'right', [`Contact: ${phone.contact}`])
  t.equal(registered?.status, 200)
  const judge = (what: string, answer: SipMessage | undefined, status: number, unsupported: string): void => {
    t.same([answer?.status, answer?.header('Unsupported')], unsupported === '' ? [status, ''] : [420, unsupported], what)
  }
  const talk = async (): Promise<{ leg: unknown; dialog: Dialog }> => {
    const dialog = new Dialog(provider)
    dialog.invite('101', { body: sdp(4000) })
    const { leg } = await engine.next('invite')
    engine.send('answer', { leg })
    await dialog.answered()
    await engine.next('answered', { leg })
    engine.send('transfers', { leg, on: true })
    await engine.settled()
    return { leg, dialog }
  }

  await t.test('outside a call', async () => {
    const proven = async (method: string, headers: readonly string[]): Promise<SipMessage | undefined> => {
      const who = { from: asked, callId: token(), headers }
      const challenge = await phone.ask(method, asked, who)
      const proof = authorization(challenge!, method, asked, '101', 'right')
      return phone.ask(method, asked, { ...who, cseq: 2, headers: [...headers, proof] })
    }
    const lamp = ['Event: dialog', 'Accept: application/dialog-info+xml', 'Expires: 600']
    for (const [tags, unsupported] of wishes) {
      const require = `Require: ${tags}`
      judge(`OPTIONS: ${tags}`, await provider.ask('OPTIONS', asked, { headers: [require] }), 200, unsupported)
      judge(`MESSAGE: ${tags}`, await provider.ask('MESSAGE', asked, { headers: [require] }), 400, unsupported)
      judge(`SUBSCRIBE: ${tags}`, await proven('SUBSCRIBE', [...lamp, require]), 200, unsupported)
    }
    judge('REGISTER: nonsense', await register(phone, '101', 'right', ['Require: nonsense']), 200, 'nonsense')
    judge('REGISTER: path', await register(phone, '101', 'right', ['Require: Path']), 200, '')
  })

  await t.test('in a call', async (t) => {
    const rows: readonly (readonly [string, { headers?: string[]; body?: string; type?: string }, number])[] = [
      ['OPTIONS', {}, 200],
      ['INFO', { body: 'Signal=1\r\nDuration=160\r\n', type: 'application/dtmf-relay' }, 200],
      ['UPDATE', { body: sdp(4000) }, 200],
      ['INVITE', { body: sdp(4000) }, 200],
      ['REFER', { headers: ['Refer-To: <sip:102@pbx>'] }, 202],
    ]
    for (const [method, extra, status] of rows) {
      const { leg, dialog } = await talk()
      for (const [tags, unsupported] of wishes) {
        const answer = await dialog.ask(method, { ...extra, headers: [...(extra.headers ?? []), `Require: ${tags}`] })
        if (method === 'INVITE') dialog.send('ACK')
        judge(`${method}: ${tags}`, answer, status, unsupported)
      }
      await engine.settled()
      t.equal(engine.of('refer').length, method === 'REFER' ? 1 : 0, 'what was refused has no effect')
      t.equal((await dialog.ask('BYE', { headers: ['Require: nonsense'] })).status, 200, 'hanging up needs nothing')
      await engine.next('ended', { leg })
    }
  })

  await t.test('ACK and CANCEL are not asked', async () => {
    const cancelled = new Dialog(provider)
    cancelled.invite('101', { body: sdp(4000) })
    const { leg } = await engine.next('invite')
    cancelled.send('CANCEL', { headers: ['Require: nonsense'] })
    await cancelled.final('CANCEL')
    t.equal((await cancelled.final('INVITE')).status, 487)
    cancelled.send('ACK', { headers: ['Require: nonsense'] })
    await engine.next('ended', { leg })
    const call = new Dialog(provider)
    call.invite('101', { body: sdp(4000) })
    const next = await engine.next('invite')
    engine.send('answer', { leg: next['leg'] })
    call.learn(await call.final('INVITE'))
    call.send('ACK', { headers: ['Require: nonsense'] })
    await engine.next('answered', { leg: next['leg'] })
    t.equal((await call.ask('BYE')).status, 200)
    await engine.next('ended', { leg: next['leg'] })
  })
})
