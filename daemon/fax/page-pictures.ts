/** Pictures of fax pages: drawn by the confined child, several of one document at a time, and kept as files for a day. */
import { mkdir, readdir, rename, rm, stat, writeFile, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { madeFolder } from '../store/disk.ts'
import { PageError, runReader, type ChildTask, type WantedPicture, isPdf, StarvedError } from './pages/pages.ts'
import type { Base64Fault } from '../base/base64.ts'

// What is said of a document that cannot be faxed, in the words of the interface.

/** Throws ApiError: validation_failed, attachment_too_large, pdf_unreadable. */
export function checkedPdf(pdf: Uint8Array | Base64Fault, mostBytes: number): Uint8Array {
  const refused = (message: string): ApiError =>
    new ApiError('validation_failed', `"pdfBase64" ${message}.`, { details: [{ path: '/pdfBase64', message }] })
  if (pdf === 'empty') throw refused('must not be empty')
  if (pdf === 'not-base64') throw refused('must be Base64')
  if (pdf === 'too-large' || pdf.length > mostBytes) {
    throw new ApiError('attachment_too_large', `The PDF is larger than the ${mostBytes} bytes allowed.`, {
      extra: { limitBytes: mostBytes },
    })
  }
  if (!isPdf(pdf)) throw new ApiError('pdf_unreadable', 'This is not a PDF file.')
  return pdf
}

/** What is thrown to the client for what went wrong with a document, its reader or the disk. */
export function documentFault(cause: unknown): unknown {
  if (cause instanceof PageError && cause.code !== 'internal') return new ApiError(cause.code, cause.message, { cause })
  if (cause instanceof StarvedError) return new ApiError('overloaded', cause.message, { retryAfterSeconds: 30, cause })
  if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') return cause
  return new ApiError('storage_full', 'The storage is full: free some space on the disk.', { retryAfterSeconds: 30, cause })
}

/** The document of which pages are shown. */
export interface PictureSource {
  /** Of the fax, the item or the preview: with it its pictures are removed. */
  readonly id: string
  /** Of what is drawn: changes when that does. */
  readonly version: string
  /** The TIFF of the pages, or the PDF of a received fax. */
  readonly file: string
  readonly pages: number
  /** The line above each page, which is not in the file; null where it is. */
  readonly header: ((page: number) => string) | null
}

export interface Picture {
  readonly path: string
  readonly etag: string
}

interface Waiting {
  readonly source: PictureSource
  readonly page: number
  readonly width: number
  readonly path: string
  readonly done: PromiseWithResolvers<void>
}

const keptMs = 86_400_000
/** Of one child: a page with all its thumbnails. */
const mostAtOnce = 24
const limits = { pageMilliseconds: 20_000, totalMilliseconds: 30_000 }

export class PagePictures {
  readonly #dir: string
  readonly #clock: Clock
  readonly #waiting: Waiting[] = []
  readonly #drawn = new Map<string, Promise<void>>()
  /** Deleted since the last sweep: what was being drawn of them meanwhile goes too. */
  readonly #forgotten = new Set<string>()
  #drawing = false

  constructor({ dir, clock }: { readonly dir: string; readonly clock: Clock }) {
    this.#dir = dir
    this.#clock = clock
    madeFolder(dir)
  }

  /** Throws ApiError: not_found for a page that the document does not have, pdf_unreadable, overloaded. */
  async picture(source: PictureSource, page: number, width: number): Promise<Picture> {
    if (!(page >= 1 && page <= source.pages))
      throw new ApiError('not_found', `This fax has ${source.pages} page${source.pages === 1 ? '' : 's'}.`)
    const etag = `${source.version}-${page}-${width}`
    const path = join(this.#dir, source.id, `${etag}.png`)
    if (!existsSync(path)) await this.#draw(source, page, width, path)
    return { path, etag }
  }

  /** The receipt of a fax, a PDF. Throws ApiError: pdf_unreadable, overloaded. */
  async receipt(source: PictureSource, task: Extract<ChildTask, { task: 'receipt' }>): Promise<Picture> {
    const etag = `receipt-${source.version}`
    const path = join(this.#dir, source.id, `${etag}.pdf`)
    if (existsSync(path)) return { path, etag }
    await mkdir(join(this.#dir, source.id), { recursive: true, mode: 0o700 })
    const part = `${path}.${newId()}.part`
    try {
      await runReader(task, { limits, pdf: source.file, outputs: [part] })
      await rename(part, path)
    } catch (error) {
      await rm(part, { force: true })
      throw documentFault(error)
    }
    return { path, etag }
  }

  /** Of a fax that was deleted. */
  async forget(id: string): Promise<void> {
    this.#forgotten.add(id)
    await rm(join(this.#dir, id), { recursive: true, force: true })
  }

  /** Removes pictures a day after they were drawn. */
  async sweep(): Promise<number> {
    let removed = 0
    this.#forgotten.clear()
    for (const id of await readdir(this.#dir)) {
      const folder = join(this.#dir, id)
      const { mtimeMs } = await stat(folder)
      if (this.#clock.now() - mtimeMs < keptMs) continue
      await rm(folder, { recursive: true, force: true })
      removed += 1
    }
    return removed
  }

  #draw(source: PictureSource, page: number, width: number, path: string): Promise<void> {
    const under = this.#drawn.get(path)
    if (under !== undefined) return under
    const done = Promise.withResolvers<void>()
    this.#drawn.set(path, done.promise)
    done.promise.catch(() => undefined).finally(() => this.#drawn.delete(path))
    this.#waiting.push({ source, page, width, path, done })
    if (!this.#drawing) void this.#drawAll()
    return done.promise
  }

  /** A page that somebody reads comes before the thumbnails of a list. */
  #next(): Waiting | undefined {
    return this.#waiting.toSorted((a, b) => b.width - a.width)[0]
  }

  async #drawAll(): Promise<void> {
    this.#drawing = true
    // What one page of the console asks for comes together.
    await new Promise(setImmediate)
    for (let first = this.#next(); first !== undefined; first = this.#next()) {
      const { id, version } = first.source
      const together = this.#waiting.filter(({ source }) => source.id === id && source.version === version).slice(0, mostAtOnce)
      for (const one of together) this.#waiting.splice(this.#waiting.indexOf(one), 1)
      try {
        await this.#run(first.source, together)
        for (const { done } of together) done.resolve()
      } catch (error) {
        for (const { done } of together) done.reject(documentFault(error))
      }
    }
    this.#drawing = false
  }

  async #run(source: PictureSource, together: readonly Waiting[]): Promise<void> {
    const folder = join(this.#dir, source.id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const all = join(folder, `${newId()}.part`)
    const wanted = together.map(({ page, width }): WantedPicture => ({ page, width, header: source.header?.(page) ?? null }))
    try {
      const { sizes = [] } = await runReader({ task: 'pictures', wanted }, { limits, pdf: source.file, outputs: [all] })
      if (sizes.length !== together.length) throw new PageError('internal', `${sizes.length} pictures were drawn of ${together.length}`)
      const bytes = await readFile(all)
      let at = 0
      for (const [index, { path }] of together.entries()) {
        await writeFile(`${path}.part`, bytes.subarray(at, (at += sizes[index]!)), { mode: 0o600 })
        await rename(`${path}.part`, path)
      }
    } finally {
      await rm(all, { force: true })
      if (this.#forgotten.has(source.id)) await this.forget(source.id)
    }
  }
}
