/** Texts of both directions by the number at the other end, newest first; read from where they are kept, nothing is kept twice. */
import { setImmediate as breath } from 'node:timers/promises'
import type { Inbox } from '../inbox/inbox.ts'
import { soughtNumber } from '../numbers/numbers.ts'
import type { Store } from '../store/store.ts'
import type { InboxSmsRow, SmsRow, SmsSuppressedRow } from '../store/tables.ts'
import type { SmsQueue } from './queue.ts'

/** One text, as it is now. */
export type Said =
  | { readonly direction: 'in'; readonly number: string; readonly at: number; readonly row: InboxSmsRow }
  | { readonly direction: 'out'; readonly number: string; readonly at: number; readonly row: SmsRow }

export interface Conversation {
  readonly number: string
  readonly last: Said
  readonly stopped: SmsSuppressedRow | undefined
}

export interface ConversationsOptions {
  readonly store: Store
  readonly inbox: Pick<Inbox, 'sms'>
  readonly queue: Pick<SmsQueue, 'find'>
  /** ISO 3166 code: how numbers without + are read. */
  readonly country: string
}

/** Texts read between two turns of the event loop. */
const atOnce = 500

export class Conversations {
  readonly #options: ConversationsOptions

  constructor(options: ConversationsOptions) {
    this.#options = options
  }

  /** As a number is written in texts: E.164, a short code, or the name of a sender. */
  numberOf(text: string): string {
    const { kind, dial } = soughtNumber(text, this.#options.country)
    return kind === 'invalid' ? text : dial
  }

  /** Those whose last text is older than `before`. `next`: the `before` of the page after; null where there is none. */
  async list(limit: number, before = Infinity): Promise<{ items: Conversation[]; next: number | null }> {
    const { smsSuppressed } = this.#options.store.tables
    const seen = new Set<string>()
    const items: Conversation[] = []
    for await (const said of this.#newest()) {
      if (seen.has(said.number)) continue
      seen.add(said.number)
      if (said.at >= before) continue
      if (items.length === limit) return { items, next: items.at(-1)!.last.at }
      items.push({ number: said.number, last: said, stopped: smsSuppressed.get(said.number) })
    }
    return { items, next: null }
  }

  /** With one number, older than `before`; `next` as of the list. */
  async with(number: string, limit: number, before = Infinity): Promise<{ items: Said[]; next: number | null }> {
    const items: Said[] = []
    for await (const said of this.#newest()) {
      if (said.number !== number || said.at >= before) continue
      if (items.length === limit) return { items, next: items.at(-1)!.at }
      items.push(said)
    }
    return { items, next: null }
  }

  stopped(number: string): SmsSuppressedRow | undefined {
    return this.#options.store.tables.smsSuppressed.get(number)
  }

  /** Both tables are in the order of time, or nearly: clocks are set. */
  async *#newest(): AsyncIterable<Said> {
    const sent = this.#sent()
    const received = this.#received()
    let [out, came] = [await sent.next(), await received.next()]
    while (out.done !== true || came.done !== true) {
      if (came.done === true || (out.done !== true && out.value.at >= came.value.at)) {
        yield out.value as Said
        out = await sent.next()
      } else {
        yield came.value
        came = await received.next()
      }
    }
  }

  /** Of a table that may change meanwhile: read in pieces. */
  async *#sent(): AsyncGenerator<Said, undefined> {
    const { store, queue } = this.#options
    let end: string | undefined
    for (;;) {
      const rows = [...store.tables.sms.range({ reverse: true, limit: atOnce, ...(end === undefined ? {} : { end }) })]
      for (const { value } of rows) {
        const row = queue.find(value.messageId) ?? value
        yield { direction: 'out', number: row.to, at: row.createdAt, row }
      }
      if (rows.length < atOnce) return undefined
      end = rows.at(-1)!.key
      await breath()
    }
  }

  async *#received(): AsyncGenerator<Said, undefined> {
    const { inbox } = this.#options
    let before: number | undefined
    for (;;) {
      const { items, nextBefore } = inbox.sms.newest(atOnce, { before })
      for (const row of items.toReversed()) yield { direction: 'in', number: row.from, at: row.receivedAt, row }
      if (nextBefore === null) return undefined
      before = nextBefore
      await breath()
    }
  }
}
