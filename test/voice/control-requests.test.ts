/** Requests to applications, against a real HTTP server that fails in each way of the table. */
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { systemClock, type Clock } from '../../daemon/base/clock.ts'
import { createLog } from '../../daemon/base/log.ts'
import { controlConnections, guardedAgent, type AgentOptions } from '../../daemon/outbox/address.ts'
import { verify } from '../../daemon/base/signing.ts'
import { Requestor, type ControlRequest } from '../../daemon/voice/requestor.ts'
import '../harness/events-fit.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { numberOf, sampleEvent } from '../harness/sample-event.ts'

const secret = 'whsec_voice'
const event = sampleEvent({ callerName: 'Zoë' })
const eventBody = JSON.stringify(event)

interface Seen {
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly at: number
  readonly port: number | undefined
}
type Behaviour = (request: IncomingMessage, response: ServerResponse, attempt: number) => void

const reply = (
  status: number,
  body: string | Buffer = '',
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Behaviour => {
  return (_request, response) => void response.writeHead(status, headers).end(body)
}

let skewMs = 0
/** Two attempts never share a second, so a signature that was not made afresh is seen. */
const clock: Clock = { ...systemClock, now: () => Date.now() + skewMs }

async function application(behaviour: Behaviour) {
  const seen: Seen[] = []
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      skewMs += 1000
      seen.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), at: Date.now(), port: request.socket.remotePort })
      behaviour(request, response, seen.length)
    })
  })
  return { seen, server, ...(await listening(server)) }
}

async function listening(server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as AddressInfo).port
  t.teardown(() => {
    if ('closeAllConnections' in server) (server as unknown as { closeAllConnections(): void }).closeAllConnections()
    server.close()
  })
  return { port, url: `http://127.0.0.1:${port}/voice/next?key=1` }
}

function requestor(options: { clock?: Clock; endpointRequests?: number; connect?: Partial<AgentOptions> } = {}) {
  const [dispatcher, again] = [true, false].map((kept) => {
    const agent = guardedAgent({ allowLoopback: true, ownPorts: [] }, { ...controlConnections, ...options.connect, kept })
    t.teardown(() => agent.destroy())
    return agent
  })
  return new Requestor({
    dispatcher: dispatcher!,
    again: again!,
    checkUrl: (url) => (url.includes('169.254.') ? { ok: false, reason: 'link-local address' } : { ok: true, url: new URL(url) }),
    clock: options.clock ?? clock,
    log: createLog({ level: 'silent' }),
    userAgent: 'pbx/0.1.0',
    endpointRequests: options.endpointRequests ?? 20,
  })
}

function asked(url: string, options: Partial<ControlRequest> = {}): ControlRequest {
  const request = {
    endpointId: 'reception',
    url,
    secret,
    event: () => event,
    stored: () => Promise.resolve(),
    eventId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
    callId: 'CA1',
    timeoutMs: 5000,
  }
  return { ...request, signal: new AbortController().signal, ...options }
}

t.test('an event is posted signed, and the document comes back as it was sent', async (t) => {
  const app = await application(reply(200, '[{"say":{"text":"ü"}}]', { 'content-type': 'application/json; charset=utf-8' }))
  const outcome = await requestor().request(asked(app.url))
  t.match(outcome, { ok: true, status: 200, text: '[{"say":{"text":"ü"}}]', attempts: 1 })
  t.notOk('warning' in outcome)
  const [first] = app.seen
  t.equal(first!.body, eventBody)
  t.match(first!.headers, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(eventBody)),
    'x-service-event-id': '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
    'x-service-attempt': '1',
    'user-agent': 'pbx/0.1.0',
    'accept-encoding': 'gzip',
  })
})

t.test('what counts as a document', async (t) => {
  const big = `[${' '.repeat(64 * 1024 - 2)}]`
  for (const [name, behaviour, expected] of [
    ['204', reply(204), { ok: true, text: '[]', attempts: 1 }],
    ['200 without a body', reply(200), { ok: true, text: '[]' }],
    ['201 with a body', reply(201, '[]'), { ok: true, text: '[]', status: 201 }],
    ['no content type', reply(200, '[]', {}), { ok: true, text: '[]', warning: /no Content-Type/ }],
    ['text/html with an array', reply(200, '[]', { 'content-type': 'text/html' }), { ok: true, warning: /text\/html/ }],
    ['text/html with a page', reply(200, '<p>', { 'content-type': 'text/html' }), { ok: false, failure: 'not-json', attempts: 1 }],
    ['invalid JSON', reply(200, '[{'), { ok: true, text: '[{' }],
    ['64 KiB', reply(200, big), { ok: true, text: big }],
    ['more than 64 KiB', reply(200, `${big} `), { ok: false, failure: 'too-large', attempts: 1 }],
    ['gzip', reply(200, gzipSync('[1]'), { 'content-type': 'application/json', 'content-encoding': 'gzip' }), { ok: true, text: '[1]' }],
    ['a gzip bomb', reply(200, gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }), { ok: false, failure: 'too-large' }],
    ['gzip that is none', reply(200, '[]', { 'content-encoding': 'gzip' }), { ok: false, failure: 'not-json' }],
    ['another encoding', reply(200, '[]', { 'content-encoding': 'br' }), { ok: false, failure: 'not-json' }],
  ] as const) {
    const app = await application(behaviour)
    t.match(await requestor().request(asked(app.url)), expected, name)
    t.equal(app.seen.length, 1, `${name}: one request`)
  }
})

t.test('statuses that are not tried again', async (t) => {
  for (const status of [300, 302, 307, 400, 401, 403, 404, 410, 422, 500, 501]) {
    const app = await application(reply(status, 'page', { location: '/elsewhere' }))
    const outcome = await requestor().request(asked(app.url))
    t.match(outcome, { ok: false, failure: 'status', status, attempts: 1 })
    t.equal('alert' in outcome && outcome.alert, status === 401 || status === 403 ? 'signature rejected: secrets differ' : false)
    t.equal(app.seen.length, 1)
  }
})

t.test('429, 502, 503 and 504 are tried once more, as the same event with a new signature', async (t) => {
  const tried = [429, 502, 503, 504].map(async (status) => {
    const app = await application((request, response, attempt) =>
      (attempt === 1 ? reply(status, 'busy') : reply(200, '[]'))(request, response, attempt),
    )
    t.match(await requestor().request(asked(app.url)), { ok: true, attempts: 2, text: '[]' })
    const [first, second] = app.seen
    t.ok(second!.at - first!.at >= 490, `waits 500 ms after ${status}`)
    t.same([first!.headers['x-service-attempt'], second!.headers['x-service-attempt']], ['1', '2'])
    t.equal(first!.headers['x-service-event-id'], second!.headers['x-service-event-id'])
    t.equal(first!.body, second!.body)
    t.not(first!.headers['x-service-timestamp'], second!.headers['x-service-timestamp'])
    for (const { headers, body } of app.seen) {
      const given = { signature: String(headers['x-service-signature']), timestamp: String(headers['x-service-timestamp']) }
      t.equal(verify([secret], given, body, clock.now()), 'ok')
    }
  })
  await Promise.all(tried)
  const app = await application(reply(503))
  t.match(await requestor().request(asked(app.url)), { ok: false, failure: 'status', status: 503, attempts: 2 })
  t.equal(app.seen.length, 2)
})

t.test('Retry-After is honoured up to 2 s', async (t) => {
  const cases = [
    ['0', 0],
    ['1', 990],
    ['3600', 1990],
    ['soon', 490],
    ['1.2', 1190],
    ['-1', 490],
  ] as const
  const tried = cases.map(async ([value, least]) => {
    const app = await application(reply(503, '', { 'retry-after': value }))
    await requestor().request(asked(app.url))
    const waited = app.seen[1]!.at - app.seen[0]!.at
    // Any answer is waited for: `3600` would be an hour.
    t.ok(waited >= least, `Retry-After ${value}: ${waited} ms`)
  })
  await Promise.all(tried)
})

t.test('no connection is tried once more after 250 ms', async (t) => {
  const closed = createTcpServer()
  const { url } = await listening(closed)
  closed.close()
  await once(closed, 'close')
  const refused = await requestor().request(asked(url))
  t.match(refused, { ok: false, failure: 'connect', attempts: 2, message: 'no connection: the connection was refused' })
  t.ok(refused.ms >= 240)

  const resetting = createTcpServer((socket) => socket.resetAndDestroy())
  t.match(await requestor().request(asked((await listening(resetting)).url)), { ok: false, failure: 'connect', attempts: 2 })

  const plain = await application(reply(200, '[]'))
  t.match(await requestor().request(asked(plain.url.replace('http:', 'https:'))), { ok: false, failure: 'connect', attempts: 2 }, 'TLS')

  const unnamed = requestor({
    connect: { resolve: (_host, done) => done(new Error('ENOTFOUND'), []) },
  })
  t.match(await unnamed.request(asked('http://app.example/')), { ok: false, failure: 'connect', attempts: 2, message: /ENOTFOUND/ }, 'DNS')
})

t.test('a reset before the headers is tried once more, one within the answer is not', async (t) => {
  const once1 = await application((request, response, attempt) => {
    if (attempt === 1) request.socket.destroy()
    else reply(200, '[]')(request, response, attempt)
  })
  t.match(await requestor().request(asked(once1.url)), { ok: true, attempts: 2 })
  t.ok(once1.seen[1]!.at - once1.seen[0]!.at >= 240)

  const half = await application((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('[', () => request.socket.destroy())
  })
  t.match(await requestor().request(asked(half.url)), { ok: false, failure: 'connect', attempts: 1, message: /within the answer/ })
  t.equal(half.seen.length, 1)
})

t.test('an application that is too slow is not asked again', async (t) => {
  const silent = await application(() => undefined)
  t.match(await requestor().request(asked(silent.url, { timeoutMs: 100 })), {
    ok: false,
    failure: 'timeout',
    attempts: 1,
    message: /100 ms/,
  })
  const drip = await application((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  t.match(
    await requestor().request(asked(drip.url, { timeoutMs: 150 })),
    { ok: false, failure: 'timeout', attempts: 1 },
    'also when it answers in drops',
  )
  t.equal(silent.seen.length + drip.seen.length, 2)

  const busy = await application(reply(503))
  const outcome = await requestor().request(asked(busy.url, { timeoutMs: 200 }))
  t.match(outcome, { ok: false, failure: 'timeout', attempts: 1 }, 'all attempts together stay within the time')

  const nowhere = requestor({ connect: { connectTimeoutMs: 100, resolve: () => undefined } })
  t.match(await nowhere.request(asked('http://app.example/')), { ok: false, failure: 'timeout', attempts: 1, message: /no connection/ })
})

t.test('a caller who hangs up ends the request, wherever it is', async (t) => {
  const call = new AbortController()
  const app = await application(() => call.abort())
  t.match(await requestor().request(asked(app.url, { signal: call.signal })), { ok: false, failure: 'aborted' })
  t.match(await requestor().request(asked(app.url, { signal: call.signal })), { ok: false, failure: 'aborted', attempts: 0 })

  const between = new AbortController()
  const busy = await application((request, response, attempt) => {
    reply(503, '', { 'retry-after': '2' })(request, response, attempt)
    response.on('finish', () => setImmediate(() => between.abort()))
  })
  const outcome = await requestor().request(asked(busy.url, { signal: between.signal }))
  t.match(outcome, { ok: false, failure: 'aborted', attempts: 1 })
})

t.test('URLs that must not be asked are not', async (t) => {
  t.match(await requestor().request(asked('http://169.254.169.254/')), {
    ok: false,
    failure: 'connect',
    attempts: 0,
    message: /link-local/,
  })
})

t.test('one connection serves request after request', async (t) => {
  const app = await application(reply(200, '[]'))
  const client = requestor()
  for (let count = 0; count < 20; count++) await client.request(asked(app.url))
  t.ok(new Set(app.seen.map(({ port }) => port)).size <= 2, 'a second one where the first was not free again yet')
})

t.test('an application that ends kept connections as it likes is asked all the same', async (t) => {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]'
  const manners: readonly (readonly [manner: string, answers: (socket: Socket, nth: number) => void])[] = [
    ['it closes each one behind its answer, and says nothing', (socket) => socket.end(answer)],
    ['it closes each one a little later', (socket) => socket.write(answer, () => setTimeout(() => socket.end(), 20))],
    ['it resets each one that is used again', (socket, nth) => void (nth > 1 ? socket.resetAndDestroy() : socket.write(answer))],
  ]
  for (const [manner, answers] of manners) {
    const server = createTcpServer((socket) => {
      let nth = 0
      socket.on('error', () => undefined)
      socket.on('data', () => answers(socket, ++nth))
    })
    const { url } = await listening(server)
    const sender = requestor()
    // Several connections are kept, and each of them may be the one that is used.
    await Promise.all(Array.from({ length: 4 }, () => sender.request(asked(url))))
    for (let n = 0; n < 4; n++) t.match(await sender.request(asked(url)), { ok: true, text: '[]' }, `${manner}: ${n}`)
  }
})

t.test('at most so many requests at once go to one endpoint; the others wait in order', async (t) => {
  const waiting: (() => void)[] = []
  const app = await application((request, response, attempt) => {
    waiting.push(() => reply(200, '[]')(request, response, attempt))
    arrived()
  })
  let arrived = (): void => undefined
  const next = () => new Promise<void>((resolve) => (arrived = resolve))
  const client = requestor({ endpointRequests: 2 })
  const two = next().then(next)
  const gone = new AbortController()
  const outcomes = [0, 1, 2, 3].map((index) =>
    client.request(asked(app.url, { event: () => sampleEvent({ sequence: index + 1 }), ...(index === 2 ? { signal: gone.signal } : {}) })),
  )
  await two
  t.equal(app.seen.length, 2, 'two run, two wait')
  t.match(await client.request(asked(app.url, { timeoutMs: 50 })), { ok: false, failure: 'timeout', attempts: 0 }, 'waiting counts')
  gone.abort()
  t.match(await outcomes[2], { ok: false, failure: 'aborted', attempts: 0 })
  const third = next()
  waiting.shift()!()
  await third
  t.equal(numberOf(app.seen[2]!.body), 4)
  for (const answer of waiting) answer()
  t.match(await Promise.all([outcomes[0], outcomes[1], outcomes[3]]), [{ ok: true }, { ok: true }, { ok: true }])
})

t.test('after five failures in a row nobody waits for the endpoint, until a probe finds it well', async (t) => {
  let healthy = false
  const app = await application((request, response, attempt) => reply(healthy ? 200 : 500, '[]')(request, response, attempt))
  const fake = new FakeClock()
  const client = requestor({ clock: fake })
  for (let count = 0; count < 5; count++) t.match(await client.request(asked(app.url)), { failure: 'status' })
  t.match(await client.request(asked(app.url)), { ok: false, failure: 'circuit-open', attempts: 0 })
  t.equal(app.seen.length, 5)
  t.match(client.openCircuits(), [{ endpoint: 'reception', openUntil: fake.now() + 30_000 }])
  const other = await application(reply(200, '[]'))
  t.match(await client.request(asked(other.url, { endpointId: 'other' })), { ok: true }, 'other endpoints go on')
  fake.advance(30_000)
  const both = [client.request(asked(app.url)), client.request(asked(app.url))]
  t.match(await Promise.all(both), [{ failure: 'status' }, { failure: 'circuit-open' }], 'one probe')
  fake.advance(29_999)
  t.match(await client.request(asked(app.url)), { failure: 'circuit-open' })
  fake.advance(1)
  healthy = true
  t.match(await client.request(asked(app.url)), { ok: true })
  t.same(client.openCircuits(), [])
  t.match(await client.request(asked(app.url)), { ok: true })
})
