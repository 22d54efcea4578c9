import t from 'tap'
import type { ProviderRequest } from '../../drivers/sms.ts'
import { refused, ScriptedTrunk, temporary, unknown } from './scripted-trunk.ts'
import { patient, Stage } from './stage.ts'

const other = '+15551230002'
const messageId = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

t.test('every form of the recipients and of the text', async (t) => {
  const stage = await Stage.open(t)
  const ask = await stage.served(t)
  stage.trunk.window = 10
  stage.trunk.answers = stage.trunk.takesAll
  const table: [to: unknown, numbers: string[]][] = [
    ['555-123-0001', [patient]],
    ['+1 (555) 123-0001', [patient]],
    ['%2B15551230001', [patient]],
    ['555-123-0001,555-123-0002', [patient, other]],
    ['555-123-0001; 555-123-0002 ;', [patient, other]],
    [
      ['555-123-0001', '5551230002'],
      [patient, other],
    ],
    [
      ['555-123-0001;555-123-0002', '+15551230001'],
      [patient, other],
    ],
    [5551230001, [patient]],
    [[5551230001], [patient]],
  ]
  for (const [to, numbers] of table) {
    const { status, body, text } = await ask('POST', '/api/sms', { json: { to, message: 'Hello' } })
    t.equal(status, 200, text)
    const messages = numbers.map((number) => ({ messageId, to: number, status: 'accepted', segments: 1, encoding: 'GSM-7' }))
    t.match(body, { sent: numbers.length, recipients: numbers.length, queued: 0, failed: 0, messages }, JSON.stringify(to))
    t.same(Object.keys(body), ['sent', 'recipients', 'queued', 'failed', 'messages'])
  }
  const last = (): string => stage.trunk.handed.at(-1)!.text.body
  await ask('POST', '/api/sms', { json: { to: patient, text: 'the alias' } })
  t.equal(last(), 'the alias')
  await ask('POST', '/api/sms', { json: { to: patient, text: 'the alias', message: 'the message', more: 1 } })
  t.equal(last(), 'the message')
  const long = (await ask('POST', '/api/sms', { json: { to: patient, message: 'я'.repeat(71) } })).body
  t.match(long.messages, [{ segments: 2, encoding: 'UCS-2' }])
})

t.test('numbers as they are copied from contacts, spreadsheets and pages', async (t) => {
  const stage = await Stage.open(t)
  const ask = await stage.served(t)
  stage.trunk.answers = stage.trunk.takesAll
  const forms = [
    '\u200e+1 (555) 123-0001',
    '\u202a+15551230001\u202c',
    'tel:+1-555-123-0001',
    'sms:+15551230001',
    "'5551230001",
    '"555-123-0001"',
    '\ufeff5551230001',
  ]
  for (const to of forms)
    t.match(await ask('POST', '/api/sms', { json: { to, message: 'x' } }), { status: 200, body: { messages: [{ to: patient }] } }, to)
  const list = await ask('POST', '/api/sms', { json: { to: '5551230001\r\n5551230002\n\n5551230003\t5551230004', message: 'x' } })
  t.match(list.body, { recipients: 4, sent: 4 }, 'a list with line breaks')
})

t.test('what cannot be sent is refused, in the order of the checks', async (t) => {
  const stage = await Stage.open(t)
  const ask = await stage.served(t)
  stage.trunk.answers = stage.trunk.takesAll
  const send = (json: unknown) => ask('POST', '/api/sms', { json })
  const table: [json: unknown, status: number, code: string][] = [
    [{ to: patient }, 422, 'validation_failed'],
    [{ to: patient, message: '' }, 422, 'validation_failed'],
    [{ to: patient, message: '  \n', text: 'x' }, 422, 'validation_failed'],
    [{ to: patient, message: 7 }, 422, 'validation_failed'],
    [{ message: 'x' }, 422, 'validation_failed'],
    [{ to: '', message: 'x' }, 422, 'validation_failed'],
    [{ to: ' ,; ', message: 'x' }, 422, 'validation_failed'],
    [{ to: [], message: 'x' }, 422, 'validation_failed'],
    [{ to: { number: patient }, message: 'x' }, 422, 'validation_failed'],
    [{ to: Array.from({ length: 101 }, (_, n) => `+1555123${1000 + n}`), message: 'x' }, 422, 'validation_failed'],
    [{ to: 'somebody', message: 'x' }, 422, 'number_invalid'],
    [{ to: '12', message: 'x' }, 422, 'number_invalid'],
    [{ to: '*98', message: 'x' }, 422, 'number_invalid'],
    [{ to: '101', message: 'x' }, 422, 'number_invalid'],
    [{ to: ['x', 'y', '911'], message: 'x' }, 422, 'number_invalid'],
    [{ to: '911', message: 'x' }, 403, 'destination_denied'],
    [{ to: '12345', message: 'x' }, 403, 'destination_denied'],
    [{ to: '112;911', message: 'x' }, 403, 'destination_denied'],
    [{ to: '+19005551234', message: 'x' }, 403, 'destination_denied'],
    [{ to: '+18765551234', message: 'x' }, 403, 'destination_denied'],
    [{ to: patient, message: 'a'.repeat(1531) }, 422, 'message_too_long'],
    [{ to: patient, message: '€'.repeat(761) }, 422, 'message_too_long'],
    [{ to: patient, message: 'я'.repeat(671) }, 422, 'message_too_long'],
    [{ to: patient, message: 'a'.repeat(200_000) }, 422, 'message_too_long'],
  ]
  for (const [json, status, code] of table) {
    const answer = await send(json)
    t.match(answer, { status, body: { code, error: String } }, `${JSON.stringify(json).slice(0, 60)}: ${answer.text.slice(0, 200)}`)
    if (status === 422) t.ok(answer.body.details?.length > 0, answer.text.slice(0, 200))
  }
  t.equal(stage.trunk.handed.length, 0)
  t.equal((await ask('POST', '/api/sms', { raw: '{', headers: { 'content-type': 'application/json' } })).body.code, 'invalid_json')
  t.equal((await ask('POST', '/api/sms', { raw: 'to=1' })).body.code, 'unsupported_media_type')
  t.equal((await ask('POST', '/api/sms', { json: {}, token: '' })).body.code, 'missing_token')
  t.equal((await ask('POST', '/api/sms', { json: {}, token: 'voice-only' })).body.code, 'scope_denied')
  t.equal((await ask('GET', '/api/sms/last')).body.code, 'message_unknown')
  t.match(await send({ to: patient, message: 'a'.repeat(1530) }), { body: { messages: [{ segments: 10 }] } })
  const many = Array.from({ length: 100 }, (_, n) => `+1555123${1000 + n}`)
  t.match(await send({ to: [...many, many[0]!], message: 'x' }), { body: { sent: 100, recipients: 100 } })
})

t.test('without a trunk: 503 before the numbers are looked at, after token and JSON', async (t) => {
  const stage = await Stage.open(t, {}, [])
  const ask = await stage.served(t)
  const { status, body, headers } = await ask('POST', '/api/sms', { json: { to: 'nobody' } })
  t.match([status, body.code, headers.get('retry-after')], [503, 'no_sms_trunk', null])
  t.equal((await ask('POST', '/api/sms', { json: {}, token: 'wrong' })).status, 401)
  t.equal((await ask('POST', '/api/sms', { raw: '{', headers: { 'content-type': 'application/json' } })).status, 400)
  t.match(await stage.messaging.sendText({ to: patient, body: 'x' }), { code: 'no_sms_trunk' })
})

t.test('the answer tells of each recipient: sent, queued, failed, unknown', async (t) => {
  const stage = await Stage.open(t)
  const ask = await stage.served(t)
  stage.trunk.window = 10
  const answers: Record<string, ReturnType<typeof temporary> | null> = {
    [patient]: { kind: 'accepted', accepted: ['1'] },
    [other]: temporary('busy'),
    '+15551230003': refused('number_unknown', 'There is no such number.'),
    '+15551230004': unknown('timeout'),
    '+15551230005': null,
  }
  const asked = ask('POST', '/api/sms', { json: { to: [...Object.keys(answers), 'nonsense', '911'], message: 'Hello' } })
  await stage.handed(5)
  for (const { text, answer } of stage.trunk.handed) if (answers[text.to]) answer(answers[text.to]!)
  const states = (): string[] => [...stage.store.tables.sms.range()].map(({ value }) => value.state)
  await stage.until(() => ['sent', 'retrying', 'failed', 'unknown'].every((state) => states().includes(state as never)), 'the ends')
  let answered = false
  void asked.then(() => (answered = true))
  stage.clock.advance(7999)
  await stage.until(() => true)
  t.notOk(answered, 'it waits for the trunk')
  stage.clock.advance(1)
  const { status, body } = await asked
  t.equal(status, 200)
  t.match(body, {
    sent: 1,
    recipients: 7,
    queued: 2,
    failed: 3,
    unknown: 1,
    messages: [
      { messageId, to: patient, status: 'accepted', warning: /numbering plan/ },
      { messageId, to: other, status: 'queued' },
      { messageId, to: '+15551230003', status: 'failed', code: 'number_unknown', error: 'There is no such number.' },
      { messageId, to: '+15551230004', status: 'unknown', code: 'unknown' },
      { messageId, to: '+15551230005', status: 'queued' },
      { to: 'nonsense', status: 'failed', code: 'number_invalid' },
      { to: '911', status: 'failed', code: 'destination_denied' },
    ],
  })
  const listed = (await ask('GET', '/api/sms?limit=2')).body
  t.same(
    listed.messages.map((one: { to: string }) => one.to),
    ['+15551230005', '+15551230004'],
  )
  const rest = (await ask('GET', `/api/sms?limit=50&cursor=${listed.nextCursor}`)).body
  t.same([rest.messages.length, rest.nextCursor], [3, null])
  t.match((await ask('GET', '/api/sms?state=retrying')).body.messages, [{ to: other, error: 'busy', attempts: 1, body: undefined }])
  t.match((await ask('GET', `/api/sms/${body.messages[0].messageId}`)).body, {
    status: 'sent',
    body: 'Hello',
    parts: [{ accepted: true, report: null }],
    trunkId: 'gsm1',
    from: '+15550002000',
  })
  t.equal((await ask('GET', '/api/sms/019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8')).body.code, 'message_unknown')
})

t.test('a request under one key sends once, also after a crash in the middle', async (t) => {
  const stage = await Stage.open(t)
  let ask = await stage.served(t)
  const request = { json: { to: patient, message: 'Hello' }, headers: { 'idempotency-key': 'k1' } }
  stage.trunk.answers = stage.trunk.takesAll
  const first = await ask('POST', '/api/sms', request)
  const again = await ask('POST', '/api/sms', request)
  t.same([again.body, again.headers.get('idempotent-replayed')], [first.body, 'true'])
  t.equal(first.body.sent, 1)
  t.equal((await ask('POST', '/api/sms', { ...request, json: { to: patient, message: 'Other' } })).body.code, 'idempotency_mismatch')
  const refusedFirst = { json: { to: 'x', message: 'Hello' }, headers: { 'idempotency-key': 'k2' } }
  t.equal((await ask('POST', '/api/sms', refusedFirst)).status, 422)
  t.equal((await ask('POST', '/api/sms', { ...refusedFirst, json: request.json })).status, 200, 'what was refused is not kept')

  stage.trunk.answers = null
  const cut = { ...request, headers: { 'idempotency-key': 'k3' } }
  const lost = ask('POST', '/api/sms', cut).catch(() => undefined)
  await stage.handed(3)
  t.equal((await ask('POST', '/api/sms', cut)).body.code, 'idempotency_in_progress')
  await stage.crash()
  await lost
  ask = await stage.served(t)
  const repeated = await ask('POST', '/api/sms', cut)
  t.match(repeated.body, { sent: 0, queued: 1, messages: [{ status: 'queued' }] })
  await stage.state(repeated.body.messages[0].messageId, 'unknown')
  t.equal(stage.trunk.handed.length, 0)
})

t.test('a full queue takes all of a request or nothing', async (t) => {
  const stage = await Stage.open(t, { queue: 2 })
  const ask = await stage.served(t)
  const full = await ask('POST', '/api/sms', { json: { to: [patient, other, '+15551230003'], message: 'x' } })
  t.match([full.status, full.body.code, full.headers.get('retry-after')], [503, 'overloaded', '60'])
  t.equal(stage.store.tables.sms.count(), 0)
  stage.trunk.answers = stage.trunk.takesAll
  t.equal((await ask('POST', '/api/sms', { json: { to: [patient, other], message: 'x' } })).body.sent, 2)
})

t.test('a provider hands over what it has, in whatever form', async (t) => {
  const trunk = new ScriptedTrunk('provider')
  const seen: ProviderRequest[] = []
  const webhook = async (request: ProviderRequest) => {
    seen.push(request)
    return request.headers.get('x-signature') === 'good'
      ? { status: 200, type: 'text/xml', body: '<Response/>' }
      : { status: 403, type: 'text/plain', body: 'signature' }
  }
  const stage = await Stage.open(t, {}, [Object.assign(trunk, { webhook }), new ScriptedTrunk('gsm1')])
  const ask = await stage.served(t)
  // What a proxy says counts where it is trusted (http.trustedProxies).
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-signature': 'good', 'x-forwarded-proto': 'https' }
  const answer = await ask('POST', '/api/sms/webhook/provider?a=1&b=%20', { raw: 'From=%2B1&Body=Hi', headers, token: '' })
  t.match([answer.status, answer.headers.get('content-type'), answer.text], [200, 'text/xml', '<Response/>'])
  t.match(seen[0]!.url, /^http:\/\/127\.0\.0\.1:\d+\/api\/sms\/webhook\/provider\?a=1&b=%20$/)
  t.same([seen[0]!.method, seen[0]!.body.toString()], ['POST', 'From=%2B1&Body=Hi'])
  t.equal((await ask('POST', '/api/sms/webhook/provider', { raw: '{"no json', token: '' })).status, 403)
  t.equal((await ask('POST', '/api/sms/webhook/provider', { token: '' })).status, 403, 'a request without a body')
  t.equal((await ask('GET', '/api/sms/webhook/provider?challenge=5', { headers: { 'x-signature': 'good' }, token: '' })).status, 200)
  t.equal((await ask('POST', '/api/sms/webhook/gsm1', { raw: 'x', token: '' })).status, 404)
  t.equal((await ask('POST', '/api/sms/webhook/none', { raw: 'x', token: '' })).status, 404)
  t.match((await ask('POST', '/api/sms/webhook/provider', { raw: 'x'.repeat(65_537), token: '' })).body, {
    code: 'body_too_large',
    limitBytes: 65_536,
  })
  t.equal(seen.length, 4)
})
