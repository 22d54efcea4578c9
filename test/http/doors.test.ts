/** One table of routes, two doors: what is asked of whom at the web port, and what of the technician at the socket. */
import { statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { Trail } from '../../daemon/audit/trail.ts'
import { Health } from '../../daemon/base/health.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { defineRoute, type Route } from '../../daemon/http/route.ts'
import { healthRoutes } from '../../daemon/http/health-routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { startSocket } from '../../daemon/http/socket.ts'
import { socketClient } from '../harness/socket.ts'
import { all, limits, Scene, sendOnly, tokenRow } from './serve.ts'

const health = new Health()
const common = { tag: 'Test', summary: 'Test', responses: { 200: { description: 'Done.' } } }
const routes: Route[] = [
  ...healthRoutes({ health }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/send/:id',
    access: 'send',
    operationId: 'send',
    deed: 'fax.send',
    rate: { perMinute: () => 1 },
    params: Type.Object({ id: Type.String() }),
    body: Type.Object({ n: Type.Integer() }),
    handle: ({ body, token, technician }) => ({ status: 200, body: { n: body.n, token: token?.name ?? null, technician } }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/box',
    access: 'technician',
    operationId: 'box',
    handle: ({ technician, address }) => ({ status: 200, body: { technician, address } }),
  }),
]

t.test('two doors', async (t) => {
  const scene = await Scene.open()
  const { store, clock, log } = scene
  const trail = new Trail({ store, clock, log })
  const tokens = accessTokens([tokenRow('all', all, ['send', 'admin']), tokenRow('sender', sendOnly, ['send'])], store.tables.tokens)
  const web = await startHttp({ listen: '127.0.0.1:0', routes, tokens, limits, store, trail, log, clock })
  const peers: number[] = []
  const peerOf = async (): Promise<string> => `user:pat (${peers.push(1)})`
  const socket = await startSocket({ socket: join(scene.dir, 'run/s'), routes, log, audited: { trail, peerOf } })
  t.teardown(async () => {
    await socket.close()
    await web.close(500)
    await trail.stop()
    await scene.close()
  })
  const ask = socketClient(socket.socket)
  const overWeb = (path: string, token: string | null, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${web.port}${path}`, {
      ...init,
      headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    })

  await t.test('what is the technician’s is not there for tokens, whatever their scope', async (t) => {
    t.match(await ask('GET', '/api/box'), { status: 200, json: { technician: true, address: '' } })
    for (const token of [null, sendOnly, all]) t.equal((await overWeb('/api/box', token)).status, 404)
    t.match((await ask('GET', '/api/boxes')).json, { code: 'not_found', error: /another version/ })
  })

  await t.test('the routes of the web port are open on the socket, without a token and without a rate', async (t) => {
    const post = { method: 'POST', body: '{"n":1}' }
    t.equal((await overWeb('/api/send/f1', null, post)).status, 401)
    t.same(await (await overWeb('/api/send/f1', sendOnly, post)).json(), { n: 1, token: 'sender', technician: false })
    t.equal((await overWeb('/api/send/f1', sendOnly, post)).status, 429)
    for (let n = 0; n < 3; n++) t.same((await ask('POST', '/api/send/f2', { n })).json, { n, token: null, technician: true })
    t.match(await ask('POST', '/api/send/f2', { n: 'x' }), { status: 422, json: { code: 'validation_failed', details: [{ path: '/n' }] } })
    t.match(await ask('POST', '/api/send/f2', '{'), { status: 400, json: { code: 'invalid_json' } })
    t.match(await ask('POST', '/api/send/f2', `{"n":${' '.repeat(70_000)}1}`), { status: 413, json: { limitBytes: 65_536 } })
    health.warn('disk', { severity: 'error', text: 'The disk is full', fix: 'make room' })
    t.match((await ask('GET', '/readyz')).json, { warnings: [{ text: 'The disk is full' }] }, 'and nothing is kept from the technician')
  })

  await t.test('the audit trail has who asked through which door; a look without a deed asks for nobody', async (t) => {
    // Refusals are written behind their answers, in order.
    await store.transaction(() => undefined)
    const rows = [...store.tables.audit.range()].map(({ value }) => value)
    t.match(
      rows.filter(({ outcome }) => outcome === 'done').map(({ actor, address, deed, object }) => ({ actor, address, deed, object })),
      [
        { actor: 'token:sender', address: '127.0.0.1', deed: 'fax.send', object: 'f1' },
        { actor: 'user:pat (1)', address: 'local', deed: 'fax.send', object: 'f2' },
        { actor: 'user:pat (2)', address: 'local' },
        { actor: 'user:pat (3)', address: 'local' },
      ],
    )
    t.same(
      rows.flatMap(({ outcome, address, deed }) => (outcome !== 'done' && address === 'local' ? `${deed} ${outcome}` : [])).toSorted(),
      ['fax.send body_too_large', 'fax.send invalid_json', 'fax.send validation_failed'],
    )
    t.equal(peers.length, 6)
  })

  await t.test('a connection serves several requests', async (t) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.teardown(() => agent.destroy())
    const reused: boolean[] = []
    for (let n = 0; n < 2; n++)
      await new Promise<void>((resolve, reject) => {
        const asked = request({ socketPath: socket.socket, path: '/api/box', agent }, (response) => response.resume().once('end', resolve))
        asked.once('error', reject).once('finish', () => reused.push(asked.reusedSocket))
        asked.end()
      })
    t.same(reused, [false, true])
    t.equal(statSync(socket.socket).mode & 0o777, 0o660)
  })
})
