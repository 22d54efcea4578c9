/** Faxes: what is sent, and what comes in. */
import type { FaxLine } from '../../drivers/fax.ts'
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import { eraseFax } from './erase.ts'
import { createFax, type Fax } from './fax.ts'
import { faxFigures } from './metrics.ts'
import { faxRoutes } from './routes.ts'
import { readerWarning, roomWarning } from './warnings.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Part } from '../part.ts'
import type { Routing } from '../routing/routing.ts'
import { answered } from '../routing/taken.ts'

export interface FaxPartOptions {
  readonly modems: { readonly faxLines: readonly FaxLine[]; readonly ringing: readonly FaxLine[] }
  readonly outbox: Outbox
  readonly calls: Calls
  readonly routing: Pick<Routing, 'inbound' | 'takers' | 'trunks'>
  readonly inbox: Inbox
}

export interface FaxPart extends Part {
  readonly fax: Fax
}

export function faxPart(core: Core, { modems, outbox, calls, routing, inbox }: FaxPartOptions): FaxPart {
  const { config, store, clock, log, health, policies } = core
  const { inbound, takers, trunks } = routing
  const fax = createFax({
    ...{ config, store, clock, log, outbox, calls, trunks, inbox },
    inbound: (call) => void inbound.take(call),
    modems: modems.faxLines,
    ringing: modems.ringing,
    policy: policies.callback,
    alert: (code, text) => {
      log.error({ code }, text)
      health.warn(code, { severity: 'error', text, fix: 'pbx fax list --state failed' })
    },
    clear: (code) => health.clear(code),
  })
  const { queue } = fax
  takers.add('fax', async (call) => {
    await fax.receiver.receive(call)
    return answered
  })
  const erase = eraseFax(store, fax)
  return {
    name: 'fax',
    fax,
    routes: faxRoutes({ queue, desk: fax.desk, hasLine: () => fax.hasLine() }, erase),
    erasers: { fax: erase },
    health: { fax: () => ({ ...fax.condition(), required: false }) },
    warnings: () => [...roomWarning(config, fax), ...readerWarning()],
    figures: faxFigures(queue),
    queues: () => [{ name: 'faxes', title: 'faxes to send', waiting: queue.waiting, oldestAt: queue.oldestAt() }],
    sweeps: [{ what: 'faxes', sweep: () => fax.sweep() }],
    stepped: (stepMs) => queue.stepped(stepMs),
    start: () => fax.start(),
    drain: () => fax.drain(),
    stop: () => fax.stop(),
  }
}
