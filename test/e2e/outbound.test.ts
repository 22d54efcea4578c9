/** Calls placed through POST /api/voice/originate, the live API, validate and trace, and the Calls shim. */
import t from 'tap'
import { Scene, eventually, pause } from '../harness/scene.ts'

const scene = await Scene.open({
  settings: (base) => {
    const [endpoint] = (base['voice'] as { endpoints: Record<string, string>[] }).endpoints
    endpoint!['fallbackUrl'] = endpoint!['controlUrl']!.replace('/voice', '/fallback')
    base['voice'] = { ...(base['voice'] as object), trace: 'full' }
    base['limits'] = { originatesPerMinute: 1000, requestsPerSecond: 1000, burst: 1000, originateStartsPerSecond: 100 }
  },
})
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const reminder = 'This is a reminder of your appointment tomorrow.'
const second = 'Your appointment was moved to Friday morning.'
const to = '+15559870000'

t.test('an answered call: call.answered comes first, with externalRef and params; the callee hears the document', async (t) => {
  app.script = () => [{ say: { text: reminder } }]
  const phone = await scene.expect('answer', 300)
  const placed = await scene.originate({ to: '+1 (555) 987-0000', endpoint: 'reception', externalRef: 'appt-7', params: { visit: '7' } })
  t.equal(placed.status, 200, JSON.stringify(placed.body))
  t.match(placed.body, { callId: /^CA[0-9a-f]{32}$/, state: 'queued', to, from: '+15550001000', externalRef: 'appt-7' })
  const { event } = await app.until('call.answered')
  t.match(event, {
    callId: placed.body.callId,
    sequence: 1,
    direction: 'outbound',
    from: '+15550001000',
    to,
    trunkId: 'main',
    state: 'in-progress',
    answeredBy: 'unknown',
    externalRef: 'appt-7',
    params: { visit: '7' },
    ringSeconds: Number,
  })
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  t.ok(phone.rtp.heardText(reminder).whole)
  t.match((await app.until('call.ended')).event, {
    state: 'completed',
    endReason: 'document-end',
    endedBy: 'app',
    externalRef: 'appt-7',
    params: { visit: '7' },
  })
  t.same(app.names(), ['call.answered', 'call.ended'])
  const shown = await daemon.api('GET', `/api/voice/calls/${placed.body.callId}`)
  t.match(shown, { status: 200, body: { callId: placed.body.callId, state: 'completed', endReason: 'document-end' } })
  t.same(await scene.finish(), [])
})

t.test('busy, declined, unavailable and unanswered calls reach only call.ended', async (t) => {
  for (const [manner, state, endReason, sipCode] of [
    ['busy', 'busy', 'busy', 486],
    ['decline', 'busy', /busy|rejected/, 603],
    ['unavailable', 'no-answer', 'no-answer', 480],
    ['ring', 'no-answer', 'no-answer', Number],
  ] as const) {
    const phone = await scene.expect(manner, 200)
    const placed = await scene.originate({ to, endpoint: 'reception', timeout: 5 })
    t.equal(placed.status, 200, JSON.stringify(placed.body))
    const { event } = await app.until('call.ended')
    t.match(event, { callId: placed.body.callId, state, endReason, sipCode, sequence: 1 }, manner)
    t.same(app.names(), ['call.ended'], manner)
    t.match((await daemon.api('GET', `/api/voice/calls/${placed.body.callId}`)).body, { state }, manner)
    t.equal(await phone.sip.exit, 0, phone.sip.failure())
    t.same(await scene.finish(), [], manner)
    app.reset()
  }
})

t.test('a call placed with a URL of an endpoint is the endpoint’s: its end is told, its fallback serves', async (t) => {
  await scene.expect('busy', 50)
  const unanswered = await scene.originate({ to, controlUrl: `${app.url}/anything` })
  t.match((await app.until('call.ended')).event, { callId: unanswered.body.callId, state: 'busy', sequence: 1 })
  t.same(app.names(), ['call.ended'])
  app.reset()

  app.script = (_, { path }) => (path === '/fallback' ? [{ hangup: {} }] : { status: 500 })
  await scene.expect('answer', 50)
  const answered = await scene.originate({ to, controlUrl: `${app.url}/broken` })
  t.match((await app.until('call.ended')).event, { callId: answered.body.callId, state: 'completed', endReason: 'app-hangup' })
  t.same(
    app.received.map(({ path }) => path),
    ['/broken', '/fallback', '/status'],
  )
  t.same(await scene.finish(), [])
})

t.test('a number nobody knows fails', async (t) => {
  const placed = await scene.originate({ to, endpoint: 'reception' })
  t.match((await app.until('call.ended')).event, { callId: placed.body.callId, state: 'failed', endReason: 'failed', sipCode: 404 })
  t.same(await scene.finish(), [])
})

t.test('statusEvents send call.status to statusCallbackUrl, in order and without gaps', async (t) => {
  app.script = () => [{ say: { text: reminder } }]
  await scene.expect('answer', 300)
  const body = {
    to,
    controlUrl: `${app.url}/out`,
    statusCallbackUrl: `${app.url}/status`,
    statusEvents: ['ringing', 'in-progress', 'ended'],
  }
  const placed = await scene.originate(body)
  t.equal(placed.status, 200, JSON.stringify(placed.body))
  await app.until('call.ended')
  const states = app.events(placed.body.callId).filter((e) => e.event === 'call.status')
  t.ok(
    states.every((e) => typeof e.activity === 'string'),
    'each says what the call does',
  )
  t.same(
    states.map((e) => e.state),
    ['ringing', 'in-progress'],
  )
  t.same(await scene.finish(), [])
})

t.test('the caller gives the document itself; a hang-up by the callee ends it', async (t) => {
  const phone = await scene.expect('answer', 100)
  const placed = await scene.originate({ to, document: [{ say: { text: reminder } }, { pause: { seconds: 20 } }] })
  t.equal(placed.status, 200, JSON.stringify(placed.body))
  await phone.rtp.sound()
  await phone.rtp.quiet(600)
  await phone.hangup()
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  t.ok(phone.rtp.heardText(reminder).whole)
  const gone = async () => (await daemon.api('GET', `/api/voice/calls/${placed.body.callId}`)).body.state === 'completed'
  await eventually('completed', gone)
  t.match((await daemon.api('GET', `/api/voice/calls/${placed.body.callId}`)).body, { endReason: 'callee-hangup', endedBy: 'callee' })
  t.same(await scene.finish(), [])
})

t.test('one Idempotency-Key places one call; another body with it is refused', async (t) => {
  await scene.expect('busy', 50)
  const headers = { 'idempotency-key': `key-${Date.now()}` }
  const first = await scene.originate({ to, endpoint: 'reception' }, headers)
  const again = await scene.originate({ to, endpoint: 'reception' }, headers)
  t.equal(again.body.callId, first.body.callId)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  const other = await scene.originate({ to: '+15559870001', endpoint: 'reception' }, headers)
  t.match(other, { status: 422, body: { code: 'idempotency_mismatch' } })
  await app.until('call.ended')
  t.same(app.names(), ['call.ended'])
  t.same(await scene.finish(), [])
})

t.test('bad requests are refused in the agreed words', async (t) => {
  const ok = { to, endpoint: 'reception' }
  for (const [body, status, code] of [
    ['{', 400, 'invalid_json'],
    [{ to }, 422, 'validation_failed'],
    [{ ...ok, controlUrl: 'http://127.0.0.1:1/x' }, 422, 'validation_failed'],
    [{ ...ok, to: 'nobody' }, 422, /number_invalid|validation_failed/],
    [{ ...ok, machineDetection: 'detect' }, 422, 'not_supported'],
    [{ to, controlUrl: 'ftp://example.com/' }, 422, /validation_failed|address_not_allowed/],
    [{ to, controlUrl: 'http://169.254.169.254/latest' }, 422, /validation_failed|address_not_allowed/],
    [{ to, document: [{ dance: {} }] }, 422, 'validation_failed'],
    [{ ...ok, from: '+15550009999' }, 422, /validation_failed|number_invalid/],
    [{ ...ok, params: { x: 'y'.repeat(5000) } }, 422, 'validation_failed'],
  ] as const) {
    const answer = await daemon.api('POST', '/api/voice/originate', body)
    t.match(
      answer,
      { status, body: { code, error: String, requestId: String } },
      `${JSON.stringify(body).slice(0, 80)} ${JSON.stringify(answer.body)}`,
    )
  }
  const bare = await fetch(`${daemon.http}/api/voice/originate`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  t.equal(bare.status, 401)
  t.match(bare.headers.get('www-authenticate'), 'Bearer realm="pbx"')
  t.match((await daemon.api('GET', '/api/voice/calls/CA0123456789abcdef0123456789abcdef')).body, { code: 'call_unknown' })
  t.equal((await daemon.api('PUT', '/api/voice/originate', {})).status, 405)
})

t.test('the live API replaces the document at once, sends the call elsewhere, and ends it', async (t) => {
  app.script = (e, r) => (r.path === '/other' ? [{ say: { text: second } }, { gather: { timeout: 20 } }] : [{ gather: { timeout: 60 } }])
  const phone = await scene.expect('answer', 50)
  const { body } = await scene.originate({ to, endpoint: 'reception' })
  const live = (change: unknown) => daemon.api('POST', `/api/voice/calls/${body.callId}`, change)
  await app.until('call.answered')
  await phone.rtp.until('audio', () => phone.rtp.packets.length > 20)
  const { body: page } = await daemon.api('GET', '/api/voice/calls?limit=2')
  t.match(page, { items: [{ callId: body.callId, state: 'in-progress' }, {}] })
  t.same(page.calls, page.items, 'its older name')
  const { body: older } = await daemon.api('GET', `/api/voice/calls?limit=500&cursor=${page.nextCursor}`)
  t.ok(older.items.length > 0 && older.items.every(({ callId }: { callId: string }) => callId < page.nextCursor))
  t.equal(older.nextCursor, null)
  t.equal((await live({ document: [{ say: { text: reminder } }, { gather: { timeout: 60 } }] })).status, 200)
  await phone.rtp.sound()
  await phone.rtp.quiet(600)
  t.ok(phone.rtp.heardText(reminder).whole, 'the new document')
  t.equal((await live({ redirectUrl: `${app.url}/other` })).status, 200)
  t.match((await app.until('call.redirected')).event, { url: `${app.url}/other`, redirectCount: 1 })
  await phone.rtp.sound(performance.now())
  await phone.rtp.quiet(600)
  t.ok(phone.rtp.heardText(second).whole, 'the document of the redirect')
  t.equal((await live({ document: [{ dance: {} }] })).status, 422)
  t.equal((await live({ state: 'completed' })).status, 200)
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  t.match((await app.until('call.ended')).event, { state: 'completed', endReason: 'api', endedBy: /app|system/ })
  t.same(app.names(), ['call.answered', 'call.redirected', 'call.ended'], 'the cut gathers sent no event')
  t.match(await live({ state: 'completed' }), { status: 409, body: { code: 'call_ended' } })
  const trace = await daemon.api('GET', `/api/voice/calls/${body.callId}/trace`)
  t.equal(trace.status, 200)
  t.match(JSON.stringify(trace.body), 'moved to Friday')
  t.same(await scene.finish(), [])
})

t.test('a call that still rings is canceled through the API', async (t) => {
  const phone = await scene.expect('ring')
  const { body } = await scene.originate({ to, endpoint: 'reception', timeout: 30 })
  await phone.sip.until('INVITE', (m) => m.includes('SIP/2.0 180'))
  t.equal((await daemon.api('POST', `/api/voice/calls/${body.callId}`, { state: 'canceled' })).status, 200)
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  t.match((await app.until('call.ended')).event, { state: 'canceled' })
  t.same(await scene.finish(), [])
})

t.test('the Calls shim ends a call with HTTP Basic, and answers 20404 for one that has ended', async (t) => {
  app.script = () => [{ gather: { timeout: 60 } }]
  const phone = await scene.expect('answer', 50)
  const { body } = await scene.originate({ to, endpoint: 'reception' })
  await app.until('call.answered')
  const shim = (password: string) =>
    fetch(`${daemon.http}/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Calls/${body.callId}.json`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`AC0123456789abcdef0123456789abcdef:${password}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'Status=completed',
    })
  t.equal((await shim('wrong')).status, 401)
  t.equal((await shim(daemon.token)).status, 200)
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  await app.until('call.ended')
  const late = await shim(daemon.token)
  t.equal(late.status, 404)
  t.match(await late.json(), { code: 20404 })
  t.same(await scene.finish(), [])
})

t.test('validate answers what would be refused, as JSON pointers', async (t) => {
  const good = await daemon.api('POST', '/api/voice/validate', { document: [{ say: { text: 'Hello' } }, { gather: { numDigits: '1' } }] })
  t.equal(good.status, 200, JSON.stringify(good.body))
  const bad = await daemon.api('POST', '/api/voice/validate', { document: [{ say: {} }, { gather: {}, say: {} }] })
  t.match(JSON.stringify(bad.body), /"\/(document\/)?0/)
  t.match(JSON.stringify(bad.body), /"\/(document\/)?1/)
  // No model is installed here.
  const document = [{ gather: { input: 'speech' } }]
  t.match((await daemon.api('POST', '/api/voice/validate', document)).body, {
    valid: true,
    warnings: [{ path: '/0/gather/input', message: /no model for free speech is installed/ }],
  })
  const told = async (verb: object) => (await daemon.api('POST', '/api/voice/validate', [{ say: { text: 'Hello' } }, verb])).body.warnings
  t.same(await told({ gather: { input: 'speech', hints: ['billing'] } }), [])
  t.match(await told({ gather: { input: 'dtmf speech', language: 'de' } }), [
    { path: '/1/gather/input', message: /does not recognise speech in de/ },
  ])
  t.match(await told({ record: { transcribe: true } }), [
    { path: '/1/record/transcribe', message: /no model for recordings.*always empty/ },
  ])
  t.same(await told({ record: {} }), [])
})

t.test('pbx shows calls and trace, and simulate drives the application without a phone', async (t) => {
  app.script = (e) =>
    e.event === 'gather.completed'
      ? [{ say: { text: `You pressed ${e.digits}.` } }]
      : [{ say: { text: second } }, { gather: { numDigits: 1 } }]
  const run = await daemon.pbx('simulate', 'inbound', '--from', '+15551230001', '--to', '+15550001000', '--keys', '2')
  t.equal(run.code, 0, run.out + run.error)
  t.match(run.out, 'gather.completed')
  t.match(app.events()[1], { event: 'gather.completed', digits: '2' })
  const status = await daemon.pbx('status', '--json')
  t.equal(status.code, 0, status.error)
  t.type(JSON.parse(status.out), 'object')
  const trace = await daemon.pbx('trace', app.events()[0].callId)
  t.equal(trace.code, 0, trace.error)
  t.match(trace.out, 'moved to Friday')
  t.same(await scene.finish(), [])
})

t.test('a simulated caller presses keys also where nothing is said before', async (t) => {
  app.reset()
  app.script = (e) => (e.event === 'gather.completed' && e.digits === '3' ? [] : [{ gather: { numDigits: 1, timeout: 4 } }])
  const run = await daemon.pbx('simulate', 'inbound', '--from', '+15551230001', '--to', '+15550001000', '--keys', '2,3')
  t.equal(run.code, 0, run.out + run.error)
  t.match(
    app.events().filter(({ event }) => event === 'gather.completed'),
    [{ digits: '2' }, { digits: '3' }],
  )
})
