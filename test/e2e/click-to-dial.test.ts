/** Click-to-dial with real phones: the phone rings with the customer's name, then the customer does, and the two hear each other. */
import t from 'tap'
import { Baresip } from '../harness/baresip.ts'
import { hears, listens } from '../harness/ears.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { tone } from '../harness/audio.ts'
import { tonesIn, voices } from '../harness/talkers.ts'
import { HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = [
      { number: '101', name: 'Front desk', password, class: 'local', userId: 'u_17' },
      { number: '102', name: 'Office', password },
      { number: '103', name: 'Away', password },
    ]
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '101' }]
    base['outbound'] = [{ to: '+1*', trunks: ['main'] }]
  },
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

type Body = { [key: string]: any }
const start = (
  body: unknown,
  path = 'start',
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Body }> => daemon.api('POST', `/api/pbx/calls/${path}`, body, headers)
const active = async (): Promise<Body[]> => (await daemon.api('GET', '/api/pbx/calls/active')).body.calls
const past = async (callId: string): Promise<Body> => {
  await eventually('it is in the history', async () => (await daemon.api('GET', `/api/pbx/calls/history/${callId}`)).status === 200)
  return (await daemon.api('GET', `/api/pbx/calls/history/${callId}`)).body
}
const inState = (state: string) => eventually(`the call is ${state}`, async () => (await active())[0]?.['state'] === state)
/** The phone of the front desk, whose SIP the test writes. */
const hand = async (number = '101') => scene.keep(await HandPhone.register(daemon.sipPort, number, voices[number]!))

t.test('the directory knows the customer', async () => {
  const phones = [
    { number: '+15550001234', label: 'fax', primary: true },
    { number: '+15559990001', label: 'home' },
    { number: '+15551230001', label: 'mobile', primary: true },
  ]
  const customers = [
    { id: 'c_1', name: 'Ana Ruiz', phones },
    { id: 'c_2', name: 'Bo Li', phones: [] },
  ]
  const { status } = await daemon.api('POST', '/api/pbx/import/pbx-export', { customers })
  if (status !== 200) throw new Error(`the import: ${status}`)
})

t.test('a user of the CRM calls a customer: the phone shows who, both hear each other, and the phone may hold', async (t) => {
  const registrar = `127.0.0.1:${daemon.sipPort}`
  const phone = scene.keep(await Baresip.start({ registrar, user: '101', password, autoAnswer: true, voice: tone(voices['101']!, 60_000) }))
  await phone.until('REGISTER_OK')
  const customer = await scene.expect('answer', 300)
  const order = { userId: 'u_17', customerId: 'c_1', externalRef: 'task-4411' }
  const { status, body } = await start(order, 'start/crm', { 'idempotency-key': 'click-1' })
  t.equal(status, 202)
  const { callId } = body
  t.match(body, { rev: 1, direction: 'outbound', state: 'dialing', from: '101', to: '+15551230001', extension: '101', ...order })
  const again = await start(order, 'start/crm', { 'idempotency-key': 'click-1' })
  t.match([again.status, again.headers.get('idempotent-replayed'), again.body['callId']], [202, 'true', callId])
  await phone.until('CALL_ESTABLISHED')
  await inState('answered')
  t.match(await active(), [{ callId, state: 'answered', trunkId: 'main' }])
  customer.rtp.say(tone(voices['103']!, 60_000))
  await Promise.all([hears(customer.rtp, voices['101']!), hears(phone, voices['103']!, 1000)])
  await phone.command('hold')
  await inState('held')
  await phone.command('resume')
  await inState('answered')
  await listens(customer.rtp, 500)
  await phone.command('hangup')
  await customer.sip.exit
  await phone.until('CALL_CLOSED')
  const record = await past(callId)
  t.match(record, {
    outcome: 'answered',
    hangupBy: 'caller',
    userId: 'u_17',
    customerId: 'c_1',
    externalRef: 'task-4411',
    talkSeconds: Number,
  })
  t.equal(tonesIn(customer.rtp.heard())[0], voices['101'], 'the customer hears the phone')
  t.ok(tonesIn(phone.heard()).includes(voices['103']!), 'the phone hears the customer')
})

t.test('it is the phone that is rung first, with the customer’s number and name; who declines is not connected', async (t) => {
  const phone = await hand()
  const { body } = await start({ extension: '101', to: '(555) 123-0001', timeoutSeconds: 20 })
  const invite = await phone.peer.request('INVITE')
  t.match(invite.header('From'), /^"Ana Ruiz" <sip:\+?15551230001@/)
  t.match(
    [invite.header('Call-Info'), invite.header('Answer-Mode')],
    [/;answer-after=0$/, 'Auto'],
    'a phone that is set to answer by itself does',
  )
  t.match(await active(), [{ state: 'dialing' }])
  phone.peer.answer(invite, 486)
  t.match(await past(body['callId']), { direction: 'outbound', outcome: 'busy', talkSeconds: 0, legs: [] })
})

t.test('who asked for it hangs up while it rings; a customer who is busy, is told so and the call ends', async (t) => {
  const phone = await hand()
  await scene.expect('answer', 20_000)
  const first = (await start({ extension: '101', to: '+15551230001' })).body
  const talk = await phone.takes()
  await inState('ringing')
  talk.dialog.send('BYE')
  t.match(await past(first['callId']), { outcome: 'canceled', hangupBy: 'caller', legs: [{ to: '+15551230001' }] })
  await scene.sweep()
  const other = await hand()
  await scene.expect('busy')
  const second = (await start({ extension: '101', to: '+15551230001' })).body
  const heard = await other.takes()
  await heard.dialog.request('BYE').then((bye) => other.peer.answer(bye, 200))
  t.match(await past(second['callId']), { outcome: 'busy', hangupBy: 'callee' })
})

t.test('a colleague is called the same way', async (t) => {
  const [one, two] = await Promise.all([
    hand('101'),
    HandPhone.register(daemon.sipPort, '102', 700, '127.0.0.2').then((made) => scene.keep(made)),
  ])
  const { body } = await start({ extension: '101', to: '102' })
  const invite = one.takes()
  await invite
  const other = await two.takes()
  await inState('answered')
  other.dialog.send('BYE')
  t.match(await past(body['callId']), { direction: 'internal', outcome: 'answered', legs: [{ to: '102' }], hangupBy: 'callee' })
})

t.test('what cannot be is said before anything rings', async (t) => {
  await hand()
  for (const [code, body, path] of [
    ['extension_unknown', { extension: '999', to: '+15551230001' }],
    ['extension_unavailable', { extension: '103', to: '+15551230001' }],
    ['number_invalid', { extension: '101', to: 'hello' }],
    ['number_invalid', { extension: '101', to: '101' }],
    ['destination_denied', { extension: '101', to: '+19005551234' }],
    ['destination_denied', { extension: '101', to: '911' }],
    ['destination_denied', { extension: '101', to: '+442079460018' }],
    ['destination_denied', { extension: '101', to: '+12125550100' }],
    ['validation_failed', { extension: '101', to: '+15551230001', timeoutSeconds: 61 }],
    ['validation_failed', { extension: '101', to: '+15551230001', callerId: '+15557777777' }],
    ['user_unknown', { userId: 'u_1', customerId: 'c_1' }, 'start/crm'],
    ['customer_unknown', { userId: 'u_17', customerId: 'c_9' }, 'start/crm'],
    ['customer_unknown', { userId: 'u_17', customerId: 'Ä'.repeat(100) }, 'start/crm'],
    ['customer_has_no_number', { userId: 'u_17', customerId: 'c_2' }, 'start/crm'],
    ['validation_failed', { userId: 'u_17' }, 'start/crm'],
  ] as const)
    t.match((await start(body, path)).body, { code }, JSON.stringify(body))
  t.same(await active(), [])
})

t.test('who sits at a phone', async (t) => {
  const who = (extension: string) => daemon.api('GET', `/api/pbx/users/extension/${extension}`)
  t.match(await who('101'), { status: 200, body: { extension: '101', userId: 'u_17', name: 'Front desk', onCall: false, source: 'local' } })
  t.match((await who('103')).body, { userId: '103', registered: false })
  t.match(await who('999'), { status: 404, body: { code: 'extension_unknown' } })
})
