/** Pictures that PDFium leaves white though they can be decoded get their dots from us. */
import { PageError } from './page-error.ts'
import { mmrRegions, type Region } from './jbig2.ts'
import { filtersOf, objectsOf, pictureKind, rawDataOf, type Where } from './page-objects.ts'
import type { Pdfium } from './pdfium-module.ts'

/** FPDFBitmap_Gray. */
const grayBitmap = 1

/** Joins a region with a page of dots, 0 or 255 each; `ink` is what a black dot is there. */
function join(dots: Uint8Array, width: number, rows: number, region: Region, ink: number): void {
  const { bitmap, left, top, operator } = region
  const paper = 255 - ink
  for (let y = 0; y < bitmap.rows && top + y < rows; y++) {
    for (let x = 0; x < bitmap.width && left + x < width; x++) {
      const black = ((bitmap.data[y * bitmap.stride + (x >> 3)] as number) & (0x80 >> (x & 7))) !== 0
      const at = (top + y) * width + left + x
      const was = dots[at] === ink
      const becomes = [was || black, was && black, was !== black, was === black, black][operator] ?? black
      dots[at] = becomes ? ink : paper
    }
  }
}

/** What PDFium makes of a picture: a byte a dot, or undefined where it is none that has one. */
function dotsOf(pdfium: Pdfium, picture: number): { width: number; rows: number; dots: Uint8Array } | undefined {
  const bitmap = pdfium.call('FPDFImageObj_GetBitmap', picture)
  if (bitmap === 0) return undefined
  const width = pdfium.call('FPDFBitmap_GetWidth', bitmap)
  const rows = pdfium.call('FPDFBitmap_GetHeight', bitmap)
  const stride = pdfium.call('FPDFBitmap_GetStride', bitmap)
  const buffer = pdfium.call('FPDFBitmap_GetBuffer', bitmap)
  const bytes = [0, 1, 3, 4, 4][pdfium.call('FPDFBitmap_GetFormat', bitmap)] ?? 4
  const dots = new Uint8Array(width * rows)
  const memory = pdfium.bytes
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < width; x++) dots[y * width + x] = (memory[buffer + y * stride + x * bytes] as number) < 128 ? 0 : 255
  pdfium.call('FPDFBitmap_Destroy', bitmap)
  return { width, rows, dots }
}

function replace(pdfium: Pdfium, where: Where, picture: number, width: number, rows: number, dots: Uint8Array): void {
  pdfium.with(dots.length, (buffer) => {
    pdfium.bytes.set(dots, buffer)
    const bitmap = pdfium.call('FPDFBitmap_CreateEx', width, rows, grayBitmap, buffer, width)
    pdfium.with(4, (pages) => {
      pdfium.view().setUint32(pages, where.page, true)
      pdfium.call('FPDFImageObj_SetBitmap', pages, 1, picture, bitmap)
    })
    pdfium.call('FPDFBitmap_Destroy', bitmap)
  })
}

/** Throws PageError where a picture cannot be had. `number`: of the page, for its sentence. */
export function mendPictures(pdfium: Pdfium, where: Where, number: number): void {
  for (const { handle } of objectsOf(pdfium, where.page, pictureKind)) {
    if (filtersOf(pdfium, handle).at(-1) !== 'JBIG2Decode') continue
    const regions = mmrRegions(rawDataOf(pdfium, handle))
    if (regions.length === 0) continue
    const found = dotsOf(pdfium, handle)
    if (found === undefined || regions.some((region) => !region.whole)) {
      throw new PageError('pdf_unreadable', `Page ${number} of the PDF has a picture (JBIG2) that cannot be decoded.`)
    }
    const { width, rows, dots } = found
    // Where nothing was drawn is paper; it is black in a picture whose colours are turned round.
    let white = 0
    for (const dot of dots) if (dot === 255) white++
    for (const region of regions) join(dots, width, rows, region, white * 2 >= dots.length ? 0 : 255)
    replace(pdfium, where, handle, width, rows, dots)
  }
}
