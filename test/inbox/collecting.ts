/** A box with its inbox and its web port, of which tests make collectors and what these collect: real stores, real sockets, a time that stands still. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
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
import type { FakeClock } from '../harness/fake-clock.ts'
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
/** Of a collector's rounds. */
export const everyMs = 2000
/** Of each document and recording. */
export const content = '%PDF-1.4, all of it'

export interface Polled {
  readonly id: string
  readonly body: string
  readonly box?: string
  readonly site?: string
}

/** A box with its inbox and its web port; a collector where it has sources. */
export class Box {
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

  /** `id`: as whom it is collected. */
  source(token = 'the-token', id = this.id): Source {
    return new Source({ id, api: `http://127.0.0.1:${this.port}`, token })
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
  async polled(limit = 50, since = 0): Promise<Polled[]> {
    const all: Polled[] = []
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

export const bodies = (items: readonly { body: string }[]): string[] => items.map(({ body }) => body)
