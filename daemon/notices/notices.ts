/**
 * Notifies people of what arrived, once by each way that the configuration names for it. What is still to be said is on the disk from the
 * moment at which the item is there, and leaves it in the transaction in which that way has it on the disk: so it is neither lost nor said
 * twice, whenever the daemon dies.
 */
import { readFile, stat } from 'node:fs/promises'
import { pause, type Clock } from '../base/clock.ts'
import { keep, UnderWay } from '../jobs/keep.ts'
import type { Log } from '../base/log.ts'
import { addressees, NoticeRefused, type Notice, type NoticeWays } from '../base/notice-ways.ts'
import type { Store } from '../store/store.ts'
import type { NoticeKind, NoticeRow } from '../store/tables.ts'
import type { NoticeText } from './words.ts'

/** What people are notified of, as it and the configuration are now. */
export interface Matter {
  /** The addresses to notify, by each way. */
  readonly notify: Readonly<Record<string, unknown>>
  /** An address that is not written to: what came from it would go back to it. */
  readonly never?: string
  readonly file?: { readonly path: string; readonly name: string }
  /** What is to be attached is still on its way; it is waited for, but not for long. */
  readonly coming?: boolean
  say(tooLarge: boolean): NoticeText
}

interface Waiting {
  readonly id: string
  readonly row: NoticeRow
}

/** What goes out as one, the oldest first. */
type Together = readonly [Waiting, ...Waiting[]]

export interface Subject {
  /** undefined: it is gone, or nobody is to be notified of it any more. `rows`: more than one where they are gathered. */
  matter(rows: Together): Matter | undefined
  /** After a notice, further ones of the same place wait for so long and go out as one. */
  readonly gatherMs?: number
}

export interface Loss {
  readonly kind: NoticeKind
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

export interface NoticesOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly subjects: Readonly<Record<NoticeKind, Subject>>
  readonly ways: Pick<NoticeWays, 'find'>
}

const retryMs = 60_000
/** How long a file is waited for, and how often it is looked for. */
const mostComingMs = 120_000
const lookMs = 1000
/** Older news is no notice: lamps and lists have shown it. */
const longestMs = 24 * 3_600_000
/** Of the last loss, among the facts about the box. */
const lossKey = 'notice-lost'
/** How long it is shown that people could not be notified. */
const shownMs = 24 * 3_600_000

export class Notices {
  readonly #options: NoticesOptions
  readonly #stopping = new AbortController()
  readonly #underWay: UnderWay
  /** When a place was last notified by a way; of places whose notices are gathered. */
  readonly #last = new Map<string, number>()

  constructor(options: NoticesOptions) {
    this.#options = options
    this.#underWay = new UnderWay((err) => options.log.error({ err }, 'a notice failed'))
  }

  /**
   * Inside the transaction in which something arrives. `place`: what the configuration notifies people for, such as the number of a mailbox.
   * Once that is on the disk people are notified; nobody waits for it.
   */
  note(id: string, facts: Pick<NoticeRow, 'kind' | 'place'> & Partial<Pick<NoticeRow, 'call'>>): void {
    const { store, clock } = this.#options
    const row: NoticeRow = { ...facts, ways: [], createdAt: clock.now() }
    const matter = this.#options.subjects[row.kind].matter([{ id, row }])
    row.ways = matter === undefined ? [] : waysOf(matter)
    if (row.ways.length === 0) return
    store.tables.voicemailNotices.put(id, row)
    store.afterCommit(() => this.#notify(id))
  }

  /** What is still to be said. */
  waiting(): { readonly count: number; readonly oldestAt: number | null } {
    const rows = Array.from(this.#options.store.tables.voicemailNotices.range(), ({ value }) => value.createdAt)
    return { count: rows.length, oldestAt: rows.length === 0 ? null : Math.min(...rows) }
  }

  /** Of what nobody was notified, and why; null where that is a day ago or never was. */
  lost(): Loss | null {
    const { store, clock } = this.#options
    const text = store.tables.meta.get(lossKey)
    const loss = typeof text === 'string' ? (JSON.parse(text) as Loss) : null
    return loss !== null && clock.now() - loss.at < shownMs ? loss : null
  }

  /** Takes up what the last run of the daemon left. */
  start(): void {
    for (const { key } of [...this.#options.store.tables.voicemailNotices.range()]) this.#notify(key)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#underWay.lastWord(this.#options.clock)
  }

  #notify(id: string): void {
    const row = this.#options.store.tables.voicemailNotices.get(id)
    for (const way of row?.ways ?? []) void this.#underWay.track(this.#notifyBy(id, way))
  }

  async #notifyBy(id: string, way: string): Promise<void> {
    const { store, clock, log } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const row = store.tables.voicemailNotices.get(id)
      if (row?.ways.includes(way) !== true) return
      const waitMs = this.#gatherMs(row, way)
      if (waitMs > 0) {
        await pause(clock, waitMs, signal)
        continue
      }
      if (this.#isComing(id, row)) {
        await pause(clock, lookMs, signal)
        continue
      }
      const all = this.#together(id, row, way)
      try {
        return await this.#hand(all, way)
      } catch (error) {
        const old = clock.now() - row.createdAt > longestMs
        const about = { err: error, kind: row.kind, place: row.place, id, way }
        if (error instanceof NoticeRefused || old) {
          log.error(about, 'a notice could not be sent')
          return this.#drop(all, way, { kind: row.kind, at: clock.now(), text: (error as Error).message })
        }
        log.warn(about, 'a notice has to wait')
        await pause(clock, retryMs, signal)
      }
    }
  }

  #isComing(id: string, row: NoticeRow): boolean {
    const { subjects, clock } = this.#options
    const ageMs = clock.now() - row.createdAt
    return ageMs >= 0 && ageMs < mostComingMs && subjects[row.kind].matter([{ id, row }])?.coming === true
  }

  #gatherMs({ kind, place }: NoticeRow, way: string): number {
    const { subjects, clock } = this.#options
    const { gatherMs = 0 } = subjects[kind]
    const last = this.#last.get(`${way} ${place}`)
    // A clock that was put back makes nobody wait for longer.
    return last === undefined ? 0 : Math.min(gatherMs, last + gatherMs - clock.now())
  }

  #together(id: string, row: NoticeRow, way: string): Together {
    const { store, subjects, clock } = this.#options
    if (subjects[row.kind].gatherMs === undefined) return [{ id, row }]
    this.#last.set(`${way} ${row.place}`, clock.now())
    const [first = { id, row }, ...others] = Array.from(store.tables.voicemailNotices.range(), ({ key, value }) => ({
      id: key,
      row: value,
    }))
      .filter(({ row: other }) => other.kind === row.kind && other.place === row.place && other.ways.includes(way))
      .toSorted((a, b) => a.row.createdAt - b.row.createdAt)
    return [first, ...others]
  }

  async #hand(all: Together, way: string): Promise<void> {
    const { subjects, ways } = this.#options
    const { kind } = all[0].row
    const matter = subjects[kind].matter(all)
    const to = matter === undefined ? undefined : addressees(matter.notify).find((other) => other.way === way)?.to
    // Deleted meanwhile, or nobody is to be notified any more.
    if (matter === undefined || to === undefined) return this.#drop(all, way)
    const by = ways.find(way)
    if (by === undefined) throw new NoticeRefused(`this box cannot send notices by ${way}`)
    const content = await contentOf(matter, by.mostAttachmentBytes)
    await by.tell({ to, about: `${kind}:${all[0].id}`, ...content }, () => this.#settle(all, way))
  }

  /** Inside a transaction. */
  #settle(all: Together, way: string): void {
    const { voicemailNotices } = this.#options.store.tables
    for (const { id } of all) {
      const row = voicemailNotices.get(id)
      const ways = row?.ways.filter((other) => other !== way) ?? []
      if (row === undefined || ways.length === 0) voicemailNotices.remove(id)
      else voicemailNotices.put(id, { ...row, ways })
    }
  }

  async #drop(all: Together, way: string, loss?: Loss): Promise<void> {
    const { store, clock, log } = this.#options
    const over = (): void => {
      this.#settle(all, way)
      // The warning outlives the run in which nobody was notified.
      if (loss !== undefined) store.tables.meta.put(lossKey, JSON.stringify(loss))
    }
    await keep(() => store.transaction(over), {
      clock,
      signal: this.#stopping.signal,
      stopped: () => this.#stopping.signal.aborted,
      failed: (err) => log.warn({ err, id: all[0].id }, 'a sent notice could not be removed; trying again'),
    })
  }
}

function waysOf({ notify, never }: Matter): string[] {
  return addressees(notify).flatMap(({ way, to }) => (to === never ? [] : [way]))
}

async function contentOf(matter: Matter, mostBytes: number): Promise<Omit<Notice, 'to' | 'about'>> {
  const { notify, file } = matter
  if (file === undefined || notify['attach'] !== true || mostBytes === 0) return matter.say(false)
  if ((await stat(file.path)).size > mostBytes) return matter.say(true)
  return { ...matter.say(false), attachment: { filename: file.name, content: new Uint8Array(await readFile(file.path)) } }
}
