/**
 * The gather machine: which key, word, silence or hang-up ends a gather, and with what result. It is pure: no timers,
 * no input or output. `collectStart` and `collectStep` return the next state and what is to be done; of all times only
 * one deadline is alive, and the caller of this module hands in `timer` when it is reached.
 *
 * A gather is in one phase at a time:
 *   prompting   the prompts play; a key or speech may interrupt them
 *   waiting     nothing was said or pressed yet; ends after `timeoutMs`
 *   keying      a key was pressed: speech no longer counts, ends `interDigitMs` after the last key
 *   speaking    the caller speaks; ends with the recogniser's result, at the latest `speechMs` after the beginning
 *   finalising  the speech was too long, or the caller hung up in it: the recogniser has two seconds, or two and a half,
 *               to say what it has
 *   done        exactly one `done` was returned; nothing is taken any more
 *
 * Whatever happens, a gather ends `timeoutMs + speechMs + 2 s` after its prompts (2.5 s where the caller hangs up while
 * he speaks), or, once keys are pressed, `maxDigits * interDigitMs` after the first of them.
 */

import type { GatherReason } from '../schema/states.ts'
import type { CollectEffect, CollectInit, CollectInput, CollectParams, CollectResult, CollectState, CollectStep } from './collect-types.ts'

export type * from './collect-types.ts'

/** How long the recogniser may take for its last words. */
export const finalMs = 2000
/** The same after a hang-up: the application waits for the end of the call. */
export const hangupFinalMs = 2500
/** A line so noisy that it cut the prompts so often does not cut them again. */
export const maxFalseAlarms = 3

export function collectStart(params: CollectParams, init: CollectInit): CollectStep {
  const state: CollectState = {
    params,
    phase: 'prompting',
    startedAt: init.at,
    at: init.at,
    deadline: null,
    waitUntil: null,
    capAt: null,
    digits: '',
    held: params.keys && params.typeAhead ? (init.keysBefore ?? '').toUpperCase() : '',
    partial: '',
    recogniser: 'off',
    cutBySpeech: false,
    falseAlarms: 0,
    engine: '',
    hungUp: false,
    bargeIn: false,
  }
  if (!init.prompts) return promptsOver({ state, effects: [] })
  if (state.held !== '' && params.keysInterrupt) {
    const typed = promptsOver({ state: { ...state, bargeIn: true }, effects: [] })
    // Keys that mean nothing here, such as a finish key too early, do not cost the caller the prompts.
    if (typed.state.digits !== '' || typed.state.phase === 'done') return typed
    return startPrompts({ ...state, held: '' })
  }
  return startPrompts(state)
}

export function collectStep(before: CollectState, input: CollectInput): CollectStep {
  const state = { ...before, at: Math.max(before.at, input.at) }
  const step: CollectStep = { state, effects: [] }
  if (state.phase === 'done') return step
  if (state.hungUp) return afterHangup(step, input)
  switch (input.type) {
    case 'prompts-finished':
      return state.phase === 'prompting' ? promptsOver(step) : step
    case 'key':
      return state.params.keys && /^[0-9*#A-Da-d]$/.test(input.key) ? onKey(step, input.key.toUpperCase()) : step
    case 'speech-onset':
      return onSpeechOnset(step)
    case 'speech-partial':
      return hears(state) ? { ...step, state: { ...state, partial: input.text } } : step
    case 'speech-final':
      return hears(state) ? onSpeechFinal(step, input) : step
    case 'speech-false-alarm':
      return onFalseAlarm(step)
    case 'recogniser-error':
      return onRecogniserError(step)
    case 'hangup':
      return onHangup(step)
    case 'timer':
      return state.deadline !== null && state.at >= state.deadline ? onDeadline(step) : step
  }
}

function startPrompts(state: CollectState): CollectStep {
  const step = act({ state, effects: [] }, { type: 'start-prompts' })
  return state.params.speechInterrupts ? startRecogniser(step) : step
}

/** The prompts were played or cut, or there were none: keys that were held count now, else the wait for input begins. */
function promptsOver(step: CollectStep): CollectStep {
  const { held } = step.state
  const waiting = takeKeys(change(step, { ...waitFrom(step.state), phase: 'waiting', held: '' }), held)
  if (waiting.state.phase !== 'waiting') return waiting
  const next = waitFurther(waiting)
  return next.state.phase === 'waiting' && next.state.params.speech && next.state.recogniser === 'off' ? startRecogniser(next) : next
}

function onKey(step: CollectStep, key: string): CollectStep {
  const { state } = step
  if (state.phase !== 'prompting') return takeKeys(step, key)
  if (state.params.keysInterrupt) return promptsOver(act(step, { type: 'stop-prompts' }, { bargeIn: true, held: state.held + key }))
  return state.params.typeAhead ? change(step, { held: state.held + key }) : step
}

function takeKeys(step: CollectStep, keys: string): CollectStep {
  let next = step
  for (const [index, key] of [...keys].entries()) {
    next = takeKey(next, key, keys.slice(index + 1))
    if (next.state.phase === 'done') break
  }
  return next
}

function takeKey(step: CollectStep, key: string, unusedKeys: string): CollectStep {
  const { params, digits, at } = step.state
  if (params.finishKeys.includes(key)) {
    return digits.length < params.minDigitsBeforeFinish ? step : finish(step, 'digits', { finishKey: key, unusedKeys })
  }
  const keyed = stopRecogniser(change(step, { phase: 'keying', digits: digits + key, partial: '', cutBySpeech: false }))
  if (keyed.state.digits.length >= params.maxDigits) return finish(keyed, 'digits', { unusedKeys })
  return setDeadline(keyed, at + params.interDigitMs)
}

function onSpeechOnset(step: CollectStep): CollectStep {
  const { state } = step
  const { at, params } = state
  if (state.phase === 'waiting' && hears(state)) return setDeadline(change(step, { phase: 'speaking' }), at + params.speechMs)
  if (!canCut(state)) return step
  const cut = { ...waitFrom(state), phase: 'speaking', bargeIn: true, cutBySpeech: true, held: '' } as const
  return takeKeys(setDeadline(act(step, { type: 'stop-prompts' }, cut), at + params.speechMs), state.held)
}

type SpeechFinal = Extract<CollectInput, { type: 'speech-final' }>

function onSpeechFinal(before: CollectStep, input: SpeechFinal): CollectStep {
  const step = change(before, { engine: input.engine ?? '' })
  const { phase } = step.state
  const said = wordsOf(input)
  if (said.speech === '') return phase === 'speaking' || phase === 'finalising' ? finish(step, 'no-match', {}) : step
  const stopped = phase === 'prompting' ? act(step, { type: 'stop-prompts' }, { bargeIn: true, phase: 'speaking' }) : step
  return finish(stopped, 'speech', said)
}

function wordsOf(input: SpeechFinal): Partial<CollectResult> {
  return {
    speech: input.text.trim(),
    ...(input.confidence === undefined ? {} : { confidence: input.confidence }),
    ...(input.language === undefined ? {} : { language: input.language }),
  }
}

/** A caller who hangs up in the middle of a word has said it: the recogniser is asked for it. */
function onHangup(step: CollectStep): CollectStep {
  const { phase, recogniser, partial, at, deadline } = step.state
  if (recogniser !== 'on' || (phase !== 'speaking' && phase !== 'finalising')) {
    return finish(withHeldDigits(step), 'hangup', { speech: phase === 'keying' ? '' : partial })
  }
  const asked = phase === 'speaking' ? act(step, { type: 'finish-recogniser' }) : step
  const until = phase === 'speaking' ? at + hangupFinalMs : Math.min(at + hangupFinalMs, deadline ?? at)
  return setDeadline(change(asked, { phase: 'finalising', hungUp: true }), Math.max(at, until))
}

function afterHangup(step: CollectStep, input: CollectInput): CollectStep {
  const { partial, deadline, at } = step.state
  switch (input.type) {
    case 'speech-partial':
      return change(step, { partial: input.text })
    case 'speech-final':
      return finish(change(step, { engine: input.engine ?? '' }), 'hangup', wordsOf(input))
    case 'speech-false-alarm':
      return finish(step, 'hangup', {})
    case 'recogniser-error':
      return finish(change(step, { recogniser: 'failed' }), 'hangup', { speech: partial })
    case 'timer':
      return deadline !== null && at >= deadline ? finish(step, 'hangup', { speech: partial }) : step
    default:
      return step
  }
}

function onFalseAlarm(step: CollectStep): CollectStep {
  const { state } = step
  if (state.phase === 'finalising') return finish(step, 'no-match', {})
  if (state.phase !== 'speaking') return step
  if (!state.cutBySpeech) return waitFurther(change(step, { phase: 'waiting', partial: '' }))
  const resumed = { phase: 'prompting', partial: '', bargeIn: false, cutBySpeech: false, waitUntil: null, capAt: null } as const
  return act(clearDeadline(step), { type: 'resume-prompts' }, { ...resumed, falseAlarms: state.falseAlarms + 1 })
}

function onRecogniserError(step: CollectStep): CollectStep {
  const { phase, params, recogniser, at, capAt } = step.state
  if (recogniser !== 'on') return step
  const failed = change(step, { recogniser: 'failed', partial: '', cutBySpeech: false })
  if (!params.keys) return finish(failed, 'error', {})
  if (phase !== 'speaking' && phase !== 'finalising') return failed
  // What was said is lost; the caller may still press a key, in the time that a silent caller would have had.
  return waitFurther(change(failed, { phase: 'waiting', waitUntil: Math.min(at + params.timeoutMs, capAt ?? at) }))
}

function onDeadline(step: CollectStep): CollectStep {
  const { state } = step
  switch (state.phase) {
    case 'speaking':
      return setDeadline(
        act(step, { type: 'finish-recogniser' }, { phase: 'finalising' }),
        Math.min(state.at + finalMs, state.capAt ?? Infinity),
      )
    case 'finalising':
      return state.partial === '' ? finish(step, 'no-match', {}) : finish(step, 'speech', { speech: state.partial })
    case 'keying':
      return finish(step, state.digits.length >= state.params.minDigitsBeforePause ? 'digits' : 'timeout', {})
    default:
      return finish(step, state.recogniser === 'failed' ? 'error' : 'timeout', {})
  }
}

/** The limits of a wait for input that begins now. */
function waitFrom(state: CollectState): Pick<CollectState, 'waitUntil' | 'capAt'> {
  const { at, params } = state
  return { waitUntil: at + params.timeoutMs, capAt: at + params.timeoutMs + params.speechMs + finalMs }
}

/** Waits for the first input, as long as there is time left of it. */
function waitFurther(step: CollectStep): CollectStep {
  const until = step.state.waitUntil ?? step.state.at
  return until <= step.state.at ? onDeadline(step) : setDeadline(step, until)
}

/** A caller who hangs up has said what was typed ahead, up to the key that would have ended it. */
function withHeldDigits(step: CollectStep): CollectStep {
  const { held, digits, params } = step.state
  const end = [...held].findIndex((key) => params.finishKeys.includes(key))
  const typed = end < 0 ? held : held.slice(0, end)
  return change(step, { held: '', digits: (digits + typed).slice(0, params.maxDigits) })
}

function finish(step: CollectStep, reason: GatherReason, found: Partial<CollectResult>): CollectStep {
  const { state } = step
  const quiet = state.phase === 'prompting' ? act(step, { type: 'stop-prompts' }) : step
  const ended = clearDeadline(stopRecogniser(quiet))
  const result: CollectResult = {
    reason,
    digits: state.digits,
    speech: '',
    bargeIn: state.bargeIn,
    durationMs: state.at - state.startedAt,
    unusedKeys: '',
    ...(state.params.speech ? { engine: state.engine } : {}),
    ...found,
  }
  return act(ended, { type: 'done', result }, { phase: 'done' })
}

/** Whether speech counts: not after a key, and not before the recogniser runs. */
function hears(state: CollectState): boolean {
  return state.recogniser === 'on' && state.phase !== 'keying'
}

function canCut(state: CollectState): boolean {
  return state.phase === 'prompting' && hears(state) && state.params.speechInterrupts && state.falseAlarms < maxFalseAlarms
}

function startRecogniser(step: CollectStep): CollectStep {
  return act(step, { type: 'start-recogniser' }, { recogniser: 'on' })
}

function stopRecogniser(step: CollectStep): CollectStep {
  return step.state.recogniser === 'on' ? act(step, { type: 'stop-recogniser' }, { recogniser: 'off' }) : step
}

function setDeadline(step: CollectStep, at: number): CollectStep {
  return act(step, { type: 'set-deadline', at }, { deadline: at })
}

function clearDeadline(step: CollectStep): CollectStep {
  return step.state.deadline === null ? step : act(step, { type: 'clear-deadline' }, { deadline: null })
}

function change(step: CollectStep, changes: Partial<CollectState>): CollectStep {
  return { ...step, state: { ...step.state, ...changes } }
}

function act(step: CollectStep, effect: CollectEffect, changes: Partial<CollectState> = {}): CollectStep {
  return { state: { ...step.state, ...changes }, effects: [...step.effects, effect] }
}
