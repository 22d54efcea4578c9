/**
 * Faxes that come in. Pages go to the final disk while they arrive, because the far end gets "received" before we could sync; what a crash
 * leaves there is delivered at the next start. An item appears in the inbox when its PDF is on the disk.
 */
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FaxLeg, FaxProgress, FaxResult } from '../../drivers/fax.ts'
import type { Call } from '../calls/call.ts'
import { pause, type Clock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Log } from '../base/log.ts'
import { madeFolder } from '../store/disk.ts'
import type { Store } from '../store/store.ts'
import type { FaxReceivingRow, InboxFaxRow } from '../store/tables.ts'
import { pdfOfFax } from './pages/pages.ts'
import { faxNotes, isFaxLeg, longestFaxSeconds, noteProgress } from './sip-line.ts'

export interface FaxReceiverOptions {
  readonly store: Store
  readonly inbox: Inbox
  readonly clock: Clock
  readonly log: Log
  /** The storage directory; PDFs come to lie in `inbox/faxes`, pages that arrive in `fax/in`. */
  readonly dir: string
  readonly stationId: string
  readonly ecm: boolean
  /** Whether a trunk may change to T.38. */
  readonly t38: (trunkId: string) => boolean
  /** Free space below which no fax is answered. */
  readonly reserveBytes: number
  readonly freeBytes: () => number
  readonly arrived: (item: InboxFaxRow) => void
  readonly alert: (code: string, text: string) => void
  readonly clear: (code: string) => void
}

const mostPages = 200
const firstRetryMs = 5000
const longestRetryMs = 60_000
const undelivered = 'fax_undelivered'

export class FaxReceiver {
  readonly #options: FaxReceiverOptions
  readonly #incoming: string
  /** Of calls in progress. */
  readonly #live = new Set<string>()
  /** Received, and not in the inbox yet. */
  readonly #waiting = new Set<string>()
  readonly #stopping = new AbortController()

  constructor(options: FaxReceiverOptions) {
    this.#options = options
    this.#incoming = join(options.dir, 'fax', 'in')
    madeFolder(join(options.dir, 'inbox', 'faxes'))
    madeFolder(this.#incoming)
  }

  /** Whether fax calls are answered: there is room for what they bring. */
  ready(): boolean {
    const { freeBytes, reserveBytes } = this.#options
    return freeBytes() >= reserveBytes && madeFolder(this.#incoming)
  }

  /** Answers the call and takes the fax; resolves when the item is in the inbox. */
  async receive(call: Call): Promise<void> {
    const { log, store, clock } = this.#options
    const leg = call.leg
    if (leg === null || !isFaxLeg(leg)) return call.end({ reason: 'failed', by: 'system' }, { sipCode: 488 })
    if (!this.ready()) {
      log.error({ callId: call.id }, 'a fax call was not answered: the disk is nearly full')
      return call.end({ reason: 'busy', by: 'system' }, { sipCode: 486 })
    }
    const { from, to, callerName, trunkId, steps } = call.row
    // A number that voices share with it.
    if (steps?.at(-1)?.to !== 'fax') call.step('fax')
    const row: FaxReceivingRow = { id: newId(), callId: call.id, from, to, callerName, trunkId, startedAt: clock.now() }
    this.#live.add(row.id)
    try {
      await store.transaction(() => store.tables.faxReceiving.put(row.id, row))
    } catch (error) {
      this.#live.delete(row.id)
      log.error({ err: error, callId: call.id }, 'a fax call was not answered: the store cannot write')
      return call.end({ reason: 'busy', by: 'system' }, { sipCode: 486 })
    }
    const result = (await call.answer()) ? await this.#session(call, leg, row) : null
    const durationSeconds = call.talkSeconds
    call.end({ reason: 'routed-ended', by: 'system' })
    await this.#deliver(row, result, durationSeconds)
    this.#live.delete(row.id)
  }

  /** What the last run of the daemon was receiving when it ended. */
  async recover(): Promise<number> {
    const left = [...this.#options.store.tables.faxReceiving.range()].map(({ value }) => value).filter(({ id }) => !this.#live.has(id))
    // Side by side: one that the disk does not take holds up no other.
    await Promise.all(left.map((row) => this.#deliver(row, null, 0)))
    if (this.#stopping.signal.aborted) return left.length
    // Delivered, but the end of the daemon came before the pages were removed.
    const delivered = readdirSync(this.#incoming).filter(
      (name) => this.#options.store.tables.faxReceiving.get(name.slice(0, -4)) === undefined,
    )
    for (const name of delivered) await rm(join(this.#incoming, name), { force: true })
    return left.length
  }

  async #session(call: Call, leg: FaxLeg, row: FaxReceivingRow): Promise<FaxResult> {
    const { stationId, ecm, t38 } = this.#options
    call.limit(longestFaxSeconds)
    call.activity('routed')
    const request = { file: this.#tiff(row.id), stationId, ecm, t38: t38(row.trunkId) }
    const result = await new Promise<FaxResult>((resolve) => {
      let last: FaxProgress | null = null
      const session = leg.receiveFax(request, {
        ...faxNotes(call),
        progress: (progress) => {
          noteProgress(call, last, progress)
          last = progress
          if (progress.pages >= mostPages && progress.phase === 'page') session.stop()
        },
        ended: resolve,
      })
    })
    call.note('fax', `ended: ${result.text} (${result.code}), ${result.pages} pages`)
    return result
  }

  /** What waits is delivered after the next start. */
  stop(): void {
    this.#stopping.abort()
  }

  /**
   * Nothing that arrived is given up, as its sender was notified that it was received: it stays where it is and is tried again, also after
   * a restart.
   */
  async #deliver(row: FaxReceivingRow, result: FaxResult | null, durationSeconds: number): Promise<void> {
    const { log, clock, alert } = this.#options
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(2 * waitMs, longestRetryMs)) {
      try {
        await this.#publish(row, result, durationSeconds)
        break
      } catch (error) {
        log.error({ err: error, callId: row.callId, file: this.#tiff(row.id) }, 'a received fax could not be delivered; trying again')
        this.#waiting.add(row.id)
        alert(undelivered, `A received fax is not in the inbox yet because the disk cannot store it: ${(error as Error).message}`)
        await pause(clock, waitMs, this.#stopping.signal)
        if (this.#stopping.signal.aborted) return
      }
    }
    if (this.#waiting.delete(row.id) && this.#waiting.size === 0) this.#options.clear(undelivered)
  }

  async #publish(row: FaxReceivingRow, result: FaxResult | null, durationSeconds: number): Promise<void> {
    const { store, inbox, clock, log, dir } = this.#options
    const tiff = this.#tiff(row.id)
    const file = join('inbox', 'faxes', `${row.id}.pdf`)
    const pdf = existsSync(tiff) ? await pdfOfFax(tiff, join(dir, file)) : { pages: 0, whole: false, bytes: 0 }
    const facts = { callId: row.callId, code: result?.code ?? null, text: result?.text ?? 'cut off when the daemon stopped' }
    if (pdf.pages === 0) {
      const { startedAt: _, ...call } = row
      await store.transaction(() => {
        store.tables.faxReceiving.remove(row.id)
        if (result !== null) inbox.missed.add({ ...call, at: clock.now(), durationSeconds, text: result.text })
      })
      log.warn(facts, 'a fax call brought no page')
    } else {
      const received = {
        id: row.id,
        from: senderOf(row.from, result?.remoteId ?? ''),
        to: row.to,
        receivedAt: clock.now(),
        pages: pdf.pages,
        status: result?.code === 0 && pdf.whole && pdf.pages >= result.pages ? ('complete' as const) : ('partial' as const),
        callerName: row.callerName,
        trunkId: row.trunkId,
        callId: row.callId,
        remoteStationId: result?.remoteId ?? '',
        durationSeconds,
        bitRate: result?.bitRate ?? 0,
        ecm: result?.ecm ?? false,
        resolution: result?.resolution ?? 'fine',
        transport: result?.transport ?? null,
        badRows: result?.badRows ?? 0,
        t30Code: result?.code ?? 49,
      }
      const item = await inbox.publishFax(received, file, () => void store.tables.faxReceiving.remove(row.id))
      this.#options.arrived(item)
      log.info({ ...facts, faxId: row.id, pages: item.pages, status: item.status }, 'fax received')
    }
    await rm(tiff, { force: true })
  }

  #tiff(id: string): string {
    return join(this.#incoming, `${id}.tif`)
  }
}
/** Caller id, else what the machine calls itself, else nothing. */
function senderOf(callerId: string, stationId: string): string {
  return /\d/.test(callerId) ? callerId : stationId.replaceAll(/\D/g, '')
}
