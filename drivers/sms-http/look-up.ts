/**
 * What became of a text whose answer was lost: the provider's newest texts to the same number are compared with it.
 * Only a list that reaches back to the attempt says that the text is not there; and of two texts that are the same, one
 * may be an earlier one.
 */
import type { OutboundText, SmsOutcome } from '../sms.ts'
import { holds, textAt, timeAt, type Template } from './template.ts'
import type { Listed } from './pages.ts'

/** Clocks differ. */
const skewMs = 120_000
/** A request that was written may be worked on for so long before it is in the list. */
const settledMs = 60_000
/** How far back a text is looked for that an earlier run may have sent: longer no text is tried. */
const longestMs = 72 * 3_600_000

export interface Attempt {
  /** The last moment at which the text can have been sent. */
  readonly until: number
  /** Texts of before are others. */
  readonly from: number
  /** False where another text that is the same may lie in between. */
  readonly exact: boolean
}

/** @param sentAt undefined where that was before the start */
export function attemptOf(sentAt: number | undefined, startedAt: number): Attempt {
  if (sentAt !== undefined) return { until: sentAt, from: sentAt - skewMs, exact: true }
  return { until: startedAt, from: startedAt - longestMs, exact: false }
}

/** @param taken ids of texts that are known to be others */
export function judge(
  listed: Listed,
  text: OutboundText,
  template: NonNullable<Template['lookUp']>,
  attempt: Attempt,
  taken: ReadonlySet<string>,
  nowMs: number,
): SmsOutcome {
  const unknown = (words: string): SmsOutcome => ({ kind: 'unknown', text: words, accepted: [null] })
  if (listed.kind === 'failed') return unknown(`the provider could not be asked: ${listed.text}`)
  const found = listed.items.filter(
    (item) =>
      holds(template.when, item) &&
      textAt(item, template.to) === text.to &&
      // An account on trial puts words of its own before the text.
      textAt(item, template.body).trim().endsWith(text.body.trim()) &&
      (timeAt(item, template.at) ?? Infinity) >= attempt.from &&
      !taken.has(textAt(item, template.id)),
  )
  if (found.length > 0) {
    if (!attempt.exact || found.length > 1) return unknown('the provider has the same text to the same number, perhaps from another time')
    return { kind: 'accepted', accepted: [textAt(found[0], template.id) || null] }
  }
  if (!listed.whole) return unknown('the provider has more texts to this number than can be looked through')
  if (nowMs - attempt.until < settledMs) return unknown('the provider does not have the text, so far')
  return { kind: 'temporary', text: 'the provider did not get the text', accepted: [null] }
}
