/** What goes on the wire: replies and errors turned into status, headers and bytes. */
import { ApiError, errorTable } from '../base/errors.ts'
import { STATUS_CODES } from './node-http.ts'
import type { Reply, Emit } from './route.ts'
import type { Exchange } from './exchange.ts'

/** A reply in its final form. `body` undefined: none at all. */
export interface Answer {
  readonly status: number
  readonly type: string | undefined
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly cookies?: readonly string[]
  readonly file?: Reply['file']
  readonly stream?: Reply['stream']
  readonly events?: Reply['events']
}

const statusLines = new Map<number, string>()

export function statusLine(status: number): string {
  let line = statusLines.get(status)
  if (line === undefined) statusLines.set(status, (line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`))
  return line
}

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// oxlint-disable-next-line no-control-regex
const unsafeValue = /[\x00-\x08\x0a-\x1f\x7f]/

/** The library writes header values as they are: one with a line break would start a second answer. */
export function checkHeader(name: string, value: string): void {
  if (!headerName.test(name) || unsafeValue.test(value)) throw new Error(`the header ${JSON.stringify(name)} would break the answer`)
}

export function answerOf(reply: Reply): Answer {
  if (!Number.isInteger(reply.status) || reply.status < 200 || reply.status > 599) throw new Error(`a reply has the status ${reply.status}`)
  const { headers } = reply
  if (headers !== undefined) for (const name in headers) checkHeader(name, headers[name]!)
  if (reply.file !== undefined) return { status: reply.status, type: reply.file.type, body: undefined, headers, file: reply.file }
  if (reply.stream !== undefined)
    return { status: reply.status, type: 'application/x-ndjson', body: undefined, headers, stream: reply.stream }
  if (reply.events !== undefined) return { status: reply.status, type: 'text/event-stream', body: undefined, headers, events: reply.events }
  if (reply.text !== undefined) return { status: reply.status, type: reply.text.type, body: reply.text.content, headers }
  const { cookies } = reply
  for (const cookie of cookies ?? []) checkHeader('Set-Cookie', cookie)
  const set = cookies === undefined ? {} : { cookies }
  if (reply.body === undefined) return { status: reply.status, type: undefined, body: undefined, headers, ...set }
  return { status: reply.status, type: 'application/json', body: JSON.stringify(reply.body), headers, ...set }
}

/** `problem`: as RFC 9457 (`application/problem+json`). */
export function errorAnswer(error: ApiError, requestId: string, problem: boolean): Answer {
  const headers: Record<string, string> = {}
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(error.retryAfterSeconds)))
  const rest = {
    ...error.extra,
    code: error.code,
    ...(error.details !== undefined && error.details.length > 0 ? { details: error.details } : {}),
    requestId,
  }
  if (!problem) {
    return { status: error.status, type: 'application/json', body: JSON.stringify({ error: error.message, ...rest }), headers }
  }
  const { title } = errorTable[error.code]
  const document = {
    type: `urn:pbx:error:${error.code}`,
    title,
    status: error.status,
    detail: error.message,
    error: error.message,
    ...rest,
  }
  return { status: error.status, type: 'application/problem+json', body: JSON.stringify(document), headers }
}

/** The answer to a fault of our own: only where to look. */
export function internalError(cause: unknown): ApiError {
  return new ApiError('internal', 'Something went wrong inside the telephone system. Its log has the details under this request id.', {
    cause,
  })
}

// Answers that come piece by piece: newline-delimited JSON, and server-sent events.

/** Never rejects. `failed` is called for a fault of our own. */
export async function sendStream(exchange: Exchange, answer: Answer, run: (emit: Emit) => Promise<void>, failed: (error: unknown) => void) {
  exchange.begin(answer)
  let last: object = { done: true }
  try {
    await run((value) => exchange.push(`${JSON.stringify(value)}\n`))
  } catch (error) {
    if (!(error instanceof ApiError) && !exchange.closed) failed(error)
    const { message, code, details } = error instanceof ApiError ? error : internalError(error)
    last = { failed: { error: message, code, ...(details === undefined ? {} : { details }) } }
  }
  exchange.finish(`${JSON.stringify(last)}\n`)
}

/** Whatever ends it, the client connects again, and asks for what it has missed. Rejects with what `run` throws. */
export async function sendEvents(exchange: Exchange, answer: Answer, run: NonNullable<Reply['events']>): Promise<void> {
  exchange.begin(answer)
  await run((piece) => exchange.push(piece))
  exchange.finish('')
}
