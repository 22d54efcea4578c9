/**
 * Polls the inbox of each other box and site by the cursor that every program uses. A box that is away holds no other up, and its items come later.
 * After a box was away it is asked for the last days again: it may have been restored from a backup, and what is known is left out.
 */
import { pause, type Clock } from '../../base/clock.ts'
import { ours, said } from '../../base/for-log.ts'
import type { CodedWarning } from '../../base/health.ts'
import type { Log } from '../../base/log.ts'
import { inboxFeeds } from '../../schema/inbox.ts'
import type { Collected } from './collected.ts'
import { isSiteTrunk } from '../../schema/config/sites.ts'
import { type Answered, nameOf, type Source } from './source.ts'

type Feed = (typeof inboxFeeds)[number]

export interface CollectorOptions {
  readonly sources: readonly Source[]
  readonly collected: Collected
  readonly clock: Clock
  readonly log: Log
}

const everyMs = 2000
/** After an answer that only a person can change. */
const refusedMs = 60_000
/** A box that starts again is away for less. */
const awayMs = 60_000
const lookBackMs = 7 * 86_400_000
const mostItems = 500

export class Collector {
  readonly #polls: readonly Poll[]
  readonly #stopped = new AbortController()
  #running: Promise<unknown> = Promise.resolve()

  constructor({ sources, ...options }: CollectorOptions) {
    this.#polls = sources.map((source) => new Poll(source, options))
  }

  start(): void {
    this.#running = Promise.all(this.#polls.map((poll) => poll.run(this.#stopped.signal)))
  }

  warnings(): CodedWarning[] {
    return this.#polls.flatMap((poll) => poll.warning() ?? [])
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }
}

type Fault = 'away' | 'token' | 'other-box' | 'disk' | 'answer'

class Poll {
  readonly #source: Source
  readonly #options: Omit<CollectorOptions, 'sources'>
  /** To be asked for the last days. */
  readonly #again = new Set<Feed>(inboxFeeds)
  #limit = mostItems
  #fault: { readonly kind: Fault; readonly since: number } | null = null

  constructor(source: Source, options: Omit<CollectorOptions, 'sources'>) {
    this.#source = source
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    while (!signal.aborted) {
      const fault = await this.#round(signal).catch((err: unknown): Fault => {
        log.warn({ err, box: this.#source.id }, 'items of another box could not be kept; they are asked for again')
        return 'disk'
      })
      if (signal.aborted) return
      this.#became(fault)
      await pause(clock, fault === 'token' || fault === 'other-box' ? refusedMs : everyMs, signal)
    }
  }

  warning(): CodedWarning | null {
    const fault = this.#fault
    const { id } = this.#source
    if (fault === null || (fault.kind !== 'token' && fault.kind !== 'other-box' && this.#options.clock.elapsed() - fault.since < awayMs))
      return null
    return { code: `collect-${id.replace(':', '-')}`, ...warnings[fault.kind](id) }
  }

  #became(kind: Fault | null): void {
    const { clock, log } = this.#options
    const before = this.#fault?.kind ?? null
    if (kind === before) return
    const { id: box } = this.#source
    this.#fault = kind === null ? null : { kind, since: clock.elapsed() }
    if (kind === null) return log.info({ box }, 'the inbox of a box is collected again')
    log.warn({ box, fault: kind }, 'the inbox of a box is not collected')
    for (const feed of inboxFeeds) this.#again.add(feed)
  }

  async #round(signal: AbortSignal): Promise<Fault | null> {
    for (const feed of inboxFeeds) {
      this.#limit = mostItems
      const fault = await this.#feed(feed, signal)
      if (fault !== null) return fault
    }
    return null
  }

  /** All that is new of a feed. */
  async #feed(feed: Feed, signal: AbortSignal): Promise<Fault | null> {
    const { collected } = this.#options
    const { id } = this.#source
    const cursor = collected.cursor(id, feed)
    let since = this.#again.has(feed) ? Math.max(0, cursor - lookBackMs) : cursor
    for (;;) {
      const got = await this.#source.page(feed, since, this.#limit, signal)
      if (signal.aborted) return null
      if (got.kind === 'long' && this.#limit > 1) this.#limit = Math.ceil(this.#limit / 2)
      else if (got.kind === 'refused' && got.code === 'cursor_from_the_future' && since > 0) since = 0
      else if (got.kind !== 'page') return faultOf(got)
      else {
        await collected.add(id, feed, got.items, got.nextSince)
        this.#again.delete(feed)
        since = got.nextSince
        if (got.whole) return null
      }
    }
  }
}

function faultOf(got: Exclude<Answered, { kind: 'page' }>): Fault {
  if (got.kind !== 'refused') return got.kind === 'away' ? 'away' : 'answer'
  if (got.status === 401 || got.status === 403) return 'token'
  if (got.code === 'inbox_elsewhere') return 'other-box'
  return got.status === 429 || got.status >= 500 ? 'away' : 'answer'
}

const warnings: Readonly<Record<Fault, (id: string) => Omit<CodedWarning, 'code'>>> = {
  away: (id) => ({
    severity: 'warning',
    text: said`${ours(nameOf(id))} does not answer, so what it receives is missing in the inbox`,
    fix: isSiteTrunk(id) ? 'its items come as soon as it answers' : 'pbx cluster status; its items come as soon as it answers',
  }),
  token: (id) => ({
    severity: 'error',
    text: said`${ours(nameOf(id))} refuses the token of ${ours(sectionOf(id))}, so what it receives is missing in the inbox`,
    fix: `at that box: pbx token create --name collector --scope inbox; then write the token into ${sectionOf(id)}`,
  }),
  'other-box': (id) => ({
    severity: 'error',
    text: said`${ours(nameOf(id))} is not at the address of ${ours(sectionOf(id))}, but another one, so what it receives is missing in the inbox`,
    fix: `compare ${sectionOf(id)} with box.id and box.inbox of that box`,
  }),
  disk: (id) => ({
    severity: 'error',
    text: said`What was received elsewhere cannot be stored here: ${ours(nameOf(id))}`,
    fix: 'pbx doctor',
  }),
  answer: (id) => ({
    severity: 'error',
    text: said`${ours(nameOf(id))} answers in a way that this box does not understand`,
    fix: `install the same version on both boxes; check the address in ${sectionOf(id)}`,
  }),
}

const sectionOf = (id: string): string => (isSiteTrunk(id) ? 'sites' : 'collect.boxes')
