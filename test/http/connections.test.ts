import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import t from 'tap'
import { Agent, request } from 'undici'
import { startHttp, ListenError } from '../../daemon/http/server.ts'
import { createLog } from '../../daemon/base/log.ts'
import { Authority } from '../harness/authority.ts'
import { eventually } from '../harness/scene.ts'
import { all, limits, Scene, sendOnly } from './serve.ts'

const large = (bytes: number): { body: string; headers: Record<string, string> } => ({
  body: JSON.stringify({ data: 'x'.repeat(bytes) }),
  headers: { 'content-type': 'application/json' },
})

t.test('bodies', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const head = (more: string) =>
    `POST /things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${all}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`

  t.match((await scene.ask('POST', '/large', { ...large(3_000_000) })).json, { characters: 3_000_000 })
  const over = await scene.ask('POST', '/large', { ...large(5_000_000) })
  t.match(over, { status: 413, json: { code: 'body_too_large', limitBytes: 4 * 1024 * 1024 } })

  const announced = await scene.raw(head('Content-Length: 999999999'), 'limitBytes', 1_000)
  t.match(announced, /^HTTP\/1\.1 413 /, 'a body that was announced too large is refused before it is sent')
  const endless = `${head('Transfer-Encoding: chunked')}${`10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(5)}`
  t.match(
    await scene.raw(endless, '"requestId"', 2_000),
    /^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*"limitBytes":262144.*"}$/s,
    'chunks are counted as they come',
  )
  const chunks = `${head('Transfer-Encoding: chunked')}${`10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(6)}0\r\n\r\nGET /state HTTP/1.1\r\nHost: x\r\n\r\n`
  t.match(await scene.raw(chunks, '{"name":null}'), /^HTTP\/1\.1 413 .*HTTP\/1\.1 200 /s, 'and the connection serves on when the body ends')
  const expect = `${head('Content-Length: 10\r\nExpect: 100-continue')}{"to":"x"}`
  t.match(await scene.raw(expect, '"made"'), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201/)

  await t.test('no more than the allowed number of large ones at once', async (t) => {
    let open = (): void => undefined
    scene.gate = new Promise((resolve) => (open = resolve))
    const both = new Promise<void>((resolve) => {
      let waiting = 0
      scene.onWaiting = () => ++waiting === 2 && resolve()
    })
    const first = [1, 2].map(() => scene.ask('POST', '/large', { ...large(2_000_000) }))
    await both
    const third = await scene.ask('POST', '/large', { ...large(2_000_000) })
    t.match(third, { status: 503, json: { code: 'overloaded' }, headers: { 'retry-after': '2' } })
    open()
    t.same(
      (await Promise.all(first)).map(({ status }) => status),
      [200, 200],
    )
    t.equal((await scene.ask('POST', '/large', { ...large(2_000_000) })).status, 200, 'places come back')
    for (let n = 0; n < 3; n++) {
      const socket = connect(scene.server.port, '127.0.0.1')
      socket.write(
        `POST /large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${all}\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n{"data":"`,
      )
      await once(socket, 'connect')
      socket.destroy()
    }
    t.equal((await scene.ask('POST', '/state')).status, 405)
    t.equal((await scene.ask('POST', '/large', { ...large(2_000_000) })).status, 200, 'also when the client leaves')
  })
})

t.test('one token leaves a place for large bodies to another', async (t) => {
  const scene = await Scene.open({ largeBodies: 3 })
  t.teardown(() => scene.close())
  const hang = async (token: string) => {
    const socket = connect(scene.server.port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    let heard = ''
    socket.on('data', (data) => (heard += String(data))).on('error', () => undefined)
    await once(socket, 'connect')
    const head = `POST /large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n{"data":"`
    await new Promise<void>((resolve) => socket.write(head, () => resolve()))
    return () => heard
  }
  const first = [await hang(all), await hang(all), await hang(all)]
  await eventually('they have all places', async () => (await scene.ask('POST', '/large', large(2_000_000))).status === 503)
  t.equal((await scene.ask('POST', '/large', { token: sendOnly, ...large(2_000_000) })).status, 200)
  t.equal(first.filter((heard) => heard().startsWith('HTTP/1.1 503')).length, 1, 'one gave way')
})

t.test('TLS of the web port: no old version, no cipher without forward secrecy, and browsers keep to it', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const authority = await Authority.create(join(scene.dir, 'ca'))
  const tls = await authority.issue('localhost', 'DNS:localhost')
  const server = await scene.serve(scene.routes(), {}, tls)
  t.teardown(() => server.close(1_000))
  const handshake = (more: object): Promise<string> =>
    new Promise((resolve) => {
      const socket = connectTls({
        port: server.port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca: readFileSync(authority.file),
        ...more,
      })
      socket.once('secureConnect', () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      })
      socket.once('error', () => resolve('refused'))
    })
  t.match(await handshake({}), /^TLSv1\.3 /)
  t.match(await handshake({ maxVersion: 'TLSv1.2' }), /^TLSv1\.2 ECDHE-.*(GCM|CHACHA20)/)
  t.equal(await handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }), 'refused')
  t.equal(
    await handshake({ maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }),
    'refused',
    'a key of the server opens old conversations',
  )
  t.equal(await handshake({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }), 'refused', 'CBC')
  const agent = new Agent({ connect: { ca: readFileSync(authority.file), servername: 'localhost' } })
  t.teardown(() => agent.destroy())
  const answer = await request(`https://127.0.0.1:${server.port}/state`, { dispatcher: agent })
  await answer.body.dump()
  t.equal(answer.headers['strict-transport-security'], undefined, 'a browser that remembers it has no way past another certificate')
})

t.test('malformed HTTP gets a clear answer or a closed connection', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const cases: [string, RegExp][] = [
    ['GET /state HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['GET /state HTTP/1.0\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 200 .*Connection: close\r\n/s],
    ['get /state HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['BREW /state HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['GET //state HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 404 /],
    ['GET /x/../state HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 404 /],
    ['GET /state/ HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 404 /],
    ['OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 404 /],
    [`GET /state HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(9_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    ['POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456', /^HTTP\/1\.1 400 .*invalid_url/s],
    ['POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', /^HTTP\/1\.1 400 /],
    [`GET /state HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${all}\r\nAuthorization: Bearer other\r\n\r\n`, /^HTTP\/1\.1 401 /],
    ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^(HTTP\/1\.1 [45]|$)/],
    ['\0\0\0\0\r\n\r\n', /^(HTTP\/1\.1 [45]|$)/],
  ]
  for (const [bytes, expected] of cases) t.match(await scene.raw(bytes, '\r\n\r\n', 400), expected, JSON.stringify(bytes.slice(0, 60)))
  t.equal((await scene.ask('GET', '/state')).status, 200)
})

t.test('a client that leaves is noticed', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  let open = (): void => undefined
  scene.gate = new Promise((resolve) => (open = resolve))
  const waiting = new Promise<void>((resolve) => (scene.onWaiting = resolve))
  const left = new Promise<void>((resolve) => (scene.onLeft = resolve))
  const socket = connect(scene.server.port, '127.0.0.1')
  socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n')
  await waiting
  socket.destroy()
  await left
  open()
  t.equal((await scene.ask('GET', '/state')).status, 200, 'and its late answer harms nobody')
  t.same(
    [...scene.server.counts()].filter(({ operation }) => operation === 'wait'),
    [{ operation: 'wait', status: 0, count: 1 }],
  )
})

t.test('Idempotency-Key', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const make = (key: string, json: unknown) => scene.ask('POST', '/things', { json, headers: { 'idempotency-key': key } })

  for (const mode of ['slow', 'fast']) {
    const first = await make(mode, { to: 'x', mode })
    const again = await make(mode, { to: 'x', mode })
    t.equal(first.headers['idempotent-replayed'], undefined)
    t.match(again, {
      status: first.status,
      text: first.text,
      headers: { 'idempotent-replayed': 'true', 'content-type': 'application/json' },
    })
    t.match(await make(mode, { to: 'y', mode }), { status: 422, json: { code: 'idempotency_mismatch' } })
  }
  t.equal(scene.made, 2, 'the handler ran once for each key, whether it stored the answer itself or not')

  t.equal((await make('later', {})).status, 422)
  t.equal((await make('later', { to: 'x' })).status, 201, 'a refused request leaves its key free')
  t.equal((await make('denied', { to: 'denied' })).status, 403)
  t.equal((await make('denied', { to: 'x' })).status, 201)
  const sender = await scene.ask('POST', '/things', {
    json: { to: 'z' },
    token: 'token-for-sending',
    headers: { 'idempotency-key': 'slow' },
  })
  t.equal(sender.status, 201, 'keys belong to their token')
  for (const key of ['', 'a b', 'ä', 'k'.repeat(256)])
    t.match(await make(key, { to: 'x' }), { status: 422, json: { code: 'validation_failed' } })

  let open = (): void => undefined
  scene.gate = new Promise((resolve) => (open = resolve))
  const waiting = new Promise<void>((resolve) => (scene.onWaiting = resolve))
  const running = make('busy', { to: 'wait' })
  await waiting
  t.match(await make('busy', { to: 'wait' }), { status: 409, json: { code: 'idempotency_in_progress' }, headers: { 'retry-after': '1' } })
  open()
  t.equal((await running).status, 201)
  t.equal((await make('busy', { to: 'wait' })).headers['idempotent-replayed'], 'true')

  scene.clock.advance(24 * 3600_000)
  t.equal((await make('busy', { to: 'other' })).status, 201, 'after a day the key is free')
  await scene.server.sweep()
  t.equal(scene.store.tables.idempotency.count(), 1, 'and what was stored is removed')
})

t.test('an answer stored with its effect survives kill -9 before the reply', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const dir = join(scene.dir, 'crash')
  const start = async (mode: string) => {
    const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'crash-server.ts'), dir, mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const [port] = (await once(child.stdout, 'data')) as [Buffer]
    return { child, url: `http://127.0.0.1:${port.toString().trim()}/count` }
  }
  const headers = { authorization: `Bearer ${all}`, 'content-type': 'application/json', 'idempotency-key': 'k' }
  const first = await start('killed')
  const exit = once(first.child, 'exit')
  await t.rejects(request(first.url, { method: 'POST', body: '{}', headers, dispatcher: scene.agent }))
  t.same(await exit, [null, 'SIGKILL'])
  const second = await start('serving')
  const again = await request(second.url, { method: 'POST', body: '{}', headers, dispatcher: scene.agent })
  t.same(await again.body.json(), { count: 1 })
  t.equal(again.headers['idempotent-replayed'], 'true')
})

t.test('opening and closing the port', async (t) => {
  const scene = await Scene.open()
  const options = { routes: [], tokens: () => [], limits, log: createLog({ level: 'silent', pretty: false }) }
  const reason = (listen: string, more: object = {}) =>
    startHttp({ ...options, listen, ...more }).then(
      () => 'opened',
      (error: unknown) => (error instanceof ListenError ? error.reason : String(error)),
    )
  t.equal(await reason(`127.0.0.1:${scene.server.port}`), 'in_use')
  t.equal(await reason('192.0.2.77:0'), 'no_such_address')
  t.equal(await reason('nonsense'), 'other')
  t.equal(await reason('127.0.0.1:0', { tls: { cert: '/none', key: '/none' } }), 'bad_certificate')
  const six = await startHttp({ ...options, listen: '[::1]:0' })
  t.equal((await request(`http://[::1]:${six.port}/x`, { dispatcher: scene.agent })).statusCode, 404)
  await six.close()

  let open = (): void => undefined
  scene.gate = new Promise((resolve) => (open = resolve))
  const waiting = new Promise<void>((resolve) => (scene.onWaiting = resolve))
  const pending = scene.ask('GET', '/wait')
  await waiting
  const closed = scene.server.close()
  await t.rejects(request(scene.url, { headersTimeout: 500 }), 'no new connection')
  open()
  t.same((await pending).json, { waited: true }, 'what was begun is answered')
  await closed
  await scene.close()
})
