/** Providers on this machine that answer as Twilio's and Telnyx's documentation says, over real HTTP, and misbehave on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { OutboundText, SmsPlace } from '../../drivers/sms.ts'
import { createHttpTrunk, type HttpTrunkOptions } from '../../drivers/sms-http/trunk.ts'

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** `reset`: the connection breaks after the request was read; `silence`: no answer. */
export type Behaviour = (asked: Asked) => Reply | 'reset' | 'silence'

export interface Provider {
  readonly url: string
  readonly asked: Asked[]
  behave: Behaviour
  close(): Promise<void>
}

export async function startProvider(behave: Behaviour): Promise<Provider> {
  const asked: Asked[] = []
  const provider = { behave }
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
      const { method = '', headers } = request
      const one = { method, url: new URL(request.url ?? '/', 'http://provider'), headers, body: Buffer.concat(chunks).toString() }
      asked.push(one)
      answer(provider.behave(one), request, response)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(provider, {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

function answer(reply: Reply | 'reset' | 'silence', request: IncomingMessage, response: ServerResponse): void {
  if (reply === 'silence') return
  if (reply === 'reset') {
    request.socket.resetAndDestroy()
    return
  }
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
  response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}))
}

export const accountSid = 'ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

export interface TwilioMessage {
  readonly sid: string
  readonly from: string
  readonly to: string
  readonly body: string
  readonly direction: 'inbound' | 'outbound-api'
  readonly created: number
}

/** A message as the Messages resource shows it. */
function shown({ sid, from, to, body, direction, created }: TwilioMessage): object {
  const date = new Date(created).toUTCString().replace('GMT', '+0000')
  return {
    account_sid: accountSid,
    api_version: '2010-04-01',
    body,
    date_created: date,
    date_sent: direction === 'inbound' ? date : null,
    date_updated: date,
    direction,
    error_code: null,
    error_message: null,
    from,
    messaging_service_sid: null,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: null,
    sid,
    status: direction === 'inbound' ? 'received' : 'queued',
    to,
    uri: `/2010-04-01/Accounts/${accountSid}/Messages/${sid}.json`,
  }
}

/** Keeps messages, newest first in its list, with pages of `pageSize`. */
export class Twilio {
  readonly messages: TwilioMessage[] = []
  pageSize = 1000
  #next = 1

  add(message: Partial<TwilioMessage>): TwilioMessage {
    const sid = `SM${String(this.#next++).padStart(32, '0')}`
    const added = { sid, from: '+15550177', to: '+15550100', body: '', direction: 'inbound' as const, created: Date.now(), ...message }
    this.messages.push(added)
    return added
  }

  readonly behave = (asked: Asked): Reply => {
    if (asked.headers.authorization !== `Basic ${Buffer.from(`${accountSid}:token`).toString('base64')}`) {
      const body = { code: 20003, message: 'Authenticate', more_info: 'https://www.twilio.com/docs/errors/20003', status: 401 }
      return { status: 401, body }
    }
    if (asked.url.pathname !== `/2010-04-01/Accounts/${accountSid}/Messages.json`)
      return { status: 404, body: { code: 20404, status: 404 } }
    return asked.method === 'POST' ? this.#create(asked) : this.#list(asked)
  }

  #create(asked: Asked): Reply {
    const form = new URLSearchParams(asked.body)
    const to = form.get('To') ?? ''
    if (!/^\+\d{8,15}$/.test(to)) {
      const message = `The 'To' number ${to} is not a valid phone number.`
      return { status: 400, body: { code: 21211, message, more_info: 'https://www.twilio.com/docs/errors/21211', status: 400 } }
    }
    const made = this.add({ from: form.get('From') ?? '', to, body: form.get('Body') ?? '', direction: 'outbound-api' })
    return { status: 201, body: shown(made) }
  }

  #list(asked: Asked): Reply {
    const query = asked.url.searchParams
    const since = query.get('DateSent>')
    const fits = this.messages.filter(
      (message) =>
        (query.get('To') ?? message.to) === message.to &&
        (since === null || (message.direction === 'inbound' && message.created >= Date.parse(since))),
    )
    const page = Number(query.get('Page') ?? 0)
    const newest = fits.toReversed()
    const items = newest.slice(page * this.pageSize, (page + 1) * this.pageSize)
    query.set('Page', String(page + 1))
    const more = newest.length > (page + 1) * this.pageSize
    const next = more ? `${asked.url.pathname}?${query.toString()}` : null
    return { body: { messages: items.map(shown), next_page_uri: next, page, page_size: this.pageSize, uri: asked.url.pathname } }
  }
}

export interface LogLine {
  readonly facts: object
  readonly text: string
}

/** A place that is forgotten with the test. */
export function placeAt(at: number | null = null): SmsPlace {
  return { get: () => at, keep: async (next) => void (at = next) }
}

export function trunkAt(url: string, options: Partial<HttpTrunkOptions> = {}, lines: LogLine[] = []) {
  const write = (facts: object, text: string): void => void lines.push({ facts, text })
  return createHttpTrunk({
    id: 'provider',
    number: '+15550100',
    log: { info: write, warn: write, error: write },
    provider: 'twilio',
    url,
    account: accountSid,
    secret: 'token',
    webhook: {},
    pollSeconds: 0,
    place: placeAt(),
    ...options,
  })
}

let nextText = 1

export function text(fields: Partial<OutboundText> = {}): OutboundText {
  const body = fields.body ?? 'Your appointment is tomorrow.'
  return {
    messageId: `text-${nextText++}`,
    to: '+15550177',
    from: '+15550100',
    body,
    encoding: 'GSM-7',
    segments: [body],
    reference: 1,
    validitySeconds: 86_400,
    accepted: [],
    ...fields,
  }
}

export const never = new AbortController().signal
