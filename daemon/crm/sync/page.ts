/** A page of customers as the CRM answered with it, looked at: what is as agreed, and what is not. */
import type { ErrorDetail } from '../../errors.ts'
import { CrmPartySchema, type CrmParty } from '../../schema/crm-answers.ts'

export interface LookedPage {
  /** What is wrong with the page; then there is nothing else. */
  readonly fault?: ErrorDetail
  readonly customers: readonly CrmParty[]
  /** Ids of those that are not as agreed. */
  readonly unread: readonly string[]
  readonly nextCursor: string | null
  readonly total?: number
}

export type PageChecks = Readonly<Record<'page' | 'party', (value: unknown) => ErrorDetail[] | undefined>>

export function lookAtPage(body: unknown, checks: PageChecks): LookedPage {
  const [fault] = checks.page(body) ?? []
  if (fault !== undefined) return { fault, customers: [], unread: [], nextCursor: null }
  const { customers: given, nextCursor, total } = body as { customers: unknown[]; nextCursor: string | null; total?: number }
  const customers: CrmParty[] = []
  const unread: string[] = []
  for (const one of given) {
    const { id } = (typeof one === 'object' && one !== null ? one : {}) as { id?: unknown }
    if (checks.party(one) === undefined) customers.push(ofContract(one as CrmParty))
    else if (typeof id === 'string' && id.length <= 128) unread.push(id)
  }
  return { customers, unread, nextCursor, ...(total === undefined ? {} : { total }) }
}

/** What a customer may have, and nothing that a CRM says beside it: that would be kept, however much it is. */
export function ofContract(customer: CrmParty): CrmParty {
  return Object.fromEntries(Object.entries(customer).filter(([name]) => Object.hasOwn(CrmPartySchema.properties, name))) as CrmParty
}
