/** How an ended call went, in the words of the planner. */
import type { CallRow } from '../../store/tables.ts'
import type { ReminderCallResult } from '../caller.ts'
import type { Decision, ScriptState } from './script.ts'

export interface Talk {
  /** Kept durably. */
  readonly decision: Decision | null
  /** Where the conversation was when the call ended. */
  readonly stage: ScriptState['stage']
  /** To the reception, which had answered. */
  readonly connected: boolean
}

type Ended = Pick<CallRow, 'answeredAt' | 'answeredBy' | 'endReason' | 'endedBy' | 'sipCode'>

export function resultOf(row: Ended, talk: Talk): ReminderCallResult {
  if (talk.decision !== null) return { kind: 'answer', outcome: talk.decision, reason: 'keypad' }
  return row.answeredAt === null ? unanswered(row) : answered(row, talk)
}

function answered({ answeredBy, endReason, endedBy }: Ended, { stage, connected }: Talk): ReminderCallResult {
  switch (endReason) {
    case 'failed':
    case 'media-timeout':
      return { kind: 'failed', text: 'the connection was lost' }
    case 'shutdown':
      return { kind: 'failed', text: 'the daemon was stopped' }
    case 'app-error':
      return { kind: 'failed', text: 'what the person pressed could not be kept' }
    case 'canceled':
    case 'api':
      return { kind: 'failed', text: 'the call was canceled' }
  }
  if (connected) return { kind: 'reception' }
  if (answeredBy !== 'machine') return { kind: 'no-input' }
  // A machine that hangs up before our message has ended has kept none of it, or too little.
  return stage === 'message' && endedBy === 'app' ? { kind: 'voicemail' } : { kind: 'no-answer' }
}

/** 486 and 600 are busy. Nobody was there for 408, 480 and 487, and who declines (603) is not called again at once either. */
function unanswered({ endReason, endedBy, sipCode }: Ended): ReminderCallResult {
  switch (endReason) {
    case 'busy':
      return { kind: 'busy' }
    case 'no-answer':
    case 'rejected':
      return { kind: 'no-answer' }
    // The provider was not there: nobody's telephone rang.
    case 'unreachable':
      return { kind: 'not-placed', text: 'the provider does not answer' }
    case 'shutdown':
      return { kind: 'failed', text: 'the daemon was stopped' }
    case 'canceled':
    case 'api':
      return { kind: 'failed', text: 'the call was canceled' }
  }
  if (sipCode === 0) return { kind: 'failed', text: 'the line was lost' }
  // No person was asked: no media could be agreed on, or the box had no room.
  return { kind: 'failed', text: endedBy === 'system' ? `the box ended the call with ${sipCode}` : `the network answered ${sipCode}` }
}
