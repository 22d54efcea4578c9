/** Never less than the document: what readers of PDFs are apt to leave out is drawn, reported or refused. */
import { existsSync } from 'node:fs'
import t from 'tap'
import { binarise } from '../../daemon/fax/pages/binarise.ts'
import type { Bitmap } from '../../daemon/fax/pages/bitmap.ts'
import { lookOver, shadesOf } from '../../daemon/fax/pages/draw-pages.ts'
import { placePage } from '../../daemon/fax/pages/geometry.ts'
import { compositionOf } from '../../daemon/fax/pages/jbig2.ts'
import { PageError } from '../../daemon/fax/pages/page-error.ts'
import type { PortfolioChoice } from '../../daemon/fax/pages/portfolio.ts'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'
import { blackness } from './fax-file.ts'
import { manyPages, onePage, type OnePage } from './hostile.ts'
import {
  allCollections,
  banner,
  brokenPicture,
  buttons,
  eastAsian,
  emptyFields,
  jbig2Mmr,
  largeUnits,
  layer,
  notes,
  portfolioOf,
  rightlyUnseen,
  staleField,
  stamp,
  unknowable,
  unknownLetter,
  withAttachment,
  xfaForm,
} from './papers.ts'

/** What the first look at it says, in this process: the tests of hostile PDFs have the child that is confined. */
async function look(
  pdf: Buffer,
  mostPages = 200,
  portfolio: PortfolioChoice = 'refuse',
): Promise<{ pages: number; warnings: readonly string[] } | string> {
  try {
    return await lookOver(pdf, mostPages, portfolio)
  } catch (error) {
    if (!(error instanceof PageError)) throw error
    return `${error.code}: ${error.message}`
  }
}

/** The sheets of its first page at fine resolution. */
async function draw(pdf: Buffer): Promise<Bitmap[] | string> {
  try {
    const page = (await openPdf(pdf)).page(0)
    return placePage(page.width, page.height).map((place) => binarise(shadesOf(page, 0, place), true))
  } catch (error) {
    if (!(error instanceof PageError)) throw error
    return `${error.code}: ${error.message}`
  }
}

/** Share of black dots in a box of points from the lower left corner of a page of Letter size. */
async function inkOn(pdf: Buffer): Promise<(left: number, bottom: number, right: number, top: number) => number> {
  const drawn = await draw(pdf)
  if (typeof drawn === 'string') throw new Error(drawn)
  const bitmap = drawn[0]!
  const x = (points: number): number => Math.round((points / 612) * 1728)
  const y = (points: number): number => Math.round(((792 - points) / 792) * 2150)
  return (left, bottom, right, top) => blackness(bitmap, x(left), y(top), x(right), y(bottom))
}

t.test('Chinese, Japanese and Korean text is drawn though its font is not in the PDF, and that is told', async (t) => {
  t.ok(existsSync('/usr/share/fonts/truetype/wqy/wqy-microhei.ttc'), 'scripts/setup installed the font')
  for (const collection of allCollections) {
    const pdf = eastAsian(collection)
    t.match(await look(pdf), { pages: 1, warnings: [/^Page 1: drawn with another font/] }, collection)
    const ink = await inkOn(pdf)
    for (const line of [0, 1, 2]) t.ok(ink(72, 696 - line * 30, 170, 716 - line * 30) > 0.08, `${collection}, line ${line + 1}`)
  }
  t.match(
    await look(unknownLetter()),
    /^pdf_unreadable: Page 1 of the PDF has text that cannot be drawn/,
    'a letter that no font at hand has',
  )
  t.match(await look(unknowable()), /^pdf_unreadable: Page 1 of the PDF has text that cannot be drawn/, 'glyphs of a font that nobody has')
})

t.test('pictures that cannot be decoded are no white pages', async (t) => {
  for (const strips of [1, 3]) {
    const ink = await inkOn(jbig2Mmr(undefined, strips))
    t.ok(ink(160, 682, 450, 698) > 0.95, `a bar of JBIG2 in MMR, ${strips} regions`)
    t.equal(ink(160, 662, 450, 678), 0, 'and paper below it')
  }
  for (const filter of ['JPXDecode', 'JBIG2Decode', 'DCTDecode'] as const) {
    t.match(await draw(brokenPicture(filter)), /^pdf_unreadable: Page 1 of the PDF has a picture/, filter)
  }
})

t.test('buttons and notes without a drawing of their own', async (t) => {
  const form = await inkOn(buttons())
  t.ok(form(138, 706, 146, 714) > 0.5, 'the dot of the button that is on')
  t.ok(form(78, 706, 86, 714) === 0 && form(72, 700, 92, 720) > 0.05, 'a ring without a dot')
  t.ok(form(192, 700, 212, 720) > 0.1, 'check box')
  const fields = await inkOn(emptyFields())
  for (const y of [600, 560, 520]) t.ok(fields(73, y, 180, y + 30) > 0.03, `the value of a field whose drawing is empty, at ${y}`)
  const valueOf = async (need: boolean): Promise<number> => (await inkOn(staleField(need)))(150, 605, 270, 635)
  t.ok((await valueOf(true)) > 0.05, 'a drawing that the form calls out of date: the value')
  t.equal(await valueOf(false), 0, 'otherwise the drawing')
  const page = await inkOn(notes())
  for (const line of [0, 1, 2, 3, 4]) t.ok(page(76, 704 - line * 14.4, 200, 716 - line * 14.4) > 0.04, `line ${line + 1} of the text box`)
  t.ok(page(320, 655, 480, 685) > 0.08, 'the name of the stamp')
  t.ok(page(180, 520, 200, 540) > 0.02, 'the line')
  t.ok(page(395, 495, 405, 505) > 0.02, 'the triangle')
})

t.test('a page is drawn as it prints', async (t) => {
  const box = async (pdf: Buffer): Promise<number> => (await inkOn(pdf))(73, 649, 215, 719)
  t.equal(await box(stamp(4 + 32)), 1, 'a stamp for print only')
  t.equal(await box(stamp(0)), 0, 'a stamp that does not print')
  t.match(await look(stamp(0)), { warnings: [/^Page 1: has notes for the screen only/] })
  t.equal(await box(layer('print')), 1, 'a layer for print')
  t.equal(await box(layer('screen')), 0, 'a layer for the screen')
  t.equal(await box(largeUnits()), 1, 'a page with units of 1/36 inch')
})

t.test('pages that are not the document are refused; what stays behind is told', async (t) => {
  t.match(await look(xfaForm()), /^pdf_unreadable: The PDF is a form that only its own reader can show/)
  t.match(await look(withAttachment(true)), /^pdf_unreadable: The PDF is a portfolio.*record\.pdf/)
  t.match(await look(withAttachment(false)), { pages: 1, warnings: ['Files attached to the PDF are not faxed: record.pdf.'] })
  t.same(await look(rightlyUnseen()), { pages: 1, warnings: [] })
  t.equal(typeof (await draw(rightlyUnseen())), 'object', 'what nobody could see is not missed')
})

t.test('the files of a portfolio are faxed when that is asked for, all of them or none, in the order of their names', async (t) => {
  const inside = async (files: Parameters<typeof portfolioOf>[0], mostPages = 200): Promise<unknown> =>
    look(portfolioOf(files), mostPages, 'files')
  const files = { '10 second.pdf': manyPages(2), '9 first.pdf': eastAsian('GB1'), '11 third.pdf': withAttachment(false) }
  t.match(await look(portfolioOf(files)), /^pdf_unreadable: The PDF is a portfolio.*9 first\.pdf.* or request all of them/, 'unasked')
  t.match(await inside(files), {
    pages: 4,
    warnings: [
      'The files of the portfolio are faxed in this order: 9 first.pdf, 10 second.pdf, 11 third.pdf.',
      'Files attached to 11 third.pdf are not faxed: record.pdf.',
      /^9 first\.pdf, page 1: drawn with another font/,
    ],
  })
  t.match(
    await inside({ 'a.pdf': manyPages(1), 'notes.docx': 'PK' }),
    /^pdf_unreadable: The portfolio holds files that are not PDFs \(notes\.docx\)/,
  )
  t.match(
    await inside({ 'a.pdf': manyPages(1), 'b.pdf': portfolioOf({ 'c.pdf': manyPages(1) }) }),
    /^pdf_unreadable: b\.pdf in the portfolio: /,
  )
  t.match(await inside({ 'a.pdf': manyPages(1).subarray(0, 300) }), /^pdf_unreadable: a\.pdf in the portfolio: /, 'cut off')
  t.match(await inside({ 'a.pdf': manyPages(3), 'b.pdf': manyPages(2) }, 4), /^pdf_too_many_pages: The PDF has 5 pages/)
  t.match(await inside({ 'a.pdf': manyPages(1), 'b.pdf': manyPages(1) }, 1), /^pdf_too_many_pages: The PDF has 2 pages/)
  t.match(await inside({}), /^pdf_unreadable: The PDF is a portfolio without any file/)
  t.match(await look(manyPages(2), 200, 'files'), { pages: 2, warnings: [] }, 'not a portfolio')
})

t.test('a banner becomes sheets, all of it readable', async (t) => {
  t.match(await look(banner()), { pages: 12, warnings: ['Page 1: longer than 22 inches, sent as 12 sheets.'] })
  const sheets = await draw(banner())
  if (typeof sheets === 'string') throw new Error(sheets)
  t.equal(sheets.length, 12)
  const bars = sheets.map((bitmap) => {
    let count = 0
    let before = false
    for (let y = 0; y < bitmap.rows; y++) {
      const black = blackness(bitmap, 864, y, 872, y + 1) === 1
      if (black && !before) count++
      before = black
    }
    return count
  })
  t.ok(bars.reduce((sum, count) => sum + count, 0) >= 125, `every inch has its bar: ${bars.join(' ')}`)
})

t.test('regions of JBIG2 that are not joined by OR are taken apart, each to be decoded by itself', async (t) => {
  const number32 = (...values: number[]): number[] =>
    values.flatMap((value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255])
  const segment = (number: number, type: number, data: number[]): number[] => [
    ...number32(number),
    type,
    0,
    1,
    ...number32(data.length),
    ...data,
  ]
  const picture = (...operators: number[]): Buffer =>
    Buffer.from([
      ...segment(0, 48, [...number32(64, 32, 0, 0), 4, 0, 0]),
      ...operators.flatMap((operator, index) => segment(index + 1, 38, [...number32(16, 8, index * 16, 8), operator, 0, 1, 2, 3])),
    ])
  t.equal(compositionOf(picture(0, 0)), undefined, 'PDFium does those')
  for (const operator of [1, 2, 3, 4]) {
    const found = compositionOf(picture(0, operator))
    t.match(found, {
      width: 64,
      rows: 32,
      black: true,
      regions: [
        { left: 0, operator: 0 },
        { left: 16, top: 8, width: 16, rows: 8, operator },
      ],
    })
    for (const { alone } of found?.regions ?? []) t.equal(compositionOf(alone), undefined, 'alone it is joined by OR')
  }
  t.equal(
    compositionOf(Buffer.from([...picture(0, 2), ...segment(9, 42, [...number32(16, 8, 0, 0), 0, 0])])),
    null,
    'one that refines the page',
  )
})

t.test('a space that its font calls no letter still parts words', async (t) => {
  const sentence = (font: string, text: string, more: OnePage['more'] = []): Buffer =>
    onePage(`BT /F 18 Tf 72 700 Td (${text}) Tj ET`, { resources: `/Font << /F ${font} >>`, more })
  const fontOf = (encoding: string): string => `<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding ${encoding} >>`
  const nameless = (differences: string): string => `<< /Type /Encoding /Differences [${differences}] >>`
  const right = await draw(sentence(fontOf('/WinAnsiEncoding'), 'Words that stand apart'))
  const rows: readonly (readonly [string, Buffer])[] = [
    ['an encoding of its own', sentence('5 0 R', 'Words that stand apart', [[fontOf('6 0 R')], [nameless('32 /.notdef 39 /quotesingle')]])],
    ['within its font', sentence('5 0 R', 'Words that stand apart', [[fontOf(nameless('31 /.notdef /.notdef'))]])],
    ['without a line end', sentence('5 0 R', 'Words\\240that\\240stand\\240apart', [[fontOf(nameless('160 /.notdef'))]])],
  ]
  for (const [what, pdf] of rows) t.same(await draw(pdf), right, what)
})
