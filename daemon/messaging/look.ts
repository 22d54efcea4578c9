/** Texts for those who look at them: pages of the table, with what the queue knows in memory. */
import type { Store } from '../store/store.ts'
import type { SmsRow, SmsState } from '../store/tables.ts'
import type { JobList } from './job-list.ts'

export interface SmsQuery {
  readonly limit: number
  readonly state?: SmsState
  readonly cursor?: string
}

export interface SmsPage {
  readonly rows: readonly SmsRow[]
  /** The cursor of the following page; null where there is none. */
  readonly next: string | null
}

/** Rows looked at for one page, so that a rare state never holds up the daemon. */
const mostSearched = 5000

/** Newest first, those before `cursor`. */
export function newestTexts(store: Store, jobs: JobList, { limit, state, cursor }: SmsQuery): SmsPage {
  const rows: SmsRow[] = []
  let seen = 0
  for (const { key, value } of store.tables.sms.range({ reverse: true, ...(cursor === undefined ? {} : { end: cursor }) })) {
    const row = jobs.get(key)?.row ?? value
    if (state === undefined || row.state === state) rows.push(row)
    seen += 1
    if (rows.length === limit || seen === mostSearched) return { rows, next: key }
  }
  return { rows, next: null }
}
