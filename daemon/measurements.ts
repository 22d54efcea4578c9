/** Which figures of the daemon are published for Prometheus, and where each is read. */
import type { SipDriver } from '../drivers/sip/driver.ts'
import type { Calls } from './calls/calls.ts'
import type { HttpServer } from './http/server.ts'
import type { Metrics, Sample } from './metrics.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { Store } from './store/store.ts'

export interface Measured {
  readonly calls: Calls
  readonly driver: SipDriver
  readonly outbox: Outbox
  readonly store: Store
  readonly http: () => HttpServer | null
}

export function measure(metrics: Metrics, { calls, driver, outbox, store, http }: Measured): void {
  const one = (value: number): Sample[] => [[{}, value]]
  const fact = (name: string): Sample[] => {
    const value = driver.health().facts[name]
    return typeof value === 'number' ? one(value) : []
  }
  metrics.observed('pbx_calls_active', 'Calls in progress, queued ones included.', 'gauge', () => one(calls.live().length))
  metrics.observed('pbx_calls_ended_total', 'Calls that ended since the start.', 'counter', () => one(calls.endedCount))
  metrics.observed('pbx_trunk_up', 'Whether a trunk can be used.', 'gauge', () =>
    driver
      .lines()
      .filter((line) => line.kind === 'trunk')
      .map((line): Sample => [{ trunk: line.id }, line.ok ? 1 : 0]),
  )
  metrics.observed('pbx_extension_registered', 'Whether a phone is registered.', 'gauge', () =>
    driver
      .lines()
      .filter((line) => line.kind === 'extension')
      .map((line): Sample => [{ extension: line.id }, line.ok ? 1 : 0]),
  )
  metrics.observed('pbx_engine_up', 'Whether the SIP engine runs.', 'gauge', () => one(driver.health().ok ? 1 : 0))
  metrics.observed('pbx_engine_restarts_total', 'Restarts of the SIP engine.', 'counter', () => fact('restarts'))
  metrics.observed('pbx_engine_tick_lateness_max_ms', 'Latest tick of the media clock in the last 10 s.', 'gauge', () =>
    fact('tickLatenessMaxMs'),
  )
  metrics.observed('pbx_queue_waiting', 'Callbacks that wait for delivery.', 'gauge', () => [
    [{ queue: 'callbacks' }, outbox.stats().pending],
  ])
  metrics.observed('pbx_queue_oldest_seconds', 'Age of the oldest callback that waits.', 'gauge', () => {
    const { oldestPendingAt } = outbox.stats()
    return [[{ queue: 'callbacks' }, oldestPendingAt === null ? 0 : Math.max(0, (Date.now() - oldestPendingAt) / 1000)]]
  })
  metrics.observed('pbx_callbacks_dead', 'Callbacks that were given up.', 'gauge', () => one(outbox.stats().dead))
  metrics.observed('pbx_store_bytes', 'Size of the store.', 'gauge', () => one(store.health().bytes))
  metrics.observed('pbx_http_requests_total', 'Answered requests.', 'counter', () =>
    Array.from(http()?.counts() ?? [], ({ operation, status, count }): Sample => [{ operation, status: String(status) }, count]),
  )
}
