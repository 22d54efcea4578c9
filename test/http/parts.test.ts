import fc from 'fast-check'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { addressKey, addressText, isLoopback } from '../../daemon/http/address.ts'
import { parseJson, parsePairs } from '../../daemon/http/parse.ts'
import { RateLimit } from '../../daemon/http/rate.ts'
import { defineRoute, type Method, type Route } from '../../daemon/http/route.ts'
import { Router } from '../../daemon/http/router.ts'
import { checker } from '../../daemon/http/validate.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { fuzzHttp } from '../proofs/fuzz/http.ts'
import { openApiDocument } from '../../daemon/description/openapi.ts'
import { docsRoutes } from '../../daemon/http/docs-routes.ts'
import { healthRoutes } from '../../daemon/http/health-routes.ts'
import { Health } from '../../daemon/base/health.ts'
import { all, Scene } from './serve.ts'

function route(method: Method, path: string): Route {
  return defineRoute({
    method,
    path,
    access: 'public',
    operationId: path,
    summary: '',
    tag: '',
    responses: {},
    handle: () => ({ status: 200 }),
  })
}

t.test('the router finds what a plain reading of the paths finds', async (t) => {
  const paths = ['/', '/a', '/a/b', '/a/:x', '/a/:x.json', '/a/:x.tar.json', '/:y/b', '/:y/:z/c', '/a/b/:n', '/a/:x/:w.wav']
  const router = new Router<{ route: Route }>()
  for (const path of paths) router.add({ route: route('GET', path) })
  router.add({ route: route('POST', '/a/:x') })
  t.throws(() => router.add({ route: route('GET', '/a/:other') }))
  const find = (path: string) => {
    const found = router.find('GET', path)
    return found === undefined || 'allow' in found ? undefined : { path: found.entry.route.path, params: { ...found.params } }
  }
  t.same(find('/a/b'), { path: '/a/b', params: {} })
  t.same(find('/a/q.json'), { path: '/a/:x.json', params: { x: 'q' } })
  t.same(find('/a/q.tar.json'), { path: '/a/:x.tar.json', params: { x: 'q' } })
  t.same(find('/a/.json'), { path: '/a/:x', params: { x: '.json' } }, 'a parameter is never empty')
  t.same(find('/q/b'), { path: '/:y/b', params: { y: 'q' } })
  t.same(find('/a/x/c'), { path: '/:y/:z/c', params: { y: 'a', z: 'x' } }, 'a fixed segment that leads nowhere is left again')
  t.same(router.find('PUT', '/a/x'), { allow: ['GET', 'HEAD', 'POST'] })
  t.throws(() => find('/a/%E0%A4%A'), URIError)
  const segment = fc.constantFrom('a', 'b', 'c', 'q', 'q.json', 'q.wav', '', 'x%20y')
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
      const path = `/${segments.join('/')}`
      const found = find(path)
      const fitting = paths.filter((one) => new RegExp(`^${one.replaceAll('.', '\\.').replaceAll(/:[a-z]/g, '[^/]+')}$`).test(path))
      return found === undefined ? fitting.length === 0 : fitting.includes(found.path)
    }),
  )
})

t.test('a bucket never gives more than its burst and its rate', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
      (perSecond, burst, pauses) => {
        const clock = new FakeClock()
        const started = clock.now()
        const limit = new RateLimit(perSecond, burst, clock)
        let allowed = 0
        for (const pause of pauses) {
          clock.advance(pause)
          const state = limit.take('one')
          if (state.retrySeconds === 0) allowed++
          if (state.remaining < 0 || state.remaining > burst) return false
        }
        return allowed <= burst + ((clock.now() - started) / 1000) * perSecond + 1e-6
      },
    ),
  )
})

t.test('addresses of peers', async (t) => {
  const v6 = (hex: string) => addressText(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
  t.equal(addressText(Buffer.from([192, 0, 2, 1])), '192.0.2.1')
  t.equal(v6('00000000000000000000ffff c0000201'), '192.0.2.1')
  t.equal(v6('00000000000000000000000000000001'), '::1')
  t.equal(v6('20010db8000000000001000000000001'), '2001:db8::1:0:0:1')
  t.equal(v6('20010db8000000000000000000000000'), '2001:db8::')
  t.equal(addressText(new Uint8Array()), '')
  t.ok(isLoopback('127.9.9.9') && isLoopback('::1') && !isLoopback('128.0.0.1'))
  t.equal(addressKey('2001:db8::1:0:0:1'), addressKey('2001:db8::2'), 'a household counts as one')
  t.not(addressKey('2001:db8:0:1::1'), addressKey('2001:db8::1'))
  t.equal(addressKey('192.0.2.1'), '192.0.2.1')
})

t.test('parsers give back what was written, and never throw anything else than an answer', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) =>
      t.same(parseJson(Buffer.from(JSON.stringify(value))), JSON.parse(JSON.stringify(value))),
    ),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        parseJson(Buffer.from(bytes))
      } catch (error) {
        return (error as { code?: string }).code === 'invalid_json'
      }
      return true
    }),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), { noNullPrototype: true }), (pairs) => {
      const given = Object.entries(pairs)
      const read = parsePairs(new URLSearchParams(given).toString())
      return given.every(([name, value]) => read?.[name] === value)
    }),
  )
  t.same({ ...parsePairs('a=1&a=2&b&a=3') }, { a: ['1', '2', '3'], b: '' })
  t.equal(parsePairs('a=%F0'), undefined)
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))
  t.ok(parseJson(nested(64)))
  t.throws(() => parseJson(nested(65)), { code: 'invalid_json' })
  t.ok(parseJson(Buffer.from(JSON.stringify({ text: '['.repeat(500), more: '"\\"[['.repeat(50) }))), 'brackets in strings do not count')
})

t.test('schemas: what a union says is summed up', async (t) => {
  const Colour = Type.Union([Type.Literal('red'), Type.Literal('blue')])
  const Shape = Type.Union([Type.Object({ side: Type.Number() }), Type.Object({ radius: Type.Number() })])
  const check = checker(
    Type.Object({ colour: Colour, shape: Shape, more: Type.Optional(Type.Array(Type.String({ maxLength: 2 }))) }),
    false,
  )
  t.equal(check({ colour: 'red', shape: { side: 1 } }), undefined)
  const details = check({ colour: 'green', shape: 7, more: ['abc'] })
  t.same(details, [
    { path: '/colour', message: 'must be one of "red", "blue"' },
    { path: '/shape', message: 'has none of the allowed forms' },
    { path: '/more/0', message: 'must have at most 2 characters' },
  ])
})

t.test('a member that is null counts as left out where it may be, and nowhere else', async (t) => {
  const Cover = Type.Object({ subject: Type.Optional(Type.String()), note: Type.Optional(Type.Union([Type.String(), Type.Null()])) })
  const One = Type.Object({
    to: Type.String(),
    cover: Type.Optional(Cover),
    tags: Type.Optional(Type.Array(Type.Object({ name: Type.Optional(Type.String()) }))),
  })
  const check = checker(Type.Union([One, Type.Array(One)]), false)
  const read = (value: unknown) => ({ faults: check(value)?.map(({ path }) => path), value })
  t.same(read({ to: 'a', cover: null, tags: null }), { faults: undefined, value: { to: 'a' } })
  t.same(read({ to: 'a', cover: { subject: null, note: null } }), { faults: undefined, value: { to: 'a', cover: { note: null } } })
  t.same(read([{ to: 'a', tags: [{ name: null }, { name: 'x' }] }]), { faults: undefined, value: [{ to: 'a', tags: [{}, { name: 'x' }] }] })
  t.not(read({ to: null }).faults, undefined, 'a required member keeps its fault')
  t.not(read({ to: 'a', tags: [null] }).faults, undefined, 'an item of a list is no member')
})

t.test('300 damaged requests', async (t) => {
  const scene = await Scene.open()
  t.teardown(() => scene.close())
  const served = scene.routes().filter(({ path }) => path !== '/fault/:kind' && path !== '/wait')
  const health = new Health()
  served.push(...healthRoutes({ health }), ...docsRoutes({ web: () => openApiDocument(served), socket: () => ({}) }))
  const server = await scene.serve(served, { requestsPerSecond: 100_000, burst: 100_000, authFailuresPerMinute: 1_000 })
  t.teardown(() => server.close())
  const result = await fuzzHttp({ target: `http://127.0.0.1:${server.port}`, token: all, seconds: 100, requests: 300, seed: 7 })
  t.same(result.failures, [])
  t.ok(result.requests >= 300 && Object.keys(result.statuses).length > 5, `${result.requests} requests, ${JSON.stringify(result.statuses)}`)
})
