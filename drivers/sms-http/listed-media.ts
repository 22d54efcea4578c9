/** Files of a text that came by a list: the provider says in another list where they are. */
import type { InboundMedia } from '../sms.ts'
import type { Client } from './client.ts'
import type { FilledRequest } from './fill.ts'
import { readPages } from './pages.ts'
import { textAt, type ListedMedia } from './template.ts'

export interface Listing {
  readonly count: number
  readonly address: string
}

/** Null for a text without files. */
export function listingOf(item: unknown, { count, address }: ListedMedia): Listing | null {
  const files = Number(textAt(item, count)) || 0
  return files > 0 ? { count: files, address: textAt(item, address) } : null
}

export type Files = { readonly media: readonly InboundMedia[] } | { readonly failed: string; readonly again: boolean }

/** @param base a request to the provider, as it is signed and addressed */
export async function readListing(
  client: Client,
  base: FilledRequest,
  { address }: Listing,
  { list, url, ending, contentType }: ListedMedia,
  signal: AbortSignal,
): Promise<Files> {
  const target = URL.parse(address, base.url.href)
  // Nowhere else: the request carries the secret of the account.
  if (address === '' || target === null || target.origin !== base.url.origin)
    return { failed: 'the provider gives no list of them', again: false }
  const listed = await readPages(client, { ...base, url: target }, { list, next: '' }, signal)
  if (listed.kind === 'failed') return { failed: listed.text, again: listed.answer === null || listed.answer.status >= 429 }
  const media = listed.items.flatMap((item) => {
    const place = textAt(item, url)
    const whole = URL.parse(place.endsWith(ending) ? place.slice(0, place.length - ending.length) : place, target.href)
    return place === '' || whole === null ? [] : [{ url: whole.href, contentType: textAt(item, contentType) }]
  })
  return { media }
}

export function lackingFiles({ count }: Listing, reason: string): InboundMedia[] {
  return Array.from({ length: Math.min(count, 30) }, () => ({ url: '', contentType: '', reason }))
}
