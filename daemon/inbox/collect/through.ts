/** Items that another box received, through this one: their media, their newest state, their deletion. The other box keeps the files. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, errorTable, type ErrorCode } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { Reply } from '../../http/route.ts'
import type { CollectedIdRow, InboxMediaRow } from '../../store/tables.ts'
import type { Collected } from './collected.ts'
import { nameOf, receivedAt, type Source } from './source.ts'

type FeedName = InboxMediaRow['feed']

const retrySeconds = 5
/** What another box may say of its item, and this one repeats. */
const repeated: readonly string[] = ['not_found', 'media_expired', 'media_failed', 'media_fetching'] satisfies ErrorCode[]

export class Through {
  readonly #collected: Collected
  readonly #sources: ReadonlyMap<string, Source>
  readonly #dir: string
  #cleared: Promise<void> | null = null

  /** `dir`: for files on their way; nothing else is in it. */
  constructor(collected: Collected, sources: readonly Source[], dir: string) {
    this.#collected = collected
    this.#sources = new Map(sources.map((source) => [source.id, source]))
    this.#dir = dir
  }

  /** Before the first file, and not at the start, which needs no disk: what an earlier run left on its way goes. */
  async #place(): Promise<string> {
    await (this.#cleared ??= rm(this.#dir, { recursive: true, force: true }).catch(() => undefined))
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    return join(this.#dir, newId())
  }

  /**
   * The file of an item, or one that came with a text; null where none of this id was collected. Throws ApiError: box_unreachable, and
   * what that box says.
   */
  async file(feed: FeedName, id: string, path: string): Promise<(Reply & { readonly file: NonNullable<Reply['file']> }) | null> {
    const known = this.#known(feed, id)
    if (known === null) return null
    const place = await this.#place()
    const release = (): void => void rm(place, { force: true })
    try {
      const { status, type, etag, text } = await this.#at(known, (source) => source.fetch(path, place))
      if (status === 200) return { status, file: { path: place, type, etag }, release }
      throw refusal(known, status, text)
    } catch (error) {
      release()
      throw error
    }
  }

  /** A text as it is now. */
  async text(id: string): Promise<Record<string, unknown> | null> {
    const known = this.#known('sms', id)
    if (known === null) return null
    const { status, text } = await this.#at(known, (source) => source.ask('GET', `/api/inbox/sms/${id}`))
    if (status !== 200) throw refusal(known, status, text)
    return { ...(JSON.parse(text) as Record<string, unknown>), ...receivedAt(known.box) }
  }

  /** At the other box first: where this one dies in between, the next request finds it gone there. False where it was not collected. */
  async remove(feed: FeedName | null, id: string, record: (id: string) => void): Promise<boolean> {
    const known = this.#known(feed, id)
    if (known === null || this.#collected.item(id)?.id !== id) return false
    const { status, text } = await this.#at(known, (source) => source.ask('DELETE', `/api/inbox/${known.feed}/${id}`))
    if (status !== 204 && status !== 404 && status !== 410) throw refusal(known, status, text)
    await this.#collected.remove(id, record)
    return true
  }

  /** Throws ApiError media_expired of an item that is gone. */
  #known(feed: FeedName | null, id: string): CollectedIdRow | null {
    const known = this.#collected.known(id)
    if (known === undefined || (feed !== null && known.feed !== feed)) return null
    if (known.goneAt !== null) throw new ApiError('media_expired', 'This item has been deleted.')
    return known
  }

  async #at<T>({ box }: CollectedIdRow, ask: (source: Source) => Promise<T>): Promise<T> {
    const source = this.#sources.get(box)
    if (source === undefined) throw unreachable(box)
    try {
      return await ask(source)
    } catch (cause) {
      throw unreachable(box, cause)
    }
  }
}

function unreachable(box: string, cause?: unknown): ApiError {
  return new ApiError('box_unreachable', `${nameOf(box)} has this and cannot be reached now. Send the request again.`, {
    retryAfterSeconds: retrySeconds,
    cause,
  })
}

function refusal({ box }: CollectedIdRow, status: number, text: string): ApiError {
  const { code, error } = ((): { code?: unknown; error?: unknown } => {
    try {
      return JSON.parse(text) as object
    } catch {
      return {}
    }
  })()
  if (typeof code !== 'string' || typeof error !== 'string' || !repeated.includes(code))
    return unreachable(box, new Error(`${status} ${String(code)}`))
  const known = code as keyof typeof errorTable
  return new ApiError(known, error, known === 'media_fetching' ? { retryAfterSeconds: retrySeconds } : {})
}
