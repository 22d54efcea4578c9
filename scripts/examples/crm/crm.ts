/**
 * A small CRM that answers everything pbxd asks of one: who calls, the card, the timeline of calls with their notes, customers page by page.
 * No packages needed; it keeps what it knows in memory, and in one file with --data:
 *
 *   node scripts/examples/crm/crm.ts --port 3002 --secret whsec_example_0123456789 [--next-secret S] [--token T] [--data crm.json]
 *
 * Then http://127.0.0.1:3002/ lists the timeline. `--faults` lets tests have it misbehave (faults.ts); a CRM of your own needs none of that.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

export interface Party {
  id: string
  kind: 'person' | 'organization'
  name: string
  status: 'active' | 'inactive' | 'prospect' | 'blocked'
  phones: { number: string; label: string; primary?: boolean }[]
  /** Changes with every change: a program that has the customer compares it. */
  version: string
  updatedAt: string
  /** Stays as a mark, so that a client that asks what changed since yesterday sees it. */
  deleted?: boolean
  mergedInto?: string
  source: 'crm'
  [more: string]: unknown
}
/** A call as pbxd reports it; `rev` rises with every change of it. */
export interface Call {
  callId: string
  rev: number
  state: string
  direction: string
  from: string
  to: string
  startedAt: string
  customerId?: string | null
  outcome?: string
  talkSeconds?: number
  extension?: string
  notes?: Note[]
  [more: string]: unknown
}
interface Note {
  noteId: string
  text: string
  createdAt: string
}
export interface Data {
  customers: Record<string, Party>
  /** By extension. */
  users: Record<string, { userId: string; name: string; email?: string }>
  /** By customer: what the card shows in addition to the name. */
  cards: Record<string, { openTickets: object[]; commitments: object[]; billing: object | null }>
  calls: Record<string, Call>
  /** By call: its entry of the timeline, once it was logged. */
  logs: Record<string, string>
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Milliseconds, by the clock of the CRM. */
  readonly now: number
}
export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Record<string, string>
}
export interface CrmOptions {
  /** The current one and, while it is changed, the next one; none: signatures are not looked at. */
  readonly secrets?: readonly string[]
  /** Wanted as `Authorization: Bearer` too; none: not looked at. */
  readonly token?: string
  /** Read at the start, and written with every change. */
  readonly file?: string
}
type Handle = (asked: Asked, argument: string) => Answer

const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
const ok = (body: unknown, status = 200): Answer => ({ status, body })
const no = (status: number, code: string, error: string, more = {}): Answer => ({ status, body: { error, code, ...more } })
/** `(555) 123-4567` as `+15551234567`: here all customers live under +1. */
const e164 = (number: string): string => {
  const digits = number.replaceAll(/\D/g, '')
  return digits.length === 10 ? `+1${digits}` : digits === '' ? '' : `+${digits}`
}

export class Crm {
  readonly data: Data
  readonly #options: CrmOptions
  /** By Idempotency-Key. */
  readonly #answered = new Map<string, { request: string; answer: Answer }>()
  readonly #routes: Record<string, Handle> = {
    'GET /api/pbx/lookup/caller/*': (asked, number) => this.#caller(asked, number),
    'GET /api/pbx/screen-pop/*': (asked, number) => this.#card(asked, number),
    'PATCH /api/pbx/calls/*/answer': (asked, callId) => this.#tell(asked, callId),
    'PATCH /api/pbx/calls/*/end': (asked, callId) => this.#tell(asked, callId),
    'POST /api/pbx/calls/log': (asked) => this.#log(asked),
    'POST /api/pbx/calls/*/notes': (asked, callId) => this.#addNotes(asked, callId),
    'POST /api/pbx/sync/full': (asked) => this.#customers(asked),
    'POST /api/pbx/customers/*/sync': (asked, id) => this.#customer(asked, id),
    'GET /api/pbx/users/extension/*': (_, extension) => this.#user(extension),
    'GET /api/pbx/sync/status': () => ok({ ...healthy, customers: { ...healthy.customers, total: this.#present().length } }),
  }

  constructor(options: CrmOptions = {}) {
    const { file } = options
    this.#options = options
    this.data = file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Data) : structuredClone(sample)
  }

  /** Writes a new file next to the old one first: a crash leaves the one or the other. */
  #save(): void {
    const { file } = this.#options
    if (file === undefined) return
    writeFileSync(`${file}.new`, JSON.stringify(this.data, null, 1))
    renameSync(`${file}.new`, file)
  }

  /** Who asks. The message that is signed: the timestamp, a period, and the body as it came. */
  #refusal({ headers, body, now }: Asked): Answer | undefined {
    const { secrets = [], token = '' } = this.#options
    if (token !== '' && headers.authorization !== `Bearer ${token}`) return no(401, 'invalid_token', 'An access token is required.')
    if (secrets.length === 0) return undefined
    const [given, timestamp] = [headers['x-service-signature'], String(headers['x-service-timestamp'] ?? '')]
    if (typeof given !== 'string') return no(401, 'missing_signature', 'The request is not signed.')
    const right = secrets.some((secret) => {
      const wanted = `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
      return Buffer.byteLength(given) === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted))
    })
    if (!right) return no(403, 'signature_invalid', 'The signature is not that of this request.')
    if (Math.abs(now / 1000 - Number(timestamp)) <= 300) return undefined
    return no(403, 'timestamp_stale', 'The timestamp is too far from the time here.', { serverTime: Math.floor(now / 1000) })
  }

  answer(asked: Asked): Answer {
    if (asked.path === '/') return { status: 200, body: page(this.data), headers: { 'Content-Type': 'text/html; charset=utf-8' } }
    const refused = this.#refusal(asked)
    if (refused !== undefined) return refused
    // What was asked before under the same key is not done again.
    const key = String(asked.headers['idempotency-key'] ?? '')
    const request = `${asked.method} ${asked.path} ${asked.body.toString('utf8')}`
    const before = key === '' ? undefined : this.#answered.get(key)
    if (before !== undefined && before.request !== request)
      return no(422, 'idempotency_mismatch', 'This key was used with another request.')
    if (before !== undefined) return { ...before.answer, headers: { 'Idempotent-Replayed': 'true' } }
    let done: Answer
    try {
      const found = Object.entries(this.#routes).find(([route]) => matches(route, asked) !== undefined)
      if (found === undefined) return no(404, 'not_found', 'There is nothing at this address.')
      done = found[1](asked, matches(found[0], asked)!)
    } catch (error) {
      return no(400, 'invalid_json', `The request cannot be read: ${(error as Error).message}`)
    }
    if (asked.method !== 'GET' && done.status < 400) this.#save()
    if (key !== '' && done.status < 400) this.#answered.set(key, { request, answer: done })
    if (this.#answered.size > 10_000) this.#answered.delete(this.#answered.keys().next().value!)
    return done
  }

  #json<T>({ body }: Asked): T {
    return JSON.parse(body.length === 0 ? '{}' : body.toString('utf8')) as T
  }

  #present(): Party[] {
    return Object.values(this.data.customers).filter(({ deleted }) => deleted !== true)
  }

  #lookup(number: string, now: number) {
    const wanted = e164(number)
    const found = wanted === '' ? [] : this.#present().filter(({ phones }) => phones.some((phone) => e164(phone.number) === wanted))
    const head = {
      number: wanted === '' ? number : wanted,
      found: found.length > 0,
      matchType: found.length === 0 ? 'none' : found.length === 1 ? 'exact' : 'ambiguous',
      matchCount: found.length,
      ...(found.length > 1 ? { candidates: found.slice(0, 5).map(({ id, name }) => ({ id, name })) } : {}),
      source: found.length > 0 ? 'crm' : 'none',
      stale: false,
      asOf: time(now),
      lookupMs: 0,
    }
    return { head, party: found.length === 1 ? found[0]! : null }
  }

  /** An answer or an end reports the whole call: an unknown call begins with it. An older report than the known one changes nothing. */
  #tell(asked: Asked, callId: string): Answer {
    const { data } = this
    const told = this.#json<Partial<Call>>(asked)
    const known = data.calls[callId]
    if (known === undefined && told.from === undefined) return no(404, 'call_unknown', 'No such call.')
    if (known === undefined || (told.rev ?? known.rev + 1) > known.rev) data.calls[callId] = { ...known, ...told, callId } as Call
    return ok(data.calls[callId])
  }

  #log(asked: Asked): Answer {
    const { data } = this
    const call = this.#json<Call>(asked)
    const known = data.calls[call.callId]
    const logged = data.logs[call.callId]
    if (known !== undefined && call.rev < known.rev) return no(409, 'stale_rev', 'A later revision is known.', { rev: known.rev })
    const duplicate = logged !== undefined && call.rev === known?.rev
    const notes = [...new Map([...(known?.notes ?? []), ...(call.notes ?? [])].map((note) => [note.noteId, note])).values()]
    const outside = call.direction === 'outbound' ? call.to : call.from
    const customerId = call.customerId === undefined ? (this.#lookup(outside, asked.now).party?.id ?? null) : call.customerId
    if (!duplicate) data.calls[call.callId] = { ...call, customerId, notes }
    const crmLogId = (data.logs[call.callId] ??= `act_${Object.keys(data.logs).length + 1}`)
    return ok({ callId: call.callId, logged: true, duplicate, customerId, crmLogId })
  }

  #addNotes(asked: Asked, callId: string): Answer {
    const call = this.data.calls[callId]
    if (call === undefined) return no(404, 'call_unknown', 'No such call.')
    const { notes, ...one } = this.#json<Note & { notes?: Note[] }>(asked)
    const known = new Map((call.notes ?? []).map((note) => [note.noteId, note]))
    const asKept = (notes ?? [one]).map(({ noteId = `n_${known.size + 1}`, ...note }) => {
      if (!known.has(noteId))
        known.set(noteId, { origin: 'pbx', ...note, createdAt: note.createdAt ?? time(asked.now), noteId, callId } as Note)
      return known.get(noteId)
    })
    call.notes = [...known.values()]
    return ok({ callId, notes: asKept }, 201)
  }

  /** Pages in the order of ids: the cursor is the last one that was given, so that changes in between move nothing. */
  #customers(asked: Asked): Answer {
    const { cursor, limit = 500, changedSince } = this.#json<{ cursor?: string | null; limit?: number; changedSince?: string }>(asked)
    const all = Object.values(this.data.customers).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const wanted = all.filter((party) => (changedSince === undefined ? party.deleted !== true : party.updatedAt >= changedSince))
    const rest = cursor == null ? wanted : wanted.filter(({ id }) => id > cursor)
    const some = rest.slice(0, limit)
    return ok({ customers: some, nextCursor: rest.length > some.length ? some.at(-1)!.id : null, total: wanted.length })
  }

  /** Without a body the customer as it is; with one what the PBX proposes, of which this CRM takes everything. */
  #customer(asked: Asked, id: string): Answer {
    const { data } = this
    const known = data.customers[id]
    const proposed = this.#json<Partial<Party>>(asked)
    if (Object.keys(proposed).length === 0)
      return known === undefined ? no(404, 'customer_unknown', 'No such customer.') : ok({ id, version: known.version, customer: known })
    const version = String(Number(known?.version ?? 0) + 1)
    data.customers[id] = { ...known, ...proposed, id, version, updatedAt: time(asked.now), source: 'crm' } as Party
    return ok({ id, result: proposed.deleted === true ? 'deleted' : known === undefined ? 'created' : 'updated', version })
  }

  #caller({ now }: Asked, number: string): Answer {
    const { head, party } = this.#lookup(number, now)
    return ok({ ...head, customer: party === null ? null : { id: party.id, name: party.name, status: party.status } })
  }

  #card({ now }: Asked, number: string): Answer {
    const { head, party } = this.#lookup(number, now)
    const recentCalls = Object.values(this.data.calls)
      .filter((call) => party !== null && call.customerId === party.id && call.state === 'ended')
      .toSorted((a, b) => (a.startedAt > b.startedAt ? -1 : 1))
      .slice(0, 10)
      .map(({ callId, direction, outcome, startedAt, talkSeconds = 0 }) => ({ callId, direction, outcome, startedAt, talkSeconds }))
    const { openTickets = [], commitments = [], billing = null } = this.data.cards[party?.id ?? ''] ?? {}
    const shown = { customer: party, name: party?.name ?? '', status: party?.status ?? '' }
    return ok({ ...head, ...shown, recentCalls, openTickets, commitments, billing })
  }

  #user(extension: string): Answer {
    const user = this.data.users[extension]
    if (user === undefined) return no(404, 'extension_unknown', 'Nobody sits there.')
    return ok({ extension, ...user, registered: false, onCall: false, source: 'crm' })
  }
}

/** What stands at the `*` of the route, '' where it has none; undefined: another route. */
function matches(route: string, { method, path }: Asked): string | undefined {
  const pattern = new RegExp(`^${route.replace('*', '([^/]+)')}$`)
  const found = pattern.exec(`${method} ${path}`)
  return found === null ? undefined : decodeURIComponent(found[1] ?? '')
}

/** Words of callers are shown as text, never as markup. */
function page({ calls, customers }: Data): string {
  const text = (value: unknown): string => String(value ?? '').replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  const rows = Object.values(calls)
    .toSorted((a, b) => (a.startedAt > b.startedAt ? -1 : 1))
    .map(({ startedAt, from, to, customerId, state, outcome, talkSeconds, notes = [] }) =>
      [startedAt, from, to, customers[customerId ?? '']?.name, outcome ?? state, talkSeconds, notes.map((note) => note.text).join('; ')]
        .map((cell) => `<td>${text(cell)}</td>`)
        .join(''),
    )
  const head = '<tr><th>When<th>From<th>To<th>Customer<th>Outcome<th>Seconds<th>Notes'
  return `<!doctype html><title>Timeline</title><h1>Calls</h1><table border="1">${head}${rows.map((row) => `<tr>${row}`).join('')}</table>`
}

/** Between the server and the CRM, for tests; null: the connection is cut. */
export type Hook = (asked: Asked, answer: Crm['answer']) => Promise<Answer | null>

export function serve(crm: Crm, hook: Hook = async (asked, answer) => answer(asked)): Server {
  return createServer(async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://here')
    const { method = 'GET', headers } = request
    const given = await hook({ method, path, query, headers, body: await buffer(request), now: Date.now() }, (one) => crm.answer(one))
    if (given === null) return request.socket.destroy()
    const { status, body, headers: more } = given
    response.writeHead(status, { 'Content-Type': 'application/json', ...more }).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}

const healthy = {
  state: 'healthy',
  enabled: true,
  crm: {
    configured: true,
    reachable: true,
    circuit: 'closed',
    lastSuccessAt: null,
    lastFailureAt: null,
    lastError: null,
    p95Ms: null,
    clockSkewMs: null,
  },
  queue: { pendingLogs: 0, pendingNotes: 0, oldestPendingAt: null, dead: 0 },
  customers: { total: 0, lastFullSyncAt: null, lastDeltaAt: null, conflicts: 0, ambiguousNumbers: 0 },
  currentSync: null,
}
const made = { status: 'active', version: '1', updatedAt: '2026-03-01T09:00:00Z', source: 'crm' } as const
const sample: Data = {
  customers: {
    c_1: { id: 'c_1', kind: 'person', name: 'Ana Ruiz', phones: [{ number: '+15551234567', label: 'mobile', primary: true }], ...made },
    c_2: { id: 'c_2', kind: 'person', name: 'Bo Li', phones: [{ number: '+15551230002', label: 'home' }], ...made },
    c_3: { id: 'c_3', kind: 'organization', name: 'Riverside Pharmacy', phones: [{ number: '+15551230003', label: 'work' }], ...made },
  },
  users: { 101: { userId: 'u_17', name: 'Front desk' } },
  cards: {
    c_1: {
      openTickets: [{ id: 'T-77', title: 'Refill request', status: 'open', openedAt: '2026-02-28T09:00:00Z' }],
      commitments: [{ id: 'A-5', kind: 'appointment', title: 'Cleaning, Dr. Lee', dueAt: '2026-03-05T15:30:00Z', status: 'open' }],
      billing: { currency: 'USD', balanceMinor: 12_500, overdueMinor: 0, standing: 'current' },
    },
  },
  calls: {},
  logs: {},
}

if (import.meta.main) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { port: text, secret: text, 'next-secret': text, token: text, data: text, faults: { type: 'boolean' } },
  })
  const secrets = [values.secret, values['next-secret']].filter((secret) => secret !== undefined)
  const crm = new Crm({ secrets, token: values.token ?? '', ...(values.data === undefined ? {} : { file: values.data }) })
  const hook = values.faults === true ? (await import('./faults.ts')).faults() : undefined
  const port = Number(values.port ?? 3002)
  serve(crm, hook).listen(port, '127.0.0.1', () => console.log(`A CRM listens on http://127.0.0.1:${port}/`))
}
