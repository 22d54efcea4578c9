/** The pages of faxes to look at: of those that are sent, of received ones, and of previews; and receipts. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { utcOffsetMinutes } from '../../drivers/fax.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { idPattern } from '../base/ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Config } from '../schema/config.ts'
import type { FaxRow } from '../store/tables.ts'
import type { Store } from '../store/store.ts'
import { words } from '../words/words.ts'
import type { FaxDocuments, FaxFiles } from './documents.ts'
import { isTerminal } from './job.ts'
import type { PagePictures, Picture } from './page-pictures.ts'
import { headerText, type ReceiptContent } from './pages/pages.ts'
import type { Draw, FaxPreview, FaxPreviews } from './previews.ts'
import type { Words } from '../words/en.ts'

/** What stands on the receipt of a fax. */
interface ReceiptFacts {
  readonly row: FaxRow
  /** The fax that this one repeats, perhaps with a corrected number. */
  readonly before: FaxRow | undefined
  readonly organisation: string
  /** Our number. */
  readonly station: string
  /** IANA name. */
  readonly timeZone: string
  /** Of whom it is, at the foot of the page. */
  readonly site: string
  /** Name of the person who asks for it; '' of a program. */
  readonly person: string
  readonly now: number
}

/** `language`: of `said`, and of the dates. */
function receiptOf(
  { row, before, organisation, station, timeZone, site, person, now }: ReceiptFacts,
  said: Words['faxReceipt'],
  language: string,
): ReceiptContent {
  const form = new Intl.DateTimeFormat(`${language}-u-nu-latn-ca-gregory`, { dateStyle: 'long', timeStyle: 'long', timeZone })
  const time = (at: number | null): string => (at === null ? '' : form.format(at))
  const { to, state, pages, pagesSent, remoteStationId, createdAt, completedAt, reason } = row
  const result = said.results[isTerminal(state) ? (state as 'sent' | 'failed' | 'canceled') : 'open']
  const first = before === undefined || before.to === to ? '' : `${before.to} (${time(before.createdAt)})`
  const printedAt = new Intl.DateTimeFormat(`${language}-u-nu-latn-ca-gregory`, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  return {
    title: said.title,
    foot: person === '' ? '' : `${site} · ${said.printed(person, printedAt.format(now))}`,
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

export interface FaxSheetsOptions {
  readonly config: Config
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly inbox: Inbox
  readonly documents: FaxDocuments
  readonly previews: FaxPreviews
  readonly pictures: PagePictures
  readonly draw: Draw
  /** As the header line of each page names us. */
  readonly sender: { readonly name: string; readonly station: string }
}

const receiptWidth = 800

export class FaxSheets {
  readonly #options: FaxSheetsOptions

  constructor(options: FaxSheetsOptions) {
    this.#options = options
  }

  /** As it goes, or went. Throws ApiError: being_drawn, media_expired, not_found, pdf_unreadable, overloaded. */
  async ofFax(row: FaxRow, page: number, width: number): Promise<Picture> {
    return this.#options.pictures.picture(await this.#source(row), page, width)
  }

  /** Throws ApiError: not_found, media_expired, pdf_unreadable, overloaded. */
  async ofReceived(id: string, page: number, width: number): Promise<Picture> {
    const { inbox, pictures } = this.#options
    const media = inbox.media('faxes', id)
    if (media === 'purged') throw new ApiError('media_expired', 'This item has been deleted.')
    const item = media && inbox.faxes.find((one) => one.id === id)?.item
    if (media === undefined || item === undefined) throw new ApiError('not_found', 'There is no item with that id.')
    const source = { id, version: item.sha256.slice(0, 16), file: media.file, pages: item.pages, header: null }
    return pictures.picture(source, page, width)
  }

  /** Throws ApiError preview_unknown. */
  preview(previewId: string): FaxPreview {
    return this.#options.previews.find(previewId)
  }

  /** Throws ApiError: preview_unknown, not_found, overloaded. */
  async ofPreview(previewId: string, page: number, width: number): Promise<Picture> {
    const { previews, pictures } = this.#options
    const { createdAt, pages } = previews.find(previewId)
    const source = { id: previewId, version: 'preview', file: previews.files(previewId).fine, pages, header: this.#header(createdAt) }
    return pictures.picture(source, page, width)
  }

  /** `person`: who asks, '' for a program. Throws ApiError: being_drawn, media_expired, overloaded. */
  async receipt(row: FaxRow, person: string): Promise<Picture> {
    const { config, store, clock, pictures, sender } = this.#options
    const source = await this.#source(row)
    const language = config.site.language
    const before = row.replaces === undefined ? undefined : store.tables.faxes.get(row.replaces)
    const facts = {
      row,
      before,
      organisation: config.fax.header ?? config.site.name,
      station: sender.station,
      timeZone: config.site.timeZone,
      ...{ site: config.site.name, person, now: clock.now() },
    }
    const content = receiptOf(facts, words(language).faxReceipt, language)
    const version = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
    const first = { page: 1, width: receiptWidth, header: source.header?.(1) ?? null }
    return pictures.receipt({ ...source, version: `${source.version}-${version}` }, { task: 'receipt', content, first })
  }

  async #source(row: FaxRow) {
    const at = row.history.at(-1)?.at ?? row.createdAt
    const file = await this.#file(row)
    return { id: row.faxId, version: `${row.resolution}-${Math.floor(at / 60_000)}`, file, pages: row.pages, header: this.#header(at) }
  }

  /** Pages of a fax that ended before pages were kept are drawn again. */
  async #file(row: FaxRow): Promise<string> {
    const { documents, draw } = this.#options
    const { faxId, resolution } = row
    const found = documents.pagesOf(faxId, resolution)
    if (found !== undefined) return found
    if (!isTerminal(row.state)) throw new ApiError('being_drawn', 'The pages of this fax are being drawn.', { retryAfterSeconds: 2 })
    const files: FaxFiles = documents.of(faxId)
    if (!existsSync(files.pdf)) throw new ApiError('media_expired', 'The document of this fax is no longer kept.')
    await draw(row, files, AbortSignal.timeout(120_000))
    await documents.dropPages(faxId, resolution)
    return documents.pagesOf(faxId, resolution)!
  }

  #header(at: number): (page: number) => string {
    const { config, sender } = this.#options
    const offset = utcOffsetMinutes(config.site.timeZone, new Date(at))
    return (page) => headerText({ at, utcOffsetMinutes: offset, sender: sender.name, station: sender.station }, page)
  }
}
