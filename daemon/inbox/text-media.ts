/** Pictures and other files of texts: what is known of them, next to the item they came with. An item does not change; they do, until they are there. */
import { mkdirSync, createReadStream } from 'node:fs'
import { dirname, join } from 'node:path'
import { idPattern } from '../base/ids.ts'
import type { Store } from '../store/store.ts'
import type { InboxSmsRow, TextMediaRow } from '../store/tables.ts'
import { createHash } from 'node:crypto'
import { mkdir, open, rename, stat } from 'node:fs/promises'

// Media of the inbox as files: moved to where they stay, on the disk before anything names them.

/**
 * Moves a complete file, which is on the same file system, to `to`; what is there and how it is called is on the disk when this
 * resolves. Where a crash came after the move there is nothing left to do. Rejects where neither file exists.
 */
export async function placeMedia(from: string, to: string): Promise<void> {
  const folder = dirname(to)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (await exists(from)) {
    await syncPath(from)
    await rename(from, to)
  } else await syncPath(to)
  await syncPath(folder)
}

export async function digestOf(file: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { sha256: hash.digest('hex'), bytes }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** By the first words of a content type, the ending of the file. */
const endings: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/jpg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/bmp': 'bmp',
  'image/tiff': 'tiff',
  'audio/amr': 'amr',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/aac': 'aac',
  'audio/3gpp': '3gp',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
  'text/vcard': 'vcf',
  'text/x-vcard': 'vcf',
  'text/calendar': 'ics',
  'text/plain': 'txt',
}

export const endingOf = (contentType: string): string => endings[contentType] ?? 'bin'

/** What a browser may do with it: of a kind that is not in the list, keep it and nothing else. */
export const servedType = (contentType: string): string => (endings[contentType] === undefined ? 'application/octet-stream' : contentType)

export class TextMedia {
  readonly #store: Store
  readonly #dir: string

  /** @param dir the storage directory */
  constructor(store: Store, dir: string) {
    this.#store = store
    this.#dir = dir
  }

  /** Inside a transaction. */
  add(rows: readonly TextMediaRow[]): void {
    for (const row of rows) this.#store.tables.textMedia.put(row.id, row)
  }

  get(id: string): TextMediaRow | undefined {
    return idPattern.test(id) ? this.#store.tables.textMedia.get(id) : undefined
  }

  of({ media = [] }: Pick<InboxSmsRow, 'media'>): TextMediaRow[] {
    return media.flatMap((id) => this.#store.tables.textMedia.get(id) ?? [])
  }

  /** Those to be fetched. */
  pending(): TextMediaRow[] {
    return Array.from(this.#store.tables.textMedia.pending(), ({ value }) => value)
  }

  /** Where a file is written while it comes; no backup holds it. Its folder is made. */
  place(id: string): string {
    const path = join(this.#dir, fileOf(id, 'part'))
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return path
  }

  /** A file that has come whole. False where its item is gone meanwhile: the file is for the caller to remove. */
  async keep(id: string, part: string, contentType: string): Promise<boolean> {
    const file = fileOf(id, endingOf(contentType))
    await placeMedia(part, join(this.#dir, file))
    const { sha256, bytes } = await digestOf(join(this.#dir, file))
    const { textMedia, inboxMedia } = this.#store.tables
    return this.#store.transaction(() => {
      const row = textMedia.get(id)
      // The sweep of the inbox takes the file of an item that is gone.
      inboxMedia.put(id, { feed: 'sms', file, sha256, receivedAt: row?.receivedAt ?? 0, purgedAt: row === undefined ? 0 : null })
      if (row !== undefined) textMedia.put(id, { ...row, state: 'stored', url: '', reason: '', contentType, bytes })
      return row !== undefined
    })
  }

  /** It was not fetched; `nextAt`: of the next attempt, null where there is none. */
  async failed(id: string, reason: string, nextAt: number | null): Promise<void> {
    const { textMedia } = this.#store.tables
    await this.#store.transaction(() => {
      const row = textMedia.get(id)
      if (row?.state !== 'fetching') return
      const attempts = row.attempts + 1
      textMedia.put(id, nextAt === null ? { ...row, attempts, reason, state: 'failed', url: '' } : { ...row, attempts, reason, nextAt })
    })
  }

  /** Inside a transaction: an item is gone, and with it what came with it. Files that are there, below the storage directory. */
  purge({ media = [], receivedAt }: InboxSmsRow, now: number): string[] {
    const { textMedia, inboxMedia } = this.#store.tables
    return media.flatMap((id) => {
      const stored = inboxMedia.get(id)
      inboxMedia.put(id, { feed: 'sms', file: stored?.file ?? '', sha256: '', receivedAt, purgedAt: now })
      textMedia.remove(id)
      return stored === undefined || stored.file === '' ? [] : [stored.file]
    })
  }
}

const fileOf = (id: string, ending: string): string => join('inbox', 'sms', `${id}.${ending}`)
