/**
 * What is said between the daemon and the limited child that reads PDFs: the task as JSON on its
 * standard input, where no list of processes shows it, then one line of JSON per report. The document is descriptor 3; what is made of it
 * goes to 4 and on: for `render` the pages, fine and standard; for `pictures` and `receipt` one file. The child opens nothing by name but its
 * own code.
 */
import type { FaxWarningKind } from '../../schema/fax.ts'
import type { CoverContent } from './cover.ts'
import type { PageErrorCode } from './page-error.ts'
import type { WantedPicture } from './picture.ts'
import type { PortfolioChoice } from './portfolio.ts'
import type { ReceiptContent } from './receipt.ts'

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
  /** PNG files of pages, one behind the other; the document is a fax as TIFF, or as the PDF that was made of a received one. */
  | { readonly task: 'pictures'; readonly wanted: readonly WantedPicture[] }
  /** A PDF of one page; the document is the fax as TIFF. */
  | { readonly task: 'receipt'; readonly content: ReceiptContent; readonly first: WantedPicture }

export const childFiles = { document: 3, fine: 4, standard: 5, only: 4 } as const

/** By which words a warning is known: the first four are of a page, the others of the whole PDF. */
export const warningWords = {
  fonts: 'drawn with another font, since the PDF lacks its own',
  notes: 'has notes for the screen only; they are not faxed',
  open: 'its content ends too early; check that the printed page is complete',
  sheets: 'longer than 22 inches, sent as',
  attached: 'Files attached to',
  order: 'The files of the portfolio are faxed in this order',
} as const satisfies Readonly<Record<FaxWarningKind, string>>

export interface Outcome {
  readonly pages: number
  /** Sentences about what is not as it is in the PDF, at most a few. */
  readonly warnings: readonly string[]
  /** Of pictures, in their order: bytes of each. */
  readonly sizes?: readonly number[]
}

export type ChildReport =
  /** The program runs and has its task; the PDF comes now. */
  | { readonly report: 'started' }
  | { readonly report: 'page'; readonly fine: number; readonly standard: number; readonly rows: number; readonly milliseconds: number }
  | ({ readonly report: 'done' } & Outcome)
  | { readonly report: 'failed'; readonly code: PageErrorCode; readonly message: string }
