/** A PDF on its way to the wire: size and place of the page, what is drawn, how shades become black and white, the cover, the time. */
import { join } from 'node:path'
import t from 'tap'
import { binarise } from '../../daemon/fax/pages/binarise.ts'
import { drawnPart, placePage, type Placement } from '../../daemon/fax/pages/geometry.ts'
import { halveRows, layOnSheet, type Gray } from '../../daemon/fax/pages/bitmap.ts'
import { renderJob, wireSeconds, type RenderedFax } from '../../daemon/fax/pages/pages.ts'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'
import { form, letter, photo, scan, shades } from './documents.ts'
import { blackness, folder, readFax, type ReadPage } from './fax-file.ts'
import { onePage } from './hostile.ts'

const work = folder()
t.teardown(work.remove)
let jobs = 0

async function render(pdf: Uint8Array): Promise<{ fax: RenderedFax; fine: ReadPage[]; standard: ReadPage[] }> {
  const directory = join(work.path, String(jobs++))
  const fax = await renderJob({ pdf: work.file('page.pdf', pdf), directory })
  return { fax, fine: readFax(fax.fine), standard: readFax(fax.standard) }
}

async function finePage(pdf: Uint8Array): Promise<ReadPage> {
  const [page] = (await render(pdf)).fine
  if (page === undefined) throw new Error('no page')
  return page
}

t.test('pages fit the line: never enlarged, turned only when too wide, bounded in length', async (t) => {
  const one = (width: number, height: number): Placement => placePage(width, height)[0]!
  const a4 = { turned: false, width: 1687, rows: 2292, left: 20, sheetRows: 2292, wholeRows: 2292, from: 0 }
  t.same(placePage(595.28, 841.89), [a4], 'A4')
  t.match(one(612, 792), { turned: false, width: 1728, left: 0, sheetRows: 2150 }, 'Letter, a third of a percent smaller')
  t.match(one(612, 1008), { turned: false, width: 1728 }, 'Legal')
  t.ok(one(612, 1008).rows > 2730)
  t.match(one(841.89, 595.28), { turned: true, width: 1687, rows: 2292 }, 'A4 landscape')
  t.match(one(612, 396), { turned: false, width: 1728, rows: 1074 }, 'half a sheet stays as it is')
  t.match(one(200, 100), { turned: false, width: 567, rows: 272, left: 580 }, 'a card is not enlarged')
  t.match(one(842, 1191), { width: 1728 }, 'A3 shrinks')
  const banner = placePage(612, 9000)
  t.equal(banner.length, 12, 'a page of 125 inches becomes sheets')
  t.equal(banner[1]!.from, 2292 - 98, 'with half an inch on both')
  t.equal(banner[11]!.from + banner[11]!.rows, banner[0]!.wholeRows, 'down to its end')
  const window = { left: 2292 - 98, top: 0, width: 2292, rows: 1728 }
  t.same(drawnPart(placePage(9000, 612)[1]!), { width: banner[0]!.wholeRows, rows: 1728, window }, 'lengthwise')
  t.match(placePage(14_400, 1), { length: 18, 0: { turned: true, width: 3 } })
})

t.test('what is drawn lies where it was, at both resolutions', async (t) => {
  // A bar at the top left quarter: 1 inch from the edges, 2 wide, 1 high.
  const { fax, fine, standard } = await render(onePage('72 648 144 72 re f'))
  const [a, b] = [fine[0], standard[0]]
  if (a === undefined || b === undefined) throw new Error('no page')
  t.match(a, { width: 1728, rows: 2150, down: 196, across: 204 })
  t.match(b, { width: 1728, rows: 1075, down: 98, across: 204 })
  t.equal(blackness(a.bitmap, 210, 202, 600, 386), 1)
  t.equal(blackness(b.bitmap, 210, 101, 600, 192), 1)
  t.ok(blackness(a.bitmap, 0, 0, 1728, 2150) < 0.0215, 'and nothing else')
  t.same(fax.bytesPerPage, [a.strips[0]?.bytes])
  t.same(fax.standardBytesPerPage, [b.strips[0]?.bytes])
})

t.test('landscape and /Rotate: the top of the page is found', async (t) => {
  // Landscape: the bar at the top left lies at the top right when the sheet is turned clockwise.
  const landscape = await finePage(onePage('0 540 144 72 re f', { box: '0 0 792 612' }))
  t.match(landscape, { width: 1728, rows: 2150 })
  t.equal(blackness(landscape.bitmap, 1540, 10, 1720, 380), 1)
  t.ok(blackness(landscape.bitmap, 0, 0, 1728, 2150) < 0.0225)
  // Rotated by 90: stored as landscape, shown upright; the stored bottom left is the shown top left.
  const rotated = await finePage(onePage('0 0 72 144 re f', { box: '0 0 792 612', page: '/Rotate 90' }))
  t.match(rotated, { width: 1728, rows: 2150 })
  t.equal(blackness(rotated.bitmap, 5, 5, 400, 190), 1)
})

t.test('hairlines, form fields, annotations and transparency are seen', async (t) => {
  const hairlines = await finePage(onePage('0 w 72 700 m 540 700 l S 72 100 m 72 700 l S 0.1 w 72 600.3 m 540 600.3 l S'))
  const rowWith = (from: number, to: number): number => {
    let best = 0
    for (let y = from; y < to; y++) best = Math.max(best, blackness(hairlines.bitmap, 220, y, 1500, y + 1))
    return best
  }
  t.equal(rowWith(240, 260), 1, 'line of width 0')
  t.equal(rowWith(510, 535), 1, 'line of a tenth of a point')
  const filled = await finePage(await form())
  t.ok(blackness(filled.bitmap, 728, 232, 1105, 280) > 0.08, 'text of a field')
  const stamp = await finePage(
    onePage('', {
      page: '/Annots [5 0 R]',
      more: [
        ['<< /Type /Annot /Subtype /Square /Rect [72 648 216 720] /F 4 /AP << /N 6 0 R >> >>'],
        ['<< /Type /XObject /Subtype /Form /BBox [0 0 144 72] /Length 18 >>\nstream\n0 0 144 72 re f   \nendstream'],
      ],
    }),
  )
  t.equal(blackness(stamp.bitmap, 210, 202, 600, 386), 1, 'annotation')
  const veil = await finePage(
    onePage('/G gs 72 648 144 72 re f 72 400 144 72 re f', {
      resources: '/ExtGState << /G << /ca 0.15 >> >>',
      page: '/Group << /S /Transparency >>',
    }),
  )
  t.equal(blackness(veil.bitmap, 210, 206, 600, 386), 0, 'a veil on white is light, not black')
  t.ok(blackness(veil.bitmap, 0, 0, 1728, 2150) < 0.001, 'no more of it than its outline')
})

t.test('a letter, its scan and a form keep all text and no background', async (t) => {
  const pages = { letter: await finePage(await letter()), scan: await finePage(await scan()), form: await finePage(await form()) }
  const { letter: sharp, scan: scanned, form: table } = pages
  const gray = blackness(sharp.bitmap, 200, 2000, 1000, 2030)
  t.ok(gray > 0.06, `gray line of 7 points: ${gray}`)
  t.ok(blackness(sharp.bitmap, 1070, 180, 1500, 205) > 0.08, 'small red text')
  t.ok(blackness(sharp.bitmap, 1070, 218, 1500, 245) > 0.05, 'small blue text')
  t.equal(blackness(scanned.bitmap, 10, 700, 180, 1800), 0, 'paper with a shadow is white')
  t.ok(blackness(scanned.bitmap, 200, 2000, 1000, 2030) > 0.04, 'gray text of the scan')
  t.equal(blackness(table.bitmap, 900, 385, 1100, 440), 0, 'a shaded row is paper')
  t.ok(blackness(table.bitmap, 300, 90, 1500, 160) > 0.95, 'a dark heading is black')
  t.ok(blackness(table.bitmap, 172, 100, 400, 150) < 0.93, 'with white letters')
  const size = Object.fromEntries(Object.entries(pages).map(([name, page]) => [name, page.strips[0]?.bytes ?? 0]))
  t.ok((size.letter as number) < 48_000 && (size.scan as number) < 48_000 && (size.form as number) < 16_000, JSON.stringify(size))
})

t.test('a photograph has its shades, in a third of the bytes of a round screen', async (t) => {
  const page = await finePage(await photo())
  t.ok((page.strips[0]?.bytes ?? 0) < 130_000, `${page.strips[0]?.bytes} bytes`)
  const data = new Uint8Array(1728 * 256)
  for (let index = 0; index < data.length; index++) data[index] = Math.round(((index % 1728) / 1728) * 255)
  const wedge: Gray = { width: 1728, rows: 256, data }
  const bitmap = binarise(wedge, true)
  const steps = Array.from({ length: 16 }, (_, step) => blackness(bitmap, step * 108, 0, (step + 1) * 108, 252))
  t.same(
    steps,
    steps.toSorted((x, y) => y - x),
    'from dark to light without a step back',
  )
  t.ok(
    (steps[0] as number) > 0.95 && (steps[15] as number) < 0.05 && (steps[8] as number) > 0.25 && (steps[8] as number) < 0.6,
    steps.join(' '),
  )
})

t.test('no column of the screen of a picture is as long as a rule, which a reader of text would take it for', (t) => {
  // From the middle to white, across the sheet.
  const data = Uint8Array.from({ length: 1728 * 600 }, (_, at) => 140 + Math.floor(((at % 1728) / 1728) * 110))
  for (const [fine, quarterInch] of [
    [true, 49],
    [false, 24],
  ] as const) {
    const bitmap = binarise({ width: 1728, rows: 600, data }, fine)
    let longest = 0
    for (let x = 0; x < 1728; x++) {
      for (let y = 0, run = 0; y < 600; y++) {
        run = ((bitmap.data[y * bitmap.stride + (x >> 3)] as number) & (0x80 >> (x & 7))) === 0 ? 0 : run + 1
        longest = Math.max(longest, run)
      }
    }
    t.ok(longest > 6 && longest < quarterInch, `${fine ? 'fine' : 'standard'}: ${longest} rows`)
  }
  t.end()
})

t.test('faint letters are kept, boxes of shade give way to their text, a wedge keeps its steps', async (t) => {
  const pdf = await openPdf(await shades())
  const place = placePage(612, 792)[0]!
  const gray = layOnSheet(await pdf.page(0).draw(place.width, place.rows), place)
  for (const fine of [true, false]) {
    const bitmap = binarise(fine ? gray : halveRows(gray), fine)
    const x = (points: number): number => Math.round(points * 2.824)
    const y = (points: number): number => Math.round((792 - points) * (fine ? 2.713 : 1.356))
    const share = (left: number, top: number, right: number, bottom: number): number =>
      blackness(bitmap, x(left), y(top), x(right), y(bottom))
    t.ok(share(72, 716, 210, 698) > 0.12, `heading ${share(72, 716, 210, 698)}`)
    t.ok(share(72, 678, 180, 669) > 0.1, `line ${share(72, 678, 180, 669)}`)
    t.equal(share(180, 610, 265, 570), 0, 'the light box is paper')
    t.ok(share(90, 593, 160, 584) > 0.1, 'with black text')
    t.equal(share(450, 610, 530, 570), 1, 'the dark box is black')
    t.ok(share(358, 593, 430, 584) < 0.9, 'with white text')
    const steps = [200, 250, 300, 350, 400].map((left) => share(left, 450, left + 40, 410))
    t.ok(
      steps.every((step, index) => step > 0.03 && step < 0.97 && step < (steps[index - 1] ?? 1)),
      steps.join(' '),
    )
  }
})

/** A page of Letter size drawn in this process, and the share of black in a box of points of it. */
async function drawn(content: string, fine = true): Promise<(left: number, bottom: number, right: number, top: number) => number> {
  const font = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> /ExtGState << /G << /CA 0.4 /ca 0.4 >> >>'
  const pdf = await openPdf(onePage(content, { resources: font }))
  const place = placePage(612, 792)[0]!
  const gray = layOnSheet(pdf.page(0).draw(place.width, place.rows), place)
  const bitmap = binarise(fine ? gray : halveRows(gray), fine)
  const x = (points: number): number => Math.round((points / 612) * 1728)
  const y = (points: number): number => Math.round(((792 - points) / 792) * bitmap.rows)
  return (left, bottom, right, top) => blackness(bitmap, x(left), y(top), x(right), y(bottom))
}

t.test('pale boxes and stamps are whole, also where black text is beside them', async (t) => {
  const boxes = [0.67, 0.73, 0.8, 0.867].map((level, index) => {
    const y = 700 - index * 50
    return `${level} G 0.4 w 60 ${y} 300 26 re S 66 ${y + 8} 9 9 re S 0 g BT /F 9 Tf 84 ${y + 9} Td (Penicillin in the morning) Tj ET`
  })
  const stamp =
    'q /G gs 0.8 0.1 0.1 RG 3 w 60 400 200 60 re S Q 0 g BT /F 10 Tf 40 430 Td (a line of text that runs across the stamp and on) Tj ET'
  for (const fine of [true, false]) {
    const share = await drawn([...boxes, stamp].join('\n'), fine)
    for (const index of [0, 1, 2, 3]) {
      const y = 700 - index * 50
      /** How much of a side is there: of all the places along it, those with black within a point of it. */
      const along = (from: number, to: number, at: (place: number) => number): number => {
        let there = 0
        for (let place = from; place < to; place += 1) if (at(place) > 0) there++
        return there / (to - from)
      }
      t.ok(along(62, 358, (x) => share(x, y - 1, x + 1, y + 1)) > 0.97, `lower side ${index}, fine ${fine}`)
      t.ok(along(62, 358, (x) => share(x, y + 25, x + 1, y + 27)) > 0.97, `upper side ${index}`)
      t.ok(along(y + 1, y + 25, (at) => share(59, at, 61, at + 1)) > 0.95, `left side ${index}`)
      t.ok(along(67, 74, (x) => share(x, y + 7, x + 1, y + 9)) > 0.99, `check square ${index}`)
    }
    t.ok(share(70, 399, 250, 401) > 0.9 && share(70, 459, 250, 461) > 0.9, 'frame of the stamp')
  }
})

t.test('a pale flourish that crosses small words, as programs for signatures draw it, leaves them letters and is seen', async (t) => {
  const rows = [640, 629, 618].map((y) => `BT /F 9 Tf 100 ${y} Td (Digitally signed by John Doe 20:54:52) Tj ET`).join('\n')
  const flourish = '1 .85 .85 RG 2 w 60 580 m 120 660 180 600 260 660 c 200 600 150 640 110 600 c S'
  const [words, both, alone] = [await drawn(`0 g ${rows}`), await drawn(`${flourish} 0 g ${rows}`), await drawn(flourish)]
  for (const y of [640, 629, 618]) {
    const [plain, crossed] = [words, both].map((share) => share(98, y - 3, 260, y + 8)) as [number, number]
    t.ok(crossed - plain < 0.03, `${y}: ${crossed - plain} of the line of words is black as well`)
  }
  const all = [60, 575, 260, 655] as const
  t.ok(both(...all) - words(...all) > alone(...all) / 10, `it is seen: ${both(...all) - words(...all)}, without words ${alone(...all)}`)
})

t.test('a shaded cell is one thing: paper under its text, dots where it has none, never half black', async (t) => {
  const text = '0 g BT /F 9 Tf 66 560 Td (only here) Tj ET BT 0.2 g /F 9 Tf 420 700 Td (x) Tj ET'
  const share = await drawn(
    `0.69 g 60 520 220 60 re f 0.5 g 330 520 220 60 re f ${text} 0 g BT /F 9 Tf 336 560 Td (For office use) Tj ET 0.6 g 60 400 100 60 re f`,
  )
  t.equal(share(150, 525, 275, 575), 0, 'the rest of a cell with text is paper')
  t.equal(share(450, 525, 545, 575), 0, 'of a darker one too')
  const bar = share(65, 405, 155, 455)
  t.ok(bar > 0.2 && bar < 0.7, `a bar without text has its shade: ${bar}`)
})

t.test('a shaded cell whose shade becomes paper keeps its outline, with the rule that it covers by half', async (t) => {
  const text = (y: number): string => `0 g BT /F 10 Tf 70 ${y} Td (Penicillin in the morning) Tj ET`
  // Each row draws its shade over the lower half of the rule above it.
  const rows = [0.867, 0.8, 0.69, 0.565].map((level, index) => {
    const y = 700 - index * 80
    return `0 G 0.5 w 60 ${y} m 540 ${y} l S ${level} g 60 ${y - 40} 480 40 re f ${text(y - 26)}`
  })
  for (const fine of [true, false]) {
    const share = await drawn(rows.join('\n'), fine)
    for (const index of [0, 1, 2, 3]) {
      const y = 700 - index * 80
      const across = Array.from({ length: 470 }, (_, at) => 65 + at)
      const there = (at: number): number => across.filter((x) => share(x, at - 1, x + 1, at + 1) > 0).length / across.length
      t.ok(there(y) > 0.97, `the rule above cell ${index}, fine ${fine}: ${there(y)}`)
      t.ok(there(y - 40) > 0.97, `its lower side: ${there(y - 40)}`)
      t.ok(share(59, y - 36, 61, y - 4) > 0.15 && share(539, y - 36, 541, y - 4) > 0.15, 'its left and right side')
      t.equal(share(300, y - 36, 530, y - 4), 0, 'paper inside')
    }
  }
})

t.test('a highlighter changes no letter under it', async (t) => {
  const lines = [710, 693, 676].map(
    (y) => `0 g BT /F 10 Tf 60 ${y} Td (Metformin 500 mg twice a day was started and is tolerated well) Tj ET`,
  )
  for (const [name, colour] of Object.entries({ yellow: '1 1 0.3', green: '0.5 1 0.5', pink: '1 0.5 0.8' })) {
    for (const fine of [true, false]) {
      const plain = await drawn(lines.join('\n'), fine)
      const marked = await drawn(`${colour} rg 58 672 320 33 re f\n${lines.join('\n')}`, fine)
      for (let x = 60; x < 340; x += 20) {
        const [was, is] = [plain(x, 676, x + 20, 683), marked(x, 676, x + 20, 683)]
        t.ok(Math.abs(was - is) < 0.05, `${name}, fine ${fine}, ${x}: ${is} in place of ${was}`)
      }
    }
  }
})

t.test('the shades of a picture are as dark as they were, in its darkest and its palest parts', async (t) => {
  const next = noise()
  const data = new Uint8Array(1728 * 1200).fill(255)
  const shade = (u: number, v: number): number => (u < 0.3 && v > 0.7 ? 8 : 232 - 90 * v * (1 - u))
  for (let y = 100; y < 1060; y++)
    for (let x = 400; x < 1360; x++) data[y * 1728 + x] = Math.min(255, shade((x - 400) / 960, (y - 100) / 960) + next() * 12 - 6)
  for (const fine of [true, false]) {
    const gray = { width: 1728, rows: 1200, data }
    const bitmap = binarise(fine ? gray : halveRows(gray), fine)
    const k = fine ? 1 : 2
    for (const [u, v] of [
      [0.05, 0.05],
      [0.5, 0.03],
      [0.95, 0.05],
      [0.95, 0.95],
      [0.4, 0.5],
      [0.1, 0.9],
    ] as const) {
      const [x, y] = [400 + u * 960, 100 + v * 960]
      const dark = blackness(bitmap, x - 24, Math.round((y - 24) / k), x + 24, Math.round((y + 24) / k))
      t.ok(Math.abs(dark - (1 - shade(u, v) / 255)) < 0.04, `fine ${fine}, ${u} ${v}: ${dark} in place of ${1 - shade(u, v) / 255}`)
    }
  }
})

t.test('a rule of a scan whose shade is that of the threshold is whole', async (t) => {
  const next = noise()
  const data = Uint8Array.from({ length: 1728 * 600 }, () => 220 + (next() + next()) * 12)
  const shades = [150, 158, 164, 170]
  shades.forEach((shade, index) => {
    // Soft edges, as a scanner has them.
    for (const [row, part] of [0.4, 1, 1, 0.4].entries())
      for (let x = 300; x < 1400; x++) data[(100 + index * 100 + row) * 1728 + x]! -= (232 - shade) * part
  })
  const bitmap = binarise({ width: 1728, rows: 600, data }, true)
  for (const [index, shade] of shades.entries()) {
    const across = Array.from({ length: 1090 }, (_, at) => 305 + at)
    const y = 100 + index * 100
    const there = across.filter((x) => blackness(bitmap, x, y, x + 1, y + 4) > 0).length / across.length
    t.ok(there > 0.97, `${shade}: ${there}`)
  }
})

t.test('a coloured word in a soft scan stays text, dark and light parts of a picture keep their tones', async (t) => {
  const next = noise()
  const data = new Uint8Array(1728 * 640).fill(255)
  const put = (left: number, top: number, right: number, bottom: number, at: (x: number, y: number) => number): void => {
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) data[y * 1728 + x] = at(x, y)
  }
  // Letters of 26 dots as a JPEG leaves them: strokes of 100 on a cloud of 200 to 235.
  put(300, 200, 460, 230, (x) => (x % 14 < 5 ? 100 + next() * 20 : 200 + next() * 35))
  // A fan of an ultrasound on a background that is not quite black.
  put(900, 96, 1540, 608, (x, y) => (Math.hypot(x - 1220, y - 96) < 380 ? 40 + ((x + y) % 97) + next() * 20 : 44 + next() * 8))
  const bitmap = binarise({ width: 1728, rows: 640, data }, true)
  const stroke = blackness(bitmap, 308, 204, 312, 226)
  t.ok(stroke > 0.9 && blackness(bitmap, 315, 204, 320, 226) < 0.1, `a stroke, and paper beside it: ${stroke}`)
  const dark = blackness(bitmap, 910, 560, 990, 600)
  const light = blackness(bitmap, 1180, 200, 1260, 300)
  t.ok(dark > light && dark < 0.99, `tones of the dark: ${dark}, of the fan: ${light}`)
})

/** A sequence that is the same in every run. */
function noise(): () => number {
  let state = 17
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

t.test('the time on the wire is near what ITU-T charts took', async (t) => {
  const measured = [
    [18_355, 27.1],
    [11_055, 22.8],
    [28_957, 33.4],
    [69_527, 59.8],
    [32_473, 35.4],
    [16_903, 26.4],
  ] as const
  for (const [bytes, seconds] of measured) t.ok(Math.abs(wireSeconds([bytes]) - seconds) < 0.6, `${bytes} bytes: ${wireSeconds([bytes])}`)
  t.ok(wireSeconds([20_000], 4800) > 2 * wireSeconds([20_000]) - 20)
})
