/** A PDF on its way to the wire: size and place of the page, what is drawn, how shades become black and white, the cover, the time. */
import { join } from 'node:path'
import t from 'tap'
import { binarise } from '../../daemon/fax/pages/binarise.ts'
import { visualRuns } from '../../daemon/fax/pages/bidi.ts'
import { coverPdf, type CoverContent } from '../../daemon/fax/pages/cover.ts'
import { placePage } from '../../daemon/fax/pages/geometry.ts'
import { halveRows, layOnSheet, type Gray } from '../../daemon/fax/pages/gray.ts'
import { inspectPdf, renderJob, wireSeconds, type RenderedFax } from '../../daemon/fax/pages/pages.ts'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'
import { form, letter, photo, scan, shades } from './documents.ts'
import { blackness, folder, readFax, type ReadPage } from './fax-file.ts'
import { onePage } from './hostile.ts'

const work = folder()
t.teardown(work.remove)
let jobs = 0

async function render(pdf: Uint8Array, cover?: CoverContent): Promise<{ fax: RenderedFax; fine: ReadPage[]; standard: ReadPage[] }> {
  const directory = join(work.path, String(jobs++))
  const fax = await renderJob({ pdf: work.file('page.pdf', pdf), directory, ...(cover === undefined ? {} : { cover }) })
  return { fax, fine: readFax(fax.fine), standard: readFax(fax.standard) }
}

async function finePage(pdf: Uint8Array): Promise<ReadPage> {
  const [page] = (await render(pdf)).fine
  if (page === undefined) throw new Error('no page')
  return page
}

t.test('pages fit the line: never enlarged, turned only when too wide, bounded in length', async (t) => {
  t.same(placePage(595.28, 841.89), { turned: false, width: 1687, rows: 2292, left: 20, sheetRows: 2292 }, 'A4')
  t.match(placePage(612, 792), { turned: false, width: 1728, left: 0, sheetRows: 2150 }, 'Letter, a third of a percent smaller')
  t.match(placePage(612, 1008), { turned: false, width: 1728 }, 'Legal')
  t.ok(placePage(612, 1008).rows > 2730)
  t.match(placePage(841.89, 595.28), { turned: true, width: 1687, rows: 2292 }, 'A4 landscape')
  t.match(placePage(612, 396), { turned: false, width: 1728, rows: 1074 }, 'half a sheet stays as it is')
  t.match(placePage(200, 100), { turned: false, width: 567, rows: 272, left: 580 }, 'a card is not enlarged')
  t.match(placePage(842, 1191), { width: 1728 }, 'A3 shrinks')
  t.match(placePage(100, 14_400), { rows: 22 * 196 })
  t.match(placePage(14_400, 1), { turned: true, rows: 22 * 196, width: 1 })
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
  t.equal(blackness(veil.bitmap, 0, 0, 1728, 2150), 0, 'a veil on white is light, not black')
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

t.test('faint letters are kept, boxes of shade give way to their text, a wedge keeps its steps', async (t) => {
  const pdf = await openPdf(await shades())
  const place = placePage(612, 792)
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

t.test('the cover is page 1, says the number of pages and knows scripts from right to left', async (t) => {
  const cover = { organisation: 'Clinic', to: 'Dr. Müller', subject: 'תוצאות 2026', sentAt: 0, timeZone: 'America/New_York' }
  const { fax, fine } = await render(await letter(2), cover)
  t.equal(fax.pages, 3)
  t.equal(fine.length, 3)
  t.match(fine[0], { rows: 2292 }, 'A4')
  const text = (await openPdf(await coverPdf({ ...cover, subject: 'Results 2026 漢\n字' }, 3))).text(0)
  t.match(text, /FAX[^]*Clinic[^]*Dr\. Müller[^]*Results 2026 \? \?[^]*31 December 1969[^]*19:00[^]*Pages\s+3/)
  t.notMatch(text, /Fax number|From/, 'members that are missing are left out')
  t.same((await inspectPdf(work.file('cover.pdf', await coverPdf({}, 1)))).pages, 1, 'an empty cover is a page')
  t.same(
    visualRuns('שלום (123) abc').runs.map((run) => run.text),
    ['abc', '( ', '123', 'שלום )'],
    'parentheses are mirrored in what runs from right to left',
  )
  t.same(
    visualRuns('abc שלום 12').runs.map((run) => run.text),
    ['abc ', '12', 'שלום '],
  )
})

t.test('too many pages with the cover', async (t) => {
  const pdf = work.file('page.pdf', await letter(2))
  const limits = { mostPages: 2 }
  await t.rejects(renderJob({ pdf, directory: join(work.path, 'cover'), cover: {}, limits }), { code: 'pdf_too_many_pages' })
  t.equal((await renderJob({ pdf, directory: join(work.path, 'bare'), limits })).pages, 2)
})

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
