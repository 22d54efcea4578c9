/** Pictures that PDFium leaves white though they can be decoded get their dots from us. */
import { PageError } from './page-error.ts'
import { compositionOf, mmrRegions, type Composition, type Region } from './jbig2.ts'
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
      dots[at] = joined(was, black, operator) ? ink : paper
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

/** The dots of a JBIG2 stream that is a picture by itself; undefined where PDFium makes none of it. */
function decodedAlone(pdfium: Pdfium, stream: Buffer, width: number, rows: number): Uint8Array | undefined {
  const head =
    `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${rows} /BitsPerComponent 1 /ColorSpace /DeviceGray ` +
    `/Filter /JBIG2Decode /Length ${stream.length} >>\nstream\n`
  const objects = [
    Buffer.from(
      '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n',
    ),
    Buffer.from(
      '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>\nendobj\n',
    ),
    Buffer.from('4 0 obj\n<< /Length 5 >>\nstream\n/I Do\nendstream\nendobj\n'),
    Buffer.concat([Buffer.from(`5 0 obj\n${head}`), stream, Buffer.from('\nendstream\nendobj\n')]),
  ]
  const body = Buffer.concat(objects)
  let place = 0
  const places = objects.flatMap((object, index) => {
    const from = place
    place += object.length
    return index === 0 ? [object.indexOf('1 0 obj'), object.indexOf('2 0 obj')] : [from]
  })
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const file = Buffer.concat([
    body,
    Buffer.from(`xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`),
  ])
  return pdfium.with(file.length, (bytes) => {
    pdfium.bytes.set(file, bytes)
    const document = pdfium.call('FPDF_LoadMemDocument', bytes, file.length, 0)
    if (document === 0) return undefined
    const page = pdfium.call('FPDF_LoadPage', document, 0)
    const [picture] = objectsOf(pdfium, page, pictureKind)
    const found = picture === undefined ? undefined : dotsOf(pdfium, picture.handle)
    pdfium.call('FPDF_ClosePage', page)
    pdfium.call('FPDF_CloseDocument', document)
    return found?.width === width && found.rows === rows ? found.dots : undefined
  })
}

/** Black is 0; undefined where a region cannot be decoded by itself. */
function composed(pdfium: Pdfium, { width, rows, black, regions }: Composition): Uint8Array | undefined {
  const page = new Uint8Array(width * rows).fill(black ? 0 : 255)
  for (const { alone, left, top, operator, ...size } of regions) {
    const dots = decodedAlone(pdfium, alone, width, rows)
    if (dots === undefined) return undefined
    for (let y = top; y < Math.min(rows, top + size.rows); y++) {
      for (let at = y * width + left; at < y * width + Math.min(width, left + size.width); at++) {
        page[at] = joined(page[at] === 0, dots[at] === 0, operator) ? 0 : 255
      }
    }
  }
  return page
}

/** T.88, 7.4.1.5. */
const joined = (was: boolean, is: boolean, operator: number): boolean => [was || is, was && is, was !== is, was === is, is][operator] ?? is

/** Throws PageError where a picture cannot be had. `number`: of the page, for its sentence. */
export function repairPictures(pdfium: Pdfium, where: Where, number: number): void {
  const undecoded = (): PageError =>
    new PageError('pdf_unreadable', `Page ${number} of the PDF has a picture (JBIG2) that cannot be decoded.`)
  for (const { handle } of objectsOf(pdfium, where.page, pictureKind)) {
    if (filtersOf(pdfium, handle).at(-1) !== 'JBIG2Decode') continue
    const data = rawDataOf(pdfium, handle)
    const regions = mmrRegions(data)
    const composition = compositionOf(data)
    if (regions.length === 0 && composition === undefined) continue
    const found = dotsOf(pdfium, handle)
    if (found === undefined || regions.some((region) => !region.whole)) throw undecoded()
    const { width, rows, dots } = found
    // Ours are those in MMR; those of PDFium are joined before them.
    if (regions.length > 0 && composition !== undefined && composition?.regions.length !== regions.length) throw undecoded()
    if (regions.length === 0) {
      const page = composition == null ? undefined : composed(pdfium, composition)
      if (page?.length !== dots.length) throw undecoded()
      replace(pdfium, where, handle, width, rows, page)
      continue
    }
    // Where nothing was drawn is paper; it is black in a picture whose colours are turned round.
    let white = 0
    for (const dot of dots) if (dot === 255) white++
    for (const region of regions) join(dots, width, rows, region, white * 2 >= dots.length ? 0 : 255)
    replace(pdfium, where, handle, width, rows, dots)
  }
}
