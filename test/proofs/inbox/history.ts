/** One inbox through its lives, and the judgement: what every poller got is what was acknowledged, once each, in order. */
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../daemon/base/clock.ts'
import type { Log } from '../../../daemon/base/log.ts'
import type { Part } from './child.ts'
import { cursorFeed, openCursorStore } from './feed.ts'

/** What chance decides of one life. */
export interface LifePlan {
  readonly writers: number
  readonly limit: number
  readonly offsetMs: number
  readonly steps: readonly { readonly after: number; readonly ms: number }[]
  readonly backupAfter: number | null
  /** Whether the answers that each poller got last are lost on their way. */
  readonly losesAnswers: boolean
  readonly afterwards: 'nothing' | 'backup' | 'restore'
  /** Whether the clock was not set before a backup is restored: then numbers handed out before may lie ahead of it. */
  readonly clockIsLate: boolean
}

export interface HistoryPlan {
  readonly pollers: number
  readonly lives: readonly LifePlan[]
}

const lateMs = 23 * 3_600_000

interface Poller {
  cursor: number
  last: number
  readonly seen: Set<string>
}

export class History {
  readonly #plan: HistoryPlan
  readonly #dir: string
  readonly #backupDir: string
  readonly #pollers: Poller[]
  /** Acknowledged or polled: may never vanish, but by a restore. */
  #kept = new Set<string>()
  #keptAtBackup: Set<string> | null = null
  /** While a backup is being made by the box: what it must hold. */
  #backingUp: Set<string> | null = null
  #highest = 0
  #notBefore = 0
  #pollersFirst = false
  acknowledged = 0
  items = 0
  polls = 0
  backups = 0
  restores = 0

  constructor(dir: string, plan: HistoryPlan) {
    this.#plan = plan
    this.#dir = join(dir, 'store')
    this.#backupDir = join(dir, 'backup')
    this.#pollers = Array.from({ length: plan.pollers }, () => ({ cursor: 0, last: 0, seen: new Set() }))
  }

  /** What the box is to do in its life `n`. */
  part(n: number): Part {
    const { writers, limit, offsetMs, steps, backupAfter } = this.#plan.lives[n]!
    const cursors = this.#pollers.map(({ cursor }) => cursor)
    const common = {
      dir: this.#dir,
      backupDir: `${this.#backupDir}.new`,
      prefix: String(n),
      notBefore: this.#notBefore,
      pollersFirst: this.#pollersFirst,
    }
    return { ...common, writers, limit, offsetMs, steps, backupAfter, cursors }
  }

  /** The box was killed in its life `n`; `lines` is its journal about this inbox. */
  ended(n: number, lines: readonly string[]): void {
    const { losesAnswers, afterwards, clockIsLate } = this.#plan.lives[n]!
    const last = new Map<string, number>()
    for (const [at, line] of lines.entries()) if (line.startsWith('P ')) last.set(line.split(' ')[1]!, at)
    this.#backingUp = null
    for (const [at, line] of lines.entries()) {
      const [kind, first = '', next = '', page = ''] = line.split(' ')
      if (kind === 'A') {
        this.#kept.add(first)
        this.acknowledged++
      } else if (kind === 'B') this.#backingUp = new Set(this.#kept)
      else if (kind === 'b') this.#backedUp()
      else if (!losesAnswers || last.get(first) !== at) this.#polled(this.#pollers[Number(first)]!, Number(next), itemsOf(page))
      else this.#highest = Math.max(this.#highest, Number(next))
    }
    rmSync(`${this.#backupDir}.new`, { recursive: true, force: true })
    if (afterwards === 'backup') this.#backUp()
    if (afterwards === 'restore') this.#restore(clockIsLate)
  }

  /** Every poller polls to the end, and a new one from the beginning. Throws an Error that names the first fault. */
  async judge(log: Log): Promise<void> {
    const store = await openCursorStore(this.#dir, log)
    try {
      const feed = cursorFeed(store, { ...systemClock, now: () => Math.max(this.#notBefore, Date.now()) })
      const newcomer: Poller = { cursor: 0, last: 0, seen: new Set() }
      for (const poller of [...this.#pollers, newcomer]) {
        for (let got = 1; got > 0;) {
          const page = await feed.page(poller.cursor, 50)
          got = page.items.length
          this.#polled(
            poller,
            page.nextSince,
            page.items.map(({ seq, item }) => ({ seq, id: item.id })),
          )
        }
      }
      const stored = [...newcomer.seen]
      this.items = stored.length
      if (store.tables.inboxSms.count() !== stored.length) throw new Error(`${stored.length} items were polled anew, others are stored`)
      for (const id of this.#kept) if (!newcomer.seen.has(id)) throw new Error(`${id} was acknowledged or polled and is gone`)
      for (const [n, poller] of this.#pollers.entries()) {
        const missed = stored.find((id) => !poller.seen.has(id))
        if (missed !== undefined) throw new Error(`poller ${n} never got ${missed}`)
      }
    } finally {
      await store.close()
    }
  }

  #polled(poller: Poller, nextSince: number, items: readonly { seq: number; id: string }[]): void {
    this.polls++
    if (nextSince < poller.cursor) throw new Error(`the cursor went back from ${poller.cursor} to ${nextSince}`)
    for (const { seq, id } of items) {
      if (seq <= poller.last) throw new Error(`${id} has the number ${seq} after ${poller.last}`)
      if (seq > nextSince) throw new Error(`${id} has the number ${seq} above the cursor ${nextSince}`)
      if (poller.seen.has(id)) throw new Error(`${id} came twice`)
      poller.seen.add(id)
      poller.last = seq
      this.#kept.add(id)
    }
    poller.cursor = nextSince
    this.#highest = Math.max(this.#highest, nextSince)
  }

  /** The box finished a backup while it went on. */
  #backedUp(): void {
    rmSync(this.#backupDir, { recursive: true, force: true })
    renameSync(`${this.#backupDir}.new`, this.#backupDir)
    this.#keptAtBackup = this.#backingUp
    this.backups++
  }

  /** By copying the directory, while nothing runs. */
  #backUp(): void {
    if (!existsSync(this.#dir)) return
    rmSync(this.#backupDir, { recursive: true, force: true })
    cpSync(this.#dir, this.#backupDir, { recursive: true })
    this.#keptAtBackup = new Set(this.#kept)
    this.backups++
  }

  /**
   * With a clock that is later than all that was handed out no poller notices. With one that is up to a day behind, the feed is
   * lifted by the first poll of each poller; what is written before that poll it could not get, so the pollers come first.
   */
  #restore(clockIsLate: boolean): void {
    if (this.#keptAtBackup === null) return
    rmSync(this.#dir, { recursive: true, force: true })
    cpSync(this.#backupDir, this.#dir, { recursive: true })
    this.#kept = new Set(this.#keptAtBackup)
    this.#notBefore = clockIsLate ? Math.max(0, this.#highest - lateMs) : Math.max(this.#highest, Date.now()) + 1
    this.#pollersFirst ||= clockIsLate
    this.restores++
  }
}

function itemsOf(page: string): { seq: number; id: string }[] {
  if (page === '') return []
  return page.split(',').map((one) => {
    const [seq = '', id = ''] = one.split(':')
    return { seq: Number(seq), id }
  })
}
