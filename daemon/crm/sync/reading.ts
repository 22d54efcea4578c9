/** Customers as the CRM answers with them: a page, what changed, or one; each looked at before anything is made of it. */
import type { ErrorDetail } from '../../errors.ts'
import type { CrmParty } from '../../schema/crm-answers.ts'
import type { CrmAsk } from '../../schema/crm-requests.ts'
import type { PartyView } from '../../schema/crm.ts'
import type { AskCrm } from '../client/client.ts'

export interface ReadingOptions {
  readonly client: AskCrm
  /** Fill in what is left out, and say what is wrong. */
  readonly checks: Readonly<Record<'page' | 'party' | 'customer', (value: unknown) => ErrorDetail[] | undefined>>
}

export interface ReadPage {
  readonly customers: readonly CrmParty[]
  /** Ids of those that are not as agreed. */
  readonly unread: readonly string[]
  readonly nextCursor: string | null
  readonly total?: number
}

/** `refused`: the CRM does not want the question; `not-offered`: it has no such route. `reason` in words. */
export type ReadFailure = { readonly failed: 'refused' | 'not-offered' | 'away'; readonly reason: string }

export const pageSize = 500

export class Reading {
  readonly #options: ReadingOptions

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  /** `changedSince`: milliseconds by the clock of the CRM. */
  async page(cursor: string | null, changedSince?: number): Promise<ReadPage | ReadFailure> {
    const { checks } = this.#options
    const since = changedSince === undefined ? {} : { changedSince: `${new Date(changedSince).toISOString().slice(0, 19)}Z` }
    const body = await this.#ask({ route: 'page', body: { cursor, limit: pageSize, ...since } })
    if ('failed' in body) return body
    const faults = checks.page(body.answer)
    if (faults !== undefined) return unusable(faults)
    const { customers: given, nextCursor, total } = body.answer as { customers: unknown[]; nextCursor: string | null; total?: number }
    const customers: CrmParty[] = []
    const unread: string[] = []
    for (const one of given) {
      const { id } = (typeof one === 'object' && one !== null ? one : {}) as { id?: unknown }
      if (checks.party(one) === undefined) customers.push(one as CrmParty)
      else if (typeof id === 'string' && id.length <= 128) unread.push(id)
    }
    return { customers, unread, nextCursor, ...(total === undefined ? {} : { total }) }
  }

  /** null: the CRM has nobody of that id. */
  async one(id: string): Promise<CrmParty | null | ReadFailure> {
    const body = await this.#ask({ route: 'party', params: { id }, body: {} })
    if ('failed' in body) return body.reason.startsWith('404') ? null : body
    const faults = this.#options.checks.customer(body.answer)
    if (faults !== undefined) return unusable(faults)
    const { customer } = body.answer as { customer: CrmParty }
    return customer.id === id ? customer : { failed: 'away', reason: `answered with ${customer.id}` }
  }

  /**
   * The customer as the CRM has them after it was told of `party`; `{}` where it only says that it was told. `eventId`: the same for each
   * attempt.
   */
  async propose(
    id: string,
    party: PartyView,
    eventId: string,
  ): Promise<{ readonly customer: CrmParty } | Record<never, never> | ReadFailure> {
    const body = await this.#ask({ route: 'proposal', params: { id }, body: party }, eventId)
    if ('failed' in body) return body
    if (this.#options.checks.customer(body.answer) !== undefined) return {}
    const { customer } = body.answer as { customer: CrmParty }
    return customer.id === id ? { customer } : {}
  }

  async #ask(ask: CrmAsk<'page' | 'party' | 'proposal'>, eventId?: string): Promise<{ readonly answer: unknown } | ReadFailure> {
    const repeated = eventId === undefined ? {} : { eventId, idempotencyKey: eventId }
    const outcome = await this.#options.client.request({ ask, ...repeated })
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
  return { failed: 'away', reason: `answered what cannot be used: ${fault?.path ?? ''} ${fault?.message ?? ''}` }
}
