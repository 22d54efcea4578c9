/** Texts sent through providers with an HTTP interface, and what becomes of them when the provider or the way to it fails. */
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import type { HttpTrunkOptions } from '../../drivers/sms-http/trunk.ts'
import { telnyx } from '../../drivers/sms-http/telnyx.ts'
import { twilio } from '../../drivers/sms-http/twilio.ts'
import type { Template } from '../../drivers/sms-http/template.ts'
import { accountSid, never, startProvider, text, trunkAt, Twilio, type Behaviour, type LogLine } from './providers.ts'
import { KeptTexts } from '../harness/kept-texts.ts'

async function provided(t: Test, behave: Behaviour, options: Partial<HttpTrunkOptions> = {}) {
  const provider = await startProvider(behave)
  const lines: LogLine[] = []
  const trunk = trunkAt(provider.url, options, lines)
  const kept = new KeptTexts(true)
  trunk.start(kept)
  t.teardown(async () => {
    await trunk.stop()
    await provider.close()
  })
  return { provider, trunk, kept, lines }
}

t.test('Twilio: a text is a form with basic authentication', async (t) => {
  const service = new Twilio()
  const { provider, trunk } = await provided(t, service.behave, {
    webhook: { publicUrl: 'https://clinic.example/api/sms/webhook/provider' },
  })
  const outcome = await trunk.send(text({ body: 'Grüße & 1+1=2 👍' }), never)
  t.same(outcome, { kind: 'accepted', accepted: [service.messages[0]?.sid] })
  t.match(provider.asked[0], { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', connection: 'close' } })
  t.same(Object.fromEntries(new URLSearchParams(provider.asked[0]?.body)), {
    To: '+15550177',
    From: '+15550100',
    Body: 'Grüße & 1+1=2 👍',
    ValidityPeriod: '36000',
    StatusCallback: 'https://clinic.example/api/sms/webhook/provider',
  })
  t.match(await trunk.send(text({ to: '+1' }), never), {
    kind: 'refused',
    code: '21211',
    text: /not a valid phone number/,
    accepted: [null],
  })
  await trunk.send(text({ from: '' }), never)
  t.notOk(new URLSearchParams(provider.asked[2]?.body).has('From'), 'what is empty is left out')
})

t.test('Telnyx: a text is JSON with a key', async (t) => {
  const id = '40385f64-5717-4562-b3fc-2c963f66afa6'
  const data = { record_type: 'message', direction: 'outbound', id, type: 'SMS', to: [{ phone_number: '+15550177', status: 'queued' }] }
  const { provider, trunk } = await provided(t, () => ({ body: { data } }), { provider: 'telnyx', account: '', secret: 'KEY' })
  const hostile = 'say "hi"\\\n{{secret}} \u2028'
  t.same(await trunk.send(text({ body: hostile }), never), { kind: 'accepted', accepted: [id] })
  t.match(provider.asked[0], {
    url: { pathname: '/v2/messages' },
    headers: { authorization: 'Bearer KEY', 'content-type': 'application/json' },
  })
  t.same(JSON.parse(provider.asked[0]?.body ?? ''), { from: '+15550100', to: '+15550177', text: hostile })
  provider.behave = () => ({
    status: 422,
    body: { errors: [{ code: '40310', title: 'Invalid to address', detail: "The 'to' address is invalid." }] },
  })
  t.match(await trunk.send(text(), never), { kind: 'refused', code: '40310', text: /'to' address is invalid/ })
  t.equal(trunk.lookUp, undefined, 'which knows no look-up')
})

t.test('a generic provider is what its template says', async (t) => {
  const template: Template = {
    auth: 'none',
    send: {
      method: 'PUT',
      path: '/sms/{{to}}?key={{secret}}&from={{from}}',
      headers: { 'Idempotency-Key': '{{messageId}}', 'X-Account': '{{account}}' },
      json: { messages: [{ text: '{{body}}', ttl: '{{validitySeconds}}', note: '{{callbackUrl}}', kind: '' }] },
    },
    answer: {
      id: '/messages/0/id',
      code: '/messages/0/status',
      text: '/messages/0/error',
      accepted: { '/messages/0/status': ['0', 'queued'] },
    },
    temporary: { statuses: [409], codes: ['1'] },
  }
  const before = JSON.stringify(template)
  const answers = [
    { body: { messages: [{ status: 0, id: 17 }] } },
    { body: { messages: [{ status: '1', error: 'too fast' }] } },
    { body: { messages: [{ status: '6', error: 'no such number' }] } },
    { status: 409 },
    { status: 404 },
    { status: 200, body: 'OK' },
    { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
  ]
  const { provider, trunk } = await provided(t, () => answers.shift() ?? {}, {
    provider: 'generic',
    template,
    account: 'clinic\r\nX-Evil: 1',
    secret: 'k&y',
  })
  t.same(await trunk.send(text({ messageId: 'm1', body: '"}' }), never), { kind: 'accepted', accepted: ['17'] })
  const [asked] = provider.asked
  t.equal(`${asked?.url.pathname}${asked?.url.search}`, '/sms/%2B15550177?key=k%26y&from=%2B15550100')
  t.match(asked?.headers, { 'idempotency-key': 'm1', 'x-account': 'clinicX-Evil: 1', 'x-evil': undefined })
  t.same(JSON.parse(asked?.body ?? ''), { messages: [{ text: '"}', ttl: 86400, kind: '' }] })
  t.match(await trunk.send(text(), never), { kind: 'temporary', text: /too fast/ }, 'a refusal in an answer of 200')
  t.match(await trunk.send(text(), never), { kind: 'refused', code: '6', text: /no such number/ })
  t.match(await trunk.send(text(), never), { kind: 'temporary' })
  t.match(await trunk.send(text(), never), { kind: 'refused', code: 'HTTP 404' })
  t.match(await trunk.send(text(), never), { kind: 'refused' }, 'an answer that cannot be read did not say that it was taken')
  t.match(await trunk.send(text(), never), { kind: 'refused', code: 'HTTP 302' }, 'nobody is sent elsewhere')
  t.equal(provider.asked.length, 7)
  t.equal(JSON.stringify(template), before, 'a template is never changed by a request')
})

t.test('templates of known providers do not change either', async (t) => {
  const before = JSON.stringify([twilio, telnyx])
  const service = new Twilio()
  const { trunk } = await provided(t, service.behave)
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => trunk.send(text({ body: `for patient ${index}`, to: `+1555010${100 + index}` }), never)),
  )
  t.equal(JSON.stringify([twilio, telnyx]), before)
  t.same(
    service.messages.map(({ to, body }) => Number(to.slice(-3)) - 100 === Number(body.slice(12))),
    Array.from({ length: 20 }, () => true),
    'and nobody gets the text of another',
  )
})

t.test('too many requests, faults of the provider, a wrong secret', async (t) => {
  const { provider, trunk, kept } = await provided(t, () => ({
    status: 429,
    headers: { 'retry-after': '17' },
    body: { code: 20429, message: 'Too many' },
  }))
  t.match(await trunk.send(text(), never), { kind: 'temporary', retryAfterSeconds: 17, text: /Too many/ })
  provider.behave = () => ({ status: 429, headers: { 'retry-after': '16.2' } })
  t.match(await trunk.send(text(), never), { kind: 'temporary', retryAfterSeconds: 17 }, 'a fraction is rounded up')
  provider.behave = () => ({ status: 503, headers: { 'retry-after': new Date(Date.now() + 60_000).toUTCString() } })
  const busy = await trunk.send(text(), never)
  t.ok(busy.kind === 'temporary' && Math.abs((busy.retryAfterSeconds ?? 0) - 60) <= 2)
  t.equal(trunk.status().state, 'unreachable')
  provider.behave = () => ({
    status: 400,
    body: { code: 21611, message: "This 'From' number has exceeded the maximum number of queued messages" },
  })
  t.match(await trunk.send(text(), never), { kind: 'temporary' })
  t.ok(trunk.status().ok)
  provider.behave = () => ({ status: 400, body: { code: 21610, message: 'Attempt to send to unsubscribed recipient' } })
  t.match(await trunk.send(text(), never), { kind: 'refused', code: '21610', text: /unsubscribed recipient/ }, 'who has opted out there')
  t.ok(trunk.status().ok, 'which is no fault of the trunk')
  provider.behave = new Twilio().behave
  const wrong = trunkAt(provider.url, { secret: 'wrong' })
  wrong.start(kept)
  t.match(await wrong.send(text(), never), { kind: 'temporary', text: /20003/ })
  t.match(wrong.status(), { ok: false, state: 'refused', text: /Authenticate/ })
  await wrong.stop()
  provider.behave = () => ({ status: 504 })
  t.match(await trunk.send(text(), never), { kind: 'unknown' }, 'behind a gateway that gave up it may have been taken')
})

t.test('a provider that is not there got nothing', async (t) => {
  const { provider, trunk } = await provided(t, () => ({}))
  await provider.close()
  t.match(await trunk.send(text(), never), { kind: 'temporary', text: /nothing listens/ })
  t.equal(trunk.status().state, 'unreachable')
  const nowhere = trunkAt('http://no-such-host.invalid')
  nowhere.start(new KeptTexts(true))
  t.match(await nowhere.send(text(), never), { kind: 'temporary', text: /name cannot be resolved/ })
  await nowhere.stop()
})

t.test('a TLS provider that cannot prove who it is got nothing', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end('this is no TLS')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const trunk = trunkAt(`https://127.0.0.1:${(server.address() as { port: number }).port}`)
  trunk.start(new KeptTexts(true))
  t.match(await trunk.send(text(), never), { kind: 'temporary', text: /secured/ })
  await trunk.stop()
})

t.test('an answer that is lost: unknown, then looked up', async (t) => {
  const service = new Twilio()
  const { provider, trunk } = await provided(t, (asked) => {
    const reply = service.behave(asked)
    return asked.method === 'POST' ? 'reset' : reply
  })
  service.add({ direction: 'outbound-api', to: '+15550177', body: 'See you', created: Date.now() - 3_600_000 })
  const sent = text({ body: 'See you' })
  t.match(await trunk.send(sent, never), { kind: 'unknown', accepted: [null] })
  t.same(await trunk.lookUp?.(sent, never), { kind: 'accepted', accepted: [service.messages[1]?.sid] }, 'found, not to be sent again')

  const twin = text({ body: 'See you' })
  provider.behave = (asked) => (asked.method === 'POST' ? 'reset' : service.behave(asked))
  t.match(await trunk.send(twin, never), { kind: 'unknown' })
  t.match(
    await trunk.lookUp?.(twin, never),
    { kind: 'unknown', text: /so far/ },
    'that of another text is not its own, and it may yet come',
  )
  const soon = Date.now() + 61_000
  const { now } = Date
  Date.now = () => soon
  t.teardown(() => (Date.now = now))
  t.match(await trunk.lookUp?.(twin, never), { kind: 'temporary', text: /did not get/ }, 'later it would be there')
  Date.now = now
  provider.behave = () => ({ status: 500 })
  t.match(await trunk.lookUp?.(twin, never), { kind: 'unknown' })
})

t.test('a look-up after a restart does not take an earlier text for this one', async (t) => {
  const service = new Twilio()
  const { trunk } = await provided(t, service.behave)
  const lost = text({ body: 'Reminder' })
  service.add({ direction: 'outbound-api', to: lost.to, body: 'Reminder', created: Date.now() - 3_600_000 })
  t.match(await trunk.lookUp?.(lost, never), { kind: 'unknown', text: /perhaps from another time/ })
})

t.test('silence is unknown, and the box does not wait for ever', async (t) => {
  const { trunk } = await provided(t, () => 'silence', { answerMs: 200 })
  t.match(await trunk.send(text(), never), { kind: 'unknown', text: /does not answer/ })
})

t.test('when the box stops: what is written is unknown, what is not was not sent', async (t) => {
  const { provider, trunk } = await provided(t, () => 'silence', { momentMs: 20 })
  const stopping = new AbortController()
  const first = trunk.send(text(), stopping.signal)
  while (provider.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
  stopping.abort()
  t.match(await trunk.send(text(), stopping.signal), { kind: 'temporary', text: /stops/ })
  await trunk.stop()
  t.match(await first, { kind: 'unknown' })
})

t.test('neither texts nor secrets reach the log', async (t) => {
  const { provider, trunk, lines } = await provided(t, () => ({ status: 401, body: { message: 'no' } }), {
    secret: 'sesame',
    pollSeconds: 1,
  })
  await trunk.send(text({ body: 'diagnosis' }), never)
  provider.behave = () => ({ status: 500, body: 'diagnosis sesame' })
  await trunk.send(text({ body: 'diagnosis' }), never)
  await trunk.webhook({ method: 'POST', url: 'http://x/?diagnosis', headers: new Map(), body: Buffer.from('Body=diagnosis') })
  t.ok(lines.length > 0)
  t.notMatch(JSON.stringify(lines), /diagnosis|sesame|5550177/)
  t.match(trunk.status().facts, { provider: 'twilio', server: new URL(provider.url).host })
  t.ok(provider.asked[0]?.url.pathname.includes(accountSid))
})
