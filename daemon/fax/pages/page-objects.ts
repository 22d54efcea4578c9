/** What a page is made of, as PDFium reports it: text, pictures, and the forms (XObjects) that hold more of them (fpdf_edit.h). */
import type { Shown } from './content-check.ts'
import type { Pdfium } from './pdfium-module.ts'

export interface Where {
  readonly document: number
  readonly page: number
}

/** FPDF_PAGEOBJ_TEXT, _IMAGE, _FORM. */
export const textKind = 1
export const pictureKind = 3
const formKind = 5

/** Points from the lower left corner of the page. */
export interface Bounds {
  readonly left: number
  readonly bottom: number
  readonly right: number
  readonly top: number
}

/** a, b, c, d, e, f of ISO 32000-1, 8.3.3. */
type Matrix = readonly [number, number, number, number, number, number]
const asItIs: Matrix = [1, 0, 0, 1, 0, 0]

export interface PageObject {
  readonly handle: number
  /** Where it lies on the page; undefined where PDFium does not know. */
  readonly bounds: Bounds | undefined
}

const deepest = 12
const mostObjects = 100_000

function times([a, b, c, d, e, f]: Matrix, m: Matrix): Matrix {
  return [
    a * m[0] + b * m[2],
    a * m[1] + b * m[3],
    c * m[0] + d * m[2],
    c * m[1] + d * m[3],
    e * m[0] + f * m[2] + m[4],
    e * m[1] + f * m[3] + m[5],
  ]
}

function boundsOf(pdfium: Pdfium, handle: number, m: Matrix): Bounds | undefined {
  const found = pdfium.floats(4, (to) => pdfium.call('FPDFPageObj_GetBounds', handle, ...to))
  if (found === undefined) return undefined
  const [left = 0, bottom = 0, right = 0, top = 0] = found
  const corners = [left, right].flatMap((x) => [bottom, top].map((y) => [m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]] as const))
  const across = corners.map(([x]) => x)
  const up = corners.map(([, y]) => y)
  return { left: Math.min(...across), bottom: Math.min(...up), right: Math.max(...across), top: Math.max(...up) }
}

/** Visits all, those inside forms too; false where there are more than are visited. */
function walk(pdfium: Pdfium, page: number, visit: (handle: number, kind: number, matrix: Matrix) => void): boolean {
  let left = mostObjects
  const all = (count: number, get: (index: number) => number, matrix: Matrix, depth: number): void => {
    for (let index = 0; index < count && left-- > 0; index++) {
      const handle = get(index)
      const is = handle === 0 ? 0 : pdfium.call('FPDFPageObj_GetType', handle)
      visit(handle, is, matrix)
      if (is !== formKind || depth >= deepest) continue
      const own = pdfium.floats(6, ([to = 0]) => pdfium.call('FPDFPageObj_GetMatrix', handle, to)) ?? asItIs
      const inside = pdfium.call('FPDFFormObj_CountObjects', handle)
      all(inside, (at) => pdfium.call('FPDFFormObj_GetObject', handle, at), times(own as unknown as Matrix, matrix), depth + 1)
    }
  }
  all(pdfium.call('FPDFPage_CountObjects', page), (index) => pdfium.call('FPDFPage_GetObject', page, index), asItIs, 0)
  return left > 0
}

/** All of one kind. */
export function objectsOf(pdfium: Pdfium, page: number, kind: number): PageObject[] {
  const found: PageObject[] = []
  walk(pdfium, page, (handle, is, matrix) => {
    if (is === kind) found.push({ handle, bounds: boundsOf(pdfium, handle, matrix) })
  })
  return found
}

/** How many of what can be missed; undefined where there are too many to count. */
export function countShown(pdfium: Pdfium, page: number): Shown | undefined {
  const count = { texts: 0, pictures: 0 }
  const all = walk(pdfium, page, (_, is) => {
    if (is === textKind) count.texts++
    else if (is === pictureKind) count.pictures++
  })
  return all ? count : undefined
}

/** Names of the filters a picture's data go through, the last decodes the picture itself. */
export function filtersOf(pdfium: Pdfium, picture: number): string[] {
  const count = Math.min(10, pdfium.call('FPDFImageObj_GetImageFilterCount', picture))
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    pdfium.with(64, (buffer) => {
      const length = pdfium.call('FPDFImageObj_GetImageFilter', picture, index, buffer, 64)
      return Buffer.from(pdfium.bytes.subarray(buffer, buffer + Math.max(0, Math.min(64, length) - 1))).toString('latin1')
    }),
  )
}

/** The data of a picture with all filters undone but the one that is the picture's own. */
export function rawDataOf(pdfium: Pdfium, picture: number): Buffer {
  const length = pdfium.call('FPDFImageObj_GetImageDataDecoded', picture, 0, 0)
  if (length === 0) return Buffer.alloc(0)
  return pdfium.with(length, (buffer) => {
    pdfium.call('FPDFImageObj_GetImageDataDecoded', picture, buffer, length)
    return Buffer.from(pdfium.bytes.slice(buffer, buffer + length))
  })
}
