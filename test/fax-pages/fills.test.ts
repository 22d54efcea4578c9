/** Words on shades: each reads as it does on paper, whatever other shades are next to it, and what has no words keeps its shade. */
import t from 'tap'
import { binarise } from '../../daemon/fax/pages/binarise.ts'
import { halveRows, layOnSheet } from '../../daemon/fax/pages/bitmap.ts'
import { placePage } from '../../daemon/fax/pages/geometry.ts'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'
import { photo } from './documents.ts'
import { blackness } from './fax-file.ts'
import { onePage } from './hostile.ts'

type Share = (left: number, bottom: number, right: number, top: number) => number

/** Shares of black in boxes of points, at fine and at standard resolution. */
async function drawn(content: string): Promise<readonly Share[]> {
  const resources =
    '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /B << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >> >>'
  const pdf = await openPdf(onePage(content, { resources }))
  const place = placePage(612, 792)[0]!
  const gray = layOnSheet(pdf.page(0).draw(place.width, place.rows), place)
  return [true, false].map((fine) => {
    const bitmap = binarise(fine ? gray : halveRows(gray), fine)
    const y = (points: number): number => Math.round(((792 - points) / 792) * bitmap.rows)
    const x = (points: number): number => Math.round((points / 612) * 1728)
    return (left, bottom, right, top) => blackness(bitmap, x(left), y(top), x(right), y(bottom))
  })
}

const words = ['Potassium 4.1 mmol per litre', 'see doctor on day 12', 'Warfarin 2.5 mg daily']
const colours = ['.9 .3 .3', '1 .8 .2', '.4 .8 .4', '.5 .6 .9', '.35 .35 .35', '.5 .5 .5', '.65 .65 .65', '.75 .75 .75', '.9 .9 .9']
const write = (row: number, ink: string, x = 60, font = 'F'): string =>
  `${ink} rg BT /${font} 11 Tf ${x} ${706 - row * 20} Td (${words[row % words.length]}) Tj ET`
/** Each cell of a row of words, from the left. */
const cells = [60, 90, 120, 150, 180]

const fills: Readonly<Record<string, (row: number, colour: string) => string>> = {
  rows: (row, colour) => `${colour} rg 50 ${700 - row * 20} 495 20 re f`,
  'rows apart': (row, colour) => `${colour} rg 50 ${701 - row * 20} 495 17 re f`,
  'cells of a column': (row, colour) => `${colour} rg 50 ${700 - row * 20} 160 20 re f`,
  'two colours side by side': (row, colour) =>
    `${colour} rg 50 ${700 - row * 20} 160 20 re f ${colours[(row + 3) % colours.length]} rg 210 ${700 - row * 20} 160 20 re f`,
}

t.test('dark words on any shade read as on paper', async (t) => {
  const plain = await drawn(colours.map((_, row) => write(row, '0 0 0')).join('\n'))
  for (const [name, fill] of Object.entries(fills)) {
    const shaded = await drawn(colours.map((colour, row) => `${fill(row, colour)} ${write(row, '0 0 0')}`).join('\n'))
    for (const [at, share] of shaded.entries()) {
      for (const row of colours.keys()) {
        const y = 706 - row * 20
        const differ = cells.map((x) => Math.abs(share(x, y - 2, x + 30, y + 9) - plain[at]!(x, y - 2, x + 30, y + 9)))
        t.ok(Math.max(...differ) < 0.05, `${name}, ${colours[row]}, ${at === 0 ? 'fine' : 'standard'}: ${Math.max(...differ)}`)
      }
    }
  }
})

t.test('light words on a shade stand out of black', async (t) => {
  const dark = ['.1 .2 .5', '.35 .35 .35', '.5 .5 .5', '.6 .2 .2', '.6 .6 .6']
  const plain = await drawn(dark.map((_, row) => write(row, '0 0 0', 60, 'B')).join('\n'))
  const shaded = await drawn(dark.map((colour, row) => `${fills['rows apart']!(row, colour)} ${write(row, '1 1 1', 60, 'B')}`).join('\n'))
  for (const [at, share] of shaded.entries()) {
    for (const row of dark.keys()) {
      const y = 706 - row * 20
      const differ = cells.map((x) => Math.abs(1 - share(x, y - 2, x + 30, y + 8) - plain[at]!(x, y - 2, x + 30, y + 8)))
      t.ok(Math.max(...differ) < (at === 0 ? 0.08 : 0.2), `${dark[row]}, ${at === 0 ? 'fine' : 'standard'}: ${Math.max(...differ)}`)
      t.ok(share(300, y - 2, 500, y + 8) > 0.99, 'the shade is black where no words are')
    }
  }
})

t.test('words of both kinds on one shade can be read', async (t) => {
  const rows = ['.45 .45 .45', '.55 .55 .55', '.3 .4 .8']
  const shaded = await drawn(
    rows
      .map((colour, row) => `${fills['rows apart']!(row, colour)} ${write(row, '0 0 0', 60, 'B')} ${write(row, '1 1 1', 330, 'B')}`)
      .join('\n'),
  )
  for (const share of shaded) {
    for (const row of rows.keys()) {
      const y = 706 - row * 20
      for (const x of [60, 330]) {
        const ink = share(x, y - 2, x + 120, y + 8)
        t.ok(Math.min(ink, 1 - ink) > 0.1, `${rows[row]} at ${x}: ${ink}`)
      }
    }
  }
})

t.test('a watermark leaves the words on it alone, and keeps its outline', async (t) => {
  const lines = Array.from(
    { length: 28 },
    (_, line) => `0 g BT /F 11 Tf 60 ${740 - line * 24} Td (Dosage 2.5 mg, twice a day, for ten days) Tj ET`,
  ).join('\n')
  const plain = await drawn(lines)
  for (const level of [0.4, 0.6, 0.7, 0.8]) {
    const marked = await drawn(`${level} g BT /B 120 Tf .7 .7 -.7 .7 110 160 Tm (COPY) Tj ET\n${lines}`)
    for (const [at, share] of marked.entries()) {
      let worst = 0
      for (let line = 0; line < 28; line++) {
        for (let x = 60; x < 250; x += 20) {
          const box = [x, 738 - line * 24, x + 20, 749 - line * 24] as const
          worst = Math.max(worst, Math.abs(share(...box) - plain[at]!(...box)))
        }
      }
      t.ok(worst < (at === 0 ? 0.06 : 0.1), `${level}, ${at === 0 ? 'fine' : 'standard'}: ${worst}`)
      const more = share(60, 60, 600, 600) - plain[at]!(60, 60, 600, 600)
      t.ok(more > 0.0005 && more < 0.002, `its outline: ${more}`)
    }
  }
})

t.test('words on a shade that runs from dark to light', async (t) => {
  const steps = Array.from({ length: 240 }, (_, at) => `${(0.35 + at / 400).toFixed(3)} g ${50 + at * 2} 690 2.5 40 re f`).join('\n')
  const plain = await drawn(write(0, '0 0 0', 60))
  const shaded = await drawn(`${steps} ${write(0, '0 0 0', 60)}`)
  for (const [at, share] of shaded.entries()) {
    for (const x of cells) t.ok(Math.abs(share(x, 704, x + 30, 715) - plain[at]!(x, 704, x + 30, 715)) < 0.08, `${x}`)
  }
})

t.test('the word of a small button reads as on paper, wherever on the sheet it is', async (t) => {
  const places = Array.from({ length: 80 }, (_, at) => [50 + (at % 8) * 61.7, 80 + Math.floor(at / 8) * 61.3] as const)
  for (const [width, height] of [
    [20, 8],
    [27, 8],
    [18, 10],
  ] as const) {
    const buttons = (fill: string): string =>
      places
        .map(([x, y]) => {
          const frame = `0 g ${x - 2} ${y - 2} ${width + 4} ${height + 4} re f .9 g ${x - 1} ${y - 1} ${width + 2} ${height + 2} re f`
          return `${frame} ${fill} ${x} ${y} ${width} ${height} re f 0 g BT /F 8 Tf ${x + width / 2 - 5} ${y + 1} Td (Go) Tj ET`
        })
        .join('\n')
    const plain = await drawn(buttons('1 g'))
    for (const fill of ['.9 .3 .3 rg', '.75 g', '.55 g', '.5 .6 .9 rg']) {
      const shaded = await drawn(buttons(fill))
      for (const [at, share] of shaded.entries()) {
        const differ = places.map(([x, y]) => {
          const box = [x + 2, y + 1, x + width - 2, y + height - 1] as const
          return Math.abs(share(...box) - plain[at]!(...box))
        })
        t.ok(Math.max(...differ) < 0.05, `${width} x ${height}, ${fill}, ${at === 0 ? 'fine' : 'standard'}: ${Math.max(...differ)}`)
      }
    }
  }
})

t.test('large pale letters are whole, however wide their strokes are', async (t) => {
  const word = (ink: string, size: number): string => `${ink} BT /B ${size} Tf 60 600 Td (not (B or C)) Tj ET`
  for (const size of [24, 36, 60]) {
    const plain = await drawn(word('0 g', size))
    for (const ink of ['.86 g', '.93 g', '.75 g', '.6 g', '1 .8 .2 rg']) {
      const pale = await drawn(word(ink, size))
      for (const [at, share] of pale.entries()) {
        const boxes = Array.from(
          { length: 10 },
          (_, part) => [60 + part * size * 0.5, 590, 60 + (part + 1) * size * 0.5, 600 + size] as const,
        )
        const differ = boxes.map((box) => Math.abs(share(...box) - plain[at]!(...box)))
        t.ok(Math.max(...differ) < 0.12, `${size} points, ${ink}, ${at === 0 ? 'fine' : 'standard'}: ${Math.max(...differ)}`)
      }
    }
  }
})

t.test('the outline of a mark that is tight around words does not touch them', async (t) => {
  const text = '0 g BT /F 12 Tf 62 702 Td (Lorem ipsum dolor sit amet) Tj ET'
  const plain = await drawn(text)
  for (const [bottom, height] of [
    [700, 10],
    [700, 10.5],
  ] as const) {
    const marked = await drawn(`1 1 .2 rg 60 ${bottom} 144 ${height} re f 1 .8 .5 rg 60 ${bottom} 144 ${height} re f ${text}`)
    for (const [at, share] of marked.entries())
      t.ok(Math.abs(share(64, 696, 200, 714) - plain[at]!(64, 696, 200, 714)) < 0.01, `${height} pt high, ${at}`)
  }
})

t.test('a drawing of shades that run into each other is shown as a picture, whatever lines are on it', async (t) => {
  const rings = Array.from({ length: 90 }, (_, ring) => {
    const r = 180 - ring * 2
    const k = r * 0.5523
    const [x, y] = [300, 400]
    const path = `${x + r} ${y} m ${x + r} ${y + k} ${x + k} ${y + r} ${x} ${y + r} c ${x - k} ${y + r} ${x - r} ${y + k} ${x - r} ${y} c ${x - r} ${y - k} ${x - k} ${y - r} ${x} ${y - r} c ${x + k} ${y - r} ${x + r} ${y - k} ${x + r} ${y} c f`
    return `${(0.35 + ring * 0.005).toFixed(3)} g ${path}`
  }).join('\n')
  const lines = Array.from({ length: 12 }, (_, line) => `0 G 1 w ${200 + line * 16} 330 m ${210 + line * 16} 470 l S`).join('\n')
  for (const share of await drawn(`${rings}\n${lines}`)) {
    const rim = share(135, 390, 155, 410)
    t.ok(rim > 0.3 && rim < 0.9, `where it is dark: ${rim}`)
    const middle = share(296, 380, 303, 420)
    t.ok(middle > 0.05 && middle < 0.6, `in the middle: ${middle}`)
  }
})

t.test('a photograph stays one, though fine lights and shadows are in it', async (t) => {
  const pdf = await openPdf(await photo())
  const page = pdf.page(0)
  const place = placePage(page.width, page.height)[0]!
  const gray = layOnSheet(page.draw(place.width, place.rows), place)
  for (const fine of [true, false]) {
    const bitmap = binarise(fine ? gray : halveRows(gray), fine)
    const share = blackness(bitmap, 300, Math.round(bitmap.rows * 0.2), 1400, Math.round(bitmap.rows * 0.7))
    t.ok(share > 0.15 && share < 0.85, `${fine ? 'fine' : 'standard'}: ${share}`)
  }
})
