/** One reminder call under way: carries the script through the events of its session, and knows in the end how it went. */
import type { Call } from '../../calls/call.ts'
import type { Clock } from '../../base/clock.ts'
import type { CallEvent } from '../../schema/events.ts'
import type { ReminderCallEvents, ReminderCallResult } from '../caller.ts'
import { resultOf } from './result.ts'
import { beginning, converse, type Decision, type ScriptEvent, type ScriptFacts, type ScriptState } from './script.ts'

/** A caller who talks with the reception is not cut off by the limit of the reminder. */
const receptionSeconds = 3600
/** The same key within so long is the same press, unless the question was heard to its end: gateways double a digit, and a finger bounces. */
const samePressMs = 700

export class Conversation {
  readonly #call: Call
  readonly #clock: Clock
  readonly #facts: ScriptFacts
  readonly #events: ReminderCallEvents
  #state: ScriptState = beginning
  /** The last key that counted, and what was asked then. */
  #pressed: { readonly key: string; readonly at: number; readonly document: readonly unknown[] } | null = null
  #decision: Decision | null = null
  /** The answer that is being kept: it counts although the callee has hung up meanwhile. */
  #keeping: Promise<void> = Promise.resolve()
  #endsAt = Infinity
  /** The reception had answered by the end of the call. */
  #connected = false

  constructor(call: Call, clock: Clock, facts: ScriptFacts, events: ReminderCallEvents) {
    this.#call = call
    this.#clock = clock
    this.#facts = facts
    this.#events = events
    call.over.addEventListener('abort', () => {
      this.#connected = call.row.activity === 'routed'
    })
  }

  async respond(event: CallEvent): Promise<readonly unknown[]> {
    const happened = scriptEvent(event)
    if (happened === null) return []
    const now = this.#clock.elapsed()
    const pressed = this.#pressed
    const early = event.event === 'gather.completed' && event.bargeIn && pressed !== null && now - pressed.at < samePressMs
    if (early && happened.type === 'key' && happened.key === pressed.key) return pressed.document
    const step = converse(this.#facts, this.#state, happened, (this.#endsAt - this.#clock.elapsed()) / 1000)
    const { decision } = step
    if (decision !== null && this.#decision === null) {
      this.#keeping = this.#events.decided(decision, 'keypad').then(() => {
        this.#decision = decision
      })
      await this.#keeping
    }
    if (step.state.stage === 'reception') this.limit(receptionSeconds)
    else if (this.#state.stage === 'reception') this.limit(this.#call.row.maxSeconds)
    this.#state = step.state
    this.#pressed = happened.type === 'key' ? { key: happened.key, at: now, document: step.document } : null
    return step.document
  }

  /** The call ends so many seconds from now, and nothing is begun that would not end before. */
  limit(seconds: number): void {
    this.#endsAt = this.#clock.elapsed() + seconds * 1000
    this.#call.limit(seconds)
  }

  /** Once the call is settled. */
  async result(): Promise<ReminderCallResult> {
    await this.#keeping.catch(() => undefined)
    return resultOf(this.#call.row, { decision: this.#decision, stage: this.#state.stage, connected: this.#connected })
  }
}

function scriptEvent(event: CallEvent): ScriptEvent | null {
  switch (event.event) {
    case 'call.answered':
      return { type: 'answered', by: event.answeredBy === 'machine' ? 'machine' : 'human' }
    case 'gather.completed': {
      if (event.reason === 'hangup') return { type: 'hangup' }
      return event.digits === '' ? { type: 'silence' } : { type: 'key', key: event.digits.slice(0, 1) }
    }
    case 'route.completed':
      return { type: 'reception-away' }
    default:
      return null
  }
}
