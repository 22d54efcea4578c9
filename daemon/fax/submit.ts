/** What is checked of a fax before it is accepted, and how it becomes a row of the queue. */
import { decodeBase64, type Base64Fault } from '../base/base64.ts'
import type { Ceilings } from '../ceilings/ceilings.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import { checkUrl, type AddressPolicy } from '../outbox/address.ts'
import type { Reach } from '../numbers/reach.ts'
import type { FaxRow } from '../store/tables.ts'
import type { FaxDocuments, FaxFiles } from './documents.ts'
import { inspectPdf, isPdf, PageError, StarvedError, type PortfolioChoice } from './pages/pages.ts'
import type { FaxQueue } from './queue.ts'
import type { FaxSendRequest } from '../../drivers/fax.ts'
import { ladder } from './job.ts'

/** What one call of a fax is to do: which pages, in which form, at which speeds. */
export interface FaxSettings {
  readonly stationId: string
  readonly header: string
  readonly timeZone: string
  readonly ecm: boolean
  readonly v17: boolean
}

export function sendRequest(row: FaxRow, files: FaxFiles, settings: FaxSettings): FaxSendRequest {
  const { modems, t38 } = ladder(row)
  return {
    file: row.standard ? files.standard : files.fine,
    standardFile: row.standard ? '' : files.standard,
    firstPage: row.pagesSent,
    stationId: settings.stationId,
    header: settings.header,
    timeZone: settings.timeZone,
    ecm: settings.ecm,
    modems: settings.v17 ? modems : modems.filter((modem) => modem !== 'v17'),
    t38,
  }
}

export interface FaxRequest {
  readonly to: string
  readonly pdfBase64: string
  /** The PDF where it was decoded already, or what is wrong with the text: pdfBase64 is not looked at then. */
  readonly pdf?: Uint8Array | Base64Fault
  readonly cover?: { readonly to?: string; readonly from?: string; readonly subject?: string }
  readonly statusCallbackUrl?: string
  readonly priority?: 'low' | 'normal' | 'high'
  /** Default: `refuse`. */
  readonly portfolio?: PortfolioChoice
}

export interface SubmitOptions {
  readonly queue: FaxQueue
  readonly documents: FaxDocuments
  readonly clock: Clock
  readonly policy: AddressPolicy
  /** ISO 3166 code: how numbers without + are read. */
  readonly country: string
  readonly reach: Reach
  readonly ceilings: Ceilings
  readonly windowMs: number
  readonly mostPages: number
  readonly mostBytes: number
  /** Our number on outgoing faxes. */
  readonly from: () => string
}

const priorities = { low: -1, normal: 0, high: 1 } as const

export class FaxDesk {
  readonly #options: SubmitOptions

  constructor(options: SubmitOptions) {
    this.#options = options
  }

  get mostBytes(): number {
    return this.#options.mostBytes
  }

  /**
   * Resolves when the fax is durable; `alongside` runs in the transaction of its row. Throws ApiError: validation_failed,
   * number_invalid, destination_denied, pdf_unreadable, pdf_encrypted, pdf_too_many_pages, attachment_too_large, overloaded,
   * daily_limit. `token`: name of the access token, '' for none.
   */
  async submit(request: FaxRequest, alongside: (row: FaxRow) => void = () => undefined, token = ''): Promise<FaxRow> {
    const { queue, documents, mostPages } = this.#options
    const row = this.#newRow(request)
    if (token !== '') row.token = token
    const { mostBytes } = this.#options
    const pdf = checkedPdf(request.pdf ?? decodeBase64(request.pdfBase64, mostBytes), mostBytes)
    this.#checkRoom(token)
    try {
      const file = await documents.keep(row.faxId, pdf)
      const covers = row.cover === null ? 0 : 1
      const { pages, warnings } = await this.#inspect(file, mostPages - covers, row.portfolio)
      row.pages = pages + covers
      if (warnings.length > 0) row.warnings = [...warnings]
      await queue.add(row, () => {
        this.#count(token)
        alongside(row)
      })
    } catch (error) {
      await documents.drop(row.faxId)
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      throw new ApiError('storage_full', 'The storage is full: free some space on the disk.', { retryAfterSeconds: 30, cause: error })
    }
    return row
  }

  /** The same fax once more, as a new one. Throws ApiError: media_expired when its document is no longer kept, destination_denied, daily_limit. */
  async again(old: FaxRow, alongside: (row: FaxRow) => void = () => undefined): Promise<FaxRow> {
    const { queue, documents, reach } = this.#options
    const { allowed, reason } = reach.mayDial(old.to, 'fax')
    if (!allowed) throw new ApiError('destination_denied', reason)
    this.#checkRoom('')
    const row = {
      ...this.#rowFor(old.to),
      cover: old.cover,
      statusCallbackUrl: old.statusCallbackUrl,
      pages: old.pages,
      ...(old.portfolio === undefined ? {} : { portfolio: old.portfolio }),
      ...(old.warnings === undefined ? {} : { warnings: old.warnings }),
      priority: old.priority,
    }
    if (!(await documents.keepAgain(row.faxId, old.faxId))) {
      throw new ApiError('media_expired', 'The document of this fax has been deleted: send the fax again.')
    }
    await queue.add(row, () => {
      this.#count('')
      alongside(row)
    })
    return row
  }

  /** A sentence about a number that the numbering plan's data does not have; '' about others. */
  numberWarning({ to }: FaxRow): string {
    return this.#options.reach.mayDial(to, 'fax').warning
  }

  /** Before the costly look at the document. Throws ApiError: overloaded, daily_limit. */
  #checkRoom(token: string): void {
    const { queue, ceilings } = this.#options
    queue.checkRoom()
    const tooMany = ceilings.refusal(token, { faxes: 1 })
    if (tooMany !== null) throw tooMany
  }

  /** Inside the transaction of the row. */
  #count(token: string): void {
    this.#options.ceilings.take(token, { faxes: 1 })
  }

  #newRow(request: FaxRequest): FaxRow {
    const { policy } = this.#options
    const row = this.#rowFor(this.#number(request.to))
    row.cover = request.cover === undefined ? null : coverOf(request.cover)
    row.priority = priorities[request.priority ?? 'normal']
    if (request.portfolio === 'files') row.portfolio = 'files'
    if (request.statusCallbackUrl !== undefined) {
      const checked = checkUrl(request.statusCallbackUrl, policy)
      if (!checked.ok) {
        throw new ApiError('validation_failed', `"statusCallbackUrl" cannot be used: ${checked.reason}.`, {
          details: [{ path: '/statusCallbackUrl', message: checked.reason }],
        })
      }
      row.statusCallbackUrl = request.statusCallbackUrl
    }
    return row
  }

  /** As it is dialled. Throws ApiError: number_invalid, destination_denied. */
  #number(text: string): string {
    const { country, reach } = this.#options
    const number = normaliseNumber(text, country)
    const refused = (code: 'number_invalid' | 'destination_denied', message: string): ApiError =>
      new ApiError(code, message, { details: [{ path: '/to', message }] })
    if (number.kind === 'invalid') throw refused('number_invalid', number.warning ?? 'This is not a telephone number.')
    const { allowed, reason } = reach.mayReach(number, 'fax')
    if (!allowed) throw refused('destination_denied', reason)
    return number.dial
  }

  #rowFor(to: string): FaxRow {
    const now = this.#options.clock.now()
    return {
      faxId: newId(),
      state: 'queued',
      to,
      from: this.#options.from(),
      priority: 0,
      cover: null,
      statusCallbackUrl: '',
      createdAt: now,
      expiresAt: now + this.#options.windowMs,
      completedAt: null,
      nextAttemptAt: null,
      pages: 0,
      bytesPerPage: [],
      standardBytesPerPage: [],
      pagesSent: 0,
      attempts: 0,
      busy: 0,
      unanswered: 0,
      notFax: 0,
      broken: 0,
      lineFailures: 0,
      standard: false,
      possibleDuplicatePages: [],
      reason: null,
      message: '',
      t30Code: null,
      durationSeconds: 0,
      transport: null,
      bitRate: 0,
      ecm: false,
      resolution: 'fine',
      remoteStationId: '',
      history: [],
    }
  }

  async #inspect(
    file: string,
    mostPages: number,
    portfolio: PortfolioChoice | undefined,
  ): Promise<{ pages: number; warnings: readonly string[] }> {
    try {
      return await inspectPdf(file, { mostPages, portfolio })
    } catch (error) {
      if (error instanceof PageError && error.code !== 'internal') throw new ApiError(error.code, error.message, { cause: error })
      if (error instanceof StarvedError) throw new ApiError('overloaded', error.message, { retryAfterSeconds: 30, cause: error })
      throw error
    }
  }
}

function coverOf(cover: NonNullable<FaxRequest['cover']>): NonNullable<FaxRow['cover']> {
  const { to, from, subject } = cover
  return { ...(to === undefined ? {} : { to }), ...(from === undefined ? {} : { from }), ...(subject === undefined ? {} : { subject }) }
}

function checkedPdf(pdf: Uint8Array | Base64Fault, mostBytes: number): Uint8Array {
  const refused = (message: string): ApiError =>
    new ApiError('validation_failed', `"pdfBase64" ${message}.`, { details: [{ path: '/pdfBase64', message }] })
  if (pdf === 'empty') throw refused('must not be empty')
  if (pdf === 'not-base64') throw refused('must be Base64')
  if (pdf === 'too-large') {
    throw new ApiError('attachment_too_large', `The PDF is larger than the ${mostBytes} bytes allowed.`, {
      extra: { limitBytes: mostBytes },
    })
  }
  if (!isPdf(pdf)) throw new ApiError('pdf_unreadable', 'This is not a PDF file.')
  return pdf
}
