/** The small CRM that is given as an example: it answers all that pbxd asks of one, knows who asks, and does nothing twice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { signedHeaders } from '../../daemon/base/signing.ts'
import { Crm } from '../../scripts/examples/crm/crm.ts'
import { openCrm, ask, type Asking } from './example-crm.ts'

const [secret, token] = ['whsec_test_0123456789abcdef', 'tk_test']
const callId = 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8'
const call = {
  callId,
  rev: 2,
  direction: 'inbound',
  state: 'answered',
  from: '+15551234567',
  to: '+15557654321',
  startedAt: '2026-03-02T14:05:10Z',
  answeredAt: '2026-03-02T14:05:19Z',
}
const ended = { ...call, rev: 4, state: 'ended', outcome: 'answered', endedAt: '2026-03-02T14:08:21Z', talkSeconds: 182 }

t.test('a token and a signature are wanted, of either secret and of this time', async (t) => {
  const { url } = await openCrm(t, new Crm({ secrets: [secret, 'whsec_next_0123456789abcdef'], token }))
  const get = (asking: Asking) => ask(url, 'GET', '/api/pbx/sync/status', undefined, asking)
  t.match(await get({ secret, token }), { status: 200, body: { state: 'healthy' } })
  t.match(await get({ secret: 'whsec_next_0123456789abcdef', token }), { status: 200 })
  t.match(await get({ secret }), { status: 401 })
  t.match(await get({ token }), { status: 401 })
  t.match(await get({ secret: 'whsec_other_0123456789abcdef', token }), { status: 403, body: { code: 'signature_invalid' } })
  for (const at of [Date.now() - 301_000, Date.now() + 305_000])
    t.match(await get({ secret, token, at }), { status: 403, body: { code: 'timestamp_stale', serverTime: Number } })
  t.match(await ask(url, 'POST', '/api/pbx/calls/log', ended, { secret, token }), { status: 200 }, 'the body is part of what is signed')
})

t.test('the vectors of the contract', async (t) => {
  const crm = new Crm({ secrets: ['whsec_example'] })
  const headers = {
    'x-service-timestamp': '1772460311',
    'x-service-signature': 'sha256=c5b7e390cb353e070ffb510af2e3c4a32de796bd115ecab263213864a5ebf96b',
  }
  const asked = { method: 'GET', path: '/api/pbx/sync/status', query: new URLSearchParams(), headers, body: Buffer.alloc(0) }
  t.match(crm.answer({ ...asked, now: 1_772_460_311_000 }), { status: 200 })
  t.match(crm.answer({ ...asked, now: 1_772_460_711_000 }), { status: 403 })
})

t.test('who calls, with the card; nobody, and one of several', async (t) => {
  const crm = new Crm()
  const { url } = await openCrm(t, crm)
  for (const number of ['+15551234567', '%2B15551234567', '555-123-4567', '(555) 123 4567'])
    t.match(
      await ask(url, 'GET', `/api/pbx/lookup/caller/${number}`),
      { body: { found: true, matchType: 'exact', customer: { id: 'c_1' } } },
      number,
    )
  t.match(await ask(url, 'GET', '/api/pbx/lookup/caller/anonymous'), { status: 200, body: { found: false, customer: null } })
  crm.data.customers['c_2']!.phones.push({ number: '+15551234567', label: 'home' })
  const several = { status: 200, body: { found: true, matchType: 'ambiguous', customer: null, candidates: [{ id: 'c_1' }, { id: 'c_2' }] } }
  t.match(await ask(url, 'GET', '/api/pbx/lookup/caller/+15551234567'), several)
  await ask(url, 'POST', '/api/pbx/calls/log', { ...ended, customerId: 'c_2' })
  t.match(await ask(url, 'GET', '/api/pbx/screen-pop/+15551230002?extension=101'), {
    body: { name: 'Bo Li', recentCalls: [{ callId, talkSeconds: 182 }], openTickets: [], billing: null },
  })
  t.match(await ask(url, 'GET', '/api/pbx/users/extension/101'), { body: { extension: '101', userId: 'u_17' } })
  t.equal((await ask(url, 'GET', '/api/pbx/users/extension/999')).status, 404)
})

t.test('a call is begun by whatever tells of it first, goes on by its revision, and is logged once', async (t) => {
  const crm = new Crm()
  const { url } = await openCrm(t, crm)
  t.match(await ask(url, 'PATCH', `/api/pbx/calls/${callId}/answer`, call), { status: 200, body: { state: 'answered' } })
  t.match(await ask(url, 'PATCH', `/api/pbx/calls/${callId}/end`, { ...ended, rev: 3 }), { body: { state: 'ended' } })
  t.match(await ask(url, 'PATCH', `/api/pbx/calls/${callId}/answer`, call), { body: { state: 'ended', rev: 3 } }, 'a late answer')
  const log = (rev: number) => ask(url, 'POST', '/api/pbx/calls/log', { ...ended, rev })
  const first = await log(4)
  t.match(first, { status: 200, body: { logged: true, duplicate: false, customerId: 'c_1', crmLogId: 'act_1' } })
  t.match(await log(4), { body: { duplicate: true, crmLogId: 'act_1' } })
  t.match(await log(5), { body: { duplicate: false, crmLogId: 'act_1' } })
  t.match(await log(4), { status: 409, body: { code: 'stale_rev' } })
  const note = { noteId: 'n1', text: 'Wants Thursday.' }
  t.match(await ask(url, 'POST', `/api/pbx/calls/${callId}/notes`, note), { status: 201, body: { notes: [note] } })
  t.match(await ask(url, 'POST', `/api/pbx/calls/${callId}/notes`, { notes: [note, { noteId: 'n2', text: '<b>' }] }), { status: 201 })
  t.match(crm.data.calls[callId]!.notes, [{ noteId: 'n1' }, { noteId: 'n2' }])
  t.equal(crm.data.calls[callId]!.notes!.length, 2)
  t.equal((await ask(url, 'POST', '/api/pbx/calls/CAunknown/notes', note)).status, 404)
  const page = await ask(url, 'GET', '/')
  t.match(page.body, /Ana Ruiz.*Wants Thursday\.; &#60;b&#62;/)
})

t.test('the same Idempotency-Key is answered from memory, another request under it refused', async (t) => {
  const { url } = await openCrm(t, new Crm())
  const headers = { 'idempotency-key': `${callId}:log:4` }
  const once = await ask(url, 'POST', '/api/pbx/calls/log', ended, { headers })
  const again = await ask(url, 'POST', '/api/pbx/calls/log', ended, { headers })
  t.same(again.body, once.body)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.match(await ask(url, 'POST', '/api/pbx/calls/log', { ...ended, rev: 9 }, { headers }), { status: 422 })
  t.equal((await ask(url, 'POST', '/api/pbx/calls/log', '{"callId"')).status, 400)
  t.equal((await ask(url, 'GET', '/api/pbx/lookup/caller/%E0%A4%A')).status, 400)
})

t.test('customers page by page, what changed since, one by one', async (t) => {
  const { url } = await openCrm(t, new Crm())
  const page = (body: object) => ask(url, 'POST', '/api/pbx/sync/full', body)
  const first = await page({ cursor: null, limit: 2 })
  t.match(first.body, { customers: [{ id: 'c_1' }, { id: 'c_2' }], nextCursor: 'c_2', total: 3 })
  t.match((await page({ cursor: 'c_2', limit: 2 })).body, { customers: [{ id: 'c_3' }], nextCursor: null })
  const since = '2026-03-02T00:00:00Z'
  t.same((await page({ cursor: null, changedSince: since })).body, { customers: [], nextCursor: null, total: 0 })
  t.match(await ask(url, 'POST', '/api/pbx/customers/c_1/sync', { name: 'Ana R.' }), {
    body: { id: 'c_1', result: 'updated', version: '2' },
  })
  t.match(await ask(url, 'POST', '/api/pbx/customers/c_1/sync', {}), { body: { customer: { name: 'Ana R.', phones: [{}] } } })
  t.match(await ask(url, 'POST', '/api/pbx/customers/c_3/sync', { deleted: true }), { body: { result: 'deleted' } })
  t.match((await page({ cursor: null, changedSince: since })).body, { customers: [{ id: 'c_1' }, { id: 'c_3', deleted: true }] })
  t.match((await page({ cursor: null })).body, { customers: [{ id: 'c_1' }, { id: 'c_2' }], total: 2 })
  t.equal((await ask(url, 'POST', '/api/pbx/customers/c_9/sync', {})).status, 404)
})

t.test('as a program of its own: its file outlives it, and tests have it misbehave', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-example-crm-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'crm.json')
  const words = ['--port', String(await freePort()), '--secret', secret, '--data', file, '--faults']
  const url = `http://127.0.0.1:${words[1]}`
  const asking = { secret }
  const first = await start(words)
  t.match(await ask(url, 'POST', '/api/pbx/calls/log', ended, asking), { status: 200 })
  await ask(url, 'PUT', '/_faults', { at: '/lookup/', status: 500 })
  t.equal((await ask(url, 'GET', '/api/pbx/lookup/caller/anonymous', undefined, asking)).status, 500)
  t.equal((await ask(url, 'GET', '/api/pbx/sync/status', undefined, asking)).status, 200)
  await ask(url, 'PUT', '/_faults', { line: 'dead' })
  await t.rejects(ask(url, 'GET', '/api/pbx/sync/status', undefined, asking))
  t.match(await ask(url, 'GET', '/_asked'), {
    body: [
      { method: 'POST', path: '/api/pbx/calls/log', body: { callId }, headers: { 'x-service-signature': /^sha256=/ }, status: 200 },
      { status: 500 },
      {},
      { status: null },
    ],
  })
  first.kill()
  await once(first, 'exit')
  t.ok(existsSync(file) && readFileSync(file, 'utf8').includes(callId))
  const second = await start(words)
  t.teardown(() => second.kill())
  t.match(await ask(url, 'POST', '/api/pbx/calls/log', ended, asking), { body: { duplicate: true } })
  const unsigned = await fetch(`${url}/`)
  t.match(await unsigned.text(), /<h1>Calls<\/h1>/)
  const wrong = await fetch(`${url}/api/pbx/sync/status`, { headers: signedHeaders('other', Date.now(), '') })
  t.equal(wrong.status, 403)
})

async function start(words: readonly string[]) {
  const program = spawn(process.execPath, ['scripts/examples/crm/crm.ts', ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(program.stdout, 'data')
  return program
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
