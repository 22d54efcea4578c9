/** A page of customers as the CRM answered with it, looked at: what is as agreed, and what is not. */
import type { ErrorDetail } from '../../base/errors.ts'
import { CrmPageSchema, CrmPartySchema, type CrmParty } from '../../schema/crm-answers.ts'
import { readAnswer } from '../../schema/read-answer.ts'

export interface LookedPage {
  /** What is wrong with the page; then there is nothing else. */
  readonly fault?: ErrorDetail
  readonly customers: readonly CrmParty[]
  /** Ids of those that are of no use. */
  readonly unread: readonly string[]
  readonly nextCursor: string | null
  readonly total?: number
  /** What is not as agreed: the first of it, and how much there is. */
  readonly faults: readonly ErrorDetail[]
  readonly faultCount: number
}

const mostFaults = 20

export function lookAtPage(given: unknown): LookedPage {
  const { body, faults, faultCount } = readAnswer<{ customers: unknown[]; nextCursor: string | null; total?: number }>(CrmPageSchema, given)
  if (body === null) return { fault: faults[0]!, customers: [], unread: [], nextCursor: null, faults, faultCount }
  const { customers: all, nextCursor, total } = body
  const customers: CrmParty[] = []
  const unread: string[] = []
  const found = [...faults]
  let count = faultCount
  all.forEach((one, index) => {
    const read = readAnswer<CrmParty>(CrmPartySchema, one)
    count += read.faultCount
    for (const { path, message } of read.faults) if (found.length < mostFaults) found.push({ path: `/customers/${index}${path}`, message })
    if (read.body !== null) return void customers.push(read.body)
    const { id } = (typeof one === 'object' && one !== null ? one : {}) as { id?: unknown }
    const text = typeof id === 'number' ? String(id) : id
    if (typeof text === 'string' && text.length <= 128) unread.push(text)
  })
  return { customers, unread, nextCursor, ...(total === undefined ? {} : { total }), faults: found, faultCount: count }
}

/**
 * The fields that a customer may have, without anything else that a CRM sends: that would be stored, however large it is. Whole numbers as
 * ids become text.
 */
export function ofContract(customer: CrmParty): CrmParty {
  const known = Object.entries(customer).filter(([name]) => Object.hasOwn(CrmPartySchema.properties, name))
  return Object.fromEntries(known.map(([name, value]) => [name, typeof value === 'number' ? String(value) : value])) as CrmParty
}
