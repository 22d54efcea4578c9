/**
 * The way of a request: method and path, token, rate, content type, size, JSON, missing configuration, schema, handler.
 * Whatever is wrong first is answered. Nothing a handler throws leaves this file.
 */
import { Readable } from 'node:stream'
import type { NamedDeed } from '../audit/deed.ts'
import { objectOf } from '../audit/audit.ts'
import type { Trail } from '../audit/trail.ts'
import { ApiError } from '../base/errors.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import { addressNetwork } from './address.ts'
import { errorAnswer, internalError, type Answer, sendEvents, sendStream } from './answer.ts'
import { AccessRefused, challenge } from './auth.ts'
import { LargeBodies, receiveBody, wholeBody, type ReceivedBody } from './body.ts'
import type { Door } from './client.ts'
import { Context } from './context.ts'
import { Exchange } from './exchange.ts'
import { sendFile } from './files.ts'
import type { Gate, Visitor } from './gate.ts'
import { fingerprintOf, fingerprintPrefix, Idempotency, type Attempt } from './idempotency.ts'
import { LargeBodyReader, type LargeBody } from './large-body.ts'
import type { FileIn } from './large-body-worker.ts'
import { withUnknown } from './unknown.ts'
import { parseJson } from './parse.ts'
import { Router, type Match } from './router.ts'
import type { Reply, Route } from './route.ts'
import { asksForPage, checkContentType, checkSchemas, isFileItself, MethodNotAllowed, parseForm } from './request-checks.ts'
import { signer, type Proof } from './signature.ts'
import { UnprovenBodies } from './unproven.ts'
import { receiveUpload } from './upload.ts'
import { checker, type Check } from './validate.ts'
import type { WireRequest, WireResponse } from './wire.ts'

/** As in the section `limits` of the configuration. */
export interface HttpLimits {
  readonly bodyBytes: number
  /** Bodies over 1 MiB at once. */
  readonly largeBodies: number
  /** Of one token. */
  readonly requestsPerSecond: number
  readonly burst: number
  /** Of one address. */
  readonly authFailuresPerMinute: number
  readonly authBlockSeconds: number
}

export interface PipelineOptions {
  /** Those that the gate serves are. */
  readonly routes: readonly Route[]
  readonly gate: Gate
  readonly limits: Pick<HttpLimits, 'bodyBytes' | 'largeBodies'>
  /** Where answers to requests with an Idempotency-Key are kept; without it the header is ignored. */
  readonly store?: Store
  /** Where deeds are recorded; without it none is. */
  readonly trail?: Trail
  readonly clock: Clock
  readonly log: Log
  readonly door: Door
}

interface Endpoint {
  readonly route: Route
  readonly limitBytes: number
  readonly params: Check | undefined
  readonly query: Check | undefined
  readonly body: Check | undefined
  readonly deed: NamedDeed | undefined
  readonly counts: Map<number, number>
}

/** A request that its handler has begun, or is done with. */
interface Handled {
  readonly result: ReturnType<Route['handle']>
  readonly attempt: Attempt | undefined
  readonly finish: () => void
}

function placeOf(exchange: Exchange, route: Route): FileIn | undefined {
  const { file, bodyType } = route
  return bodyType === 'raw' || isFileItself(exchange, route) ? 'whole' : file && { path: file.path, mostBytes: file.mostBytes() }
}

export class Pipeline {
  readonly #options: PipelineOptions
  readonly #router = new Router<Endpoint>()
  #nowhere: Endpoint | undefined
  readonly #endpoints: Endpoint[] = []
  readonly #places: LargeBodies
  /** Of the CRM, and of providers. */
  readonly #unproven = { signed: new UnprovenBodies(), public: new UnprovenBodies() }
  readonly #large = new LargeBodyReader()
  readonly #idempotency: Idempotency | undefined
  readonly #unmatched = new Map<number, number>()
  #active = 0
  #onIdle: (() => void) | undefined

  constructor(options: PipelineOptions) {
    const { limits, clock, log, store } = options
    this.#options = options
    this.#places = new LargeBodies(limits.largeBodies)
    this.#idempotency = store === undefined ? undefined : new Idempotency(store, clock, log)
    for (const route of options.routes.filter((one) => options.gate.serves(one))) {
      const endpoint: Endpoint = {
        route,
        limitBytes: route.limitBytes ?? limits.bodyBytes,
        params: route.params && checker(route.params, true),
        query: route.query && checker(route.query, true),
        body: route.body && checker(route.body, route.bodyType === 'form'),
        deed: route.deed && { name: route.deed, polled: route.polled === true, gathered: route.gathered === true },
        counts: new Map(),
      }
      this.#endpoints.push(endpoint)
      if (route.nowhere) this.#nowhere = endpoint
      else this.#router.add(endpoint)
    }
  }

  /** The server's handler. Never throws. */
  accept(res: WireResponse, req: WireRequest): void {
    const exchange = new Exchange(res, req, this.#options.door)
    this.#active++
    let counts = this.#unmatched
    exchange.onClosed = (status) => {
      counts.set(status, (counts.get(status) ?? 0) + 1)
      exchange.limited?.()
      this.#done()
    }
    let endpoint: Endpoint | undefined
    try {
      const match = this.#match(exchange)
      endpoint = match.entry
      counts = endpoint.counts
      const visitor = this.#options.gate.admit(endpoint.route, exchange)
      if (visitor instanceof Promise) void this.#enterLater(exchange, match, visitor)
      else this.#enter(exchange, match, visitor)
    } catch (error) {
      this.#fail(exchange, endpoint, error)
    }
  }

  async #enterLater(exchange: Exchange, match: Match<Endpoint>, visitor: Promise<Visitor>): Promise<void> {
    try {
      this.#enter(exchange, match, await visitor)
    } catch (error) {
      this.#fail(exchange, match.entry, error)
    }
  }

  /** Everything after it is known who asks for what. */
  #enter(exchange: Exchange, { entry: endpoint, params }: Match<Endpoint>, visitor: Visitor): void {
    if (exchange.closed) return
    const { route, limitBytes } = endpoint
    this.#beginDeed(exchange, endpoint, params, visitor)
    exchange.limited = this.#options.gate.limit(route, exchange, visitor)
    const context = new Context(exchange, route, params, visitor, this.#options.log)
    const { proof, token, technician } = visitor
    const asItCame = route.bodyType === 'raw' || route.bodyType === 'stream'
    if (proof === undefined && (route.bodyType === 'stream' || (route.body === undefined && !asItCame))) {
      if (route.bodyType === 'stream') context.upload = receiveUpload(exchange, limitBytes, context.signal)
      this.#run(exchange, endpoint, context)
      return
    }
    if (!asItCame) checkContentType(exchange, route)
    const done = (result: ReceivedBody<LargeBody> | ApiError): void => {
      if (result instanceof ApiError) this.#fail(exchange, endpoint, result)
      else this.#run(exchange, endpoint, context, result, proof)
    }
    if (proof !== undefined) exchange.onPiece = (piece) => proof.push(piece)
    if (proof?.likely === false) this.#unproven.signed.receive(exchange, limitBytes, done)
    else if (token === null && !technician) this.#unproven.public.receive(exchange, limitBytes, done)
    else {
      // A large body that is signed is needed as it came.
      const threaded = ['json', 'raw'].includes(route.bodyType ?? 'json') && proof === undefined
      const takerOf = threaded ? () => this.#large.open() : undefined
      receiveBody(exchange, limitBytes, this.#places.of(placeHolder(visitor, exchange)), takerOf, done)
    }
  }

  /** Requests by operation and status since the start; `none` for those that matched no route. A status of 0: the client left. */
  *counts(): Iterable<{ operation: string; status: number; count: number }> {
    for (const { route, counts } of this.#endpoints) {
      for (const [status, count] of counts) yield { operation: route.operationId, status, count }
    }
    for (const [status, count] of this.#unmatched) yield { operation: 'none', status, count }
  }

  /** Removes answers to requests that are kept no longer; how many. */
  async sweep(): Promise<number> {
    return this.#idempotency?.sweep() ?? 0
  }

  /** Takes its leave: requests in progress may end for `mostMs`. */
  async stop(mostMs = 0): Promise<void> {
    if (this.#active > 0 && mostMs > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#onIdle = resolve
      const timer = setTimeout(resolve, mostMs)
      await promise
      clearTimeout(timer)
    }
    this.#large.stop()
  }

  #done(): void {
    if (--this.#active === 0) this.#onIdle?.()
  }

  #beginDeed(exchange: Exchange, { deed }: Endpoint, params: Readonly<Record<string, string>>, { actor, technician }: Visitor): void {
    const { trail } = this.#options
    if (trail === undefined || deed === undefined) return
    const doer = { actor, address: technician ? 'local' : exchange.address(), requestId: exchange.requestId }
    exchange.deed = trail.begin(deed, doer, objectOf(params))
  }

  #refused(exchange: Exchange, error: ApiError): void {
    if (error instanceof AccessRefused) {
      const address = addressNetwork(exchange.address())
      const refusal = { actor: error.actor, address, deed: 'token.failed', object: '', outcome: error.code } as const
      this.#options.trail?.refusals.count({ ...refusal, requestId: exchange.requestId })
    } else exchange.deed?.refuse(error.code)
  }

  #match(exchange: Exchange) {
    const { path } = exchange
    // What one program takes for the end of the body is not the end for another.
    if (exchange.misframed) throw new ApiError('invalid_url', 'The header Content-Length or Transfer-Encoding cannot be read.')
    let match
    try {
      match = this.#router.find(exchange.method, path)
    } catch (cause) {
      throw new ApiError('invalid_url', 'The path of the address is not correctly percent-encoded.', { cause })
    }
    if (match === undefined && this.#nowhere !== undefined && asksForPage(exchange)) return { entry: this.#nowhere, params: {} }
    if (match === undefined) throw new ApiError('not_found', this.#options.gate.nothingAt(path))
    if ('allow' in match) {
      throw new MethodNotAllowed(match.allow)
    }
    return match
  }

  /** Everything after the body is there. */
  #run(exchange: Exchange, endpoint: Endpoint, context: Context, received?: ReceivedBody<LargeBody>, proof?: Proof): void {
    const { route } = endpoint
    // Counted apart from the exchange: a handler goes on when its client has left, and a stop waits for it.
    this.#active++
    const release = (): void => {
      received?.release()
      // At once: up to 20 MiB that nobody needs any more.
      if (context.file instanceof Uint8Array) context.file.buffer.transfer(0)
      this.#done()
    }
    const refused = (error: unknown): void => {
      release()
      this.#fail(exchange, endpoint, error)
    }
    if (received?.taker !== undefined) {
      received.taker
        .read(fingerprintPrefix(exchange.method, context.target), placeOf(exchange, route))
        .then(({ value, file, fingerprint }) => {
          if (route.bodyType === 'raw') context.rawBody = Buffer.from((file as Uint8Array<ArrayBuffer>).buffer)
          else {
            context.body = isFileItself(exchange, route) ? {} : value
            context.file = file
          }
          this.#handle(exchange, endpoint, context, release, fingerprint)
        }, refused)
      return
    }
    try {
      if (received !== undefined) context.rawBody = wholeBody(received)
      context.taken = proof?.settle()
      exchange.known ||= proof !== undefined
      // Of what is signed nothing is handed on before all of it was proven.
      if (proof !== undefined && route.bodyType === 'stream') context.upload = Readable.from([context.rawBody])
      else if (isFileItself(exchange, route)) Object.assign(context, { body: {}, file: new Uint8Array(context.rawBody) })
      else if (received !== undefined && route.bodyType !== 'raw') context.body = bodyOf(route, context.rawBody)
    } catch (error) {
      refused(error)
      return
    }
    this.#handle(exchange, endpoint, context, release)
  }

  /** Everything after the body was read. `fingerprint`: of a large one. */
  #handle(exchange: Exchange, endpoint: Endpoint, context: Context, release: () => void, fingerprint?: string): void {
    const { route } = endpoint
    let attempt: Attempt | undefined
    const finish = (): void => {
      if (attempt !== undefined) this.#idempotency?.end(attempt)
      release()
    }
    try {
      const stored = this.#beginIdempotent(exchange, route, context, fingerprint)
      if (stored !== undefined && 'status' in stored) {
        exchange.send(stored)
        finish()
        return
      }
      attempt = stored
      const missing = route.missing?.()
      if (missing !== undefined) throw missing
      checkSchemas(exchange, endpoint, context)
      if (attempt !== undefined) {
        const current = attempt
        context.onRemember = (answer) => this.#idempotency?.put(current, answer)
      }
      const result = route.handle(context as never)
      if (!(result instanceof Promise) && exchange.deed === undefined && context.taken === undefined) {
        const answer = context.answer(result)
        if (
          answer.file === undefined &&
          answer.stream === undefined &&
          answer.events === undefined &&
          (attempt === undefined || answer.status >= 400 || context.remembered === result)
        ) {
          exchange.send(answer)
          finish()
          return
        }
      }
      void this.#conclude(exchange, endpoint, context, { result, attempt, finish })
    } catch (error) {
      finish()
      this.#fail(exchange, endpoint, withUnknown(error, route.body, context.body))
    }
  }

  async #conclude(exchange: Exchange, endpoint: Endpoint, context: Context, { result, attempt, finish }: Handled): Promise<void> {
    let release: Reply['release']
    try {
      const reply = await result
      release = reply.release
      const answer = context.answer(reply)
      if (attempt !== undefined && answer.status < 400 && context.remembered !== reply) await this.#idempotency?.store(attempt, answer)
      // No row, no answer: what cannot be recorded is not answered.
      const settled = answer.status < 400 ? exchange.deed?.settle() : exchange.deed?.refuse(String(answer.status))
      if (settled !== undefined) await settled
      if (context.taken !== undefined) await context.taken
      if (answer.file !== undefined) await sendFile(exchange, answer, answer.file)
      else if (answer.stream !== undefined)
        await sendStream(exchange, answer, answer.stream, (error) => this.#logFault(exchange, endpoint, error))
      else if (answer.events !== undefined) await sendEvents(exchange, answer, answer.events)
      else exchange.send(answer)
    } catch (error) {
      this.#fail(exchange, endpoint, withUnknown(error, endpoint.route.body, context.body))
    } finally {
      release?.()
      finish()
    }
  }

  #beginIdempotent(exchange: Exchange, route: Route, context: Context, known?: string): Answer | Attempt | undefined {
    if (route.idempotent !== true || this.#idempotency === undefined) return undefined
    const key = exchange.headers.get('idempotency-key')
    if (key === undefined) return undefined
    const fingerprint = known ?? fingerprintOf(exchange.method, context.target, context.rawBody)
    return this.#idempotency.begin(context.token?.name ?? '', key, fingerprint)
  }

  #fail(exchange: Exchange, endpoint: Endpoint | undefined, thrown: unknown): void {
    const error = thrown instanceof ApiError ? thrown : internalError(thrown)
    this.#refused(exchange, error)
    if (error !== thrown) this.#logFault(exchange, endpoint, thrown)
    try {
      if (exchange.answered) exchange.abort()
      else this.#sendError(exchange, endpoint, error)
    } catch (second) {
      this.#options.log.error({ err: second, requestId: exchange.requestId }, 'an error could not be answered')
      exchange.abort()
    }
  }

  #logFault({ requestId }: Exchange, endpoint: Endpoint | undefined, err: unknown): void {
    const operation = endpoint?.route.operationId ?? 'none'
    this.#options.log.error({ err, requestId, operation }, 'a request failed inside')
  }

  #sendError(exchange: Exchange, endpoint: Endpoint | undefined, error: ApiError): void {
    const problem = exchange.headers.get('accept')?.includes('application/problem+json') === true
    const answer = errorAnswer(error, exchange.requestId, problem)
    const headers = { ...answer.headers }
    if (error instanceof MethodNotAllowed) headers.Allow = error.allow.join(', ')
    if (error.status === 401) headers['WWW-Authenticate'] = challenge(endpoint?.route.access ?? 'admin')
    exchange.send({ ...answer, headers })
  }
}

/** Whose places for large bodies are counted together. */
function placeHolder({ token, technician }: Visitor, exchange: Exchange): string {
  return technician ? '' : token === signer ? `${signer.name} ${exchange.address()}` : (token?.name ?? exchange.address())
}

function bodyOf({ bodyType }: Route, raw: Buffer): unknown {
  if (bodyType === 'form') return parseForm(raw)
  return bodyType === 'json-or-nothing' && raw.length === 0 ? {} : parseJson(raw)
}
