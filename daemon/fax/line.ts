/** What the queue asks of whatever carries outgoing faxes: SIP trunks, later modems. */
import type { FaxProgress, FaxSendRequest } from '../../drivers/fax.ts'
import type { FaxOutcome } from './outcome.ts'

export interface FaxCallRequest {
  readonly faxId: string
  readonly to: string
  readonly send: FaxSendRequest
}

export interface FaxCall {
  readonly callId: string
  /** Never rejects. */
  readonly ended: Promise<FaxOutcome>
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

export interface FaxLines {
  /** Whether there is a line that could ever send. */
  configured(): boolean
  /** Number that a fax would be sent from. */
  number(): string
  /** A line that is free now and not among `without`; null while there is none. */
  reserve(without: ReadonlySet<string>): FaxLine | null
}

const failuresToOut = 10
const outMs = 600_000

/** Lines that failed too often in a row are left alone for a while. */
export class LineHealth {
  readonly #failures = new Map<string, number>()
  readonly #outUntil = new Map<string, number>()
  readonly #alarm: (line: string, failures: number) => void

  constructor(alarm: (line: string, failures: number) => void) {
    this.#alarm = alarm
  }

  failed(line: string, now: number): void {
    const failures = (this.#failures.get(line) ?? 0) + 1
    this.#failures.set(line, failures)
    if (failures < failuresToOut) return
    this.#outUntil.set(line, now + outMs)
    if (failures === failuresToOut) this.#alarm(line, failures)
  }

  worked(line: string): void {
    this.#failures.delete(line)
    this.#outUntil.delete(line)
  }

  out(now: number): ReadonlySet<string> {
    return new Set([...this.#outUntil].filter(([, until]) => until > now).map(([line]) => line))
  }
}
