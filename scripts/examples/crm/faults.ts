/**
 * How the small CRM misbehaves, for tests of its clients: `PUT /_faults` with such an object, `GET /_asked` for what it was asked. It
 * stands between the server and the CRM, which knows nothing of it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Asked, Crm, Hook, Party } from './crm.ts'

export interface Faults {
  /** Only where the path has this in it. */
  readonly at?: string
  /** The answer comes so much later. */
  readonly slowMs?: number
  /** `dead`: the connection is cut; `silent`: it stays, and nothing comes. */
  readonly line?: 'dead' | 'silent'
  /** Answers with this status, such as 401, 404 or 500, and does nothing. */
  readonly status?: number
  readonly lie?: keyof typeof lies
  /** The clock of the CRM is so far ahead. */
  readonly clockOffSeconds?: number
}

/** What was asked, in this order; a body that is no JSON as text. */
export interface Heard {
  readonly at: number
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** null: none was given. */
  readonly status: number | null
}

interface Page {
  customers: Party[]
  nextCursor: string | null
  total?: number
}
type Lie = (asked: Asked, answer: Crm['answer']) => Answer

const mostHeard = 20_000

/** Only its pages of customers are other than they are. */
const paged =
  (change: (page: Page, asked: Asked) => Page): Lie =>
  (asked, answer) => {
    const given = answer(asked)
    const pages = asked.path.endsWith('/sync/full') && given.status === 200
    return pages ? { ...given, body: change(given.body as Page, asked) } : given
  }
const bodyOf = ({ body }: Asked): Record<string, unknown> => JSON.parse(body.toString('utf8') || '{}') as Record<string, unknown>
/** As asked with another body, whose signature is not looked at any more: the CRM behind must know no secret. */
const withBody = (asked: Asked, body: object): Asked => ({ ...asked, body: Buffer.from(JSON.stringify(body)) })

let made = 0
let someone: Party | undefined

export const lies = {
  'no-json': (asked, answer) => ({ ...answer(asked), status: 200, body: '<html>Welcome</html>' }),
  'wrong-shape': (asked, answer) => ({ ...answer(asked), status: 200, body: { customers: 'none', found: 'yes', callId: 7 } }),
  /** Every customer is older than they were, with another version. */
  'old-version': paged((page) => ({
    ...page,
    customers: page.customers.map((party) => ({ ...party, name: `Old ${party.name}`, version: 'old', updatedAt: '2000-01-01T00:00:00Z' })),
  })),
  'duplicate-ids': paged((page) => ({
    ...page,
    customers: page.customers.flatMap((party) => [party, { ...party, name: `${party.name} II` }]),
  })),
  'endless-pages': paged((page) => {
    if (page.customers.length > 0) someone = page.customers[0]
    return { customers: [{ ...someone!, id: `endless_${++made}` }], nextCursor: `more_${made}` }
  }),
  /** Where the cursor that it is given is the one that it gives. */
  'same-cursor': paged((page, asked) => ({ ...page, nextCursor: String(bodyOf(asked)['cursor'] ?? 'again') })),
  'shrinking-list': paged((page) => ({ customers: page.customers.slice(0, Math.floor(page.customers.length / 4)), nextCursor: null })),
  'all-that-changed': (asked, answer) => {
    const { changedSince: _, ...rest } = asked.path.endsWith('/sync/full') ? bodyOf(asked) : {}
    return asked.path.endsWith('/sync/full') ? answer(withBody(asked, rest)) : answer(asked)
  },
  /** Logs the same call twice, and takes an earlier revision. */
  forgets: (asked, answer) => {
    const given = answer(asked)
    if (!asked.path.endsWith('/calls/log') || ![200, 409].includes(given.status)) return given
    const { callId } = bodyOf(asked)
    return { status: 200, body: { callId, logged: true, duplicate: false, customerId: null, crmLogId: `act_again_${++made}` } }
  },
  /** A signature of any time is taken. */
  'any-time': (asked, answer) => answer({ ...asked, now: Number(asked.headers['x-service-timestamp'] ?? 0) * 1000 }),
} as const satisfies Record<string, Lie>

export interface FaultHook extends Hook {
  set(faults: Faults): void
  readonly heard: readonly Heard[]
}

export function faults(first: Faults = {}): FaultHook {
  let set = first
  const heard: Heard[] = []

  async function through(asked: Asked, answer: Crm['answer']): Promise<Answer | null> {
    const { at = '', slowMs = 0, line, status, lie, clockOffSeconds = 0 } = asked.path.includes(set.at ?? '') ? set : {}
    const late = { ...asked, now: asked.now + clockOffSeconds * 1000 }
    if (slowMs > 0) await pause(slowMs)
    if (line === 'dead') return null
    if (line === 'silent') return pause(3_600_000, null, { ref: false })
    if (status !== undefined) return { status, body: { error: `This is a fault at ${at || 'every route'}.`, code: 'fault' } }
    const given = lie === undefined ? answer(late) : lies[lie](late, answer)
    return clockOffSeconds === 0 ? given : { ...given, headers: { ...given.headers, Date: new Date(late.now).toUTCString() } }
  }

  const hook: Hook = async (asked, answer) => {
    if (asked.path === '/_faults') {
      set = bodyOf(asked) as Faults
      return { status: 204, body: '' }
    }
    if (asked.path === '/_asked') return { status: 200, body: heard }
    const { method, path, query, headers, body } = asked
    const text = body.toString('utf8')
    const one = { at: asked.now, method, path, query: String(query), headers, body: readable(text), status: null as number | null }
    heard.push(one)
    if (heard.length > mostHeard) heard.shift()
    const given = await through(asked, answer)
    one.status = given?.status ?? null
    return given
  }
  return Object.assign(hook, { set: (next: Faults) => void (set = next), heard })
}

function readable(text: string): unknown {
  try {
    return text === '' ? null : (JSON.parse(text) as unknown)
  } catch {
    return text
  }
}
