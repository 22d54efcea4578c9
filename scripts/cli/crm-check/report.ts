/** What a trial of a CRM found: what is good, what is wrong with what mends it, what is not offered. */
import type { TSchema } from '@sinclair/typebox'
import { checker } from '../../../daemon/http/validate.ts'
import { kinds, type Ask, type Heard, type Peer } from './peer.ts'

export interface Finding {
  /** absent: the CRM does not offer it, as it may. skipped: it could not be tried. */
  readonly state: 'good' | 'wrong' | 'absent' | 'skipped'
  readonly check: string
  readonly message: string
  /** What to do; only where it is wrong. */
  readonly fix?: string
}

/** Codes of a 404 that says: this route is there, and what you ask for is not. */
const unknownCodes = /_unknown$/
const mostShown = 120

export class Report {
  readonly findings: Finding[] = []
  readonly #told: (finding: Finding) => void

  /** `told`: of each at once. */
  constructor(told: (finding: Finding) => void = () => undefined) {
    this.#told = told
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

  /** Whatever may be wrong with any answer; null where there is nothing more to look at. */
  async play<T>(peer: Peer, check: string, ask: Ask, schema: TSchema, statuses: readonly number[] = [200]): Promise<T | null> {
    const heard = await peer.ask(ask)
    if (this.#refused(check, ask, heard, statuses)) return null
    if (heard.body === undefined) {
      this.wrong(check, `the answer is no JSON: ${shown(heard.text)}`, 'answer with Content-Type: application/json and one JSON object')
      return null
    }
    const faults = checker(schema, false)(heard.body)
    if (faults !== undefined) {
      const words = faults
        .slice(0, 5)
        .map(({ path, message }) => `${path === '' ? 'the answer' : path.slice(1).replaceAll('/', '.')} ${message}`)
      this.wrong(check, `the answer is not as agreed: ${words.join('; ')}`, `see ${ask.path.split('/')[0]} in the box's /openapi.json`)
      return null
    }
    this.good(check, `${heard.status} in ${heard.ms} ms`)
    return heard.body as T
  }

  #refused(check: string, { kind, path }: Ask, heard: Heard, statuses: readonly number[]): boolean {
    const { limitMs, without } = kinds[kind]
    const { status, text } = heard
    if (statuses.includes(status)) return false
    const route = `/api/pbx/${path}`
    if (status === 0) {
      const slow = text.includes('within')
      this.wrong(check, `${route}: ${text}; ${without}`, slow ? `answer within ${limitMs} ms` : 'see that the program runs and stays up')
    } else if (notOffered(heard)) this.absent(check, `${route} is not offered (${status}): ${without}`)
    else if (status === 401 || status === 403)
      this.wrong(check, `${route}: a right request is refused with ${status}: ${shown(text)}`, 'see the findings on access')
    else if (status >= 300 && status < 400)
      this.wrong(check, `${route} answers ${status}; the box follows no redirection`, 'answer there itself')
    else
      this.wrong(
        check,
        `${route} answers ${status}, not ${statuses.join(' or ')}: ${shown(text)}`,
        status >= 500 ? 'see the log of the CRM at this moment' : 'take what the box sends: see docs/crm.md',
      )
    return true
  }

  #add(finding: Finding): void {
    this.findings.push(finding)
    this.#told(finding)
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
