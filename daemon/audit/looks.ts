/**
 * What programs look up all day, such as who has a number: one row an actor and minute, with the count and a hash of what was looked at.
 * Until its minute has ended the row lies in the store, so that a look is on the disk before its answer leaves and a crash of the daemon
 * loses none; the next start writes what was left.
 */
import { hash } from 'node:crypto'
import type { Clock, Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import { type Audit, type Deed, cleanObject } from './audit.ts'

/** Looks of one actor and deed that are no row yet. */
interface Gathered {
  readonly deed: Omit<Deed, 'count' | 'outcome'>
  readonly count: number
  /** Of the objects in their order: SHA-256, in hexadecimal, of the one of those before, a space and the object. */
  readonly list: string
  /** Milliseconds since the epoch, of the first. */
  readonly since: number
}

const windowMs = 60_000
const prefix = 'audit:looks/'
const behind = 'audit:looks0'
const severalAddresses = '(several)'
const emptyList = '0'.repeat(64)

export interface LooksOptions {
  readonly audit: Audit
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** The hash of a list of objects; they stand in it as in rows. */
export function hashOfList(objects: readonly string[]): string {
  return objects.reduce((list, object) => hash('sha256', `${list} ${cleanObject(object)}`), emptyList)
}

export class Looks {
  readonly #options: LooksOptions
  #timer: Timer | null = null
  #stopped = false

  constructor(options: LooksOptions) {
    this.#options = options
  }

  /** Takes up what the last run left. */
  start(): void {
    this.#later(0)
  }

  /** Resolves when it is durable. */
  async add(deed: Deed): Promise<void> {
    const { store, clock } = this.#options
    const { meta } = store.tables
    const key = `${prefix}${hash('sha256', `${deed.deed} ${deed.actor}`)}`
    await store.transaction(() => {
      const before = read(meta.get(key))
      const now = clock.now()
      const due = before !== null && isDue(before, now)
      if (due) this.#write(before)
      meta.put(key, JSON.stringify(before === null || due ? begun(deed, now) : more(before, deed)))
    })
    this.#later(windowMs)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#settle(true)
  }

  #later(ms: number): void {
    if (this.#stopped || this.#timer !== null) return
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null
      void this.#settle(false)
    })
  }

  /** Writes the rows whose minute has ended, or all of them. */
  async #settle(all: boolean): Promise<void> {
    const { store, clock, log } = this.#options
    const { meta } = store.tables
    const now = clock.now()
    const ready = (): [string, Gathered][] =>
      [...meta.range({ start: prefix, end: behind })].flatMap(({ key, value }): [string, Gathered][] => {
        const gathered = read(value)
        return gathered !== null && (all || isDue(gathered, now)) ? [[key, gathered]] : []
      })
    try {
      if (ready().length > 0)
        await store.transaction(() => {
          for (const [key, gathered] of ready()) {
            this.#write(gathered)
            meta.remove(key)
          }
        })
    } catch (error) {
      log.debug({ err: error }, 'looks of programs wait for the disk')
    }
    if ([...meta.range({ start: prefix, end: behind, limit: 1 })].length > 0) this.#later(windowMs)
  }

  /** Inside a transaction. */
  #write({ deed, count, list, since }: Gathered): void {
    const object = count === 1 ? deed.object : `sha256:${list}`
    this.#options.audit.record({ ...deed, object, count, at: since, ...(count === 1 ? {} : { requestId: '' }) })
  }
}

function begun({ actor, address, deed, object, requestId = '' }: Deed, since: number): Gathered {
  return { deed: { actor, address, deed, object, requestId }, count: 1, list: hashOfList([object]), since }
}

function more(before: Gathered, { address, object }: Deed): Gathered {
  const known = before.deed.address
  return {
    ...before,
    deed: { ...before.deed, address: known === address ? known : severalAddresses },
    count: before.count + 1,
    list: hash('sha256', `${before.list} ${cleanObject(object)}`),
  }
}

/** A clock that was set back ends a minute too. */
function isDue({ since }: Gathered, now: number): boolean {
  return now < since || now - since >= windowMs
}

function read(value: unknown): Gathered | null {
  return typeof value === 'string' ? (JSON.parse(value) as Gathered) : null
}
