/** Where a PDF page comes to lie on fax pages: 1728 dots wide, dots not square. */
import { dotsAcross, dotsDown, faxWidth } from './tiff.ts'

/** 22 inches: longer pages become sheets, so that no receiver has to feed paper without end. */
export const mostRows = 22 * dotsDown.fine
/** One inch, so that a tiny page is still a sheet. */
const leastRows = dotsDown.fine
/** Of a page that is cut: A4, and half an inch that stands on both, so that a line of text is whole on one of them. */
const cutRows = 2292
const commonRows = dotsDown.fine / 2
/** More than can be faxed at once, so that such a page is refused for its length. */
const mostSheets = 1000

/** One sheet of a page. */
export interface Placement {
  /** The page is turned by a quarter, to lie upright. */
  readonly turned: boolean
  /** Dots of the drawn page as it lies on the sheet. */
  readonly width: number
  readonly rows: number
  /** White dots left of it. */
  readonly left: number
  /** Rows of the sheet at 196 dots per inch; even, so that the standard page has half of them. */
  readonly sheetRows: number
  /** Rows of the whole page, and the first of them on this sheet. */
  readonly wholeRows: number
  readonly from: number
}

/** `width` and `height` in points as a reader sees the page (`/Rotate` applied). Scaled to fit, never above its own size. */
export function placePage(width: number, height: number): Placement[] {
  const widest = (faxWidth / dotsAcross) * 72
  // A wide page that fits across, such as half a sheet, stays as it is: turned, it could not be read without turning the paper.
  const turned = width > height && width > widest * 1.02
  const across = turned ? height : width
  const down = turned ? width : height
  const scale = Math.min(1, widest / across)
  const dots = Math.min(faxWidth, Math.max(1, Math.round((across * scale * dotsAcross) / 72)))
  const wholeRows = Math.max(1, Math.round((down * scale * dotsDown.fine) / 72))
  const place = { turned, width: dots, left: (faxWidth - dots) >> 1, wholeRows }
  if (wholeRows <= mostRows) {
    const sheetRows = Math.max(wholeRows, leastRows)
    return [{ ...place, rows: wholeRows, sheetRows: sheetRows + (sheetRows & 1), from: 0 }]
  }
  const sheets = Math.min(mostSheets, Math.ceil((wholeRows - commonRows) / (cutRows - commonRows)))
  return Array.from({ length: sheets }, (_, sheet) => {
    const from = sheet * (cutRows - commonRows)
    return { ...place, rows: Math.min(cutRows, wholeRows - from), sheetRows: cutRows, from }
  })
}

/** The part of the drawn page that lies on a sheet, as PDFium is to draw it: before it is turned. */
export function drawnPart(place: Placement): {
  width: number
  rows: number
  window: { left: number; top: number; width: number; rows: number }
} {
  const { turned, width, rows, wholeRows, from } = place
  if (turned) return { width: wholeRows, rows: width, window: { left: from, top: 0, width: rows, rows: width } }
  return { width, rows: wholeRows, window: { left: 0, top: from, width, rows } }
}
