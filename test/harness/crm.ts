/** A CRM on this machine that writes down what it is asked and sent, and answers as a test says. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requestMisfitsOf } from './crm-fit.ts'
import { verify } from '../../daemon/base/signing.ts'

export interface CrmRequestSeen {
  readonly at: number
  readonly method: string
  /** Behind /api/pbx/, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: any
  readonly signature: 'ok' | 'missing' | 'invalid' | 'stale'
}

export type CrmAnswer = { readonly status?: number; readonly body?: unknown; readonly text?: string; readonly afterMs?: number }
export type CrmManner = (seen: CrmRequestSeen) => CrmAnswer | 'silence'

export const crmSecret = 'whsec_of_the_crm_0123456789'

export class Crm {
  readonly seen: CrmRequestSeen[] = []
  /** What is answered; an empty object where it says nothing. */
  manner: CrmManner
  readonly #server
  #port = 0

  private constructor(manner: CrmManner) {
    this.manner = manner
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async open(manner: CrmManner = () => ({})): Promise<Crm> {
    const crm = new Crm(manner)
    await crm.listen()
    return crm
  }

  /** Again, at the same port. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Requests of a route, such as `calls/log`. */
  of(path: string | RegExp): CrmRequestSeen[] {
    return this.seen.filter((one) => (typeof path === 'string' ? one.path === path : path.test(one.path)))
  }

  /** Nobody listens at its port any more. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const raw = Buffer.concat(pieces)
    const url = new URL(request.url!, this.url)
    const header = (name: string) => request.headers[name] as string | undefined
    const signature = header('x-service-signature')
    const timestamp = header('x-service-timestamp')
    const given = { ...(signature === undefined ? {} : { signature }), ...(timestamp === undefined ? {} : { timestamp }) }
    const seen: CrmRequestSeen = {
      at: Date.now(),
      method: request.method!,
      path: url.pathname.replace(/^\/api\/pbx\//, ''),
      query: url.searchParams,
      headers: request.headers,
      body: raw.length === 0 ? undefined : JSON.parse(raw.toString('utf8')),
      signature: verify([crmSecret], given, raw, Date.now()),
    }
    const misfits = requestMisfitsOf({ ...seen, key: header('idempotency-key') })
    // Ends the test that had it sent.
    if (misfits.length > 0) throw new Error(`a request that does not fit its schema: ${misfits.join('; ')}`)
    this.seen.push(seen)
    const answer = this.manner(seen)
    if (answer === 'silence') return
    const { status = 200, body = {}, text = JSON.stringify(body), afterMs = 0 } = answer
    if (afterMs > 0) await new Promise((done) => setTimeout(done, afterMs))
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(text)
  }
}
