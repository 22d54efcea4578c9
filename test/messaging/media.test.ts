/** Pictures of texts: a real box between a provider that calls it and servers that have the files. */
import { createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { receivedTextRoutes } from '../../daemon/inbox/text-routes.ts'
import { smsRoutes } from '../../daemon/messaging/routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { eraseText } from '../../daemon/messaging/part.ts'
import { mostFileBytes } from '../../daemon/messaging/media/fetcher.ts'
import { createMessaging, type Messaging } from '../../daemon/messaging/messaging.ts'
import { policiesOf } from '../../daemon/outbox/policies.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { accountSid, trunkAt } from '../sms-http/providers.ts'
import { log } from './stage.ts'
import { eventually, found } from '../harness/waiting.ts'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** A server of files on this machine. */
class Files {
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

class Box {
  readonly dir = mkdtempSync(join(tmpdir(), 'pbxd-media-'))
  readonly clock = new FakeClock(Date.now())
  readonly #provider: string
  store!: Store
  inbox!: Inbox
  messaging!: Messaging
  port = 0
  #close: () => Promise<void> = async () => undefined
  #sid = 0

  constructor(provider: string) {
    this.#provider = provider
  }

  static async open(t: Test, provider: string): Promise<Box> {
    const box = new Box(provider)
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
    const trunk = trunkAt(this.#provider, { id: 'carrier' })
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

  /** A text with these files comes; the status of the answer. */
  async comes(files: readonly string[], more: Record<string, string> = {}): Promise<number> {
    const url = `http://127.0.0.1:${this.port}/api/sms/webhook/carrier`
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

const account = `Basic ${Buffer.from(`${accountSid}:token`).toString('base64')}`
const picture = randomBytes(300_000)

t.test('pictures are fetched after the text is in the inbox, and served as downloads', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  const held = Promise.withResolvers<void>()
  files.served.set('/media/1', (_, response) => {
    void held.promise.then(() => response.writeHead(200, { 'content-type': 'image/jpeg; charset=binary' }).end(picture))
  })
  files.to('/media/2', '/cdn/2')
  files.file('/cdn/2', Buffer.from('BEGIN:VCARD'), 'text/vcard')
  t.equal(await box.comes([`${files.url}/media/1`, `${files.url}/media/2`]), 200, 'the provider is answered though its files are slow')
  const early = await box.newest()
  t.match(early, { body: '', mediaUrl: null, media: [{ state: 'fetching', bytes: null, contentType: 'image/jpeg' }, {}] })
  t.match(await box.get(early.media[0].mediaUrl), { status: 409, body: { code: 'media_fetching' } })
  held.resolve()
  const item = await box.settled()
  t.equal(item.id, early.id)
  t.same(
    item.media.map((one: { contentType: string; bytes: number; state: string }) => [one.contentType, one.bytes, one.state]),
    [
      ['image/jpeg', picture.length, 'stored'],
      ['text/vcard', 11, 'stored'],
    ],
  )
  t.ok(
    files.asked.filter(({ path }) => path.startsWith('/media')).every(({ authorization }) => authorization === account),
    'as the account',
  )
  t.match((await box.get(`/api/inbox/sms/${item.id}`)).body, item, 'and of itself')
  const got = await box.get(item.media[0].mediaUrl)
  t.ok(got.bytes.equals(picture))
  t.match(Object.fromEntries(got.headers), {
    'content-type': 'image/jpeg',
    'content-disposition': `attachment; filename="text-${item.media[0].id}.jpg"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'content-security-policy': /sandbox/,
  })
  t.equal((await box.get(item.media[0].mediaUrl, 'voice-only')).status, 403)
  t.equal((await box.get(item.media[0].mediaUrl, 'nobody')).status, 401)
  t.equal((await box.get('/api/inbox/sms/media/019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8')).status, 404)
  t.equal((await box.get('/api/inbox/sms/media/..%2f..%2fstore')).status, 404)
  const on = (): string[] => readdirSync(join(box.dir, 'inbox/sms'))
  t.equal(on().length, 2)
  t.equal((await box.get(`/api/inbox/sms/${item.id}`, 'the-token', 'DELETE')).status, 204)
  t.same(on(), [], 'the files go with their item')
  t.equal((await box.get(item.media[0].mediaUrl)).status, 410)
  t.equal((await box.get(`/api/inbox/sms/${item.id}`)).status, 410)
  t.equal(box.store.tables.textMedia.count(), 0)
})

t.test('words and a picture: both; the keyword is that of the words', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  await box.comes([files.file('/m', picture)], { Body: 'Stop. It bleeds', MessageType: 'image' })
  t.match(await box.settled(), { body: 'Stop. It bleeds', keyword: 'STOP', media: [{ state: 'stored' }] })
  await box.comes([], {
    Body: '',
    MessageType: 'location',
    Latitude: '30.2',
    Longitude: '-97.7',
    Label: 'Main St',
    From: 'whatsapp:+15550177',
  })
  t.match(await box.newest(), { from: '+15550177', body: '[by whatsapp]\n[place: 30.2, -97.7, Main St]', media: undefined })
  await box.comes([], { Body: 'Yes', ButtonText: 'Yes', ButtonPayload: 'confirm-7' })
  t.match(await box.newest(), { body: 'Yes\n[button: confirm-7]' })
  await box.comes([], { Body: '', MessageType: 'reaction' })
  t.match(await box.newest(), { body: /of the kind "reaction"/ })
  await box.comes([], { Body: '', NumMedia: '2' })
  t.match(await box.newest(), { media: [{ state: 'failed', reason: /no address/ }, {}] })
})

t.test('what cannot be fetched is tried again, and then says why', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  let broken = 3
  files.served.set('/late', (_, response) => {
    if (broken-- > 0) response.writeHead(broken === 1 ? 429 : 503).end()
    else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(picture)
  })
  files.served.set('/cut', (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' })
    response.write('half', () => response.destroy())
  })
  files.file('/page', Buffer.from('<html>log in'), 'text/html')
  files.served.set('/huge', (_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4' })
    response.on('error', () => undefined)
    for (let sent = 0; sent <= mostFileBytes; sent += 1 << 20) response.write(Buffer.alloc(1 << 20))
    response.end()
  })
  await box.comes(['/late', '/nothing', '/page', '/huge'].map((path) => files.url + path))
  const { media } = await box.settled(500)
  t.match(media[0], { state: 'stored', contentType: 'image/jpeg', bytes: picture.length }, 'the provider knows better than "octet-stream"')
  t.match(media[1], { state: 'failed', reason: 'the provider does not have it (HTTP 404)' })
  t.match(media[2], { state: 'failed', reason: /web page/ })
  t.match(media[3], { state: 'failed', reason: 'it is larger than 10 MiB' })
  t.match(await box.get(media[1].mediaUrl), { status: 404, body: { code: 'media_failed', error: /HTTP 404/ } })
  t.ok(files.count('/nothing') > 1 && files.count('/huge') === 1, 'only what may change is asked for again')
  await box.comes([`${files.url}/cut`])
  const tried = async () => /./.test((await box.newest()).media[0].reason ?? '')
  await eventually('it was tried', tried)
  t.match((await box.newest()).media, [{ state: 'fetching', bytes: null, reason: /./ }], 'half a file is none')
  t.same(
    readdirSync(join(box.dir, 'inbox/sms')).map((name) => name.slice(name.lastIndexOf('.'))),
    ['.jpg'],
    'nothing half written stays',
  )
})

t.test('a restart goes on with what was not fetched', async (t) => {
  const files = await Files.open(t)
  const box = await Box.open(t, files.url)
  files.served.set('/m', () => undefined)
  await box.comes([`${files.url}/m`])
  await eventually('it is asked for', () => files.count('/m') > 0, undefined, 5)
  files.file('/m', picture)
  const before = await box.newest()
  await box.restart()
  const { id, media } = await box.settled(500)
  t.equal(id, before.id)
  t.match(media, [{ id: before.media[0].id, state: 'stored', bytes: picture.length }])
  t.equal(await box.comes([`${files.url}/m`], { MessageSid: 'MM1' }), 200)
  t.equal((await box.get('/api/inbox/sms')).body.items.length, 1, 'the same text again brings nothing twice')
})

t.test('only what the provider may be asked for is asked for, and only the provider gets the secret', async (t) => {
  const files = await Files.open(t)
  const elsewhere = await Files.open(t, '127.0.0.2')
  const box = await Box.open(t, files.url)
  const refused = [
    elsewhere.file('/m', picture),
    'http://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/m',
    'https://[::ffff:192.168.1.1]/m',
    'file:///etc/passwd',
    'http://127.0.0.1:1/api/status',
    'https://user:secret@example.com/m',
    files.to('/to-metadata', 'http://169.254.169.254/'),
    files.to('/to-elsewhere', `${elsewhere.url}/m`, 302),
  ]
  await box.comes(refused)
  const { media } = await box.settled(500)
  for (const [index, one] of media.entries()) t.match(one, { state: 'failed', reason: /address is not permitted/ }, String(refused[index]))
  t.same(elsewhere.asked, [])
  const round = files.to('/round', '/round')
  await box.comes([round])
  t.match((await box.settled(500)).media, [{ state: 'failed', reason: /more than 5 times/ }])
  await box.comes(Array.from({ length: 12 }, (_, index) => files.file(`/${index}`, picture)))
  const many = (await box.settled(500)).media as { state: string; reason?: string }[]
  t.same(
    many.map(({ state }) => state),
    [...Array(10).fill('stored'), 'failed', 'failed'],
  )
  t.match(many[11], { reason: /10 files/ })
})
