/** Pages of words on shades, as laboratories, spreadsheets and letterheads print them. */
import { Sheet, sentences, type CorpusPage } from './corpus-pages.ts'

const palettes = {
  traffic: ['.9 .3 .3', '1 .8 .2', '.4 .8 .4', '.5 .6 .9'],
  pastel: ['1 .8 .8', '.8 1 .8', '.8 .8 1', '1 1 .7'],
  greys: ['.45 .45 .45', '.6 .6 .6', '.75 .75 .75', '.9 .9 .9'],
  strong: ['.8 .1 .1', '.1 .5 .2', '.1 .3 .8', '.9 .5 0'],
} as const
const level = (share: number): string => `${share} ${share} ${share}`
const sentence = (row: number): string => sentences[row % sentences.length]!

function rows(colours: readonly string[], height: number, ink = '0 0 0'): Sheet {
  const sheet = new Sheet().text(60, 740, 13, 'Laboratory report')
  for (let row = 0; row < 20; row++) {
    const y = 700 - row * height
    sheet.raw(`${colours[row % colours.length]} rg 50 ${y} 510 ${height} re f`)
    sheet.text(60, y + height / 2 - 4, 10, sentence(row), ink)
  }
  return sheet
}

function column(colours: readonly string[], side: number): Sheet {
  const sheet = new Sheet().text(60, 740, 13, 'Results of the week')
  for (let row = 0; row < 20; row++) {
    const y = 700 - row * 22
    sheet.raw(`${colours[row % colours.length]} rg ${side === 0 ? 50 : 330} ${y} ${side === 0 ? 90 : 220} 22 re f`)
    sheet
      .text(60, y + 7, 10, `Value ${row}`)
      .text(160, y + 7, 10, 'normal range')
      .text(340, y + 7, 10, 'please repeat the test soon')
  }
  return sheet
}

function bars(shade: string, ink: string, size: number): Sheet {
  const sheet = new Sheet()
  for (let bar = 0; bar < 6; bar++) {
    const y = 720 - bar * 110
    sheet
      .raw(`${shade} rg 50 ${y} 510 22 re f`)
      .text(60, y + 7, size, sentence(bar), ink)
      .lines(3, y - 20, 10)
  }
  return sheet
}

function watermark(shade: string, matrix: string, size: number): Sheet {
  return new Sheet().raw(`${shade} rg BT /F ${size} Tf ${matrix} Tm (COPY) Tj ET`).lines(24, 730, 11)
}

function gradient(from: number, to: number, ink: string): Sheet {
  const sheet = new Sheet()
  for (let step = 0; step < 255; step++) sheet.raw(`${level(from + ((to - from) * step) / 255)} rg ${50 + step * 2} 600 2.4 120 re f`)
  return sheet.text(60, 690, 12, sentence(0), ink).text(60, 660, 12, sentence(1), ink).text(60, 630, 12, sentence(2), ink).lines(8, 560, 10)
}

function reversed(head: string, body: string): Sheet {
  const sheet = new Sheet().raw(`${head} rg 50 690 510 26 re f`).text(60, 699, 12, 'Medication and dose of the day', '1 1 1')
  for (let row = 0; row < 12; row++) {
    sheet.raw(`${row % 2 === 0 ? body : head} rg 50 ${664 - row * 26} 510 26 re f`)
    sheet.text(60, 673 - row * 26, 11, sentence(row), row % 2 === 0 ? '0 0 0' : '1 1 1')
  }
  return sheet
}

function letterhead(band: string): Sheet {
  const sheet = new Sheet().raw(`${band} rg 0 730 612 62 re f 0 0 612 30 re f ${band} rg 560 30 52 700 re f`)
  return sheet
    .text(40, 752, 22, 'Clinic at the Park', '1 1 1')
    .text(40, 12, 9, 'Garden Road 12 telephone 555 0100', '1 1 1')
    .lines(20, 690, 11)
}

function form(shade: string): Sheet {
  const sheet = new Sheet().raw(`${shade} rg 40 60 532 690 re f`).text(60, 720, 14, 'Request for examination')
  for (let row = 0; row < 12; row++) {
    const y = 680 - row * 48
    sheet
      .text(60, y, 9, sentence(row))
      .raw(`1 1 1 rg 60 ${y - 26} 480 20 re f`)
      .text(66, y - 20, 10, 'Margaret Example')
  }
  return sheet
}

export function colours(): CorpusPage[] {
  const pages: CorpusPage[] = []
  const add = (name: string, sheet: Sheet): void => void pages.push(sheet.page(name, 'text'))
  for (const [name, palette] of Object.entries(palettes)) {
    for (const height of [18, 22, 30]) add(`colours: rows, ${name}, ${height} pt`, rows(palette, height))
    for (const side of [0, 1]) add(`colours: column, ${name}, ${side}`, column(palette, side))
  }
  for (const share of [0.25, 0.35, 0.45, 0.55, 0.65, 0.75]) {
    add(`colours: bars ${share}, black words`, bars(level(share), '0 0 0', 12))
    if (share < 0.7) add(`colours: bars ${share}, white words`, bars(level(share), '1 1 1', 12))
  }
  for (const share of [0.2, 0.4, 0.5, 0.6, 0.7, 0.8]) {
    add(`colours: watermark ${share}, aslant`, watermark(level(share), '.7 .7 -.7 .7 150 180', 140))
    add(`colours: watermark ${share}, level`, watermark(level(share), '1 0 0 1 60 400', 170))
  }
  for (const [from, to] of [
    [0.4, 0.95],
    [0.9, 0.5],
  ] as const) {
    add(`colours: gradient ${from} to ${to}`, gradient(from, to, '0 0 0'))
  }
  add('colours: gradient 0.1 to 0.5, white words', gradient(0.1, 0.5, '1 1 1'))
  for (const head of ['.1 .2 .5', '.5 .1 .1', '.3 .3 .3', '0 .4 .3']) {
    add(`colours: reversed table ${head}`, reversed(head, '.8 .85 .9'))
    add(`colours: letterhead ${head}`, letterhead(head))
  }
  for (const shade of ['.85 .9 1', '.7 .8 .7', '.95 .8 .6', '.6 .6 .6']) add(`colours: form ${shade}`, form(shade))
  return pages
}
