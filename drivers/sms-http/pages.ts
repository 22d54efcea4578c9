/** A list of the provider, page by page. */
import type { Client, Result } from './client.ts'
import type { FilledRequest } from './fill.ts'
import { listAt, textAt, type Pointer } from './template.ts'

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
