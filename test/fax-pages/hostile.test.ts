/** PDFs that are broken, locked or made to harm get a clear answer in time, or a page; the child that reads them may do nothing else. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runLimited } from '../../daemon/fax/pages/limited-child.ts'
import { inspectPdf, PageError, renderJob, type RenderedFax } from '../../daemon/fax/pages/pages.ts'
import { letter } from './documents.ts'
import { blackness, folder, readFax } from './fax-file.ts'
import { deflateBomb, encrypted, manyPages, onePage, pictureBomb, rawPdf, streamOf } from './hostile.ts'

const work = folder()
t.teardown(work.remove)

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise
    return 'fine'
  } catch (error) {
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
  for (const [name, pdf, answer] of cases) t.match(await codeOf(inspectPdf(work.file('case.pdf', pdf))), answer, name)
  t.same(await inspectPdf(work.file('case.pdf', manyPages(200))), { pages: 200 }, '200 pages are allowed')
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
    t.match(await codeOf(renderJob({ pdf: work.file('bomb.pdf', pdf), directory, limits })), /^pdf_unreadable: .*(seconds|memory)/, name)
    t.ok(performance.now() - began < 8000, 'in time')
    t.same(readdirSync(directory), [])
  }
  const gray = streamOf('/Type /XObject /Subtype /Image /Width 50000 /Height 50000 /BitsPerComponent 8 /ColorSpace /DeviceGray', 'x')
  const short = onePage('q 612 0 0 792 0 0 cm /I Do Q', { resources: '/XObject << /I 5 0 R >>', more: [gray] })
  const answer = await codeOf(render('short', short))
  t.match(answer, /^(fine|pdf_unreadable)/, 'a picture with no data is no picture, or an error')
})

t.test('pages of giant size are sheets of paper', async (t) => {
  const square = readFax((await render('square', onePage('200 w 0 0 m 14400 14400 l S', { box: '0 0 14400 14400' }))).fine)[0]
  t.match(square, { width: 1728, rows: 1660 })
  const tall = readFax((await render('tall', onePage('20 w 0 0 m 612 14400 l S', { box: '0 0 612 14400' }))).fine)[0]
  t.match(tall, { width: 1728, rows: 22 * 196 })
  const tiny = readFax((await render('tiny', onePage('0 0 1 1 re f', { box: '0 0 1 1' }))).fine)[0]
  t.match(tiny, { width: 1728, rows: 196 })
})

t.test('scripts, actions and attached files are ignored', async (t) => {
  const script = '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); while \\(true\\);) >> /AA << /WC << /S /Launch /F (/bin/sh) >> >>'
  const files = '/Names << /EmbeddedFiles << /Names [(x) << /Type /Filespec /F (x.exe) /EF << /F 5 0 R >> >>] >> >>'
  const pdf = onePage('72 72 468 648 re f', { catalog: `${script} ${files}`, more: [streamOf('/Type /EmbeddedFile', 'MZ')] })
  t.equal((await render('script', pdf)).pages, 1)
})

t.test('the child reads and writes what it is given and nothing else', async (t) => {
  const pdf = work.file('good.pdf', onePage('72 72 468 648 re f'))
  const limits = { pageMilliseconds: 5000, totalMilliseconds: 5000 }
  const elsewhere = join(work.path, 'elsewhere.tif')
  const task = { task: 'render', pdf, cover: null, fine: elsewhere, standard: `${elsewhere}2`, mostPages: 200 } as const
  await t.rejects(runLimited(task, { limits, readable: [pdf], writable: [] }))
  t.notOk(existsSync(elsewhere))
  await t.rejects(runLimited({ task: 'inspect', pdf, mostPages: 200 }, { limits, readable: [], writable: [] }))
  t.equal(await runLimited({ task: 'inspect', pdf, mostPages: 200 }, { limits, readable: [pdf], writable: [] }), 1)
})

t.test('a job that is canceled ends its child and throws the reason', async (t) => {
  const pdf = join(work.path, 'long.pdf')
  writeFileSync(pdf, pictureBomb())
  const stop = new AbortController()
  const rendering = renderJob({ pdf, directory: join(work.path, 'long'), signal: stop.signal })
  setImmediate(() => stop.abort(new Error('the fax was canceled')))
  await t.rejects(rendering, { message: 'the fax was canceled' })
})
