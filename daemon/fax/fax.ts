/**
 * Faxes, put together: documents and queue of what is sent, receiver of what comes in. The daemon makes one of these, gives
 * its parts to the routes and the control socket, and starts and stops it with the calls.
 */
import { join } from 'node:path'
import type { FaxLine as ModemLine } from '../../drivers/fax.ts'
import type { ApplicationRunner, Calls } from '../calls/calls.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Log } from '../log.ts'
import type { AddressPolicy } from '../outbox/address.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Config } from '../schema/config.ts'
import { freeBytes } from '../store/disk.ts'
import type { Store } from '../store/store.ts'
import type { FaxRow } from '../store/tables.ts'
import { faxCondition, receivingTrunks, type FaxCondition } from './condition.ts'
import { FaxDocuments } from './documents.ts'
import { isOver } from './job.ts'
import type { FaxLines } from './line.ts'
import { CombinedLines, ModemFaxLines, takeRings } from './modem-line.ts'
import { renderJob, type CoverContent } from './pages/pages.ts'
import { FaxQueue } from './queue.ts'
import { FaxReceiver } from './receive.ts'
import { SharedNumber, type SharedNumberOptions } from './shared-number.ts'
import { SipFaxLines, type FaxDriver } from './sip-line.ts'
import { FaxDesk } from './submit.ts'

export interface FaxOptions {
  readonly config: Config
  readonly store: Store
  readonly outbox: Outbox
  readonly calls: Calls
  readonly driver: FaxDriver
  readonly inbox: Inbox
  readonly clock: Clock
  readonly log: Log
  /** Where callbacks may go. */
  readonly policy: AddressPolicy
  /** Something a person should look at. */
  readonly alert: (code: string, text: string) => void
  /** What an alert told of is mended. */
  readonly mended?: (code: string) => void
  /** Lines on modems that may fax. */
  readonly modems?: readonly ModemLine[]
  /** In place of the modems and the SIP trunks. */
  readonly lines?: FaxLines
}

export interface Fax {
  readonly queue: FaxQueue
  readonly desk: FaxDesk
  readonly receiver: FaxReceiver
  hasLine(): boolean
  condition(): FaxCondition
  /** The same application, on numbers that take faxes too. */
  shares(application: SharedNumberOptions['application']): ApplicationRunner
  /** Takes up what the last run of the daemon left; after the driver has started. */
  start(): void
  /** No new calls; before the calls are drained. */
  drain(): void
  /** After the calls are drained and before the store is closed. */
  stop(): Promise<void>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Rows of faxes are kept as long as those of calls. */
const keepRowsMs = 90 * dayMs
const longestStationId = 20

export function createFax(options: FaxOptions): Fax {
  const { config, store, outbox, clock, log, inbox } = options
  const { fax, site, storage } = config
  const documents = new FaxDocuments(join(storage.dir, 'fax', 'out'))
  const modems = options.modems ?? []
  const lines = options.lines ?? new CombinedLines([new ModemFaxLines({ ...options, modems }), new SipFaxLines(options)])
  const windowMs = fax.windowHours * hourMs
  const stationId = stationIdOf(fax.stationId ?? lines.number())
  const header = fax.header ?? latin1(site.name).slice(0, 50)
  const queue = new FaxQueue({
    settings: {
      stationId,
      header: latin1(header),
      timeZone: site.timeZone,
      ecm: fax.ecm,
      v17: fax.v17,
    },
    most: { waiting: fax.queue, calls: fax.calls },
    store,
    outbox,
    clock,
    log,
    documents,
    lines,
    alert: options.alert,
    ...(options.mended === undefined ? {} : { mended: options.mended }),
    render: (row, signal) => {
      const { pdf, directory } = documents.of(row.faxId)
      const cover = row.cover === null ? {} : { cover: coverContent(row, config, header, stationId) }
      return renderJob({ pdf, directory, limits: { mostPages: fax.pages }, signal, ...cover })
    },
  })
  const desk = new FaxDesk({
    queue,
    documents,
    clock,
    policy: options.policy,
    country: site.country,
    windowMs,
    mostPages: fax.pages,
    mostBytes: fax.pdfMegabytes * 1024 * 1024,
    from: () => lines.number(),
  })
  const receiver = new FaxReceiver({
    store,
    inbox,
    clock,
    log,
    dir: storage.dir,
    stationId,
    ecm: fax.ecm,
    t38: (trunkId) => config.trunks.find((trunk) => trunk.id === trunkId)?.t38 ?? false,
    reserveBytes: fax.freeMegabytes * 1024 * 1024,
    freeBytes: () => freeBytes(storage.dir),
    arrived: (item) => queue.figures.arrived(item),
  })
  const receiving = receivingTrunks(config)
  const purge = purgeFaxes({ store, clock, log, documents, keepMs: fax.keepDays * dayMs })
  let timer: Timer | null = null
  let stopped = false
  let purging: Promise<void> = Promise.resolve()
  const sweep = (ms: number): void => {
    timer = clock.after(ms, () => {
      purging = purge()
        .catch((error: unknown) => log.error({ err: error }, 'old faxes could not be removed'))
        .then(() => (stopped ? undefined : sweep(hourMs)))
    })
  }
  let recovering: Promise<unknown> = Promise.resolve()
  let leaveRings = (): void => undefined
  return {
    queue,
    desk,
    receiver,
    hasLine: () => lines.configured(),
    condition: () => faxCondition({ lines: queue.lines(), room: receiver.ready(), reserveMegabytes: fax.freeMegabytes, receiving }),
    shares: (application) => new SharedNumber({ application, receiver, clock, log }),
    start() {
      leaveRings = takeRings(modems, options.calls)
      queue.start()
      recovering = receiver
        .recover()
        .catch((error: unknown) => log.error({ err: error }, 'received faxes of before could not be delivered'))
      sweep(10_000)
    },
    drain() {
      leaveRings()
      queue.drain()
    },
    async stop() {
      stopped = true
      timer?.cancel()
      await Promise.all([queue.stop(), purging, recovering])
    },
  }
}

interface PurgeOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly documents: FaxDocuments
  readonly keepMs: number
}

/** Removes documents and rows past their time, and directories of requests that a crash cut off before their row. */
function purgeFaxes({ store, clock, log, documents, keepMs }: PurgeOptions): () => Promise<void> {
  const { faxes } = store.tables
  return async () => {
    const now = clock.now()
    const old: string[] = []
    for (const { key, value } of faxes.range()) {
      if (isOver(value.state) && now - (value.completedAt ?? value.createdAt) > keepRowsMs) old.push(key)
      if (old.length === 500) break
    }
    if (old.length > 0) {
      await store.transaction(() => {
        for (const key of old) faxes.remove(key)
      })
    }
    const removed = await documents.sweep((faxId, modifiedAt) => {
      const row = faxes.get(faxId)
      // A request under way has a directory but no row yet.
      if (row === undefined) return now - modifiedAt < hourMs
      return !isOver(row.state) || now - (row.completedAt ?? 0) < keepMs
    })
    if (old.length + removed > 0) log.info({ faxes: old.length, documents: removed }, 'removed faxes past their time')
  }
}

function coverContent(row: FaxRow, config: Config, organisation: string, organisationNumber: string): CoverContent {
  const { cover, to, createdAt } = row
  return {
    organisation,
    organisationNumber,
    to: cover?.to ?? to,
    faxNumber: to,
    ...(cover?.from === undefined ? {} : { from: cover.from }),
    ...(cover?.subject === undefined ? {} : { subject: cover.subject }),
    sentAt: createdAt,
    timeZone: config.site.timeZone,
    ...(config.fax.confidentiality === '' ? {} : { confidentiality: config.fax.confidentiality }),
  }
}

/** ITU-T T.30 allows 20 of digits, + and space. */
function stationIdOf(number: string): string {
  return number.replaceAll(/[^0-9+ ]/g, '').slice(0, longestStationId)
}

/** The header line knows no other letters. */
function latin1(text: string): string {
  return [...text].map((letter) => (letter.codePointAt(0)! > 0xff ? '?' : letter)).join('')
}
