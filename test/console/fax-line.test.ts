/** A fax from the console to a fax machine at the other end of a telephone line: what was shown is what arrives, and its way is followed. */
import { PDFDocument } from 'pdf-lib'
import t from 'tap'
import { dotsOf, readPng } from '../fax-pages/png.ts'
import { ConsoleBox } from '../harness/console.ts'
import { Daemon } from '../harness/daemon.ts'
import { found, patience } from '../harness/waiting.ts'
import { build, class2sim, Rig } from '../modem/rig.ts'

t.setTimeout(240_000)
await build()
const rig = await new Rig(6, ['12025550199:CLINIC:classes=0/2', '12025550101:OFFICE:classes=0/2.0'], class2sim).open()
t.teardown(() => rig.close())

const onLine =
  (index: number, number: string) =>
  (settings: Record<string, any>): void => {
    settings['site'] = { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' }
    settings['trunks'] = []
    settings['inbound'] = []
    settings['lines'] = [{ id: 'line1', device: rig.device(index), number }]
    settings['fax'] = { header: 'Riverside Clinic', line: 'line1' }
  }
const env = { PBXD_MODEM_SPEED: String(rig.speed) }
const box = await ConsoleBox.open(t, { env, settings: onLine(0, '+12025550199') })
const office = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9, env, settings: onLine(1, '+12025550101') })
t.teardown(() => office.close())
await office.start()
const person = await box.person({ login: 'maria', name: 'Maria Lopez', roles: ['manager'] })

const ready = (daemon: Daemon) =>
  found('a modem that is ready', async () => {
    const [modem] = JSON.parse((await daemon.pbx('modem', 'list', '--json')).out || '[]')
    return modem?.state === 'ready' ? true : undefined
  })

/** The pages behind the first are full of words: they take seconds on the line, so that the first is seen to have arrived. */
async function letter(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let page = 1; page <= pages; page++) {
    const sheet = document.addPage([595, 400])
    sheet.drawText(`Page ${page}`, { x: 50, y: 300, size: 40 })
    for (let y = 280; page > 1 && y > 20; y -= 8)
      sheet.drawText('The quick brown fox jumps over the lazy dog. '.repeat(3), { x: 50, y, size: 7 })
  }
  return Buffer.from(await document.save())
}

/** The dots of a page, without those of its minute. */
function dots(png: Buffer): Buffer {
  const all = dotsOf(readPng(png))
  for (let row = 0; row < 32; row++) all.fill(0, row * 216 + 26, row * 216 + 40)
  return all
}

async function pictureOf(base: string, path: string, headers: Record<string, string>): Promise<Buffer> {
  const answer = await fetch(`${base}${path}?width=1728`, { headers })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return dots(Buffer.from(await answer.arrayBuffer()))
}

t.test('each page is seen to arrive within a moment, and the pages of the far end are those that were shown', async (t) => {
  await Promise.all([ready(box.daemon), ready(office)])
  const own = { cookie: `pbx=${person.cookie}` }
  let shown: Buffer[] = []
  await box.visit(t, { as: person }, async (page) => {
    await page.goto('/faxes')
    await page.getByRole('button', { name: 'New fax' }).click()
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/fax/previews') && response.status() === 201)
    await page.getByLabel('Choose a PDF').setInputFiles({ name: 'referral.pdf', mimeType: 'application/pdf', buffer: await letter(2) })
    const { previewId } = (await (await answered).json()) as { previewId: string }
    shown = await Promise.all([1, 2].map((n) => pictureOf(box.daemon.http, `/api/fax/previews/${previewId}/pages/${n}.png`, own)))
    await page.getByRole('combobox', { name: 'To' }).fill('202 555 0101')
    await page.getByLabel('The number once more').fill('202 555 0101')
    await page.getByRole('button', { name: 'Send 2 pages' }).click()
    await page.getByRole('button', { name: /^Sending 1/ }).click()
    const sending = page.locator('.sending')
    // What the box says of the fax, and when the page says the same.
    const late: number[] = []
    for (const sent of [1, 2]) {
      await found(`page ${sent} confirmed`, async () => {
        const [fax] = (await box.ask(person, 'GET', '/api/fax')).body.items
        return fax.pagesSent >= sent || fax.status === 'sent' ? true : undefined
      })
      const confirmed = performance.now()
      if (sent === 1) await sending.getByText(/^1 of 2$/).waitFor()
      else await sending.waitFor({ state: 'detached' })
      late.push(Math.round(performance.now() - confirmed))
    }
    t.ok(
      late.every((ms) => ms < 1_500 * patience),
      `shown after ${late.join(' and ')} ms`,
    )
    await page.getByRole('button', { name: 'Sent', exact: true }).click()
    await page.getByText('sent', { exact: true }).first().waitFor()
    t.match(await page.getByRole('link', { name: 'Receipt' }).getAttribute('href'), /receipt\.pdf$/)
  })
  const item = await found('the fax at the other end', async () => (await office.api('GET', '/api/inbox/faxes?since=0')).body.items[0])
  t.match(item, { pages: 2, complete: true })
  const token = { authorization: `Bearer ${office.token}` }
  const arrived = await Promise.all([1, 2].map((n) => pictureOf(office.http, `/api/inbox/faxes/${item.id}/pages/${n}.png`, token)))
  t.same(
    arrived.map((page, n) => page.equals(shown[n]!)),
    [true, true],
    'dot for dot',
  )
})

t.test('a busy number: why the fax waits, when it goes again and until when; it is canceled', async (t) => {
  await ready(box.daemon)
  await box.visit(t, { as: person }, async (page) => {
    await page.goto('/faxes')
    const json = { to: '+12025550102', pdfBase64: (await letter(1)).toString('base64') }
    await box.daemon.api('POST', '/api/fax', json)
    await page.getByRole('button', { name: /^Sending 1/ }).click()
    await page.getByText(/Waits: the number is busy. Tried once. Again by itself at .*, until/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('dialog').getByText('0 of 1 pages have arrived').waitFor()
    await page.getByRole('button', { name: 'Stop sending' }).click()
    await page.getByText('The fax is canceled.').waitFor()
  })
  const [fax] = (await box.ask(person, 'GET', '/api/fax')).body.items
  t.match(fax, { status: 'canceled', to: '+12025550102' })
})
