/** One fax that keeps its call for minutes, between two daemons in real time: no timer of either side may cut it. */
import { PDFDocument, StandardFonts } from 'pdf-lib'
import { renderJob, wireSeconds } from '../../../daemon/fax/pages/pages.ts'
import { photo } from '../../fax-pages/documents.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawn, isTerminal, isSame, Pair, until, type FaxView } from './boxes.ts'

/** Pages with a photograph and their number: more than a minute each, in which the far end says nothing. */
async function photographs(pages: number): Promise<Buffer> {
  const one = await PDFDocument.load(await photo())
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (let page = 1; page <= pages; page++) {
    const [sheet] = await document.copyPages(one, [0])
    document.addPage(sheet).drawText(`Page ${page} of ${pages}`, { x: 72, y: 100, size: 24, font })
  }
  return Buffer.from(await document.save())
}

async function secondsOfOne(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'pbxd-long-'))
  try {
    const file = join(directory, 'one.pdf')
    writeFileSync(file, await photographs(1))
    const { bytesPerPage } = await renderJob({ pdf: file, directory })
    return wireSeconds(bytesPerPage) - wireSeconds([])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The command; gives the exit status. */
export async function long(values: { minutes?: string | undefined; audio: boolean }): Promise<number> {
  const seconds = Number(values.minutes ?? '10') * 60
  const document = await drawn(await photographs(Math.ceil(seconds / (await secondsOfOne()))))
  const pair = await Pair.open({ t38: !values.audio })
  try {
    const to = '+15551230001'
    const accepted = await pair.sender.api('POST', '/api/fax', { to, pdfBase64: document.pdf.toString('base64') })
    if (accepted.status !== 202) throw new Error(`POST /api/fax: ${accepted.status}`)
    const look = async (): Promise<FaxView | undefined> => {
      const view = await pair.show(accepted.body.faxId as string)
      return isTerminal(view) || view.attempts > 0 ? view : undefined
    }
    const fax = await until(look, 'the end of the call', seconds * 2000, 1000)
    const items = await until(async () => (await pair.received(to)).slice(0, 1), 'the item', 15_000)
    const pages = items[0] === undefined ? [] : await pair.pagesOf(items[0])
    const same = document.fine.filter((page, i) => pages[i] && isSame(pages[i]!, page)).length
    const good = fax.status === 'sent' && fax.attempts === 1 && same === document.fine.length && fax.durationSeconds >= seconds
    const what = `${fax.bitRate} bit/s, ${fax.ecm ? 'ECM' : 'no ECM'}, ${fax.transport}`
    console.log(`${fax.status}: a call of ${fax.durationSeconds} s, ${same} of ${document.fine.length} pages dot by dot, ${what}`)
    for (const call of fax.calls) console.log(`  ${call.outcome} ${call.text}`)
    return good ? 0 : 1
  } finally {
    await pair.close()
  }
}
