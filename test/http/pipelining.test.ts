/** Requests that come before the answers to those in front of them (RFC 9112 section 9.3.2), at both doors, over random cuts. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { defineRoute, type Route } from '../../daemon/http/route.ts'
import { startSocket } from '../../daemon/http/socket.ts'
import { Authority } from '../harness/authority.ts'
import { eventually } from '../harness/scene.ts'
import { all, Scene } from './serve.ts'

interface Sent {
  readonly bytes: string
  readonly head?: true
  readonly status: number
  /** In the body. */
  readonly has: string
  /** Things that it makes. */
  readonly makes?: number
}

const line = (start: string, ...headers: string[]): string => `${[`${start} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`
const token = `Authorization: Bearer ${all}`

function post(path: string, body: string, ...headers: string[]): string {
  return `${line(`POST ${path}`, token, 'Content-Type: application/json', `Content-Length: ${body.length}`, ...headers)}${body}`
}

function chunked(path: string, body: string): string {
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  return `${line(`POST ${path}`, token, 'Content-Type: application/json', 'Transfer-Encoding: chunked')}${chunks}`
}

/** Answered at once and later, with and without bodies, refused at each step. */
const menu: readonly Sent[] = [
  { bytes: line('GET /state'), status: 200, has: '"name":null' },
  { bytes: line('HEAD /state'), head: true, status: 200, has: '' },
  { bytes: line('GET /wait'), status: 200, has: '"waited":true' },
  { bytes: line('HEAD /wait'), head: true, status: 200, has: '' },
  { bytes: line('GET /sound.wav'), status: 200, has: 'RIFF' },
  { bytes: line('GET /sound.wav', 'Range: bytes=1-2'), status: 206, has: 'IF' },
  { bytes: line('GET /things/abc', token), status: 200, has: '"id":"abc"' },
  { bytes: post('/things', '{"to":"slow"}'), status: 201, has: '"to":"slow"', makes: 1 },
  { bytes: post('/things', '{"to":"fast","mode":"fast"}'), status: 201, has: '"to":"fast"', makes: 1 },
  { bytes: post('/things', '{"to":"gzip","unknown":1}', 'Expect: 100-continue'), status: 201, has: '"warnings"', makes: 1 },
  { bytes: chunked('/things', '{"to":"chunks"}'), status: 201, has: '"to":"chunks"', makes: 1 },
  { bytes: post('/things', '{"to":"denied"}'), status: 403, has: 'destination_denied' },
  { bytes: post('/things', '{"to":1}'), status: 422, has: 'validation_failed' },
  { bytes: post('/things', '{"to"'), status: 400, has: 'invalid_json' },
  { bytes: post('/nothing', '{}'), status: 204, has: '' },
  { bytes: line('GET /nowhere'), status: 404, has: 'not_found' },
  { bytes: line('GET /state?q=1'), status: 422, has: 'has no filter' },
  { bytes: line('GET /fault/later'), status: 500, has: 'internal' },
  { bytes: line('DELETE /state'), status: 405, has: 'method_not_allowed' },
  { bytes: line('GET /lines'), status: 200, has: '"done":true' },
]

interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Reads answers off a connection, of which these requests are known to be answered without a body. */
function answersIn(seen: string, heads: readonly boolean[]): { answers: Answer[]; rest: string } {
  const answers: Answer[] = []
  let rest = seen
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { answers, rest }
    const head = rest.slice(0, end)
    const status = Number(head.slice(9, 12))
    const after = rest.slice(end + 4)
    if (status === 100) {
      rest = after
      continue
    }
    const bare = heads[answers.length] === true || status === 204 || status === 304
    const body = bare ? { text: '', bytes: 0 } : bodyIn(head, after)
    if (body === undefined) return { answers, rest }
    answers.push({ status, head, body: body.text })
    rest = after.slice(body.bytes)
  }
}

function bodyIn(head: string, after: string): { text: string; bytes: number } | undefined {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)
  if (length !== null) {
    const bytes = Number(length[1])
    return after.length < bytes ? undefined : { text: after.slice(0, bytes), bytes }
  }
  let text = ''
  for (let at = 0; ;) {
    const end = after.indexOf('\r\n', at)
    if (end === -1) return undefined
    const size = Number.parseInt(after.slice(at, end), 16)
    if (after.length < end + 4 + size) return undefined
    text += after.slice(end + 2, end + 2 + size)
    at = end + 4 + size
    if (size === 0) return { text, bytes: at }
  }
}

const tick = (): Promise<void> => new Promise(setImmediate)

/** Writes the pieces one after the other and reads until there are as many answers as requests, or the connection is closed. */
async function exchange(open: () => Socket, pieces: readonly string[], heads: readonly boolean[], ms = 5_000) {
  const socket = open()
  let seen = ''
  let closed = false
  socket.setNoDelay(true)
  socket.setEncoding('latin1').on('data', (data: string) => (seen += data))
  socket.on('error', () => undefined)
  socket.once('close', () => (closed = true))
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    await tick()
  }
  const until = Date.now() + ms
  while (!closed && answersIn(seen, heads).answers.length < heads.length && Date.now() < until) {
    const over = new AbortController()
    const { signal } = over
    const events = [once(socket, 'data', { signal }), once(socket, 'close', { signal })]
    await Promise.race([...events, new Promise((done) => setTimeout(done, 50))])
    over.abort()
  }
  socket.destroy()
  return { ...answersIn(seen, heads), closed }
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % text.length))].toSorted((a, b) => a - b)
  return [0, ...at].map((from, index) => text.slice(from, at[index])).filter((piece) => piece !== '')
}

const streamRoutes = (gate: Promise<void>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/sound.wav',
    access: 'public',
    operationId: 'sound',
    summary: '',
    tag: '',
    responses: {},
    handle: () => ({ status: 200, file: { path: soundFile, type: 'audio/wav', etag: 'v1' } }),
  }),
  defineRoute({
    method: 'POST',
    path: '/nothing',
    access: 'public',
    operationId: 'nothing',
    summary: '',
    tag: '',
    responses: {},
    handle: async () => ({ status: 204 }),
  }),
  defineRoute({
    method: 'GET',
    path: '/lines',
    access: 'public',
    operationId: 'lines',
    summary: '',
    tag: '',
    responses: {},
    handle: () => ({ status: 200, stream: (emit) => emit({ n: 1 }) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/events',
    access: 'public',
    operationId: 'events',
    summary: '',
    tag: '',
    responses: { 200: { description: 'Events.', contentType: 'text/event-stream' } },
    handle: ({ signal }) => ({
      status: 200,
      events: async (push) => {
        await push('data: 1\n\n')
        await Promise.race([gate, new Promise((left) => signal.addEventListener('abort', left))])
      },
    }),
  }),
]

let soundFile = ''

async function stage(t: Test) {
  const gate = Promise.withResolvers<void>()
  const routes = streamRoutes(gate.promise)
  const scene = await Scene.open({ authFailuresPerMinute: 1_000_000 }, routes)
  soundFile = join(scene.dir, 'riff')
  writeFileSync(soundFile, 'RIFF and more')
  const authority = await Authority.create(join(scene.dir, 'ca'))
  const secure = await scene.serve([...scene.routes(), ...routes], {}, await authority.issue('localhost', 'DNS:localhost'))
  const path = join(scene.dir, 'run/s')
  const control = await startSocket({ socket: path, routes: [...scene.routes(), ...routes], log: scene.log })
  t.teardown(async () => {
    await control.close()
    await secure.close(500)
    await scene.close()
  })
  const ca = readFileSync(authority.file)
  const doors: Record<string, () => Socket> = {
    'the web port': () => connect(scene.server.port, '127.0.0.1'),
    'the web port with TLS': () => connectTls({ port: secure.port, host: '127.0.0.1', servername: 'localhost', ca }),
    'the socket': () => connect(path),
  }
  return { scene, gate, doors, open: doors['the web port']! }
}

t.test('two to ten requests in a row, cut anywhere, are answered in their order, each once', async (t) => {
  const { scene, doors } = await stage(t)
  for (const [door, open] of Object.entries(doors)) {
    const cases = fc.tuple(fc.array(fc.constantFrom(...menu), { minLength: 2, maxLength: 10 }), fc.array(fc.nat(), { maxLength: 6 }))
    await fc.assert(
      fc.asyncProperty(cases, async ([sent, places]) => {
        const before = scene.made
        const text = sent.map(({ bytes }) => bytes).join('')
        const heads = sent.map(({ head }) => head === true)
        const { answers, rest } = await exchange(open, cut(text, places), heads)
        t.equal(answers.length, sent.length, `${door}: ${sent.map(({ bytes }) => bytes.slice(0, 20)).join(' | ')}`)
        answers.forEach(({ status, body }, at) => {
          t.equal(status, sent[at]!.status, `${door}: answer ${at}`)
          t.ok(body.includes(sent[at]!.has), `${door}: ${body} has ${sent[at]!.has}`)
        })
        t.equal(rest, '')
        t.equal(
          scene.made - before,
          sent.reduce((sum, { makes = 0 }) => sum + makes, 0),
        )
        return answers.length === sent.length
      }),
      { numRuns: door === 'the web port' ? 150 : 40, endOnFailure: true },
    )
  }
})

t.test('a cut after each single byte changes nothing', async (t) => {
  const { open, scene } = await stage(t)
  const sent = [menu[2]!, menu[7]!, menu[15]!, menu[9]!, menu[0]!]
  const text = sent.map(({ bytes }) => bytes).join('')
  const cuts = Array.from({ length: text.length - 1 }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)])
  const wrong: string[] = []
  for (let from = 0; from < cuts.length; from += 25) {
    const some = await Promise.all(cuts.slice(from, from + 25).map((pieces) => exchange(open, pieces, Array(5).fill(false))))
    some.forEach(({ answers }, at) => {
      const statuses = answers.map(({ status }) => status).join()
      if (statuses !== '200,201,404,201,200') wrong.push(`${from + at}: ${statuses}`)
    })
  }
  t.same(wrong, [])
  t.equal(scene.made, 2 * cuts.length)
  const bytes = await exchange(open, [...text], Array(5).fill(false))
  t.equal(bytes.answers.length, 5, 'a packet a byte')
})

t.test('a request is begun when the answer in front of it is complete', async (t) => {
  const { open, scene } = await stage(t)
  const held = Promise.withResolvers<void>()
  scene.gate = held.promise
  const waiting = new Promise<void>((resolve) => (scene.onWaiting = resolve))
  const answered = exchange(open, [line('GET /wait') + post('/things', '{"to":"x"}')], [false, false])
  await waiting
  t.equal(scene.made, 0)
  held.resolve()
  t.same(
    (await answered).answers.map(({ status }) => status),
    [200, 201],
  )

  await t.test('and never when the client has left before', async (t) => {
    const long = Promise.withResolvers<void>()
    scene.gate = long.promise
    const began = new Promise<void>((resolve) => (scene.onWaiting = resolve))
    const socket = open()
    socket.write(line('GET /wait') + post('/things', '{"to":"x"}'))
    await began
    const left = new Promise<void>((resolve) => (scene.onLeft = resolve))
    socket.resetAndDestroy()
    await left
    long.resolve()
    t.equal((await exchange(open, [line('GET /state')], [false])).answers.length, 1)
    t.equal(scene.made, 1)
  })
})

t.test('an answer that closes the connection is the last one, and what follows it has no effect', async (t) => {
  const { open, scene, doors } = await stage(t)
  const thing = post('/things', '{"to":"x"}')
  const cases: [string, string, number[]][] = [
    ['the client wants it closed', line('GET /wait', 'Connection: close'), [200]],
    ['a WebSocket is wanted', line('GET /state', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA=='), [200]],
    ['the framing is unclear', post('/things', '12345', 'Content-Length: 5, 5'), [400]],
    ['it is no HTTP', 'nonsense\r\n\r\n', [400]],
    ['it is of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['a tunnel is wanted', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n', [405]],
    ['a body is too large and goes on', line('POST /things', token, 'Content-Type: application/json', 'Content-Length: 999999999'), [413]],
    ['a chunk is broken', line('POST /things', token, 'Content-Type: application/json', 'Transfer-Encoding: chunked') + 'zz\r\n', [400]],
  ]
  for (const [door, enter] of Object.entries(doors)) {
    for (const [name, bytes, statuses] of cases) {
      const before = scene.made
      const { answers, closed } = await exchange(enter, [thing + bytes + thing], Array(4).fill(false))
      t.same(
        answers.map(({ status }) => status),
        [201, ...statuses],
        `${door}: ${name}`,
      )
      t.match(answers.at(-1)?.head, /\r\nConnection: close/i, `${door}: ${name}`)
      t.ok(closed, `${door}: ${name}: the connection is closed`)
      t.equal(scene.made - before, 1, `${door}: ${name}`)
    }
  }
  t.equal((await exchange(open, [line('GET /state')], [false])).answers.length, 1)
})

t.test('a stream holds what comes after it, until it ends', async (t) => {
  const { open, scene, gate } = await stage(t)
  const socket = open()
  let seen = ''
  socket.on('data', (data) => (seen += String(data)))
  socket.write(line('GET /state') + line('GET /events') + post('/things', '{"to":"x"}') + line('GET /state'))
  await eventually('the stream', () => seen.includes('data: 1'))
  t.equal(scene.made, 0)
  gate.resolve()
  await eventually('the others', () => answersIn(seen, []).answers.length === 4)
  t.same(
    answersIn(seen, []).answers.map(({ status }) => status),
    [200, 200, 201, 200],
  )
  socket.destroy()
})

t.test('a client that has sent all and closes its side gets every answer', async (t) => {
  const { doors } = await stage(t)
  for (const [door, open] of Object.entries(doors)) {
    const socket = open()
    let seen = ''
    socket.on('data', (data) => (seen += String(data)))
    socket.end(line('GET /wait') + post('/things', '{"to":"x"}') + line('GET /lines'))
    await once(socket, 'close')
    t.same(
      answersIn(seen, []).answers.map(({ status }) => status),
      [200, 201, 200],
      door,
    )
  }
})

t.test('a flood in one piece: so many are answered, the last one says that it is the last, the others have no effect', async (t) => {
  const { open, scene } = await stage(t)
  const many = 300
  const held = Promise.withResolvers<void>()
  scene.gate = held.promise
  scene.onWaiting = () => void setTimeout(held.resolve, 200)
  const flood = line('GET /wait') + post('/things', '{"to":"x"}').repeat(many)
  const { answers, closed } = await exchange(open, [flood], Array(many + 1).fill(false))
  t.ok(answers.length >= 100 && answers.length < many, `${answers.length} answers`)
  t.match(answers.at(-1)?.head, /\r\nConnection: close/i)
  t.ok(closed)
  t.equal(scene.made, answers.length - 1)
})
