/** A trunk whose answers the test gives. */
import type { InboundText, OutboundText, SmsOutcome, SmsReport, SmsTrunk, SmsTrunkHandlers, SmsTrunkStatus } from '../../drivers/sms.ts'

export interface Handed {
  readonly text: OutboundText
  readonly signal: AbortSignal
  answer(outcome: SmsOutcome): void
}

export class ScriptedTrunk implements SmsTrunk {
  readonly kind = 'sim'
  readonly id: string
  readonly number: string
  window = 1
  /** Every text it was given, in order. */
  readonly handed: Handed[] = []
  /** What it answers at once; null: the test answers. */
  answers: ((text: OutboundText) => SmsOutcome) | null = null
  lookUp?: (text: OutboundText, signal: AbortSignal) => Promise<SmsOutcome>
  ok = true
  #handlers: SmsTrunkHandlers | null = null
  #references = 0

  constructor(id = 'gsm1', number = '+15550002000') {
    this.id = id
    this.number = number
  }

  start(handlers: SmsTrunkHandlers): void {
    this.#handlers = handlers
  }

  async stop(): Promise<void> {
    for (const { text, answer } of this.handed) answer({ kind: 'temporary', text: 'stopped', accepted: text.accepted })
  }

  send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    return new Promise((resolve) => {
      this.handed.push({ text, signal, answer: resolve })
      if (this.answers !== null) resolve(this.answers(text))
    })
  }

  status(): SmsTrunkStatus {
    const state = this.ok ? 'ready' : 'no-device'
    return { ok: this.ok, state, text: this.ok ? '' : 'there is no such device', since: 0, facts: { signal: -71 } }
  }

  turn(ok: boolean): void {
    this.ok = ok
    this.#handlers?.statusChanged()
  }

  receive(changes: Partial<InboundText> = {}): Promise<void> {
    const text = {
      from: '+15551230001',
      to: this.number,
      body: 'Hello',
      encoding: 'GSM-7',
      sentAt: null,
      providerId: '',
      ...changes,
    } as const
    return this.#handlers!.received(text)
  }

  report(reference: string, state: SmsReport['state'] = 'delivered', to = '+15551230001'): Promise<void> {
    return this.#handlers!.report({ reference, to, state, text: state === 'delivered' ? '' : 'unreachable', at: 0 })
  }

  /** Accepts every part with a new reference. */
  readonly takesAll = (text: OutboundText): SmsOutcome => ({
    kind: 'accepted',
    accepted: text.segments.map(() => String(++this.#references)),
  })
}

export const temporary = (text: string, accepted: (string | null)[] = [null]): SmsOutcome => ({ kind: 'temporary', text, accepted })
export const unknown = (text: string, accepted: (string | null)[] = [null]): SmsOutcome => ({ kind: 'unknown', text, accepted })
export const refused = (code: string, text: string): SmsOutcome => ({ kind: 'refused', code, text, accepted: [null] })
