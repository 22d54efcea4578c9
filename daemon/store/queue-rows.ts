/** Rows of the queues of the house. */

/** A member of a queue, where anything is to be said of it. Key: queue, `/`, extension. */
export interface QueueMemberRow {
  queue: string
  extension: string
  /** null: logged in. */
  loggedOutAt: number | null
  /** null: not paused. */
  pausedAt: number | null
  /** `unanswered`: by the box, which does not count on the member until somebody says so. Otherwise a person's words, '' for none. */
  pauseReason: string
}

/** Somebody who is to be called back in place of waiting. Key: the call in which it was asked for. */
export interface QueueCallbackRow {
  id: string
  queue: string
  number: string
  name: string
  /** Since when the place is held. */
  placeAt: number
  priority: number
  /** How often it was tried. */
  tries: number
}

/** What became of a member's calls on one day. */
export interface QueueMemberDay {
  offered: number
  answered: number
  missed: number
  talkSeconds: number
}

/** What became of a call at a moment (milliseconds since the epoch); of one that was answered the seconds of its wait. */
export type QueueMoment = readonly [at: number, what: 'offered' | 'answered' | 'abandoned' | 'sentOn', waited?: number]

/** A queue on one day. Key: queue, `/`, the date where the box is. */
export interface QueueDayRow {
  queue: string
  day: string
  offered: number
  answered: number
  /** The caller left. */
  abandoned: number
  /** The queue was full or empty, the time was up, or the caller pressed the key. */
  sentOn: number
  /** Seconds that those waited who were answered, the last 2,000 of them in order. */
  waits: number[]
  /** Of the last hour, the last 2,000 of them in order. */
  lately?: QueueMoment[]
  members: Record<string, QueueMemberDay>
}
