/** PDFs that are broken, locked or made to harm get a clear answer in time, or a page. What the child that reads them may do: test/confine. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { inspectPdf, PageError, renderJob, renderLimits, StarvedError, type RenderedFax } from '../../daemon/fax/pages/pages.ts'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'
import { letter } from './documents.ts'
import { blackness, folder, readFax } from './fax-file.ts'
import { deflateBomb, denseDrawing, encrypted, manyPages, onePage, pictureBomb, rawPdf, streamOf } from './hostile.ts'
import { portfolioOf } from './papers.ts'

const work = folder()
t.teardown(work.remove)

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise
    return 'fine'
  } catch (error) {
    // Next to a bomb on a full machine: the reader was ended, which is what a bomb must not prevent.
    if (error instanceof StarvedError) return 'busy'
    if (!(error instanceof PageError)) throw error
    return `${error.code}: ${error.message}`
  }
}

async function render(name: string, pdf: Uint8Array): Promise<RenderedFax> {
  return renderJob({ pdf: work.file(`${name}.pdf`, pdf), directory: join(work.path, name) })
}

t.test('what cannot be sent is told at the first look', async (t) => {
  const whole = Buffer.from(await letter(3))
  const cases: [name: string, pdf: Uint8Array, answer: RegExp][] = [
    ['empty', new Uint8Array(), /^pdf_unreadable: This is not a PDF file/],
    ['a text', Buffer.from('Dear Sir'), /^pdf_unreadable: This is not a PDF file/],
    ['a header too late', Buffer.concat([Buffer.alloc(1024), whole]), /^pdf_unreadable: This is not a PDF file/],
    ['junk', Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(5000, 'junk %%EOF ')]), /^pdf_unreadable/],
    ['cut in the middle', whole.subarray(0, whole.length * 0.6), /^pdf_unreadable/],
    ['without its last bytes', whole.subarray(0, whole.length - 30), /^pdf_unreadable: The PDF is cut off/],
    ['a password to read', encrypted('secret'), /^pdf_encrypted: .*password/],
    ['2,000 pages', manyPages(2000), /^pdf_too_many_pages: .*2000 pages/],
    [
      'pages that contain themselves',
      rawPdf([['<< /Type /Catalog /Pages 2 0 R >>'], ['<< /Type /Pages /Count 3 /Kids [2 0 R] >>']]),
      /^pdf_unreadable/,
    ],
    ['no pages', rawPdf([['<< /Type /Catalog /Pages 2 0 R >>'], ['<< /Type /Pages /Count 0 /Kids [] >>']]), /^pdf_unreadable/],
    [
      'a form of XFA only',
      onePage('BT /F 12 Tf 72 700 Td (If this message is not eventually replaced by the proper contents) Tj ET', {
        resources: '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>',
      }),
      /^pdf_unreadable: .*XFA/,
    ],
  ]
  const end = whole.lastIndexOf('startxref')
  cases.push(['cut in its last number', whole.subarray(0, end + 12), /^pdf_unreadable: The PDF is cut off/])
  for (const [name, pdf, answer] of cases) t.match(await codeOf(inspectPdf(work.file('case.pdf', pdf))), answer, name)
  const unended = whole.subarray(0, whole.lastIndexOf('%%EOF'))
  t.match(await inspectPdf(work.file('case.pdf', unended)), { pages: 3 }, 'only the mark of the end is missing')
  t.same(await inspectPdf(work.file('case.pdf', manyPages(200))), { pages: 200, warnings: [] }, '200 pages are allowed')
  t.match(await codeOf(inspectPdf(work.file('case.pdf', manyPages(200)), { mostPages: 199 })), /^pdf_too_many_pages/)
})

t.test('a password that only forbids changes does not forbid sending', async (t) => {
  const fax = await render('owner', encrypted(''))
  const [page] = readFax(fax.fine)
  t.ok(page !== undefined && blackness(page.bitmap, 600, 800, 1000, 1200) === 1)
})

t.test('bombs are stopped and leave nothing behind', async (t) => {
  for (const [name, pdf] of [
    ['picture', pictureBomb()],
    ['deflate', deflateBomb()],
  ] as const) {
    const directory = join(work.path, name)
    const began = performance.now()
    const limits = { pageMilliseconds: 2500 }
    t.match(
      await codeOf(renderJob({ pdf: work.file('bomb.pdf', pdf), directory, limits })),
      /^(pdf_unreadable: .*(seconds|memory)|busy$)/,
      name,
    )
    t.comment(`${name}: ${Math.round(performance.now() - began)} ms`)
    t.same(readdirSync(directory), [])
  }
  // Zeros by the gigabyte: a file that is too large to be read, whatever is in it.
  const zeros = portfolioOf({ 'zeros.pdf': Buffer.alloc(900 * 1024 ** 2) })
  t.match(
    await codeOf(inspectPdf(work.file('zeros.pdf', zeros), { portfolio: 'files', milliseconds: 30_000 })),
    /^(pdf_unreadable: .*(zeros\.pdf|seconds|memory)|busy$)/,
  )
  const gray = streamOf('/Type /XObject /Subtype /Image /Width 50000 /Height 50000 /BitsPerComponent 8 /ColorSpace /DeviceGray', 'x')
  const short = onePage('q 612 0 0 792 0 0 cm /I Do Q', { resources: '/XObject << /I 5 0 R >>', more: [gray] })
  const answer = await codeOf(render('short', short))
  t.match(answer, /^(fine|pdf_unreadable)/, 'a picture with no data is no picture, or an error')
})

t.test('a drawing of 200,000 strokes is drawn in the time that a page has', async (t) => {
  // In this process, by the time of its processor: the child has its time again where others took it.
  const page = (await openPdf(denseDrawing(200_000))).page(0)
  const before = process.cpuUsage()
  const dots = page.draw(1728, 2150)
  const { user, system } = process.cpuUsage(before)
  page.close()
  t.ok((user + system) / 1000 < renderLimits.pageMilliseconds, `${(user + system) / 1e6} s`)
  t.ok(dots.filter((dot) => dot < 200).length > dots.length * 0.3, 'all of it')
})

t.test('pages of giant size are sheets of paper', async (t) => {
  const square = readFax((await render('square', onePage('200 w 0 0 m 14400 14400 l S', { box: '0 0 14400 14400' }))).fine)[0]
  t.match(square, { width: 1728, rows: 1660 })
  const tall = readFax((await render('tall', onePage('20 w 0 0 m 612 14400 l S', { box: '0 0 612 14400' }))).fine)
  t.match(tall, { length: 18, 0: { width: 1728, rows: 2292 } }, 'cut into sheets')
  const tiny = readFax((await render('tiny', onePage('0 0 1 1 re f', { box: '0 0 1 1' }))).fine)[0]
  t.match(tiny, { width: 1728, rows: 196 })
})

t.test('scripts, actions and attached files are ignored', async (t) => {
  const script = '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); while \\(true\\);) >> /AA << /WC << /S /Launch /F (/bin/sh) >> >>'
  const files = '/Names << /EmbeddedFiles << /Names [(x) << /Type /Filespec /F (x.exe) /EF << /F 5 0 R >> >>] >> >>'
  const pdf = onePage('72 72 468 648 re f', { catalog: `${script} ${files}`, more: [streamOf('/Type /EmbeddedFile', 'MZ')] })
  t.equal((await render('script', pdf)).pages, 1)
})

t.test('a job that is canceled ends its child and throws the reason', async (t) => {
  const pdf = join(work.path, 'long.pdf')
  writeFileSync(pdf, pictureBomb())
  const stop = new AbortController()
  const rendering = renderJob({ pdf, directory: join(work.path, 'long'), signal: stop.signal })
  setImmediate(() => stop.abort(new Error('the fax was canceled')))
  await t.rejects(rendering, { message: 'the fax was canceled' })
})
