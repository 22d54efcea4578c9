/** How long this program waits for pbx-engine, and how often it asks. */

/** Durations in milliseconds. */
export interface EngineTiming {
  readonly restartFirst: number
  readonly restartMost: number
  /** As restartMost, for a service that is looked for: who starts it waits by itself. */
  readonly lookMost: number
  /** An engine that served this long starts the back-off anew. */
  readonly steadyAfter: number
  readonly helloWithin: number
  readonly pingEvery: number
  readonly pingsUnanswered: number
  readonly stopWithin: number
}

export const standardTiming: EngineTiming = {
  restartFirst: 200,
  restartMost: 5000,
  lookMost: 500,
  steadyAfter: 10_000,
  helloWithin: 5000,
  // The engine takes a daemon that has said nothing for 2 s for gone, and refuses calls.
  pingEvery: 500,
  pingsUnanswered: 12,
  stopWithin: 4000,
}
