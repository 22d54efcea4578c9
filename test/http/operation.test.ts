import t from 'tap'
import { request } from 'undici'
import { Health } from '../../daemon/base/health.ts'
import { docsRoutes } from '../../daemon/http/docs-routes.ts'
import { healthRoutes, metricsRoutes } from '../../daemon/http/health-routes.ts'
import { Metrics } from '../../daemon/base/metrics.ts'
import { all, Scene } from './serve.ts'

t.test('readiness: strangers learn which part, those with a token learn why', async (t) => {
  const health = new Health(() => Date.parse('2026-03-02T14:05:11Z'))
  const scene = await Scene.open({}, healthRoutes({ health }))
  t.teardown(() => scene.close())
  const stranger = () => scene.ask('GET', '/readyz', { token: null })
  t.match(await scene.ask('GET', '/healthz', { token: null }), { status: 200, json: { ok: true } })

  let engine = { ok: false, reason: 'not running', detail: 'pbx-engine at /usr/lib/pbxd/pbx-engine does not start: no such file' }
  health.part('store', () => ({ ok: true, reason: '' }))
  health.part('engine', () => engine)
  health.part('speech', () => ({ ok: false, reason: 'flite 2.2 is missing', required: false }))
  health.warn('no-trunk', { severity: 'warning', text: 'No trunk is configured.', fix: 'pbx config edit trunks' })
  health.warn('disk', { severity: 'error', text: 'The disk is nearly full.', fix: 'pbx doctor' })

  const unready = await stranger()
  t.equal(unready.status, 503)
  t.same(unready.json, {
    ready: false,
    parts: {
      store: { ok: true, reason: '', required: true },
      engine: { ok: false, reason: 'not running', required: true },
      speech: { ok: false, reason: 'not well', required: false },
    },
  })
  const known = await scene.ask('GET', '/readyz')
  t.match(known.json, {
    parts: { engine: { reason: /no such file/ }, speech: { reason: 'flite 2.2 is missing' } },
    warnings: [{ code: 'disk', severity: 'error', fix: 'pbx doctor', since: '2026-03-02T14:05:11.000Z' }, { code: 'no-trunk' }],
  })
  engine = { ok: true, reason: '', detail: '' }
  t.match(await stranger(), { status: 200, json: { ready: true } })
  health.clear('disk')
  t.same(
    health.warnings().map(({ code }) => code),
    ['no-trunk'],
  )
  health.part('engine', () => {
    throw new Error('broken')
  })
  t.match(await stranger(), { status: 503, json: { parts: { engine: { ok: false, reason: 'state unknown' } } } })
})

t.test('figures for Prometheus', async (t) => {
  const metrics = new Metrics()
  const scene = await Scene.open({}, metricsRoutes({ metrics }))
  t.teardown(() => scene.close())
  const trunks = { name: 'pbx_trunk_up', help: 'Whether a trunk can be used.', type: 'gauge' } as const
  metrics.add({ ...trunks, read: () => [[{ trunk: 'a "b"\n' }, 1]] })
  metrics.add({
    name: 'pbx_http_requests_total',
    help: 'HTTP requests.',
    type: 'counter',
    *read() {
      for (const { operation, status, count } of scene.server.counts()) yield [{ operation, status: String(status) }, count] as const
    },
  })
  t.throws(() => metrics.add({ ...trunks, read: () => [] }))

  await scene.ask('GET', '/state')
  const first = await scene.ask('GET', '/metrics')
  t.match(first.headers['content-type'], /^text\/plain/)
  const lines = first.text.split('\n')
  for (const line of [
    '# TYPE pbx_trunk_up gauge',
    'pbx_trunk_up{trunk="a \\"b\\"\\n"} 1',
    'pbx_http_requests_total{operation="state",status="200"} 1',
  ]) {
    t.ok(lines.includes(line), line)
  }
  t.match(first.text, /^process_resident_memory_bytes /m)
  metrics.add({ name: 'pbx_calls_active', help: 'Calls in progress.', type: 'gauge', read: () => [[{}, 3]] })
  await new Promise(setImmediate)
  t.match((await scene.ask('GET', '/metrics')).text, /^pbx_calls_active 3$/m, 'figures may come later')
})

t.test('the reference page works without the network', async (t) => {
  const scene = await Scene.open({}, docsRoutes({ web: () => ({ openapi: '3.1.0' }), socket: () => ({}) }))
  t.teardown(() => scene.close())
  const page = await scene.ask('GET', '/docs/api.html', { token: null })
  t.match(page.headers['content-security-policy'], /default-src 'none'; script-src 'self'; /)
  t.notMatch(page.headers['content-security-policy'], /http|unsafe-eval|\*/)
  const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
  t.ok(links.length >= 4)
  t.match(
    await scene.ask('GET', '/docs', { token: null }),
    { status: 307, headers: { location: 'docs/api.html' } },
    'without the other pages',
  )
  for (const link of links.filter((one) => one !== 'index.html')) {
    t.notMatch(link, /^(https?:)?\/\//, 'nothing from elsewhere')
    const answer = await request(new URL(link, `${scene.url}/docs/`), { dispatcher: scene.agent })
    t.equal(answer.statusCode, 200, link)
    await answer.body.dump()
  }
  t.match((await scene.ask('GET', '/openapi.json', { token: null })).json, { openapi: '3.1.0' })
  for (const name of ['package.json', '..%2Fpackage.json', '__proto__', 'toString']) {
    t.equal((await scene.ask('GET', `/docs/${name}`, { token: all })).status, 404, name)
  }
})
