/**
 * Texts from outside: each is on the disk before its trunk may forget it. Parts wait for each other for a day; a whole text
 * enters the feed of the inbox once, together with what its keyword changes.
 */
import { createHash } from 'node:crypto'
import type { InboundMedia, InboundText } from '../../drivers/sms.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { maskNumber, type Log } from '../base/log.ts'
import { mostFiles } from './media/fetcher.ts'
import { soughtNumber } from '../numbers/numbers.ts'
import type { Store } from '../store/store.ts'
import type { InboxSmsRow, SmsPartRow, TextMediaRow } from '../store/tables.ts'
import type { Keywords } from './keywords.ts'
import { joinParts } from './parts.ts'
import type { Suppression } from './suppression.ts'

export interface InboundOptions {
  readonly store: Store
  readonly inbox: Pick<Inbox, 'sms' | 'textMedia'>
  readonly suppression: Suppression
  readonly clock: Clock
  readonly log: Log
  readonly country: string
  readonly keywords: Keywords
  readonly arrived: (trunkId: string) => void
  /** Files of texts that are durable. */
  readonly fetch: (media: readonly TextMediaRow[]) => void
}

/** How long parts wait for each other. */
export const partsWaitMs = 24 * 3_600_000
const mostParts = 255
/** Files of one text that are named. */
const mostNamed = 30

interface Whole extends Pick<InboundText, 'from' | 'to' | 'body' | 'encoding' | 'media' | 'besides'> {
  readonly segments: number
}

export class SmsInbound {
  readonly #options: InboundOptions

  constructor(options: InboundOptions) {
    this.#options = options
  }

  /** Resolves when it is durable; the same text again changes nothing. */
  async received(trunkId: string, text: InboundText): Promise<void> {
    const { store, log, country } = this.#options
    const { e164 } = soughtNumber(text.from, country)
    const from = e164 ?? text.from.trim()
    const published = await store.transaction(() => {
      if (this.#seen(trunkId, text)) return null
      const { part } = text
      if (part === undefined || part.total < 2 || part.total > mostParts || part.index < 1 || part.index > part.total) {
        return this.#publish(trunkId, { ...text, from, segments: 1 })
      }
      const { coded } = text
      const bytes = coded === undefined ? {} : { alphabet: coded.alphabet, bytes: Buffer.from(coded.bytes).toString('base64') }
      return this.#collect({ ...text, ...part, ...bytes, trunkId, from })
    })
    if (published === null) return log.info({ trunkId, from: maskNumber(from) }, 'a text came again or waits for its other parts')
    this.#told(published)
  }

  /** Publishes what has waited too long for its other parts. */
  async flush(): Promise<void> {
    const { store, clock } = this.#options
    const groups = new Map<string, number>()
    for (const { key, value } of store.tables.smsParts.range()) {
      const group = groupOf(key)
      groups.set(group, Math.min(groups.get(group) ?? Infinity, value.at))
    }
    for (const [group, since] of groups) {
      if (clock.now() - since < partsWaitMs) continue
      const published = await store.transaction(() => this.#join(group, true))
      if (published !== null) this.#told(published)
    }
  }

  /** Sees the text for the first time, or not; inside the transaction. */
  #seen(trunkId: string, { providerId, from, body, sentAt, part, media }: InboundText): boolean {
    const files = media === undefined ? [] : [media.map(({ url }) => url)]
    const key =
      providerId !== ''
        ? `provider/${hash([trunkId, providerId, ...(part === undefined ? [] : [part.index])])}`
        : sentAt !== null
          ? `network/${hash([trunkId, from, sentAt, body, part ?? null, ...files])}`
          : null
    // Without either, a person who writes "Yes" twice looks like a network that repeats itself.
    if (key === null) return false
    const { smsSeen } = this.#options.store.tables
    if (smsSeen.get(key) !== undefined) return true
    smsSeen.put(key, { at: this.#options.clock.now() })
    return false
  }

  #collect(part: Omit<SmsPartRow, 'at'>): InboxSmsRow | null {
    const { store, clock } = this.#options
    const { trunkId, from, to, reference, total, index, body, encoding, sentAt, alphabet, bytes } = part
    const group = hash([trunkId, from, reference, total])
    const key = `${group}/${String(index).padStart(3, '0')}`
    const before = store.tables.smsParts.get(key)
    // The sender's references have started again: what waited is another text.
    const left = before !== undefined && before.body !== body ? this.#join(group, true) : null
    if (left !== null) this.#told(left)
    const content = alphabet === undefined || bytes === undefined ? {} : { alphabet, bytes }
    store.tables.smsParts.put(key, { trunkId, from, to, reference, total, index, body, encoding, sentAt, at: clock.now(), ...content })
    return this.#join(group, false)
  }

  /** Inside a transaction: the whole text where all parts are there, or with `partial` what there is. */
  #join(group: string, partial: boolean): InboxSmsRow | null {
    const { smsParts } = this.#options.store.tables
    const rows = [...smsParts.range({ start: `${group}/`, end: `${group}0` })]
    const first = rows[0]?.value
    if (first === undefined || (!partial && rows.length < first.total)) return null
    for (const { key } of rows) smsParts.remove(key)
    const text = joinParts([first, ...rows.slice(1).map(({ value }) => value)])
    return this.#publish(first.trunkId, { ...text, to: first.to, segments: first.total })
  }

  #publish(trunkId: string, { from, to, body, encoding, segments, media = [], besides = [] }: Whole): InboxSmsRow {
    const { inbox, suppression, clock, keywords } = this.#options
    // Of what the sender wrote alone.
    const { keyword, optOut, unsure } = keywords.judge(body)
    if (optOut) suppression.put(from, body.trim())
    if (keyword === 'START') suppression.drop(from)
    const common = { id: newId(), from, to, receivedAt: clock.now(), sha256: '', bytes: 0 }
    const files = mediaRows(media, { itemId: common.id, trunkId, receivedAt: common.receivedAt })
    const item: InboxSmsRow = {
      ...common,
      body: [body, ...besides.map((words) => `[${words}]`)].filter((words) => words !== '').join('\n'),
      segments,
      encoding,
      trunkId,
      ...(keyword === undefined ? {} : { keyword }),
      ...(unsure ? { mayOptOut: true } : {}),
      ...(files.length === 0 ? {} : { media: files.map(({ id }) => id) }),
    }
    inbox.sms.insert(item)
    inbox.textMedia.add(files)
    return item
  }

  #told({ id, from, trunkId, segments, keyword, media }: InboxSmsRow): void {
    const { arrived, log, fetch, inbox } = this.#options
    arrived(trunkId)
    log.info({ id, from: maskNumber(from), trunkId, segments, keyword, files: media?.length }, 'text received')
    fetch(inbox.textMedia.of({ media: media ?? [] }))
  }
}

/** As many as are fetched are fetched; the others, and those without an address, say why they are not. */
function mediaRows(media: readonly InboundMedia[], item: Pick<TextMediaRow, 'itemId' | 'trunkId' | 'receivedAt'>): TextMediaRow[] {
  return media.slice(0, mostNamed).map(({ url, contentType, reason: given = '' }, index) => {
    const reason = given === '' && index >= mostFiles ? `a text may bring ${mostFiles} files; this is one more` : given
    const common = { id: newId(), ...item, contentType, bytes: 0, attempts: 0, nextAt: item.receivedAt }
    return reason === '' ? { ...common, url, state: 'fetching', reason } : { ...common, url: '', state: 'failed', reason }
  })
}

function groupOf(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

function hash(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)
}
