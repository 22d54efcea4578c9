/** Faxes: what is sent, and what comes in. */
import type { FaxLine } from '../../drivers/fax.ts'
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import { createFax, type Fax } from './fax.ts'
import { faxFigures, readerWarning, roomWarning } from './metrics.ts'
import { faxPictureRoutes } from './picture-routes.ts'
import { faxRoutes } from './routes.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Part } from '../part.ts'
import type { Routing } from '../routing/routing.ts'
import { answered } from '../routing/taken.ts'
import { forgetCalls, forgetRepeats, repeatsOf, type Eraser } from '../erasure/erasure.ts'
import type { Store } from '../store/store.ts'

// Deletes a fax that was sent, with its calls' traces and everything that repeats it.

/** Of a fax in a final state. Throws ApiError: fax_unknown, being_sent. */
export function eraseFax(store: Store, fax: Pick<Fax, 'remove'>): Eraser {
  return async (faxId, record) => {
    const repeats = await repeatsOf(store, faxId, ({ subject }) => subject === faxId)
    await fax.remove(faxId, ({ history }) => {
      const callIds = history.map(({ callId }) => callId)
      forgetCalls(
        store.tables,
        callIds.filter((callId) => callId !== ''),
      )
      forgetRepeats(store.tables, faxId, repeats)
      record(faxId)
    })
  }
}

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
    routes: [
      ...faxRoutes({ queue, desk: fax.desk, hasLine: () => fax.hasLine() }, erase),
      ...faxPictureRoutes({ queue, desk: fax.desk, sheets: fax.sheets, hasLine: () => fax.hasLine() }),
    ],
    erasers: { fax: erase },
    health: { fax: () => ({ ...fax.condition(), required: false }) },
    warnings: () => [...roomWarning(config, fax), ...readerWarning()],
    figures: faxFigures(queue),
    queues: () => [{ name: 'faxes', title: 'faxes to send', waiting: queue.waiting, oldestAt: queue.oldestAt() }],
    sweeps: [{ what: 'faxes', sweep: () => fax.sweep() }],
    stepped: (stepMs) => queue.stepped(stepMs),
    start: () => fax.start(),
    hold: (on) => queue.hold(on),
    drain: () => fax.drain(),
    stop: () => fax.stop(),
  }
}
