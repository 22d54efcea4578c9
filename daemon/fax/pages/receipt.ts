/** The receipt of a fax, to file: what was sent, to which number, when, and what became of it, with the first page small. */
import { writeSync } from 'node:fs'
import { PDFDocument } from 'pdf-lib'
import { childFiles, type ChildTask, type Outcome } from './child-protocol.ts'
import { drawRows, drawText, margin, penOn, sheet } from './cover.ts'
import { pictureOf, sheetsOf } from './picture.ts'

/** In the words that stand on it. */
export interface ReceiptContent {
  readonly title: string
  readonly organisation: string
  readonly rows: readonly (readonly [label: string, text: string])[]
  /** The last line of the sheet; '' for none. */
  readonly foot: string
}

const smallest = 200
const gap = 18

export async function drawReceipt({ content, first }: Extract<ChildTask, { task: 'receipt' }>): Promise<Outcome> {
  const document = await PDFDocument.create()
  const { title, organisation, rows, foot } = content
  const pen = await penOn(document, [title, organisation, foot, ...rows.flat()])
  const { page } = pen
  let y = drawText(title, pen, { left: margin, y: 770, size: 24 })
  y = drawText(organisation, pen, { left: margin, y, size: 13 })
  page.drawLine({ start: { x: margin, y }, end: { x: sheet.width - margin, y }, thickness: 1.5 })
  y = drawRows(rows, pen, y - 30)
  const png = await document.embedPng(pictureOf(await sheetsOf(childFiles.document)(first.page), first))
  const most = { width: sheet.width - 2 * margin, height: Math.max(smallest, y - margin - gap) }
  const { width, height } = png.scaleToFit(most.width, most.height)
  const place = { x: margin, y: Math.max(margin, y - gap - height), width, height }
  page.drawImage(png, place)
  page.drawRectangle({ ...place, borderWidth: 0.75, opacity: 0, borderOpacity: 1 })
  if (foot !== '') drawText(foot, pen, { left: margin, y: margin / 2, size: 8 })
  writeSync(childFiles.only, await document.save())
  return { pages: 1, warnings: [] }
}
