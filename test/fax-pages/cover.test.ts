/** Cover pages before a document. */
import { join } from 'node:path'
import t from 'tap'
import { visualRuns } from '../../daemon/fax/pages/bidi.ts'
import { coverPdf } from '../../daemon/fax/pages/cover.ts'
import { inspectPdf, renderJob } from '../../daemon/fax/pages/pages.ts'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'
import { letter } from './documents.ts'
import { folder, readFax } from './fax-file.ts'

const work = folder()
t.teardown(work.remove)

t.test('the cover is page 1, says the number of pages and knows scripts from right to left', async (t) => {
  const cover = {
    organisation: 'Clinic',
    to: 'Dr. Müller (米勒)',
    language: 'de-CH',
    subject: 'תוצאות 2026',
    sentAt: 0,
    timeZone: 'America/New_York',
  }
  const fax = await renderJob({ pdf: work.file('page.pdf', await letter(2)), directory: join(work.path, 'first'), cover })
  const fine = readFax(fax.fine)
  t.equal(fax.pages, 3)
  t.equal(fine.length, 3)
  t.match(fine[0], { rows: 2292 }, 'A4')
  const text = (await openPdf(await coverPdf({ ...cover, subject: 'Results 2026 漢\n字' }, 3))).text(0)
  t.match(text, /FAX[^]*Clinic[^]*An[^]*Dr\. Müller \(米勒\)[^]*Results 2026 漢 字[^]*31\. Dezember 1969[^]*19:00[^]*Seiten\s+3/)
  t.notMatch(text, /Faxnummer|Von/, 'members that are missing are left out')
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
