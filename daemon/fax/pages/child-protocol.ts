/**
 * What is said between the daemon and the limited child that reads PDFs: the task as JSON on its
 * standard input, where no list of processes shows it, then one line of JSON per report.
 */
import type { CoverContent } from './cover.ts'
import type { PageErrorCode } from './page-error.ts'

export type ChildTask =
  | { readonly task: 'inspect'; readonly pdf: string; readonly mostPages: number }
  | {
      readonly task: 'render'
      readonly pdf: string
      /** Drawn before the pages of the PDF. */
      readonly cover: CoverContent | null
      readonly fine: string
      readonly standard: string
      /** With the cover. */
      readonly mostPages: number
    }

export type ChildReport =
  /** The program runs and has its task; the PDF comes now. */
  | { readonly report: 'started' }
  | { readonly report: 'page'; readonly fine: number; readonly standard: number; readonly rows: number; readonly milliseconds: number }
  | { readonly report: 'done'; readonly pages: number }
  | { readonly report: 'failed'; readonly code: PageErrorCode; readonly message: string }
