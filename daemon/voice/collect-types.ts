/** What goes into the gather machine and what comes out of it; the machine itself is `collect.ts`. */
import type { GatherReason } from '../schema/states.ts'

/** Times in milliseconds; made from the parameters of the verb by `collectParams` in `verbs/gather.ts`. */
export interface CollectParams {
  readonly keys: boolean
  readonly speech: boolean
  readonly maxDigits: number
  /** A finish key pressed before so many digits is not taken. */
  readonly minDigitsBeforeFinish: number
  /** A pause after fewer digits is a timeout, after as many the normal end. */
  readonly minDigitsBeforePause: number
  readonly finishKeys: string
  readonly timeoutMs: number
  readonly interDigitMs: number
  readonly speechMs: number
  readonly keysInterrupt: boolean
  readonly speechInterrupts: boolean
  readonly typeAhead: boolean
}

export interface CollectInit {
  /** Milliseconds of any clock that does not go back; all later inputs use the same one. */
  readonly at: number
  /** Whether there is anything to play before the gather. */
  readonly prompts: boolean
  /** Keys pressed before the gather began; dropped unless `typeAhead`. */
  readonly keysBefore?: string
}

export type CollectInput = { readonly at: number } & (
  | { readonly type: 'prompts-finished' }
  | { readonly type: 'key'; readonly key: string }
  /** Somebody is speaking (200 ms of voice). */
  | { readonly type: 'speech-onset' }
  | { readonly type: 'speech-partial'; readonly text: string }
  | {
      readonly type: 'speech-final'
      readonly text: string
      readonly confidence?: number
      readonly language?: string
      readonly engine?: string
    }
  /** What began as voice was none: under 300 ms and without words. */
  | { readonly type: 'speech-false-alarm' }
  | { readonly type: 'recogniser-error' }
  | { readonly type: 'hangup' }
  | { readonly type: 'timer' }
)

export interface CollectResult {
  readonly reason: GatherReason
  readonly digits: string
  readonly speech: string
  readonly confidence?: number
  readonly language?: string
  /** With speech: id of the recogniser that answered, '' when none did. */
  readonly engine?: string
  readonly finishKey?: string
  /** The caller interrupted the prompts. */
  readonly bargeIn: boolean
  readonly durationMs: number
  /** Keys that were typed ahead and not needed: they belong to the next gather. */
  readonly unusedKeys: string
}

export type CollectEffect =
  | { readonly type: 'start-prompts' }
  | { readonly type: 'stop-prompts' }
  /** Goes on where `stop-prompts` cut. */
  | { readonly type: 'resume-prompts' }
  | { readonly type: 'start-recogniser' }
  /** Asks for the result of what was said so far, as `speech-final`. */
  | { readonly type: 'finish-recogniser' }
  /** Nothing of the recogniser is wanted any more. */
  | { readonly type: 'stop-recogniser' }
  /** Replaces the deadline before it. */
  | { readonly type: 'set-deadline'; readonly at: number }
  | { readonly type: 'clear-deadline' }
  | { readonly type: 'done'; readonly result: CollectResult }

export interface CollectState {
  readonly params: CollectParams
  readonly phase: 'prompting' | 'waiting' | 'keying' | 'speaking' | 'finalising' | 'done'
  readonly startedAt: number
  /** Time of the last input: time never goes back in here. */
  readonly at: number
  readonly deadline: number | null
  /** When waiting for the first input ends; survives a false alarm of the speech detector. */
  readonly waitUntil: number | null
  /** When the gather ends whatever the recogniser does; null while the prompts play. */
  readonly capAt: number | null
  readonly digits: string
  /** Keys typed ahead of a prompt that keys do not interrupt. */
  readonly held: string
  readonly partial: string
  readonly recogniser: 'off' | 'on' | 'failed'
  /** The prompts were cut by speech and are resumed if it was none. */
  readonly cutBySpeech: boolean
  readonly falseAlarms: number
  /** Recogniser that answered last, '' for none yet. */
  readonly engine: string
  /** The caller is gone, and only what was being said is waited for. */
  readonly hungUp: boolean
  readonly bargeIn: boolean
}

export interface CollectStep {
  readonly state: CollectState
  readonly effects: readonly CollectEffect[]
}
