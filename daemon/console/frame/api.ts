/** Requests of a page to its box. */

/** An answer that is no success, or none at all (`unreachable`, status 0). */
export class Fault extends Error {
  readonly code: string
  readonly status: number
  readonly requestId: string | undefined
  readonly details: unknown
  /** What else the answer says, such as the current state of what was changed meanwhile. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(typeof body['error'] === 'string' ? body['error'] : 'The box did not answer.')
    this.name = 'Fault'
    this.status = status
    this.code = typeof body['code'] === 'string' ? body['code'] : status === 0 ? 'unreachable' : 'internal'
    this.requestId = typeof body['requestId'] === 'string' ? body['requestId'] : undefined
    this.details = body['details']
    this.body = body
  }
}

/** Of a fault that a page has found by itself. */
export const ownCode = 'page'

/** What a page itself has found, as a sentence in the person's language. */
export const ownFault = (error: string): Fault => new Fault(422, { code: ownCode, error })

/** What an answer says of the session; frame/session.ts listens. */
export const refusals: { ended: () => void; locked: () => void } = { ended: () => undefined, locked: () => undefined }

/** JSON. Throws Fault. */
export async function get<T>(path: string): Promise<T> {
  return (await getWithId<T>(path)).body
}

/** `liveId`: of the newest event that the answer has in it; undefined where the list has none. */
export async function getWithId<T>(path: string): Promise<{ readonly body: T; readonly liveId: string | undefined }> {
  const answer = await request('GET', path)
  return { body: (await answer.json()) as T, liveId: answer.headers.get('x-live-id') ?? undefined }
}

/** Throws Fault. */
export async function send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const answer = await request(method, path, body === undefined ? {} : jsonOf(body))
  return (answer.status === 204 || answer.headers.get('content-type') === null ? undefined : await answer.json()) as T
}

/**
 * Sends a request that is answered with JSON values, one a line, and calls `onRow` with each as it comes. Resolves at the end that the box
 * wrote. `stop`: ends it here. Throws Fault: also for what failed on the way (status 200), and `unreachable` where the end is missing.
 */
export async function follow<T>(
  method: 'GET' | 'POST',
  path: string,
  body: unknown,
  onRow: (row: T) => void,
  stop?: AbortSignal,
): Promise<void> {
  const init = { ...(body === undefined ? {} : jsonOf(body)), ...(stop === undefined ? {} : { signal: stop }) }
  try {
    const answer = await request(method, path, init)
    for await (const line of linesOf(answer.body!)) {
      const row = JSON.parse(line) as T & { readonly done?: true; readonly failed?: Readonly<Record<string, unknown>> }
      if (row.done === true) return
      if (row.failed !== undefined) throw new Fault(answer.status, row.failed)
      onRow(row)
    }
    throw new Fault(0, {})
  } catch (error) {
    if (stop?.aborted !== true) throw error
  }
}

async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const piece of pieces(body)) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop()!
      yield* lines
    }
  } catch {
    // The connection is gone: the end that the box writes is missing.
  }
}

/** Text as it comes. */
export async function* pieces(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

/** Gives the person a file under this name. */
export function give(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // After the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Gives the person a file of the box under this name. True where the box says that there is more than the file has. Throws Fault. */
export async function save(path: string, name: string): Promise<boolean> {
  const answer = await request('GET', path)
  give(await answer.blob(), name)
  return answer.headers.get('x-more') === 'true'
}

/** Sends a file as it is. `onProgress`: the share that the box has, 0 to 1. Throws Fault. */
export function upload<T>(path: string, file: Blob, contentType: string, onProgress?: (share: number) => void): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const request = new XMLHttpRequest()
  request.open('POST', path)
  request.setRequestHeader('Content-Type', contentType)
  request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0)
  request.onerror = () => reject(new Fault(0, {}))
  request.onload = () => {
    const body = parsed(request.responseText)
    if (request.status < 400) resolve(body as T)
    else reject(refused(new Fault(request.status, body)))
  }
  request.send(file)
  return promise
}

const jsonOf = (body: unknown): RequestInit => ({ headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })

async function request(method: string, path: string, more: RequestInit = {}): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(path, { method, credentials: 'same-origin', cache: 'no-store', ...more })
  } catch {
    throw new Fault(0, {})
  }
  if (answer.ok) return answer
  throw refused(new Fault(answer.status, parsed(await answer.text().catch(() => ''))))
}

export function refused(fault: Fault): Fault {
  if (fault.status === 423) refusals.locked()
  if (fault.code === 'session_ended') refusals.ended()
  return fault
}

function parsed(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
