/**
 * Faxes, put together: documents and queue of what is sent, receiver of what comes in. The daemon makes one of these, gives
 * its parts to the routes, and starts and stops it with the calls.
 */
import { join } from 'node:path'
import { derived } from '../base/derived.ts'
import type { FaxLine as ModemLine } from '../../drivers/fax.ts'
import type { InboundCall } from '../../drivers/line.ts'
import type { Calls } from '../calls/calls.ts'
import { Ceilings } from '../ceilings/ceilings.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Log } from '../base/log.ts'
import type { AddressPolicy } from '../outbox/address.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createReach, type Reach } from '../numbers/reach.ts'
import type { ApplicationRunner } from '../routing/application.ts'
import type { Trunks } from '../routing/trunks.ts'
import type { Config } from '../schema/config.ts'
import { freeBytes } from '../store/disk.ts'
import { removeEnded } from '../store/remove-old.ts'
import type { Store } from '../store/store.ts'
import type { FaxRow } from '../store/tables.ts'
import { FaxDocuments } from './documents.ts'
import { isTerminal } from './job.ts'
import type { FaxLines, LineCondition } from './line.ts'
import { CombinedLines, ModemFaxLines, takeRings } from './modem-line.ts'
import { renderJob, type CoverContent } from './pages/pages.ts'
import { PagePictures } from './page-pictures.ts'
import { FaxPreviews, type Draw } from './previews.ts'
import { FaxQueue, type FaxQueueOptions } from './queue.ts'
import { FaxReceiver } from './receive.ts'
import { FaxSheets } from './sheets.ts'
import { SharedNumber, type SharedNumberOptions } from './shared-number.ts'
import { SipFaxLines } from './sip-line.ts'
import { FaxDesk } from './submit.ts'
import { receivesFaxes } from '../routing/destinations.ts'

/**
 * The sender's name in letters that the font of the header line has, which is that of code page 437: others become their base letters, Greek
 * and Cyrillic ones Latin ones. A sender must be named on each page (47 CFR 68.318(d)).
 */

const fontHas = new Set('ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥ƒáíóúñÑªº¿¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ßµ±≥≤÷≈°∙·√ⁿ²■')

const pairs = (text: string): [string, string][] => text.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)] as [string, string])

/** Letters without a base letter of their own (NFKD), by their small ones: ISO 843 for Greek, as passports have it for Cyrillic. */
const others = new Map(
  pairs(
    'øo łl đd ðd þth œoe ıi ŧt ħh ŋn ĸk ŀl əe ƙk ɓb ɗd ' +
      'αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo ' +
      'аa бb вv гg дd еe ёe жzh зz иi йi кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ъ ыy ь эe юiu яia ' +
      'єie іi їi ґg ўu јj љlj њnj ћc ђdj џdz ѓg ќk ѕdz',
  ),
)
const signs = new Map(pairs('“" ”" „" ‘\' ’\' ‚\' –- —- ‐- ‑- …... €EUR ©(c) ®(R) ™(TM) №No ×x •· ẞSS'))

function latin(letter: string): string {
  const small = letter.toLowerCase()
  const found = signs.get(letter) ?? others.get(small)
  if (found === undefined) return ''
  return small === letter ? found : found.charAt(0).toUpperCase() + found.slice(1)
}

/** What no letter stands for becomes "?". */
export function headerLetters(text: string): string {
  return [...text.normalize('NFC')]
    .map((letter) => {
      if (/^[ -~]$/.test(letter) || fontHas.has(letter)) return letter
      if (signs.has(letter) || others.has(letter.toLowerCase())) return latin(letter)
      const bare = letter.normalize('NFKD').replaceAll(/\p{M}/gu, '')
      if (bare === letter) return /[\p{Zs}]/u.test(letter) ? ' ' : /[\p{C}\p{M}]/u.test(letter) ? '' : '?'
      return headerLetters(bare)
    })
    .join('')
}

/** Whether faxes can be sent and received now, and through which lines, for those who look at the box. */
interface FaxCondition {
  readonly ok: boolean
  /** Without names and numbers; '' when all is well. */
  readonly reason: string
  readonly detail: string
  /** Whether the disk has room for what comes in. */
  readonly room: boolean
}

interface ConditionFacts {
  /** Lines that may send. */
  readonly lines: readonly LineCondition[]
  readonly room: boolean
  readonly reserveMegabytes: number
  /** Lines and trunks whose numbers take faxes; `*` for any trunk. */
  readonly receiving: readonly string[]
}

export function faxCondition({ lines, room, reserveMegabytes, receiving }: ConditionFacts): FaxCondition {
  const works = lines.filter((line) => line.ok)
  const lost = lines.length > 0 && works.length === 0
  const refusing = receiving.length > 0 && !room
  const reasons = [lost ? 'no line can send faxes' : '', refusing ? 'no room to receive faxes' : ''].filter((text) => text !== '')
  const sends = works.length === 0 ? 'cannot send' : `sends through ${works.map(({ id }) => id).join(', ')}`
  const names = receiving.map((id) => (id === '*' ? 'any trunk' : id)).join(', ')
  const receives = refusing
    ? `does not receive: less than ${reserveMegabytes} MB are free`
    : receiving.length === 0
      ? 'no number receives'
      : `receives through ${names}`
  const faults = lines.filter((line) => !line.ok).map((line) => `${line.id}: ${line.reason}`)
  return { ok: reasons.length === 0, reason: reasons.join('; '), detail: [sends, receives, ...faults].join('; '), room: !refusing }
}

/** Modem lines, and trunks with a rule that leads to the fax, or to an application whose numbers take faxes too. */
export function receivingTrunks(config: Config): string[] {
  const lines = config.lines.filter((line) => line.roles.includes('fax')).map(({ id }) => id)
  if (config.trunks.length === 0) return lines
  const rules = config.inbound.filter((rule) => rule.extension === undefined && receivesFaxes(rule.destination, rule.fax === 'auto'))
  return [...new Set([...lines, ...rules.map((rule) => rule.trunk ?? '*')])]
}

export interface FaxOptions {
  readonly config: Config
  readonly store: Store
  readonly outbox: Outbox
  readonly calls: Calls
  readonly trunks: Trunks
  /** Takes a call that rings on a modem to its destination. */
  readonly inbound: (call: InboundCall) => void
  readonly inbox: Inbox
  readonly clock: Clock
  readonly log: Log
  /** Where callbacks may go. */
  readonly policy: AddressPolicy
  /** Something a person should look at. */
  readonly alert: (code: string, text: string) => void
  /** Clears an alert. */
  readonly clear?: (code: string) => void
  /** Lines on modems that may fax. */
  /** Lines on which calls ring, faxes or not; those of `modems` where it is left out. */
  readonly ringing?: readonly ModemLine[]
  readonly modems?: readonly ModemLine[]
  /** In place of the modems and the SIP trunks. */
  readonly lines?: FaxLines
}

export interface Fax {
  readonly queue: FaxQueue
  readonly desk: FaxDesk
  readonly receiver: FaxReceiver
  readonly sheets: FaxSheets
  /** Removes a fax in a final state, and its document; `alongside` runs in the transaction. Throws ApiError: fax_unknown, being_sent. */
  remove(faxId: string, alongside: (row: FaxRow) => void): Promise<void>
  /** Removes documents and rows past their time; how many. */
  sweep(): Promise<number>
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
const longestStationId = 20

export function createFax(options: FaxOptions): Fax {
  const { config, store, calls, trunks, clock, log, inbox } = options
  const { fax, storage } = config
  const documents = new FaxDocuments(join(storage.dir, 'fax', 'out'))
  const modems = options.modems ?? []
  const lines =
    options.lines ??
    new CombinedLines([new ModemFaxLines({ config, calls, clock, modems }), new SipFaxLines({ config, calls, trunks, clock })])
  const stationId = stationIdOf(fax.stationId ?? lines.number())
  const reach = createReach(config)
  const draw = drawer(config, stationId)
  const queue = queueOf(options, { documents, lines, stationId, reach, draw })
  const previews = new FaxPreviews({ dir: join(storage.dir, 'cache', 'fax-previews'), clock, draw })
  const pictures = new PagePictures({ dir: join(storage.dir, 'cache', 'fax-pictures'), clock })
  const desk = new FaxDesk({
    ...{ queue, store, documents, previews, clock },
    policy: options.policy,
    country: config.site.country,
    reach,
    ceilings: new Ceilings(options),
    windowMs: fax.windowHours * hourMs,
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
    alert: options.alert,
    clear: (code) => options.clear?.(code),
  })
  inbox.onLeave((_, id) => {
    pictures.forget(id).catch((error: unknown) => log.warn({ err: error, faxId: id }, 'pictures of a deleted fax stay for a day'))
  })
  const receiving = derived(config, () => receivingTrunks(config))
  let recovering: Promise<unknown> = Promise.resolve()
  let leaveRings = (): void => undefined
  return {
    queue,
    desk,
    receiver,
    sheets: new FaxSheets({
      ...{ config, store, clock, inbox, documents, previews, pictures, draw },
      sender: { name: senderOf(config), station: stationId },
    }),
    remove: (faxId, alongside) => removeFax({ store, queue, documents, pictures }, faxId, alongside),
    sweep: sweepFaxes({ store, clock, documents, previews, pictures, keepMs: fax.keepDays * dayMs, keepRowsMs: fax.rowDays * dayMs }),
    hasLine: () => lines.configured(),
    condition: () =>
      faxCondition({ lines: queue.lines(), room: receiver.ready(), reserveMegabytes: fax.freeMegabytes, receiving: receiving() }),
    shares: (application) => new SharedNumber({ application, receiver, clock, log }),
    start() {
      leaveRings = takeRings(options.ringing ?? modems, options.config.lines, options.inbound)
      queue.start()
      recovering = receiver.recover().catch((error: unknown) => log.error({ err: error }, 'earlier received faxes could not be delivered'))
    },
    drain() {
      leaveRings()
      queue.drain()
      receiver.stop()
    },
    async stop() {
      await Promise.all([queue.stop(), recovering])
    },
  }
}

interface QueueParts {
  readonly documents: FaxDocuments
  readonly lines: FaxLines
  readonly stationId: string
  readonly reach: Reach
  readonly draw: Draw
}

const senderOf = ({ fax, site }: Config): string => headerLetters(fax.header ?? site.name).slice(0, 50)

/** Draws the pages of what is sent, or looked at before, into the folder of its document. */
function drawer(config: Config, stationId: string): Draw {
  return (facts, { pdf, directory }, signal) => {
    const { fax, site } = config
    const cover = facts.cover === null ? {} : { cover: coverContent(facts, config, fax.header ?? site.name, stationId) }
    return renderJob({ pdf, directory, limits: { mostPages: fax.pages }, signal, portfolio: facts.portfolio, ...cover })
  }
}

function queueOf(options: FaxOptions, { documents, lines, stationId, reach, draw }: QueueParts): FaxQueue {
  const { config, store, outbox, clock, log, calls, alert, clear } = options
  const { fax, site } = config
  return new FaxQueue({
    settings: { stationId, header: senderOf(config), timeZone: site.timeZone, ecm: fax.ecm, v17: fax.v17 },
    most: { waiting: fax.queue, calls: fax.calls },
    store,
    outbox,
    clock,
    log,
    documents,
    lines,
    mayCall: (row) => mayCall(row, reach, calls),
    alert,
    ...(clear === undefined ? {} : { clear }),
    render: (row, signal) => draw(row, documents.of(row.faxId), signal),
  })
}

interface RemoveOptions {
  readonly store: Store
  readonly queue: FaxQueue
  readonly documents: FaxDocuments
  readonly pictures: PagePictures
}

/** Throws ApiError: fax_unknown, being_sent. */
async function removeFax(
  { store, queue, documents, pictures }: RemoveOptions,
  faxId: string,
  alongside: (row: FaxRow) => void,
): Promise<void> {
  const row = store.tables.faxes.get(faxId)
  if (row === undefined) throw new ApiError('fax_unknown', 'There is no fax with that id.')
  if (queue.holds(faxId)) throw new ApiError('being_sent', 'This fax has not ended: cancel it first, or wait until its line is free.')
  await store.transaction(() => {
    store.tables.faxes.remove(faxId)
    alongside(row)
  })
  await documents.drop(faxId)
  await pictures.forget(faxId)
}

/** Looked at before each call: the configuration, and what was used of the day, may have changed since the fax was accepted. */
function mayCall({ to, token = '' }: FaxRow, reach: Reach, calls: Calls): ReturnType<NonNullable<FaxQueueOptions['mayCall']>> {
  const { allowed, reason } = reach.mayDial(to, 'fax')
  if (!allowed) return { never: reason }
  return calls.minutes.refusal({ to, token }) === null ? 'now' : 'later'
}

interface SweepOptions {
  readonly store: Store
  readonly clock: Clock
  readonly documents: FaxDocuments
  readonly previews: FaxPreviews
  readonly pictures: PagePictures
  /** Documents, and what became of them. */
  readonly keepMs: number
  readonly keepRowsMs: number
}

/** Removes documents and rows past their time, and directories of requests that a crash cut off before their row. */
function sweepFaxes({ store, clock, documents, previews, pictures, keepMs, keepRowsMs }: SweepOptions): () => Promise<number> {
  const { faxes } = store.tables
  return async () => {
    const now = clock.now()
    const rows = await removeEnded(store, faxes, now - keepRowsMs)
    const removed = await documents.sweep((faxId, modifiedAt) => {
      const row = faxes.get(faxId)
      // A request under way has a directory but no row yet.
      if (row === undefined) return now - modifiedAt < hourMs
      return !isTerminal(row.state) || now - (row.completedAt ?? 0) < keepMs
    })
    return rows + removed + (await previews.sweep()) + (await pictures.sweep())
  }
}

function coverContent(
  row: Pick<FaxRow, 'cover' | 'to' | 'createdAt'>,
  config: Config,
  organisation: string,
  organisationNumber: string,
): CoverContent {
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
    language: config.site.language,
    ...(config.fax.confidentiality === '' ? {} : { confidentiality: config.fax.confidentiality }),
  }
}

/** ITU-T T.30 allows 20 of digits, + and space. */
function stationIdOf(number: string): string {
  return number.replaceAll(/[^0-9+ ]/g, '').slice(0, longestStationId)
}
