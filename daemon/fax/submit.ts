/** What is checked of a fax before it is accepted, and how it becomes a row of the queue. */
import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import { newId } from '../ids.ts'
import { isEmergencyNumber, normaliseNumber } from '../numbers.ts'
import { checkUrl, type AddressPolicy } from '../outbox/address.ts'
import type { FaxRow } from '../store/tables.ts'
import type { FaxDocuments } from './documents.ts'
import { inspectPdf, isPdf, PageError, StarvedError } from './pages/pages.ts'
import type { FaxQueue } from './queue.ts'

export interface FaxRequest {
  readonly to: string
  readonly pdfBase64: string
  readonly cover?: { readonly to?: string; readonly from?: string; readonly subject?: string }
  readonly statusCallbackUrl?: string
  readonly priority?: 'low' | 'normal' | 'high'
}

export interface SubmitOptions {
  readonly queue: FaxQueue
  readonly documents: FaxDocuments
  readonly clock: Clock
  readonly policy: AddressPolicy
  readonly country: string
  readonly windowMs: number
  readonly mostPages: number
  readonly mostBytes: number
  /** Our number on outgoing faxes. */
  readonly from: () => string
}

const priorities = { low: -1, normal: 0, high: 1 } as const
/** PDFs that are looked at at once; each is a process of its own. */
const mostInspections = 2

export class FaxDesk {
  readonly #options: SubmitOptions
  readonly #turns: (() => void)[] = []
  #inspecting = 0

  constructor(options: SubmitOptions) {
    this.#options = options
  }

  /**
   * Resolves when the fax is durable; `alongside` runs in the transaction of its row. Throws ApiError: validation_failed,
   * number_invalid, destination_denied, pdf_unreadable, pdf_encrypted, pdf_too_many_pages, attachment_too_large, overloaded.
   */
  async submit(request: FaxRequest, alongside: (row: FaxRow) => void = () => undefined): Promise<FaxRow> {
    const { queue, documents, mostPages } = this.#options
    const row = this.#newRow(request)
    const pdf = decodePdf(request.pdfBase64, this.#options.mostBytes)
    queue.checkRoom()
    try {
      const file = await documents.keep(row.faxId, pdf)
      const covers = row.cover === null ? 0 : 1
      row.pages = (await this.#inspect(file, mostPages - covers)) + covers
      await queue.add(row, () => alongside(row))
    } catch (error) {
      await documents.drop(row.faxId)
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      throw new ApiError('storage_full', 'The storage is full: free some space on the disk.', { retryAfterSeconds: 30, cause: error })
    }
    return row
  }

  /** The same fax once more, as a new one. Throws ApiError `media_expired` when its document is no longer kept. */
  async again(old: FaxRow): Promise<FaxRow> {
    const { queue, documents } = this.#options
    queue.checkRoom()
    const row = {
      ...this.#rowFor(old.to),
      cover: old.cover,
      statusCallbackUrl: old.statusCallbackUrl,
      pages: old.pages,
      priority: old.priority,
    }
    if (!(await documents.keepAgain(row.faxId, old.faxId))) {
      throw new ApiError('media_expired', 'The document of this fax is no longer kept: send it anew.')
    }
    await queue.add(row)
    return row
  }

  #newRow(request: FaxRequest): FaxRow {
    const { country, policy } = this.#options
    const row = this.#rowFor(faxNumber(request.to, country))
    row.cover = request.cover === undefined ? null : coverOf(request.cover)
    row.priority = priorities[request.priority ?? 'normal']
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

  async #inspect(file: string, mostPages: number): Promise<number> {
    if (this.#inspecting >= mostInspections) await new Promise<void>((resolve) => this.#turns.push(resolve))
    else this.#inspecting += 1
    try {
      return (await inspectPdf(file, { mostPages })).pages
    } catch (error) {
      if (error instanceof PageError && error.code !== 'internal') throw new ApiError(error.code, error.message, { cause: error })
      if (error instanceof StarvedError) throw new ApiError('overloaded', error.message, { retryAfterSeconds: 30, cause: error })
      throw error
    } finally {
      const next = this.#turns.shift()
      if (next) next()
      else this.#inspecting -= 1
    }
  }
}

/** As it is dialled. Throws ApiError `number_invalid`, or `destination_denied` for an emergency number. */
export function faxNumber(text: string, country: string): string {
  const compact = text.replaceAll(/[\s\-().]/g, '')
  if (!/^\+?\d{3,20}$/.test(compact)) {
    const message = 'must be 3 to 20 digits, with a + in front where it is international'
    throw new ApiError('number_invalid', `"to" ${message}.`, { details: [{ path: '/to', message }] })
  }
  const digits = compact.replace(/^\+/, '')
  if (isEmergencyNumber(digits, country)) throw new ApiError('destination_denied', 'Faxes are not sent to emergency numbers.')
  return normaliseNumber(compact, country).e164 ?? digits
}

function coverOf(cover: NonNullable<FaxRequest['cover']>): NonNullable<FaxRow['cover']> {
  const { to, from, subject } = cover
  return { ...(to === undefined ? {} : { to }), ...(from === undefined ? {} : { from }), ...(subject === undefined ? {} : { subject }) }
}

function decodePdf(text: string, mostBytes: number): Buffer {
  const start = /^\s*data:[^,]{0,200},/.exec(text.slice(0, 300))?.[0].length ?? 0
  const compact = text.slice(start).replaceAll(/\s+/g, '')
  const refused = (message: string): ApiError =>
    new ApiError('validation_failed', `"pdfBase64" ${message}.`, { details: [{ path: '/pdfBase64', message }] })
  if (compact === '') throw refused('must not be empty')
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) throw refused('must be Base64')
  const pdf = Buffer.from(compact, 'base64')
  if (pdf.length > mostBytes) {
    throw new ApiError('attachment_too_large', `The PDF is larger than the ${mostBytes} bytes allowed.`, {
      extra: { limitBytes: mostBytes },
    })
  }
  if (!isPdf(pdf)) throw new ApiError('pdf_unreadable', 'This is not a PDF file.')
  return pdf
}
