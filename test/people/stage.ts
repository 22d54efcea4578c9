/** A web port with people behind it, on a real store and real sockets, and browsers that keep cookies. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { request, type Dispatcher } from 'undici'
import { Trail } from '../../daemon/audit/trail.ts'
import { Health, type CodedWarning } from '../../daemon/base/health.ts'
import { createLog } from '../../daemon/base/log.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { consolePart } from '../../daemon/console/part.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { namesOf } from '../../daemon/http/hosts.ts'
import type { Route } from '../../daemon/http/route.ts'
import { startHttp, type HttpServer } from '../../daemon/http/server.ts'
import { peoplePart } from '../../daemon/people/part.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import { root } from '../harness/daemon.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { all, limits, sendOnly, tokenRow } from '../http/serve.ts'

const log = createLog({ level: 'silent', pretty: false })
const tokens = [tokenRow('all', all, ['send', 'inbox', 'voice', 'crm', 'admin']), tokenRow('sender', sendOnly, ['send'])]

/** What a password costs is not what these tests are of. */
const cheap = { N: 2 ** 10, r: 8, p: 1 }

export const password = 'seven green lamps over water'

export interface Answer {
  readonly status: number
  readonly json: any
  readonly text: string
  readonly setCookie: readonly string[]
  /** Of Cache-Control. */
  readonly caching: string | undefined
}

export class Box {
  readonly dir = mkdtempSync(join(tmpdir(), 'pbxd-people-'))
  readonly clock = new FakeClock()
  readonly health = new Health(() => this.clock.now())
  warnings: () => Iterable<CodedWarning> = () => []
  readonly #settings: object
  readonly #more: (box: Box) => readonly Route[]
  store!: Store
  trail!: Trail
  server!: HttpServer

  /** `more`: routes besides those of people, made when the store is open. */
  constructor(settings: object, more: (box: Box) => readonly Route[] = () => []) {
    this.#settings = { limits: { authFailuresPerMinute: 1000 }, ...settings }
    this.#more = more
  }

  static async open(t: Test, settings: object = {}, more?: (box: Box) => readonly Route[]): Promise<Box> {
    const box = new Box(settings, more)
    await box.start()
    t.teardown(() => box.remove())
    return box
  }

  async start(): Promise<void> {
    const text = JSON.stringify({ site: { name: 'Riverside' }, storage: { dir: this.dir }, ...this.#settings })
    const { config } = parseConfig(text, join(this.dir, 'pbxd.yaml'))
    this.store = await openStore(join(this.dir, 'store'), log)
    this.trail = new Trail({ store: this.store, clock: this.clock, log })
    const { store, clock, health } = this
    const part = peoplePart({ config, store, clock }, { waiting: () => 0, cost: cheap })
    this.warnings = () => part.warnings?.() ?? []
    const pages = consolePart({ config, root, health, log }, part)
    this.server = await startHttp({
      listen: '127.0.0.1:0',
      routes: [...(part.routes ?? []), ...(pages.routes ?? []), ...this.#more(this)],
      tokens: accessTokens(tokens, this.store.tables.tokens),
      ...(part.door === null ? {} : { people: part.door }),
      names: namesOf([]),
      limits,
      store: this.store,
      trail: this.trail,
      log,
      clock: this.clock,
    })
  }

  /** As after a restart: the same store, another program. */
  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async stop(): Promise<void> {
    await this.server.close(1_000)
    await this.trail.stop()
    await this.store.close()
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.dir, { recursive: true, force: true })
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`
  }

  /** A program with every right. */
  program(token = all): Browser {
    return new Browser(this, { authorization: `Bearer ${token}` })
  }

  browser(): Browser {
    return new Browser(this, { 'sec-fetch-site': 'same-origin' })
  }

  /** One that knows no Fetch Metadata. */
  browserWithout(): Browser {
    return new Browser(this, {})
  }

  /** A person who has set the password in a browser of the own. */
  async person(
    wanted: { login: string; roles: readonly string[] } & object,
    secret = password,
  ): Promise<{ browser: Browser; personId: string }> {
    const { json } = await this.program().ask('POST', '/api/people', { name: wanted.login, ...wanted })
    const invited = await this.program().ask('POST', `/api/people/${json.personId}/invite`)
    const browser = this.browser()
    const { status, text } = await browser.ask('POST', '/api/session/setup', { code: invited.json.code, password: secret })
    if (status !== 200) throw new Error(`${status} ${text}`)
    return { browser, personId: json.personId }
  }
}

export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #box: { readonly url: string }
  readonly #headers: Readonly<Record<string, string>>

  constructor(box: { readonly url: string }, headers: Readonly<Record<string, string>>) {
    this.#box = box
    this.#headers = headers
  }

  async ask(method: Dispatcher.HttpMethod, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const given = { ...this.#headers, ...(cookie === '' ? {} : { cookie }), ...headers }
    const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
    const answer = await request(this.#box.url + path, {
      method,
      headers: { ...sent, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    const setCookie = [answer.headers['set-cookie'] ?? []].flat()
    for (const line of setCookie) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const caching = String(answer.headers['cache-control'])
    const isJson = /json/.test(String(answer.headers['content-type']))
    return { status: answer.statusCode, text, setCookie, caching, json: isJson && text !== '' ? JSON.parse(text) : null }
  }

  signIn(login: string, secret = password, code?: string): Promise<Answer> {
    return this.ask('POST', '/api/session', { login, password: secret, ...(code === undefined ? {} : { code }) })
  }

  session(): Promise<Answer> {
    return this.ask('GET', '/api/session')
  }
}
