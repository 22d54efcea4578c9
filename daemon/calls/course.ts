/** What a call needs from the moment something happens in it: none of it while it waits to be dialled. */
import type { LegEvent } from '../../drivers/line.ts'

/** The silence between what is said and what is said next. */

/** With the 200 ms that the line itself keeps silent: half a second. */
const afterAnswerMs = 300
const betweenMs = 350

export class Seam {
  /** Both of the clock that nobody sets; null: not yet, or before this run of the daemon. */
  answeredAt: number | null = null
  /** End of the last sound that was played to its end. */
  saidUntil: number | null = null

  /**
   * Milliseconds of silence still missing before something new is said: words that follow earlier ones without a pause are not understood,
   * nor are words spoken while a phone is lifted to the ear.
   */
  missingMs(now: number): number {
    const missing = (since: number | null, wantedMs: number) => (since === null ? 0 : wantedMs - (now - since))
    return Math.max(0, missing(this.answeredAt, afterAnswerMs), missing(this.saidUntil, betweenMs))
  }
}

export interface Played {
  readonly completed: boolean
  /** Milliseconds of the clip that were heard, counted from the clip's start. */
  readonly playedMs: number
}

export interface Recorded {
  readonly file: string
  readonly durationMs: number
  readonly reason: 'stopped' | 'max-length' | 'ended' | 'failed'
}

/** Events of a leg that the driver of a call listens to while it needs them. */
/** `step`: the call is taken to a destination. */
export type CallSignal =
  | Extract<LegEvent, { type: 'digit' | 'voice' | 'held' | 'resumed' | 'audio' | 'fork' | 'ringing' }>
  | { readonly type: 'step'; readonly to: string }

export interface Course {
  readonly over: AbortController
  readonly signals: Set<(signal: CallSignal) => void>
  readonly plays: Map<number, (played: Played) => void>
  readonly recordings: Map<number, (recorded: Recorded) => void>
  readonly answered: PromiseWithResolvers<boolean>
  readonly settled: PromiseWithResolvers<void>
  readonly held: Set<Promise<unknown>>
}

export function newCourse(): Course {
  return {
    over: new AbortController(),
    signals: new Set(),
    plays: new Map(),
    recordings: new Map(),
    answered: Promise.withResolvers(),
    settled: Promise.withResolvers(),
    held: new Set(),
  }
}
