/** What a handler sees of its request; costly parts are made when they are asked for. */
import { noDeed, type DeedUnderWay } from '../audit/deed.ts'
import type { Log } from '../base/log.ts'
import { answerOf, type Answer } from './answer.ts'
import type { Client } from './client.ts'
import type { Exchange } from './exchange.ts'
import type { Visitor } from './gate.ts'
import type { Shape } from './shape.ts'
import type { Principal, Reply, Route, RouteContext } from './route.ts'
import { abortReason } from '../base/errors.ts'
import { unknownMembers, unusedText } from './unknown.ts'

const noBody: Buffer = Buffer.alloc(0)
const noUpload: AsyncIterable<Uint8Array> = (async function* () {})()

export class Context implements RouteContext {
  readonly params: Record<string, string>
  readonly token: Principal | null
  readonly technician: boolean
  query: Record<string, unknown> = {}
  body: unknown = undefined
  rawBody: Buffer = noBody
  file: RouteContext['file']
  upload: AsyncIterable<Uint8Array> = noUpload
  /** The reply the handler stored together with its effect. */
  remembered: Reply | undefined
  /** Of a signed request that changes something: resolves when it is on the disk that it was taken. */
  taken: Promise<void> | undefined
  /** Set where the request has an Idempotency-Key. */
  onRemember: ((answer: Answer) => void) | undefined
  #rememberedAnswer: Answer | undefined
  readonly #warnings: { path: string; message: string }[] = []
  readonly warn = (path: string, message: string): void => void this.#warnings.push({ path, message })
  readonly #exchange: Exchange
  readonly #route: Route
  readonly #parentLog: Log
  #log: Log | undefined
  #abort: AbortController | undefined

  constructor(exchange: Exchange, route: Route, params: Record<string, string>, { token, technician }: Visitor, log: Log) {
    this.#exchange = exchange
    this.#route = route
    this.#parentLog = log
    this.params = params
    this.token = token
    this.technician = technician
  }

  get requestId(): string {
    return this.#exchange.requestId
  }

  get method(): string {
    return this.#exchange.method
  }

  get headers(): ReadonlyMap<string, string> {
    return this.#exchange.headers
  }

  get target(): string {
    const { path, rawQuery } = this.#exchange
    return rawQuery === '' ? path : `${path}?${rawQuery}`
  }

  get address(): string {
    return this.#exchange.address()
  }

  get client(): Client {
    return this.#exchange.client
  }

  get log(): Log {
    return (this.#log ??= this.#parentLog.child({ requestId: this.requestId, operation: this.#route.operationId }))
  }

  get deed(): DeedUnderWay {
    return this.#exchange.deed ?? noDeed
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = (this.#abort = new AbortController())
      if (this.#exchange.closed) abort.abort(abortReason)
      else this.#exchange.onLeave = () => abort.abort(abortReason)
    }
    return this.#abort.signal
  }

  remember(reply: Reply): void {
    const answer = answerOf(this.#warned(reply))
    this.onRemember?.(answer)
    this.remembered = reply
    this.#rememberedAnswer = answer
  }

  /** A reply in its final form: that of the remembered one is not made twice. */
  answer(reply: Reply): Answer {
    return this.#rememberedAnswer !== undefined && reply === this.remembered ? this.#rememberedAnswer : answerOf(this.#warned(reply))
  }

  /** With a warning for each member of the request that is not used. What is not a JSON object has no place for them. */
  #warned(reply: Reply): Reply {
    const { body: schema, responses } = this.#route
    if (reply.status >= 300 || !isRecord(reply.body)) return reply
    const unknown = schema === undefined ? [] : unknownMembers(schema, this.body)
    if (unknown.length === 0 && this.#warnings.length === 0) return reply
    const unused = [...this.#warnings, ...unknown.map((member) => ({ path: member.path, message: unusedText(member) }))]
    const before = Array.isArray(reply.body['warnings']) ? (reply.body['warnings'] as unknown[]) : []
    const items = (responses[reply.status]?.schema as Shape | undefined)?.properties?.['warnings']?.items
    const told = items?.type === 'object' ? unused : unused.map(({ path, message }) => `${path} ${message}`.trimStart())
    return { ...reply, body: { ...reply.body, warnings: [...before, ...told] } }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
