/** A fax of one page. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import type { Config } from '../../../../daemon/schema/config.ts'
import { send } from '../../commands/fax.ts'
import type { Context } from '../../context.ts'
import { localTime } from '../../output.ts'
import { verdictOf, type Trial, type Verdict } from './verdict.ts'

export function page({ trunks, lines }: Config): Trial[] {
  if (trunks.length === 0 && !lines.some(({ roles }) => roles.includes('fax'))) return []
  return [
    {
      name: 'A fax',
      byHand: 'pbx fax send page.pdf --to NUMBER, and one back',
      ask: async (questions) => (await questions.optional('Fax number for a page of test:')) || null,
      run: sent,
    },
  ]
}

async function sent(context: Context, to: string): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-setup-'))
  try {
    const file = join(folder, 'test.pdf')
    writeFileSync(file, await testPage())
    return verdictOf(await send(context, file, { to }), 'what is said above; docs/fax.md has each reason and what to do')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function testPage(): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const sheet = document.addPage([612, 792])
  const lines = ['Test page of a telephone system.', 'Nothing has to be done.', localTime(new Date().toISOString())]
  for (const [at, line] of lines.entries()) sheet.drawText(line, { x: 72, y: 680 - 28 * at, size: 18, font })
  return document.save()
}
