/** What became of taking a call somewhere: one value, whatever was to take it. */
import type { LegEnd } from '../../drivers/line.ts'
import type { DialStatus } from '../schema/states.ts'

/**
 * `refused`: the person there declined. `unreachable`: nobody is there to be rung, or nothing answered at all. `canceled`: the
 * caller left first, or the order was withdrawn. `failed`: anything else.
 */
export type Outcome = 'answered' | 'busy' | 'no-answer' | 'refused' | 'unreachable' | 'canceled' | 'failed'

export interface Taken {
  readonly outcome: Outcome
  /** Final SIP status of who was called, 0 where none was seen. */
  readonly sipCode: number
  /** For the trace; '' for nothing. */
  readonly text: string
  /** The number that the phone which was rung has its calls go to. */
  readonly redirectedTo?: string
}

export const answered: Taken = { outcome: 'answered', sipCode: 200, text: '' }
export const canceled: Taken = { outcome: 'canceled', sipCode: 487, text: '' }

/** Of a leg that was dialled and ended before anybody answered. The statuses are those of RFC 3261. */
export function takenOf({ by, reason, sipCode, text, redirectedTo }: LegEnd): Taken {
  const taken = (outcome: Outcome): Taken => ({ outcome, sipCode, text: text === '' ? reason : text })
  if (reason === 'canceled' && by === 'local') return taken('canceled')
  if (reason === 'unreachable') return taken('unreachable')
  // The phone is there, and its person is not.
  if (redirectedTo !== undefined) return { ...taken('busy'), redirectedTo }
  switch (sipCode) {
    case 486:
    case 600:
      return taken('busy')
    case 603:
      return taken('refused')
    case 480:
      // The driver itself says so where no phone is registered.
      return taken(by === 'system' ? 'unreachable' : 'no-answer')
    case 408:
    case 487:
      return taken('no-answer')
  }
  return taken(reason === 'no-answer' ? 'no-answer' : 'failed')
}

/** In the words of `route.completed` and `forward.completed`, which are those of the states of a call: 480 is no answer, 603 is busy. */
export function dialStatusOf({ outcome, sipCode }: Taken): DialStatus {
  switch (outcome) {
    case 'answered':
    case 'busy':
    case 'no-answer':
      return outcome
    case 'refused':
      return 'busy'
    case 'unreachable':
      return sipCode === 480 ? 'no-answer' : 'failed'
    case 'canceled':
    case 'failed':
      return 'failed'
  }
}
