/** The cover page: one A4 page as PDF, drawn like any other page after it. Latin, Greek, Cyrillic, Hebrew and Arabic letters. */
import fontkit from '@pdf-lib/fontkit'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PDFDocument, type PDFFont, type PDFPage } from 'pdf-lib'
import { root } from '../../root.ts'
import { visualRuns } from './bidi.ts'

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
  readonly confidentiality?: string
}

const fontFile = join(root, 'daemon/fax/pages/font/DejaVuSans.ttf')
const sheet = { width: 595, height: 842 }
const margin = 57
const textLeft = 170

interface Pen {
  readonly page: PDFPage
  readonly font: PDFFont
  readonly known: ReadonlySet<number>
}

/** Letters the font lacks become a question mark; line breaks and other controls a space. */
function printable(text: string, known: ReadonlySet<number>): string {
  return [...text.normalize('NFC').replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')]
    .map((character) => (known.has(character.codePointAt(0) as number) ? character : '?'))
    .join('')
    .trim()
}

function widthOf(text: string, pen: Pen, size: number): number {
  return visualRuns(text).runs.reduce((width, run) => width + pen.font.widthOfTextAtSize(run.text, size), 0)
}

function drawLine(text: string, pen: Pen, place: { left: number; right: number; y: number; size: number }): void {
  const { runs, rightToLeft } = visualRuns(text)
  let x = rightToLeft ? place.right - widthOf(text, pen, place.size) : place.left
  for (const run of runs) {
    pen.page.drawText(run.text, { x, y: place.y, size: place.size, font: pen.font })
    x += pen.font.widthOfTextAtSize(run.text, place.size)
  }
}

/** Lines no wider than the column; a word that is wider is broken. */
function wrap(text: string, pen: Pen, size: number, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(`${line} ${word}`, pen, size) <= width) {
      line = `${line} ${word}`
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (line !== '' && widthOf(line + character, pen, size) > width) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}

/** Gives the height of the next line. */
function drawText(text: string, pen: Pen, place: { left: number; y: number; size: number }): number {
  const right = sheet.width - margin
  let y = place.y
  for (const line of wrap(printable(text, pen.known), pen, place.size, right - place.left).slice(0, 12)) {
    drawLine(line, pen, { left: place.left, right, y, size: place.size })
    y -= place.size * 1.4
  }
  return y
}

function dateText(at: number, timeZone = 'UTC'): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(at)
}

/** `pages` is what the page says of the whole fax, itself counted. */
export async function coverPdf(content: CoverContent, pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.registerFontkit(fontkit)
  const font = await document.embedFont(await readFile(fontFile), { subset: true })
  const page = document.addPage([sheet.width, sheet.height])
  const pen: Pen = { page, font, known: new Set(font.getCharacterSet()) }
  let y = drawText('FAX', pen, { left: margin, y: 750, size: 44 })
  if (content.organisation) y = drawText(content.organisation, pen, { left: margin, y, size: 18 })
  if (content.organisationNumber) y = drawText(content.organisationNumber, pen, { left: margin, y, size: 12 })
  y -= 12
  page.drawLine({ start: { x: margin, y }, end: { x: sheet.width - margin, y }, thickness: 1.5 })
  y -= 34
  const rows: [label: string, text: string | undefined][] = [
    ['To', content.to],
    ['Fax number', content.faxNumber],
    ['From', content.from],
    ['Subject', content.subject],
    ['Date', content.sentAt === undefined ? undefined : dateText(content.sentAt, content.timeZone)],
    ['Pages', String(pages)],
  ]
  for (const [label, text] of rows) {
    if (text === undefined || text.trim() === '') continue
    drawText(label, pen, { left: margin, y, size: 13 })
    y = drawText(text, pen, { left: textLeft, y, size: 13 }) - 9
  }
  if (content.confidentiality) {
    y -= 14
    page.drawLine({ start: { x: margin, y }, end: { x: sheet.width - margin, y }, thickness: 0.75 })
    drawText(content.confidentiality, pen, { left: margin, y: y - 24, size: 10 })
  }
  return document.save()
}
