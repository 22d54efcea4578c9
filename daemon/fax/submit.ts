/** What is checked of a fax before it is accepted, and how it becomes a row of the queue. */
import { decodeBase64, type Base64Fault } from '../base/base64.ts'
import type { Ceilings } from '../ceilings/ceilings.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import { checkUrl, type AddressPolicy } from '../outbox/address.ts'
import type { Reach } from '../numbers/reach.ts'
import type { Store } from '../store/store.ts'
import type { FaxNumberRow, FaxRow } from '../store/tables.ts'
import type { FaxDocuments, FaxFiles } from './documents.ts'
import { checkedPdf, documentFault } from './page-pictures.ts'
import { inspectPdf, type PortfolioChoice } from './pages/pages.ts'
import type { FaxPreview, FaxPreviews } from './previews.ts'
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
  readonly pdfBase64?: string
  /** The PDF where it was decoded already, or what is wrong with the text: pdfBase64 is not looked at then. */
  readonly pdf?: Uint8Array | Base64Fault
  readonly cover?: { readonly to?: string; readonly from?: string; readonly subject?: string }
  readonly statusCallbackUrl?: string
  readonly priority?: 'low' | 'normal' | 'high'
  /** Default: `refuse`. */
  readonly portfolio?: PortfolioChoice
  /** In place of `pdfBase64`: what somebody has looked at, with its cover. */
  readonly previewId?: string
  /** Of a preview: send it though the same document went to this number within the hour. */
  readonly repeat?: boolean
  /** The number as a person has typed it a second time. */
  readonly toAgain?: string
  /** ISO 8601: not before. */
  readonly sendAt?: string
}

/** Who sends. */
export interface FaxSender {
  /** Of the access token, or of the person; '' for none. */
  readonly name: string
  /** A new number has to be typed twice. */
  readonly isPerson: boolean
}

const nobody: FaxSender = { name: '', isPerson: false }

/** `pdf`: as of a fax; or another preview, whose document is taken. */
export type PreviewRequest = Partial<Pick<FaxRequest, 'to' | 'pdf' | 'pdfBase64' | 'cover' | 'portfolio' | 'previewId'>>

export interface SubmitOptions {
  readonly queue: FaxQueue
  readonly store: Store
  readonly documents: FaxDocuments
  readonly previews: FaxPreviews
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

/** A document that is sent to the same number again within this time may be sent by mistake. */
const repeatMs = 3_600_000
const longestWaitMs = 14 * 86_400_000
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
   * number_invalid, number_unconfirmed, destination_denied, pdf_unreadable, pdf_encrypted, pdf_too_many_pages, attachment_too_large,
   * preview_unknown, preview_stale, fax_repeated, overloaded, daily_limit.
   */
  async submit(request: FaxRequest, alongside: (row: FaxRow) => void = () => undefined, sender = nobody): Promise<FaxRow> {
    const { documents } = this.#options
    const row = this.#newRow(request)
    if (sender.name !== '') row.token = sender.name
    this.#mustBeConfirmed(row.to, request.toAgain, sender)
    try {
      if (request.previewId === undefined) await this.#takeDocument(row, request, sender.name)
      else await this.#takePreview(row, request, request.previewId, sender.name)
      await this.#add(row, sender.name, alongside)
    } catch (error) {
      await documents.drop(row.faxId)
      throw documentFault(error)
    }
    return row
  }

  /**
   * What a fax will look like at the far end. Throws ApiError as `submit` does: what could not be sent is refused here, and nothing of it is
   * kept. Aborting ends the drawing.
   */
  async preview(request: PreviewRequest, signal: AbortSignal): Promise<FaxPreview> {
    const { previews, mostBytes, mostPages } = this.#options
    const { previewId, portfolio } = request
    const to = request.to === undefined ? '' : this.#number(request.to)
    const cover = request.cover === undefined ? null : coverOf(request.cover)
    const document = previewId === undefined ? this.#pdfOf(request, mostBytes) : previews.find(previewId)
    try {
      return await previews.make({ to, cover, document, mostPages, ...(portfolio === undefined ? {} : { portfolio }) }, signal)
    } catch (error) {
      throw documentFault(error)
    }
  }

  /**
   * The same fax once more, as a new one that is linked with the old one; `to`: to another number. Throws ApiError: media_expired when its
   * document is no longer kept, number_invalid, number_unconfirmed, destination_denied, daily_limit.
   */
  async again(
    old: FaxRow,
    { to, toAgain, sender = nobody }: { readonly to?: string; readonly toAgain?: string; readonly sender?: FaxSender } = {},
    alongside: (row: FaxRow) => void = () => undefined,
  ): Promise<FaxRow> {
    const { documents, reach, store } = this.#options
    const number = to === undefined ? old.to : this.#number(to)
    const { allowed, reason } = reach.mayDial(number, 'fax')
    if (!allowed) throw new ApiError('destination_denied', reason)
    if (to !== undefined) this.#mustBeConfirmed(number, toAgain, sender)
    this.#checkRoom(sender.name)
    const { cover, statusCallbackUrl, pages, portfolio, warnings, sha256, priority } = old
    const row: FaxRow = {
      ...this.#rowFor(number),
      ...{ cover, statusCallbackUrl, pages, priority, replaces: old.faxId },
      ...(sender.name === '' ? {} : { token: sender.name }),
      ...(portfolio === undefined ? {} : { portfolio }),
      ...(warnings === undefined ? {} : { warnings }),
      ...(sha256 === undefined ? {} : { sha256 }),
    }
    if (!(await documents.keepAgain(row.faxId, documents.of(old.faxId)))) {
      throw new ApiError('media_expired', 'The document of this fax has been deleted: send the fax again.')
    }
    await this.#add(row, sender.name, () => {
      const now = store.tables.faxes.get(old.faxId)
      if (now !== undefined) store.tables.faxes.put(old.faxId, { ...now, replacedBy: row.faxId })
      alongside(row)
    })
    return row
  }

  /** What is known of a number. Throws ApiError: number_invalid, destination_denied. */
  known(text: string): { readonly number: string; readonly row: FaxNumberRow | undefined; readonly warning: string } {
    const number = this.#number(text)
    return { number, row: this.#options.store.tables.faxNumbers.get(number), warning: this.numberWarning({ to: number }) }
  }

  /** A sentence about a number that the numbering plan's data does not have; '' about others. */
  numberWarning({ to }: Pick<FaxRow, 'to'>): string {
    return this.#options.reach.mayDial(to, 'fax').warning
  }

  async #add(row: FaxRow, token: string, alongside: (row: FaxRow) => void): Promise<void> {
    await this.#options.queue.add(row, () => {
      this.#options.ceilings.take(token, { faxes: 1 })
      alongside(row)
    })
  }

  #pdfOf({ pdf, pdfBase64 }: Pick<FaxRequest, 'pdf' | 'pdfBase64'>, mostBytes: number): Uint8Array {
    if (pdf === undefined && pdfBase64 === undefined)
      throw new ApiError('validation_failed', '"pdfBase64" is required.', { details: [{ path: '/pdfBase64', message: 'is required' }] })
    return checkedPdf(pdf ?? decodeBase64(pdfBase64!, mostBytes), mostBytes)
  }

  async #takeDocument(row: FaxRow, request: FaxRequest, token: string): Promise<void> {
    const { documents, mostPages, mostBytes } = this.#options
    const pdf = this.#pdfOf(request, mostBytes)
    this.#checkRoom(token)
    const file = await documents.keep(row.faxId, pdf)
    const covers = row.cover === null ? 0 : 1
    const { pages, warnings } = await inspectPdf(file, { mostPages: mostPages - covers, portfolio: row.portfolio })
    row.pages = pages + covers
    if (warnings.length > 0) row.warnings = [...warnings]
  }

  /** The pages are those that were looked at. */
  async #takePreview(row: FaxRow, request: FaxRequest, previewId: string, token: string): Promise<void> {
    const { previews, documents } = this.#options
    const preview = previews.find(previewId)
    const { cover, portfolio, pages, warnings, bytesPerPage, standardBytesPerPage, sha256 } = preview
    const isOther = request.cover !== undefined && JSON.stringify(row.cover) !== JSON.stringify(cover)
    if (isOther || (cover !== null && preview.to !== row.to))
      throw new ApiError('preview_stale', 'The cover page was drawn for another number or with other words: look at the pages again.')
    if (request.repeat !== true) this.#mustBeNew(row.to, sha256)
    this.#checkRoom(token)
    Object.assign(row, { cover, pages, bytesPerPage, standardBytesPerPage, sha256, state: 'processing' })
    if (portfolio === 'files') row.portfolio = portfolio
    if (warnings.length > 0) row.warnings = [...warnings]
    if (!(await documents.keepAgain(row.faxId, previews.files(previewId), true))) throw previews.unknown()
  }

  /** Throws ApiError fax_repeated where the document went to the number within the hour, or is on its way. */
  #mustBeNew(to: string, sha256: string): void {
    const { queue, clock } = this.#options
    const since = clock.now() - repeatMs
    const found = queue
      .list({ limit: 500 })
      .find(
        ({ row }) => row.to === to && row.sha256 === sha256 && row.createdAt >= since && row.state !== 'failed' && row.state !== 'canceled',
      )
    if (found === undefined) return
    const { faxId, createdAt } = found.row
    throw new ApiError('fax_repeated', 'The same document went to this number within the last hour: send it with "repeat": true.', {
      extra: { faxId, createdAt: isoTime(createdAt) },
    })
  }

  /** Of a person: a number at which no fax machine ever answered has to be typed twice. Throws ApiError number_unconfirmed. */
  #mustBeConfirmed(to: string, again: string | undefined, { isPerson }: FaxSender): void {
    const { store, country } = this.#options
    if (!isPerson || (store.tables.faxNumbers.get(to)?.answers ?? 0) > 0) return
    if (again !== undefined && normaliseNumber(again, country).dial === to) return
    const message =
      again === undefined
        ? 'must be given: no fax machine has answered at this number before'
        : 'is another number than the one typed first'
    throw new ApiError('number_unconfirmed', `"toAgain" ${message}.`, { details: [{ path: '/toAgain', message }] })
  }

  /** Before the costly look at the document. Throws ApiError: overloaded, daily_limit. */
  #checkRoom(token: string): void {
    const { queue, ceilings } = this.#options
    queue.checkRoom()
    const tooMany = ceilings.refusal(token, { faxes: 1 })
    if (tooMany !== null) throw tooMany
  }

  #newRow(request: FaxRequest): FaxRow {
    const { policy } = this.#options
    const row = this.#rowFor(this.#number(request.to))
    row.cover = request.cover === undefined ? null : coverOf(request.cover)
    row.priority = priorities[request.priority ?? 'normal']
    if (request.sendAt !== undefined) this.#defer(row, Date.parse(request.sendAt))
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

  #defer(row: FaxRow, at: number): void {
    const { clock, windowMs } = this.#options
    const message = 'must be at most 14 days ahead'
    if (at > clock.now() + longestWaitMs)
      throw new ApiError('validation_failed', `"sendAt" ${message}.`, { details: [{ path: '/sendAt', message }] })
    if (at > clock.now()) Object.assign(row, { sendAt: at, expiresAt: at + windowMs })
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
}

function coverOf(cover: NonNullable<FaxRequest['cover']>): NonNullable<FaxRow['cover']> {
  const { to, from, subject } = cover
  return { ...(to === undefined ? {} : { to }), ...(from === undefined ? {} : { from }), ...(subject === undefined ? {} : { subject }) }
}
