/**
 * Rows of the audit trail about what has happened and cannot be refused for want of the disk: a start, a call for help, a message that was
 * heard at a phone, a wrong token. What the disk does not take waits in memory, with the time at which it happened, and is in the log at once.
 */
import { isoTime, type Clock, type Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Audit, Deed } from './audit.ts'

const mostOwed = 1000
const againMs = 5000

export class Owed {
  readonly #audit: Audit
  readonly #clock: Clock
  readonly #log: Log
  readonly #rows: Deed[] = []
  #lost = 0
  #timer: Timer | null = null

  constructor({ audit, clock, log }: { readonly audit: Audit; readonly clock: Clock; readonly log: Log }) {
    this.#audit = audit
    this.#clock = clock
    this.#log = log
  }

  /** Rows that wait, and those that are in the log alone because too many waited. */
  get state(): { readonly waiting: number; readonly lost: number } {
    return { waiting: this.#rows.length, lost: this.#lost }
  }

  /** Resolves when the row is durable or waits. Never rejects. */
  async write(deed: Deed): Promise<void> {
    const row = { at: this.#clock.now(), ...deed }
    try {
      await this.#audit.note(row)
    } catch (error) {
      const { actor, address, deed: name, object, outcome = 'done', count = 1, at } = row
      this.#log.error(
        { err: error, actor, address, deed: name, object, outcome, count, time: isoTime(at) },
        'a row could not be written to the audit trail; trying again',
      )
      if (this.#rows.length >= mostOwed) this.#lost++
      else this.#rows.push(row)
      this.#later()
    }
  }

  /** The last try. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#again()
    this.#timer?.cancel()
  }

  #later(): void {
    this.#timer ??= this.#clock.after(againMs, () => {
      this.#timer = null
      void this.#again()
    })
  }

  async #again(): Promise<void> {
    const rows = [...this.#rows]
    if (rows.length === 0) return
    try {
      await this.#audit.noteAll(rows)
      this.#rows.splice(0, rows.length)
    } catch {
      this.#later()
    }
  }
}
