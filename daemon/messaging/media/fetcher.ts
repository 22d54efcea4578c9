/**
 * Fetches pictures and other files of texts after the text itself is in the inbox: its provider is answered by then, and neither a slow server nor a
 * crash costs anything but time. What is to be fetched is on the disk; a start goes on with it.
 */
import { readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { MediaAccess } from '../../../drivers/sms.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { TextMedia } from '../../inbox/text-media.ts'
import { UnderWay } from '../../jobs/keep.ts'
import type { Log } from '../../base/log.ts'
import { guardedAgent, type AddressPolicy } from '../../outbox/address.ts'
import type { Store } from '../../store/store.ts'
import type { TextMediaRow } from '../../store/tables.ts'
import { fetchMedia, type Fetched, type MediaDoors } from './fetch.ts'

export interface MediaPolicies {
  /** At the provider's own address. */
  readonly provider: AddressPolicy
  /** Everywhere else. */
  readonly media: AddressPolicy
}

export interface MediaFetcherOptions {
  readonly store: Pick<Store, 'takes'>
  readonly media: TextMedia
  readonly clock: Clock
  readonly log: Log
  readonly policies: MediaPolicies
  /** How a trunk's files are asked for; undefined where the trunk is not there any more. */
  readonly accessOf: (trunkId: string) => ((url: URL) => MediaAccess) | undefined
}

/** Files of one text that are fetched; further ones are named in the item. */
export const mostFiles = 10
export const mostFileBytes = 10 * 1_048_576
const atOnce = 2
const timeoutMs = 60_000
const connectMs = 10_000
const lastWordMs = 3000
const fullDiskMs = 30_000
/** After the first, second, ... failed attempt; then hourly. */
const retryDelaysMs = [2000, 10_000, 30_000, 120_000, 600_000, 1_800_000] as const
const hourMs = 3_600_000
/** A day. */
const mostAttempts = 28
/** Attempts at what looks as if it stayed so: a provider may name a file a moment before it has it. */
const lastingAttempts = 4

export class MediaFetcher {
  readonly #options: MediaFetcherOptions
  readonly #waiting = new Map<string, Timer | null>()
  readonly #underWay: UnderWay
  readonly #doors: MediaDoors
  #abort = new AbortController()
  #running = 0

  constructor(options: MediaFetcherOptions) {
    this.#options = options
    this.#underWay = new UnderWay((err) => options.log.error({ err }, 'a file of a text could not be kept'))
    const door = (policy: AddressPolicy) => ({ policy, agent: guardedAgent(policy, { connectTimeoutMs: connectMs }) })
    this.#doors = { provider: door(options.policies.provider), others: door(options.policies.media) }
  }

  get waiting(): number {
    return this.#waiting.size + this.#running
  }

  /** Takes up what the last run of the daemon left. */
  start(): void {
    const { media, log } = this.#options
    this.#abort = new AbortController()
    clearParts(dirname(media.place('x')))
    const rows = media.pending()
    if (rows.length > 0) log.info({ files: rows.length }, 'files of texts are still to be fetched')
    for (const row of rows) this.#schedule(row)
  }

  /** Rows that are durable. */
  take(rows: readonly TextMediaRow[]): void {
    for (const row of rows) if (row.state === 'fetching') this.#schedule(row)
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    for (const timer of this.#waiting.values()) timer?.cancel()
    this.#waiting.clear()
    await this.#underWay.lastWord(this.#options.clock, lastWordMs)
    await Promise.all([this.#doors.provider.agent.destroy(), this.#doors.others.agent.destroy()])
  }

  #schedule({ id, nextAt }: Pick<TextMediaRow, 'id' | 'nextAt'>): void {
    if (this.#abort.signal.aborted || this.#waiting.has(id)) return
    const { clock } = this.#options
    // After a step of the clock nothing waits longer than the pause between two attempts.
    const inMs = Math.min(Math.max(0, nextAt - clock.now()), hourMs)
    const due = (): void => {
      this.#waiting.set(id, null)
      this.#next()
    }
    this.#waiting.set(id, inMs === 0 ? null : clock.after(inMs, due))
    if (inMs === 0) this.#next()
  }

  #next(): void {
    for (const [id, timer] of this.#waiting) {
      if (this.#running >= atOnce) return
      if (timer !== null) continue
      this.#waiting.delete(id)
      this.#running += 1
      const fetched = this.#fetch(id).catch((error: unknown) => {
        // What a full disk did not take is asked for again.
        this.#schedule({ id, nextAt: this.#options.clock.now() + fullDiskMs })
        throw error
      })
      void this.#underWay.track(
        fetched.finally(() => {
          this.#running -= 1
          this.#next()
        }),
      )
    }
  }

  async #fetch(id: string): Promise<void> {
    const { media, store, clock } = this.#options
    const row = media.get(id)
    if (row?.state !== 'fetching') return
    const { signal } = this.#abort
    if (!store.takes('texts')) return this.#again(row, 'the disk is nearly full', clock.now() + fullDiskMs)
    const file = media.place(id)
    const access = this.#options.accessOf(row.trunkId)
    const fetched: Fetched =
      access === undefined
        ? { kind: 'refused', reason: 'its trunk is no longer configured' }
        : await fetchMedia(row.url, {
            doors: this.#doors,
            access,
            contentType: row.contentType,
            file,
            mostBytes: mostFileBytes,
            timeoutMs,
            signal,
          })
    if (signal.aborted) return
    if (fetched.kind === 'stored') return this.#keep(row, file, fetched.contentType)
    await this.#again(row, fetched.reason, fetched.kind === 'refused' ? null : this.#nextAt(row, fetched.lasting))
  }

  async #keep({ id }: TextMediaRow, file: string, contentType: string): Promise<void> {
    const { media, log } = this.#options
    try {
      const kept = await media.keep(id, file, contentType)
      log.info({ id }, kept ? 'a file of a text was fetched' : 'a file of a text was fetched whose text is gone')
    } catch (error) {
      await rm(file, { force: true }).catch(() => undefined)
      throw error
    }
  }

  /** Null where there is none. */
  #nextAt({ attempts }: TextMediaRow, lasting: boolean): number | null {
    if (attempts + 1 >= (lasting ? lastingAttempts : mostAttempts)) return null
    return this.#options.clock.now() + (retryDelaysMs[attempts] ?? hourMs)
  }

  async #again({ id }: TextMediaRow, reason: string, nextAt: number | null): Promise<void> {
    const { media, log } = this.#options
    log.warn({ id, reason, over: nextAt === null }, 'a file of a text could not be fetched')
    await media.failed(id, reason, nextAt)
    if (nextAt !== null) this.#schedule({ id, nextAt })
  }
}

/** What a crash left half written. */
function clearParts(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith('.part')) rmSync(join(folder, name), { force: true })
}
