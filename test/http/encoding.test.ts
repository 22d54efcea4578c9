/** Answers in a shorter form: for whom, which, and that the event loop does not wait for the work. */
import { writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { request as ask } from 'node:http'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { Type } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { codingOf } from '../../daemon/http/encoding.ts'
import { defineRoute, type Reply, type Route } from '../../daemon/http/route.ts'
import { Scene } from './serve.ts'

const items = Array.from({ length: 200 }, (_, n) => ({ n, text: `number ${n} of many` }))
const long = JSON.stringify({ items })
/** Costs much to make shorter. */
const noise = randomBytes(6_000_000).toString('base64')
let file = ''

const replies: Readonly<Record<string, () => Reply>> = {
  json: () => ({ status: 200, body: { items } }),
  short: () => ({ status: 200, body: { n: 1 } }),
  html: () => ({ status: 200, text: { type: 'text/html; charset=utf-8', content: long } }),
  text: () => ({ status: 200, text: { type: 'text/plain', content: long } }),
  script: () => ({ status: 200, text: { type: 'text/javascript', content: long } }),
  svg: () => ({ status: 200, text: { type: 'image/svg+xml', content: long } }),
  problem: () => ({ status: 422, text: { type: 'application/problem+json', content: long } }),
  tagged: () => ({ status: 200, body: { items }, headers: { ETag: '"v1"' } }),
  weak: () => ({ status: 200, body: { items }, headers: { ETag: 'W/"v1"' } }),
  audio: () => ({ status: 200, text: { type: 'audio/wav', content: long } }),
  pdf: () => ({ status: 200, text: { type: 'application/pdf', content: long } }),
  picture: () => ({ status: 200, text: { type: 'image/png', content: long } }),
  packed: () => ({ status: 200, text: { type: 'text/css', content: long }, headers: { 'Content-Encoding': 'gzip' } }),
  exact: () => ({ status: 200, body: { items }, headers: { 'Cache-Control': 'no-transform' } }),
  lines: () => ({ status: 200, stream: async (emit) => emit({ items }) }),
  events: () => ({ status: 200, events: (push) => push(`data: ${long}\n\n`) }),
  nothing: () => ({ status: 204 }),
  'style.css': () => ({ status: 200, file: { path: file, type: 'text/css', etag: 'f1' } }),
  'sound.wav': () => ({ status: 200, file: { path: file, type: 'audio/wav', etag: 'f1' } }),
  huge: () => ({ status: 200, body: noise }),
}

const route: Route = defineRoute({
  method: 'GET',
  path: '/answers/:name',
  access: 'public',
  operationId: 'answers',
  summary: '',
  tag: '',
  params: Type.Object({ name: Type.String() }),
  responses: {},
  handle: ({ params }) => replies[params.name]!(),
})

async function stage(t: Test) {
  const scene = await Scene.open({}, [route])
  t.teardown(() => scene.close())
  file = join(scene.dir, 'file')
  writeFileSync(file, long)
  return (name: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number; headers: Record<string, string | undefined>; body: Buffer }>((resolve, reject) => {
      const asked = ask(`${scene.url}/answers/${name}`, { method, headers }, (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers as Record<string, string>, body: Buffer.concat(pieces) }),
        )
      })
      asked.on('error', reject).end()
    })
}

const browser = { 'accept-encoding': 'gzip, deflate, br, zstd' }

t.test('text in any form is sent shorter to whoever reads that, and is the same; all else stays as it is', async (t) => {
  const get = await stage(t)
  for (const name of ['json', 'html', 'text', 'script', 'svg', 'problem', 'tagged', 'weak', 'style.css']) {
    const plain = await get(name)
    t.equal(plain.headers['content-encoding'], undefined, name)
    t.equal(plain.headers['vary'], 'Accept-Encoding', name)
    t.equal(plain.body.toString(), long, name)
    const { status, headers, body } = await get(name, browser)
    t.equal(status, plain.status)
    t.match(headers, { 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-length': String(body.length) }, name)
    t.ok(body.length < long.length / 4, `${name}: ${body.length} of ${long.length} bytes`)
    t.equal(gunzipSync(body).toString(), long, name)
    const head = await get(name, browser, 'HEAD')
    t.match(
      head,
      { status, headers: { 'content-encoding': 'gzip', 'content-length': String(body.length) } },
      `${name}: HEAD is GET without its body`,
    )
    t.equal(head.body.length, 0)
  }
  for (const name of ['short', 'audio', 'pdf', 'picture', 'exact', 'lines', 'events', 'sound.wav', 'nothing']) {
    const { headers, body } = await get(name, browser)
    t.equal(headers['content-encoding'], undefined, name)
    t.same(body, (await get(name)).body, name)
  }
  t.equal((await get('packed', browser)).body.toString(), long, 'what is packed already is not packed again')
  t.equal(brotliDecompressSync((await get('json', { 'accept-encoding': 'br' })).body).toString(), long)
})

t.test('tags of shortened answers are weak; parts and conditions go by the file as it is', async (t) => {
  const get = await stage(t)
  t.equal((await get('tagged')).headers['etag'], '"v1"')
  t.equal((await get('tagged', browser)).headers['etag'], 'W/"v1"')
  t.equal((await get('weak', browser)).headers['etag'], 'W/"v1"')
  t.equal((await get('style.css')).headers['etag'], '"f1"')
  t.equal((await get('style.css', browser)).headers['etag'], 'W/"f1"')
  for (const tag of ['"f1"', 'W/"f1"']) {
    const { status, body, headers } = await get('style.css', { ...browser, 'if-none-match': tag })
    t.match({ status, bytes: body.length, coding: headers['content-encoding'] }, { status: 304, bytes: 0, coding: undefined }, tag)
  }
  for (const name of ['style.css', 'sound.wav']) {
    const part = await get(name, { ...browser, range: 'bytes=5-9' })
    t.match(part, { status: 206, headers: { 'content-range': `bytes 5-9/${long.length}`, 'content-encoding': undefined } }, name)
    t.equal(part.body.toString(), long.slice(5, 10))
  }
})

t.test('which form: the weights of the client decide, gzip between equals, none where it wants none', async (t) => {
  const cases: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', undefined],
    ['br', 'br'],
    ['br, gzip', 'gzip'],
    ['gzip;q=0.5, br;q=0.8', 'br'],
    ['gzip; q=0.8 , br; q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br;q=0', undefined],
    ['gzip;q=0, *', 'br'],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['gzip;q=nonsense', undefined],
    ['gzip;q=2', undefined],
    ['compress, deflate, zstd', undefined],
  ]
  for (const [header, coding] of cases) t.equal(codingOf(header, 10_000), coding, String(header))
  t.equal(codingOf('gzip', 200), undefined, 'what is short stays as it is')
  t.equal(codingOf('identity;q=0, gzip', 200), 'gzip', 'unless that is refused')
})

t.test('the event loop does not wait for a long answer to be made shorter', async (t) => {
  const get = await stage(t)
  const began = performance.now()
  gzipSync(noise)
  const alone = performance.now() - began
  await get('huge', browser)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const answers = await Promise.all([1, 2, 3].map(() => get('huge', browser)))
  delay.disable()
  t.ok(answers.every(({ headers }) => headers['content-encoding'] === 'gzip'))
  const most = delay.max / 1e6
  t.ok(most < alone, `${noise.length} bytes cost ${Math.round(alone)} ms each; the loop waited ${Math.round(most)} ms at most`)
})
