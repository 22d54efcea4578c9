/** Where a PDF page comes to lie on a fax page: 1728 dots wide, dots not square. */
import { dotsAcross, dotsDown, faxWidth } from './tiff.ts'

/** 22 inches: longer pages are made smaller as a whole, so that no receiver has to feed paper without end. */
export const mostRows = 22 * dotsDown.fine
/** One inch, so that a tiny page is still a sheet. */
const leastRows = dotsDown.fine

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
}

/** `width` and `height` in points as a reader sees the page (`/Rotate` applied). Scaled to fit, never above its own size. */
export function placePage(width: number, height: number): Placement {
  const widest = (faxWidth / dotsAcross) * 72
  // A wide page that fits across, such as half a sheet, stays as it is: turned, it could not be read without turning the paper.
  const turned = width > height && width > widest * 1.02
  const across = turned ? height : width
  const down = turned ? width : height
  const scale = Math.min(1, widest / across, ((mostRows / dotsDown.fine) * 72) / down)
  const dots = Math.min(faxWidth, Math.max(1, Math.round((across * scale * dotsAcross) / 72)))
  const rows = Math.min(mostRows, Math.max(1, Math.round((down * scale * dotsDown.fine) / 72)))
  const sheetRows = Math.max(rows, leastRows)
  return { turned, width: dots, rows, left: (faxWidth - dots) >> 1, sheetRows: sheetRows + (sheetRows & 1) }
}
