/**
 * What became of a text whose answer was lost: the provider's newest texts to the same number are compared with it.
 * Only a list that reaches back to the attempt says that the text is not there; and of two texts that are the same, one
 * may be an earlier one.
 */
import type { OutboundText, SmsOutcome } from '../sms.ts'
import { holds, textAt, timeAt, type Template, listAt, type Pointer, type FilledRequest } from './template.ts'
import type { Client, Result } from './client.ts'

/** A list of the provider, page by page. */
const mostPages = 100

type Answer = Extract<Result, { kind: 'answer' }>

export type Listed =
  | {
      readonly kind: 'items'
      readonly items: readonly unknown[]
      /** False where there was more than is asked for. */ readonly whole: boolean
    }
  | { readonly kind: 'failed'; readonly text: string; readonly answer: Answer | null }

/** @param enough looks at each page: true where no further one is wanted */
export async function readPages(
  client: Client,
  first: FilledRequest,
  places: { readonly list: Pointer; readonly next: Pointer },
  signal: AbortSignal,
  enough: (page: readonly unknown[]) => boolean = () => false,
): Promise<Listed> {
  const items: unknown[] = []
  const visited = new Set<string>()
  let request = first
  while (visited.size < mostPages) {
    visited.add(request.url.href)
    const result = await client.ask(request, signal)
    if (result.kind !== 'answer') return { kind: 'failed', text: result.text, answer: null }
    if (result.status < 200 || result.status > 299 || result.document === undefined) {
      return { kind: 'failed', text: `the list of texts cannot be read (HTTP ${result.status})`, answer: result }
    }
    const page = listAt(result.document, places.list)
    items.push(...page)
    const next = textAt(result.document, places.next)
    if (next === '' || enough(page)) return { kind: 'items', items, whole: true }
    const url = URL.parse(next, request.url.href)
    // Nowhere else: the request carries the secret of the account.
    if (url === null || url.origin !== first.url.origin || visited.has(url.href)) break
    request = { ...request, url }
  }
  return { kind: 'items', items, whole: false }
}

/** Clocks differ. */
const skewMs = 120_000
/** A request that was written may be worked on for so long before it is in the list. */
const settledMs = 60_000
/** How far back a text is looked for that an earlier run may have sent: longer no text is tried. */
const longestMs = 72 * 3_600_000

export interface Attempt {
  /** The last moment at which the text can have been sent. */
  readonly until: number
  /** Texts before this moment are others. */
  readonly from: number
  /** False where another text that is the same may lie in between. */
  readonly exact: boolean
}

/** @param sentAt undefined where that was before the start */
export function attemptOf(sentAt: number | undefined, startedAt: number): Attempt {
  if (sentAt !== undefined) return { until: sentAt, from: sentAt - skewMs, exact: true }
  return { until: startedAt, from: startedAt - longestMs, exact: false }
}

/** @param taken ids of texts that are known to be others */
export function judge(
  listed: Listed,
  text: OutboundText,
  template: NonNullable<Template['lookUp']>,
  attempt: Attempt,
  taken: ReadonlySet<string>,
  nowMs: number,
): SmsOutcome {
  const unknown = (words: string): SmsOutcome => ({ kind: 'unknown', text: words, accepted: [null] })
  if (listed.kind === 'failed') return unknown(`the provider could not be asked: ${listed.text}`)
  const found = listed.items.filter(
    (item) =>
      holds(template.when, item) &&
      textAt(item, template.to) === text.to &&
      // An account on trial puts words of its own before the text.
      textAt(item, template.body).trim().endsWith(text.body.trim()) &&
      (timeAt(item, template.at) ?? Infinity) >= attempt.from &&
      !taken.has(textAt(item, template.id)),
  )
  if (found.length > 0) {
    if (!attempt.exact || found.length > 1) return unknown('the provider has the same text to the same number, perhaps from another time')
    return { kind: 'accepted', accepted: [textAt(found[0], template.id) || null] }
  }
  if (!listed.whole) return unknown('the provider has more texts to this number than can be looked through')
  if (nowMs - attempt.until < settledMs) return unknown('the provider does not have the text, so far')
  return { kind: 'temporary', text: 'the provider did not get the text', accepted: [null] }
}
