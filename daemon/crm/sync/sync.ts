/**
 * The directory kept as the CRM has it: all customers every night at 2 by the clock of the house, what changed every five minutes, and one
 * when somebody asks. What is cut off goes on where it was, after a restart too.
 */
import { setImmediate as breath } from 'node:timers/promises'
import { DateTime } from 'luxon'
import { repeated, type Clock, type Repeated } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../schema/config.ts'
import type { Store } from '../../store/store.ts'
import type { AskCrm } from '../client/client.ts'
import type { NumberSurvey } from '../number-survey.ts'
import type { Customers, Taken } from './customers.ts'
import type { Proposals } from './proposals.ts'
import type { Reading, ReadFailure, ReadPage } from './reading.ts'
import { atOnce, endless, type WholeList } from './whole-list.ts'

export interface SyncOptions {
  readonly config: Pick<Config, 'site'>
  readonly store: Pick<Store, 'tables' | 'transaction'>
  readonly clock: Clock
  readonly log: Log
  readonly client: Pick<AskCrm, 'configured'>
  /** Whether the integration is switched on. */
  readonly enabled: () => boolean
  readonly reading: Reading
  readonly customers: Customers
  readonly list: WholeList
  readonly survey: Pick<NumberSurvey, 'look'>
  readonly proposals: Pick<Proposals, 'send'>
}

const firstMs = 10_000
const everyMs = 5 * 60_000
const nightlyHour = 2
/** Of one list: a CRM whose pages never end is not followed. */
const mostPages = 2000
const mostBytes = 512 * 1024 * 1024
/** Asked for one by one, of a list. */
const mostAsked = 100
/**
 * From when on what changed is asked for, the newest `updatedAt` that came, which it is when all of the pages have been taken, and when
 * what changed was asked for; milliseconds, the first two by the clock of the CRM.
 */
const [sinceKey, newestKey, deltaKey] = ['crmChangedSince', 'crmNewestSeen', 'crmDeltaAt']
/** A list that somebody wanted, and that did not begin. */
const anew = 'begun again'

/** Pages of one list: as many as there may be, and each once. */
class Turned {
  bytes = 0
  readonly #cursors = new Set<string | null>()

  mayTurn(cursor: string | null): boolean {
    if (this.#cursors.size >= mostPages || this.bytes > mostBytes || this.#cursors.has(cursor)) return false
    this.#cursors.add(cursor)
    return true
  }
}

export class Sync {
  readonly #options: SyncOptions
  readonly #ticks: Repeated
  #running: Promise<void> | null = null
  #stopped = false
  #wants = false

  constructor(options: SyncOptions) {
    this.#options = options
    this.#ticks = repeated(options.clock, { firstMs, everyMs }, () => this.#tick())
  }

  /** Customers are being asked for. */
  get busy(): boolean {
    return this.#running !== null || this.#wants
  }

  get lastDeltaAt(): number | null {
    const at = this.#options.store.tables.meta.get(deltaKey)
    return typeof at === 'number' ? at : null
  }

  start(): void {
    if (this.#options.client.configured) this.#ticks.start()
  }

  /** The CRM was away, and is back. */
  back(): void {
    void this.#tick()
  }

  /** The page under way is taken; the next one comes after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#ticks.stop()
    await this.#running
  }

  /** Begins to read all customers; the id of the list. Throws ApiError `integration_disabled`, `sync_running`. */
  async full(): Promise<string> {
    this.#mustBeOn()
    const { list, clock } = this.#options
    if (this.busy) throw new ApiError('sync_running', 'The customers are being read.', { retryAfterSeconds: 10 })
    const state = list.state
    if (state !== undefined && state.endedAt === null && state.from === 'crm' && clock.now() - state.lastPageAt < 15 * 60_000)
      throw new ApiError('sync_running', 'The CRM is sending a list of all customers.', { retryAfterSeconds: 60 })
    this.#wants = true
    const syncId = newId()
    try {
      await list.giveUp(anew)
    } finally {
      this.#wants = false
    }
    this.#run(() => this.#pages(syncId, null))
    return syncId
  }

  /** One customer as the CRM has them now. Throws ApiError `integration_disabled`, `customer_unknown`, `not_supported`, `overloaded`. */
  async one(id: string, alongside: () => void): Promise<{ readonly result: Taken; readonly version: string }> {
    this.#mustBeOn()
    const { reading, store, customers, list } = this.#options
    const found = await reading.one(id)
    if (found === null) throw new ApiError('customer_unknown', 'The CRM has no customer with that id.')
    if ('failed' in found) {
      if (found.failed === 'not-offered') throw new ApiError('not_supported', 'The CRM does not offer single customers.')
      throw new ApiError('overloaded', `The CRM did not answer: ${found.reason}.`, { retryAfterSeconds: 30 })
    }
    return store.transaction(() => {
      const result = customers.take(found, { sure: true })
      list.mark(id)
      alongside()
      return { result, version: found.version }
    })
  }

  #mustBeOn(): void {
    const { client, enabled } = this.#options
    if (!client.configured) throw new ApiError('integration_disabled', 'No CRM is configured.')
    if (!enabled()) throw new ApiError('integration_disabled', 'The CRM integration is disabled.')
  }

  async #tick(): Promise<void> {
    const { enabled, list, proposals } = this.#options
    if (!enabled() || this.busy) return
    const state = list.state
    const cutOff = state?.endedAt === null && state.from === 'box'
    const nightly = this.#nightly()
    this.#run(async () => {
      await proposals.send()
      await (cutOff ? this.#pages(state.syncId, state.cursor) : nightly ? this.#pages(newId(), null) : this.#changes())
    })
    await this.#running
    if (this.#mayGoOn()) await this.#options.survey.look()
  }

  /** Whether no list was begun since it was last 2 in the night. */
  #nightly(): boolean {
    const { clock, config, list } = this.#options
    const now = DateTime.fromMillis(clock.now(), { zone: config.site.timeZone })
    const today = now.set({ hour: nightlyHour, minute: 0, second: 0, millisecond: 0 })
    const due = today <= now ? today : today.minus({ days: 1 })
    return list.state?.fault === anew || (list.state?.startedAt ?? 0) < due.toMillis()
  }

  #run(work: () => Promise<void>): void {
    const { log } = this.#options
    this.#running = work()
      .catch((error: unknown) => log.warn({ err: error }, 'the customers of the CRM could not be read'))
      .finally(() => (this.#running = null))
  }

  async #pages(syncId: string, first: string | null): Promise<void> {
    const { reading, list, log } = this.#options
    const conflicting: string[] = []
    const turned = new Turned()
    let cursor = first
    for (let pages = 0; this.#mayGoOn(); pages++) {
      if (!turned.mayTurn(cursor)) return this.#endless()
      const page = await reading.page(cursor)
      if ('failed' in page) return this.#cutOff(page, cursor)
      turned.bytes += page.bytes
      const { customers, unread, nextCursor, total } = page
      const given = { syncId, from: 'box', customers, unread, cursor: nextCursor, last: nextCursor === null } as const
      const taken = await list.take(total === undefined ? given : { ...given, total }).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'validation_failed') return null
        throw error
      })
      if (taken === null) return this.#endless()
      await this.#newest(page)
      conflicting.push(...taken.conflicting.slice(0, mostAsked - conflicting.length))
      if (nextCursor === null) {
        await this.#upTo(list.state?.startedAt)
        if (taken.shrunk) log.warn({ seen: list.state?.seen, before: list.state?.before }, 'suspicious shrink: no customer was removed')
        return this.#askAgain(conflicting)
      }
      // The first one may be one of which all but the end was taken before the daemon was cut off.
      if (taken.fresh === 0 && pages > 0) return this.#endless()
      cursor = nextCursor
    }
  }

  /** Customers that came stay; none is removed. */
  async #endless(): Promise<void> {
    const { list, log } = this.#options
    log.warn({ seen: list.state?.seen }, 'the list of customers of the CRM does not end: it is not read further')
    await list.giveUp(endless)
  }

  /** What the CRM cannot answer now it is asked for again; what it does not want is not. */
  async #cutOff({ failed, reason }: ReadFailure, cursor: string | null): Promise<void> {
    const { list, log } = this.#options
    log.info({ reason, cursor }, 'the customers of the CRM are read later')
    if (failed !== 'away' && list.state?.from === 'box') await list.giveUp(failed)
  }

  async #changes(): Promise<void> {
    const { reading, store, customers, list, clock } = this.#options
    const since = store.tables.meta.get(sinceKey)
    if (typeof since !== 'number') return
    const began = clock.now()
    const conflicting: string[] = []
    const turned = new Turned()
    let cursor: string | null = null
    while (turned.mayTurn(cursor) && this.#mayGoOn()) {
      const page = await reading.page(cursor, since)
      if ('failed' in page) return
      turned.bytes += page.bytes
      for (let at = 0; at < page.customers.length; at += atOnce) {
        await store.transaction(() => {
          for (const customer of page.customers.slice(at, at + atOnce)) {
            if (customers.take(customer) === 'conflict' && conflicting.length < mostAsked) conflicting.push(customer.id)
            list.mark(customer.id)
          }
        })
        await breath()
      }
      await this.#newest(page)
      if (page.nextCursor === null) {
        await this.#upTo(began)
        await store.transaction(() => store.tables.meta.put(deltaKey, clock.now()))
        return this.#askAgain(conflicting)
      }
      if (page.customers.length === 0) return
      cursor = page.nextCursor
    }
  }

  async #newest({ customers }: ReadPage): Promise<void> {
    const { meta } = this.#options.store.tables
    const before = Number(meta.get(newestKey) ?? 0)
    const newest = customers.reduce((most, { updatedAt }) => Math.max(most, Date.parse(updatedAt)), before)
    if (newest !== before) await this.#options.store.transaction(() => meta.put(newestKey, newest))
  }

  /**
   * All pages have come: from the newest on what changes is asked for, less the time that they took. Somebody of the first page may have
   * changed since, and somebody of the last one later still. What claims to be of tomorrow is none of it. `began`: by our clock.
   */
  async #upTo(began: number | undefined): Promise<void> {
    const { store, clock } = this.#options
    const { meta } = store.tables
    const now = clock.now()
    const newest = Math.min(Number(meta.get(newestKey) ?? 0), now)
    await store.transaction(() => meta.put(sinceKey, Math.max(0, newest - Math.max(0, now - (began ?? now)))))
  }

  /** Asks again for each customer that was reported in two ways: the CRM's answer then counts. */
  async #askAgain(ids: readonly string[]): Promise<void> {
    const { reading, store, customers, list } = this.#options
    for (const id of new Set(ids)) {
      if (!this.#mayGoOn()) return
      const found = await reading.one(id)
      if (found === null || 'failed' in found) continue
      await store.transaction(() => {
        customers.take(found, { sure: true })
        list.mark(id)
      })
    }
  }

  #mayGoOn(): boolean {
    return !this.#stopped && this.#options.enabled()
  }
}
