/** Status callbacks: signed, durable, tried again. */
import type { Core } from '../core.ts'
import { callbackRoutes } from './routes.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import type { Part } from '../part.ts'
import { renewPolicies, secretOf } from './policies.ts'

export interface CallbacksPart extends Part {
  readonly outbox: Outbox
}

export function callbacksPart(core: Core): CallbacksPart {
  const { config, store, clock, log, version, policies } = core
  const outbox = createOutbox({
    ...{ store, clock, log, version },
    policy: policies.callback,
    // A late event of a call goes to the application's own address.
    policyOfKind: {
      'record.transcribed': policies.control,
      'gather.completed': policies.control,
      'record.completed': policies.control,
      'stream.completed': policies.control,
    },
    secret: (name) => secretOf(config, name),
    deadDays: config.callbacks.deadDays,
  })
  const loopbackRefused = (): boolean =>
    !config.callbacks.allowLoopback &&
    config.voice.endpoints.some((endpoint) => /\/\/(localhost|127\.)/.test(endpoint.statusCallbackUrl ?? ''))
  return {
    name: 'callbacks',
    outbox,
    routes: callbackRoutes(outbox),
    *warnings() {
      const { dead } = outbox.stats()
      if (dead > 0) {
        const text = `${dead} callbacks were given up`
        yield { code: 'dead-callbacks', severity: 'warning', text, fix: 'pbx callbacks list --state dead' }
      }
      if (loopbackRefused()) {
        const text = 'A statusCallbackUrl is on this machine, and callbacks.allowLoopback is off'
        yield { code: 'loopback-callbacks', severity: 'warning', text, fix: 'callbacks: { allowLoopback: true }' }
      }
    },
    figures: [
      {
        name: 'pbx_callbacks_dead',
        help: 'Callbacks that were given up.',
        type: 'gauge',
        read: () => [[{}, outbox.stats().dead]],
      },
    ],
    queues() {
      const { pending, oldestPendingAt, dead } = outbox.stats()
      return [{ name: 'callbacks', title: 'callbacks', waiting: pending, oldestAt: oldestPendingAt, dead }]
    },
    sweeps: [{ what: 'callbacks', sweep: () => outbox.sweep() }],
    reconfigured: () => renewPolicies(policies, config),
    start: () => outbox.start(),
    stop: () => outbox.stop(),
  }
}
