/**
 * What one run of a command has seen of the daemon, and how long it waits: a daemon that hangs, or that somebody has taken over, answers
 * never, or for ever that it is not done yet.
 */
export interface Patience {
  /** Until the daemon has answered what it knows. It is ended by its watchdog long before. */
  answerMs: number
  /** Until it has done something at length: a copy of the store, a call. */
  workMs: number
  /** For work that is followed and does not get on. */
  standstillMs: number
}

export const patience: Patience = { answerMs: 60_000, workMs: 3_600_000, standstillMs: 600_000 }

/** Of the run that goes on; `run` begins a new one. */
export const seen = { answer: false }
