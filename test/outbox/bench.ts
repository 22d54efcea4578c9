/** An outbox over a store on disk, a clock that stands still, and applications on real sockets. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { createOutbox, type Callback, type Outbox, type OutboxOptions } from '../../daemon/outbox/outbox.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import '../harness/events-fit.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { sampleEvent } from '../harness/sample-event.ts'

export const log = createLog({ level: 'silent' })
export const hour = 3_600_000

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** An application that answers as the test says, and can be waited for. */
/** Takes every delivery. */
export const ok = (_: Received, response: ServerResponse): void => void response.end()

export async function application(t: Test, answer: (request: Received, response: ServerResponse, count: number) => void) {
  const received: Received[] = []
  const waiters: { count: number; resolve: () => void }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const item = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(item)
      answer(item, response, received.length)
      for (const waiter of waiters) if (received.length >= waiter.count) waiter.resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => (received.length >= count ? resolve() : waiters.push({ count, resolve })))
  return { received, until, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

export interface Bench {
  store: Store
  clock: FakeClock
  outbox: Outbox
  send(callbacks: Partial<Callback>[]): Promise<string[]>
  /** Resolves when the condition holds; results reach the store a moment after the answer. */
  eventually(condition: () => boolean): Promise<void>
}

export async function bench(t: Test, options: Partial<OutboxOptions> = {}): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-outbox-'))
  const store = await openStore(dir, log)
  const clock = new FakeClock()
  const outbox = createOutbox({
    store,
    clock,
    log,
    policy: { allowLoopback: true },
    secret: () => 'whsec',
    version: '1.2.3',
    random: () => 0.5,
    batchMs: 1,
    ...options,
  })
  outbox.start()
  t.teardown(async () => {
    await outbox.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return {
    store,
    clock,
    outbox,
    async send(callbacks) {
      const all = callbacks.map((callback): Callback => ({
        event: sampleEvent(),
        subject: 'CA1',
        url: '',
        secret: 'callbacks',
        schedule: 'standard',
        ...callback,
      }))
      await store.transaction(() => all.forEach((callback) => outbox.enqueue(callback)))
      outbox.wake()
      return all.map(({ event }) => event.eventId)
    },
    async eventually(condition) {
      while (!condition()) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
