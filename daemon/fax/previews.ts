/** Faxes that somebody looks at before they are sent: checked, drawn as they would go, and kept for an hour. */
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { idPattern, newId } from '../base/ids.ts'
import type { FaxRow } from '../store/tables.ts'
import { FaxDocuments, type FaxFiles } from './documents.ts'
import { inspectPdf, type PortfolioChoice, type RenderedFax } from './pages/pages.ts'

export interface FaxPreview {
  readonly previewId: string
  readonly createdAt: number
  /** The number on the cover, as it is dialled; '' where none was given. */
  readonly to: string
  readonly cover: FaxRow['cover']
  readonly portfolio?: PortfolioChoice
  readonly pages: number
  readonly warnings: readonly string[]
  readonly bytesPerPage: readonly number[]
  readonly standardBytesPerPage: readonly number[]
  /** Of the document. */
  readonly sha256: string
}

export interface NewPreview extends Pick<FaxPreview, 'to' | 'cover' | 'portfolio'> {
  /** The PDF, or the preview whose document is taken again. */
  readonly document: Uint8Array | FaxPreview
  readonly mostPages: number
}

/** What is drawn: the document in `files`, and a cover with its facts. */
export type Draw = (
  facts: Pick<FaxRow, 'to' | 'cover' | 'createdAt' | 'portfolio'>,
  files: Pick<FaxFiles, 'pdf' | 'directory'>,
  signal: AbortSignal,
) => Promise<RenderedFax>

/** How long a preview is kept. */
export const previewMs = 3_600_000
/** Drawn and kept at once: each is up to 20 MiB, and its pages. */
const mostKept = 50
const factsFile = 'preview.json'

export class FaxPreviews {
  readonly #documents: FaxDocuments
  readonly #clock: Clock
  readonly #draw: Draw
  #kept = 0

  /** `dir`: a folder of its own, which no backup has, on the file system of the documents of faxes. */
  constructor({ dir, clock, draw }: { readonly dir: string; readonly clock: Clock; readonly draw: Draw }) {
    this.#documents = new FaxDocuments(dir)
    this.#clock = clock
    this.#draw = draw
  }

  /** Throws PageError, StarvedError, ApiError overloaded; then nothing is kept. */
  async make({ to, cover, portfolio, document, mostPages }: NewPreview, signal: AbortSignal): Promise<FaxPreview> {
    if (this.#kept >= mostKept) await this.sweep()
    if (this.#kept >= mostKept)
      throw new ApiError('overloaded', 'Too many faxes are being looked at; try again later.', { retryAfterSeconds: 60 })
    this.#kept += 1
    const previewId = newId()
    try {
      const files = this.#documents.of(previewId)
      if (document instanceof Uint8Array) await this.#documents.keep(previewId, document)
      else if (!(await this.#documents.keepAgain(previewId, this.files(document.previewId)))) throw this.unknown()
      const covers = cover === null ? 0 : 1
      const { warnings } = await inspectPdf(files.pdf, { mostPages: mostPages - covers, portfolio, signal })
      const createdAt = this.#clock.now()
      const choice = portfolio === undefined ? {} : { portfolio }
      const asked = { to, cover, createdAt, ...(portfolio === 'files' ? { portfolio } : {}) }
      const { pages, bytesPerPage, standardBytesPerPage } = await this.#draw(asked, files, signal)
      const facts = { previewId, createdAt, to, cover, ...choice, pages, warnings, bytesPerPage, standardBytesPerPage }
      const preview = { ...facts, sha256: document instanceof Uint8Array ? await digest(files.pdf) : document.sha256 }
      await writeFile(join(files.directory, `${factsFile}.part`), JSON.stringify(preview), { mode: 0o600 })
      await rename(join(files.directory, `${factsFile}.part`), join(files.directory, factsFile))
      return preview
    } catch (error) {
      this.#kept -= 1
      await this.#documents.drop(previewId)
      throw error
    }
  }

  /** Throws ApiError preview_unknown. */
  find(previewId: string): FaxPreview {
    if (!idPattern.test(previewId)) throw this.unknown()
    try {
      const preview = JSON.parse(readFileSync(join(this.#documents.of(previewId).directory, factsFile), 'utf8')) as FaxPreview
      if (this.#clock.now() - preview.createdAt < previewMs) return preview
    } catch {
      // Never made, or removed.
    }
    throw this.unknown()
  }

  files(previewId: string): FaxFiles {
    return this.#documents.of(previewId)
  }

  unknown(): ApiError {
    return new ApiError('preview_unknown', 'There is no preview with that id: previews are kept for an hour.')
  }

  /** Removes what is past its hour; how many. */
  async sweep(): Promise<number> {
    const now = this.#clock.now()
    let kept = 0
    const removed = await this.#documents.sweep((_, modifiedAt) => {
      const stays = now - modifiedAt < previewMs
      if (stays) kept += 1
      return stays
    })
    this.#kept = kept
    return removed
  }
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) hash.update(piece)
  return hash.digest('hex')
}
