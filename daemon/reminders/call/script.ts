/**
 * The conversation of a reminder call: the event of programmable voice and what was said before go in, the next control
 * document and the decision of the callee come out. Pure; every path ends.
 */
import type { Wording } from '../../words/words.ts'

export type Decision = 'confirmed' | 'canceled' | 'reschedule' | 'opted-out'

export interface ScriptFacts {
  readonly phrases: Wording['reminderCall']
  /** BCP 47, for the voice. */
  readonly language: string
  /** Who calls, and about which appointment. */
  readonly opening: string
  /** For a machine. */
  readonly message: string
  /** Destination of key 0; null where there is none. */
  readonly reception: string | null
}

export interface ScriptState {
  readonly stage: 'menu' | 'sure' | 'reception' | 'message' | 'over'
  /** Times that key 9 was pressed. */
  readonly repeats: number
  /** The callee was once silent, or pressed a wrong key: a second time ends the call. */
  readonly silent: boolean
  readonly wrong: boolean
  /** The reception did not answer. */
  readonly away: boolean
}

export interface ScriptStep {
  readonly state: ScriptState
  /** To be kept before the document is heard. */
  readonly decision: Decision | null
  readonly document: readonly unknown[]
}

export type ScriptEvent =
  /** The beginning; a machine is recording by now. */
  | { readonly type: 'answered'; readonly by: 'human' | 'machine' }
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'silence' }
  | { readonly type: 'hangup' }
  | { readonly type: 'reception-away' }

export const beginning: ScriptState = { stage: 'menu', repeats: 0, silent: false, wrong: false, away: false }

const mostRepeats = 2
const answerSeconds = 6
/** What a voice needs for a text. */
const secondsPerLetter = 0.065

/** @param secondsLeft until the call is cut: nothing is begun that would not be heard to its end */
export function converse(facts: ScriptFacts, state: ScriptState, event: ScriptEvent, secondsLeft = Infinity): ScriptStep {
  const { phrases } = facts
  const next = (change: Partial<ScriptState>, document: readonly unknown[], decision: Decision | null = null): ScriptStep => {
    return { state: { ...state, ...change }, decision, document }
  }
  const say = (...texts: readonly string[]) => ({ say: { text: texts.filter((text) => text !== '').join(' '), language: facts.language } })
  const last = (...texts: readonly string[]) => [say(...texts), { hangup: {} }]
  const over = (...texts: readonly string[]) => next({ stage: 'over' }, last(...texts))
  const decide = (decision: Decision, text: string) => next({ stage: 'over' }, last(text), decision)
  /** Says something and waits for a key; says goodbye where the time is too short for that. */
  const ask = (change: Partial<ScriptState>, ...texts: readonly string[]): ScriptStep => {
    const seconds = texts.join(' ').length * secondsPerLetter + answerSeconds
    if (seconds > secondsLeft && event.type !== 'answered') return over(state.stage === 'sure' ? phrases.kept : '', phrases.goodbye)
    return next(change, [say(...texts), { gather: { numDigits: 1, finishOnKey: '', bargeIn: 'dtmf', timeout: answerSeconds } }])
  }
  const menu = (change: Partial<ScriptState>, ...before: readonly string[]) => {
    const after = { ...state, ...change }
    return ask({ ...change, stage: 'menu' }, ...before, ...menuOf(facts, after))
  }

  if (state.stage === 'over') return next({}, [])
  switch (event.type) {
    case 'hangup':
      return next({ stage: 'over' }, [])
    case 'answered':
      if (event.by === 'human') return menu({}, facts.opening)
      // A machine needs a moment from its beep to its recording.
      return next({ stage: 'message' }, [{ pause: { seconds: 0.4 } }, ...last(facts.message)])
    case 'reception-away':
      return menu({ away: true }, phrases.nobodyThere)
    case 'silence':
      if (state.silent) return over(state.stage === 'sure' ? phrases.kept : '', phrases.goodbye)
      return state.stage === 'sure' ? menu({ silent: true }, phrases.kept) : menu({ silent: true }, facts.opening)
    case 'key':
      break
  }
  switch (event.key) {
    case '1':
      return decide('confirmed', phrases.confirmed)
    case '2':
      return state.stage === 'sure' ? decide('canceled', phrases.canceled) : ask({ stage: 'sure' }, phrases.sure)
    case '3':
      return decide('reschedule', phrases.rescheduled)
    case '*':
      return decide('opted-out', phrases.optedOut)
    case '0':
      if (facts.reception === null || state.away) break
      return next({ stage: 'reception' }, [say(phrases.toReception), { route: { to: facts.reception } }])
    case '9':
      if (state.repeats >= mostRepeats) break
      return menu({ repeats: state.repeats + 1 }, facts.opening)
  }
  if (state.wrong) return over(state.stage === 'sure' ? phrases.kept : '', phrases.goodbye)
  return state.stage === 'sure' ? ask({ wrong: true }, phrases.wrongKey, phrases.sure) : menu({ wrong: true }, phrases.wrongKey)
}

function menuOf({ phrases, reception }: ScriptFacts, { away, repeats }: ScriptState): string[] {
  return [
    phrases.confirm,
    phrases.cancel,
    phrases.reschedule,
    ...(reception === null || away ? [] : [phrases.reception]),
    ...(repeats >= mostRepeats ? [] : [phrases.again]),
    phrases.optOut,
  ]
}
