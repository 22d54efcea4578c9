/** A box that texts: real store, inbox, queue and web port; the trunks are scripted, time stands still. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { eraseText } from '../../daemon/messaging/part.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { smsRoutes } from '../../daemon/messaging/routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createMessaging, type Messaging } from '../../daemon/messaging/messaging.ts'
import { policiesOf } from '../../daemon/outbox/policies.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { InboxSmsRow, SmsRow } from '../../daemon/store/tables.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { ScriptedTrunk, type Handed } from './scripted-trunk.ts'

export const log = createLog({ level: 'silent' })

export const patient = '+15551230001'

export interface Answer {
  status: number
  headers: Headers
  text: string
  body: any
}

export type Ask = (
  method: string,
  path: string,
  options?: { json?: unknown; raw?: string; headers?: Record<string, string>; token?: string },
) => Promise<Answer>

export class Stage {
  readonly dir = mkdtempSync(join(tmpdir(), 'pbxd-sms-'))
  readonly clock = new FakeClock(Date.now())
  trunks: ScriptedTrunk[] = [new ScriptedTrunk()]
  readonly sms: Record<string, unknown>
  store!: Store
  inbox!: Inbox
  messaging!: Messaging

  constructor(sms: Record<string, unknown>) {
    this.sms = sms
  }

  static async open(t: Test, sms: Record<string, unknown> = {}, trunks?: ScriptedTrunk[]): Promise<Stage> {
    const stage = new Stage(sms)
    if (trunks !== undefined) stage.trunks = trunks
    await stage.start()
    t.teardown(async () => {
      await stage.stop()
      rmSync(stage.dir, { recursive: true, force: true })
    })
    return stage
  }

  get trunk(): ScriptedTrunk {
    return this.trunks[0]!
  }

  async start(): Promise<void> {
    const { clock } = this
    const settings = {
      site: { country: 'US' },
      storage: { dir: join(this.dir, 'var') },
      extensions: [{ number: '101', password: 'a-long-password' }],
      sms: { ...this.sms, trunks: this.trunks.map(({ id, number }) => ({ id, kind: 'sim', ...(number === '' ? {} : { number }) })) },
    }
    const { config } = parseConfig(JSON.stringify(settings), join(this.dir, 'pbxd.yaml'))
    const store = (this.store = await openStore(join(config.storage.dir, 'store'), log))
    this.inbox = new Inbox({ store, clock, log, dir: config.storage.dir, keepDays: 90, mailboxes: [] })
    this.messaging = createMessaging({ config, store, inbox: this.inbox, clock, log, trunks: this.trunks, policies: policiesOf(config) })
    this.messaging.start()
  }

  /** As `kill -9` would: what is on the disk stays, and what is under way is never heard of. */
  async crash(): Promise<void> {
    this.messaging.queue.drain()
    await this.store.close()
    this.trunks = this.trunks.map((old) => {
      const trunk = new ScriptedTrunk(old.id, old.number)
      return Object.assign(trunk, { window: old.window, ...(old.lookUp === undefined ? {} : { lookUp: old.lookUp }) })
    })
    await this.start()
  }

  async stop(): Promise<void> {
    let stopped = false
    void this.messaging.stop().then(() => (stopped = true))
    await this.until(() => stopped, 'the stop', 100)
    await this.store.close()
  }

  async served(t: Test): Promise<Ask> {
    const { messaging, inbox, store, clock } = this
    const { queue } = messaging
    const http = await startHttp({
      listen: '127.0.0.1:0',
      routes: [
        ...smsRoutes(messaging, eraseText(store, queue)),
        ...inboxRoutes(
          inbox,
          eraseItem(store, inbox, () => undefined),
        ),
      ],
      tokens: accessTokens(
        [tokenRow('all', 'the-token', ['send', 'inbox']), tokenRow('voice', 'voice-only', ['voice'])],
        store.tables.tokens,
      ),
      limits,
      store,
      log,
      clock,
    })
    t.teardown(() => http.close(500))
    return async (method, path, { json, raw, headers, token = 'the-token' } = {}) => {
      const body = json === undefined ? raw : JSON.stringify(json)
      const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, {
        method,
        headers: {
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json') === true
      return { status: answer.status, headers: answer.headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined }
    }
  }

  /** Its messageId. */
  async text(body = 'Hello', to = patient): Promise<string> {
    const sent = await this.messaging.sendText({ to, body })
    if (!('messageId' in sent)) throw new Error(sent.error)
    return sent.messageId
  }

  /** As it is on the disk. */
  row(messageId: string): SmsRow {
    return this.store.tables.sms.get(messageId)!
  }

  items(): InboxSmsRow[] {
    return [...this.store.tables.inboxSms.range()].map(({ value }) => value)
  }

  /** The text that was handed over as number `count`. */
  async handed(count: number, trunk = this.trunk): Promise<Handed> {
    await this.until(() => trunk.handed.length >= count, `text ${count}`)
    return trunk.handed[count - 1]!
  }

  async state(messageId: string, state: SmsRow['state']): Promise<SmsRow> {
    await this.until(() => this.row(messageId).state === state, `the state ${state}`)
    return this.row(messageId)
  }

  /** Real time goes on until it is so; the clock of the stage by `tick` milliseconds each turn. */
  async until(is: () => boolean, what = 'what was waited for', tick = 0): Promise<void> {
    for (let turn = 0; turn < 4000; turn++) {
      if (is()) return
      if (tick > 0) this.clock.advance(tick)
      await new Promise((resolve) => setImmediate(resolve))
      if (turn > 200) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    throw new Error(`${what} never came`)
  }
}
