/**
 * The cover page: one A4 page as PDF, drawn like any other page after it, in the site's language. Latin, Greek, Cyrillic, Hebrew, Arabic,
 * Chinese, Japanese and Korean letters.
 */
import fontkit from '@pdf-lib/fontkit'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PDFDocument, type PDFFont, type PDFPage } from 'pdf-lib'
import { root } from '../../base/root.ts'
import { visualRuns } from './bidi.ts'
import { fallbackFont } from './fallback-font.ts'
import { sharedPart } from '../../words/words.ts'

/** Text in lines no wider than a column; a word that is wider is broken. `widthOf` measures in the units of `width`. */
export function wrap(text: string, width: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(`${line} ${word}`) <= width) {
      line = `${line} ${word}`
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (line !== '' && widthOf(line + character) > width) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}

/** Missing members are left out of the page. */
export interface CoverContent {
  readonly organisation?: string
  /** Our fax number, under the name. */
  readonly organisationNumber?: string
  readonly to?: string
  readonly faxNumber?: string
  readonly from?: string
  readonly subject?: string
  /** Milliseconds since 1970. */
  readonly sentAt?: number
  /** IANA name: the zone `sentAt` is shown in. */
  readonly timeZone?: string
  /** BCP 47: the words of the page, and how its date is written. Default: en. */
  readonly language?: string
  readonly confidentiality?: string
}

const fontFile = join(root, 'daemon/fax/pages/font/DejaVuSans.ttf')
export const sheet = { width: 595, height: 842 }
export const margin = 57
const textLeft = 170

interface Face {
  readonly font: PDFFont
  readonly known: ReadonlySet<number>
}

export interface Pen {
  readonly page: PDFPage
  /** The first that knows a letter draws it. */
  readonly faces: readonly Face[]
}

function faceOf(character: string, faces: readonly Face[]): Face | undefined {
  const code = character.codePointAt(0) as number
  return faces.find(({ known }) => known.has(code))
}

/** Letters no font has become a question mark; line breaks and other controls a space. */
function printable(text: string, { faces }: Pen): string {
  return [...text.normalize('NFC').replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')]
    .map((character) => (faceOf(character, faces) === undefined ? '?' : character))
    .join('')
    .trim()
}

/** Parts of one font each, from left to right as they are drawn. */
function partsOf(text: string, { faces }: Pen): { text: string; font: PDFFont }[] {
  return visualRuns(text).runs.flatMap((run) => {
    const parts: { text: string; font: PDFFont }[] = []
    for (const character of run.text) {
      const { font } = faceOf(character, faces) ?? faces[0]!
      const last = parts.at(-1)
      if (last?.font === font) last.text += character
      else parts.push({ text: character, font })
    }
    return parts
  })
}

function widthOf(text: string, pen: Pen, size: number): number {
  return partsOf(text, pen).reduce((width, part) => width + part.font.widthOfTextAtSize(part.text, size), 0)
}

function drawLine(text: string, pen: Pen, place: { left: number; right: number; y: number; size: number }): void {
  const { rightToLeft } = visualRuns(text)
  let x = rightToLeft ? place.right - widthOf(text, pen, place.size) : place.left
  for (const part of partsOf(text, pen)) {
    pen.page.drawText(part.text, { x, y: place.y, size: place.size, font: part.font })
    x += part.font.widthOfTextAtSize(part.text, place.size)
  }
}

/** Gives the height of the next line. */
export function drawText(text: string, pen: Pen, place: { left: number; y: number; size: number }): number {
  const right = sheet.width - margin
  let y = place.y
  const lines = wrap(printable(text, pen), right - place.left, (part) => widthOf(part, pen, place.size))
  for (const line of lines.slice(0, 12)) {
    drawLine(line, pen, { left: place.left, right, y, size: place.size })
    y -= place.size * 1.4
  }
  return y
}

function dateText(at: number, language: string, timeZone = 'UTC'): string {
  // Digits that every fax machine's owner reads.
  return new Intl.DateTimeFormat(`${language}-u-nu-latn-ca-gregory`, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(at)
}

/** The large font is read and put into the PDF only where a letter asks for it. */
async function facesFor(document: PDFDocument, texts: readonly string[]): Promise<Face[]> {
  const face = async (bytes: Uint8Array): Promise<Face> => {
    const font = await document.embedFont(bytes, { subset: true })
    return { font, known: new Set(font.getCharacterSet()) }
  }
  const own = await face(await readFile(fontFile))
  const isOwn = (character: string): boolean => own.known.has(character.codePointAt(0) as number) || /\s/.test(character)
  if ([...texts.join('').normalize('NFC')].every(isOwn)) return [own]
  const fallback = fallbackFont()
  return fallback === null ? [own] : [own, await face(fallback)]
}

/** A new page, and what writes these texts on it. */
export async function penOn(document: PDFDocument, texts: readonly string[]): Promise<Pen> {
  document.registerFontkit(fontkit)
  return { page: document.addPage([sheet.width, sheet.height]), faces: await facesFor(document, texts) }
}

/** Labels with their texts from `y` down; a row without a text is left out. Gives the height below the last. */
export function drawRows(rows: readonly (readonly [label: string, text: string | undefined])[], pen: Pen, y: number): number {
  let at = y
  for (const [label, text] of rows) {
    if (text === undefined || text.trim() === '') continue
    drawLine(printable(label, pen), pen, { left: margin, right: textLeft - 12, y: at, size: 13 })
    at = drawText(text, pen, { left: textLeft, y: at, size: 13 }) - 9
  }
  return at
}

/** `pages` is what the page says of the whole fax, itself counted. */
export async function coverPdf(content: CoverContent, pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const language = content.language ?? 'en'
  const words = sharedPart('faxCover', language)
  const date = content.sentAt === undefined ? undefined : dateText(content.sentAt, language, content.timeZone)
  const rows: [label: string, text: string | undefined][] = [
    [words.to, content.to],
    [words.faxNumber, content.faxNumber],
    [words.from, content.from],
    [words.subject, content.subject],
    [words.date, date],
    [words.pages, String(pages)],
  ]
  const others = [content.organisation, content.organisationNumber, content.confidentiality]
  const pen = await penOn(
    document,
    [...others, ...rows.flat()].map((text) => text ?? ''),
  )
  const { page } = pen
  let y = drawText('FAX', pen, { left: margin, y: 750, size: 44 })
  if (content.organisation) y = drawText(content.organisation, pen, { left: margin, y, size: 18 })
  if (content.organisationNumber) y = drawText(content.organisationNumber, pen, { left: margin, y, size: 12 })
  y -= 12
  page.drawLine({ start: { x: margin, y }, end: { x: sheet.width - margin, y }, thickness: 1.5 })
  y -= 34
  y = drawRows(rows, pen, y)
  if (content.confidentiality) {
    y -= 14
    page.drawLine({ start: { x: margin, y }, end: { x: sheet.width - margin, y }, thickness: 0.75 })
    drawText(content.confidentiality, pen, { left: margin, y: y - 24, size: 10 })
  }
  return document.save()
}
