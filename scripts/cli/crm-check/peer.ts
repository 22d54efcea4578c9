/** The CRM that is tried: requests as the box sends them, with its time limits. */
import { randomUUID } from 'node:crypto'
import { signedHeaders } from '../../../daemon/base/signing.ts'

export interface PeerOptions {
  /** In front of /api/pbx. */
  readonly url: string
  /** '': requests are not signed. */
  readonly secret: string
  /** '': no token is sent. */
  readonly token: string
}

/** One request of the box: how long it waits for the whole answer, and what becomes of it without one. */
export interface Kind {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly limitMs: number
  /** What is without the answer, in words. */
  readonly without: string
}

export const kinds = {
  status: {
    method: 'GET',
    limitMs: 5000,
    without: 'the box uses it to check whether you are back after an outage; without it, it tries a look-up',
  },
  lookup: { method: 'GET', limitMs: 800, without: 'without it, the phones show the name that the box knows, or none' },
  card: { method: 'GET', limitMs: 3000, without: 'without it, the card shows only what the box knows' },
  progress: { method: 'PATCH', limitMs: 5000, without: 'without it, you learn of the call when it has ended' },
  log: { method: 'POST', limitMs: 15_000, without: 'without it, calls wait in the box and are given up after 14 days' },
  notes: { method: 'POST', limitMs: 15_000, without: 'without it, notes of calls stay in the box' },
  page: { method: 'POST', limitMs: 30_000, without: 'without it, the box knows your customers only from single look-ups' },
  customer: { method: 'POST', limitMs: 30_000, without: 'without it, a single customer is refreshed with all others' },
  user: { method: 'GET', limitMs: 3000, without: 'without it, the box uses its own names of extensions' },
} as const satisfies Record<string, Kind>
export type KindName = keyof typeof kinds

export interface Ask {
  readonly kind: KindName
  /** Below /api/pbx/. */
  readonly path: string
  readonly body?: object
  /** In place of what the options say. */
  readonly secret?: string
  readonly token?: string
  /** The body that is signed, where it is not the one that is sent. */
  readonly signed?: object
  /** So far is the time of the signature from now. */
  readonly offMs?: number
  readonly key?: string
  readonly eventId?: string
}

/** `status` 0: there was no answer, and `text` says why. */
export interface Heard {
  readonly status: number
  readonly text: string
  /** undefined: the answer is no JSON. */
  readonly body: unknown
  readonly ms: number
  /** How far its clock is ahead (ms), by its header Date; null where it has none. */
  readonly skewMs: number | null
}

export class Peer {
  readonly options: PeerOptions

  constructor(options: PeerOptions) {
    this.options = options
  }

  async ask({ kind, path, body, offMs = 0, key, eventId = randomUUID(), signed = body, ...other }: Ask): Promise<Heard> {
    const { method, limitMs } = kinds[kind]
    const { secret, token } = { ...this.options, ...other }
    const text = body === undefined ? '' : JSON.stringify(body)
    const writes = body !== undefined
    const began = performance.now()
    const ms = (): number => Math.round(performance.now() - began)
    try {
      const answer = await fetch(`${this.options.url}/api/pbx/${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(limitMs),
        headers: {
          ...signedHeaders(secret, Date.now() + offMs, signed === undefined ? '' : JSON.stringify(signed)),
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(writes ? { 'content-type': 'application/json', 'x-service-event-id': eventId, 'x-service-attempt': '1' } : {}),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          'user-agent': 'pbx/check',
        },
        ...(writes ? { body: text } : {}),
      })
      const given = await answer.text()
      const date = Date.parse(answer.headers.get('date') ?? '')
      return { status: answer.status, text: given, body: parsed(given), ms: ms(), skewMs: Number.isNaN(date) ? null : date - Date.now() }
    } catch (error) {
      return { status: 0, text: reason(error as Error, limitMs), body: undefined, ms: ms(), skewMs: null }
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function reason(error: Error, limitMs: number): string {
  if (error.name === 'TimeoutError') return `no complete answer within ${limitMs} ms, the time limit of the box`
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'no program listens there'
  if (code === 'ENOTFOUND') return 'the host name does not exist'
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'the connection was closed'
  return message
}
