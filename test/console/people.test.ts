/** A manager invites somebody by a slip, who comes in by it; what cannot be taken back is asked before. */
import t from 'tap'
import { violations } from '../harness/browser.ts'
import { ConsoleBox, password } from '../harness/console.ts'
import { eventually } from '../harness/waiting.ts'

const box = await ConsoleBox.open(t)
const eva = await box.person({ login: 'eva', name: 'Eva Stone', roles: ['manager'] })

t.test('a slip is made, leads in, and the person is removed after a question', async (t) => {
  let slip = ''
  await box.visit(t, { as: eva }, async (page) => {
    await page.goto('/people')
    t.equal(await page.getByRole('checkbox', { name: 'Technician' }).count(), 0, 'a manager makes no technician')
    await page.getByLabel('Name').fill('Jon Bell')
    await page.getByLabel('Login').fill('jon')
    await page.getByLabel('Phone').fill('102')
    await page.getByRole('button', { name: 'Add a person' }).click()
    await page.getByRole('heading', { name: 'Invitation for Jon Bell' }).waitFor()
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    slip = await page.locator('code.secret').innerText()
    t.match(slip, /\/setup#([A-Z2-9]{4}-){3}[A-Z2-9]{4}$/)
    t.same(await violations(page), [])
  })
  await box.visit(t, {}, async (page) => {
    await page.goto(`/setup${new URL(slip).hash}`)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /Jon Bell/ }).waitFor()
    await page.goto('/me')
    const phone = page.getByRole('region', { name: 'Your phone' })
    const ofJon = async () =>
      (await box.daemon.api('GET', '/api/extensions')).body.find(({ number }: { number: string }) => number === '102')
    await phone.getByRole('checkbox', { name: /Do not disturb/ }).check()
    await page.getByText('The settings of the phone are changed.').waitFor()
    await phone.getByLabel('When nobody answers, to').fill('1 01')
    await phone.getByRole('button', { name: 'Save the forwards' }).click()
    await eventually('the forward is set', async () => (await ofJon()).forwardNoAnswer === '101')
    t.match(await ofJon(), { doNotDisturb: true, forwardAll: null })
    await phone.getByLabel('Send all calls to').fill('nobody')
    await phone.getByRole('button', { name: 'Save the forwards' }).click()
    await phone.getByRole('alert').filter({ hasText: /./ }).waitFor()
    t.equal(await phone.getByLabel('Whose phone').count(), 0, 'a person of the desk sets the own phone alone')
    t.same(await violations(page), [])
    await box.visit(t, { as: eva }, async (managers) => {
      await managers.goto('/people')
      const jon = managers.getByRole('row', { name: /Jon Bell/ })
      const remove = async (): Promise<void> => {
        await jon.getByRole('button', { name: 'More' }).click()
        await managers.getByRole('menuitem', { name: 'Remove' }).click()
        await managers.getByRole('dialog', { name: 'Remove Jon Bell?' }).waitFor()
      }
      await jon.getByRole('button', { name: 'More about Jon Bell' }).click()
      await managers.getByRole('menuitem', { name: 'Change' }).click()
      const account = managers.getByRole('dialog', { name: 'Account of Jon Bell' })
      await account.getByRole('checkbox', { name: 'Manager' }).check()
      await account.getByLabel('Mailboxes').fill('102')
      await account.getByRole('button', { name: 'End' }).waitFor()
      t.same(await violations(managers), [])
      await account.getByRole('button', { name: 'Save' }).click()
      await jon.getByText('Desk, Manager').waitFor()
      const changed = (await box.daemon.api('GET', '/api/people')).body.find(({ login }: { login: string }) => login === 'jon')
      t.match(changed, { extension: '102', mailboxes: ['102'], roles: ['desk', 'manager'] })
      await remove()
      t.notMatch(await managers.evaluate<string>('document.activeElement.tagName'), /BUTTON/, 'no answer is chosen beforehand')
      t.same(await violations(managers), [])
      await managers.keyboard.press('Escape')
      await managers.getByRole('dialog').waitFor({ state: 'detached' })
      await remove()
      await managers.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await jon.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    })
  })
})
