/** How far a page on the wire is: its bytes and the bit rate say it, for a modem sends neither faster nor slower. */
import type { FaxProgress } from '../../drivers/fax.ts'
import type { Clock } from '../base/clock.ts'
import type { FaxRow } from '../store/tables.ts'
import { wireSeconds } from './pages/wire-time.ts'

/** The observers of a fax, called on every change. */
export class Watchers {
  readonly #of = new Map<string, Set<() => void>>()
  readonly #ofAll = new Set<(faxId: string) => void>()

  /** Calls `changed` at every change of any fax. */
  addToAll(changed: (faxId: string) => void): void {
    this.#ofAll.add(changed)
  }

  /** Calls `changed` at every change until the returned function is called. */
  add(faxId: string, changed: () => void): () => void {
    const watchers = this.#of.get(faxId) ?? new Set()
    this.#of.set(faxId, watchers.add(changed))
    return () => {
      watchers.delete(changed)
      if (watchers.size === 0) this.#of.delete(faxId)
    }
  }

  tell(faxId: string): void {
    for (const changed of this.#of.get(faxId) ?? []) changed()
    for (const changed of this.#ofAll) changed(faxId)
  }
}

/** The session of a call, and since when it is as it is. */
export interface LiveFax extends FaxProgress {
  /** By the steady clock. */
  readonly since: number
}

const tellEveryMs = 2000

/** `before`: the last report. The same page at the same speed goes on from where it was. */
export function liveFax(before: LiveFax | null, progress: FaxProgress, now: number): LiveFax {
  const same = before?.phase === progress.phase && before.pages === progress.pages && before.bitRate === progress.bitRate
  return { ...progress, since: same ? before.since : now }
}

/**
 * 0 to 99 percent of the page on the wire, null while there is none. An estimate: parts that are sent again are not known, nor how much
 * larger a page becomes for a far end that takes it in an older coding.
 */
export function percentOfPage({ pagesSent, bytesPerPage, standardBytesPerPage }: FaxRow, live: LiveFax, now: number): number | null {
  const bytes = (live.resolution === 'standard' ? standardBytesPerPage : bytesPerPage)[pagesSent]
  if (live.phase !== 'page' || live.bitRate === 0 || bytes === undefined) return null
  const seconds = wireSeconds([bytes], live.bitRate) - wireSeconds([], live.bitRate)
  return Math.max(0, Math.min(99, Math.floor((now - live.since) / 10 / seconds)))
}

/** Reports again and again while that page is on the wire. */
export function tellWhileSent(job: { readonly live: LiveFax | null }, clock: Clock, tell: () => void): void {
  const { live } = job
  if (live?.phase !== 'page') return
  clock.after(tellEveryMs, () => {
    if (job.live !== live) return
    tell()
    tellWhileSent(job, clock, tell)
  })
}
