/** What the page of faxes shows, kept up by what happens. */
import type { InboxNewestView } from '../../../schema/inbox.ts'
import type { FaxSummary } from '../../../schema/fax.ts'
import { get, send } from '../../frame/api.ts'
import type { LiveEvent } from '../../frame/live.ts'
import { thing } from '../../frame/state.ts'

export interface FaxList {
  readonly items: readonly FaxSummary[]
  readonly nextCursor: string | null
}

export type ReceivedFax = Extract<InboxNewestView['items'][number], { pages: number }>

export const received = thing<InboxNewestView>('/api/inbox/newest/faxes?limit=200', ['inbox'])
export const faxes = thing<FaxList>('/api/fax?limit=200', ['faxes'], fold)

function fold(now: FaxList, { data }: LiveEvent<{ id: string; gone?: boolean } & Partial<FaxSummary>>): FaxList | undefined {
  const faxId = data.faxId ?? data.id
  const at = now.items.findIndex((one) => one.faxId === faxId)
  if (data.gone === true) return { ...now, items: now.items.filter((one) => one.faxId !== faxId) }
  if (data.status === undefined) return undefined
  const fax = { ...now.items[at], ...data, faxId } as FaxSummary
  return { ...now, items: at === -1 ? [fax, ...now.items] : now.items.with(at, fax) }
}

/** Newest first. */
export function receivedFaxes(): readonly ReceivedFax[] {
  return ((received.data.value?.items ?? []) as readonly ReceivedFax[]).toReversed()
}

/** Those before the newest 200, newest first. */
export async function olderReceived(before: number) {
  const page = await get<InboxNewestView>(`/api/inbox/newest/faxes?limit=100&before=${before}`)
  return { items: (page.items as readonly ReceivedFax[]).toReversed(), next: page.nextBefore }
}

export async function olderFaxes(cursor: string) {
  const page = await get<FaxList>(`/api/fax?limit=100&cursor=${encodeURIComponent(cursor)}`)
  return { items: page.items, next: page.nextCursor }
}

const dayMs = 86_400_000
export const isEnded = ({ status }: Pick<FaxSummary, 'status'>): boolean =>
  status === 'sent' || status === 'failed' || status === 'canceled'

/** Those that go, and those that failed since yesterday and wait for somebody. */
export function underWay(): readonly FaxSummary[] {
  const waits = (fax: FaxSummary): boolean =>
    fax.status === 'failed' && fax.replacedBy === null && Date.now() - Date.parse(fax.completedAt ?? fax.createdAt) < dayMs
  return (faxes.data.value?.items ?? []).filter((fax) => !isEnded(fax) || waits(fax))
}

export function ended(): readonly FaxSummary[] {
  return (faxes.data.value?.items ?? []).filter(isEnded)
}

/** One that still waits for its next try is canceled first. */
export async function correct(fax: FaxSummary, to: string, toAgain: string): Promise<FaxSummary> {
  if (!isEnded(fax)) await send('POST', `/api/fax/${encodeURIComponent(fax.faxId)}/cancel`)
  return retry(fax, { to, ...(toAgain === '' ? {} : { toAgain }) })
}

/** The deed, and the list as it is after it. */
export async function retry(fax: FaxSummary, body: object = {}): Promise<FaxSummary> {
  const after = await send<FaxSummary>('POST', `/api/fax/${encodeURIComponent(fax.faxId)}/retry`, body)
  void faxes.reload()
  return after
}
