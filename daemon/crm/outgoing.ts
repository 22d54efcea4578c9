/** What goes to the CRM, put together: its client, and the queue of the calls for it. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { History } from '../history/history.ts'
import type { RecordWatch } from '../history/records.ts'
import type { AddressPolicy } from '../outbox/address.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import { CrmClient } from './client/client.ts'
import type { ForeignReader } from './foreign.ts'
import { Integration } from './integration.ts'
import { LiveNews } from './live.ts'
import { Order } from './queue/order.ts'
import { Pending } from './queue/pending.ts'
import { Sender } from './queue/sender.ts'
import type { Tally } from './tally.ts'

/** Texts of the CRM as they may stand in a list: names and numbers of patients are not among them. */
const word = /^[a-z][a-z0-9_]{0,63}$/i

/** The code of an error in JSON; else the text without numbers, addresses and what is quoted. */
export function scrub(text: string): string {
  const json = text.indexOf('{')
  if (json >= 0) {
    const code = codeIn(text.slice(json))
    if (code !== null) return `${text.slice(0, json)}${code}`
  }
  return text
    .replaceAll(/[^\s"'<>]+@[^\s"'<>]+/g, '[address]')
    .replaceAll(/"[^"]*"|'[^']*'/g, '"..."')
    .replaceAll(/\(?\+?\d[\d ().-]{3,}\d/g, '[number]')
}

function codeIn(text: string): string | null {
  try {
    const { code } = JSON.parse(text) as { code?: unknown }
    return typeof code === 'string' && word.test(code) ? code : null
  } catch {
    const code = /"code"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? ''
    return word.test(code) ? code : null
  }
}

export interface OutgoingOptions {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  readonly policy: AddressPolicy
  readonly history: History
  readonly tally: Tally
  readonly foreign: ForeignReader
}

export interface Outgoing {
  readonly client: CrmClient
  readonly integration: Integration
  readonly pending: Pending
  readonly sender: Sender
  readonly watches: readonly RecordWatch[]
}

export function createOutgoing({ config, store, clock, log, version, policy, history, tally, foreign }: OutgoingOptions): Outgoing {
  const integration = new Integration(store, clock)
  const enabled = (): boolean => integration.enabled
  const order = new Order()
  const client = new CrmClient({
    ...{ config, clock, log, version, policy, foreign, enabled },
    went: (reason) => tally.went(reason),
    backlog: () => order.size > 0,
  })
  client.onClosed(() => tally.cameBack())
  const pending = new Pending({
    ...{ store, clock, history },
    configured: client.configured,
    size: () => order.size,
    overflowed: () => log.error({}, 'the queue for the CRM is full: the newest calls will not be sent to it'),
  })
  const { maxRequestsPerSecond: perSecond } = config.crm
  const sender = new Sender({
    ...{ clock, log, client, pending, history, order, perSecond, enabled, scrub },
    delivered: (delayMs) => tally.delivered(delayMs),
  })
  pending.onChange((key, row) => sender.expect(key, row))
  integration.onEnabled(() => sender.hurry())
  return { client, integration, pending, sender, watches: [pending, new LiveNews({ store, clock, client })] }
}
