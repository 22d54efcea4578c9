/**
 * The states of a call as the API shows them, as a pure machine, and how the end of a leg is put into its words.
 * `queued -> dialing -> ringing -> in-progress -> completed`; busy, no-answer, failed and canceled are reached only before
 * the answer. There is no way back, and nothing follows a terminal state.
 */
import { endWords, type LegEnd } from '../../drivers/line.ts'
import type { CallState, EndedBy, EndReason } from '../schema/states.ts'

export type CallInput = 'dial' | 'ring' | 'answer' | 'busy' | 'no-answer' | 'fail' | 'cancel' | 'complete'

const moves: Record<CallInput, { from: readonly CallState[]; to: CallState }> = {
  dial: { from: ['queued'], to: 'dialing' },
  ring: { from: ['dialing'], to: 'ringing' },
  answer: { from: ['dialing', 'ringing'], to: 'in-progress' },
  busy: { from: ['queued', 'dialing', 'ringing'], to: 'busy' },
  'no-answer': { from: ['queued', 'dialing', 'ringing'], to: 'no-answer' },
  fail: { from: ['queued', 'dialing', 'ringing'], to: 'failed' },
  cancel: { from: ['queued', 'dialing', 'ringing'], to: 'canceled' },
  complete: { from: ['in-progress'], to: 'completed' },
}

/** The state after `input`, or null when that move is not legal from `state`. */
export function nextState(state: CallState, input: CallInput): CallState | null {
  const move = moves[input]
  return move.from.includes(state) ? move.to : null
}

export function isTerminal(state: CallState): boolean {
  return state === 'completed' || state === 'busy' || state === 'no-answer' || state === 'failed' || state === 'canceled'
}

/** Why this daemon itself ended a call; kept from the moment of the decision until the leg confirms. */
export interface OwnEnd {
  readonly reason: EndReason
  readonly by: EndedBy
}

export interface CallEnd {
  readonly input: CallInput
  readonly reason: EndReason
  readonly by: EndedBy
}

/**
 * Classifies the end of a call's leg. `own` is set when we asked for it. SIP statuses follow RFC 3261: 486 and 600 are
 * busy, as is 603 (a person declined); 408, 480 and 487 are no answer; anything else before the answer is a failure, and
 * `unreachable` where nothing answered at all: the provider's fault or the network's, not that of who was called.
 */
export function classifyEnd(state: CallState, direction: 'inbound' | 'outbound', end: LegEnd, own: OwnEnd | null): CallEnd {
  if (state === 'in-progress') {
    if (own) return { input: 'complete', ...own }
    if (end.reason === 'media-timeout') return { input: 'complete', reason: 'media-timeout', by: 'system' }
    if (end.by !== 'remote') return { input: 'complete', reason: 'failed', by: 'system' }
    return direction === 'inbound'
      ? { input: 'complete', reason: 'caller-hangup', by: 'caller' }
      : { input: 'complete', reason: 'callee-hangup', by: 'callee' }
  }
  if (own) return { input: beforeAnswer(own.reason), ...own }
  if (direction === 'inbound') {
    if (end.reason === 'canceled' || end.by === 'remote') return { input: 'cancel', reason: 'canceled', by: 'caller' }
    return { input: 'fail', reason: 'failed', by: 'system' }
  }
  if (end.reason === 'unreachable') return { input: 'fail', reason: 'unreachable', by: 'system' }
  const by: EndedBy = end.by === 'remote' ? 'callee' : 'system'
  switch (end.sipCode) {
    case 486:
    case 600:
      return { input: 'busy', reason: 'busy', by }
    case 603:
      return { input: 'busy', reason: 'rejected', by }
    case 408:
    case 480:
    case 487:
      return { input: 'no-answer', reason: 'no-answer', by }
  }
  if (end.reason === 'no-answer') return { input: 'no-answer', reason: 'no-answer', by: 'system' }
  return { input: 'fail', reason: 'failed', by }
}

/** For the trace. */
export function endText({ reason, by }: CallEnd, end: LegEnd): string {
  const words = endWords(end)
  return `${reason}, ended by ${by}${words === '' || words === reason ? '' : ` (${words})`}`
}

function beforeAnswer(reason: EndReason): CallInput {
  switch (reason) {
    case 'busy':
    case 'rejected':
      return 'busy'
    case 'canceled':
    case 'api':
      return 'cancel'
    case 'app-hangup':
    case 'document-end':
    case 'no-answer':
      return 'no-answer'
    default:
      return 'fail'
  }
}
