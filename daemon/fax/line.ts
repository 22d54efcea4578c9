/** What the queue asks of whatever carries outgoing faxes: SIP trunks and modems. */
import type { FaxProgress, FaxSendRequest } from '../../drivers/fax.ts'
import type { FaxOutcome } from './outcome.ts'

export interface FaxCallRequest {
  readonly faxId: string
  readonly to: string
  /** Name of the access token by which it came; '' for none. */
  readonly token: string
  readonly send: FaxSendRequest
}

export interface FaxCall {
  readonly callId: string
  /** Never rejects. */
  readonly ended: Promise<FaxOutcome>
  /** Since the far end answered; 0 before. */
  seconds(): number
  /** Says goodbye and hangs up; `ended` follows. */
  stop(): void
}

/** A line that is held for one call. */
export interface FaxLine {
  readonly id: string
  /** Our number on this line. */
  readonly from: string
  place(request: FaxCallRequest, onProgress: (progress: FaxProgress) => void): FaxCall
  /** For a line that is not used after all. */
  release(): void
}

/** How a line is at the moment. */
export interface LineCondition {
  readonly id: string
  readonly ok: boolean
  /** A few words; '' where it is well. */
  readonly reason: string
}

export interface FaxLines {
  /** Whether there is a line that could ever send. */
  configured(): boolean
  /** Number that a fax would be sent from. */
  number(): string
  /** Every line that may send. */
  conditions(): readonly LineCondition[]
  /** Claims a line that is free now for a call to `to`, none of those in `without`; null while there is none. */
  reserve(to: string, without: ReadonlySet<string>): FaxLine | null
}

const failuresToOut = 10
const outMs = 600_000

export interface LineHealthOptions {
  readonly alert: (code: string, text: string) => void
  /** A line works again: clears its alert. */
  readonly clear?: (code: string) => void
}

/** Lines that failed too often in a row are left alone for a while. */
export class LineHealth {
  readonly #failures = new Map<string, number>()
  readonly #outUntil = new Map<string, number>()
  readonly #options: LineHealthOptions

  constructor(options: LineHealthOptions) {
    this.#options = options
  }

  failed(line: string, now: number): void {
    const failures = (this.#failures.get(line) ?? 0) + 1
    this.#failures.set(line, failures)
    if (failures < failuresToOut) return
    this.#outUntil.set(line, now + outMs)
    if (failures > failuresToOut) return
    this.#options.alert(`fax_line_out ${line}`, `The line ${line} failed for ${failures} faxes in a row; it is not used for ten minutes.`)
  }

  worked(line: string): void {
    this.#failures.delete(line)
    if (this.#outUntil.delete(line)) this.#options.clear?.(`fax_line_out ${line}`)
  }

  /** `lines` with what their last faxes showed. */
  judge(lines: readonly LineCondition[], now: number): readonly LineCondition[] {
    const out = this.out(now)
    return lines.map((line) =>
      line.ok && out.has(line.id) ? { id: line.id, ok: false, reason: 'not used for a while after ten failures in a row' } : line,
    )
  }

  out(now: number): ReadonlySet<string> {
    return new Set([...this.#outUntil].filter(([, until]) => until > now).map(([line]) => line))
  }
}
