/** The calls of one look, the newest first: the first page is kept up by what happens, older ones are read when somebody comes near them. */
import { batch, effect, signal } from '@preact/signals'
import type { CallRecordView, HistoryAnswer } from '../../../schema/history.ts'
import { Fault, get } from '../../frame/api.ts'
import { hear, type LiveEvent } from '../../frame/live.ts'
import { may } from '../../frame/session.ts'
import { thing, type Thing } from '../../frame/state.ts'

type Page = Pick<HistoryAnswer, 'nextBefore'> & { readonly items: readonly CallRecordView[] }

const firstCalls = 60
const furtherCalls = 250
const mostOfNumber = 500
const path = '/api/pbx/calls/history'

/** A call that lives is in no list yet. */
const fold = (now: Page, { data }: LiveEvent<{ state?: string; gone?: boolean }>): Page | undefined =>
  data.state === 'ended' || data.gone === true ? undefined : now

export class CallList {
  readonly first: Thing<Page>
  /** Undefined until the first page was read. */
  readonly rows = signal<readonly CallRecordView[] | undefined>(undefined)
  readonly more = signal(false)
  /** Of the last reading of older calls. */
  readonly fault = signal<Fault | undefined>(undefined)
  readonly #asked: URLSearchParams
  /** Where older calls begin. */
  #before: number | null = null
  #reading = false

  constructor(asked: URLSearchParams) {
    this.#asked = asked
    this.first = thing<Page>(this.#path({ limit: firstCalls }), ['calls'], fold)
  }

  /** While it is shown. */
  follow(): () => void {
    const ends = [
      effect(() => this.#place(this.first.data.value)),
      hear((heard) => heard.kind === 'event' && heard.event.topic === 'calls' && this.#ended(heard.event.data as CallRecordView)),
    ]
    return () => ends.forEach((end) => end())
  }

  /** Reads the next older calls, one page at a time. */
  async readMore(): Promise<void> {
    if (this.#reading || this.#before === null || this.fault.value !== undefined) return
    this.#reading = true
    const before = this.#before
    try {
      const { items, nextBefore } = await get<Page>(this.#path({ limit: furtherCalls, before }))
      // Meanwhile the list may have begun again.
      if (this.#before === before) this.#set([...(this.rows.peek() ?? []), ...items], nextBefore)
    } catch (error) {
      this.fault.value = error instanceof Fault ? error : new Fault(0, {})
    } finally {
      this.#reading = false
    }
  }

  again(): void {
    this.fault.value = undefined
    void this.readMore()
  }

  /** New calls stand before the others, whose order stays. */
  #place(page: Page | undefined): void {
    const known = this.rows.peek()
    if (page === undefined) return void (this.rows.value = undefined)
    const last = page.items.at(-1)?.callId
    const at = last === undefined || known === undefined ? -1 : known.findIndex(({ callId }) => callId === last)
    // Where no call is in both, there may be others in between.
    if (at === -1) this.#set(page.items, page.nextBefore)
    else this.#set([...page.items, ...known!.slice(at + 1)], known!.length === at + 1 ? page.nextBefore : this.#before)
  }

  #set(rows: readonly CallRecordView[], before: number | null | undefined): void {
    this.#before = before ?? null
    batch(() => {
      this.rows.value = rows
      this.more.value = this.#before !== null
    })
  }

  /** With a talk, earlier calls of the same number are returned: of those beyond the first page the box says which of them still fit. */
  #ended({ state, direction, from, to, legs = [] }: CallRecordView): void {
    if (state !== 'ended' || !may('patients')) return
    const older = (this.rows.peek() ?? []).slice(firstCalls)
    const numbers = direction === 'inbound' ? [from] : [to, ...legs.map((leg) => leg.to)]
    for (const number of new Set(numbers))
      if (number !== '' && older.some((row) => row.from === number)) void this.#readAgain(number).catch(() => undefined)
  }

  async #readAgain(number: string): Promise<void> {
    const { items } = await get<Page>(this.#path({ phoneNumber: number, limit: mostOfNumber }))
    if (items.length === mostOfNumber) return
    const now = new Map(items.map((row) => [row.callId, row]))
    const rows = this.rows.peek() ?? []
    this.rows.value = rows.flatMap((row, n) => (n < firstCalls || row.from !== number ? [row] : (now.get(row.callId) ?? [])))
  }

  #path(more: Readonly<Record<string, string | number>>): string {
    const query = new URLSearchParams(this.#asked)
    for (const [name, value] of Object.entries({ order: 'desc', ...more })) query.set(name, String(value))
    return `${path}?${query}`
  }
}
