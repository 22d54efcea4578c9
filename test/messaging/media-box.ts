/** A real box whose texts come from a provider that calls it, and servers that have the files of these texts. */
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { HttpTrunkOptions } from '../../drivers/sms-http/trunk.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { receivedTextRoutes } from '../../daemon/inbox/text-routes.ts'
import { smsRoutes } from '../../daemon/messaging/routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { eraseText } from '../../daemon/messaging/part.ts'
import { createMessaging, type Messaging } from '../../daemon/messaging/messaging.ts'
import { policiesOf } from '../../daemon/outbox/policies.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { found } from '../harness/waiting.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { trunkAt } from '../sms-http/providers.ts'
import { log } from './stage.ts'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** A server of files on this machine. */
export class Files {
  readonly asked: { path: string; authorization: string | undefined }[] = []
  readonly served = new Map<string, Serve>()
  readonly #server: Server = createServer((request, response) => {
    const path = request.url ?? ''
    this.asked.push({ path, authorization: request.headers.authorization })
    const serve = this.served.get(path)
    if (serve === undefined) response.writeHead(404).end()
    else serve(request, response)
  })
  url = ''

  static async open(t: Test, host = '127.0.0.1'): Promise<Files> {
    const files = new Files()
    await new Promise<void>((resolve) => files.#server.listen(0, host, resolve))
    files.url = `http://${host}:${(files.#server.address() as { port: number }).port}`
    t.teardown(() => {
      files.#server.closeAllConnections()
      files.#server.close()
    })
    return files
  }

  file(path: string, content: Buffer, type = 'image/jpeg'): string {
    this.served.set(path, (_, response) => response.writeHead(200, { 'content-type': type }).end(content))
    return this.url + path
  }

  to(path: string, place: string, status = 307): string {
    this.served.set(path, (_, response) => response.writeHead(status, { location: place }).end())
    return this.url + path
  }

  count(path: string): number {
    return this.asked.filter((one) => one.path === path).length
  }
}

export class Box {
  readonly dir = mkdtempSync(join(tmpdir(), 'pbxd-media-'))
  readonly clock = new FakeClock(Date.now())
  readonly #provider: string
  readonly #trunk: Partial<HttpTrunkOptions>
  store!: Store
  inbox!: Inbox
  messaging!: Messaging
  port = 0
  #close: () => Promise<void> = async () => undefined
  #sid = 0

  private constructor(provider: string, trunk: Partial<HttpTrunkOptions>) {
    this.#provider = provider
    this.#trunk = trunk
  }

  /** @param trunk what its trunk has that Twilio's has not */
  static async open(t: Test, provider: string, trunk: Partial<HttpTrunkOptions> = {}): Promise<Box> {
    const box = new Box(provider, trunk)
    await box.start()
    t.teardown(async () => {
      await box.#close()
      rmSync(box.dir, { recursive: true, force: true })
    })
    return box
  }

  async start(): Promise<void> {
    const { clock, dir } = this
    const settings = {
      site: { country: 'US' },
      storage: { dir },
      http: { listen: '127.0.0.1:1' },
      sms: { trunks: [{ id: 'carrier', kind: 'sim' }] },
    }
    const { config } = parseConfig(JSON.stringify(settings), join(dir, 'pbxd.yaml'))
    const store = (this.store = await openStore(join(dir, 'store'), log))
    const inbox = (this.inbox = new Inbox({ store, clock, log, dir, keepDays: 90, mailboxes: [] }))
    const trunk = trunkAt(this.#provider, { id: 'carrier', ...this.#trunk })
    const messaging = (this.messaging = createMessaging({
      config,
      store,
      inbox,
      clock,
      log,
      trunks: [trunk],
      policies: policiesOf(config),
    }))
    messaging.start()
    const rows = [tokenRow('all', 'the-token', ['send', 'inbox']), tokenRow('voice', 'voice-only', ['voice'])]
    const erase = eraseItem(store, inbox, () => undefined)
    const routes = [...smsRoutes(messaging, eraseText(store, messaging.queue)), ...inboxRoutes(inbox, erase), ...receivedTextRoutes(inbox)]
    const http = await startHttp({
      listen: '127.0.0.1:0',
      routes,
      tokens: accessTokens(rows, store.tables.tokens),
      limits,
      store,
      log,
      clock,
    })
    this.port = http.port
    this.#close = async () => {
      const stopped = messaging.stop()
      for (let i = 0; i < 50; i++) {
        clock.advance(500)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await stopped
      await http.close(500)
      await store.close()
    }
  }

  /** What is under way is never heard of. */
  async restart(): Promise<void> {
    await this.#close()
    await this.start()
  }

  get webhook(): string {
    return `http://127.0.0.1:${this.port}/api/sms/webhook/carrier`
  }

  /** A text of Twilio with these files comes; the status of the answer. */
  async comes(files: readonly string[], more: Record<string, string> = {}): Promise<number> {
    const url = this.webhook
    const form: Record<string, string> = {
      MessageSid: `MM${++this.#sid}`,
      SmsStatus: 'received',
      From: '+15550177',
      To: '+15550100',
      Body: '',
      NumMedia: String(files.length),
      ...Object.fromEntries(
        files.flatMap((file, index) => [
          [`MediaUrl${index}`, file],
          [`MediaContentType${index}`, 'image/jpeg'],
        ]),
      ),
      ...more,
    }
    const signed =
      url +
      Object.keys(form)
        .toSorted()
        .map((name) => name + form[name])
        .join('')
    const headers = { 'x-twilio-signature': createHmac('sha1', 'token').update(signed).digest('base64') }
    const { status } = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) })
    return status
  }

  async get(path: string, token = 'the-token', method = 'GET'): Promise<{ status: number; headers: Headers; bytes: Buffer; body: any }> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, { method, headers: { authorization: `Bearer ${token}` } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    return { status: answer.status, headers: answer.headers, bytes, body: isJson ? JSON.parse(bytes.toString()) : undefined }
  }

  async newest(): Promise<any> {
    return (await this.get('/api/inbox/sms')).body.items.at(-1)
  }

  /** The newest item once none of its files is being fetched. */
  async settled(tick = 0): Promise<any> {
    const fetched = async () => {
      const item = await this.newest()
      if (item.media.every((one: { state: string }) => one.state !== 'fetching')) return item
      if (tick > 0) this.clock.advance(tick)
    }
    return found('the files are fetched', fetched, undefined, 5)
  }
}
