import t from 'tap'
import { isoTime } from '../../daemon/base/clock.ts'
import { newId } from '../../daemon/base/ids.ts'
import { createOutbox } from '../../daemon/outbox/outbox.ts'
import { pauses } from '../../daemon/outbox/deliveries.ts'
import { verify } from '../../daemon/base/signing.ts'
import { numberOf, sampleEvent } from '../harness/sample-event.ts'
import { application, bench, hour, log, ok, type Received } from './bench.ts'
import type { ServerResponse } from 'node:http'

t.test('a callback is delivered once, signed, with its headers and exact bytes', async (t) => {
  const app = await application(t, ok)
  const { send, outbox, clock, eventually, store } = await bench(t)
  const event = sampleEvent({ callerName: 'Zoë' })
  const body = JSON.stringify(event)
  const [eventId] = await send([{ url: `${app.url}/status?a=1`, event }])
  await app.until(1)
  const { headers, path } = app.received[0]!
  t.equal(path, '/status?a=1')
  t.equal(app.received[0]!.body, body)
  t.match(headers, {
    'content-type': 'application/json',
    'user-agent': 'pbx/1.2.3',
    'x-service-event-id': eventId!,
    'x-service-attempt': '1',
  })
  const given = { signature: headers['x-service-signature'] as string, timestamp: headers['x-service-timestamp'] as string }
  t.equal(verify(['whsec'], given, body, clock.now()), 'ok')
  await eventually(() => outbox.show(eventId!)?.state === 'delivered')
  t.match(outbox.show(eventId!), { state: 'delivered', attempts: 1, lastResult: '200', body: '', nextAttemptAt: null })
  t.same(outbox.stats(), { pending: 0, oldestPendingAt: null, dead: 0 })
  t.equal(store.tables.outbox.count(), 0)
  t.equal(await outbox.retry(eventId!), false, 'what is delivered is not sent again')
  clock.advance(24 * hour)
  t.equal(app.received.length, 1)
})

t.test('a transaction that failed sends nothing', async (t) => {
  const app = await application(t, ok)
  const { store, outbox, send } = await bench(t)
  await t.rejects(
    store.transaction(() => {
      outbox.enqueue({ event: sampleEvent({ sequence: 1 }), subject: '', url: app.url, secret: 'callbacks', schedule: 'call' })
      throw new Error('rolled back')
    }),
  )
  outbox.wake()
  await send([{ url: app.url, event: sampleEvent({ sequence: 2 }) }])
  await app.until(1)
  t.same(
    app.received.map(({ body }) => numberOf(body)),
    [2],
  )
})

t.test('failed attempts follow the schedule, each signed anew, until the dead letter; by hand it starts over', async (t) => {
  let status = 500
  const app = await application(t, (_, response) => response.writeHead(status).end('x'.repeat(200_000)))
  const { send, outbox, clock, eventually } = await bench(t)
  for (const schedule of ['standard', 'call'] as const) {
    status = 500
    const first = app.received.length
    const [eventId] = await send([{ url: app.url, schedule }])
    const sentAt: number[] = []
    for (let attempt = 1; attempt <= pauses[schedule].length + 1; attempt++) {
      await app.until(first + attempt)
      sentAt.push(clock.now())
      t.equal(app.received.at(-1)!.headers['x-service-attempt'], String(attempt))
      t.equal(app.received.at(-1)!.headers['x-service-event-id'], eventId)
      t.equal(app.received.at(-1)!.headers['x-service-timestamp'], String(Math.floor(clock.now() / 1000)))
      await eventually(() => outbox.show(eventId!)?.attempts === attempt)
      const pause = pauses[schedule][attempt - 1]
      if (pause !== undefined) {
        t.match(outbox.show(eventId!), { state: 'pending', nextAttemptAt: isoTime(clock.now() + pause), lastResult: 'answered 500' })
        clock.advance(pause - 1)
        clock.advance(1)
      }
    }
    t.same(
      sentAt.slice(1).map((at, i) => at - sentAt[i]!),
      pauses[schedule],
    )
    t.match(outbox.show(eventId!), { state: 'dead', nextAttemptAt: null, body: /^\{"event":"call.ended"/ })
    t.equal(outbox.stats().dead, 1)
    status = 204
    t.equal(await outbox.retry(eventId!), true)
    await eventually(() => outbox.show(eventId!)?.state === 'delivered')
    t.equal(app.received.at(-1)!.headers['x-service-attempt'], '1')
    t.equal(outbox.stats().dead, 0)
  }
})

t.test('what an answer means', async (t) => {
  const answers: Record<string, [number, Record<string, string>]> = {
    '/gone': [410, {}],
    '/busy': [503, { 'retry-after': '120' }],
    '/long': [429, { 'retry-after': '999999' }],
    '/short': [429, { 'retry-after': '1' }],
    '/moved': [302, { location: '/target' }],
    '/teapot': [404, { 'retry-after': '500' }],
  }
  const app = await application(t, ({ path }, response) => {
    const [status, headers] = answers[path] ?? [200, {}]
    response.writeHead(status, headers).end()
  })
  const { send, outbox, clock, eventually } = await bench(t)
  const paths = Object.keys(answers)
  const ids = await send(paths.map((path) => ({ url: app.url + path })))
  await eventually(() => ids.every((id) => outbox.show(id)?.attempts === 1))
  const seen = Object.fromEntries(paths.map((path, i) => [path, outbox.show(ids[i]!)!]))
  t.match(seen['/gone'], { state: 'dead', lastResult: /410/ })
  t.equal(seen['/busy']!.nextAttemptAt, isoTime(clock.now() + 120_000))
  t.equal(seen['/long']!.nextAttemptAt, isoTime(clock.now() + hour))
  t.equal(seen['/short']!.nextAttemptAt, isoTime(clock.now() + 5000))
  t.match(seen['/moved'], { state: 'pending', lastResult: 'answered 302; redirects are not followed' })
  t.equal(seen['/teapot']!.nextAttemptAt, isoTime(clock.now() + 5000))
  t.notOk(app.received.some(({ path }) => path === '/target'))
  t.same(
    outbox.list({ state: 'dead' }).map(({ url }) => url),
    [`${app.url}/gone`],
  )
  t.equal(outbox.list().length, 6)
  t.equal(outbox.list({ limit: 2 }).length, 2)
  t.same(
    outbox.list().map(({ eventId }) => eventId),
    ids.toReversed(),
    'newest first',
  )
})

t.test('attempts that reach nobody say why', async (t) => {
  const silent = await application(t, () => {})
  const closed = await application(t, (_, response) => response.destroy())
  const { send, outbox, eventually } = await bench(t, {
    timeoutMs: 150,
    secret: (name) => (name === 'callbacks' ? 'whsec' : undefined),
    policy: { allowLoopback: true, ownPorts: [8080] },
  })
  const ids = await send([
    { url: silent.url },
    { url: closed.url },
    { url: 'http://127.0.0.1:1/' },
    { url: 'http://127.0.0.1:8080/' },
    { url: 'http://169.254.169.254/' },
    { url: 'http://host.invalid/' },
    { url: silent.url, secret: 'endpoint:gone' },
  ])
  await eventually(() => ids.every((id) => outbox.show(id)?.attempts === 1))
  const errors = ids.map((id) => outbox.show(id)!.lastResult)
  t.match(errors, [
    /no answer within/,
    /./,
    'the connection was refused',
    /telephone system itself/,
    /link-local/,
    /./,
    /no secret is configured for "endpoint:gone"/,
  ])
  t.ok(errors[5]!.length > 0)
})

t.test('the secret is the one configured at the time of the attempt', async (t) => {
  const app = await application(t, (_, response, count) => response.writeHead(count === 1 ? 500 : 200).end())
  let secret = 'old'
  const { send, clock, outbox, eventually } = await bench(t, { secret: () => secret })
  const [id] = await send([{ url: app.url }])
  await eventually(() => outbox.show(id!)?.attempts === 1)
  secret = 'new'
  clock.advance(5000)
  await app.until(2)
  for (const [index, key] of (['old', 'new'] as const).entries()) {
    const { headers, body } = app.received[index]!
    t.equal(
      verify(
        [key],
        { signature: headers['x-service-signature'] as string, timestamp: headers['x-service-timestamp'] as string },
        body,
        clock.now(),
      ),
      'ok',
    )
  }
})

t.test('callbacks of one fifo go in order, one at a time, also past a failure', async (t) => {
  let open = 0
  let most = 0
  const app = await application(t, ({ body }, response, count) => {
    most = Math.max(most, ++open)
    setImmediate(() => {
      open--
      response.writeHead(numberOf(body) === 2 && count < 3 ? 500 : 200).end()
    })
  })
  const { send, clock, outbox, eventually } = await bench(t)
  const ids = await send([1, 2, 3, 4].map((sequence) => ({ url: app.url, event: sampleEvent({ sequence }), fifo: 'CA1' })))
  await eventually(() => outbox.show(ids[1]!)?.attempts === 1)
  t.same(
    app.received.map(({ body }) => numberOf(body)),
    [1, 2],
  )
  clock.advance(5000)
  await app.until(5)
  t.same(
    app.received.map(({ body }) => numberOf(body)),
    [1, 2, 2, 3, 4],
  )
  t.equal(most, 1)
  await eventually(() => outbox.stats().pending === 0)
})

t.test('at most four at once go to one host', async (t) => {
  const held: ServerResponse[] = []
  const hold = (_: Received, response: ServerResponse): void => void held.push(response)
  const app = await application(t, hold)
  const port = new URL(app.url).port
  const { send, outbox, eventually } = await bench(t)
  await send(Array.from({ length: 10 }, () => ({ url: `http://127.0.0.1:${port}/` })))
  await app.until(4)
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  t.equal(app.received.length, 4)
  for (let sent = 4; sent < 10; sent++) {
    held.shift()!.end()
    await app.until(sent + 1)
  }
  for (const response of held.splice(0)) response.end()
  await eventually(() => outbox.stats().pending === 0)
})

t.test('what waits survives a stop, and is sent after the next start', async (t) => {
  let status = 500
  const app = await application(t, (_, response) => response.writeHead(status).end())
  const first = await bench(t)
  const [id] = await first.send([
    { url: app.url, fifo: 'CA1', event: sampleEvent({ sequence: 1 }) },
    { url: app.url, fifo: 'CA1', event: sampleEvent({ sequence: 2 }) },
  ])
  await app.until(1)
  await first.outbox.stop()
  t.match(
    first.outbox.show(id!),
    { state: 'pending', attempts: 1, lastResult: 'answered 500' },
    'the result is written before the stop ends',
  )
  status = 200
  const again = createOutbox({
    store: first.store,
    clock: first.clock,
    log,
    policy: { allowLoopback: true },
    secret: () => 's',
    version: '1',
    batchMs: 1,
  })
  again.start()
  t.match(again.stats(), { pending: 2, oldestPendingAt: first.clock.now() })
  first.clock.advance(6000)
  await app.until(3)
  await first.eventually(() => again.stats().pending === 0)
  t.same(
    app.received.map(({ body }) => numberOf(body)),
    [1, 1, 2],
  )
  await again.stop()
})

t.test('a stop does not wait for an application that does not answer, and forgets no callback', async (t) => {
  const app = await application(t, () => {})
  const { send, outbox, store } = await bench(t, { stopGraceMs: 20 })
  const [id] = await send([{ url: app.url }])
  await app.until(1)
  await outbox.stop()
  t.match(store.tables.outbox.get(id!), { attempts: 0 })
})

t.test('by hand a waiting callback goes at once', async (t) => {
  const app = await application(t, (_, response, count) => response.writeHead(count === 1 ? 500 : 200).end())
  const { send, outbox, eventually } = await bench(t)
  const [id] = await send([{ url: app.url }])
  await eventually(() => outbox.show(id!)?.attempts === 1)
  t.equal(await outbox.retry(id!), true)
  await eventually(() => outbox.show(id!)?.state === 'delivered')
  t.equal(await outbox.retry(newId()), false)
  t.equal(outbox.show(newId()), undefined)
})

t.test('dead letters are kept 30 days, delivered ones 7 days and at most a thousand', async (t) => {
  const app = await application(t, ({ path }, response) => response.writeHead(path === '/gone' ? 410 : 200).end())
  const { send, outbox, clock, eventually, store } = await bench(t)
  const ids = await send([{ url: `${app.url}/gone` }, { url: app.url }])
  await eventually(() => outbox.stats().pending === 0)
  clock.advance(6.5 * 24 * hour)
  t.equal(await outbox.sweep(), 0)
  t.equal(outbox.list().length, 2)
  clock.advance(24 * hour)
  t.equal(await outbox.sweep(), 1)
  t.equal(outbox.show(ids[0]!)?.state, 'dead')
  clock.advance(23 * 24 * hour)
  t.equal(await outbox.sweep(), 1)
  t.equal(outbox.list().length, 0)
  await store.transaction(() => {
    for (let i = 0; i < 1200; i++)
      store.tables.outboxDone.put(`0${String(i).padStart(5, '0')}`, { outcome: 'delivered', endedAt: clock.now() } as never)
  })
  await send([{ url: app.url }])
  await app.until(3)
  await send([{ url: app.url }])
  await eventually(() => store.tables.outboxDone.count() <= 1002)
  t.equal(store.tables.outboxDone.get('000000'), undefined, 'the oldest went')
})

t.test('two thousand callbacks go out quickly, each once', async (t) => {
  const app = await application(t, ok)
  const { outbox, store, eventually } = await bench(t, { batchMs: 50 })
  const ids = Array.from({ length: 2000 }, newId)
  const before = performance.now()
  const cpu = process.cpuUsage()
  for (const eventId of ids) {
    void store
      .transaction(() =>
        outbox.enqueue({
          event: sampleEvent({ eventId }),
          subject: 'CA1',
          url: app.url,
          secret: 'callbacks',
          schedule: 'call',
          fifo: eventId,
        }),
      )
      .then(() => outbox.wake())
  }
  await app.until(2000)
  await eventually(() => outbox.stats().pending === 0)
  const used = process.cpuUsage(cpu)
  t.comment(
    `${Math.round(2000 / ((performance.now() - before) / 1000))} a second, ${Math.round((used.user + used.system) / 2000)} us of CPU each with the receiver`,
  )
  t.equal(new Set(app.received.map(({ headers }) => headers['x-service-event-id'])).size, 2000)
  t.equal(app.received.length, 2000)
})
