/** Which figures of the daemon are published for Prometheus, and where each is read. */
import type { SipDriver } from '../drivers/sip/driver.ts'
import { listenerNames } from '../drivers/sip/listeners.ts'
import type { Calls } from './calls/calls.ts'
import type { FaxQueue } from './fax/queue.ts'
import type { HttpServer } from './http/server.ts'
import type { Mail } from './mail/mail.ts'
import type { Metrics, Sample } from './metrics.ts'
import type { Modems } from './modems.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { Store } from './store/store.ts'

export interface Measured {
  readonly calls: Calls
  readonly driver: SipDriver
  readonly outbox: Outbox
  readonly store: Store
  readonly faxes: FaxQueue
  readonly modems: Pick<Modems, 'lines'>
  readonly mail: Mail
  readonly texts: { readonly waiting: number; oldestAt(): number | null }
  readonly http: () => HttpServer | null
}

export function measure(metrics: Metrics, { calls, driver, outbox, store, faxes, modems, mail, texts, http }: Measured): void {
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
  metrics.observed('pbx_sip_listener_up', 'Whether a SIP listener that is configured is open.', 'gauge', () => {
    const bound = driver.bound()
    const closed = driver.closedListeners()
    return listenerNames.flatMap((name): Sample[] =>
      bound[name] !== null ? [[{ listener: name }, 1]] : closed.some(({ part }) => part === name) ? [[{ listener: name }, 0]] : [],
    )
  })
  metrics.observed('pbx_engine_restarts_total', 'Restarts of the SIP engine.', 'counter', () => fact('restarts'))
  metrics.observed('pbx_engine_tick_lateness_max_ms', 'Latest tick of the media clock in the last 10 s.', 'gauge', () =>
    fact('tickLatenessMaxMs'),
  )
  metrics.observed(
    'pbx_engine_audio_dropped_total',
    'Pieces of 20 ms of a call that speech recognition did not get, because they were taken too late.',
    'counter',
    () => fact('droppedAudio'),
  )
  metrics.observed(
    'pbx_rtp_foreign_packets_total',
    'RTP, RTCP and UDPTL packets dropped because they did not come from the far end of a call.',
    'counter',
    () => fact('foreignPackets'),
  )
  metrics.observed(
    'pbx_sip_connections_refused_total',
    'SIP connections over TCP or TLS refused, or ended for being idle.',
    'counter',
    () => [...driver.refusals.connections()].map(([reason, count]): Sample => [{ reason }, count]),
  )
  metrics.observed('pbx_unacknowledged_calls_total', 'Calls ended or refused because answers were not acknowledged.', 'counter', () =>
    one(driver.refusals.unacknowledgedCalls),
  )
  metrics.observed('pbx_queue_waiting', 'What waits to go out.', 'gauge', () => [
    [{ queue: 'callbacks' }, outbox.stats().pending],
    [{ queue: 'faxes' }, faxes.waiting],
    [{ queue: 'mails' }, mail.condition().waiting],
    [{ queue: 'texts' }, texts.waiting],
  ])
  metrics.observed('pbx_queue_oldest_seconds', 'Age of the oldest that waits.', 'gauge', () => {
    const age = (since: number | null): number => (since === null ? 0 : Math.max(0, (Date.now() - since) / 1000))
    return [
      [{ queue: 'callbacks' }, age(outbox.stats().oldestPendingAt)],
      [{ queue: 'faxes' }, age(faxes.oldestAt())],
      [{ queue: 'mails' }, age(mail.condition().oldestAt)],
      [{ queue: 'texts' }, age(texts.oldestAt())],
    ]
  })
  metrics.observed('pbx_callbacks_dead', 'Callbacks that were given up.', 'gauge', () => one(outbox.stats().dead))
  metrics.observed('pbx_faxes', 'Faxes that are not over yet.', 'gauge', () =>
    (['queued', 'processing', 'dialing', 'sending', 'retrying'] as const).map((state): Sample => [
      { state },
      faxes.states().get(state) ?? 0,
    ]),
  )
  const { figures } = faxes
  metrics.observed('pbx_faxes_ended_total', 'Faxes to send that are over.', 'counter', () => figures.ended())
  metrics.observed('pbx_fax_attempts_total', 'Calls made for faxes.', 'counter', () => figures.attempts())
  metrics.observed('pbx_faxes_received_total', 'Faxes received.', 'counter', () => figures.received())
  metrics.observed('pbx_fax_pages_total', 'Pages that the far end confirmed, and pages received.', 'counter', () => figures.pages())
  metrics.observed('pbx_fax_line_up', 'Whether a line can send faxes.', 'gauge', () =>
    faxes.lines().map((line): Sample => [{ line: line.id }, line.ok ? 1 : 0]),
  )
  metrics.observed('pbx_mails_ended_total', 'Mails that are over.', 'counter', () =>
    Object.entries(mail.queue?.ended ?? {}).map(([outcome, count]): Sample => [{ outcome }, count]),
  )
  metrics.observed('pbx_modem_up', 'Whether a modem line works, now or as soon as its call is over.', 'gauge', () =>
    modems.lines().map((line): Sample => [{ line: line.id }, line.ok ? 1 : 0]),
  )
  metrics.observed('pbx_modem_state', 'What a modem line does just now: 1 for that state.', 'gauge', () =>
    modems.lines().map((line): Sample => [{ line: line.id, state: line.state }, 1]),
  )
  metrics.observed('pbx_store_bytes', 'Size of the store.', 'gauge', () => one(store.health().bytes))
  metrics.observed('pbx_http_requests_total', 'Answered requests.', 'counter', () =>
    Array.from(http()?.counts() ?? [], ({ operation, status, count }): Sample => [{ operation, status: String(status) }, count]),
  )
}
