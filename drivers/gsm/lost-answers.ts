/**
 * Texts whose answer was lost, until a status report shows that the network has them. A report belongs to one when its
 * reference was never given for this recipient, and the network took what it speaks of just when the part was written.
 */
import type { OutboundText, SmsOutcome } from '../sms.ts'
import type { StatusReport } from './pdu.ts'

type Lost = { readonly messageId: string; readonly part: number; readonly to: string; readonly at: number; reference: string | null }

/** The box and the network may not agree on the time. */
const skewMs = 120_000
const keptMs = 3_600_000

export class LostAnswers {
  /** References of a modem repeat after 256 texts. */
  readonly #given = new Map<string, string>()
  #lost: Lost[] = []
  #writing: string | null = null

  /** The number a text is being sent to; null once it is sent. Until then its reference is not known. */
  writing(to: string | null): void {
    this.#writing = to
  }

  given(reference: string, to: string): void {
    this.#given.set(reference, to)
  }

  lose(messageId: string, part: number, to: string, at: number): void {
    this.#lost = [...this.#lost.filter((one) => at - one.at < keptMs), { messageId, part, to, at, reference: null }]
  }

  reported({ report: { reference, to }, takenAt }: StatusReport): void {
    if (this.#writing !== null && same(this.#writing, to)) return
    const known = this.#given.get(reference)
    if (takenAt === null || (known !== undefined && same(known, to)) || this.#lost.some((one) => one.reference === reference)) return
    const fitting = this.#lost.filter((one) => one.reference === null && same(one.to, to) && Math.abs(takenAt - one.at) < skewMs)
    // Of two to one recipient nobody can say which it was.
    if (fitting.length === 1) fitting[0]!.reference = reference
  }

  lookUp({ messageId, segments, accepted: before }: OutboundText): SmsOutcome {
    const mine = this.#lost.filter((one) => one.messageId === messageId)
    const accepted = segments.map((_, i) => before[i] ?? mine.find(({ part }) => part === i)?.reference ?? null)
    if (accepted.every((reference) => reference !== null)) return { kind: 'accepted', accepted }
    if (mine.length === 0 || mine.some(({ reference }) => reference === null))
      return { kind: 'unknown', text: 'The network has not reported on the text', accepted }
    return { kind: 'temporary', text: 'The network has a part of the text; the others were not sent yet', accepted }
  }
}

/** A network may name a recipient without its country. */
function same(one: string, other: string): boolean {
  const [a, b] = [one, other].map((number) => number.replaceAll(/\D/g, '').replace(/^0+/, '')) as [string, string]
  return a === b || (a.length >= 7 && b.length >= 7 && (a.endsWith(b) || b.endsWith(a)))
}
