/**
 * Pages of faxes: a PDF becomes pages of black and white dots that are short on the wire (Group 4 TIFF at both resolutions), a
 * received TIFF becomes a PDF. PDFs of strangers are read in a limited child only; TIFF files by code that trusts no byte.
 */
export type { ChildTask } from './child-protocol.ts'
export type { CoverContent } from './cover.ts'
export { inspectPdf, mostFaxPages, runReader, type InspectOptions } from './inspect.ts'
export { headerText, type HeaderFacts } from './header-line.ts'
export { StarvedError } from './limited-child.ts'
export { PageError, type PageErrorCode } from './page-error.ts'
export { isPdf } from './pdf-bounds.ts'
export type { WantedPicture } from './picture.ts'
export type { PortfolioChoice } from './portfolio.ts'
export type { ReceiptContent } from './receipt.ts'
export { pdfOfFax, type FaxPdf } from './received.ts'
export { renderJob, renderLimits, type RenderedFax, type RenderLimits, type RenderOptions } from './render.ts'
export { wireSeconds } from './wire-time.ts'
