/** PDFs that a service of its own reads: the same pages and the same answers as by a child of the daemon, and nothing of it stays. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { inspectPdf, PageError, renderJob, runReader, StarvedError } from '../../daemon/fax/pages/pages.ts'
import { pagesService } from '../harness/pages-service.ts'
import { childrenOf, commandOf } from '../harness/processes.ts'
import { eventually } from '../harness/scene.ts'
import { letter } from './documents.ts'
import { folder } from './fax-file.ts'
import { encrypted, manyPages, pictureBomb } from './hostile.ts'
import { readPng } from './png.ts'

const work = folder()
const service = await pagesService()
t.teardown(() => {
  service.close()
  work.remove()
})
const variable = 'PBXD_PAGES_SOCKET'
t.beforeEach(() => void (process.env[variable] = service.socket))
t.afterEach(() => void delete process.env[variable])

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'fine',
    (error: unknown) => (error instanceof PageError ? error.code : String(error)),
  )

t.test('a letter: what is told of it and what is drawn are the same', async (t) => {
  const pdf = work.file('letter.pdf', await letter(3))
  const seen = await inspectPdf(pdf)
  const drawn = await renderJob({ pdf, directory: join(work.path, 'service') })
  t.equal(service.started.length, 2)
  delete process.env[variable]
  t.same(seen, await inspectPdf(pdf))
  const here = await renderJob({ pdf, directory: join(work.path, 'here') })
  t.equal(service.started.length, 2)
  for (const name of ['fine', 'standard'] as const) t.ok(readFileSync(drawn[name]).equals(readFileSync(here[name])), name)
  t.same([drawn.pages, drawn.bytesPerPage], [here.pages, here.bytesPerPage])
})

t.test('pictures of pages and a receipt are the same, and are as large as it says', async (t) => {
  const { fine } = await renderJob({ pdf: work.file('two.pdf', await letter(2)), directory: join(work.path, 'two') })
  const first = { page: 1, width: 300, header: '  27-Nov-2026  10:00    Clinic' }
  const wanted = [first, { page: 2, width: 1728, header: null }]
  const content = { title: 'Fax receipt', organisation: 'Clinic', rows: [['To', '+15551230001']] as const, foot: '' }
  const limits = { pageMilliseconds: 20_000, totalMilliseconds: 30_000 }
  const made = async (name: string): Promise<Buffer[]> => {
    const [pictures, receipt] = [join(work.path, `${name}.png`), join(work.path, `${name}.pdf`)]
    const { sizes = [] } = await runReader({ task: 'pictures', wanted }, { limits, pdf: fine, outputs: [pictures] })
    await runReader({ task: 'receipt', content, first }, { limits, pdf: fine, outputs: [receipt] })
    const all = readFileSync(pictures)
    t.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      all.length,
    )
    t.match(readFileSync(receipt).toString('latin1', 0, 5), '%PDF-')
    return [all.subarray(0, sizes[0]), all.subarray(sizes[0])]
  }
  const served = await made('served')
  delete process.env[variable]
  const here = await made('here')
  for (const [n, picture] of served.entries()) t.ok(picture.equals(here[n]!), `picture ${n + 1}`)
  t.equal(readPng(served[0]!).width, 300)
})

t.test('what cannot be sent has the same codes, and the next one is read', async (t) => {
  t.equal(await codeOf(inspectPdf(work.file('locked.pdf', encrypted('secret')))), 'pdf_encrypted')
  t.equal(await codeOf(inspectPdf(work.file('long.pdf', manyPages(2000)))), 'pdf_too_many_pages')
  const directory = join(work.path, 'bomb')
  const bomb = renderJob({ pdf: work.file('bomb.pdf', pictureBomb()), directory, limits: { pageMilliseconds: 2500 } })
  t.equal(await codeOf(bomb), 'pdf_unreadable')
  t.same(readdirSync(directory), [])
  t.match(await inspectPdf(work.file('next.pdf', await letter(1))), { pages: 1 })
})

t.test('who wants it no more is no longer served: the reader ends, and nothing is left of the PDF', async (t) => {
  const stop = new AbortController()
  const pdf = work.file('long.pdf', pictureBomb())
  const drawing = renderJob({ pdf, directory: join(work.path, 'long'), signal: stop.signal })
  const reading = (): boolean => childrenOf(service.started.at(-1) ?? 0).some((pid) => commandOf(pid).includes('fax-render'))
  await eventually('it reads', reading)
  stop.abort(new Error('the fax was canceled'))
  await t.rejects(drawing, { message: 'the fax was canceled' })
  await service.ended()
  t.same(readdirSync(service.work), [])
})

t.test('a service that dies, or that is not there: nothing is said of the PDF, and what mends it', async (t) => {
  const before = service.started.length
  const drawing = renderJob({ pdf: work.file('long.pdf', pictureBomb()), directory: join(work.path, 'dying') })
  await eventually('it is started', () => service.started.length > before)
  process.kill(service.started.at(-1)!, 'SIGKILL')
  await t.rejects(drawing, StarvedError)
  process.env[variable] = join(work.path, 'none.sock')
  await t.rejects(inspectPdf(work.file('letter.pdf', await letter(1))), {
    name: 'StarvedError',
    message: /systemctl start pbxd-pages\.socket/,
  })
})
