/**
 * Idempotency-Key: a request that was carried out is answered from the store when it is repeated. Only successes are
 * stored; whatever failed changed nothing and may be tried again under the same key.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '../base/errors.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { removeOld } from '../store/remove-old.ts'
import type { Store } from '../store/store.ts'
import type { IdempotencyRow } from '../store/tables.ts'
import type { Answer } from './answer.ts'

const keptMs = 24 * 3600_000

export const longestKey = 255

/** What is hashed in front of the body. `target`: path and query. */
export function fingerprintPrefix(method: string, target: string): string {
  return `${method} ${target}\n`
}

export function fingerprintOf(method: string, target: string, raw: Buffer): string {
  return createHash('sha256').update(fingerprintPrefix(method, target)).update(raw).digest('hex')
}

export interface Attempt {
  readonly rowKey: string
  readonly fingerprint: string
}

export class Idempotency {
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #running = new Map<string, string>()

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  /**
   * The stored answer of a request that was carried out before, or a new attempt, to be ended with `end`. Throws
   * validation_failed (the key), idempotency_mismatch or idempotency_in_progress.
   */
  begin(token: string, key: string, fingerprint: string): Answer | Attempt {
    if (!/^[\x21-\x7e]+$/.test(key) || key.length > longestKey) {
      throw new ApiError('validation_failed', 'The header Idempotency-Key cannot be used.', {
        details: [{ path: '/Idempotency-Key', message: `must be 1 to ${longestKey} printable ASCII characters without spaces` }],
      })
    }
    const rowKey = `${token}/${key}`
    const running = this.#running.get(rowKey)
    const row = running === undefined ? this.#store.tables.idempotency.get(rowKey) : undefined
    const known = running ?? (row !== undefined && this.#clock.now() - row.createdAt < keptMs ? row.fingerprint : undefined)
    if (known !== undefined && known !== fingerprint) {
      throw new ApiError('idempotency_mismatch', 'This Idempotency-Key was used with another request.')
    }
    if (running !== undefined) {
      throw new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is still running.', { retryAfterSeconds: 1 })
    }
    if (known !== undefined && row !== undefined) return replay(row)
    this.#running.set(rowKey, fingerprint)
    return { rowKey, fingerprint }
  }

  /** Inside a store transaction. */
  put(attempt: Attempt, answer: Answer): void {
    this.#store.tables.idempotency.put(attempt.rowKey, {
      fingerprint: attempt.fingerprint,
      state: 'done',
      status: answer.status,
      headers: { ...answer.headers, ...(answer.type === undefined ? {} : { 'Content-Type': answer.type }) },
      body: answer.body ?? '',
      createdAt: this.#clock.now(),
    })
  }

  /** Stores the answer of a handler that did not do so in its own transaction. */
  async store(attempt: Attempt, answer: Answer): Promise<void> {
    await this.#store.transaction(() => this.put(attempt, answer))
  }

  end(attempt: Attempt): void {
    this.#running.delete(attempt.rowKey)
  }

  /** Removes answers that are kept no longer; how many. */
  sweep(): Promise<number> {
    const oldest = this.#clock.now() - keptMs
    return removeOld(this.#store, this.#store.tables.idempotency, { isOld: ({ createdAt }) => createdAt <= oldest })
  }
}

function replay(row: IdempotencyRow): Answer {
  const { 'Content-Type': type, ...headers } = row.headers
  return {
    status: row.status,
    type,
    body: row.body === '' ? undefined : row.body,
    headers: { ...headers, 'Idempotent-Replayed': 'true' },
  }
}
