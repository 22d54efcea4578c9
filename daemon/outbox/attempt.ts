/** One attempt to deliver one callback. */
import type { Agent } from 'undici'
import { retryAfterMs } from '../../drivers/retry-after.ts'
import { timeLimit } from '../base/clock.ts'
import { networkWords } from '../base/errors.ts'
import { request } from '../base/http-client.ts'
import { signedHeaders } from '../base/signing.ts'
import type { OutboxRow } from '../store/tables.ts'
import { checkUrl, type AddressPolicy } from './address.ts'
import type { AttemptResult } from './deliveries.ts'

export interface AttemptContext {
  agent: Agent
  policy: AddressPolicy
  secret: string | undefined
  now: number
  version: string
  timeoutMs: number
  signal: AbortSignal
}

export interface Attempt extends AttemptResult {
  /** '' after a 2xx. */
  error: string
}

/** An answer's body is read so that the connection can be used again, up to this size. */
const mostOfBody = 64 * 1024

/** Never throws: what went wrong is the result. */
export async function attempt(row: OutboxRow, context: AttemptContext): Promise<Attempt> {
  const checked = checkUrl(row.url, context.policy)
  if (!checked.ok) return { status: 0, error: checked.reason }
  if (context.secret === undefined || context.secret === '') return { status: 0, error: `no secret is configured for "${row.secret}"` }
  const limit = timeLimit(context.timeoutMs, context.signal)
  try {
    const response = await request(checked.url, {
      method: 'POST',
      dispatcher: context.agent,
      body: row.body,
      headers: {
        ...signedHeaders(context.secret, context.now, row.body),
        'X-Service-Event-Id': row.eventId,
        'X-Service-Attempt': String(row.attempts + 1),
        'Content-Type': 'application/json',
        'User-Agent': `pbx/${context.version}`,
      },
      signal: limit.signal,
    })
    void response.body
      .dump({ limit: mostOfBody })
      .catch(() => {})
      .then(limit.done)
    const status = response.statusCode
    if (status >= 200 && status < 300) return { status, error: '' }
    const askedMs = retryAfterMs(response.headers['retry-after'], context.now)
    return {
      status,
      error: status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`,
      ...(askedMs === undefined ? {} : { retryAfterMs: askedMs }),
    }
  } catch (error) {
    limit.done()
    return { status: 0, error: explain(error as Error, context.timeoutMs) }
  }
}

function explain(error: Error, timeoutMs: number): string {
  if (error.name === 'TimeoutError') return `no answer within ${Math.round(timeoutMs / 1000)} s`
  return networkWords(error)
}
