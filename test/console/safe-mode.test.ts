/** A box that was started with a broken configuration, in a browser: its Config opens, every page says so, and a repair there ends it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { violations, type Page } from '../harness/browser.ts'
import { ConsoleBox } from '../harness/console.ts'
import { eventually } from '../harness/waiting.ts'

t.setTimeout(240_000)
const state = mkdtempSync(join(tmpdir(), 'pbxd-state-'))
t.teardown(() => rmSync(state, { recursive: true, force: true }))
const box = await ConsoleBox.open(t, { env: { STATE_DIRECTORY: state } })
const { daemon } = box
const file = daemon.configFile
const tina = await box.person({ login: 'tina', name: 'Tina', roles: ['technician'] })
const dora = await box.person({ login: 'dora', name: 'Dora', roles: ['desk'] })
await eventually('the configuration is kept', () => existsSync(join(state, 'last-good.json')))
const good = readFileSync(file, 'utf8')

async function startedWith(text: string): Promise<void> {
  await daemon.stop()
  writeFileSync(file, text)
  await daemon.start()
}

const safe = (page: Page) => page.locator('.bar.red').filter({ hasText: 'The box runs on its last good settings.' })
const panel = (page: Page) => page.getByRole('region', { name: 'What it would change' })

t.test('a file with a fault: the mark leads to it, the text is repaired and applied, and the bar goes by itself', async (t) => {
  await startedWith(good.replace('country: US', 'contry: US'))
  await box.visit(t, { as: dora }, async (page) => {
    await page.goto('/desk')
    await safe(page).waitFor()
    t.equal(await safe(page).getByRole('link').count(), 0, 'a person of the desk cannot repair it')
  })
  await box.visit(t, { as: tina }, async (page) => {
    await page.goto('/lines')
    await safe(page).getByRole('link', { name: 'Repair it in Config' }).click()
    await page
      .getByText(/has a fault, so the last good configuration is in use/)
      .first()
      .waitFor()
    t.same(await violations(page), [])
    await panel(page)
      .getByRole('button', { name: /contry/ })
      .first()
      .click()
    await page.keyboard.press('Control+f')
    await page.keyboard.type('contry')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.type('country')
    await panel(page).getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await safe(page).waitFor({ state: 'detached' })
    t.match(readFileSync(file, 'utf8'), /country: US/)
  })
})

t.test('an emptied file: Config opens, and going back to a revision ends safe mode', async (t) => {
  await startedWith('')
  await box.visit(t, { as: tina }, async (page) => {
    await page.goto('/config')
    await safe(page).waitFor()
    await page.getByText(/is empty, so the last good configuration is in use\. Under History/).waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    await page
      .getByRole('button', { name: /More about revision/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: /Go back/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Go back/ })
      .click()
    await safe(page).waitFor({ state: 'detached' })
    t.match(readFileSync(file, 'utf8'), /country: US/)
  })
})
