/** What the box asks and tells the CRM, and how long that may take. */
export const crmRoutes = {
  lookup: { method: 'GET', connectMs: 300, totalMs: 800 },
  'screen-pop': { method: 'GET', connectMs: 1000, totalMs: 3000 },
  answer: { method: 'PATCH', connectMs: 2000, totalMs: 5000 },
  end: { method: 'PATCH', connectMs: 2000, totalMs: 5000 },
  log: { method: 'POST', connectMs: 5000, totalMs: 15_000 },
  notes: { method: 'POST', connectMs: 5000, totalMs: 15_000 },
  page: { method: 'POST', connectMs: 5000, totalMs: 30_000 },
  party: { method: 'POST', connectMs: 5000, totalMs: 15_000 },
  proposal: { method: 'POST', connectMs: 5000, totalMs: 15_000 },
  extension: { method: 'GET', connectMs: 1000, totalMs: 3000 },
  status: { method: 'GET', connectMs: 2000, totalMs: 5000 },
} as const satisfies Readonly<Record<string, { method: 'GET' | 'PATCH' | 'POST'; connectMs: number; totalMs: number }>>

export type CrmRoute = keyof typeof crmRoutes

export interface CrmRequest {
  readonly route: CrmRoute
  /** Behind `{baseUrl}/api/pbx/`, escaped, with its query. */
  readonly path: string
  /** Sent as JSON; a GET has none. */
  readonly body?: unknown
  /** The same for each attempt; a new one where it is left out. */
  readonly eventId?: string
  /** 1 for the first. */
  readonly attempt?: number
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Why an answer is of no use; null where it is. What is of no use counts as a failure. */
  readonly check?: (body: unknown) => string | null
}

/** What is wrong with an answer, by its schema. */
export type AnswerCheck = (body: unknown) => readonly { readonly path: string; readonly message: string }[] | undefined

/** The first of it in words; null for nothing. */
export function faultBy(check: AnswerCheck): (body: unknown) => string | null {
  return (body) => check(body)?.map(({ path, message }) => `${path} ${message}`)[0] ?? null
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
