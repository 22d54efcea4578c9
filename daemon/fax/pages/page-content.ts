/**
 * What a page has and does not show. Text and pictures are asked for in the PDF; where they lie there must be ink on what was drawn. A page
 * that says less than the document must not be sent as if it were all.
 */
import type { Shown } from './content-check.ts'
import { countShown, filtersOf, objectsOf, pictureKind, rawDataOf, textKind, type Bounds, type Where } from './page-objects.ts'
import type { Pdfium } from './pdfium-module.ts'

/** A page as it was drawn: `width` by `rows` dots in all, of which the window is in `dots`. */
export interface DrawnPage {
  readonly width: number
  readonly rows: number
  readonly left: number
  readonly top: number
  readonly across: number
  readonly down: number
  readonly dots: Uint8Array
}

/** From here on a dot is paper. */
const paper = 250

/** Fonts that every reader has (ISO 32000-1, 9.6.2.2), also under the names that Windows gives them. */
const standardFont = /^(helvetica|arial|times|timesnewroman|courier|couriernew|symbol|zapfdingbats)/i

const isStandard = (name: string): boolean => standardFont.test(name.replaceAll(/[ ,-]/g, ''))

interface Font {
  readonly name: string
  readonly embedded: boolean
}

function fontOf(pdfium: Pdfium, text: number): Font {
  const font = pdfium.call('FPDFTextObj_GetFont', text)
  if (font === 0) return { name: '?', embedded: true }
  const length = pdfium.call('FPDFFont_GetBaseFontName', font, 0, 0)
  const name = pdfium.with(Math.max(1, length), (buffer) => {
    pdfium.call('FPDFFont_GetBaseFontName', font, buffer, length)
    return Buffer.from(pdfium.bytes.subarray(buffer, buffer + Math.max(0, length - 1))).toString('utf8')
  })
  return { name: name === '' ? '?' : name, embedded: pdfium.call('FPDFFont_GetIsEmbedded', font) !== 0 }
}

export function replacedFonts(pdfium: Pdfium, page: number): string[] {
  const names = new Set<string>()
  for (const { handle } of objectsOf(pdfium, page, textKind)) {
    const { name, embedded } = fontOf(pdfium, handle)
    if (!embedded && !isStandard(name)) names.add(name)
  }
  return [...names]
}

interface Character {
  readonly text: number
  readonly box: Bounds
  /** Of Unicode. */
  readonly code: number
  /** The PDF does not say which letter it is, only the number of a glyph. */
  readonly unknown: boolean
}

const mostCharacters = 30_000

/** Modes of showing text (ISO 32000-1, 9.3.6) that leave nothing: 3, and 7, which only clips. */
const unseen = new Set([3, 7])

/** Ink that would be seen on paper. */
function isSeen(pdfium: Pdfium, text: number): boolean {
  if (unseen.has(pdfium.call('FPDFTextObj_GetTextRenderMode', text))) return false
  return pdfium.with(16, (to) => {
    if (pdfium.call('FPDFPageObj_GetFillColor', text, to, to + 4, to + 8, to + 12) === 0) return true
    const view = pdfium.view()
    const [red = 0, green = 0, blue = 0, alpha = 0] = [0, 4, 8, 12].map((at) => view.getUint32(to + at, true))
    return alpha > 20 && 0.3 * red + 0.59 * green + 0.11 * blue < 225
  })
}

/** PDFium counts the halves of a pair of UTF-16 as two. */
function codeAt(pdfium: Pdfium, textPage: number, index: number): number {
  const first = pdfium.call('FPDFText_GetUnicode', textPage, index) >>> 0
  if (first < 0xd800 || first > 0xdbff) return first
  const second = pdfium.call('FPDFText_GetUnicode', textPage, index + 1) >>> 0
  return 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff)
}

/** Characters that should leave ink, with the boxes their fonts give them. */
function charactersOf(pdfium: Pdfium, page: number): Character[] {
  const textPage = pdfium.call('FPDFText_LoadPage', page)
  if (textPage === 0) return []
  const count = Math.min(mostCharacters, pdfium.call('FPDFText_CountChars', textPage))
  const found: Character[] = []
  const seen = new Map<number, boolean>()
  for (let index = 0; index < count; index++) {
    const code = codeAt(pdfium, textPage, index)
    if (code > 0x10ffff || pdfium.call('FPDFText_IsGenerated', textPage, index) === 1) continue
    // Marks stand above another letter, or in it; the second half of a pair of UTF-16 was read with the first.
    if (code !== 0 && /[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{M}]/u.test(String.fromCodePoint(code))) continue
    const text = pdfium.call('FPDFText_GetTextObject', textPage, index)
    if (text === 0) continue
    if (!seen.has(text)) seen.set(text, isSeen(pdfium, text))
    if (seen.get(text) === false) continue
    const rect = pdfium.floats(4, ([to = 0]) => pdfium.call('FPDFText_GetLooseCharBox', textPage, index, to))
    const [left = 0, top = 0, right = 0, bottom = 0] = rect ?? []
    const unknown = pdfium.call('FPDFText_HasUnicodeMapError', textPage, index) === 1
    if (right > left && top > bottom) found.push({ text, box: { left, top, right, bottom }, code, unknown })
  }
  pdfium.call('FPDFText_ClosePage', textPage)
  return found
}

/** The part of the drawn dots where a box lies; undefined where it lies outside. */
function dotsOf(pdfium: Pdfium, page: number, drawn: DrawnPage, box: Bounds): [number, number, number, number] | undefined {
  const corner = (x: number, y: number): [number, number] =>
    pdfium.with(8, (to) => {
      pdfium.call('FPDF_PageToDevice', page, -drawn.left, -drawn.top, drawn.width, drawn.rows, 0, x, y, to, to + 4)
      const view = pdfium.view()
      return [view.getInt32(to, true), view.getInt32(to + 4, true)]
    })
  const [a, b] = [corner(box.left, box.bottom), corner(box.right, box.top)]
  const left = Math.max(0, Math.min(a[0], b[0]))
  const right = Math.min(drawn.across, Math.max(a[0], b[0]) + 1)
  const top = Math.max(0, Math.min(a[1], b[1]))
  const bottom = Math.min(drawn.down, Math.max(a[1], b[1]) + 1)
  return left < right && top < bottom ? [left, top, right, bottom] : undefined
}

function hasInk(drawn: DrawnPage, [left, top, right, bottom]: readonly [number, number, number, number]): boolean {
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) if ((drawn.dots[y * drawn.across + x] as number) < paper) return true
  }
  return false
}

/** A text object drawn by itself: shares of its box that have ink, as a grid of dots. */
interface Alone {
  readonly width: number
  readonly rows: number
  readonly ink: Uint8Array
}

function drawAlone(pdfium: Pdfium, where: Where, text: number): Alone | undefined {
  const bitmap = pdfium.call('FPDFTextObj_GetRenderedBitmap', where.document, where.page, text, 2)
  if (bitmap === 0) return undefined
  const width = pdfium.call('FPDFBitmap_GetWidth', bitmap)
  const rows = pdfium.call('FPDFBitmap_GetHeight', bitmap)
  const stride = pdfium.call('FPDFBitmap_GetStride', bitmap)
  const buffer = pdfium.call('FPDFBitmap_GetBuffer', bitmap)
  const memory = pdfium.bytes
  const ink = new Uint8Array(width * rows)
  for (let y = 0; y < rows; y++) for (let x = 0; x < width; x++) ink[y * width + x] = memory[buffer + y * stride + x * 4 + 3] as number
  pdfium.call('FPDFBitmap_Destroy', bitmap)
  return { width, rows, ink }
}

function hasGlyph(pdfium: Pdfium, font: number, code: number): boolean {
  const path = font === 0 ? 0 : pdfium.call('FPDFFont_GetGlyphPath', font, code, 12)
  return path !== 0 && pdfium.call('FPDFGlyphPath_CountGlyphSegments', path) > 0
}

/**
 * Those of one text object's characters that its font has no glyph for and that leave no ink even when it is drawn by itself, so that
 * nothing can have covered them or cut them off.
 */
function withoutGlyph(pdfium: Pdfium, where: Where, text: number, all: readonly Character[], some: readonly Character[]): number {
  const font = pdfium.call('FPDFTextObj_GetFont', text)
  const blank = some.filter(({ code }) => !hasGlyph(pdfium, font, code))
  if (blank.length === 0) return 0
  const alone = drawAlone(pdfium, where, text)
  if (alone === undefined || alone.ink.every((value) => value === 0)) return blank.length
  // Drawn by itself it has other measures where it stands in a form: then its share of the box decides.
  const union = all.reduce(
    (sum, { box }) => ({
      left: Math.min(sum.left, box.left),
      right: Math.max(sum.right, box.right),
      bottom: Math.min(sum.bottom, box.bottom),
      top: Math.max(sum.top, box.top),
    }),
    all[0]!.box,
  )
  const upright = union.right - union.left >= union.top - union.bottom
  return blank.filter(({ box }) => {
    const share = upright
      ? [(box.left - union.left) / (union.right - union.left), (box.right - union.left) / (union.right - union.left)]
      : [(union.top - box.top) / (union.top - union.bottom), (union.top - box.bottom) / (union.top - union.bottom)]
    const length = upright ? alone.width : alone.rows
    const [from, to] = [Math.floor(share[0]! * length), Math.ceil(share[1]! * length)]
    for (let y = upright ? 0 : from; y < (upright ? alone.rows : to); y++) {
      for (let x = upright ? from : 0; x < (upright ? to : alone.width); x++) if (alone.ink[y * alone.width + x] !== 0) return false
    }
    return true
  }).length
}

function sentence(name: string): string {
  return `has text that cannot be drawn, since its font (${name}) is not in the PDF; make a PDF that has its fonts in it.`
}

function byText(characters: readonly Character[]): Map<number, Character[]> {
  const groups = new Map<number, Character[]>()
  for (const character of characters) {
    const group = groups.get(character.text)
    if (group === undefined) groups.set(character.text, [character])
    else group.push(character)
  }
  return groups
}

/** Fonts of signs, whose glyphs have no letters. */
const signs = /^(symbol|zapfdingbats|wingdings|webdings)/i

/** Asked for by the page, and never seen by PDFium: it stops within a content that it cannot read. */
export function notSeen(pdfium: Pdfium, page: number, asked: Shown): string | undefined {
  const seen = countShown(pdfium, page)
  if (seen === undefined || (seen.texts >= asked.texts && seen.pictures >= asked.pictures)) return undefined
  return 'has content that can be drawn in part only; print it to a new PDF.'
}

/** Judged by the fonts alone, before anything is drawn: letters that no font at hand has, and glyphs of a font that nobody has. */
export function missingText(pdfium: Pdfium, where: Where): string | undefined {
  for (const [text, group] of byText(charactersOf(pdfium, where.page))) {
    const { name, embedded } = fontOf(pdfium, text)
    if (embedded || signs.test(name)) continue
    // Another font has other glyphs under their numbers: wrong letters would be drawn.
    if (group.filter(({ unknown }) => unknown).length * 2 > group.length) return sentence(name)
    if (!isStandard(name) && withoutGlyph(pdfium, where, text, group, group) > 0) return sentence(name)
  }
  return undefined
}

/** Glyphs of embedded fonts may be empty on purpose: only many of them show that the font could not be used. */
function blankText(pdfium: Pdfium, where: Where, drawn: DrawnPage): string | undefined {
  const characters = charactersOf(pdfium, where.page)
  const onPage = characters.filter(({ box }) => dotsOf(pdfium, where.page, drawn, box) !== undefined)
  const blank = byText(onPage.filter(({ box }) => !hasInk(drawn, dotsOf(pdfium, where.page, drawn, box)!)))
  const whole = byText(characters)
  let without = 0
  for (const [text, group] of blank) {
    const missing = withoutGlyph(pdfium, where, text, whole.get(text)!, group)
    const { name, embedded } = fontOf(pdfium, text)
    if (missing > 0 && !embedded) return sentence(name)
    without += missing
  }
  if (without < 3 || without * 2 < onPage.length) return undefined
  return 'has text that cannot be drawn: a font in the PDF is damaged.'
}

/** Filters whose white pages are a few bytes long, so that many bytes are no white page. */
const tellsBlank = new Set(['JBIG2Decode'])
const smallestPicture = 24

function blankPicture(pdfium: Pdfium, where: Where, drawn: DrawnPage): string | undefined {
  for (const { handle, bounds } of objectsOf(pdfium, where.page, pictureKind)) {
    const place = bounds === undefined ? undefined : dotsOf(pdfium, where.page, drawn, bounds)
    if (place === undefined || place[2] - place[0] < smallestPicture || place[3] - place[1] < smallestPicture) continue
    if (hasInk(drawn, place)) continue
    const bitmap = pdfium.call('FPDFImageObj_GetBitmap', handle)
    const filter = filtersOf(pdfium, handle).at(-1) ?? ''
    if (bitmap === 0) return `has a picture (${filter}) that cannot be decoded.`
    const rows = pdfium.call('FPDFBitmap_GetHeight', bitmap)
    const buffer = pdfium.call('FPDFBitmap_GetBuffer', bitmap)
    const bytes = rows * pdfium.call('FPDFBitmap_GetStride', bitmap)
    const one = pdfium.bytes.subarray(buffer, buffer + bytes)
    const even = one.every((value) => value === one[0])
    pdfium.call('FPDFBitmap_Destroy', bitmap)
    if (even && tellsBlank.has(filter) && rawDataOf(pdfium, handle).length > rows / 8 + 400) {
      return `has a picture (${filter}) that cannot be decoded.`
    }
  }
  return undefined
}

/** A sentence about text or pictures of the page that left no ink where they lie. */
export function missingOnPage(pdfium: Pdfium, where: Where, drawn: DrawnPage): string | undefined {
  return blankText(pdfium, where, drawn) ?? blankPicture(pdfium, where, drawn)
}
