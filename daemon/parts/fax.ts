/** Faxes: what is sent, and what comes in. */
import { existsSync } from 'node:fs'
import type { FaxLine } from '../../drivers/fax.ts'
import type { InboundCall } from '../../drivers/line.ts'
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import { eraseFax } from '../fax/erase.ts'
import { createFax, type Fax } from '../fax/fax.ts'
import type { FaxQueue } from '../fax/queue.ts'
import { faxRoutes } from '../fax/routes.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Figure, Sample } from '../base/metrics.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { CodedWarning, Part } from '../part.ts'
import type { Trunks } from '../routing/trunks.ts'
import { pagesFix, pagesSocket } from '../base/services.ts'

export interface FaxPartOptions {
  readonly modems: { readonly faxLines: readonly FaxLine[]; readonly ringing: readonly FaxLine[] }
  readonly outbox: Outbox
  readonly calls: Calls
  readonly trunks: Trunks
  /** Takes a call that rings on a modem to its destination. */
  readonly inbound: (call: InboundCall) => void
  readonly inbox: Inbox
}

export interface FaxPart extends Part {
  readonly fax: Fax
}

export function faxPart(core: Core, options: FaxPartOptions): FaxPart {
  const { config, store, log, health, policies } = core
  const fax = createFax({
    ...core,
    ...options,
    modems: options.modems.faxLines,
    ringing: options.modems.ringing,
    policy: policies.callback,
    alert: (code, text) => {
      log.error({ code }, text)
      health.warn(code, { severity: 'error', text, fix: 'pbx fax list --state failed' })
    },
    clear: (code) => health.clear(code),
  })
  const { queue } = fax
  const erase = eraseFax(store, fax)
  return {
    name: 'fax',
    fax,
    routes: faxRoutes({ queue, desk: fax.desk, hasLine: () => fax.hasLine() }, erase),
    erasers: { fax: erase },
    health: { fax: () => ({ ...fax.condition(), required: false }) },
    warnings: () => [...roomWarning(core, fax), ...readerWarning()],
    figures: faxFigures(queue),
    queues: () => [{ name: 'faxes', title: 'faxes to send', waiting: queue.waiting, oldestAt: queue.oldestAt() }],
    sweeps: [{ what: 'faxes', sweep: () => fax.sweep() }],
    stepped: (stepMs) => queue.stepped(stepMs),
    start: () => fax.start(),
    drain: () => fax.drain(),
    stop: () => fax.stop(),
  }
}

function* roomWarning({ config }: Core, fax: Fax): Iterable<CodedWarning> {
  if (fax.condition().room) return
  const text = `Less than ${config.fax.freeMegabytes} MB are free: fax calls are not answered`
  yield { code: 'fax-room', severity: 'error', text, fix: `free space on the file system of ${config.storage.dir}` }
}

function* readerWarning(): Iterable<CodedWarning> {
  const socket = pagesSocket()
  if (socket === undefined || existsSync(socket)) return
  yield { code: 'pages-down', severity: 'error', text: `PDFs cannot be read: no program listens on ${socket}`, fix: pagesFix }
}

function faxFigures(queue: FaxQueue): readonly Figure[] {
  const { figures } = queue
  const states = ['queued', 'processing', 'dialing', 'sending', 'retrying'] as const
  return [
    {
      name: 'pbx_faxes',
      help: 'Faxes that have not ended.',
      type: 'gauge',
      read: () => states.map((state): Sample => [{ state }, queue.states().get(state) ?? 0]),
    },
    { name: 'pbx_faxes_ended_total', help: 'Outgoing faxes that have ended.', type: 'counter', read: () => figures.ended() },
    { name: 'pbx_fax_attempts_total', help: 'Calls made for faxes.', type: 'counter', read: () => figures.attempts() },
    { name: 'pbx_faxes_received_total', help: 'Faxes received.', type: 'counter', read: () => figures.received() },
    {
      name: 'pbx_fax_pages_total',
      help: 'Pages that the far end confirmed, and pages received.',
      type: 'counter',
      read: () => figures.pages(),
    },
    {
      name: 'pbx_fax_line_up',
      help: 'Whether a line can send faxes.',
      type: 'gauge',
      read: () => queue.lines().map((line): Sample => [{ line: line.id }, line.ok ? 1 : 0]),
    },
  ]
}
