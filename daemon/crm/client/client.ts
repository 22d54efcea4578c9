/**
 * The box as a client of the CRM: one request, signed afresh each time, within its time limits, and not at all while the CRM is known to be
 * away. Probes find out when it is back.
 */
import { readFileSync } from 'node:fs'
import { parseForeignJson } from '../../../drivers/foreign-json.ts'
import { retryAfterMs } from '../../../drivers/retry-after.ts'
import { Alarm, timeLimit, type Clock } from '../../base/clock.ts'
import { networkWords } from '../../base/errors.ts'
import { type Agent, request as send } from '../../base/http-client.ts'
import { newId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { checkUrl, guardedAgent, type AddressPolicy } from '../../outbox/address.ts'
import type { Config } from '../../schema/config.ts'
import { crmPath, crmRequests, type CrmRequestSpec, type CrmRoute } from '../../schema/crm-requests.ts'
import { readAnswer } from '../../schema/read-answer.ts'
import { signedHeaders } from '../../base/signing.ts'
import type { ForeignReader } from '../foreign.ts'
import { afterProbe, afterRequest, breakerClosed, circuitOf, type BreakerState, type Circuit } from './breaker.ts'
import { CrmFigures } from './figures.ts'
import { Misfits } from './misfits.ts'
import { crmLimits, type CrmOutcome, type CrmRequest } from './routes.ts'

/** Which routes the CRM does not have, so that it is not asked for them again and again. */
const rememberedMs = 3_600_000

export class Offered {
  readonly #clock: Clock
  readonly #missingSince = new Map<CrmRoute, number>()
  readonly #answered = new Set<CrmRoute>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(route: CrmRoute): boolean {
    const since = this.#missingSince.get(route)
    return since === undefined || this.#clock.elapsed() - since >= rememberedMs
  }

  /** The route was there. */
  answered(route: CrmRoute): void {
    this.#answered.add(route)
  }

  /** A 404 that says that nobody has the number: the route was there before, or the answer says so itself. */
  saysNobody(route: CrmRoute, status: number, text: string): boolean {
    if (status !== 404 || (route !== 'lookup' && route !== 'screen-pop')) return false
    return this.#answered.has(route) || namesNobody(text) || /"found"\s*:\s*false/.test(text)
  }

  /**
   * A CRM that answers with such a status does not have the route. The log of a call is sent until the CRM takes it: that route is never
   * given up.
   */
  note(route: CrmRoute, status: number, text: string): boolean {
    const missing = status === 405 || status === 501 || (status === 404 && !namesNobody(text))
    if (!missing || route === 'log') return false
    this.#missingSince.set(route, this.#clock.elapsed())
    return true
  }
}

/** The route is there, and what it was asked about is not: `{"code": "customer_unknown"}`. */
function namesNobody(text: string): boolean {
  return /"code"\s*:\s*"[a-z_]+_unknown"/.test(text)
}

export interface CrmClientOptions {
  readonly config: Pick<Config, 'crm'>
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  readonly policy: AddressPolicy
  /** Whether the integration is switched on. */
  readonly enabled: () => boolean
  /** Whether calls wait to be sent: the CRM is tried more often then. */
  readonly backlog?: () => boolean
  /** It is not asked any more from now on. */
  readonly went?: (reason: string) => void
  /** 0 to 1. */
  readonly chance?: () => number
  /** Reads a long answer. */
  readonly foreign: Pick<ForeignReader, 'read'>
}

/** What is asked of the client elsewhere. */
export type AskCrm = Pick<CrmClient, 'request' | 'configured'>

/** A longer answer is read off the event loop. */
const shortBytes = 64 * 1024
const mostOfRefusal = 500
const connections = 8
/** A thousand calls must be sent within 3 minutes of its return, and sending takes 100 s of them. */
const backlogProbeMs = 60_000

export class CrmClient {
  readonly figures: CrmFigures
  readonly misfits: Misfits
  readonly #options: CrmClientOptions
  readonly #offered: Offered
  /** By how long a connection may take. */
  readonly #agents = new Map<number, Agent>()
  readonly #stopped = new AbortController()
  readonly #probe: Alarm
  readonly #tls: { readonly ca?: string; readonly rejectUnauthorized?: boolean }
  #breaker: BreakerState = breakerClosed
  #whenClosed: (() => void)[] = []

  constructor(options: CrmClientOptions) {
    this.#options = options
    this.figures = new CrmFigures(options.clock)
    this.misfits = new Misfits(options)
    this.#offered = new Offered(options.clock)
    this.#probe = new Alarm(options.clock, () => void this.#tryAgain())
    const { ca, insecure } = options.config.crm.tls
    this.#tls = { ...(ca === undefined ? {} : { ca: readFileSync(ca, 'utf8') }), ...(insecure ? { rejectUnauthorized: false } : {}) }
  }

  get configured(): boolean {
    return this.#options.config.crm.baseUrl !== undefined
  }

  get circuit(): Circuit {
    return circuitOf(this.#breaker, this.#options.clock.elapsed())
  }

  /** Requests pass again. */
  onClosed(call: () => void): void {
    this.#whenClosed.push(call)
  }

  /** Never rejects. */
  async request(asked: CrmRequest): Promise<CrmOutcome> {
    if (!this.configured) return { kind: 'skipped', reason: 'unconfigured' }
    if (!this.#options.enabled()) return { kind: 'skipped', reason: 'disabled' }
    if (this.circuit !== 'closed') return { kind: 'skipped', reason: 'circuit-open' }
    if (!this.#offered.has(asked.ask.route)) return { kind: 'not-offered' }
    const outcome = await this.#attempt(asked)
    this.#count(outcome)
    return outcome
  }

  async stop(): Promise<void> {
    this.#probe.stop()
    this.#stopped.abort()
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy().catch(() => undefined)))
  }

  #count(outcome: CrmOutcome): void {
    if (this.#stopped.signal.aborted) return
    const { clock, log, chance = Math.random } = this.#options
    const before = this.#breaker
    this.#breaker = afterRequest(before, outcome.kind !== 'failed', clock.elapsed(), chance())
    if (before.openUntil !== null || this.#breaker.openUntil === null) return
    const reason = outcome.kind === 'failed' ? outcome.reason : ''
    log.warn({ reason }, 'the CRM does not answer; the box waits until it does')
    this.#options.went?.(reason)
    this.#armProbe()
  }

  #armProbe(): void {
    const { clock, backlog = () => false } = this.#options
    const waits = Math.max(0, (this.#breaker.openUntil ?? 0) - clock.elapsed())
    this.#probe.within(backlog() ? Math.min(waits, backlogProbeMs) : waits)
  }

  async #tryAgain(): Promise<void> {
    const { clock, log, chance = Math.random, enabled } = this.#options
    while (this.#breaker.openUntil !== null && !this.#stopped.signal.aborted) {
      // What is switched off is not asked, and is found out about when it is switched on.
      if (!enabled()) return this.#probe.within(1000)
      const outcome = await this.#attempt({ ask: { route: 'status' } })
      if (this.#stopped.signal.aborted) return
      const good = outcome.kind !== 'failed'
      this.#breaker = afterProbe(this.#breaker, good, clock.elapsed(), chance())
      if (!good) return this.#armProbe()
    }
    if (this.#stopped.signal.aborted) return
    log.info({}, 'the CRM answers again')
    for (const call of this.#whenClosed) call()
  }

  async #attempt({ ask, eventId = newId(), attempt = 1, idempotencyKey, signal, read }: CrmRequest): Promise<CrmOutcome> {
    const { config, clock, version, policy } = this.#options
    const { route } = ask
    const { method } = crmRequests[route]
    const { totalMs } = crmLimits[route]
    const base = config.crm.baseUrl!.replace(/\/+$/, '')
    const checked = checkUrl(`${base}/api/pbx/${crmPath(ask)}`, policy)
    if (!checked.ok) return this.#failure(checked.reason)
    const text = 'body' in ask ? JSON.stringify(ask.body) : ''
    const began = clock.elapsed()
    const limit = timeLimit(totalMs, this.#stopped.signal, ...(signal === undefined ? [] : [signal]))
    try {
      const response = await send(checked.url, {
        method,
        dispatcher: this.#agent(route),
        ...(text === '' ? {} : { body: text }),
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'User-Agent': `pbx/${version}`,
          ...signedHeaders(config.crm.secret, clock.now(), text),
          'X-Service-Event-Id': eventId,
          'X-Service-Attempt': String(attempt),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
          ...(config.crm.token === '' ? {} : { Authorization: `Bearer ${config.crm.token}` }),
        },
        signal: limit.signal,
      })
      const answer = await bytesOf(response.body, crmLimits[route].mostBytes)
      const { statusCode: status, headers } = response
      const times = { tookMs: clock.elapsed() - began, date: one(headers['date']), retryAfter: one(headers['retry-after']) }
      return await this.#outcome({ route, status, answer, read, ...times })
    } catch (error) {
      // The asker has given up: that says nothing of the CRM.
      if (signal?.aborted === true && limit.signal.reason === signal.reason) return { kind: 'refused', status: 0, text: 'not waited for' }
      return this.#failure(explain(error as Error & { code?: string }, totalMs))
    } finally {
      limit.done()
    }
  }

  async #outcome(got: {
    route: CrmRoute
    status: number
    answer: readonly Uint8Array[]
    read: CrmRequest['read']
    tookMs: number
    date: string | undefined
    retryAfter: string | undefined
  }): Promise<CrmOutcome> {
    const { route, status, answer, read, tookMs, date, retryAfter } = got
    const text = status >= 200 && status < 300 ? '' : Buffer.concat(answer).toString('utf8')
    const nobody = this.#offered.saysNobody(route, status, text)
    if ((status >= 200 && status < 300) || nobody) {
      const body = nobody ? { found: false } : await (read ?? ((bytes) => this.#read(route, bytes)))(answer).catch(() => unreadable)
      if (body === unreadable) return this.#failure('the answer is not JSON', status)
      if (body === unusable)
        return this.#failure(`the answer cannot be used: ${this.misfits.last?.path} ${this.misfits.last?.message}`, status)
      this.figures.succeeded(tookMs, date)
      this.#offered.answered(route)
      return { kind: 'answered', status, body }
    }
    if (this.#offered.note(route, status, text)) {
      this.figures.succeeded(tookMs, date)
      return { kind: 'not-offered' }
    }
    if (status >= 400 && status < 500 && ![408, 425, 429].includes(status)) {
      this.figures.refused(status, tookMs, date)
      return { kind: 'refused', status, text: text.slice(0, mostOfRefusal) }
    }
    const askedMs = retryAfterMs(retryAfter, this.#options.clock.now())
    const redirected = status >= 300 && status < 400 ? '; redirects are not followed' : ''
    return this.#failure(`answered ${status}${redirected}`, status, askedMs)
  }

  /** By the schema of the request: what of it fits. Rejects where it is no JSON and should be. */
  async #read(route: CrmRoute, bytes: readonly Uint8Array[]): Promise<unknown> {
    const { answer } = crmRequests[route] as CrmRequestSpec
    const body = await this.#json(bytes).catch((error: unknown) => {
      if (!isTaken(route, bytes)) throw error
      this.misfits.note(route, [{ path: '', message: 'is not JSON' }])
    })
    if (answer === undefined || (body === undefined && told.has(route))) return body
    const { body: fits, faults, faultCount } = readAnswer(answer, body)
    this.misfits.note(route, faults, faultCount)
    return fits ?? (told.has(route) ? {} : unusable)
  }

  async #json(bytes: readonly Uint8Array[]): Promise<unknown> {
    if (bytes.reduce((sum, { length }) => sum + length, 0) > shortBytes) {
      const read = await this.#options.foreign.read(bytes, { kind: 'json' })
      read.done()
      return read.head
    }
    const whole = Buffer.concat(bytes)
    return whole.toString('utf8').trim() === '' ? undefined : parseForeignJson(whole)
  }

  #failure(reason: string, status = 0, retryAfterMs?: number): CrmOutcome {
    this.figures.failed(reason)
    return { kind: 'failed', reason, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }

  #agent(route: CrmRoute): Agent {
    const { connectMs } = crmLimits[route]
    const known = this.#agents.get(connectMs)
    if (known !== undefined) return known
    const agent = guardedAgent(this.#options.policy, { connectTimeoutMs: connectMs, connections, tls: this.#tls })
    this.#agents.set(connectMs, agent)
    return agent
  }
}

async function bytesOf(body: AsyncIterable<Buffer>, mostBytes: number): Promise<Uint8Array[]> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > mostBytes) throw new Error(`the answer is larger than ${mostBytes} bytes`)
    pieces.push(piece)
  }
  return pieces
}

const unreadable = Symbol('not JSON')
const unusable = Symbol('not as specified')

/** What is said, and not asked: that it was taken is all that matters. */
const told: ReadonlySet<CrmRoute> = new Set<CrmRoute>(['answer', 'end', 'log', 'notes', 'proposal'])
const longestWord = 200

/** A short word such as OK, which many frameworks answer; a page of a portal is none. */
function isTaken(route: CrmRoute, bytes: readonly Uint8Array[]): boolean {
  const text = Buffer.concat(bytes).toString('utf8').trim()
  return told.has(route) && text.length <= longestWord && !/[<>{]/.test(text)
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

function explain(error: Error & { code?: string }, totalMs: number): string {
  if (error.name === 'TimeoutError') return `timeout: no answer within ${totalMs} ms`
  if (error.code === 'ECONNREFUSED') return 'connect-refused'
  if (error.code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout: no connection'
  return networkWords(error)
}
