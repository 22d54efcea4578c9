/** Callbacks while the clock is set, and after a restart with another one. */
import t from 'tap'
import { createOutbox } from '../../daemon/outbox/outbox.ts'
import { numberOf, sampleEvent } from '../harness/sample-event.ts'
import { application, bench, hour, log, ok } from './bench.ts'

t.test('the clock is set: what is on its way to the disk is delivered, what waits is as far away as it was', async (t) => {
  let status = 204
  const app = await application(t, (_, response) => response.writeHead(status).end())
  const { send, store, clock, outbox, eventually } = await bench(t)
  for (const stepMs of [2 * hour, -4 * hour]) {
    status = 204
    const before = app.received.length
    const callback = {
      event: sampleEvent(),
      subject: 'CA1',
      url: app.url,
      secret: 'x',
      schedule: 'call' as const,
    }
    const written = store.transaction(() => outbox.enqueue(callback))
    clock.set(clock.now() + stepMs)
    // As another callback does when its own commit is done.
    outbox.wake()
    await written
    outbox.wake()
    await app.until(before + 1)
    status = 500
    const [eventId] = await send([{ url: app.url, schedule: 'call' }])
    await eventually(() => outbox.show(eventId!)?.attempts === 1)
    clock.set(clock.now() + stepMs)
    clock.advance(4999)
    t.equal(app.received.length, before + 2)
    status = 204
    clock.advance(1)
    await app.until(before + 3)
  }
  await eventually(() => outbox.stats().pending === 0)
})

t.test('the order of a fifo outlives a restart after which the clock is behind', async (t) => {
  const app = await application(t, ok)
  const first = await bench(t)
  const callback = { subject: 'CA1', url: app.url, secret: 'x', schedule: 'call' as const, fifo: 'CA1' }
  await first.outbox.stop()
  const again = (): ReturnType<typeof createOutbox> =>
    createOutbox({ store: first.store, clock: first.clock, log, policy: { allowLoopback: true }, secret: () => 'x', version: '1' })
  // Made by two runs: the ids of the second are smaller.
  for (const event of [
    sampleEvent({ sequence: 1, eventId: '00000000-0000-7000-8000-00000000000b' }),
    sampleEvent({ sequence: 2, eventId: '00000000-0000-7000-8000-00000000000a' }),
  ]) {
    const run = again()
    await first.store.transaction(() => run.enqueue({ ...callback, event }))
  }
  const last = again()
  last.start()
  t.teardown(() => last.stop())
  await app.until(2)
  t.same(
    app.received.map(({ body }) => numberOf(body)),
    [1, 2],
  )
})

t.test('what waits when the daemon ends is not put off by a clock that is set back before the next start', async (t) => {
  let status = 500
  const app = await application(t, (_, response) => response.writeHead(status).end())
  const first = await bench(t)
  const [eventId] = await first.send([{ url: app.url, schedule: 'call' }])
  await first.eventually(() => first.outbox.show(eventId!)?.attempts === 1)
  await first.outbox.stop()
  first.clock.set(first.clock.now() - 2 * hour)
  status = 204
  const again = createOutbox({
    store: first.store,
    clock: first.clock,
    log,
    policy: { allowLoopback: true },
    secret: () => 'x',
    version: '1',
    batchMs: 1,
  })
  again.start()
  t.teardown(() => again.stop())
  first.clock.advance(4999)
  t.equal(app.received.length, 1)
  first.clock.advance(1)
  await app.until(2)
})
