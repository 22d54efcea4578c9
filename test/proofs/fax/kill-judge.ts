/** What a round of `kill` came to: what was struck, what the inbox holds of it, and the table of all rounds. */
import { isSame, type Document, type InboxItem, type Pair } from './boxes.ts'

export const victims = ['sender', 'receiver', "sender's engine", "receiver's engine"] as const
/** On a serial line; pbx-fax is there while a call is. */
export const lineVictims = [
  "sender's pbx-fax",
  "receiver's pbx-fax",
  'sender',
  'receiver',
  "sender's pbx-fax",
  "receiver's pbx-fax",
] as const
/** Where in a fax's life the blow is aimed at; `any`: somewhere in the time that a whole fax takes. */
export const moments = [
  'posting',
  'queued',
  'processing',
  'dialing',
  'negotiating',
  'page',
  'confirmed',
  'retrying',
  'sent',
  'callback',
  'any',
] as const
/** Those at which a fax is on a line. */
export const callMoments = ['dialing', 'negotiating', 'page', 'confirmed', 'retrying', 'any'] as const satisfies readonly Moment[]
export type Victim = (typeof victims)[number] | (typeof lineVictims)[number]
export type Moment = (typeof moments)[number]

export interface Round {
  readonly round: number
  readonly transport: string
  readonly victim: Victim
  readonly moment: Moment
  /** As the sender reported it just before the blow. */
  struck: string
  again: boolean
  pages: number
  status: string
  attempts: number
  named: readonly number[]
  /** Pages that came more than once. */
  repeated: number[]
  items: number
  redelivered: number
  seconds: number
  readonly faults: string[]
}

/** How often each page came. */
async function counts(
  pair: Pair,
  document: Document,
  to: string,
): Promise<{ times: number[]; strange: number; items: number; order: boolean }> {
  const times = document.fine.map(() => 0)
  let strange = 0
  let order = true
  const items: InboxItem[] = []
  for (const item of await pair.received(to)) {
    let before = -1
    const pages = await pair.pagesOf(item)
    // On a line all faxes come to one number: another round's is not this one's affair.
    if (pages.some((page) => document.siblings.some((other) => other !== document && other.fine.some((sent) => isSame(page, sent)))))
      continue
    items.push(item)
    for (const page of pages) {
      const index = document.fine.findIndex((sent) => isSame(page, sent))
      if (index < 0) strange += 1
      else times[index]! += 1
      if (index >= 0 && before >= 0 && index !== before + 1) order = false
      before = index
    }
  }
  return { times, strange, items: items.length, order }
}

export async function missing(pair: Pair, document: Document, to: string): Promise<number[]> {
  const { times } = await counts(pair, document, to)
  return times.flatMap((count, index) => (count === 0 ? [index + 1] : []))
}

export async function judgeInbox(pair: Pair, round: Round, document: Document, to: string): Promise<void> {
  const { times, strange, items, order } = await counts(pair, document, to)
  round.items = items
  round.repeated = times.flatMap((count, index) => (count > 1 ? [index + 1] : []))
  const fault = (text: string): void => void (round.faults.includes(text) || round.faults.push(text))
  const lost = times.flatMap((count, index) => (count === 0 ? [index + 1] : []))
  if (round.status === 'sent' && lost.length > 0) fault(`pages ${lost.join(' ')} never arrived (${to})`)
  const unnamed = round.repeated.filter((page) => !round.named.includes(page))
  if (unnamed.length > 0)
    fault(
      `pages ${unnamed.join(' ')} came ${unnamed.map((page) => times[page - 1]).join(', ')} times, named: ${round.named.join(' ') || 'none'} (${to})`,
    )
  if (strange > 0) fault(`${strange} pages that were not sent so (${to})`)
  if (!order) fault(`pages out of order (${to})`)
}

/** What was struck how often, and what came of it. */
export function summary(rounds: readonly Round[]): string {
  const lines: string[] = []
  const row = (...cells: (string | number)[]): void =>
    void lines.push(`  ${cells.map((cell, i) => (i === 0 ? String(cell).padEnd(36) : String(cell).padStart(i === 1 ? 7 : 11))).join('')}`)
  const group = (title: string, of: (round: Round) => string): void => {
    row(title, 'rounds', 'sent', 'calls', 'repeated', 'named', 'faults')
    for (const [name, list] of [...Map.groupBy(rounds, of)].toSorted((a, b) => (a[0] < b[0] ? -1 : 1))) {
      const sum = (count: (round: Round) => number): number => list.reduce((total, round) => total + count(round), 0)
      row(
        name,
        list.length,
        sum((r) => Number(r.status === 'sent')),
        sum((r) => r.attempts),
        sum((r) => r.repeated.length),
        sum((r) => r.named.length),
        sum((r) => Number(r.faults.length > 0)),
      )
    }
    lines.push('')
  }
  group('who', (round) => `${round.victim}, ${round.transport}`)
  group('aimed at', (round) => round.moment)
  group('found in', (round) => round.struck.replace(/, page \d+/, ''))
  return lines.join('\n')
}
