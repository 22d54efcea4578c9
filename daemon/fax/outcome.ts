/**
 * What became of one call of a fax, put into a class that decides about the next one and into a reason for people. Codes
 * of a session are spandsp's T30_ERR_...; statuses before the answer are those of RFC 3261.
 */
import type { FaxProgress } from '../../drivers/fax.ts'
import type { FaxReason, RetryClass } from '../store/tables.ts'

export type FaxOutcome =
  /** The call could not be placed: no dial tone, the trunk did not answer, the modem is dead. */
  | { readonly kind: 'line'; readonly text: string }
  /** The number was dialled and nobody took the call. 0 where no status was seen. */
  | { readonly kind: 'unanswered'; readonly sipCode: number; readonly rang: boolean; readonly text: string }
  | {
      readonly kind: 'session'
      readonly code: number
      readonly text: string
      /** V.21 of the far end was heard. */
      readonly heardFax: boolean
      readonly progress: FaxProgress
      readonly unconfirmedLastPage: boolean
      readonly durationSeconds: number
    }
  /** Our own side ended it: the daemon stops, or the engine was lost. What the far end has of the page under way is not known. */
  | { readonly kind: 'interrupted'; readonly progress: FaxProgress | null; readonly durationSeconds: number; readonly text: string }

export interface Verdict {
  readonly class: RetryClass | 'sent'
  readonly reason: FaxReason | ''
  /** One sentence. */
  readonly message: string
  /** The fault is ours: somebody should look. */
  readonly alert?: boolean
}

/** `sent` where the session ended well. Whether the fax counts as sent depends on which pages were confirmed. */
export function judge(outcome: FaxOutcome): Verdict {
  switch (outcome.kind) {
    case 'line':
      return { class: 'line', reason: 'line_unavailable', message: `The call could not be placed: ${sentence(outcome.text)}` }
    case 'interrupted':
      return { class: 'interrupted', reason: 'call_dropped', message: 'The box lost the call.' }
    case 'unanswered':
      return judgeStatus(outcome.sipCode, outcome.rang, outcome.text)
    case 'session':
      return judgeSession(outcome.code, outcome.heardFax, outcome.text)
  }
}

const busy: Verdict = { class: 'busy', reason: 'busy', message: 'The number is busy.' }
const noAnswer: Verdict = { class: 'no-answer', reason: 'no_answer', message: 'Nobody answered.' }
const invalid: Verdict = { class: 'permanent', reason: 'invalid_number', message: 'The number does not exist.' }
const rejected: Verdict = { class: 'permanent', reason: 'rejected', message: 'The far end rejected the call.' }

function judgeStatus(code: number, rang: boolean, text: string): Verdict {
  switch (code) {
    case 486:
    case 600:
      return busy
    case 480:
    case 487:
      return noAnswer
    case 404:
    case 410:
    case 484:
    case 604:
      return invalid
    case 403:
    case 603:
      return rejected
    case 488:
    case 606:
      return { class: 'permanent', reason: 'remote_incompatible', message: 'The far end rejects calls of this kind.' }
    // 408 without ringing comes from the trunk that is not there; 401, 407 and 429 from the trunk that does not want us.
    case 408:
      if (rang) return noAnswer
      break
    case 401:
    case 407:
    case 429:
      break
    default:
      if (rang && (code === 0 || code >= 500) && code < 600) return noAnswer
      if ((code >= 300 && code < 500) || code >= 600) return { ...rejected, message: `The call was refused (${code}).` }
  }
  return {
    class: 'line',
    reason: 'line_unavailable',
    message: `The line did not accept the call: ${sentence(text === '' ? String(code) : text)}`,
  }
}

const notFax: Verdict = { class: 'not-a-fax', reason: 'no_fax_detected', message: 'The call was answered, but no fax machine was heard.' }

function judgeSession(code: number, heardFax: boolean, text: string): Verdict {
  if (code === 0) return { class: 'sent', reason: '', message: '' }
  if (code === 2 && !heardFax) return notFax
  if (code === 8 || code === 9 || code === 10 || code === 12) {
    return { class: 'permanent', reason: 'remote_incompatible', message: 'The fax machine cannot receive this fax.' }
  }
  if (code === 11) return { class: 'reformat', reason: 'remote_incompatible', message: 'The fax machine does not support this resolution.' }
  if (code >= 40 && code <= 47) {
    const ours: Pick<Verdict, 'class' | 'alert'> = { class: 'permanent', alert: true }
    if (code === 40 || code === 47) return { ...ours, reason: 'internal', message: `The fax engine failed: ${sentence(text)}` }
    return { ...ours, reason: 'document_error', message: `The pages could not be read by the fax engine: ${sentence(text)}` }
  }
  if (code >= 50 && code <= 62) return { ...rejected, message: 'The fax machine refused our identification.' }
  // Code 1: a fax machine's answer tone that did not end.
  if (!heardFax && code !== 1) return notFax
  return { class: 'protocol', ...protocolReason(code, text) }
}

/** What a session of code 49 says when the engine ended the call because the far end's audio or UDPTL had stopped. */
const ourSideNoMedia = 'our side: no media'

function protocolReason(code: number, text: string): { reason: FaxReason; message: string } {
  switch (code) {
    case 6:
      return { reason: 'training_failed', message: 'The two fax machines found no speed that works on this line.' }
    case 17:
    case 49:
      if (text === ourSideNoMedia)
        return { reason: 'call_dropped', message: 'The box ended the call because the far end sent nothing any more.' }
      if (text.startsWith('our side:')) return { reason: 'call_dropped', message: 'The box lost the call.' }
      return { reason: 'call_dropped', message: 'The far end hung up before the fax was complete.' }
    default:
      return { reason: 'protocol_error', message: `The far end stopped answering correctly: ${sentence(text)}` }
  }
}

function sentence(text: string): string {
  const bare = text.trim().replace(/\.$/, '')
  return bare === '' ? 'no reason was given.' : `${bare}.`
}
