/** The lamps of one other site, by its web port: the list of them, and from then on each change. */
import { Type } from '@sinclair/typebox'
import { Alarm, pause, timeLimit, type Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { checker } from '../../http/validate.ts'
import type { SiteLink } from '../../schema/config/sites.ts'
import { LampSchema, type LampView } from '../../schema/extensions.ts'

/** Why its lamps are not known. */
export type Fault = 'unset' | 'away' | 'token' | 'answer'

/** `ofMessages`: the counts of its mailbox are others, too. */
type Tell = (number: string, ofMessages: boolean) => void

/** The web port of a site. */
export interface SiteWeb {
  /** Rejects where it does not answer; reading rejects where nothing comes for `quietMs`. */
  open(path: string, quietMs: number, signal: AbortSignal): Promise<{ status: number; liveId: string; body: WebBody }>
  close(): Promise<void>
}
type WebBody = AsyncIterable<Uint8Array> & { text(): Promise<string> }

export interface FollowOptions {
  readonly clock: Clock
  readonly log: Log
  readonly webOf: (link: SiteLink) => SiteWeb
}

const againMs = 2000
/** After an answer that only a person can change. */
const refusedMs = 30_000
const answerMs = 4000
/** The site says something every 5 s. */
const quietMs = 11_000
/** A box that starts again, or a connection that breaks, is back by then, and no lamp goes out. */
const graceMs = 5000
const awayMs = 60_000
const mostText = 1024 * 1024

const [faultsOfList, faultsOfLamp] = [checker(Type.Array(LampSchema), false), checker(LampSchema, false)]

export class FollowedSite {
  readonly #clock: Clock
  readonly #log: Log
  readonly #tell: Tell
  readonly #id: string
  readonly #web: SiteWeb | null
  readonly #stopped = new AbortController()
  readonly #unknown: Alarm
  readonly #asked = new Set<string>()
  /** null: they are known. */
  #fault: Fault | null
  #faultAt: number
  #lamps: Map<string, LampView> | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(link: SiteLink, { clock, log, webOf }: FollowOptions, tell: Tell) {
    this.#clock = clock
    this.#log = log
    this.#tell = tell
    this.#id = link.id
    this.#web = link.api === undefined || link.token === '' ? null : webOf(link)
    this.#fault = this.#web === null ? 'unset' : null
    this.#faultAt = clock.elapsed()
    this.#unknown = new Alarm(clock, () => this.#show(null))
  }

  start(): void {
    const web = this.#web
    if (web !== null) this.#running = this.#run(web, this.#stopped.signal)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#unknown.stop()
    await this.#running
    await this.#web?.close()
  }

  /** Undefined while nobody knows, and for a number that is neither a phone nor a mailbox there. */
  lamp(number: string): LampView | undefined {
    return this.#lamps?.get(number)
  }

  /** A phone here watches it. */
  asked(number: string): void {
    this.#asked.add(number)
  }

  /** Of which phones here watch something. */
  numbers(): readonly string[] {
    return [...this.#asked]
  }

  /** A box that starts again is away for less. */
  lastingFault(): Fault | null {
    return this.#fault === 'away' && this.#clock.elapsed() - this.#faultAt < awayMs ? null : this.#fault
  }

  #became(fault: Fault | null, err?: unknown): void {
    this.#fault = fault
    this.#faultAt = this.#clock.elapsed()
    if (fault === null) this.#log.info({ site: this.#id }, 'the lamps of a site are followed')
    else this.#log.warn({ site: this.#id, fault, err }, 'the lamps of a site are not followed')
  }

  async #run(web: SiteWeb, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let reason: unknown
      const fault = await this.#follow(web, signal).catch((err: unknown): Fault => ((reason = err), 'away'))
      if (signal.aborted) return
      if (fault !== this.#fault) this.#became(fault, reason)
      if (this.#lamps !== null) this.#unknown.within(graceMs)
      await pause(this.#clock, fault === 'away' ? againMs : refusedMs, signal)
    }
  }

  /** Until the site is not heard any more. */
  async #follow(web: SiteWeb, signal: AbortSignal): Promise<Fault> {
    const list = await this.#ask(web, signal)
    if (typeof list === 'string') return list
    const { body, status } = await web.open(`/api/live?topics=lamps&lastId=${list.liveId}`, quietMs, signal)
    if (status !== 200) return faultOf(status)
    this.#unknown.cancel()
    this.#became(null)
    this.#show(new Map(list.lamps.map((lamp) => [lamp.number, lamp])))
    const text = new TextDecoder()
    let rest = ''
    for await (const piece of body) {
      const blocks = (rest + text.decode(piece, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      // What was missed is in the list; it is asked for with the next connection.
      if (rest.length > mostText || blocks.some((block) => !this.#heard(block))) return 'away'
    }
    return 'away'
  }

  async #ask(web: SiteWeb, signal: AbortSignal): Promise<{ lamps: readonly LampView[]; liveId: string } | Fault> {
    const time = timeLimit(answerMs, signal)
    try {
      const { status, body, liveId } = await web.open('/api/lamps', answerMs, time.signal)
      const text = await body.text()
      if (status !== 200) return faultOf(status)
      const lamps: unknown = JSON.parse(text)
      return isList(lamps) && liveId !== '' ? { lamps, liveId } : 'answer'
    } catch (error) {
      if (error instanceof SyntaxError) return 'answer'
      throw error
    } finally {
      time.done()
    }
  }

  /** false: changes were missed. */
  #heard(block: string): boolean {
    const [, event, data = ''] = /^event: (\w+)\ndata: (.*)$/m.exec(block) ?? []
    if (event === 'gap' || event === 'ended') return false
    if (event !== 'lamps') return true
    const lamp: unknown = JSON.parse(data)
    const lamps = new Map(this.#lamps ?? [])
    if (isLamp(lamp)) this.#show(lamps.set(lamp.number, lamp))
    else if (isGone(lamp)) this.#show((lamps.delete(lamp.id), lamps))
    return true
  }

  #show(lamps: Map<string, LampView> | null): void {
    const before = this.#lamps
    this.#lamps = lamps
    for (const number of this.#asked) {
      const [was, is] = [before?.get(number), lamps?.get(number)]
      const ofMessages = JSON.stringify(was?.messages) !== JSON.stringify(is?.messages)
      if (ofMessages || JSON.stringify(was?.calls) !== JSON.stringify(is?.calls)) this.#tell(number, ofMessages)
    }
  }
}

function faultOf(status: number): Fault {
  if (status === 401 || status === 403) return 'token'
  return status === 429 || status >= 500 ? 'away' : 'answer'
}

const isList = (value: unknown): value is readonly LampView[] => faultsOfList(value) === undefined
const isLamp = (value: unknown): value is LampView => faultsOfLamp(value) === undefined

function isGone(lamp: unknown): lamp is { readonly id: string } {
  const { gone, id } = lamp as { readonly gone?: unknown; readonly id?: unknown }
  return gone === true && typeof id === 'string'
}
