/** A PDF, and a cover page if one is asked for, as the two files a fax is sent from. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CoverContent } from './cover.ts'
import { checkHeader, mostFaxPages, runReader } from './inspect.ts'
import type { ChildLimits } from './limited-child.ts'
import { PageError } from './page-error.ts'
import type { PortfolioChoice } from './portfolio.ts'

export interface RenderLimits extends ChildLimits {
  /** Pages with the cover. */
  readonly mostPages: number
}

export const renderLimits: RenderLimits = { pageMilliseconds: 30_000, totalMilliseconds: 120_000, mostPages: mostFaxPages }

export interface RenderOptions {
  readonly pdf: string
  readonly cover?: CoverContent
  /** Default: `refuse`. */
  readonly portfolio?: PortfolioChoice | undefined
  /** Is made when it is not there; `fine.tif` and `standard.tif` come to lie in it, whole or not at all. */
  readonly directory: string
  readonly limits?: Partial<RenderLimits>
  readonly signal?: AbortSignal
}

export interface RenderedFax {
  /** TIFF at 204 x 196 dots per inch, and at 204 x 98. */
  readonly fine: string
  readonly standard: string
  /** With the cover. */
  readonly pages: number
  /** Bytes of each page as T.6, at fine and at standard resolution. */
  readonly bytesPerPage: readonly number[]
  readonly standardBytesPerPage: readonly number[]
  readonly millisecondsPerPage: readonly number[]
}

/** Throws PageError; then nothing is left in the directory. */
export async function renderJob(options: RenderOptions): Promise<RenderedFax> {
  const limits = { ...renderLimits, ...options.limits }
  const { pdf, directory, cover, signal } = options
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const files = { fine: join(directory, 'fine.tif'), standard: join(directory, 'standard.tif') }
  const parts = { fine: `${files.fine}.part`, standard: `${files.standard}.part` }
  const bytesPerPage: number[] = []
  const standardBytesPerPage: number[] = []
  const millisecondsPerPage: number[] = []
  try {
    checkHeader(pdf)
    const { pages } = await runReader(
      { task: 'render', cover: cover ?? null, mostPages: limits.mostPages, portfolio: options.portfolio ?? 'refuse' },
      {
        limits,
        pdf,
        outputs: [parts.fine, parts.standard],
        signal,
        onPage: (page) => {
          bytesPerPage.push(page.fine)
          standardBytesPerPage.push(page.standard)
          millisecondsPerPage.push(page.milliseconds)
        },
      },
    )
    if (bytesPerPage.length !== pages) throw new PageError('internal', `${bytesPerPage.length} pages were drawn of ${pages}`)
    await rename(parts.standard, files.standard)
    await rename(parts.fine, files.fine)
    return { ...files, pages, bytesPerPage, standardBytesPerPage, millisecondsPerPage }
  } catch (error) {
    await Promise.all([parts.fine, parts.standard, files.fine, files.standard].map((file) => rm(file, { force: true })))
    throw error
  }
}
