/** Findings of the test of a CRM: what is good, what is wrong and its fix, what could be better, what is not offered. */
import { crmRequests, type CrmRequestSpec, type CrmRoute } from '../../../daemon/schema/crm-requests.ts'
import { readAnswer } from '../../../daemon/schema/read-answer.ts'
import { kinds, type Ask, type Heard, type Peer } from './peer.ts'

export interface Finding {
  /** advice: the box does without. absent: the CRM does not offer it, as it may. skipped: it could not be tried. */
  readonly state: 'good' | 'wrong' | 'advice' | 'absent' | 'skipped'
  readonly check: string
  readonly message: string
  /** What to do; only where it is wrong, or could be better. */
  readonly fix?: string
}

/** Codes of a 404 that says: this route is there, and what you ask for is not. */
const unknownCodes = /_unknown$/
const mostShown = 120
/** Nothing, or a short word such as OK; the page of a portal is none. */
const isTaken = (text: string): boolean => text.length <= 200 && !/[<>{]/.test(text)
/** Of these an answer without a body says enough. */
const withoutAnswer: ReadonlySet<CrmRoute> = new Set<CrmRoute>(['answer', 'end', 'log', 'notes'])

export class Report {
  readonly findings: Finding[] = []
  readonly #onFinding: (finding: Finding) => void

  /** `onFinding` gets each finding at once. */
  constructor(onFinding: (finding: Finding) => void = () => undefined) {
    this.#onFinding = onFinding
  }

  get wrongs(): number {
    return this.findings.filter(({ state }) => state === 'wrong').length
  }

  good(check: string, message: string): void {
    this.#add({ state: 'good', check, message })
  }

  wrong(check: string, message: string, fix: string): void {
    this.#add({ state: 'wrong', check, message, fix })
  }

  /** `true`: good, with what was seen; else the box does without, and somebody might wish for it. */
  advise(right: boolean, check: string, seen: string, fault: string, fix: string): void {
    if (right) this.good(check, seen)
    else this.#add({ state: 'advice', check, message: fault, fix })
  }

  absent(check: string, message: string): void {
    this.#add({ state: 'absent', check, message })
  }

  skipped(check: string, message: string): void {
    this.#add({ state: 'skipped', check, message })
  }

  /** `true`: good, with what was seen; else wrong. */
  judge(right: boolean, check: string, seen: string, fault: string, fix: string): void {
    if (right) this.good(check, seen)
    else this.wrong(check, fault, fix)
  }

  /** Whatever may be wrong with an answer to a request, read as the box reads it; null where there is nothing more to look at. */
  async play<T>(
    peer: Peer,
    check: string,
    ask: Ask,
    route: CrmRoute,
    statuses: readonly number[] = [200, 201, 202, 204],
  ): Promise<T | null> {
    const heard = await peer.ask(ask)
    if (this.#refused(check, ask, heard, statuses)) return null
    const { answer } = crmRequests[route] as CrmRequestSpec
    if (answer === undefined || (withoutAnswer.has(route) && heard.body === undefined && isTaken(heard.text)))
      return this.#taken<T>(check, heard)
    if (heard.body === undefined) {
      this.wrong(check, `the answer is not JSON: ${shown(heard.text)}`, 'answer with Content-Type: application/json and one JSON object')
      return null
    }
    const { body, faults } = readAnswer<T>(answer, heard.body)
    if (faults.length === 0) return (this.good(check, `${heard.status} in ${heard.ms} ms`), { ...(heard.body as T), ...body })
    const words = faults
      .slice(0, 5)
      .map(({ path, message }) => `${path === '' ? 'the answer' : path.slice(1).replaceAll('/', '.')} ${message}`)
    this.wrong(check, `the answer does not match the schema: ${words.join('; ')}`, `see ${route} in docs/crm-requests.md`)
    return null
  }

  #taken<T>(check: string, { status, ms, body }: Heard): T {
    this.good(check, `${status} in ${ms} ms`)
    return (typeof body === 'object' && body !== null ? body : {}) as T
  }

  #refused(check: string, { kind, path }: Ask, heard: Heard, statuses: readonly number[]): boolean {
    const { limitMs, without } = kinds[kind]
    const { status, text } = heard
    if (statuses.includes(status)) return false
    const route = `/api/pbx/${path}`
    if (status === 0) {
      const slow = text.includes('within')
      this.wrong(check, `${route}: ${text}; ${without}`, slow ? `answer within ${limitMs} ms` : 'check that the program runs and stays up')
    } else if (notOffered(heard)) this.absent(check, `${route} is not offered (${status}): ${without}`)
    else if (status === 401 || status === 403)
      this.wrong(check, `${route}: a valid request is refused with ${status}: ${shown(text)}`, 'see the results for access')
    else if (status >= 300 && status < 400)
      this.wrong(check, `${route} answers ${status}; the box does not follow redirects`, 'answer directly')
    else
      this.wrong(
        check,
        `${route} answers ${status}, not ${statuses.join(' or ')}: ${shown(text)}`,
        status >= 500 ? 'see the log of the CRM at this time' : 'accept the requests of the box: see docs/crm.md',
      )
    return true
  }

  #add(finding: Finding): void {
    this.findings.push(finding)
    this.#onFinding(finding)
  }
}

/** The route is not there; a 404 that names what it does not know is an answer of a route that is. */
export function notOffered({ status, body }: Heard): boolean {
  if (status === 405 || status === 501) return true
  const { code } = (typeof body === 'object' && body !== null ? body : {}) as { code?: unknown }
  return status === 404 && !unknownCodes.test(String(code))
}

export function shown(text: string): string {
  return text.length > mostShown ? `${text.slice(0, mostShown)}...` : text
}
