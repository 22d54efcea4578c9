/** A box that faxes: real store, outbox, calls, queue and receiver; the driver stands in for SIP, time stands still. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Calls } from '../../daemon/calls/calls.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import type { InboundCall } from '../../drivers/line.ts'
import { FaxDocuments } from '../../daemon/fax/documents.ts'
import { createFax, type Fax } from '../../daemon/fax/fax.ts'
import { isTerminal } from '../../daemon/fax/job.ts'
import { FaxQueue } from '../../daemon/fax/queue.ts'
import { SipFaxLines } from '../../daemon/fax/sip-line.ts'
import { PageError } from '../../daemon/fax/pages/pages.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createOutbox, type Outbox } from '../../daemon/outbox/outbox.ts'
import type { Routing } from '../../daemon/routing/routing.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { FaxRow } from '../../daemon/store/tables.ts'
import '../harness/events-fit.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { houseOver } from '../harness/routing.ts'
import { faxRow } from './rows.ts'
import { StandInDriver, type StandInLeg } from './stand-in-driver.ts'

export const log = createLog({ level: 'silent' })
export const policy = { allowLoopback: true, ownPorts: [] }

const settings = {
  site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' },
  callbacks: { secret: 'whsec_callbacks_0123456789abcdef', allowLoopback: true },
  trunks: [{ id: 'main', server: '127.0.0.1', register: false, numbers: ['+15550001999'], channels: 3, default: true }],
  inbound: [{ trunk: 'main', to: '+15550001999', destination: 'fax' }],
  mailboxes: [{ ext: '101' }],
}

const nothing = async () => undefined
const nobody = { inbound: nothing, answered: nothing, takeOver: nothing }

export class Stage {
  readonly dir = mkdtempSync(join(tmpdir(), 'pbxd-fax-'))
  readonly clock = new FakeClock(Date.now())
  readonly alerts: string[] = []
  readonly cleared: string[] = []
  readonly config = parseConfig(JSON.stringify({ ...settings, storage: { dir: join(this.dir, 'var') } }), join(this.dir, 'pbxd.yaml'))
    .config
  store!: Store
  outbox!: Outbox
  driver!: StandInDriver
  calls!: Calls
  routing!: Routing
  inbox!: Inbox
  fax!: Fax
  /** Draws nothing, so that a test takes no time; `fax.queue` draws. */
  queue!: FaxQueue
  documents!: FaxDocuments
  /** Pages of a fax that is drawn, by its id; 2 unless set. A text: why it cannot be. */
  readonly drawn = new Map<string, number | string>()
  rendered = 0
  diskFull = false

  static async open(t: Test): Promise<Stage> {
    const stage = new Stage()
    await stage.start()
    t.teardown(async () => {
      await stage.stop()
      rmSync(stage.dir, { recursive: true, force: true })
    })
    return stage
  }

  async start(): Promise<void> {
    const { config, clock } = this
    const store = (this.store = await openStore(join(config.storage.dir, 'store'), log))
    this.driver = new StandInDriver()
    this.outbox = createOutbox({ store, clock, log, policy, secret: () => 'whsec', version: '1.2.3' })
    const { outbox, driver } = this
    this.calls = new Calls({ config, store, outbox, clock, log, apologise: nothing })
    const { routing } = houseOver({ config, store, clock, log, calls: this.calls }, [{ driver, serves: () => true }], {
      applications: nobody,
      receiveFax: (call) => this.fax.receiver.receive(call),
    })
    this.routing = routing
    const { trunks, inbound } = routing
    this.inbox = new Inbox({ store, clock, log, dir: config.storage.dir, keepDays: 90, mailboxes: ['101'] })
    const alert = (code: string): void => void this.alerts.push(code)
    const cleared = (code: string): void => void this.cleared.push(code)
    const take = (call: InboundCall): void => void inbound.take(call)
    const shared = { config, store, outbox, calls: this.calls, clock, log }
    this.fax = createFax({ ...shared, trunks, inbound: take, inbox: this.inbox, policy, alert, clear: cleared })
    await driver.start({ inbound: take, statusChanged: () => undefined })
    this.documents = new FaxDocuments(join(config.storage.dir, 'fax', 'out'))
    this.queue = new FaxQueue({
      settings: { stationId: '+1 555 000 1999', header: 'Riverside Clinic', timeZone: 'America/New_York', ecm: true, v17: true },
      most: { waiting: 5, calls: 8 },
      store,
      outbox,
      clock,
      log,
      documents: this.documents,
      lines: new SipFaxLines({ config, calls: this.calls, trunks, clock }),
      render: async (row) => {
        this.rendered += 1
        if (this.diskFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        const pages = this.drawn.get(row.faxId) ?? 2
        if (typeof pages === 'string') throw new PageError('pdf_unreadable', pages)
        const files = this.documents.of(row.faxId)
        mkdirSync(files.directory, { recursive: true })
        for (const file of [files.fine, files.standard]) writeFileSync(file, 'pages')
        const bytes = Array.from({ length: pages }, () => 20_000)
        return { ...files, pages, bytesPerPage: bytes, standardBytesPerPage: bytes, millisecondsPerPage: bytes }
      },
      alert,
      clear: (code) => this.cleared.push(code),
      random: () => 0.5,
    })
  }

  /** As `kill -9` would: nothing is reported, what is on the disk stays. */
  async crash(): Promise<void> {
    this.queue.drain()
    this.fax.drain()
    // The row of the moment is what the next start finds, not what the last words of this one would make of it.
    await this.store.close()
    await this.start()
  }

  async stop(): Promise<void> {
    this.queue.drain()
    for (const leg of this.driver.legs) leg.end()
    let stopped = false
    void Promise.all([this.queue.stop(), this.fax.stop()]).then(() => (stopped = true))
    await this.until(() => stopped, 'the stop', 100)
    await this.outbox.stop()
    await this.store.close()
  }

  async add(changes: Partial<FaxRow> = {}): Promise<string> {
    const row = faxRow({ statusCallbackUrl: 'http://127.0.0.1:9/done', ...changes }, this.clock.now())
    await this.queue.add(row)
    return row.faxId
  }

  row(faxId: string): FaxRow {
    return this.queue.find(faxId)!.row
  }

  /** Real time goes on until it is so; the clock of the stage by `tick` milliseconds each turn. */
  async until(is: () => boolean, what = 'what was waited for', tick = 1): Promise<void> {
    // Pages are drawn by a real program: on a busy machine real time goes on when the clock of the stage has long come to its end.
    for (let turn = 0; turn < 25_000; turn++) {
      if (is()) return
      if (turn < 4000) this.clock.advance(tick)
      await new Promise((resolve) => setImmediate(resolve))
      if (turn > 200) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    throw new Error(`${what} never came`)
  }

  /** The next leg that is dialled. */
  async dialled(count: number): Promise<StandInLeg> {
    await this.until(() => this.driver.legs.length >= count, `call ${count}`)
    return this.driver.legs[count - 1]!
  }

  async over(faxId: string): Promise<FaxRow> {
    await this.until(() => isTerminal(this.store.tables.faxes.get(faxId)?.state ?? 'queued'), 'the end')
    return this.store.tables.faxes.get(faxId)!
  }

  callbacks(): Record<string, unknown>[] {
    return [...this.store.tables.outbox.range()].map(({ value }) => JSON.parse(value.body) as Record<string, unknown>)
  }
}

/** A far end that takes `pages` pages and says goodbye. */
export async function takes(stage: Stage, leg: StandInLeg, pages: number): Promise<void> {
  leg.ring()
  leg.pickUp()
  await stage.until(() => leg.sent !== null, 'sendFax')
  leg.progress({ phase: 'negotiating', remoteId: '+1 555 123 0001' })
  leg.progress({ phase: 'training', bitRate: 14_400, ecm: true, resolution: 'fine' })
  for (let page = 1; page <= pages; page++) {
    leg.progress({ phase: 'page' })
    leg.progress({ phase: 'confirmed', pages: page })
  }
}
