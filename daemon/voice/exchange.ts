/** One HTTP request to an application and its whole answer, without any retry: what came, or what went wrong. */
import { gunzipSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { maxDocumentBytes } from './document.ts'
import { foreignText } from '../../drivers/foreign-json.ts'
import { networkWords } from '../base/errors.ts'
import { quoted } from '../base/for-log.ts'

export interface ExchangeRequest {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
  readonly idleMs: number
}

export type Exchange =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly contentType: string }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unreadable'; readonly message: string }
  /** Name not found, connection refused or reset, TLS refused. `answered`: headers had come already. */
  | { readonly kind: 'broken'; readonly answered: boolean; readonly message: string }
  | { readonly kind: 'connect-timeout' }
  | { readonly kind: 'aborted' }

export async function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<Exchange> {
  let answered = false
  try {
    const response = await dispatcher.request({
      origin: request.url.origin,
      path: request.url.pathname + request.url.search,
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: request.signal,
      // The signal ends a slow exchange; this one only closes connections that nobody waits for any more.
      headersTimeout: request.idleMs,
      bodyTimeout: request.idleMs,
    })
    answered = true
    const { statusCode: status, headers, body } = response
    if (status < 200 || status > 299) {
      // What an error page says is of no use, but it must be read before the connection can serve the next request.
      body.dump({ limit: maxDocumentBytes }).catch(() => undefined)
      return { kind: 'status', status, retryAfter: single(headers['retry-after']) }
    }
    const bytes = await readBody(body)
    if (bytes === undefined) return { kind: 'too-large' }
    return decode(bytes, status, single(headers['content-encoding']) ?? '', single(headers['content-type']) ?? '')
  } catch (error) {
    if (request.signal.aborted) return { kind: 'aborted' }
    const code = codeOf(error)
    if (code === 'UND_ERR_CONNECT_TIMEOUT') return { kind: 'connect-timeout' }
    return { kind: 'broken', answered, message: networkWords(error) }
  }
}

async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Leaving the loop destroys the body, and with it the connection.
    if (size > maxDocumentBytes) return undefined
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function decode(bytes: Buffer, status: number, encoding: string, contentType: string): Exchange {
  const answer = (content: Buffer): Exchange => ({ kind: 'answer', status, text: foreignText(content), contentType })
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity' || bytes.length === 0) return answer(bytes)
  if (name !== 'gzip' && name !== 'x-gzip')
    return { kind: 'unreadable', message: `the answer is encoded as ${quoted(name.slice(0, 40))}; only gzip is accepted` }
  try {
    return answer(gunzipSync(bytes, { maxOutputLength: maxDocumentBytes }))
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too-large' }
    return { kind: 'unreadable', message: 'the answer says that it is gzip, but it is not' }
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
