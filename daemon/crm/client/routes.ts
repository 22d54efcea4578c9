/** How long each request of the box to the CRM may take, and what becomes of it. daemon/schema/crm-requests.ts defines the requests. */
import type { CrmAsk, CrmRoute } from '../../schema/crm-requests.ts'

/** Of an answer: of a page of 500 customers, which is read off the event loop as all that is long is, and of any other. */
const pageBytes = 4 << 20
const answerBytes = 256 << 10

export const crmLimits = {
  lookup: { connectMs: 300, totalMs: 800, mostBytes: answerBytes },
  'screen-pop': { connectMs: 1000, totalMs: 3000, mostBytes: answerBytes },
  answer: { connectMs: 2000, totalMs: 5000, mostBytes: answerBytes },
  end: { connectMs: 2000, totalMs: 5000, mostBytes: answerBytes },
  log: { connectMs: 5000, totalMs: 15_000, mostBytes: answerBytes },
  notes: { connectMs: 5000, totalMs: 15_000, mostBytes: answerBytes },
  page: { connectMs: 5000, totalMs: 30_000, mostBytes: pageBytes },
  party: { connectMs: 5000, totalMs: 15_000, mostBytes: answerBytes },
  proposal: { connectMs: 5000, totalMs: 15_000, mostBytes: answerBytes },
  extension: { connectMs: 1000, totalMs: 3000, mostBytes: answerBytes },
  status: { connectMs: 2000, totalMs: 5000, mostBytes: answerBytes },
} as const satisfies Readonly<Record<CrmRoute, { connectMs: number; totalMs: number; mostBytes: number }>>

export interface CrmRequest {
  readonly ask: CrmAsk
  /** The same for each attempt; a new one where it is left out. */
  readonly eventId?: string
  /** 1 for the first. */
  readonly attempt?: number
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Reads an answer that is more than one; what it rejects with makes the answer a failure. JSON by the schema of the request where it is left out. */
  readonly read?: (bytes: readonly Uint8Array[]) => Promise<unknown>
}

/**
 * `not-offered`: the CRM does not know the route (404 without a body of ours, 405, 501), now or within the last hour. `refused`: it does not
 * want this request. `failed`: it could not be reached, or not answer. `skipped`: it was not asked.
 */
export type CrmOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'not-offered' }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly status: number; readonly retryAfterMs?: number }
  | { readonly kind: 'skipped'; readonly reason: 'unconfigured' | 'disabled' | 'circuit-open' }
