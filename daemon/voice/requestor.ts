/**
 * Posts one event to an application and brings back its control document. Everything that may go wrong on the way is a
 * value; what is tried again, and when, is decided here and nowhere else. A caller is waiting while this runs, so all
 * attempts together, with the time spent in the queue, stay within one timeout.
 */
import type { Dispatcher } from 'undici'
import { parseForeignJson } from '../../drivers/foreign-json.ts'
import { retryAfterMs } from '../../drivers/retry-after.ts'
import type { Clock } from '../base/clock.ts'
import { placeOf } from '../base/for-log.ts'
import { controlConnections } from '../outbox/address.ts'
import type { Log } from '../base/log.ts'
import { wireBody, type CallEvent } from '../schema/events.ts'
import { signedHeaders } from '../base/signing.ts'
import {
  type BreakerPass,
  type BreakerState,
  breakerAbandoned,
  breakerClosed,
  breakerFailed,
  breakerPass,
  breakerSucceeded,
} from './breaker.ts'
import { maxDocumentBytes } from './document.ts'
import { type Exchange, exchange } from './exchange.ts'
import { abortReason } from '../base/errors.ts'

/** At most so many requests to one endpoint at a time; the others wait their turn, first come first served. */
class EndpointQueue {
  readonly #limit: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get idle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0
  }

  /** Resolves true when it is the caller's turn: then `leave` must follow. False when `signal` came first. */
  enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    if (this.#running < this.#limit) {
      this.#running += 1
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve(true)
      }
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1)
        resolve(false)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(go)
    })
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running -= 1
  }
}

export interface RequestorOptions {
  readonly dispatcher: Dispatcher
  /** For the second attempt. Its connections serve one request each: of those that are kept any may be dead, and all where a balancer was exchanged. */
  readonly again: Dispatcher
  /** Whether requests may go to a URL. */
  readonly checkUrl: (url: string) => { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string }
  readonly clock: Clock
  readonly log: Log
  readonly userAgent: string
  /** Requests to one endpoint at a time. */
  readonly endpointRequests: number
}

export interface ControlRequest {
  /** Name of the circuit breaker and of the queue; '' stands for the host of the URL. */
  readonly endpointId: string
  readonly url: string
  readonly secret: string
  /** Asked for once it is certain that it is sent; the same bytes on every attempt. */
  readonly event: () => CallEvent
  /** Waited for before that. */
  readonly stored: () => Promise<void>
  readonly eventId: string
  readonly callId: string
  /** For all attempts together. */
  readonly timeoutMs: number
  /** Aborted when the answer is not needed any more, and the event need not arrive either. */
  readonly signal: AbortSignal
}

export type RequestFailure = 'connect' | 'timeout' | 'status' | 'too-large' | 'not-json' | 'circuit-open' | 'aborted'

export type RequestOutcome =
  | {
      readonly ok: true
      readonly status: number
      /** JSON text of the document; `[]` for an empty answer. */
      readonly text: string
      readonly contentType: string
      readonly attempts: number
      readonly ms: number
      /** What the author of the application should repair although it works. */
      readonly warning?: string
    }
  | {
      readonly ok: false
      readonly failure: RequestFailure
      readonly status?: number
      readonly attempts: number
      readonly ms: number
      readonly message: string
      /** What an administrator must know beyond the message. */
      readonly alert?: string
    }

interface Endpoint {
  readonly queue: EndpointQueue
  breaker: BreakerState
}

/** What came of the requests to one endpoint since the start; times are milliseconds since the epoch. */
export interface EndpointRecord {
  readonly answered: number
  readonly failed: number
  readonly lastAnswerAt: number | null
  readonly lastAnswerMs: number | null
  readonly lastFailure: { readonly at: number; readonly reason: RequestFailure; readonly text: string } | null
}

const noRecord: EndpointRecord = { answered: 0, failed: 0, lastAnswerAt: null, lastAnswerMs: null, lastFailure: null }
/** Of endpoints and of hosts that calls name themselves. */
const mostRecords = 200

const reconnectMs = 250
const busyMs = 500
const longestRetryAfterMs = 2000
const maxAttempts = 2
const retryStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

export class Requestor {
  readonly #options: RequestorOptions
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #records = new Map<string, EndpointRecord>()

  constructor(options: RequestorOptions) {
    this.#options = options
  }

  async request(request: ControlRequest): Promise<RequestOutcome> {
    const { clock } = this.#options
    const startedAt = clock.elapsed()
    const checked = this.#options.checkUrl(request.url)
    const failed = (failure: RequestFailure, message: string, attempts = 0): RequestOutcome => {
      return { ok: false, failure, attempts, ms: clock.elapsed() - startedAt, message }
    }
    if (!checked.ok) return failed('connect', `requests must not go to this URL: ${checked.reason}`)
    if (request.signal.aborted) return failed('aborted', 'the caller hung up')
    const key = request.endpointId || checked.url.origin
    const endpoint = this.#endpoint(key)
    const ended = new AbortController()
    const timer = clock.after(request.timeoutMs, () => ended.abort(abortReason))
    const hangup = (): void => ended.abort(abortReason)
    request.signal.addEventListener('abort', hangup, { once: true })
    try {
      const mine = await endpoint.queue.enter(ended.signal)
      if (!mine) {
        if (request.signal.aborted) return failed('aborted', 'the caller hung up')
        return failed('timeout', `other requests to the same endpoint took ${request.timeoutMs} ms`)
      }
      try {
        const outcome = await this.#throughBreaker(endpoint, request, checked.url, ended.signal, startedAt)
        this.#logOutcome(request, checked.url, outcome)
        this.#record(key, outcome)
        return outcome
      } finally {
        endpoint.queue.leave()
      }
    } finally {
      timer.cancel()
      request.signal.removeEventListener('abort', hangup)
      if (endpoint.queue.idle && endpoint.breaker === breakerClosed) this.#endpoints.delete(key)
    }
  }

  /** Endpoints that get no requests at present, and until when by the time of day, for the status of the box. */
  openCircuits(): { readonly endpoint: string; readonly openUntil: number }[] {
    const { clock } = this.#options
    const open: { endpoint: string; openUntil: number }[] = []
    for (const [endpoint, { breaker }] of this.#endpoints)
      if (breaker.openUntil !== null) open.push({ endpoint, openUntil: breaker.openUntil - clock.elapsed() + clock.now() })
    return open
  }

  /** Of one endpoint. `openUntil`: by the time of day; null while requests pass. */
  stateOf(endpointId: string): EndpointRecord & { readonly openUntil: number | null; readonly probing: boolean; readonly inRow: number } {
    const { clock } = this.#options
    const { openUntil, probing, failures } = this.#endpoints.get(endpointId)?.breaker ?? breakerClosed
    const until = openUntil === null ? null : openUntil - clock.elapsed() + clock.now()
    return { ...(this.#records.get(endpointId) ?? noRecord), openUntil: until, probing, inRow: failures }
  }

  #record(key: string, outcome: RequestOutcome): void {
    const before = this.#records.get(key) ?? noRecord
    const at = this.#options.clock.now()
    if (outcome.ok) this.#records.set(key, { ...before, answered: before.answered + 1, lastAnswerAt: at, lastAnswerMs: outcome.ms })
    else if (outcome.failure !== 'aborted' && outcome.failure !== 'circuit-open') {
      const lastFailure = { at, reason: outcome.failure, text: outcome.message }
      this.#records.set(key, { ...before, failed: before.failed + 1, lastFailure })
    }
    const [oldest] = this.#records.keys()
    if (this.#records.size > mostRecords && oldest !== undefined) this.#records.delete(oldest)
  }

  async #throughBreaker(
    endpoint: Endpoint,
    request: ControlRequest,
    url: URL,
    ended: AbortSignal,
    startedAt: number,
  ): Promise<RequestOutcome> {
    const { clock } = this.#options
    const { state, pass } = breakerPass(endpoint.breaker, clock.elapsed())
    endpoint.breaker = state
    if (pass === 'refused') {
      const message = 'the application failed several times in a row; the box waits before it asks it again'
      return { ok: false, failure: 'circuit-open', attempts: 0, ms: clock.elapsed() - startedAt, message }
    }
    let outcome: RequestOutcome | undefined
    try {
      outcome = await this.#attempts(request, url, ended, startedAt)
      return outcome
    } finally {
      endpoint.breaker = judge(endpoint.breaker, pass, outcome, clock.elapsed())
    }
  }

  async #attempts(request: ControlRequest, url: URL, ended: AbortSignal, startedAt: number): Promise<RequestOutcome> {
    await request.stored()
    if (ended.aborted) return outcomeOf({ kind: 'aborted' }, request, { attempts: 0, ms: this.#options.clock.elapsed() - startedAt })
    const body = wireBody(request.event())
    for (let attempt = 1; ; attempt += 1) {
      const seen = await exchange(attempt === 1 ? this.#options.dispatcher : this.#options.again, {
        url,
        headers: this.#headers(request, body, attempt),
        body,
        signal: ended,
        idleMs: request.timeoutMs,
      })
      const waitMs = attempt < maxAttempts ? waitOf(seen, this.#options.clock.now()) : null
      if (waitMs === null || !(await this.#wait(waitMs, ended))) {
        const ms = this.#options.clock.elapsed() - startedAt
        return outcomeOf(ended.aborted && waitMs !== null ? { kind: 'aborted' } : seen, request, { attempts: attempt, ms })
      }
    }
  }

  #headers(request: ControlRequest, body: string, attempt: number): Record<string, string> {
    return {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'Accept-Encoding': 'gzip',
      'User-Agent': this.#options.userAgent,
      'X-Service-Event-Id': request.eventId,
      'X-Service-Attempt': String(attempt),
      ...signedHeaders(request.secret, this.#options.clock.now(), body),
    }
  }

  /** False when it is not needed any more or the time was up before. */
  #wait(ms: number, ended: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = (): void => {
        timer.cancel()
        resolve(false)
      }
      const timer = this.#options.clock.after(ms, () => {
        ended.removeEventListener('abort', stop)
        resolve(true)
      })
      if (ended.aborted) stop()
      else ended.addEventListener('abort', stop, { once: true })
    })
  }

  #endpoint(key: string): Endpoint {
    let endpoint = this.#endpoints.get(key)
    if (!endpoint)
      this.#endpoints.set(key, (endpoint = { queue: new EndpointQueue(this.#options.endpointRequests), breaker: breakerClosed }))
    return endpoint
  }

  #logOutcome(request: ControlRequest, url: URL, outcome: RequestOutcome): void {
    // A query string may hold a key of the application, or name a patient.
    const facts = {
      callId: request.callId,
      eventId: request.eventId,
      url: placeOf(url.href),
      attempts: outcome.attempts,
      ms: outcome.ms,
    }
    if (outcome.ok) this.#options.log.debug({ ...facts, status: outcome.status }, 'application answered')
    else if (outcome.failure === 'aborted') this.#options.log.debug(facts, outcome.message)
    else this.#options.log.warn({ ...facts, failure: outcome.failure, status: outcome.status }, outcome.message)
  }
}

function judge(breaker: BreakerState, pass: BreakerPass, outcome: RequestOutcome | undefined, now: number): BreakerState {
  if (outcome?.ok) return breakerSucceeded()
  if (outcome === undefined || outcome.failure === 'aborted') return breakerAbandoned(breaker, pass)
  return breakerFailed(breaker, pass, now)
}

/** How long to wait before the one retry, or null where there is none. */
function waitOf(seen: Exchange, now: number): number | null {
  if (seen.kind === 'broken') return seen.answered ? null : reconnectMs
  if (seen.kind !== 'status' || !retryStatuses.has(seen.status)) return null
  return Math.min(retryAfterMs(seen.retryAfter, now) ?? busyMs, longestRetryAfterMs)
}

function outcomeOf(seen: Exchange, request: ControlRequest, facts: { attempts: number; ms: number }): RequestOutcome {
  const failed = (failure: RequestFailure, message: string) => ({ ok: false, failure, message, ...facts }) as const
  switch (seen.kind) {
    case 'answer':
      return documentOf(seen, facts)
    case 'status': {
      const outcome = { ...failed('status', statusMessage(seen.status)), status: seen.status }
      return seen.status === 401 || seen.status === 403 ? { ...outcome, alert: 'signature rejected: secrets differ' } : outcome
    }
    case 'too-large':
      return failed('too-large', `the answer has more than ${maxDocumentBytes} bytes`)
    case 'unreadable':
      return failed('not-json', seen.message)
    case 'broken':
      return failed('connect', seen.answered ? `the connection broke within the answer: ${seen.message}` : `no connection: ${seen.message}`)
    case 'connect-timeout':
      return failed('timeout', `no connection within ${controlConnections.connectTimeoutMs} ms`)
    case 'aborted':
      if (request.signal.aborted) return failed('aborted', 'the caller hung up')
      return failed('timeout', `no full answer within ${request.timeoutMs} ms`)
  }
}

function statusMessage(status: number): string {
  if (status >= 300 && status <= 399) return `the application answered ${status}; HTTP redirects are not followed`
  return `the application answered ${status}`
}

/** An empty answer acknowledges; a document under another content type is taken when it is an array. */
function documentOf(seen: { status: number; text: string; contentType: string }, facts: { attempts: number; ms: number }): RequestOutcome {
  const { status, contentType } = seen
  const answer = { ok: true, status, contentType, ...facts } as const
  if (status === 204 || seen.text.trim() === '') return { ...answer, text: '[]' }
  if (/^application\/json\s*(;|$)/i.test(contentType.trim())) return { ...answer, text: seen.text }
  const named = contentType === '' ? 'no Content-Type' : `the Content-Type "${contentType.slice(0, 60)}"`
  if (isArray(seen.text)) return { ...answer, text: seen.text, warning: `the answer has ${named}; it should be application/json` }
  return { ok: false, failure: 'not-json', status, ...facts, message: `the answer has ${named} and is not a control document` }
}

function isArray(text: string): boolean {
  try {
    return Array.isArray(parseForeignJson(Buffer.from(text.replace(/^\uFEFF/, ''))))
  } catch {
    return false
  }
}
