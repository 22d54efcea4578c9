/** What an answer of the provider means for a text. */
import { retryAfterMs } from '../retry-after.ts'
import type { SmsOutcome } from '../sms.ts'
import type { Result } from './client.ts'
import { holds, textAt, type Template } from './template.ts'

type Answer = Extract<Result, { kind: 'answer' }>

const nothing: readonly null[] = [null]
const longestRetryAfter = 86_400
const longestText = 300

export function outcomeOf(result: Result, template: Template, nowMs: number): SmsOutcome {
  if (result.kind === 'unsent') return { kind: 'temporary', text: result.text, accepted: nothing }
  if (result.kind === 'lost') return { kind: 'unknown', text: `the answer was lost: ${result.text}`, accepted: nothing }
  const { status, document } = result
  const good = status >= 200 && status < 300
  if (good && holds(template.answer.accepted, document)) {
    return { kind: 'accepted', accepted: [textAt(document, template.answer.id) || null] }
  }
  const code = textAt(document, template.answer.code)
  const text = wordsOf(result, template)
  // A gateway that gave up waiting: what is behind it may have taken the text.
  if (status === 504) return { kind: 'unknown', text, accepted: nothing }
  const again = isTemporary(status, template) || template.temporary.codes.includes(code)
  if (!again) return { kind: 'refused', text, code: code === '' ? `HTTP ${status}` : code, accepted: nothing }
  const askedMs = retryAfterMs(result.headers['retry-after'], nowMs)
  const retryAfterSeconds = askedMs === undefined ? {} : { retryAfterSeconds: Math.min(longestRetryAfter, Math.ceil(askedMs / 1000)) }
  return { kind: 'temporary', text, accepted: nothing, ...retryAfterSeconds }
}

function isTemporary(status: number, template: Template): boolean {
  return status === 429 || status >= 500 || template.temporary.statuses.includes(status)
}

/** Codes and the provider's words, never what was sent. The words are quoted: they may name a person. */
export function wordsOf({ status, document }: Answer, template: Template): string {
  const code = textAt(document, template.answer.code)
  const text = textAt(document, template.answer.text).slice(0, longestText)
  const said = text === '' ? (known[status] ?? 'the provider refuses') : `the provider says: "${text.replaceAll('"', "'")}"`
  return `${said} (HTTP ${status}${code === '' ? '' : `, code ${code}`})`
}

const known: Readonly<Record<number, string>> = {
  401: 'the provider does not accept the account or its secret',
  402: 'the account at the provider has no money left',
  403: 'the provider does not permit this',
  404: "nothing is at this address of the provider's interface",
  429: 'more requests than the provider takes',
  504: 'a gateway before the provider got no answer',
}
