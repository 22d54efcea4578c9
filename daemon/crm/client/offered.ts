/** Which routes the CRM does not have, so that it is not asked for them again and again. */
import type { Clock } from '../../base/clock.ts'
import type { CrmRoute } from '../../schema/crm-requests.ts'

const rememberedMs = 3_600_000

export class Offered {
  readonly #clock: Clock
  readonly #missingSince = new Map<CrmRoute, number>()
  readonly #answered = new Set<CrmRoute>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(route: CrmRoute): boolean {
    const since = this.#missingSince.get(route)
    return since === undefined || this.#clock.elapsed() - since >= rememberedMs
  }

  /** The route was there. */
  answered(route: CrmRoute): void {
    this.#answered.add(route)
  }

  /** A 404 that says that nobody has the number: the route was there before, or the answer says so itself. */
  saysNobody(route: CrmRoute, status: number, text: string): boolean {
    if (status !== 404 || (route !== 'lookup' && route !== 'screen-pop')) return false
    return this.#answered.has(route) || namesNobody(text) || /"found"\s*:\s*false/.test(text)
  }

  /** What answers such a status does not have the route. What a call leaves is told until it is taken: that route is never given up. */
  note(route: CrmRoute, status: number, text: string): boolean {
    const missing = status === 405 || status === 501 || (status === 404 && !namesNobody(text))
    if (!missing || route === 'log') return false
    this.#missingSince.set(route, this.#clock.elapsed())
    return true
  }
}

/** The route is there, and what it was asked about is not: `{"code": "customer_unknown"}`. */
function namesNobody(text: string): boolean {
  return /"code"\s*:\s*"[a-z_]+_unknown"/.test(text)
}
