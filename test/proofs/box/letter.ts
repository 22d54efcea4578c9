/** The body of POST /api/fax that sends a letter of so many pages: node letter.ts PAGES */
import { PDFDocument } from 'pdf-lib'

const letter = await PDFDocument.create()
for (let page = 0; page < Number(process.argv[2] ?? 1); page++) {
  const size = letter.addPage([595, 842])
  if (page === 0) size.drawText('Referral letter')
}
console.log(JSON.stringify({ to: '+15551230001', pdfBase64: Buffer.from(await letter.save()).toString('base64') }))
