/**
 * The simulated network behind the modem: takes texts, sends reports, and answers as the number says. The last two digits
 * of a recipient choose: 00 echoes the text, 01 is always busy (+CMS ERROR 42), 02 is refused (21), 03 fails later, 04 is
 * buffered first, 05 expires, 06 takes the text and loses its answer, 07 never reports, 08 is busy once; all others take it.
 */
import type { SimClock } from '../time.ts'
import { writeDeliver, writeReport, type Delivered, type SimPart, type Submitted } from './pdu.ts'

export interface SentText extends Submitted {
  readonly reference: number
  readonly at: number
}

/** `wait`: what the network offers until the modem took it. */
export interface Offer {
  readonly kind: 'text' | 'report'
  readonly pdu: string
}

type Ending = {
  readonly cms?: number
  readonly lost?: boolean
  readonly reports: readonly number[]
  readonly echo?: boolean
  readonly once?: boolean
}

/** TP-Status of reports, in their order. */
const endings: Readonly<Record<string, Ending>> = {
  '00': { reports: [0x00], echo: true },
  '01': { cms: 42, reports: [] },
  '02': { cms: 21, reports: [] },
  '03': { reports: [0x43] },
  '04': { reports: [0x30, 0x00] },
  '05': { reports: [0x46] },
  '06': { lost: true, reports: [0x00] },
  '07': { reports: [] },
  '08': { cms: 42, reports: [0x00], once: true },
}
const ordinary: Ending = { reports: [0x00] }

export interface SimNetworkOptions {
  readonly clock: SimClock
  /** Milliseconds until a report, or an echo. */
  readonly reportMs?: number
  readonly onSent?: (text: SentText) => void
}

export type SubmitResult = { readonly reference: number } | { readonly cms: number } | { readonly lost: true }

export class SimNetwork {
  readonly sent: SentText[] = []
  /** AT+CREG: 0 not, 1 home, 2 searching, 3 denied, 5 roaming. */
  registration = 1
  signal = 20
  operator = 'Simulated'
  readonly #options: SimNetworkOptions
  readonly #waiting: Offer[] = []
  readonly #busyOnce = new Set<string>()
  readonly #echoes = new Map<string, string[]>()
  #modem: (() => void) | null = null
  #reference = 0

  constructor(options: SimNetworkOptions) {
    this.#options = options
  }

  /** Sets the callback for when something waits; null while the modem has no power. */
  attach(modem: (() => void) | null): void {
    this.#modem = modem
  }

  register(registration: number): void {
    this.registration = registration
    this.#modem?.()
  }

  /** A text comes in. */
  deliver(text: Omit<Delivered, 'at'> & { readonly at?: number }): void {
    this.offer({ kind: 'text', pdu: writeDeliver({ at: this.#options.clock.now(), ...text }) })
  }

  offer(offer: Offer): void {
    this.#waiting.push(offer)
    this.#modem?.()
  }

  /** First one that waits. */
  next(): Offer | null {
    return this.registration === 1 || this.registration === 5 ? (this.#waiting[0] ?? null) : null
  }

  taken(): void {
    this.#waiting.shift()
  }

  get waiting(): number {
    return this.#waiting.length
  }

  submit(text: Submitted): SubmitResult {
    if (this.registration !== 1 && this.registration !== 5) return { cms: 331 }
    const ending = endings[text.to.slice(-2)] ?? ordinary
    const { clock, reportMs = 1000, onSent } = this.#options
    if (ending.cms !== undefined && !(ending.once === true && this.#busyOnce.has(text.to))) {
      this.#busyOnce.add(text.to)
      return { cms: ending.cms }
    }
    const reference = (this.#reference = (this.#reference + 1) & 255)
    const at = clock.now()
    const sent = { ...text, reference, at }
    this.sent.push(sent)
    onSent?.(sent)
    if (text.wantsReport)
      ending.reports.forEach((status, i) => {
        const report = (): void => this.offer({ kind: 'report', pdu: writeReport(reference, text.to, at, clock.now(), status) })
        clock.after(reportMs * (i + 1), report)
      })
    if (ending.echo === true) this.#echo(text)
    return ending.lost === true ? { lost: true } : { reference }
  }

  /** The whole text comes back, in as many parts as it was. */
  #echo({ to, text, part, encoding }: Submitted): void {
    const { reference, total, index }: SimPart = part ?? { reference: 0, total: 1, index: 1 }
    const key = `${to} ${reference}`
    const parts = this.#echoes.get(key) ?? []
    parts[index - 1] = text
    this.#echoes.set(key, parts)
    if (parts.filter((one) => one !== undefined).length < total) return
    this.#echoes.delete(key)
    this.#options.clock.after(this.#options.reportMs ?? 1000, () => {
      parts.forEach((one, i) =>
        this.deliver({ from: to, text: one, encoding, ...(total === 1 ? {} : { part: { reference, total, index: i + 1 } }) }),
      )
    })
  }
}
