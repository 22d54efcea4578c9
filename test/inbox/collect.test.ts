/** One inbox of several boxes: real stores and real sockets; time stands still until a test moves it. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { idsOfBox, newId } from '../../daemon/base/ids.ts'
import { createLog } from '../../daemon/base/log.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { startHttp, type HttpServer } from '../../daemon/http/server.ts'
import { Collector } from '../../daemon/inbox/collect/collector.ts'
import { Source } from '../../daemon/inbox/collect/source.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { receivedTextRoutes } from '../../daemon/inbox/text-routes.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { freePort } from '../harness/daemon.ts'
import { eventually } from '../harness/waiting.ts'
import { limits, tokenRow } from '../http/serve.ts'

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: any
}

const log = createLog({ level: 'silent' })
t.teardown(() => idsOfBox(undefined))
const dayMs = 86_400_000
const everyMs = 2000
const content = '%PDF-1.4, all of it'

/** A box with its inbox and its web port; a collector where it has sources. */
class Box {
  readonly id: string
  readonly dir = mkdtempSync(join(tmpdir(), 'pbxd-collect-'))
  readonly clock: FakeClock
  readonly port: number
  readonly #sources: () => Source[]
  #open: Source[] = []
  #http: HttpServer | undefined
  store!: Store
  inbox!: Inbox
  collector!: Collector

  private constructor(id: string, clock: FakeClock, port: number, sources: () => Source[]) {
    this.id = id
    this.clock = clock
    this.port = port
    this.#sources = sources
  }

  static async open(t: Test, id: string, clock: FakeClock, sources: () => Source[] = () => []): Promise<Box> {
    const box = new Box(id, clock, await freePort(), sources)
    await box.start()
    t.teardown(async () => {
      await box.stop()
      rmSync(box.dir, { recursive: true, force: true })
    })
    return box
  }

  async start(id = this.id): Promise<void> {
    const { clock, dir } = this
    this.store = await openStore(join(dir, 'store'), log)
    const { store } = this
    this.#open = this.#sources()
    const box = { id, ...(this.#open.length === 0 ? {} : { inbox: id }) }
    this.inbox = new Inbox({ store, clock, log, dir, keepDays: 90, mailboxes: ['101'], box, sources: this.#open })
    const erase = eraseItem(store, this.inbox, () => undefined)
    this.#http = await startHttp({
      listen: `127.0.0.1:${this.port}`,
      routes: [...inboxRoutes(this.inbox, erase), ...receivedTextRoutes(this.inbox)],
      tokens: accessTokens(
        [tokenRow('all', 'the-token', ['inbox']), { ...tokenRow('of 201', 'of-201', ['inbox']), mailboxes: ['201'] }],
        store.tables.tokens,
      ),
      ...{ limits, store, log, clock },
    })
    this.collector = new Collector({ sources: this.#open, collected: this.inbox.collected, clock, log })
    this.collector.start()
  }

  async stop(): Promise<void> {
    await this.collector.stop()
    await Promise.all(this.#open.map((source) => source.close()))
    await this.#http?.close(20)
    await this.store.close()
  }

  #newId(): string {
    idsOfBox(this.id)
    return newId()
  }

  source(token = 'the-token'): Source {
    return new Source({ id: this.id, api: `http://127.0.0.1:${this.port}`, token })
  }

  async receives(...bodies: readonly string[]): Promise<string[]> {
    const rows = bodies.map((body) => ({ id: this.#newId(), body }))
    const facts = {
      from: '+15551230001',
      to: '+15550001999',
      sha256: '',
      bytes: 0,
      segments: 1,
      encoding: 'GSM-7',
      trunkId: 'main',
    } as const
    const receivedAt = this.clock.now()
    await this.store.transaction(() => rows.forEach((row) => this.inbox.sms.insert({ ...facts, ...row, receivedAt })))
    return rows.map(({ id }) => id)
  }

  async receivesFax(): Promise<string> {
    const id = this.#newId()
    mkdirSync(join(this.dir, 'inbox/faxes'), { recursive: true })
    writeFileSync(join(this.dir, `inbox/faxes/${id}.pdf`), content)
    const who = { from: '+15551239999', to: '+15550001999', callerName: '', trunkId: 'main', callId: 'CA1', remoteStationId: 'X' }
    const how = { status: 'complete', resolution: 'fine', transport: 't38', bitRate: 9600, ecm: true, badRows: 0, t30Code: 0 } as const
    const fax = { id, receivedAt: this.clock.now(), pages: 1, durationSeconds: 9, ...who, ...how }
    await this.inbox.publishFax(fax, `inbox/faxes/${id}.pdf`, () => undefined)
    return id
  }

  async receivesMessage(ext: string): Promise<string> {
    const id = this.#newId()
    const recording = join(this.dir, 'recorded.wav')
    writeFileSync(recording, content)
    const who = { ext, from: '+15551239999', to: ext, callerName: '', callId: 'CA1', durationSeconds: 2 }
    const message = { id, receivedAt: this.clock.now(), ...who, transcript: '', transcriptStatus: 'off' as const }
    await this.inbox.publishVoicemail(message, recording)
    return id
  }

  async ask(path: string, { method = 'GET', token = 'the-token', headers = {} as Record<string, string> } = {}): Promise<Answer> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== ''
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }

  /** The texts of the whole feed, as a poller gets them by so many. */
  async polled(limit = 50, since = 0): Promise<{ body: string; box?: string }[]> {
    const all: { body: string; box?: string }[] = []
    for (let cursor = since; ;) {
      const { items, nextSince } = (await this.ask(`/api/inbox/sms?since=${cursor}&limit=${limit}`)).body
      all.push(...items)
      cursor = nextSince
      if (items.length < limit) return all
    }
  }

  /** Its collector polls until it is so. */
  async collects(what: string, is: () => boolean | Promise<boolean>): Promise<void> {
    await eventually(what, async () => {
      this.clock.advance(everyMs)
      return is()
    })
  }

  /** So many texts are there. */
  async has(texts: number): Promise<void> {
    await this.collects(`${texts} texts`, async () => (await this.polled()).length >= texts)
  }
}

interface Fleet {
  readonly clock: FakeClock
  readonly a: Box
  readonly b: Box
  readonly c: Box
}

async function fleet(t: Test, token?: string): Promise<Fleet> {
  const clock = new FakeClock(1_772_460_311_000)
  const b = await Box.open(t, '002', clock)
  const c = await Box.open(t, '003', clock)
  const a = await Box.open(t, '001', clock, () => [b.source(token), c.source()])
  return { clock, a, b, c }
}

const bodies = (items: readonly { body: string }[]): string[] => items.map(({ body }) => body)

t.test('own items and those of two boxes come once each, each box in its order, to a poller of any pace', async (t) => {
  const { a, b, c } = await fleet(t)
  const sent: string[] = []
  const seen: string[] = []
  let cursor = 0
  const poll = async (): Promise<number> => {
    const { items, nextSince } = (await a.ask(`/api/inbox/sms?since=${cursor}&limit=2`)).body
    t.ok(nextSince >= cursor)
    cursor = nextSince
    seen.push(...bodies(items))
    return items.length
  }
  for (let n = 0; n < 12; n++) {
    for (const box of [a, b, c]) {
      const texts = Array.from({ length: (n + Number(box.id)) % 3 }, (_, one) => `${box.id} ${n}.${one}`)
      sent.push(...texts)
      await box.receives(...texts)
    }
    a.clock.advance(everyMs)
    await poll()
  }
  await a.has(sent.length)
  while ((await poll()) > 0);
  t.same(seen.toSorted(), sent.toSorted(), 'each once')
  for (const box of ['001', '002', '003']) {
    const of = (all: readonly string[]): string[] => all.filter((text) => text.startsWith(box))
    t.same(of(seen), of(sent), `those of ${box} in order`)
  }
  for (const limit of [1, 3, 500]) t.same(bodies(await a.polled(limit)), seen, `the same order by ${limit} at once`)
  t.same(
    (await a.polled()).map(({ body, box }) => box ?? body.slice(0, 3)),
    (await a.polled()).map(({ body }) => body.slice(0, 3)),
    'each item of another box names it',
  )
})

t.test('a box that is away holds nobody up, is reported after a minute, and its items come later', async (t) => {
  const { clock, a, b, c } = await fleet(t)
  await b.receives('before')
  await a.has(1)
  await b.stop()
  await c.receives('of another')
  await a.has(2)
  t.same(a.collector.warnings(), [])
  await a.collects('the fault is known', () => a.collector.warnings().length > 0)
  t.match(a.collector.warnings(), [{ code: 'collect-002', severity: 'warning', text: /^Box 002 does not answer/ }])
  await b.start()
  await b.receives('after')
  await a.has(3)
  t.same(bodies(await a.polled()), ['before', 'of another', 'after'])
  await a.collects('all is well', () => a.collector.warnings().length === 0)
  void clock
})

t.test('a refused token is reported at once and tried again each minute; another box at the address as well', async (t) => {
  const { clock, a, b } = await fleet(t, 'wrong')
  await b.receives('waits')
  await eventually('it is refused', () => a.collector.warnings().length > 0)
  t.match(a.collector.warnings(), [{ code: 'collect-002', severity: 'error', text: /^Box 002 refuses the token/ }])
  await b.store.transaction(() => b.store.tables.tokens.put('collector', tokenRow('collector', 'wrong', ['inbox'])))
  await b.stop()
  await b.start('00b')
  clock.advance(58_000)
  t.match(a.collector.warnings(), [{ text: /token/ }])
  clock.advance(2000)
  await eventually('it is another box', () => /another one/.test(String(a.collector.warnings()[0]?.text)))
  t.same(await a.polled(), [])
  await b.stop()
  await b.start()
  await a.has(1)
  t.same(a.collector.warnings(), [])
})

t.test('a page that is too long is asked for in halves', async (t) => {
  const { a, b } = await fleet(t)
  const long = Array.from({ length: 40 }, (_, n) => `${n} ${'x'.repeat(100_000)}`)
  await b.receives(...long)
  await a.has(40)
  t.same(
    bodies(await a.polled(7)).map((body) => body.split(' ')[0]),
    long.map((body) => body.split(' ')[0]),
  )
  t.same(a.collector.warnings(), [])
})

t.test('what is known does not come again: after a restart, after restores on either side, by a cursor of the future', async (t) => {
  const { clock, a, b } = await fleet(t)
  await b.receives('one', 'two')
  await a.has(2)
  const cursors = [0, clock.now() + 40 * dayMs]
  for (const [n, cursor] of cursors.entries()) {
    await a.store.transaction(() => a.store.tables.meta.put('collect:002:sms', cursor))
    await a.stop()
    await a.start()
    await b.receives(`more ${n}`)
    await a.has(3 + n)
  }
  t.same(bodies(await a.polled()), ['one', 'two', 'more 0', 'more 1'])
  // The other box is as it was a while ago, and its clock is late.
  await b.stop()
  clock.set(clock.now() - dayMs)
  rmSync(join(b.dir, 'store'), { recursive: true })
  await b.start()
  await b.receives('after the restore')
  await a.has(5)
  t.same(bodies(await a.polled()).at(-1), 'after the restore')
})

t.test('items that a box has collected itself are left to the box that received them', async (t) => {
  const { clock, a, b } = await fleet(t)
  const upper = await Box.open(t, '00f', clock, () => [a.source(), b.source()])
  await b.receives('of b')
  await a.receives('of a')
  await a.has(2)
  await upper.has(2)
  t.same((await upper.polled()).map(({ body, box }) => [body, box]).toSorted(), [
    ['of a', '001'],
    ['of b', '002'],
  ])
})

t.test('media come through: Range, ETag, private; 503 box_unreachable while the box is away; nothing stays behind', async (t) => {
  const { a, b } = await fleet(t)
  const id = await b.receivesFax()
  const path = `/api/inbox/faxes/${id}.pdf`
  t.match(await a.ask(path), { status: 409, body: { code: 'inbox_elsewhere' } }, 'before it was collected')
  await a.collects('the fax', async () => (await a.ask('/api/inbox/faxes')).body.items.length === 1)
  const whole = await a.ask(path)
  t.same([whole.status, whole.text], [200, content])
  t.match(Object.fromEntries(whole.headers), {
    'content-type': 'application/pdf',
    etag: `"${createHash('sha256').update(content).digest('hex')}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  t.match(await a.ask(path, { headers: { range: 'bytes=1-3' } }), { status: 206, text: 'PDF' })
  t.equal((await a.ask(`/api/inbox/voicemails/${id}.wav`)).status, 404, 'it is no voicemail')
  const text = (await b.receives('as it is now'))[0]!
  await a.has(1)
  t.match(await a.ask(`/api/inbox/sms/${text}`), { status: 200, body: { id: text, box: '002', body: 'as it is now' } })
  await b.stop()
  for (const asked of [path, `/api/inbox/sms/${text}`]) {
    const away = await a.ask(asked)
    t.match(away, { status: 503, body: { code: 'box_unreachable' } }, asked)
    t.equal(away.headers.get('retry-after'), '5')
  }
  await b.start()
  t.equal((await a.ask(path)).status, 200)
  const left = join(a.dir, 'cache/collected')
  await eventually('no file is left', () => existsSync(left) && readdirSync(left).length === 0)
})

t.test('a deletion is carried out at both boxes, or at none while the other one is away', async (t) => {
  const { a, b } = await fleet(t)
  const [one = '', two = ''] = await b.receives('one', 'two')
  const fax = await b.receivesFax()
  await a.has(2)
  await a.collects('the fax', async () => (await a.ask('/api/inbox/faxes')).body.items.length === 1)
  await b.stop()
  t.match(await a.ask(`/api/inbox/sms/${one}`, { method: 'DELETE' }), { status: 503, body: { code: 'box_unreachable' } })
  t.equal((await a.polled()).length, 2)
  await b.start()
  t.equal((await a.ask(`/api/inbox/faxes/${one}`, { method: 'DELETE' })).status, 404, 'it is no fax')
  t.equal((await a.ask(`/api/inbox/sms/${one}`, { method: 'DELETE' })).status, 204)
  t.equal((await a.ask(`/api/inbox/faxes/${fax}`, { method: 'DELETE' })).status, 204)
  t.same([bodies(await a.polled()), bodies(await b.polled())], [['two'], ['two']])
  t.match(await a.ask(`/api/inbox/sms/${one}`, { method: 'DELETE' }), { status: 410, body: { code: 'media_expired' } })
  t.match(await a.ask(`/api/inbox/faxes/${fax}.pdf`), { status: 410 })
  t.equal((await b.ask(`/api/inbox/sms/${two}`, { method: 'DELETE' })).status, 204, 'at the other box alone')
  t.equal((await a.ask(`/api/inbox/sms/${two}`, { method: 'DELETE' })).status, 204, 'then here as well')
  await a.stop()
  await a.start()
  await b.receives('three')
  await a.has(1)
  t.same(bodies(await a.polled()), ['three'], 'what was deleted does not come again')
})

t.test('voicemail by mailbox, of any box, and only what the token reaches', async (t) => {
  const { a, b } = await fleet(t)
  const [own, far, other] = [await a.receivesMessage('101'), await b.receivesMessage('201'), await b.receivesMessage('202')]
  const ids = async (query: string, token?: string) =>
    (await a.ask(`/api/inbox/voicemails${query}`, { ...(token && { token }) })).body.items.map(({ id }: { id: string }) => id)
  await a.collects('all of them', async () => (await ids('')).length === 3)
  t.same(await ids('?ext=201'), [far])
  t.same(await ids('?ext=101'), [own])
  t.same(await ids('?ext=999'), [], 'it may be of a box that has received nothing yet')
  t.match(await b.ask('/api/inbox/voicemails?ext=999'), { status: 404, body: { code: 'mailbox_unknown' } }, 'a box that collects nothing')
  t.same(await ids('', 'of-201'), [far])
  const of = async (id: string, method = 'GET') =>
    (await a.ask(`/api/inbox/voicemails/${id}${method === 'GET' ? '.wav' : ''}`, { token: 'of-201', method })).status
  t.same([await of(far), await of(other), await of(own), await of(other, 'DELETE'), await of(far, 'DELETE')], [200, 404, 404, 404, 204])
})

t.test('what was collected is kept for its days, counted from then, and is forgotten a year later', async (t) => {
  const { clock, a, b } = await fleet(t)
  const [id = ''] = await b.receives('old')
  clock.advance(60 * dayMs)
  await a.has(1)
  clock.advance(89 * dayMs)
  t.equal(await a.inbox.sweep(), 0)
  clock.advance(2 * dayMs)
  t.equal(await a.inbox.sweep(), 1)
  t.match(await a.ask(`/api/inbox/sms/${id}`), { status: 410 })
  clock.advance(366 * dayMs)
  await a.inbox.sweep()
  t.equal(a.store.tables.collectedIds.count(), 0)
})
