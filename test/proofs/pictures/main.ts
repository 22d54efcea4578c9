/**
 * npm run proofs pictures [FOLDER]: pictures of the pages for people, light and dark, from a running box with people that nobody has ever met;
 * into docs/pictures unless a folder is named. README.md and docs/office.md show them.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '../../harness/browser.ts'
import { root } from '../../harness/daemon.ts'
import { Clinic } from './clinic.ts'

const folder = process.argv[2] ?? join(root, 'docs/pictures')
const size = { width: 1280, height: 800 }
/** Name of the picture, path of the page, and the row that is opened. */
const views = [
  ['desk', '/desk', ''],
  ['faxes', '/faxes', 'Lakeside Imaging'],
  ['voicemail', '/voicemail', 'Ruth Abara'],
] as const
/** Of a technician, who sees no patients. */
const technical = [
  ['health', '/health', ''],
  ['alarms', '/alarms', ''],
] as const

/** `shows`: what is there when the page has its data. */
async function pictures(
  cookie: string,
  [name, path, row]: readonly [string, string, string],
  shows: RegExp,
  deed?: (page: Page) => Promise<void>,
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await clinic.window(cookie, { colorScheme, viewport: size, deviceScaleFactor: 1 })
    const page = await context.newPage()
    await page.goto(path)
    await page.getByText(shows).first().waitFor()
    if (row !== '') await page.getByText(row).first().click()
    await deed?.(page)
    await page.waitForTimeout(1500)
    const file = join(folder, `${name}-${colorScheme}.png`)
    await page.screenshot({ path: file })
    process.stdout.write(`${file} ${Math.round(statSync(file).size / 1024)} KB\n`)
    await context.close()
  }
}

/** A slip of the hand, and what the box says of it. */
async function faulty(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: /Text of the configuration/ }).click()
  await page.keyboard.press('Control+f')
  await page.keyboard.type('name: Front desk')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.keyboard.type('nmae: Front desk')
}

const clinic = await Clinic.open({ calls: 6000 })
try {
  const technician = await clinic.person('ray', 'Ray Diaz', ['technician'])
  const maria = await clinic.person('maria', 'Maria Lopez', ['desk'], { extension: '101', mailboxes: ['101'], queues: ['front'] })
  const mona = await clinic.person('mona', 'Mona Diaz', ['manager'], { extension: '103' })
  const front = await clinic.phone('101')
  await clinic.phone('102')
  await clinic.caller('+12025550114')
  await front.until('CALL_INCOMING')
  await clinic.caller('+12025550162')
  for (const view of views) await pictures(maria.cookie, view, /Ruth Abara|Lakeside Imaging/)
  await pictures(mona.cookie, ['figures', '/figures', '30 days'], /The queue is longest/)
  clinic.spare.close()
  for (const view of technical) await pictures(technician.cookie, view, /Trunk spare: .* does not answer/)
  await pictures(technician.cookie, ['config', '/config', ''], /What it would change/, faulty)
  await pictures(technician.cookie, ['setup', '/setup', 'Start again'], /Start again/)
} finally {
  await clinic.close()
}
process.exit(0)
