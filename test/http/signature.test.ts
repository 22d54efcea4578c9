/** Signed requests: who may come with a signature, a token, or needs both; what a wrong, stale or repeated one is answered. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { accessTokens } from '../../daemon/http/auth.ts'
import { defineRoute, type Method } from '../../daemon/http/route.ts'
import { startHttp } from '../../daemon/http/server.ts'
import type { SignatureOptions } from '../../daemon/http/signature.ts'
import { createLog } from '../../daemon/base/log.ts'
import { sign, signedHeaders } from '../../daemon/base/signing.ts'
import { openStore } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/scene.ts'
import { limits, tokenRow } from './serve.ts'

const secret = 'whsec_example'
const responses = { 200: { description: 'What came.' } }
const about = { access: 'crm', summary: 'For the test', tag: 'Test', responses } as const

const routes = [
  ...['POST', 'PATCH', 'PUT', 'DELETE'].map((method) =>
    defineRoute({
      ...about,
      method: method as Method,
      path: '/api/pbx/items/:id',
      operationId: `${method}Item`,
      body: Type.Object({}),
      bodyType: 'json-or-nothing',
      query: Type.Object({ mode: Type.Optional(Type.String()) }),
      handle: ({ params }) => ({ status: 200, body: { id: params['id'] } }),
    }),
  ),
  defineRoute({ ...about, method: 'DELETE', path: '/api/pbx/bare', operationId: 'deleteBare', handle: () => ({ status: 200 }) }),
  defineRoute({
    ...about,
    method: 'GET',
    path: '/api/pbx/thing',
    operationId: 'getThing',
    handle: ({ token }) => ({ status: 200, body: token }),
  }),
  defineRoute({
    ...about,
    method: 'POST',
    path: '/api/pbx/thing',
    operationId: 'postThing',
    body: Type.Object({}),
    limitBytes: 4 * 1024 * 1024,
    idempotent: true,
    handle: ({ body }) => ({ status: 200, body }),
  }),
  defineRoute({
    ...about,
    method: 'POST',
    path: '/api/pbx/upload',
    operationId: 'upload',
    bodyType: 'stream',
    handle: async ({ upload }) => {
      let bytes = 0
      for await (const chunk of upload) bytes += chunk.length
      return { status: 200, body: { bytes } }
    },
  }),
  defineRoute({ ...about, access: 'send', method: 'GET', path: '/api/other', operationId: 'other', handle: () => ({ status: 200 }) }),
]

async function box(
  t: Test,
  options: Partial<SignatureOptions> = {},
  dir = mkdtempSync(join(tmpdir(), 'pbxd-signature-')),
  clock = new FakeClock(1_772_460_311_000),
) {
  const log = createLog({ level: 'silent' })
  const store = await openStore(join(dir, 'store'), log)
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes,
    tokens: accessTokens([tokenRow('emr', 'the-token', ['crm'])], store.tables.tokens),
    signature: { secrets: [secret, 'whsec_the_next_one'], withToken: false, allow: [], ...options },
    limits,
    store,
    log,
    clock,
  })
  let open = true
  const stop = async () => {
    if (!open) return
    open = false
    await http.close(0)
    await store.close()
  }
  t.teardown(async () => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  })
  const seconds = () => Math.floor(clock.now() / 1000)
  const ask = async (
    method: string,
    path: string,
    body: string,
    { from = '127.0.0.1', ...headers }: Record<string, string>,
  ): Promise<{ status: number; body: any }> => {
    // Of a body with DELETE Node does not say by itself how long it is.
    const length = body === '' || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = { 'content-type': 'application/json', ...length, ...headers }
    const asked = request({ port: http.port, host: '127.0.0.1', method, path, headers: sent, localAddress: from })
    asked.end(body === '' ? undefined : body)
    const [answer] = await once(asked, 'response')
    let text = ''
    for await (const chunk of answer) text += chunk
    return { status: answer.statusCode, body: text === '' ? undefined : JSON.parse(text) }
  }
  const signed = (
    method: string,
    path: string,
    body = '',
    { key = secret, at = seconds(), over = body, ...more }: Record<string, any> = {},
  ) => ask(method, path, body, { 'x-service-timestamp': String(at), 'x-service-signature': sign(key, at, over), ...more })
  return { ask, signed, clock, seconds, dir, stop, port: http.port }
}

const bearer = { authorization: 'Bearer the-token' }

t.test('the vectors of the interface', async (t) => {
  t.equal(sign(secret, 1772460311, '{"event":"fax.sent"}'), 'sha256=918621c4cdfaff87b4c8b6c695bf31c0ef8e1e694cd6f56438eac27075207135')
  const { ask } = await box(t)
  const headers = {
    'x-service-timestamp': '1772460311',
    'x-service-signature': 'sha256=c5b7e390cb353e070ffb510af2e3c4a32de796bd115ecab263213864a5ebf96b',
  }
  t.match(await ask('GET', '/api/pbx/thing', '', headers), { status: 200, body: { name: 'signature:crm', scopes: ['crm'] } })
})

t.test('a signature is as good as a token, with either secret, over every kind of body', async (t) => {
  const { ask, signed } = await box(t)
  t.match(await ask('GET', '/api/pbx/thing', '', {}), { status: 401, body: { code: 'missing_token' } })
  t.match(await ask('GET', '/api/pbx/thing', '', bearer), { status: 200, body: { name: 'emr' } })
  t.equal((await signed('GET', '/api/pbx/thing', '', { key: 'whsec_the_next_one' })).status, 200)
  t.match(await signed('POST', '/api/pbx/thing', '{"a":1}'), { status: 200, body: { a: 1 } })
  const large = JSON.stringify({ text: 'x'.repeat(2_000_000) })
  t.equal((await signed('POST', '/api/pbx/thing', large)).status, 200)
  t.match(await signed('POST', '/api/pbx/upload', 'a'.repeat(100_000)), { status: 200, body: { bytes: 100_000 } })
  t.match(await signed('GET', '/api/other'), { status: 401 }, 'what is not of the CRM needs a token')
})

t.test('wrong, stale and repeated ones are refused, beside a right token too', async (t) => {
  const { ask, signed, seconds, clock } = await box(t)
  const wrong = { status: 403, body: { code: 'signature_invalid' } }
  t.match(await signed('GET', '/api/pbx/thing', '', { key: 'another' }), wrong)
  t.match(await signed('POST', '/api/pbx/thing', '{"a":1}', { over: '{"a":2}' }), wrong)
  t.match(await signed('POST', '/api/pbx/upload', 'abc', { over: 'abd' }), wrong)
  t.match(await signed('GET', '/api/pbx/thing', '', { key: 'another', ...bearer }), wrong)
  t.match(await ask('GET', '/api/pbx/thing', '', { 'x-service-signature': 'sha256=00' }), wrong, 'no timestamp')
  t.match(await signed('GET', '/api/pbx/thing', '', { at: seconds() - 301 }), {
    status: 403,
    body: { code: 'timestamp_stale', serverTime: seconds() },
  })
  t.match(await signed('GET', '/api/pbx/thing', '', { at: seconds() + 301 }), { status: 403 })
  t.equal((await signed('GET', '/api/pbx/thing', '', { at: seconds() - 299 })).status, 200)
  t.equal((await signed('GET', '/api/pbx/thing', '', { at: seconds() - 299 })).status, 200, 'a GET changes nothing')
  t.equal((await signed('POST', '/api/pbx/thing', '{}')).status, 200)
  t.match(await signed('POST', '/api/pbx/thing', '{}'), wrong, 'the same again')
  clock.advance(1000)
  t.equal((await signed('POST', '/api/pbx/thing', '{}')).status, 200, 'signed anew')
})

t.test('who guesses is shut out for a while, and who is right is not', async (t) => {
  const { signed } = await box(t)
  for (let i = 0; i < limits.authFailuresPerMinute; i++) await signed('GET', '/api/pbx/thing', '', { key: `guess ${i}` })
  t.match(await signed('GET', '/api/pbx/thing', '', { key: 'guess' }), { status: 429, body: { code: 'rate_limited' } })
  t.equal((await signed('GET', '/api/pbx/thing')).status, 200)
})

t.test('where both are wanted, neither is enough', async (t) => {
  const { ask, signed } = await box(t, { withToken: true })
  t.match(await signed('GET', '/api/pbx/thing'), { status: 401 })
  t.match(await ask('GET', '/api/pbx/thing', '', bearer), { status: 401, body: { code: 'missing_token' } })
  t.match(await signed('GET', '/api/pbx/thing', '', bearer), { status: 200, body: { name: 'emr' } })
})

t.test('from other addresses no signature is taken; without a secret none is looked at', async (t) => {
  const elsewhere = await box(t, { allow: ['10.0.0.0/8', '::1'] })
  t.match(await elsewhere.signed('GET', '/api/pbx/thing'), { status: 403, body: { code: 'address_not_allowed' } })
  t.equal((await elsewhere.ask('GET', '/api/pbx/thing', '', bearer)).status, 200)
  const here = await box(t, { allow: ['127.0.0.0/8'] })
  t.equal((await here.signed('GET', '/api/pbx/thing')).status, 200)
  const none = await box(t, { secrets: [] })
  t.equal((await none.signed('GET', '/api/pbx/thing')).status, 401)
  t.equal((await none.signed('GET', '/api/pbx/thing', '', bearer)).status, 200)
})

t.test('an answer that was kept is given again to who signs the request anew', async (t) => {
  const { signed, clock } = await box(t)
  const key = { 'idempotency-key': 'k1' }
  t.equal((await signed('POST', '/api/pbx/thing', '{"a":1}', key)).status, 200)
  clock.advance(1000)
  t.match(await signed('POST', '/api/pbx/thing', '{"a":1}', key), { status: 200, body: { a: 1 } })
  t.match(await signed('POST', '/api/pbx/thing', '{"a":2}', key), { status: 422, body: { code: 'idempotency_mismatch' } })
})

const changing = ['POST', 'PATCH', 'PUT', 'DELETE'] as const
const refused = { status: 403, body: { code: 'signature_invalid' } }

t.test('a signature over an empty body changes nothing, with whatever it is sent', async (t) => {
  const { ask, signed } = await box(t)
  for (const method of changing) {
    t.match(await signed(method, '/api/pbx/items/a'), { status: 422, body: { code: 'validation_failed', error: /send \{\}/ } }, method)
    t.match(
      await signed(method, '/api/pbx/items/a', '', { key: 'another' }),
      refused,
      `${method}: what is wrong is not told what is missing`,
    )
    t.match(await signed(method, '/api/pbx/items/a', '', { 'transfer-encoding': 'chunked' }), { status: 422 }, `${method}: an empty chunk`)
    t.match(await signed(method, '/api/pbx/items/a', '{}', { over: '' }), refused, `${method}: a body that was not signed`)
    t.match(await signed(method, '/api/pbx/items/a', '', bearer), { status: 422 }, `${method}: beside a token, too`)
    t.equal((await ask(method, '/api/pbx/items/a', '', bearer)).status, 200, `${method}: with a token alone nothing needs to be sent`)
  }
  t.match(await signed('DELETE', '/api/pbx/bare'), { status: 422 }, 'a route that reads no body')
  t.equal((await signed('DELETE', '/api/pbx/bare', '{}')).status, 200)
})

t.test('each signature opens one method and path once, however the path is written', async (t) => {
  const { signed } = await box(t)
  for (const method of changing) {
    t.equal((await signed(method, '/api/pbx/items/a_b', '{}')).status, 200, method)
    for (const path of ['/api/pbx/items/a_b', '/api/pbx/items/a%5Fb', '/api/pbx/items/%61_b', '/api/pbx/items/a_b?mode=replace'])
      t.match(await signed(method, path, '{}'), refused, `${method} ${path}`)
    t.equal((await signed(method, '/api/pbx/items/other', '{}')).status, 200, `${method} of another path in the same second`)
  }
  const both = await Promise.all([1, 2, 3, 4].map(() => signed('POST', '/api/pbx/items/c', '{}')))
  t.same(both.map(({ status }) => status).toSorted(), [200, 403, 403, 403], 'at the same moment')
})

t.test('a restart forgets no signature, whatever the clock says then', async (t) => {
  const first = await box(t)
  const at = first.seconds()
  t.equal((await first.signed('POST', '/api/pbx/items/a', '{}')).status, 200)
  await first.stop()
  for (const stepMs of [0, 100_000, -100_000]) {
    const next = await box(t, {}, first.dir)
    next.clock.set(next.clock.now() + stepMs)
    t.match(await next.signed('POST', '/api/pbx/items/a', '{}', { at }), refused, `clock ${stepMs / 1000} s`)
    t.equal((await next.signed('POST', '/api/pbx/items/new', '{}')).status, 200, 'the CRM is not locked out')
    await next.stop()
  }
})

t.test('what the box has signed itself opens nothing, also after a restart', async (t) => {
  const first = await box(t)
  const [empty, full] = [signedHeaders(secret, first.clock.now(), ''), signedHeaders(secret, first.clock.now(), '{"mine":1}')]
  t.match(await first.ask('GET', '/api/pbx/thing', '', empty), refused)
  t.match(await first.ask('POST', '/api/pbx/items/a', '{"mine":1}', full), refused)
  t.equal((await first.signed('GET', '/api/pbx/thing', '', { at: first.seconds() + 1 })).status, 200, 'a second later')
  t.equal((await first.signed('POST', '/api/pbx/items/a', '{"mine":2}')).status, 200)
  await first.stop()
  const next = await box(t, {}, first.dir)
  t.match(await next.ask('GET', '/api/pbx/thing', '', empty), refused)
  t.match(await next.ask('POST', '/api/pbx/items/a', '{"mine":1}', full), refused)
})

const large = JSON.stringify({ text: 'x'.repeat(2_000_000) })
const tooLarge = { status: 413, body: { code: 'body_too_large', limitBytes: 1024 * 1024, error: /signed GET/ } }
const dayMs = 24 * 3_600_000

t.test('an address that is not known may send 1 MiB, and that has shown a right signature what the route allows', async (t) => {
  const { signed, clock } = await box(t)
  t.match(await signed('POST', '/api/pbx/thing', large), tooLarge)
  t.match(await signed('POST', '/api/pbx/thing', large, { 'transfer-encoding': 'chunked' }), tooLarge, 'without a length')
  t.equal((await signed('POST', '/api/pbx/thing', large, bearer)).status, 200, 'beside a token')
  t.equal((await signed('GET', '/api/pbx/thing')).status, 200)
  for (const days of [1, 8, 31]) {
    clock.advance(days * dayMs)
    t.equal((await signed('POST', '/api/pbx/thing', large)).status, 200, `${days} days later`)
  }
  clock.advance(35 * dayMs)
  t.match(await signed('POST', '/api/pbx/thing', large), tooLarge, 'long after')
})

t.test('an address that has shown a right signature is known after a restart, and one that the configuration names at once', async (t) => {
  const first = await box(t)
  t.equal((await first.signed('GET', '/api/pbx/thing')).status, 200)
  await first.stop()
  for (const [stepMs, known] of [
    [dayMs, true],
    [-600_000, true],
    [600_000, true],
    [36 * dayMs, false],
  ] as const) {
    const next = await box(t, {}, first.dir)
    next.clock.set(next.clock.now() + stepMs)
    await next.stop()
    const again = await box(t, {}, first.dir, next.clock)
    const other = again.signed('POST', '/api/pbx/thing', large, { from: '127.0.0.9' })
    t.match(await other, tooLarge, 'another address')
    t.match(await again.signed('POST', '/api/pbx/thing', large), known ? { status: 200 } : tooLarge, `clock ${stepMs / 1000} s`)
    await again.stop()
  }
  const named = await box(t, { allow: ['127.0.0.1'] })
  t.equal((await named.signed('POST', '/api/pbx/thing', large)).status, 200)
})

t.test('an address that is blocked sends no body; who is known there does', async (t) => {
  const { ask, signed, clock } = await box(t)
  const guess = async () => {
    for (let i = 0; i <= limits.authFailuresPerMinute; i++) await signed('POST', '/api/pbx/items/a', '{}', { key: `guess ${i}` })
  }
  await guess()
  t.match(await signed('POST', '/api/pbx/items/a', '{}'), { status: 429, body: { code: 'rate_limited' } })
  t.equal((await signed('POST', '/api/pbx/items/a', '{}', bearer)).status, 200)
  t.equal((await ask('GET', '/api/pbx/thing', '', bearer)).status, 200)
  t.equal((await signed('GET', '/api/pbx/thing')).status, 200)
  clock.advance(1000)
  t.equal((await signed('POST', '/api/pbx/items/a', '{}')).status, 200, 'it has shown meanwhile that it can sign')
})

t.test('bodies of strangers share 1 MiB, in which the largest gives way to what is smaller', async (t) => {
  const { signed, port } = await box(t)
  const head = `POST /api/pbx/thing HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\nX-Service-Signature: sha256=00\r\n\r\n`
  const strangers = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      let heard = ''
      socket.on('data', (data) => (heard += String(data)))
      socket.write(head)
      socket.write('x'.repeat(250_000))
      return { heard: () => heard, close: () => socket.destroy() }
    }),
  )
  t.teardown(() => strangers.forEach(({ close }) => close()))
  for (let n = 0; n < 20; n++)
    t.equal((await signed('POST', `/api/pbx/items/${n}`, JSON.stringify({ text: 'x'.repeat(20_000) }))).status, 200)
  await eventually('half of the strangers gave way', () => strangers.filter(({ heard }) => heard().startsWith('HTTP/1.1 503')).length >= 4)
})

t.test('an address that fills the room of strangers with many small bodies keeps no other out', async (t) => {
  const { signed, port } = await box(t)
  const head = `POST /api/pbx/thing HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\nX-Service-Signature: sha256=00\r\n\r\n`
  const sockets = await Promise.all(
    Array.from({ length: 220 }, async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.66' })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(head)
      socket.write('x'.repeat(5_000))
      return socket
    }),
  )
  t.teardown(() => sockets.forEach((socket) => socket.destroy()))
  for (let n = 0; n < 5; n++)
    t.equal((await signed('POST', `/api/pbx/items/${n}`, JSON.stringify({ text: 'x'.repeat(100_000) }))).status, 200)
})
