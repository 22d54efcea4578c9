/**
 * One site may own the directory of all (`sites[].directory`): who calls is asked at its web port, as a CRM is asked, and what this box knows
 * stands where nothing comes in time.
 */
import { readFileSync } from 'node:fs'
import { timeLimit, type Clock } from '../base/clock.ts'
import { derived } from '../base/derived.ts'
import { Agent, request } from '../base/http-client.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import { LookupAnswerSchema, type LookupAnswer } from '../schema/crm-answers.ts'
import { readAnswer } from '../schema/read-answer.ts'

/** As long as a CRM has: nobody's phone rings later. */
const totalMs = 800
const connectMs = 300
/** Calls do not wait again and again for a box that is away. */
const restMs = 30_000
const mostBytes = 64 * 1024

export class SiteDirectory {
  readonly #clock: Clock
  readonly #log: Log
  readonly #owner: () => Config['sites'][number] | undefined
  readonly #agents: () => Agent
  #restsUntil = 0

  constructor({ config, clock, log }: { readonly config: Config; readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock
    this.#log = log
    this.#owner = derived(config, () => config.sites.find(({ directory }) => directory))
    this.#agents = derived(config, () => {
      const { caFile } = this.#owner() ?? {}
      const tls = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }
      return new Agent({ connections: 4, maxResponseSize: mostBytes, keepAliveTimeout: 4000, connect: { ...tls, timeout: connectMs } })
    })
  }

  /** What the owner says of the number; null where there is none, or nothing came. Never rejects. */
  async lookup(number: string, signal: AbortSignal): Promise<LookupAnswer | null> {
    const owner = this.#owner()
    if (owner === undefined || this.#clock.elapsed() < this.#restsUntil) return null
    const { id, api = '', token } = owner
    const time = timeLimit(totalMs, signal)
    try {
      const answer = await request(`${api.replace(/\/$/, '')}/api/pbx/lookup/caller/${encodeURIComponent(number)}`, {
        dispatcher: this.#agents(),
        headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
        signal: time.signal,
      })
      const text = await answer.body.text()
      if (answer.statusCode === 200) return readAnswer<LookupAnswer>(LookupAnswerSchema, JSON.parse(text)).body
      this.#rest(id, `it answers ${answer.statusCode}`)
    } catch (error) {
      if (!signal.aborted) this.#rest(id, (error as Error).name === 'TimeoutError' ? 'no answer in time' : String((error as Error).message))
    } finally {
      time.done()
    }
    return null
  }

  async stop(): Promise<void> {
    if (this.#owner() !== undefined) await this.#agents().destroy()
  }

  #rest(site: string, reason: string): void {
    this.#restsUntil = this.#clock.elapsed() + restMs
    this.#log.warn({ site, reason }, 'the directory of the site does not answer; for 30 s names come from this box alone')
  }
}
