/** What the CRM answered otherwise than it is agreed: counted, and the last of it kept for people. */
import { isoTime, type Clock } from '../../base/clock.ts'
import type { ErrorDetail } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { CrmRoute } from '../../schema/crm-requests.ts'

export interface Misfit {
  readonly at: string
  readonly request: CrmRoute
  /** JSON pointer into the answer. */
  readonly path: string
  readonly message: string
}

/** How people call an answer. */
const titles: Readonly<Record<CrmRoute, string>> = {
  lookup: 'look-up',
  'screen-pop': 'card',
  answer: 'answer to a call that began',
  end: 'answer to a call that ended',
  log: 'answer to a log',
  notes: 'answer to a note',
  page: 'page of customers',
  party: 'customer',
  proposal: 'answer to a name',
  extension: 'user of an extension',
  status: 'state',
}

/** One line of the log for each kind of answer. */
const loggedEveryMs = 10 * 60_000

export class Misfits {
  readonly #clock: Clock
  readonly #log: Log
  readonly #counts = new Map<CrmRoute, number>()
  readonly #logged = new Map<CrmRoute, number>()
  last: Misfit | null = null

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock
    this.#log = log
  }

  /** `count`: of all, where these are the first. */
  note(request: CrmRoute, faults: readonly ErrorDetail[], count = faults.length): void {
    const [fault] = faults
    if (fault === undefined) return
    this.#counts.set(request, this.count(request) + count)
    this.last = { at: isoTime(this.#clock.now()), request, path: fault.path, message: fault.message }
    const now = this.#clock.elapsed()
    if (now - (this.#logged.get(request) ?? -Infinity) < loggedEveryMs) return
    this.#logged.set(request, now)
    this.#log.warn({ request, path: fault.path, faults: count }, misfitWords(this.last))
  }

  count(request: CrmRoute): number {
    return this.#counts.get(request) ?? 0
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** By request, those that had any. */
  counts(): readonly (readonly [CrmRoute, number])[] {
    return [...this.#counts]
  }
}

export function misfitWords({ request, path, message }: Misfit): string {
  return `the CRM's ${titles[request]} does not match the specification: ${path === '' ? 'the answer' : path} ${message}`
}
