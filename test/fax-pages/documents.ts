/** Documents as a clinic sends them, made by code: a letter, the same letter scanned, a form, a photograph. All as PDF bytes. */
import fontkit from '@pdf-lib/fontkit'
import { readFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import { PDFDocument, rgb, StandardFonts, type PDFFont } from 'pdf-lib'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'

const font = readFileSync('daemon/fax/pages/font/DejaVuSans.ttf')
const words = (
  'the patient was seen today in our clinic for the review of her blood pressure and reports that she feels well since the dose of the ' +
  'tablets was changed in autumn no chest pain no shortness of breath on exertion the examination of heart and lungs was without findings ' +
  'we would like to ask you for a further test of the kidney values in four weeks and thank you for sending her to us with kind regards'
).split(' ')

/** A sequence that is the same in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function newDocument(): Promise<{ document: PDFDocument; text: PDFFont }> {
  const document = await PDFDocument.create()
  document.registerFontkit(fontkit)
  return { document, text: await document.embedFont(font, { subset: true }) }
}

export async function letter(pages = 1): Promise<Uint8Array> {
  const { document, text } = await newDocument()
  const next = random(7)
  for (let number = 0; number < pages; number++) {
    const page = document.addPage([612, 792])
    page.drawText('Clinic at the Park', { x: 72, y: 720, size: 16, font: text })
    page.drawText('12 Garden Road · Telephone 555 0100', { x: 72, y: 704, size: 7, font: text, color: rgb(0.5, 0.5, 0.5) })
    page.drawText('URGENT: allergic to penicillin', { x: 380, y: 720, size: 8, font: text, color: rgb(0.85, 0.1, 0.1) })
    page.drawText('www.clinic.example/letters', { x: 380, y: 706, size: 7, font: text, color: rgb(0.1, 0.2, 0.8) })
    page.drawLine({ start: { x: 72, y: 696 }, end: { x: 540, y: 696 }, thickness: 0.25 })
    for (let line = 0; line < 38; line++) {
      let content = ''
      while (content.length < 78) content += `${words[Math.floor(next() * words.length)]} `
      page.drawText(content, { x: 72, y: 670 - line * 15.5, size: 10.5, font: text })
    }
    page.drawText('Page of a letter; the gray line at the foot, 7 points', { x: 72, y: 50, size: 7, font: text, color: rgb(0.5, 0.5, 0.5) })
  }
  return document.save()
}

export async function form(): Promise<Uint8Array> {
  const { document, text } = await newDocument()
  const page = document.addPage([595, 842])
  page.drawRectangle({ x: 40, y: 780, width: 515, height: 30, color: rgb(0.1, 0.25, 0.45) })
  page.drawText('Referral form', { x: 50, y: 789, size: 15, font: text, color: rgb(1, 1, 1) })
  for (let row = 0; row < 22; row++) {
    const y = 745 - row * 30
    if (row % 2 === 0) page.drawRectangle({ x: 40, y: y - 8, width: 515, height: 28, color: rgb(0.86, 0.86, 0.86) })
    page.drawRectangle({ x: 40, y: y - 8, width: 515, height: 28, borderWidth: 0.3, borderColor: rgb(0.2, 0.2, 0.2) })
    page.drawText(`${row + 1}. ${words.slice(row, row + 5).join(' ')}`, { x: 46, y, size: 9, font: text })
    page.drawText('fill in block letters', { x: 400, y, size: 6, font: text, color: rgb(0.45, 0.45, 0.45) })
  }
  page.drawRectangle({ x: 40, y: 40, width: 250, height: 36, color: rgb(0.5, 0.5, 0.5) })
  page.drawText('For office use only', { x: 50, y: 54, size: 10, font: text })
  page.drawRectangle({ x: 305, y: 40, width: 250, height: 36, color: rgb(0.5, 0.5, 0.5) })
  page.drawText('White on gray', { x: 315, y: 54, size: 10, font: text, color: rgb(1, 1, 1) })
  const fields = document.getForm()
  const helvetica = await document.embedFont(StandardFonts.Helvetica)
  const name = fields.createTextField('name')
  name.setText('Margaret Example')
  name.addToPage(page, { x: 250, y: 740, width: 140, height: 18, font: helvetica, borderWidth: 0.5 })
  const box = fields.createCheckBox('urgent')
  box.addToPage(page, { x: 250, y: 710, width: 14, height: 14 })
  box.check()
  return document.save()
}

/** A gray PNG: what pdf-lib can embed. */
export function png(width: number, height: number, data: Uint8Array): Uint8Array {
  const rows = Buffer.alloc((width + 1) * height)
  for (let row = 0; row < height; row++) rows.set(data.subarray(row * width, (row + 1) * width), row * (width + 1) + 1)
  const part = (name: string, content: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
    const head = Buffer.alloc(4)
    const tail = Buffer.alloc(4)
    head.writeUInt32BE(content.length)
    tail.writeUInt32BE(crc32(body))
    return Buffer.concat([head, body, tail])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, part('IHDR', header), part('IDAT', deflateSync(rows, { level: 3 })), part('IEND', new Uint8Array())])
}

/** The letter as a 300-dpi flat-bed scanner sees it: grayish paper with a shadow, grain, a little askew and soft. */
export async function scan(): Promise<Uint8Array> {
  const [width, height] = [2550, 3300]
  const pdf = await openPdf(await letter())
  const sharp = await pdf.page(0).draw(width, height)
  const data = new Uint8Array(width * height)
  const next = random(3)
  for (let y = 0; y < height; y++) {
    const shift = Math.round(y * 0.006)
    for (let x = 0; x < width; x++) {
      const from = y * width + Math.min(width - 2, Math.max(1, x - shift))
      const ink = ((sharp[from - 1] as number) + 2 * (sharp[from] as number) + (sharp[from + 1] as number)) / 4
      const paper = 228 - Math.max(0, 1 - x / 220) * 70
      data[y * width + x] = Math.max(0, Math.min(255, 40 + ((paper - 40) * ink) / 255 + (next() + next() - 1) * 14))
    }
  }
  const document = await PDFDocument.create()
  document.addPage([612, 792]).drawImage(await document.embedPng(png(width, height, data)), { x: 0, y: 0, width: 612, height: 792 })
  return document.save()
}

/** Clouds of several sizes, a ball with a highlight and a hard edge: shades of every kind. */
export function photoShades(width: number, height: number): Uint8Array {
  const next = random(11)
  const data = new Float32Array(width * height)
  for (let size = 256, weight = 0.5; size >= 2; size /= 2, weight *= 0.55) {
    const across = Math.ceil(width / size) + 2
    const grid = Float32Array.from({ length: across * (Math.ceil(height / size) + 2) }, () => next())
    for (let y = 0; y < height; y++) {
      const v = y / size
      const down = v % 1
      for (let x = 0; x < width; x++) {
        const u = x / size
        const at = Math.floor(v) * across + Math.floor(u)
        const right = u % 1
        const upper = (grid[at] as number) * (1 - right) + (grid[at + 1] as number) * right
        const lower = (grid[at + across] as number) * (1 - right) + (grid[at + across + 1] as number) * right
        data[y * width + x]! += (upper * (1 - down) + lower * down) * weight
      }
    }
  }
  return Uint8Array.from(data, (value, index) => {
    const x = (index % width) / width - 0.6
    const y = Math.floor(index / width) / height - 0.45
    const ball = Math.hypot(x, y) < 0.25 ? 90 - 260 * Math.hypot(x + 0.08, y + 0.1) : 0
    return Math.max(0, Math.min(255, 255 * (value * 1.35 - 0.2) + ball))
  })
}

export async function photo(): Promise<Uint8Array> {
  const { document, text } = await newDocument()
  const page = document.addPage([612, 792])
  page.drawText('Left knee, photograph of 21 November', { x: 72, y: 740, size: 12, font: text })
  page.drawImage(await document.embedPng(png(1200, 1400, photoShades(1200, 1400))), { x: 72, y: 160, width: 468, height: 546 })
  page.drawText('Caption in eight points under the picture', { x: 72, y: 140, size: 8, font: text, color: rgb(0.3, 0.3, 0.3) })
  return document.save()
}

/** Text and boxes in shades on one page: faint letters, letters on light and dark boxes, a wedge from black to white. */
export async function shades(): Promise<Uint8Array> {
  const { document, text } = await newDocument()
  const page = document.addPage([612, 792])
  const gray = (level: number) => rgb(level, level, level)
  page.drawText('Faint heading', { x: 72, y: 700, size: 20, font: text, color: gray(0.7) })
  page.drawText('faint line of nine points', { x: 72, y: 670, size: 9, font: text, color: gray(0.75) })
  page.drawRectangle({ x: 72, y: 560, width: 200, height: 60, color: gray(0.65) })
  page.drawText('black on gray', { x: 90, y: 585, size: 10, font: text })
  page.drawRectangle({ x: 340, y: 560, width: 200, height: 60, color: gray(0.3) })
  page.drawText('white on gray', { x: 358, y: 585, size: 10, font: text, color: gray(1) })
  const wedge = png(
    256,
    20,
    Uint8Array.from({ length: 256 * 20 }, (_, index) => index % 256),
  )
  page.drawImage(await document.embedPng(wedge), { x: 72, y: 400, width: 468, height: 60 })
  return document.save()
}
