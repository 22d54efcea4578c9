/**
 * What is said between the daemon and the limited child that reads PDFs: the task as JSON on its
 * standard input, where no list of processes shows it, then one line of JSON per report. The PDF is descriptor 3; for `render` the pages go
 * to 4 (fine) and 5 (standard). The child opens nothing by name but its own code.
 */
import type { CoverContent } from './cover.ts'
import type { PageErrorCode } from './page-error.ts'
import type { PortfolioChoice } from './portfolio.ts'

export type ChildTask =
  | { readonly task: 'inspect'; readonly mostPages: number; readonly portfolio: PortfolioChoice }
  | {
      readonly task: 'render'
      /** Drawn before the pages of the PDF. */
      readonly cover: CoverContent | null
      /** With the cover. */
      readonly mostPages: number
      readonly portfolio: PortfolioChoice
    }

export const childFiles = { pdf: 3, fine: 4, standard: 5 } as const

export interface Outcome {
  readonly pages: number
  /** Sentences about what is not as it is in the PDF, at most a few. */
  readonly warnings: readonly string[]
}

export type ChildReport =
  /** The program runs and has its task; the PDF comes now. */
  | { readonly report: 'started' }
  | { readonly report: 'page'; readonly fine: number; readonly standard: number; readonly rows: number; readonly milliseconds: number }
  | ({ readonly report: 'done' } & Outcome)
  | { readonly report: 'failed'; readonly code: PageErrorCode; readonly message: string }
