/**
 * One site may own the directory of all (`sites[].directory`): its web port is asked for the name of a caller, as a CRM is, and what this box knows
 * stands where nothing comes in time.
 */
import { timeLimit, type Clock } from '../base/clock.ts'
import { derived } from '../base/derived.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import { LookupAnswerSchema, type LookupAnswer } from '../schema/crm-answers.ts'
import { readAnswer } from '../schema/read-answer.ts'

/** As long as a CRM has: nobody's phone rings later. */
const totalMs = 800
/** Calls do not wait again and again for a box that is away. */
const restMs = 30_000
const limits = { connectMs: 300, maxResponseSize: 64 * 1024 }

type Site = Config['sites'][number]

/** The web port of a site. */
interface SiteWeb {
  open(path: string, quietMs: number, signal: AbortSignal): Promise<{ readonly status: number; readonly body: { text(): Promise<string> } }>
  close(): Promise<void>
}

export interface SiteDirectoryOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly siteWeb: (site: Site, most: typeof limits) => SiteWeb
}

export class SiteDirectory {
  readonly #clock: Clock
  readonly #log: Log
  readonly #owner: () => { readonly id: string; readonly web: SiteWeb } | undefined
  #restsUntil = 0

  constructor({ config, clock, log, siteWeb }: SiteDirectoryOptions) {
    this.#clock = clock
    this.#log = log
    this.#owner = derived(config, () => {
      const site = config.sites.find(({ directory }) => directory)
      return site === undefined ? undefined : { id: site.id, web: siteWeb(site, limits) }
    })
  }

  /** What the owner says of the number; null where there is none, or nothing came. Never rejects. */
  async lookup(number: string, signal: AbortSignal): Promise<LookupAnswer | null> {
    const owner = this.#owner()
    if (owner === undefined || this.#clock.elapsed() < this.#restsUntil) return null
    const { id, web } = owner
    const time = timeLimit(totalMs, signal)
    try {
      const { status, body } = await web.open(`/api/pbx/lookup/caller/${encodeURIComponent(number)}`, 2 * totalMs, time.signal)
      const text = await body.text()
      if (status === 200) return readAnswer<LookupAnswer>(LookupAnswerSchema, JSON.parse(text)).body
      this.#rest(id, `it answers ${status}`)
    } catch (error) {
      if (!signal.aborted) this.#rest(id, (error as Error).name === 'TimeoutError' ? 'no answer in time' : String((error as Error).message))
    } finally {
      time.done()
    }
    return null
  }

  async stop(): Promise<void> {
    await this.#owner()?.web.close()
  }

  #rest(site: string, reason: string): void {
    this.#restsUntil = this.#clock.elapsed() + restMs
    this.#log.warn({ site, reason }, 'the directory of the site does not answer; for 30 s names come from this box alone')
  }
}
