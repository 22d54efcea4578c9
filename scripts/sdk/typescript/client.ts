/** The HTTP interface of the box: a function for each route, repeats where they are safe, errors with their codes, streams as iterators. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Operations, RequestOptions, ServerSent } from './generated/operations.ts'
import { routes, type Route } from './generated/routes.ts'
import type { ErrorCode, ErrorDetail } from './generated/schemas.ts'

export interface BoxSettings {
  /** Address of the box, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** An access token: `pbx token create NAME`. */
  readonly token: string
}

export type Box = Operations

/** An answer of the box that is no success, as it describes itself. `status` 0: no answer came. */
export class BoxError extends Error {
  override readonly name = 'BoxError'
  readonly status: number
  readonly code: ErrorCode | 'no_answer'
  readonly details: readonly ErrorDetail[]
  readonly requestId: string

  constructor(status: number, { error = `HTTP ${status}`, code = 'no_answer', details = [], requestId = '' }: Partial<BoxFault>) {
    super(error)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
  }
}

interface BoxFault {
  readonly error: string
  readonly code: ErrorCode | 'no_answer'
  readonly details: readonly ErrorDetail[]
  readonly requestId: string
}

const tries = 3
const longestPauseSeconds = 10

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

async function fault(answer: Response): Promise<BoxError> {
  const text = await answer.text()
  try {
    return new BoxError(answer.status, JSON.parse(text) as Partial<BoxFault>)
  } catch {
    return new BoxError(answer.status, { error: text === '' ? `HTTP ${answer.status}` : text.slice(0, 200) })
  }
}

/** Sends it, and again where that cannot do the work twice: a GET, or a POST with its key. */
async function ask({ url, ...request }: Asked): Promise<Response> {
  const safe = request.method === 'GET' || request.headers['idempotency-key'] !== undefined
  for (let attempt = 1; ; attempt++) {
    let seconds = attempt / 2
    try {
      const answer = await fetch(url, { ...request, redirect: 'manual' })
      if (answer.ok) return answer
      const later = Number(answer.headers.get('retry-after') ?? NaN)
      const again = safe && attempt < tries && (answer.status === 502 || answer.status === 504 || later <= longestPauseSeconds)
      if (!again) throw await fault(answer)
      await answer.body?.cancel()
      if (later >= 0) seconds = later
    } catch (error) {
      if (error instanceof BoxError) throw error
      if (request.signal?.aborted === true) throw error
      if (!safe || attempt === tries) throw new BoxError(0, { error: `The box did not answer: ${String((error as Error).cause ?? error)}` })
    }
    await pause(seconds * 1000, undefined, request.signal === undefined ? {} : { signal: request.signal })
  }
}

async function* lines(answer: Response): AsyncGenerator<string, void, void> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of answer.body!) {
    const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
    rest = parts.pop()!
    yield* parts.map((line) => line.replace(/\r$/, ''))
  }
  if (rest !== '') yield rest
}

async function* values(asked: Asked): AsyncGenerator<unknown, void, void> {
  for await (const line of lines(await ask(asked))) if (line !== '') yield JSON.parse(line)
}

/** Server-sent events; a connection that ends is opened again, after the last event that came. */
async function* sent(asked: Asked): AsyncGenerator<ServerSent, void, void> {
  let last = ''
  for (let failures = 0; asked.signal?.aborted !== true; failures++) {
    try {
      const headers = { ...asked.headers, ...(last === '' ? {} : { 'last-event-id': last }) }
      let [event, data] = ['', '']
      for await (const line of lines(await ask({ ...asked, headers }))) {
        const [, field = '', value = ''] = /^(\w*):? ?(.*)$/.exec(line) ?? []
        if (field === 'id') last = value
        if (field === 'event') event = value
        if (field === 'data') data += value
        if (line !== '') continue
        if (data !== '') yield { id: last, event: event === '' ? 'message' : event, data: JSON.parse(data) }
        ;[event, data, failures] = ['', '', 0]
      }
    } catch (error) {
      if (error instanceof BoxError && error.status >= 400 && error.status < 500 && error.status !== 429) throw error
    }
    await pause(Math.min(30_000, 500 * 2 ** failures), undefined, asked.signal === undefined ? {} : { signal: asked.signal }).catch(
      () => undefined,
    )
  }
}

function request(settings: BoxSettings, [method, path, form, hasQuery]: Route, given: readonly unknown[]): Asked {
  const rest = [...given]
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())))
  const content = form === '' ? undefined : rest.shift()
  const query = hasQuery ? Object.entries((rest.shift() ?? {}) as Record<string, unknown>) : []
  const { idempotencyKey, signal, contentType = 'application/json' } = (rest[0] ?? {}) as RequestOptions
  const search = new URLSearchParams(
    query.flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)] as [string, string]])),
  )
  return {
    method,
    url: `${settings.url.replace(/\/$/, '')}${filled}${search.size === 0 ? '' : `?${search}`}`,
    headers: {
      authorization: `Bearer ${settings.token}`,
      ...(method === 'POST' ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
      ...(content === undefined ? {} : { 'content-type': contentType }),
    },
    ...(content === undefined
      ? {}
      : { body: typeof content === 'string' || content instanceof Uint8Array ? (content as string) : JSON.stringify(content) }),
    ...(signal === undefined ? {} : { signal }),
  }
}

function call(settings: BoxSettings, route: Route): (...given: unknown[]) => unknown {
  const reading = route[4]
  return (...given) => {
    const asked = request(settings, route, given)
    if (reading === 'lines') return values(asked)
    if (reading === 'events') return sent(asked)
    return ask(asked).then(async (answer) => {
      if (answer.status === 204 || reading === 'none') return undefined
      if (reading === 'bytes') return new Uint8Array(await answer.arrayBuffer())
      return reading === 'text' ? answer.text() : answer.json()
    })
  }
}

/** The routes of a box as functions: parts of the path first, then the body, then the query. */
export function box(settings: BoxSettings): Box {
  return Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, call(settings, route)])) as unknown as Box
}
