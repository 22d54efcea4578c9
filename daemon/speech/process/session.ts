/** One hearing, transcript or phrase in a speech process: waits for the process when it is only starting. */
import type { Clock, Timer } from '../../base/clock.ts'
import type { SpeechChild } from './child.ts'
import type { SessionOrder, SessionReport } from './protocol.ts'

/** Audio that a session keeps while its process is not ready. */
const mostHeldSamples = 60 * 8000

/** `engine-missing`: there is nothing to start; `not-ready`: it did not come up in time. */
export type LossReason = 'engine-missing' | 'engine-failed' | 'not-ready' | 'overloaded' | 'stopped'

export interface SessionEvents {
  report(report: SessionReport): void
  /** The session has ended; called once at most, never before the session was returned, and not after `close`. */
  lost(reason: LossReason): void
}

/** What the supervisor has to do with a session. */
export interface SessionHost {
  closed(session: SpeechSession): void
}

let sessions = 0

export class SpeechSession {
  readonly id: number
  readonly #events: SessionEvents
  readonly #host: SessionHost
  #child: SpeechChild | null = null
  #held: SessionOrder[] = []
  #heldSamples = 0
  #wait: Timer | null
  #over = false

  constructor(host: SessionHost, events: SessionEvents, clock: Clock, waitMs: number) {
    sessions += 1
    this.id = sessions
    this.#host = host
    this.#events = events
    this.#wait = clock.after(waitMs, () => this.lose('not-ready'))
  }

  send(order: SessionOrder): void {
    if (this.#over) return
    if (this.#child !== null) {
      this.#child.send({ session: this.id, ...order })
      return
    }
    if (order.t === 'audio') this.#heldSamples += order.samples.length
    if (this.#heldSamples > mostHeldSamples) this.lose('overloaded')
    else this.#held.push(order)
  }

  /** Nothing is reported after it. */
  close(): void {
    if (this.#over) return
    this.#child?.send({ session: this.id, t: 'stop' })
    this.#end()
  }

  join(child: SpeechChild): void {
    if (this.#over) return
    this.#wait?.cancel()
    this.#wait = null
    this.#child = child
    for (const order of this.#held) child.send({ session: this.id, ...order })
    this.#held = []
  }

  report(report: SessionReport): void {
    if (!this.#over) this.#events.report(report)
  }

  lose(reason: LossReason): void {
    if (this.#over) return
    this.#end()
    this.#events.lost(reason)
  }

  #end(): void {
    this.#over = true
    this.#wait?.cancel()
    this.#held = []
    this.#host.closed(this)
  }
}
