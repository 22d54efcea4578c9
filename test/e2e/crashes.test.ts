/** Power cuts of every kind: kill -9 of the engine and of the daemon during calls and load, stops, and hostile bytes. */
import { connect, createServer } from 'node:net'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Scene, eventually, pause } from '../harness/scene.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['limits'] = {
      originatesPerMinute: 100000,
      requestsPerSecond: 100000,
      burst: 100000,
      originateStartsPerSecond: 100,
      originateQueue: 10000,
    }
  },
})
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const welcome = 'Welcome to Riverside Clinic.'
const to = '+15559870000'

t.test('kill -9 of the engine: its calls end with call.ended, the API stays, the next call works within seconds', async (t) => {
  app.script = () => [{ gather: { timeout: 60 } }]
  const callers = [await scene.call(), await scene.call({ from: '+15551230002' })]
  for (const caller of callers) await caller.rtp.until('audio', () => caller.rtp.packets.length > 10)
  const [pid] = daemon.enginePids()
  t.ok(pid, 'an engine is running')
  const killed = performance.now()
  process.kill(pid!, 'SIGKILL')
  let slowest = 0
  const ready = async () => {
    const asked = performance.now()
    t.equal((await fetch(`${daemon.http}/healthz`)).status, 200)
    slowest = Math.max(slowest, performance.now() - asked)
    return daemon.enginePids().some((p) => p !== pid) && (await fetch(`${daemon.http}/readyz`)).status === 200
  }
  await eventually('the engine is back', ready, 30_000)
  const back = performance.now() - killed
  t.comment(`back after ${back.toFixed(0)} ms; the slowest answer of the API took ${slowest.toFixed(0)} ms`)
  for (let i = 1; i <= 2; i++) {
    const { event, at } = await app.until('call.ended', undefined, 30_000, i)
    t.match(event, { state: /completed|failed/, endReason: 'failed', endedBy: 'system' })
    t.comment(`call.ended after ${(at - killed).toFixed(0)} ms`)
  }
  t.same(await scene.finish(), [])
  app.reset()
  app.script = () => [{ say: { text: welcome } }]
  const caller = await scene.call()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(welcome).whole)
  t.same(await scene.finish(), [])
})

t.test('kill -9 of the daemon during calls and API load: nothing acknowledged is lost, and the API answers again', async (t) => {
  app.script = () => [{ gather: { timeout: 60 } }]
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 10)
  const live = app.received[0]?.event.callId as string
  const acknowledged: string[] = []
  let stop = false
  const load = Array.from({ length: 8 }, async () => {
    while (!stop) {
      const answer = await scene.originate({ to, endpoint: 'reception', externalRef: 'load' }).catch(() => undefined)
      if (answer?.status === 200) acknowledged.push(answer.body.callId)
      else await pause(20)
      if (acknowledged.length > 60) await pause(100)
    }
  })
  await eventually('60 acknowledged calls', () => acknowledged.length >= 60, 20000)
  const engines = daemon.enginePids()
  await daemon.kill()
  stop = true
  await Promise.all(load)
  t.equal(await caller.sip.exit, 0, `the engine says BYE when its daemon does not come back: ${caller.sip.failure()}`)
  const alive = (pid: number) => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  }
  await eventually('the engine ends with its calls', () => !engines.some(alive), 15_000)
  const began = performance.now()
  await daemon.start(false)
  await eventually(
    'the API',
    () =>
      fetch(`${daemon.http}/healthz`).then(
        (r) => r.status === 200,
        () => false,
      ),
    20000,
  )
  t.comment(`the API answered after ${(performance.now() - began).toFixed(0)} ms`)
  await daemon.ready()
  const ended = () => new Set(app.received.filter((r) => r.event.event === 'call.ended').map((r) => r.event.callId as string))
  await eventually('call.ended of every acknowledged call', () => [live, ...acknowledged].every((id) => ended().has(id)), 40000).catch(
    (e: unknown) => {
      const lost = [live, ...acknowledged].filter((id) => !ended().has(id))
      t.fail(`${String(e)}: ${lost.length} of ${acknowledged.length + 1} without call.ended, such as ${lost.slice(0, 3).join(', ')}`)
    },
  )
  const events = app.received.filter((r) => r.event.event === 'call.ended')
  t.equal(new Set(events.map((r) => r.event.eventId)).size, ended().size, 'one call.ended for a call, however often delivered')
  for (const id of acknowledged.slice(0, 5)) t.equal((await daemon.api('GET', `/api/voice/calls/${id}`)).status, 200)
  await scene.finish()
})

t.test('a daemon killed while the application is told of the hang-up still sends call.ended after its restart', async (t) => {
  app.script = (event) => (event.reason === 'hangup' ? { status: 200, body: '[]', delayMs: 4000 } : [{ gather: { timeout: 60 } }])
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 10)
  caller.sip.command('HANGUP')
  const told = await app.until('gather.completed', (e) => e.reason === 'hangup')
  await daemon.kill()
  t.same(
    app.events(told.event.callId as string).filter((e) => e.event === 'call.ended'),
    [],
    'not sent before',
  )
  await daemon.start()
  const ended = await app.until('call.ended', (e) => e.callId === told.event.callId, 10000)
  t.ok(ended)
  app.reset()
  await caller.close()
})

t.test('calls that are accepted while the engine is away are placed when it is back', async (t) => {
  const [pid] = daemon.enginePids()
  process.kill(pid!, 'SIGKILL')
  await eventually('it is gone', async () => (await fetch(`${daemon.http}/readyz`)).status !== 200)
  const placed = await Promise.all([1, 2, 3].map(() => scene.originate({ to, endpoint: 'reception' })))
  t.same(
    placed.map(({ status }) => status),
    [200, 200, 200],
  )
  for (const { body } of placed) {
    const { event } = await app.until('call.ended', (e) => e.callId === body.callId)
    t.ok(event.sipCode > 0, `the trunk answered: ${event.sipCode}`)
  }
  t.same(await scene.finish(), [])
})

t.test('kill -9 of the daemon in the middle of a message: it is told after the restart, can be fetched and deleted', async (t) => {
  const record = { playBeep: false, silenceTimeout: 0, initialTimeout: 0, maxSeconds: 60 }
  app.script = (event) => (event.event === 'call.inbound.pre_route' ? [{ record }] : [])
  const folder = join(daemon.dir, 'var', 'recordings')
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 0)
  await eventually('the recorder writes', () => readdirSync(folder).some((name) => statSync(join(folder, name)).size > 8000))
  await daemon.kill()
  await daemon.start()
  const { event } = await app.until('record.completed')
  t.match(event, { reason: 'hangup', transcriptStatus: 'off' })
  t.ok(event.durationMs > 400, `${event.durationMs} ms`)
  const fetched = await daemon.api('GET', event.mediaUrl)
  t.match(fetched, { status: 200, body: /^RIFF/ })
  const ended = await app.until('call.ended')
  t.same(ended.event.recordings, [event.recordingId])
  t.equal((await daemon.api('DELETE', `/api/voice/recordings/${event.recordingId}`)).status, 204)
  t.same(readdirSync(folder), [], 'nothing is left')
  t.same(await scene.finish(), [])
})

t.test('kill -9 of the daemon before the application has answered to a key: it is told again after the restart', async (t) => {
  app.script = (event) => (event.event === 'gather.completed' ? 'hang' : [{ gather: { numDigits: 1, timeout: 60 } }])
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 10)
  await caller.rtp.press('7')
  const first = await app.until('gather.completed')
  await daemon.kill()
  app.script = () => []
  await daemon.start()
  const again = await app.until('gather.completed', (e) => e.eventId === first.event.eventId, 15000, 2)
  t.match(again.event, { digits: '7', reason: 'digits', sequence: first.event.sequence })
  await app.until('call.ended', (e) => e.callId === first.event.callId)
  app.reset()
  await caller.close()
})

t.test('call.ended that the application refused is delivered again after a kill -9, with the same eventId', async (t) => {
  app.status = () => ({ status: 503 })
  const placed = await scene.originate({ to, endpoint: 'reception' })
  t.equal(placed.status, 200)
  const first = await app.until('call.ended')
  const pending = async () => JSON.parse((await daemon.pbx('callbacks', 'list', '--json')).out).filter((c: any) => c.state !== 'delivered')
  await eventually('the attempt is written down', async () => (await pending())[0]?.attempts === 1)
  await daemon.kill()
  app.status = () => ({ status: 204 })
  await daemon.start()
  const again = await app.until('call.ended', (e) => e.eventId === first.event.eventId, 15000, 2)
  t.equal(again.attempt, 2)
  t.same(again.event, first.event)
  await eventually('nothing is pending any more', async () => (await pending()).length === 0)
  t.same(app.faults, [])
  await scene.finish()
})

t.test('malformed HTTP gets a clear answer or a closed connection, never a crash', async (t) => {
  const port = Number(new URL(daemon.http).port)
  const send = (bytes: string | Buffer): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      let text = ''
      socket.on('data', (d) => (text += d.toString('latin1')))
      socket.on('error', () => resolve(text))
      socket.on('close', () => resolve(text))
      setTimeout(() => socket.destroy(), 400)
    })
  const auth = `Authorization: Bearer ${daemon.token}\r\n`
  for (const bytes of [
    'GET\r\n\r\n',
    '\x16\x03\x01\x00\xa5',
    `POST /api/voice/originate HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{}`,
    `POST /api/voice/originate HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
    `GET /api/voice/calls/${'%00'.repeat(10)} HTTP/1.1\r\nHost: x\r\n${auth}\r\n`,
    `GET /${'a'.repeat(20000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET /api/voice/recordings/..%2f..%2fpbxd.yaml HTTP/1.1\r\nHost: x\r\n${auth}\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(3000)}\r\n`,
  ]) {
    const answer = await send(bytes)
    t.ok(answer === '' || /^HTTP\/1\.1 (4|5)/.test(answer), `${JSON.stringify(bytes.slice(0, 50))}: ${answer.slice(0, 60)}`)
    t.notMatch(answer, 'whsec_')
  }
  for (const [body, status, code] of [
    ['[', 400, 'invalid_json'],
    [`{"to":"${'9'.repeat(300000)}"}`, 413, 'body_too_large'],
    ['{"to":"\\u0000","endpoint":"reception"}', 422, /./],
    ['['.repeat(100000), 400, 'invalid_json'],
  ] as const)
    t.match(await daemon.api('POST', '/api/voice/originate', body), { status, body: { code } })
  const form = await fetch(`${daemon.http}/api/voice/originate`, {
    method: 'POST',
    body: 'a=b',
    headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'text/plain' },
  })
  t.equal(form.status, 415)
  t.equal((await fetch(`${daemon.http}/healthz`)).status, 200)
  t.equal(daemon.exit, undefined)
})

/** For so long SIGTERM lets calls go on (daemon/main.ts). */
const drainMs = 20_000

t.test('SIGTERM drains: a call in progress may finish, the exit code is 0; a second SIGTERM ends at once', async (t) => {
  app.script = () => [{ say: { text: welcome } }]
  const caller = await scene.call()
  await caller.rtp.sound()
  daemon.signal('SIGTERM')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(welcome).whole, 'the sentence was finished')
  await eventually('exit', () => daemon.exit !== undefined, 15000)
  t.same(daemon.exit, { code: 0, signal: null })
  await scene.finish()
  await daemon.start()
  app.script = () => [{ gather: { timeout: 60 } }]
  const second = await scene.call()
  await second.rtp.until('audio', () => second.rtp.packets.length > 10)
  daemon.signal('SIGTERM')
  const drains = () =>
    fetch(`${daemon.http}/readyz`).then(
      ({ status }) => status !== 200,
      () => true,
    )
  await eventually('it drains', drains)
  const asked = performance.now()
  daemon.signal('SIGTERM')
  await eventually('exit', () => daemon.exit !== undefined, 30_000)
  t.ok(performance.now() - asked < drainMs, 'the end of the draining was not waited for')
  t.equal(await second.sip.exit, 0, `BYE on the way out: ${second.sip.failure()}`)
  await scene.finish()
})

t.test('a refused configuration names every error with line and column and exits 2', async (t) => {
  const other = await Scene.open({}, false)
  t.teardown(() => other.close())
  writeFileSync(
    other.daemon.configFile,
    'site: { name: 5, colour: red }\nhttp: { listen: nowhere }\ntrunks:\n  - { id: main, server: "127.0.0.1:5090", numbers: [15550001000] }\n',
  )
  await other.daemon.start(false)
  await eventually('exit', () => other.daemon.exit !== undefined, 10000)
  t.equal(other.daemon.exit?.code, 2)
  const errors = other.daemon.stderr.split('\n').filter((line) => /pbxd\.yaml:\d+:\d+: /.test(line))
  t.ok(errors.length >= 3, other.daemon.stderr)
  t.match(other.daemon.stderr, /quote/i, 'the advice to quote numbers')
})

t.test(
  'a port that another program holds is told as what it is, everywhere; calls come in where SIP listens, and "ready" waits',
  async (t) => {
    await daemon.stop()
    const holder = createServer()
    const listens = () =>
      new Promise<boolean>((resolve) => {
        holder.once('error', () => resolve(false)).listen(daemon.sipPort, '127.0.0.1', () => resolve(true))
      })
    // The engine that the second SIGTERM has left alone is there for a while.
    await eventually('the port is free', listens)
    t.teardown(() => holder.close())
    const taken = new RegExp(`/sip/tcp: TCP 127\\.0\\.0\\.1:${daemon.sipPort} cannot be opened on this machine: another program uses it`)
    t.match(await daemon.pbx('config', 'check', daemon.configFile), { code: 0, error: taken })
    daemon.log.length = 0
    await daemon.start(false)
    const readyz = async () => (await fetch(`${daemon.http}/readyz`).catch(() => undefined))?.status
    await eventually('it listens', async () => (await readyz()) !== undefined)
    await eventually('it says so', () => daemon.log.some(({ msg }) => msg === 'started, but not ready'))
    t.match(await (await fetch(`${daemon.http}/readyz`)).json(), {
      ready: false,
      parts: { engine: { ok: true }, listeners: { ok: false, reason: 'SIP does not listen on TCP', required: true } },
    })
    const why = new RegExp(`sip.tcp 127.0.0.1:${daemon.sipPort}: Address already in use`)
    t.match(await daemon.api('GET', '/readyz'), { status: 503, body: { parts: { listeners: { reason: why } } } })
    t.match(daemon.log.find(({ msg }) => msg === 'started, but not ready')?.['missing'], [new RegExp(`listeners: ${why.source}`)])
    t.notOk(daemon.log.some(({ msg }) => msg === 'ready'))
    t.match((await daemon.pbx('status')).out, /SIP does not listen on TCP: 127.0.0.1:\d+: Address already in use/)
    t.match(await daemon.pbx('doctor'), { out: /tcp: 127.0.0.1:\d+: Address already in use/ })
    app.script = () => [{ say: { text: welcome } }]
    const caller = await scene.call()
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    await new Promise((resolve) => holder.close(resolve))
    await eventually('it is ready', async () => (await readyz()) === 200)
    await eventually('it says so', () => daemon.log.some(({ msg }) => msg === 'ready'))
    t.match(await daemon.pbx('config', 'check', daemon.configFile), { code: 0, error: /^(?!.*another program)/s })
  },
)

t.test('a daemon whose storage was removed starts empty', async (t) => {
  await daemon.stop()
  rmSync(`${daemon.dir}/var`, { recursive: true, force: true })
  await daemon.start()
  t.comment(`${daemon.readyMs.toFixed(0)} ms from spawn to ready`)
  t.equal((await daemon.api('GET', '/api/voice/calls')).status, 200)
})
