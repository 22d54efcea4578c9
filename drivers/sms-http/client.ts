/**
 * HTTP to a provider. What matters is whether a request was written: before that it may be repeated, after that only
 * its answer says what became of it. Each request has a connection of its own, for one that is kept open may be closed
 * by the provider at the moment it is used.
 */
import { Agent, DecoratorHandler, request, type Dispatcher } from 'undici'
import { attemptMs } from '../connect-patience.ts'
import { parseForeignJson } from '../foreign-json.ts'
import { passOverContinue } from '../unasked-continue.ts'
import type { FilledRequest } from './template.ts'

export type Result =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      /** Undefined where the body is no JSON, or did not come whole. */
      readonly document: unknown
    }
  | { readonly kind: 'unsent'; readonly text: string }
  | { readonly kind: 'lost'; readonly text: string }

const longestAnswer = 2 << 20
const connectMs = 10_000

class WatchedHandler extends DecoratorHandler {
  readonly #written: () => void

  constructor(handler: Dispatcher.DispatchHandler, written: () => void) {
    super(handler)
    this.#written = written
  }

  onRequestStart(...args: [Dispatcher.DispatchController, unknown]): void {
    this.#written()
    // The declarations of the package leave out what the class has.
    ;(super['onRequestStart' as never] as (...args: unknown[]) => void).call(this, ...args)
  }
}

export class Client {
  readonly #dispatcher: Dispatcher
  readonly #own: Agent | null
  readonly #answerMs: number
  readonly #closing = new AbortController()

  /** @param answerMs from the beginning of a request to the end of its answer */
  constructor(dispatcher: Dispatcher | undefined, answerMs: number) {
    const connect = { timeout: connectMs, autoSelectFamilyAttemptTimeout: attemptMs(connectMs) }
    this.#own = dispatcher === undefined ? passOverContinue(new Agent({ connect, pipelining: 1 })) : null
    this.#dispatcher = dispatcher ?? this.#own!
    this.#answerMs = answerMs
  }

  /** Never rejects. The signal stops what is not written yet. */
  async ask(filled: FilledRequest, signal: AbortSignal): Promise<Result> {
    if (signal.aborted || this.#closing.signal.aborted) return { kind: 'unsent', text: 'the box stops' }
    let written = false
    let late = false
    const ending = new AbortController()
    const end = (): void => ending.abort()
    const timer = setTimeout(() => {
      late = true
      end()
    }, this.#answerMs)
    const stopped = (): void => {
      if (!written) end()
    }
    signal.addEventListener('abort', stopped)
    this.#closing.signal.addEventListener('abort', end)
    try {
      const response = await request(filled.url, {
        method: filled.method,
        headers: filled.headers,
        body: filled.body,
        reset: true,
        signal: ending.signal,
        dispatcher: this.#dispatcher.compose(
          (dispatch) => (options, handler) =>
            dispatch(options, new WatchedHandler(handler, () => (written = true)) as Dispatcher.DispatchHandler),
        ),
      })
      const document = await readDocument(response.body)
      return { kind: 'answer', status: response.statusCode, headers: response.headers, document }
    } catch (error) {
      if (signal.aborted && !written) return { kind: 'unsent', text: 'the box stops' }
      const text = late ? 'the provider does not answer' : failureText(error as NodeJS.ErrnoException)
      return { kind: written ? 'lost' : 'unsent', text }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stopped)
      this.#closing.signal.removeEventListener('abort', end)
    }
  }

  /** What is under way ends. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#own?.destroy()
  }
}

/** The status says what became of the request, even where the body is lost. */
async function readDocument(body: AsyncIterable<Buffer>): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > longestAnswer) return undefined
      chunks.push(chunk)
    }
    return parseForeignJson(Buffer.concat(chunks))
  } catch {
    return undefined
  }
}

function failureText(error: NodeJS.ErrnoException): string {
  const code = error.code ?? ''
  if (code === 'ECONNREFUSED') return "nothing listens at the provider's address"
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return "the provider's name cannot be resolved"
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return 'the provider broke the connection'
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || /^E(TIMEDOUT|HOSTUNREACH|NETUNREACH)$/.test(code)) return 'the provider cannot be reached'
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return `the connection to the provider cannot be secured: ${error.message}`
  return `the request failed: ${code === '' ? error.name : code}`
}
