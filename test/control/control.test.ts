/** The control socket: where it may be, who may open it, and what it answers. */
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { startSocket } from '../../daemon/http/socket.ts'
import { clockSynchronised, doctorChecks } from '../../daemon/doctor/doctor.ts'
import { createLog } from '../../daemon/base/log.ts'
import { socketClient } from '../harness/socket.ts'
import { callId, eventId, inMemoryServices } from './in-memory-services.ts'

const log = createLog({ level: 'silent' })

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-control-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

t.test('the socket', async (t) => {
  await t.test('its folder is closed to others and the file to all but its group', async (t) => {
    const socket = join(folder(), 'run/pbxd.sock')
    const control = await startSocket({ socket, routes: inMemoryServices().routes(), log })
    t.equal(statSync(join(socket, '..')).mode & 0o777, 0o750)
    t.equal(statSync(socket).mode & 0o777, 0o660)
    await control.close()
    t.notOk(existsSync(socket), 'a closed server leaves no file')
  })

  await t.test('a file left by a killed daemon is replaced', async (t) => {
    const socket = join(folder(), 's')
    const script = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => console.log('up'))`
    const victim = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(victim.stdout, 'data')
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    t.ok(existsSync(socket), 'the dead process left its socket')
    const control = await startSocket({ socket, routes: inMemoryServices().routes(), log })
    t.equal((await socketClient(socket)('GET', '/api/status')).status, 200)
    await control.close()
  })

  await t.test('a daemon that answers is not pushed aside', async (t) => {
    const socket = join(folder(), 's')
    const first = await startSocket({ socket, routes: inMemoryServices().routes(), log })
    await t.rejects(startSocket({ socket, routes: inMemoryServices().routes(), log }), /another pbxd answers/)
    t.equal((await socketClient(socket)('GET', '/api/status')).status, 200, 'the first one goes on')
    await first.close()
  })

  await t.test('a file that is no socket is never removed', async (t) => {
    const socket = join(folder(), 's')
    writeFileSync(socket, 'precious')
    await t.rejects(startSocket({ socket, routes: inMemoryServices().routes(), log }), /is not a socket/)
    t.ok(existsSync(socket))
  })

  await t.test('a path longer than the kernel takes is refused in words', async (t) => {
    await t.rejects(
      startSocket({ socket: join(folder(), 'x'.repeat(120)), routes: inMemoryServices().routes(), log }),
      /longer than the 107 bytes/,
    )
  })
})

t.test('requests', async (t) => {
  const services = inMemoryServices()
  const control = await startSocket({ socket: join(folder(), 's'), routes: services.routes(), log })
  t.teardown(() => control.close())
  const ask = socketClient(control.socket)
  const get = (path: string) => ask('GET', path)
  const post = (path: string, body?: unknown) => ask('POST', path, body)

  await t.test('the views come as they are', async (t) => {
    t.match((await get('/api/status')).json, { ready: false, lines: [{ id: 'main' }] })
    t.match((await get('/api/lines')).json, [{ state: 'refused' }])
    t.match((await get('/api/voice/calls?state=all&limit=5')).json, { items: [{ callId }] })
    t.match((await get(`/api/voice/calls/${callId}`)).json, { callId })
    t.match((await get(`/api/voice/calls/${callId}/trace`)).json, { entries: [{ kind: 'event' }, { kind: 'document' }, {}, {}] })
    t.match((await get('/api/callbacks')).json, [{ eventId }])
    t.match((await get(`/api/callbacks/${eventId}`)).json, { body: '{"event":"call.ended"}' })
    t.match((await get('/api/tokens')).json, [{ source: 'config' }])
    t.match((await get('/api/doctor')).json, [{ level: 'ok' }, { level: 'failure' }])
  })

  await t.test('what does not exist is 404 with a stable code', async (t) => {
    t.match(await get('/api/voice/calls/CA00'), { status: 404, json: { code: 'call_unknown' } })
    t.match(await get('/api/callbacks/nope'), { status: 404, json: { code: 'callback_unknown' } })
    t.match(await get('/nowhere'), { status: 404, json: { code: 'not_found' } })
    t.match(await get('/api/voice/calls/%ZZ'), { status: 400, json: { code: 'invalid_url' } })
    t.match(await ask('DELETE', '/api/status'), { status: 405, json: { code: 'method_not_allowed' } })
    t.match(await ask('DELETE', '/api/tokens/acceptance'), { status: 404, json: { error: /configuration file/ } })
  })

  await t.test('a callback is sent again on request', async (t) => {
    t.equal((await get('/api/callbacks?state=pending')).json.length, 0)
    t.match(await post(`/api/callbacks/${eventId}/retry`), { status: 200, json: { state: 'pending' } })
    t.equal((await get('/api/callbacks?state=pending')).json.length, 1)
    t.equal((await get('/api/callbacks?state=other')).status, 422)
  })

  await t.test('a token is made once under a name, and revoked', async (t) => {
    t.match(await post('/api/tokens', { name: 'crm', scopes: ['crm'] }), {
      status: 200,
      json: { token: 'pbx_crm', view: { scopes: ['crm'] } },
    })
    t.match(await post('/api/tokens', { name: 'crm', scopes: ['crm'] }), { status: 422, json: { code: 'validation_failed' } })
    t.match(await ask('DELETE', '/api/tokens/crm'), { status: 200, json: { revoked: true } })
    t.match(await ask('DELETE', '/api/tokens/crm'), { status: 404 })
  })

  await t.test('bodies are checked before any work', async (t) => {
    t.match(await post('/api/tokens', { name: '', scopes: ['root'] }), {
      status: 422,
      json: { details: [{ path: '/name' }, { path: '/scopes/0' }] },
    })
    t.match(await ask('POST', '/api/tokens', '{'), { status: 400, json: { code: 'invalid_json' } })
    t.match(await ask('POST', '/api/tokens', 'x'.repeat(70_000)), { status: 413, json: { code: 'body_too_large' } })
  })

  const simulation = { from: '1', to: '2', keys: ['1', '2#'], say: '', speed: 20 }
  await t.test('a simulation is streamed, one line an event, and says when it is done', async (t) => {
    const answer = await post('/api/simulate', simulation)
    t.equal(answer.type, 'application/x-ndjson')
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    t.match(lines[0], { type: 'started', callId })
    t.match(lines.at(-2), { type: 'ended', endReason: 'document-end' })
    t.same(lines.at(-1), { done: true })
    t.same(services.simulated, simulation)
  })

  await t.test('a simulation that fails says so on its last line', async (t) => {
    const answer = await post('/api/simulate', { ...simulation, to: 'broken' })
    t.match(JSON.parse(answer.text.trimEnd().split('\n').at(-1) ?? ''), { failed: { code: 'internal' } })
  })

  await t.test('a client that goes away hangs up', async () => {
    const headers = { 'content-type': 'application/json' }
    const asked = request({ socketPath: control.socket, method: 'POST', path: '/api/simulate', headers, agent: false })
    asked.on('error', () => undefined)
    asked.end(JSON.stringify({ ...simulation, to: 'forever' }))
    const [response] = await once(asked, 'response')
    await once(response, 'data')
    asked.destroy()
    await services.hungUp
  })
})

t.test('the doctor', async (t) => {
  const dir = folder()
  const application = createServer().listen(0, '127.0.0.1')
  await once(application, 'listening')
  const { port } = application.address() as { port: number }
  const closed = createSocketServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const freed = (closed.address() as { port: number }).port
  closed.close()
  t.teardown(() => application.close())
  const engine = join(dir, 'pbx-engine')
  writeFileSync(engine, '')
  chmodSync(engine, 0o755)
  const line = { kind: 'trunk' as const, since: '', activeCalls: 0, channels: 1 }
  const checks = await doctorChecks({
    engine,
    storageDir: dir,
    endpoints: [
      { id: 'up', url: `http://127.0.0.1:${port}/voice` },
      { id: 'down', url: `http://127.0.0.1:${freed}/voice` },
    ],
    lines: [
      { ...line, id: 'main', ok: true, state: 'registered', reason: '' },
      { ...line, id: 'other', ok: false, state: 'refused', reason: 'wrong password' },
      { ...line, id: '101', kind: 'extension', ok: false, state: 'not registered', reason: '' },
    ],
    realtime: { ok: false, reason: 'not permitted' },
  })
  const level = Object.fromEntries(checks.map((check) => [check.name, check.level]))
  t.match(level, {
    engine: 'ok',
    'real time': 'warning',
    'endpoint up': 'ok',
    'endpoint down': 'failure',
    'trunk main': 'ok',
    'trunk other': 'failure',
  })
  t.notOk('extension 101' in level, 'a phone that is switched off is no fault')
  t.ok(
    checks.every((check) => (check.level === 'ok') === (check.fix === '')),
    'each finding names what mends it, and only findings do',
  )
  const at = { host: '127.0.0.1', protocol: 'tcp' as const }
  const ports = [
    { ...at, name: 'http.listen', port },
    { ...at, name: 'sip.tcp', port: freed },
    { ...at, name: 'sip.udp', protocol: 'udp' as const, port: freed },
  ]
  const missing = await doctorChecks({ engine: join(dir, 'none'), storageDir: join(dir, 'none'), endpoints: [], ports })
  t.match(
    missing.find((check) => check.name === 'http.listen'),
    { level: 'failure', text: /EADDRINUSE/, fix: /stop the program/ },
  )
  t.match(
    missing.filter((check) => check.name.startsWith('sip')),
    [{ level: 'ok' }, { level: 'ok' }],
  )
  t.match(
    missing.find((check) => check.name === 'engine'),
    { level: 'failure', fix: 'scripts/setup' },
  )
  const sick = await doctorChecks({
    engine,
    storageDir: dir,
    endpoints: [],
    engineHealth: { ok: false, reason: 'udp: port 5060 is taken' },
  })
  t.match(sick[0], { level: 'failure', text: 'udp: port 5060 is taken', fix: /sip\.udp/ })
  t.ok([true, false, null].includes(await clockSynchronised()))
})
