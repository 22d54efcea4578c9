/** Customers: page by page to an end, what changed since, one by one. Nothing is written. */
import { readAnswer } from '../../../daemon/schema/read-answer.ts'
import { CrmPartySchema, type CrmParty } from '../../../daemon/schema/crm-answers.ts'
import { time, unknownCustomer } from './own.ts'
import type { Ask, Peer } from './peer.ts'
import { notOffered, type Report } from './report.ts'

interface Page {
  readonly customers: readonly unknown[]
  readonly nextCursor: string | null
  readonly total?: number
}

export interface Known {
  readonly id: string
  readonly number: string
}

/** As many as the box takes. */
const mostPages = 4000
const pageSize = 500
const dayMs = 86_400_000

/** Somebody who has a number, where the pages have one. */
export async function tryCustomers(peer: Peer, report: Report, now: number): Promise<Known | null> {
  const first = await page(peer, report, { cursor: null, limit: pageSize })
  if (first === null) return null
  // Few customers come in several pages, too, so that the cursor is tried.
  const limit = first.nextCursor === null ? Math.max(1, Math.ceil(first.customers.length / 3)) : pageSize
  const parties = await readAll(peer, report, limit)
  if (parties === null) return null
  await trySince(peer, report, parties, now)
  await tryOne(peer, report, parties)
  const known = parties.find(({ deleted, status, phones }) => deleted !== true && status !== 'inactive' && phones.length > 0)
  return known === undefined ? null : { id: known.id, number: known.phones[0]!.number }
}

function page(peer: Peer, report: Report, body: object): Promise<Page | null> {
  return report.play<Page>(peer, 'pages', { kind: 'page', path: 'sync/full', body }, 'page')
}

/** null: there is nothing to go on with. */
async function readAll(peer: Peer, report: Report, limit: number): Promise<CrmParty[] | null> {
  const parties = new Map<string, CrmParty>()
  const cursors = new Set<string | null>()
  const twice = new Set<string>()
  let cursor: string | null = null
  for (let pages = 0; pages < mostPages; pages++) {
    cursors.add(cursor)
    const asked: Ask = { kind: 'page', path: 'sync/full', body: { cursor, limit } }
    const heard = pages === 0 ? await page(peer, report, asked.body!) : await quiet(peer, report, asked)
    if (heard === null) return null
    if (heard.customers.length > limit)
      report.wrong('pages', `a page has ${heard.customers.length} customers, but ${limit} were requested`, 'honour limit')
    for (const given of heard.customers) {
      const party = partyOf(report, given)
      if (party === null) return null
      if (parties.has(party.id)) twice.add(party.id)
      parties.set(party.id, party)
    }
    if (heard.nextCursor === null) return finished(report, { parties, twice, pages: pages + 1, ...heard })
    cursor = heard.nextCursor
    const fix = 'return a cursor for the last customer of the page, and null after the last page'
    if (cursors.has(cursor)) return (report.wrong('pages', `the cursor "${cursor}" is returned twice: the pages never end`, fix), null)
    if (heard.customers.length === 0) return (report.wrong('pages', 'an empty page has a cursor for a further page', fix), null)
    if (heard.total !== undefined && parties.size > 2 * heard.total + pageSize)
      return (report.wrong('pages', `${parties.size} customers of ${heard.total} have arrived, and the pages still continue`, fix), null)
  }
  return (report.wrong('pages', `after ${mostPages} pages the list does not end`, 'return nextCursor: null after the last page'), null)
}

/** As `page`, without a finding for each good one. */
async function quiet(peer: Peer, report: Report, ask: Ask): Promise<Page | null> {
  const heard = await peer.ask(ask)
  const { customers, nextCursor } = (heard.body ?? {}) as Page
  if (heard.status === 200 && Array.isArray(customers) && (nextCursor === null || typeof nextCursor === 'string')) return heard.body as Page
  return report.play<Page>(peer, 'pages', ask, 'page')
}

function partyOf(report: Report, given: unknown): CrmParty | null {
  const { body, faults } = readAnswer<CrmParty>(CrmPartySchema, given)
  if (faults.length === 0) return body
  const id = (given as { id?: unknown } | null)?.id
  const words = faults.slice(0, 3).map(({ path, message }) => `${path.slice(1).replaceAll('/', '.')} ${message}`)
  report.wrong('pages', `customer ${String(id)} does not match the schema: ${words.join('; ')}`, 'see party in docs/crm-requests.md')
  return null
}

interface Whole {
  readonly parties: ReadonlyMap<string, CrmParty>
  readonly twice: ReadonlySet<string>
  readonly pages: number
  readonly total?: number
}

function finished(report: Report, { parties, twice, pages, total = parties.size }: Whole): CrmParty[] {
  report.good('pages', `${parties.size} customers in ${pages} pages`)
  const some = [...twice].slice(0, 3).join(', ')
  report.judge(
    twice.size === 0,
    'pages',
    'each customer comes once',
    `${twice.size} customers come twice: ${some}`,
    'order by id, and start each page after the cursor',
  )
  if (total !== parties.size)
    report.wrong('pages', `total is ${total}, but ${parties.size} customers came`, 'count the customers on the pages, or leave total out')
  return [...parties.values()]
}

async function trySince(peer: Peer, report: Report, parties: readonly CrmParty[], now: number): Promise<void> {
  const future = await page(peer, report, { cursor: null, limit: pageSize, changedSince: time(now + dayMs) })
  if (future === null) return
  report.advise(
    future.customers.length === 0 && future.nextCursor === null,
    'since',
    'no customer changed since tomorrow',
    'changedSince is ignored: the CRM would send all customers every five minutes',
    'return only customers with updatedAt at or after changedSince, including deleted ones',
  )
  const newest = parties.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))[0]
  if (newest === undefined) return
  const since = await page(peer, report, { cursor: null, limit: pageSize, changedSince: newest.updatedAt })
  const has = since?.customers.some((party) => String((party as { id?: unknown }).id) === newest.id) === true
  const fault = `customer ${newest.id} changed at ${newest.updatedAt}, but is missing from the changes since then`
  report.judge(has, 'since', 'customers changed since then are returned', fault, 'include customers with updatedAt equal to changedSince')
}

async function tryOne(peer: Peer, report: Report, parties: readonly CrmParty[]): Promise<void> {
  const [party] = parties
  if (party === undefined) return
  const path = `customers/${encodeURIComponent(party.id)}/sync`
  const one = await report.play<{ customer: CrmParty }>(peer, 'customer', { kind: 'customer', path, body: {} }, 'party')
  if (one === null) return
  report.judge(
    one.customer.id === party.id,
    'customer',
    'one customer by id',
    `customer ${one.customer.id} is returned for ${party.id}`,
    'return the customer that was requested',
  )
  const nobody = await peer.ask({ kind: 'customer', path: `customers/${unknownCustomer}/sync`, body: {} })
  const seen = `an unknown customer is answered ${nobody.status}`
  report.advise(nobody.status === 404 && !notOffered(nobody), 'customer', seen, seen, 'answer 404 with the code customer_unknown')
}
