/** What the technician's socket needs of faxes and modem lines: the part of `services.ts` about them. */
import type { FaxLineTest } from '../../drivers/fax.ts'

/** A fax as in `GET /api/fax/:faxId`; `calls` is left out in a list. */
export interface FaxView {
  readonly faxId: string
  readonly status: string
  readonly to: string
  readonly from: string
  readonly pages: number
  readonly pagesSent: number
  readonly attempts: number
  readonly createdAt: string
  readonly nextAttemptAt: string | null
  readonly completedAt: string | null
  /** Of the pages that are left; null until they are drawn. */
  readonly estimatedSeconds: number | null
  readonly durationSeconds: number
  readonly transport: string | null
  readonly bitRate: number
  readonly ecm: boolean
  readonly resolution: string
  readonly remoteStationId: string
  readonly reason: string | null
  readonly message: string
  readonly t30Code: number | null
  readonly possibleDuplicatePages: readonly number[]
  /** What is not sent as it is in the PDF. */
  readonly warnings: readonly string[]
  /** Of the call in progress. */
  readonly progress: { readonly phase: string; readonly page: number; readonly bitRate: number; readonly percent: number | null } | null
  readonly calls?: readonly {
    readonly at: string
    readonly callId: string
    readonly line: string
    readonly outcome: string
    readonly reason: string
    readonly t30Code: number | null
    readonly sipCode: number
    readonly pages: number
    readonly bitRate: number
    readonly durationSeconds: number
    readonly text: string
  }[]
}

export interface SendFaxOptions {
  readonly to: string
  readonly pdfBase64: string
  readonly cover?: { readonly to?: string; readonly from?: string; readonly subject?: string }
  readonly priority?: 'low' | 'normal' | 'high'
  /** What becomes of a PDF whose pages are a wrapper around other files. Default: `refuse`. */
  readonly portfolio?: 'refuse' | 'files'
}

export interface FaxServicesView {
  /** `alongside`, here and below, runs in the transaction of what is written. */
  send(options: SendFaxOptions, alongside: (faxId: string) => void): Promise<FaxView>
  /** Newest first. */
  list(options: { state?: string; limit: number }): readonly FaxView[]
  /** `id`: of a fax, a part of it that no other has, or `last`. Throws ApiError `fax_unknown`. */
  show(id: string): FaxView
  /** Makes a fax that waits due now; sends one that is over once more, as a new fax. */
  retry(id: string, alongside: (faxId: string) => void): Promise<FaxView>
  cancel(id: string, alongside: (faxId: string) => void): Promise<FaxView>
  /** Every change until the fax is over or `signal` is aborted. */
  watch(id: string, onChange: (fax: FaxView) => void, signal: AbortSignal): Promise<void>
}

export interface ModemView {
  readonly id: string
  readonly device: string
  readonly number: string
  /** `ready`, `ringing`, `dialing`, `sending`, `receiving`, `resetting`, `starting`, `unplugged`, `faulty`, `stopped`. */
  readonly state: string
  readonly ok: boolean
  /** '' when all is well. */
  readonly reason: string
  readonly since: string
  /** What the modem calls itself; '' until known. */
  readonly model: string
  readonly faxClass: string
  /** Speeds it can both send and receive at: `v17`, `v29`, `v27ter`. */
  readonly modems: readonly string[]
  readonly blindDial: boolean
}

export interface ModemTestView extends ModemView {
  /** Null where the modem was not free to be tried. */
  readonly test: FaxLineTest | null
}

/** One command or answer, long numbers masked. */
export interface ModemTraceLine {
  readonly at: string
  readonly sent: boolean
  readonly text: string
}

export interface ModemServicesView {
  list(): readonly ModemView[]
  /** Takes the modem for some seconds. Throws ApiError `not_found`. */
  test(id: string): Promise<ModemTestView>
  /** Every command and answer until `signal` is aborted. */
  trace(id: string, onLine: (line: ModemTraceLine) => void, signal: AbortSignal): Promise<void>
}
