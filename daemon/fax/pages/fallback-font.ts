/**
 * The font for Chinese, Japanese and Korean text whose own is not in the PDF, and for such names on cover pages: Debian's
 * fonts-wqy-microhei. Without one PDFium leaves such text out and says nothing. Other scripts are drawn with fonts that PDFium has in it.
 */
import { readFileSync } from 'node:fs'
import type { Pdfium } from './pdfium-module.ts'

/** Where scripts/setup puts it; the folder is what the reader of PDFs may read. */
export const fallbackFolder = '/usr/share/fonts/truetype/wqy'
const file = `${fallbackFolder}/wqy-microhei.ttc`

/** The first font of a collection as a file of its own: tables and their directory (OpenType 1.9, Font Collections). */
function firstOfCollection(collection: Buffer): Buffer {
  const start = collection.readUInt32BE(12)
  const tables = collection.readUInt16BE(start + 4)
  const directory = Buffer.from(collection.subarray(start, start + 12 + tables * 16))
  const parts: Buffer[] = [directory]
  let length = directory.length
  for (let at = 12; at < directory.length; at += 16) {
    const from = directory.readUInt32BE(at + 8)
    const bytes = directory.readUInt32BE(at + 12)
    directory.writeUInt32BE(length, at + 8)
    parts.push(collection.subarray(from, from + bytes), Buffer.alloc(-bytes & 3))
    length += bytes + (-bytes & 3)
  }
  return Buffer.concat(parts)
}

let kept: Buffer | null | undefined

/** The font, read once; null where it is not installed. */
export function fallbackFont(): Buffer | null {
  if (kept !== undefined) return kept
  try {
    kept = firstOfCollection(readFileSync(file))
  } catch {
    kept = null
  }
  return kept
}

/** Character sets of LOGFONT (wingdi.h), as FPDF_SYSFONTINFO.MapFont is asked: Shift-JIS, Hangul, GB 2312, Big 5. */
const eastAsian = new Set([128, 129, 134, 136])

/** Any handle but 0. */
const handle = 1
const fontName = 'WenQuanYi Micro Hei'

/** Has PDFium ask us for fonts (FPDF_SYSFONTINFO, fpdf_sysfontinfo.h). */
export function offerFallback(pdfium: Pdfium): void {
  /** pThis, weight, italic, charset, pitch, face, bExact. */
  const mapFont = (...[, , , charset = 0]: number[]): number => (eastAsian.has(charset) && fallbackFont() !== null ? handle : 0)
  /** pThis, font, table, buffer, size. The number of bytes, written where they have room; `table` 0 is the whole file. */
  const getFontData = (...[, , table = 0, buffer = 0, size = 0]: number[]): number => {
    const font = fallbackFont()
    if (font === null || table !== 0) return 0
    if (size >>> 0 >= font.length) pdfium.bytes.set(font, buffer)
    return font.length
  }
  const getFaceName = (...[, , buffer = 0, size = 0]: number[]): number => {
    if (size > fontName.length) pdfium.bytes.set(Buffer.from(`${fontName}\0`), buffer)
    return fontName.length + 1
  }
  const functions = {
    mapFont: pdfium.callback(7, mapFont),
    getFontData: pdfium.callback(5, getFontData),
    getFaceName: pdfium.callback(4, getFaceName),
  }
  // Version, Release, EnumFonts, MapFont, GetFont, GetFontData, GetFaceName, GetFontCharset, DeleteFont: what is 0 is not asked.
  const members = [1, 0, 0, functions.mapFont, 0, functions.getFontData, functions.getFaceName, 0, 0]
  // It is PDFium's from now on.
  const info = pdfium.allocate(4 * members.length)
  const view = pdfium.view()
  members.forEach((value, index) => view.setUint32(info + index * 4, value, true))
  pdfium.call('FPDF_SetSystemFontInfo', info)
}
