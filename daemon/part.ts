/**
 * A part of the daemon: one capability, with all that the house asks of it. Parts are made and listed in daemon.ts; what they give is
 * served, watched, measured and swept without another word about them.
 */
import type { Eraser } from './erasure/erasure.ts'
import type { CodedWarning, PartState } from './base/health.ts'
import type { Route } from './http/route.ts'
import type { Figure } from './base/metrics.ts'

/** Work that waits to go out. */
export interface Queue {
  /** Label of its figures. */
  readonly name: string
  /** Its line in `pbx status`. */
  readonly title: string
  readonly waiting: number
  /** Milliseconds since the epoch; null where nothing waits, or where waiting is no fault. */
  readonly oldestAt: number | null
  /** Given up; only a person can send them again. */
  readonly dead?: number
}

export interface Sweep {
  /** As docs/privacy.md names it. */
  readonly what: string
  /** Removes what is past its time, in pieces that hold up no other writer; how many. */
  sweep(): Promise<number>
}

export interface Part {
  readonly name: string
  readonly routes?: readonly Route[]
  /** What deletes its items, by what `pbx` calls them. */
  readonly erasers?: Readonly<Record<string, Eraser>>
  /** Its lines in `/readyz`, by name. */
  readonly health?: Readonly<Record<string, () => PartState>>
  /** What somebody should act on now, asked for every few seconds; what is not named any more is cleared. */
  warnings?(): Iterable<CodedWarning>
  /** All parts have been asked for their warnings. */
  looked?(): void
  readonly figures?: readonly Figure[]
  queues?(): readonly Queue[]
  readonly sweeps?: readonly Sweep[]
  /** The clock was set by that much (ms): what waits for a moment is as far away as it was. */
  stepped?(stepMs: number): void
  /** The configuration has been changed in place, in what takes effect live. Calls go on as they are. */
  reconfigured?(): void
  /** In the order of the list. */
  start?(): void | Promise<void>
  /** While on, nothing is begun that makes a call: what is accepted waits. Requests are taken, and what is under way goes on. */
  hold?(on: boolean): void
  /** Nothing new from here on; what is under way goes on. */
  drain?(): void
  /** In reverse order of the list. `drainMs`: how long calls in progress may take. */
  stop?(drainMs: number): void | Promise<void>
}
