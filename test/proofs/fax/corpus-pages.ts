/** Pages as clinics send them, drawn by code: what is on each is known, word by word and line by line. */
import { deflateSync } from 'node:zlib'
import { openPdf } from '../../../daemon/fax/pages/pdfium.ts'
import { onePage, streamOf } from '../../fax-pages/hostile.ts'
import { photoShades } from '../../fax-pages/documents.ts'

/** Points from the lower left corner of a page of Letter size. */
export type Segment = readonly [x0: number, y0: number, x1: number, y1: number]

export interface CorpusPage {
  readonly name: string
  readonly kind: 'text' | 'form' | 'scan' | 'picture'
  readonly pdf: Buffer
  /** In the order of reading. */
  readonly words: readonly string[]
  readonly strokes: readonly Segment[]
  /** Where a picture lies: left, bottom, right, top. */
  readonly picture?: readonly [number, number, number, number]
}

export const sentences = [
  'The patient denies chest pain and shortness of breath on exertion',
  'Blood pressure was measured twice and remained within the normal range',
  'She is allergic to penicillin and should receive another antibiotic',
  'Please repeat the kidney values in four weeks and send the results',
  'Metformin 500 mg twice a day was started and is tolerated well',
  'No fever and no weight loss were reported since the last visit',
  'The wound is dry and clean without any sign of infection',
  'Follow up in our clinic is planned for the second week of March',
]

/** Draws with operators of PDF and remembers what it drew. */
export class Sheet {
  readonly words: string[] = []
  readonly strokes: Segment[] = []
  #content = ''
  #images: Buffer[][] = []
  picture: readonly [number, number, number, number] | undefined

  raw(operators: string): this {
    this.#content += `${operators}\n`
    return this
  }

  text(x: number, y: number, size: number, text: string, colour = '0 0 0'): this {
    this.words.push(...text.split(' '))
    return this.raw(`${colour} rg BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`)
  }

  lines(count: number, y: number, size: number, colour?: string, x = 60): this {
    for (let line = 0; line < count; line++) this.text(x, y - line * size * 1.7, size, sentences[line % sentences.length]!, colour)
    return this
  }

  box(x: number, y: number, w: number, h: number, colour: string, width: number): this {
    this.strokes.push([x, y, x + w, y], [x, y + h, x + w, y + h], [x, y, x, y + h], [x + w, y, x + w, y + h])
    return this.raw(`${colour} RG ${width} w ${x} ${y} ${w} ${h} re S`)
  }

  line(x0: number, y0: number, x1: number, y1: number, colour: string, width: number): this {
    this.strokes.push([x0, y0, x1, y1])
    return this.raw(`${colour} RG ${width} w ${x0} ${y0} m ${x1} ${y1} l S`)
  }

  image(shades: Uint8Array, width: number, height: number, x: number, y: number, w: number, h: number): this {
    const name = `I${this.#images.length}`
    const head = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode`
    this.#images.push(streamOf(head, deflateSync(shades, { level: 1 })).map((piece) => Buffer.from(piece as string, 'latin1')))
    if (h < 700) this.picture = [x, y, x + w, y + h]
    return this.raw(`q ${w} 0 0 ${h} ${x} ${y} cm /${name} Do Q`)
  }

  pdf(): Buffer {
    const names = this.#images.map((_, index) => `/I${index} ${5 + index} 0 R`).join(' ')
    const resources =
      '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> /ExtGState << /H << /ca 0.4 /CA 0.4 >> ' +
      `/M << /BM /Multiply >> >> /XObject << ${names} >>`
    return onePage(this.#content, { resources, more: this.#images })
  }

  page(name: string, kind: CorpusPage['kind']): CorpusPage {
    const { words, strokes, picture } = this
    return { name, kind, pdf: this.pdf(), words, strokes, ...(picture === undefined ? {} : { picture }) }
  }
}

const gray = (level: number): string => [level, level, level].map((part) => (part / 255).toFixed(3)).join(' ')

function formSheet(level: number, width: number, rows = 10): Sheet {
  const sheet = new Sheet().text(60, 740, 14, 'Request for examination')
  for (let row = 0; row < rows; row++) {
    const y = 690 - row * 46
    sheet.box(60, y, 480, 30, gray(level), width).box(66, y + 10, 9, 9, gray(level), width)
    sheet.text(84, y + 11, 9, sentences[row % sentences.length]!)
  }
  return sheet
}

function stamped(colour: string, alpha: boolean, size: number): Sheet {
  const sheet = new Sheet().lines(12, 700, 10)
  sheet.raw(`q ${alpha ? '/H gs' : ''} ${colour} RG ${colour} rg`)
  return sheet.box(330, 380, 200, 70, colour, 3).text(345, 402, size, 'RECEIVED', colour).raw('Q')
}

function table(level: number): Sheet {
  const sheet = new Sheet().text(60, 740, 14, 'Laboratory results')
  for (let row = 0; row < 12; row++) {
    const y = 690 - row * 40
    if (row % 2 === 0) sheet.raw(`${gray(level)} rg 60 ${y} 480 40 re f`)
    sheet.text(70, y + 14, 10, sentences[row % sentences.length]!).line(60, y, 540, y, '0 0 0', 0.5)
  }
  return sheet
}

function card(dark: number, light: number): Sheet {
  const sheet = new Sheet().text(60, 740, 12, 'Copy of the insurance card')
  sheet.raw(`${gray(light)} rg 60 460 260 164 re f ${gray(dark)} rg 60 584 260 40 re f`)
  sheet.text(72, 598, 16, 'HEALTH PLAN', '1 1 1').text(72, 550, 11, 'Margaret Example').text(72, 530, 9, 'Member 4711 0815 2342')
  return sheet.text(72, 510, 9, 'Group 55 Plan Gold').text(72, 480, 7, 'Emergency call 555 0100 day and night', gray(90))
}

function ecg(grid: string, width: number): Sheet {
  const sheet = new Sheet().text(60, 740, 11, 'Resting electrocardiogram 25 mm per second')
  for (let x = 60; x <= 540; x += 24) sheet.line(x, 300, x, 660, grid, width)
  for (let y = 300; y <= 660; y += 24) sheet.line(60, y, 540, y, grid, width)
  const beat = [0, 0, 4, 6, 4, 0, 0, -6, 60, -14, 0, 0, 2, 10, 14, 10, 2, 0, 0, 0]
  for (let lead = 0; lead < 3; lead++) {
    let path = ''
    for (let x = 60; x <= 540; x += 3)
      path += `${x} ${380 + lead * 110 + beat[Math.floor((x - 60) / 3) % beat.length]!} ${x === 60 ? 'm' : 'l'} `
    sheet.raw(`0 G 0.8 w ${path} S`)
  }
  return sheet
}

/** A sequence that is the same in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const side = 900

function shades(at: (u: number, v: number) => number, grain: number): Uint8Array {
  const next = random(5)
  return Uint8Array.from({ length: side * side }, (_, index) => {
    const value = at((index % side) / side, Math.floor(index / side) / side) + (next() + next() - 1) * grain
    return Math.max(0, Math.min(255, value))
  })
}

const ellipse = (u: number, v: number, x: number, y: number, a: number, b: number): number => ((u - x) / a) ** 2 + ((v - y) / b) ** 2

const views: Readonly<Record<string, (u: number, v: number) => number>> = {
  chest: (u, v) => {
    const lung = Math.min(ellipse(u, v, 0.3, 0.5, 0.18, 0.33), ellipse(u, v, 0.7, 0.5, 0.18, 0.33))
    const rib = Math.sin(v * 60 + Math.abs(u - 0.5) * 8) * 10
    return 60 + 110 * Math.min(1, lung) ** 2 + rib + (Math.abs(u - 0.5) < 0.05 ? 40 : 0)
  },
  ultrasound: (u, v) => {
    const radius = Math.hypot(u - 0.5, v + 0.1)
    const inFan = Math.abs(Math.atan2(u - 0.5, v + 0.1)) < 0.6 && radius > 0.2 && radius < 1
    return inFan ? 35 + 60 * Math.abs(Math.sin(radius * 30)) + (ellipse(u, v, 0.45, 0.5, 0.12, 0.08) < 1 ? -30 : 20) : 4
  },
  phantom: (u, v) => {
    if (ellipse(u, v, 0.5, 0.5, 0.4, 0.47) > 1) return 8
    if (ellipse(u, v, 0.5, 0.5, 0.37, 0.44) > 1) return 220
    if (ellipse(u, v, 0.38, 0.45, 0.08, 0.2) < 1 || ellipse(u, v, 0.62, 0.45, 0.08, 0.2) < 1) return 25
    return ellipse(u, v, 0.5, 0.75, 0.07, 0.05) < 1 ? 90 : 55
  },
  skin: (u, v) => 225 - 60 * v * (1 - u) - (ellipse(u, v, 0.55, 0.6, 0.12, 0.1) < 1 ? 80 : 0) + 6 * Math.sin(u * 90) * Math.sin(v * 70),
}

function withPicture(view: string, grain: number): Sheet {
  const sheet = new Sheet().lines(4, 740, 10)
  const dots = view === 'clouds' ? photoShades(side, side) : shades(views[view]!, grain)
  return sheet.image(dots, side, side, 150, 250, 310, 380).text(150, 230, 8, 'Picture taken on the day of the visit')
}

/** The sheet as a flat-bed scanner of 200 dpi sees it. */
async function scanned(sheet: Sheet, name: string, paper = 232, grain = 12): Promise<CorpusPage> {
  const [width, height] = [1700, 2200]
  const sharp = (await openPdf(sheet.pdf())).page(0).draw(width, height)
  const next = random(9)
  const soft = Uint8Array.from({ length: width * height }, (_, at) => {
    const left = sharp[Math.max(0, at - 1)] as number
    const right = sharp[Math.min(sharp.length - 1, at + 1)] as number
    const ink = (left + 2 * (sharp[at] as number) + right) / 4
    return Math.max(0, Math.min(255, 35 + ((paper - 35) * ink) / 255 + (next() + next() - 1) * grain))
  })
  const { words, strokes } = sheet
  const page = new Sheet().image(soft, width, height, 0, 0, 612, 792)
  return { name, kind: 'scan', pdf: page.pdf(), words, strokes }
}

const red = '0.8 0.15 0.15'
const blue = '0.15 0.25 0.8'
const pink = '1 0.75 0.75'

export async function corpus(): Promise<CorpusPage[]> {
  const pages: CorpusPage[] = []
  for (const size of [7, 8, 9, 10, 11, 12]) pages.push(new Sheet().lines(14, 730, size).page(`letter, ${size} pt`, 'text'))
  for (const level of [0x99, 0xbb, 0xcc, 0xdd]) {
    for (const width of [0.25, 0.4, 1]) pages.push(formSheet(level, width).page(`form, boxes #${level.toString(16)}, ${width} pt`, 'form'))
  }
  for (const level of [0x66, 0x99, 0xaa, 0xbb])
    pages.push(new Sheet().lines(12, 730, 8, gray(level)).page(`grey text #${level.toString(16)}`, 'text'))
  for (const colour of [red, blue]) {
    for (const size of [26, 32])
      pages.push(stamped(colour, true, size).page(`stamp, pale, ${colour === red ? 'red' : 'blue'}, ${size} pt`, 'form'))
    pages.push(stamped(colour, false, 30).page(`stamp, ${colour === red ? 'red' : 'blue'}`, 'form'))
  }
  for (const [name, colour] of [
    ['yellow', '1 1 0.3'],
    ['green', '0.5 1 0.5'],
    ['pink', '1 0.5 0.8'],
  ] as const) {
    const sheet = new Sheet().lines(10, 730, 10)
    pages.push(sheet.raw(`q /M gs ${colour} rg 58 660 320 40 re f Q`).page(`highlighter, ${name}`, 'form'))
  }
  for (const level of [0xee, 0xdd, 0xcc, 0xb0, 0xa0, 0x90]) pages.push(table(level).page(`table, cells #${level.toString(16)}`, 'form'))
  for (const [dark, light] of [
    [40, 235],
    [80, 220],
    [110, 205],
    [20, 245],
  ] as const)
    pages.push(card(dark, light).page(`insurance card ${dark}/${light}`, 'form'))
  for (const [grid, width] of [
    [pink, 0.5],
    [pink, 0.25],
    ['0.8 0.8 0.8', 0.4],
    ['1 0.6 0.6', 0.5],
  ] as const) {
    pages.push(ecg(grid, width).page(`ECG, grid ${grid}, ${width} pt`, 'form'))
  }
  for (const size of [8, 9, 10, 12]) pages.push(await scanned(new Sheet().lines(14, 730, size), `scan, letter ${size} pt`))
  for (const level of [0x77, 0x99, 0xbb]) pages.push(await scanned(formSheet(level, 0.8), `scan, form #${level.toString(16)}`))
  for (const colour of [red, blue]) pages.push(await scanned(stamped(colour, true, 28), `scan, stamp ${colour === red ? 'red' : 'blue'}`))
  for (const level of [0x66, 0x88])
    pages.push(await scanned(new Sheet().lines(12, 730, 9, gray(level)), `scan, grey text #${level.toString(16)}`))
  for (const colour of [red, blue, '0.3 0.6 0.3']) pages.push(await scanned(new Sheet().lines(10, 730, 12, colour), `scan, pen ${colour}`))
  pages.push(await scanned(table(0xcc), 'scan, table'), await scanned(card(60, 225), 'scan, insurance card'))
  for (const view of ['chest', 'ultrasound', 'phantom', 'skin']) {
    for (const grain of [0, 10, 25]) pages.push(withPicture(view, grain).page(`${view}, grain ${grain}`, 'picture'))
  }
  pages.push(withPicture('clouds', 0).page('photograph', 'picture'))
  return pages
}
