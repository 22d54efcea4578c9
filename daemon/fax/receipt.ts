/** What stands on the receipt of a fax. */
import type { FaxRow } from '../store/tables.ts'
import type { Words } from '../words/en.ts'
import type { ReceiptContent } from './pages/pages.ts'
import { isTerminal } from './job.ts'

export interface ReceiptFacts {
  readonly row: FaxRow
  /** The fax that this one repeats, perhaps with a corrected number. */
  readonly before: FaxRow | undefined
  readonly organisation: string
  /** Our number. */
  readonly station: string
  /** IANA name. */
  readonly timeZone: string
}

/** `language`: of `said`, and of the dates. */
export function receiptOf(
  { row, before, organisation, station, timeZone }: ReceiptFacts,
  said: Words['faxReceipt'],
  language: string,
): ReceiptContent {
  const form = new Intl.DateTimeFormat(`${language}-u-nu-latn-ca-gregory`, { dateStyle: 'long', timeStyle: 'long', timeZone })
  const time = (at: number | null): string => (at === null ? '' : form.format(at))
  const { to, state, pages, pagesSent, remoteStationId, createdAt, completedAt, reason } = row
  const result = said.results[isTerminal(state) ? (state as 'sent' | 'failed' | 'canceled') : 'open']
  const first = before === undefined || before.to === to ? '' : `${before.to} (${time(before.createdAt)})`
  return {
    title: said.title,
    organisation,
    rows: [
      [said.to, to],
      [said.before, first],
      [said.station, remoteStationId],
      [said.from, station],
      [said.accepted, time(createdAt)],
      [said.ended, time(completedAt)],
      [said.pages, said.ofPages(pagesSent, pages)],
      [said.result, reason === null || state === 'sent' ? result : `${result} (${reason})`],
    ],
  }
}
