/** Customers as the CRM answers with them: a page, what changed, or one; each looked at before anything is made of it. */
import { parseForeignJson } from '../../../drivers/foreign-json.ts'
import type { ErrorDetail } from '../../base/errors.ts'
import type { CrmParty } from '../../schema/crm-answers.ts'
import type { CrmAsk } from '../../schema/crm-requests.ts'
import type { PartyView } from '../../schema/crm.ts'
import type { AskCrm } from '../client/client.ts'
import type { Misfits } from '../client/misfits.ts'
import type { CrmRequest } from '../client/routes.ts'
import type { ForeignReader } from '../foreign.ts'
import { lookAtPage, type LookedPage } from './page.ts'

export interface ReadingOptions {
  readonly client: AskCrm
  /** Reads a page that is long. */
  readonly foreign: Pick<ForeignReader, 'read'>
  /** Called for what does not match the contract. */
  readonly misfits: Pick<Misfits, 'note'>
}

export interface ReadPage extends Omit<LookedPage, 'fault'> {
  readonly bytes: number
}

/** `refused`: the CRM does not want the question; `not-offered`: it has no such route. `reason` in words. */
export type ReadFailure = { readonly failed: 'refused' | 'not-offered' | 'away'; readonly reason: string }

export const pageSize = 500
/** A longer page is looked at off the event loop. */
const shortBytes = 64 * 1024

export class Reading {
  readonly #options: ReadingOptions

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  /** `changedSince`: milliseconds by the clock of the CRM. */
  async page(cursor: string | null, changedSince?: number): Promise<ReadPage | ReadFailure> {
    const since = changedSince === undefined ? {} : { changedSince: `${new Date(changedSince).toISOString().slice(0, 19)}Z` }
    const ask = { route: 'page', body: { cursor, limit: pageSize, ...since } } as const
    const body = await this.#ask(ask, { read: (bytes) => this.#look(bytes) })
    if ('failed' in body) return body
    const { fault, ...page } = body.answer as ReadPage & Pick<LookedPage, 'fault'>
    this.#options.misfits.note('page', page.faults, page.faultCount)
    return fault === undefined ? page : unusable([fault])
  }

  /** Rejects where it is no JSON. */
  async #look(given: readonly Uint8Array[]): Promise<LookedPage & { readonly bytes: number }> {
    const { foreign } = this.#options
    const bytes = given.reduce((sum, { length }) => sum + length, 0)
    if (bytes <= shortBytes) return { ...lookAtPage(parseForeignJson(Buffer.concat(given))), bytes }
    const read = await foreign.read<Omit<LookedPage, 'customers'>>(given, { kind: 'page' })
    try {
      const customers: CrmParty[] = []
      for (let at = 0; at < read.pieces; at++) customers.push(...(await read.piece<CrmParty[]>(at)))
      return { ...read.head, customers, bytes }
    } finally {
      read.done()
    }
  }

  /** null: the CRM has nobody of that id. */
  async one(id: string): Promise<CrmParty | null | ReadFailure> {
    const body = await this.#ask({ route: 'party', params: { id }, body: {} })
    if ('failed' in body) return body.reason.startsWith('404') ? null : body
    const { customer } = (body.answer ?? {}) as { customer?: CrmParty }
    if (customer === undefined) return { failed: 'away', reason: 'the answer holds no customer' }
    return customer.id === id ? customer : { failed: 'away', reason: `the answer holds another customer, ${customer.id}` }
  }

  /** The customer as the CRM has them after it took `party`; `{}` where it only confirms. `eventId`: the same for each attempt. */
  async propose(
    id: string,
    party: PartyView,
    eventId: string,
  ): Promise<{ readonly customer: CrmParty } | Record<never, never> | ReadFailure> {
    const body = await this.#ask({ route: 'proposal', params: { id }, body: party }, { eventId, idempotencyKey: eventId })
    if ('failed' in body) return body
    const { customer } = (body.answer ?? {}) as { customer?: CrmParty }
    return customer?.id === id ? { customer } : {}
  }

  async #ask(
    ask: CrmAsk<'page' | 'party' | 'proposal'>,
    more: Pick<CrmRequest, 'eventId' | 'idempotencyKey' | 'read'> = {},
  ): Promise<{ readonly answer: unknown } | ReadFailure> {
    const outcome = await this.#options.client.request({ ask, ...more })
    switch (outcome.kind) {
      case 'answered':
        return { answer: outcome.body }
      case 'not-offered':
        return { failed: 'not-offered', reason: 'the CRM does not offer that' }
      case 'refused':
        return { failed: 'refused', reason: `${outcome.status}: the CRM refused it` }
      default:
        return { failed: 'away', reason: outcome.reason }
    }
  }
}

function unusable([fault]: readonly ErrorDetail[]): ReadFailure {
  return { failed: 'away', reason: `the answer cannot be used: ${fault?.path ?? ''} ${fault?.message ?? ''}` }
}
