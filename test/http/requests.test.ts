import { writeFileSync } from 'node:fs'
import t from 'tap'
import { all, Scene, sendOnly, tokenRow, voiceOnly } from './serve.ts'

const things = '/things'
const post = (scene: Scene, json: unknown, headers: Record<string, string> = {}) => scene.ask('POST', things, { json, headers })

t.test('a request is answered as its handler says, with headers that protect it', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const answer = await post(scene, { to: 'somebody', unknown: 1 })
  t.equal(answer.status, 201)
  t.match(answer.json, { made: 1, limit: 20, to: 'somebody' }, 'defaults are filled in, unknown members ignored')
  t.match(answer.headers['x-request-id'], /^[0-9a-f-]{36}$/)
  t.equal(answer.headers['cache-control'], 'no-store')
  t.equal(answer.headers['x-content-type-options'], 'nosniff')
  t.equal(answer.headers['content-type'], 'application/json')
  t.equal(answer.headers.uwebsockets, undefined, 'the library is not named')
  const other = await scene.ask('POST', `${things}?limit=7&dry=true`, { json: { to: 'x' }, headers: { 'x-request-id': 'mine' } })
  t.equal(other.json.limit, 7, 'numbers of the query are read')
  t.not(other.headers['x-request-id'], 'mine', 'no request id is taken from outside')
  t.equal((await scene.ask('GET', `${things}/a%2Fb%20c`)).json.id, 'a/b c', 'parameters are decoded after the path is split')
  t.equal((await scene.ask('GET', `${things}/abc`)).json.address, '127.0.0.1')
  t.equal((await scene.ask('GET', `${things}/UPPER`)).status, 404, 'an id of another form names nothing')
  const charset = { 'content-type': 'Application/JSON; charset="utf-8"' }
  t.equal((await scene.ask('POST', things, { body: '{"to":"x"}', headers: charset })).status, 201)
  const chunked = await scene.raw(
    `POST /things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${all}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"to":"c\r\n2\r\n"}\r\n0\r\n\r\n`,
    '"to":"c"',
  )
  t.match(chunked, /^HTTP\/1.1 201 Created/)
})

t.test('HEAD is GET without its body', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const two = 'HEAD /state HTTP/1.1\r\nHost: x\r\n\r\nGET /state HTTP/1.1\r\nHost: x\r\n\r\n'
  const seen = await scene.raw(two, '{"name":null}')
  t.match(seen, /^HTTP\/1\.1 200 OK\r\n[^{]*Content-Length: 13\r\n[^{]*\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  const nothing = await scene.raw(
    `POST /twice HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${all}\r\n\r\nGET /state HTTP/1.1\r\nHost: x\r\n\r\n`,
    '{"name":null}',
  )
  t.match(nothing, /^HTTP\/1\.1 204 No Content\r\n(?:(?!Content-Length|\r\n\r\n)[^])*\r\n\r\nHTTP\/1\.1 200/, '204 ends without a body')
})

t.test('what is wrong first is answered', async (t) => {
  const scene = await Scene.open({ requestsPerSecond: 1, burst: 1 })
  t.teardown(() => scene.close())
  const json = { 'content-type': 'application/json' }
  const big = Buffer.alloc(300_000, 'x')
  const steps: [string, () => ReturnType<Scene['ask']>, number, string][] = [
    ['the path', () => scene.ask('POST', '/nowhere', { token: null, body: big }), 404, 'not_found'],
    ['the method', () => scene.ask('PUT', things, { token: null, body: big }), 405, 'method_not_allowed'],
    ['the token', () => scene.ask('POST', things, { token: null, body: big }), 401, 'missing_token'],
    ['the scope', () => scene.ask('POST', things, { token: voiceOnly, body: big }), 403, 'scope_denied'],
    ['the rate', async () => (await post(scene, { to: 'x' }), scene.ask('POST', things, { body: big })), 429, 'rate_limited'],
    ['the content type', () => scene.ask('POST', things, { body: big }), 415, 'unsupported_media_type'],
    ['the size', () => scene.ask('POST', things, { body: big, headers: json }), 413, 'body_too_large'],
    ['the JSON', () => scene.ask('POST', things, { body: '{', headers: json }), 400, 'invalid_json'],
    ['missing configuration', () => post(scene, {}), 503, 'no_sms_trunk'],
    ['the schema', () => post(scene, {}), 422, 'validation_failed'],
    ['the meaning', () => post(scene, { to: 'denied' }), 403, 'destination_denied'],
  ]
  for (const [name, ask, status, code] of steps) {
    scene.configured = name !== 'missing configuration' && name !== 'the JSON'
    const answer = await ask()
    t.match({ status: answer.status, code: answer.json.code }, { status, code }, name)
    t.equal(answer.json.requestId, answer.headers['x-request-id'])
    t.type(answer.json.error, 'string')
    scene.clock.advance(5_000)
  }
  t.equal((await scene.ask('PUT', things)).headers.allow, 'POST')
  t.equal((await scene.ask('DELETE', '/state')).headers.allow, 'GET, HEAD')
  t.equal((await scene.ask('OPTIONS', '/state')).status, 405)
  t.match((await scene.ask('POST', things, { body: big, headers: json, token: sendOnly })).json, { limitBytes: 262_144 })
  const gzip = await scene.ask('POST', things, { body: '{}', headers: { ...json, 'content-encoding': 'gzip' }, token: sendOnly })
  t.equal(gzip.status, 429, 'and the limit is of each token')
})

t.test('errors say what does not fit, in plain words and at most twenty', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const bad = await scene.ask('POST', `${things}?limit=0&dry=perhaps`, { json: { count: 9, mode: 'other', url: 'nope', list: 1 } })
  t.same(bad.json.details, [
    { path: '/limit', message: 'must be at least 1' },
    { path: '/dry', message: 'must be a boolean' },
    { path: '/to', message: 'is required' },
    { path: '/count', message: 'must be at most 5' },
    { path: '/mode', message: 'must be one of "fast", "slow"' },
    { path: '/url', message: 'must be an absolute URL' },
    { path: '/list', message: 'must be an array' },
  ])
  t.equal(bad.json.error, '"limit" must be at least 1.')
  const many = await post(scene, { to: 'x', list: Array(100).fill('a') })
  t.equal((many.json.details as unknown[]).length, 20)
  const problem = await post(scene, {}, { accept: 'application/problem+json' })
  t.equal(problem.headers['content-type'], 'application/problem+json')
  t.match(problem.json, {
    status: 422,
    title: 'The request is not valid',
    code: 'validation_failed',
    type: 'urn:pbx:error:validation_failed',
  })
  t.equal(typeof problem.json.requestId, 'string')
  for (const body of ['', '{"a":', '{"a":1}x', Buffer.from('{"a":"\xff"}', 'latin1'), '['.repeat(60_000)]) {
    const answer = await scene.ask('POST', things, { body, headers: { 'content-type': 'application/json' } })
    t.match({ status: answer.status, code: answer.json.code }, { status: 400, code: 'invalid_json' })
  }
  t.equal((await scene.ask('GET', `${things}/%zz`)).json.code, 'invalid_url')
  t.equal((await scene.ask('POST', `${things}?limit=%zz`, { json: { to: 'x' } })).json.code, 'invalid_url')
})

t.test('tokens', async (t) => {
  const scene = await Scene.open({ requestsPerSecond: 20, burst: 40 })
  t.teardown(() => scene.close())
  const missing = await scene.ask('GET', '/things/a', { token: null })
  const wrong = await scene.ask('GET', '/things/a', { token: 'wrong' })
  t.match(
    [missing, wrong],
    [
      { status: 401, json: { code: 'missing_token' } },
      { status: 401, json: { code: 'invalid_token' } },
    ],
  )
  t.equal(missing.json.error, wrong.json.error, 'the text is the same')
  t.equal(missing.headers['www-authenticate'], 'Bearer realm="pbx"')
  t.equal((await scene.ask('GET', '/state', { token: null })).json.name, null)
  t.equal((await scene.ask('GET', '/state')).json.name, 'all')
  t.equal((await scene.ask('GET', '/state', { token: 'wrong' })).status, 401, 'a wrong token is never taken for none')
  t.equal((await scene.ask('GET', '/figures')).text, 'fine')
  t.equal((await scene.ask('GET', '/figures', { token: null })).status, 401, 'programs on this machine need a token, too')
  t.equal((await scene.ask('GET', '/figures', { token: sendOnly })).status, 403)

  await t.test('a new token counts at once, and a revoked one no more', async (t) => {
    const { tokens } = scene.store.tables
    t.equal((await scene.ask('GET', '/things/a', { token: 'fresh' })).status, 401)
    await scene.store.transaction(() => tokens.put('later', tokenRow('later', 'fresh', ['inbox'])))
    t.equal((await scene.ask('GET', '/things/a', { token: 'fresh' })).status, 200)
    await scene.store.transaction(() => tokens.remove('later'))
    t.equal((await scene.ask('GET', '/things/a', { token: 'fresh' })).status, 401)
  })

  await t.test('HTTP Basic, for clients that know nothing else', async (t) => {
    const path = '/2010-04-01/Accounts/AC1/Calls/CA7.json'
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const basic = (password: string) => ({ ...form, authorization: `Basic ${Buffer.from(`any:${password}`).toString('base64')}` })
    const ended = await scene.ask('POST', path, { token: null, body: 'Status=completed&x=a+b', headers: basic(voiceOnly) })
    t.same([ended.status, ended.json], [404, { code: 20404, call: 'CA7', asked: 'completed' }])
    t.equal((await scene.ask('POST', path, { token: null, body: '', headers: basic(sendOnly) })).status, 403)
    const refused = await scene.ask('POST', path, { token: null, body: '', headers: basic('wrong') })
    t.match(refused, { status: 401, headers: { 'www-authenticate': /^Basic realm="pbx"/ } })
    t.equal((await scene.ask('POST', path, { body: '', headers: form })).status, 401)
  })

  await t.test('an address that fails too often is refused for a quarter of an hour, unless its token is right', async (t) => {
    scene.clock.advance(61_000)
    for (let n = 0; n < 10; n++) t.equal((await scene.ask('GET', '/things/a', { token: 'wrong' })).status, 401)
    const blocked = await scene.ask('GET', '/things/a', { token: 'wrong' })
    t.match(blocked, { status: 429, json: { code: 'rate_limited' }, headers: { 'retry-after': '900' } })
    t.equal((await scene.ask('GET', '/things/a', { token: null })).status, 429)
    t.equal((await scene.ask('GET', '/things/a')).status, 200)
    scene.clock.advance(901_000)
    t.equal((await scene.ask('GET', '/things/a', { token: 'wrong' })).status, 401)
  })
})

t.test('rate limits, of a token and of a route', async (t) => {
  const scene = await Scene.open({ requestsPerSecond: 20, burst: 40 })
  t.teardown(() => scene.close())
  const first = await scene.ask('GET', '/things/a')
  t.match(first.headers, { 'ratelimit-limit': '40', 'ratelimit-remaining': '39', 'ratelimit-reset': '1' })
  for (let n = 1; n < 40; n++) t.equal((await scene.ask('GET', '/things/a')).status, 200)
  const over = await scene.ask('GET', '/things/a')
  t.match(over, { status: 429, json: { code: 'rate_limited' }, headers: { 'retry-after': '1', 'ratelimit-remaining': '0' } })
  scene.clock.advance(100)
  t.equal((await scene.ask('GET', '/things/a')).status, 200)
  t.equal((await scene.ask('GET', '/things/a')).status, 200)
  t.equal((await scene.ask('GET', '/things/a')).status, 429, 'twenty a second come back')
  for (const status of [204, 204, 429]) t.equal((await scene.ask('POST', '/twice', { token: voiceOnly })).status, status)
  const wait = await scene.ask('POST', '/twice', { token: voiceOnly })
  t.match(wait.headers, { 'retry-after': '30', 'ratelimit-limit': '2' })
  scene.clock.advance(30_000)
  t.equal((await scene.ask('POST', '/twice', { token: voiceOnly })).status, 204)
})

t.test('a fault inside is a 500 that tells nothing, and the server goes on', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  for (const kind of ['now', 'later', 'header', 'status', 'json']) {
    const answer = await scene.ask('GET', `/fault/${kind}`)
    t.match({ status: answer.status, code: answer.json.code }, { status: 500, code: 'internal' }, kind)
    t.notMatch(answer.text, /secret|\.ts|Injected/)
    t.equal(answer.headers.injected, undefined)
  }
  t.equal((await scene.ask('GET', '/state')).status, 200)
})

t.test('a file: ranges, conditions, HEAD, slow and leaving clients', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const get = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    scene.ask(method, '/things/x.wav', { token: null, headers })
  const whole = await get()
  t.match(whole, {
    status: 200,
    headers: { 'content-length': '300000', etag: '"v1"', 'accept-ranges': 'bytes', 'content-type': 'audio/wav' },
  })
  t.match(await get({}, 'HEAD'), { status: 200, text: '', headers: { 'content-length': '300000' } })
  t.match(await get({ range: 'bytes=10-19' }), { status: 206, headers: { 'content-length': '10', 'content-range': 'bytes 10-19/300000' } })
  t.match(await get({ range: 'bytes=-5' }), { status: 206, headers: { 'content-range': 'bytes 299995-299999/300000' } })
  t.match(await get({ range: 'bytes=299000-' }), { status: 206, headers: { 'content-length': '1000' } })
  t.match(await get({ range: 'bytes=0-', 'if-range': '"old"' }), { status: 200 })
  t.match(await get({ range: 'bytes=0-1,5-6' }), { status: 200 })
  t.match(await get({ range: 'bytes=300000-' }), { status: 416, headers: { 'content-range': 'bytes */300000' } })
  t.match(await get({ 'if-none-match': '"other", W/"v1"' }), { status: 304, text: '' })
  t.match(await scene.ask('GET', '/gone.wav'), { status: 404, json: { code: 'not_found' } })
  writeFileSync(scene.file, '')
  t.match(await get(), { status: 200, text: '' })
  writeFileSync(scene.file, Buffer.alloc(20_000_000, 'a'))
  const { request } = await import('undici')
  for (let n = 0; n < 3; n++) {
    const answer = await request(`${scene.url}/things/x.wav`, { dispatcher: scene.agent })
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      if (chunk.length > 0) break
    }
  }
  const slow = await request(`${scene.url}/things/x.wav`, { dispatcher: scene.agent })
  let bytes = 0
  for await (const chunk of slow.body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    await new Promise(setImmediate)
  }
  t.equal(bytes, 20_000_000, 'a client slower than the disk gets every byte')
})
