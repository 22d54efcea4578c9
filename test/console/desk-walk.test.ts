/** The deeds of a day at the desk by the keys alone, on the screen of a telephone, and how many keys lead to each. */
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t from 'tap'
import { overflow, type Page } from '../harness/browser.ts'
import { eventually, found } from '../harness/waiting.ts'
import { desk, openDesk, row } from './desk-stage.ts'
import { patient, seed } from './seeded.ts'

const {
  box,
  daemon,
  trunk,
  live,
  none,
  keep,
  phone,
  caller,
  maria: invited,
} = await openDesk(t, {
  site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' },
  sms: { trunks: [{ id: 'sim', kind: 'sim', number: '+12025550199' }] },
})
await daemon.stop()
await seed(join(daemon.dir, 'var'))
await daemon.start()
for (const [number, answers] of [
  ['101', true],
  ['102', true],
  ['103', false],
] as const)
  await phone(number, answers)
const maria = await invited()

const telephone = { width: 400, height: 800 }
const endAll = async (): Promise<void> => {
  for (const { callId } of await live()) await daemon.api('POST', `/api/voice/calls/${callId}`, { state: 'completed' })
  await none()
}

/** What has the focus, as a screen reader names it. */
const focused = `(() => {
  const one = document.activeElement
  const label = one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText ?? ''
  return one.tagName + ' ' + label.trim().replaceAll(/\\s+/g, ' ').slice(0, 80)
})()`
const isAt = (page: Page, name: RegExp) => async (): Promise<boolean> => name.test(await page.evaluate<string>(focused))

/** Presses Tab until the focus is there. More than `most` are a way that nobody walks. */
async function tabTo(page: Page, name: RegExp, most: number): Promise<void> {
  const seen: string[] = []
  for (let n = 0; n < most; n++) {
    await page.keyboard.press('Tab')
    const now = await page.evaluate<string>(focused)
    if (name.test(now)) return
    seen.push(now)
  }
  throw new Error(`${String(name)} is not within ${most} keys: ${seen.join(' | ')}`)
}

t.test('a caller is taken, parked, taken back and sent on', async (t) => {
  await box.visit(t, { as: maria, viewport: telephone }, async (page) => {
    await desk(page)
    await caller({ to: '+15550001001', name: 'PETER OKAFOR' })
    await row(page, 'Nurse line').waitFor()
    await page.keyboard.press('t')
    await page.locator('.pop.talks').waitFor()
    await eventually('the focus on the call', isAt(page, /^SECTION Your call/))
    await tabTo(page, /^BUTTON Park/, 2)
    await page.keyboard.press('Enter')
    await row(page, '701').waitFor()
    await tabTo(page, /^BUTTON Take/, 2)
    await page.keyboard.press('Enter')
    await page.locator('.pop.talks').waitFor()
    await page.keyboard.press('s')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('102')
    await page.keyboard.press('Enter')
    await row(page, 'with Desk 102').waitFor()
    t.equal(await overflow(page), 0)
    await endAll()
  })
})

t.test('what is left to do is done, brought back, answered by a call and by a text', async (t) => {
  await box.visit(t, { as: maria, viewport: telephone }, async (page) => {
    await desk(page)
    await page.locator('.todo').nth(4).waitFor()
    await page.keyboard.press('j')
    const first = await page.locator('.todo.on').getAttribute('data-item')
    await page.keyboard.press('d')
    await page.locator(`[data-item="${first}"]`).waitFor({ state: 'detached' })
    await page.keyboard.press('u')
    await page.locator(`[data-item="${first}"]`).waitFor()
    for (let n = 0; n < 9 && !/gloria chen/i.test(await page.locator('.todo.on').innerText()); n++) await page.keyboard.press('j')
    t.ok(await isAt(page, /^BUTTON Gloria Chen/)(), 'the row that a key chose has the focus')
    keep(await trunk.expect('answer'))
    await page.keyboard.press('c')
    await page.locator('.pop.talks').waitFor()
    await endAll()
    await tabTo(page, /^BUTTON Text$/, 12)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/texts')
    await eventually('the focus in the field', isAt(page, /^TEXTAREA Text/))
    await page.keyboard.type('Please call us back.')
    await tabTo(page, /^BUTTON Send/, 1)
    await page.keyboard.press('Enter')
    await page.getByText('The text is on its way').waitFor()
    t.equal(await overflow(page), 0)
  })
  const { items } = (await daemon.api('GET', '/api/sms')).body
  t.ok(items.some(({ to, status }: any) => to === patient && ['sent', 'delivered', 'queued', 'sending'].includes(status)))
})

t.test('a message is heard, and a document is faxed once its page was seen and its number typed twice', async (t) => {
  const document = await PDFDocument.create()
  document.addPage([595, 842]).drawText('Referral', { x: 50, y: 700, size: 40 })
  const buffer = Buffer.from(await document.save())
  await box.visit(t, { as: maria, viewport: telephone }, async (page) => {
    await desk(page)
    for (const key of ['g', 'v']) await page.keyboard.press(key)
    await page.getByRole('button', { name: /Gloria Chen/ }).waitFor()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('button', { name: 'Play' }).waitFor()
    await page.keyboard.press('p')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    for (const key of ['p', 'g', 'f']) await page.keyboard.press(key)
    await page.getByRole('button', { name: 'New fax' }).waitFor()
    await tabTo(page, /^BUTTON New fax/, 4)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    // The browser opens its own dialog unless it has heard before the key that this one is awaited.
    const choosing = page.waitForEvent('filechooser')
    await tabTo(page, /^INPUT Choose a PDF/, 2)
    await page.keyboard.press('Enter')
    const chooser = await choosing
    await chooser.setFiles({ name: 'referral.pdf', mimeType: 'application/pdf', buffer })
    await found('a picture', () =>
      page
        .locator('.grid-pages img')
        .first()
        .evaluate((img) => (img as { naturalWidth?: number }).naturalWidth || undefined),
    )
    t.ok(await isAt(page, /^INPUT To/)(), 'the number is what comes next')
    await page.keyboard.type('202 555 0188')
    await page.keyboard.press('Tab')
    await eventually('the focus in the field that comes', isAt(page, /^INPUT The number once more/))
    await page.keyboard.type('202 555 0188')
    await tabTo(page, /^BUTTON Send 1 page/, 2)
    await page.keyboard.press('Enter')
    await page.getByText(/is on its way/).waitFor()
    t.equal(await overflow(page), 0)
  })
  t.match((await box.ask(maria, 'GET', '/api/fax')).body.items, [{ to: '+12025550188', sentBy: 'person:maria' }])
})
