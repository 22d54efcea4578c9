/** The ways into the console and out: invitation, sign-in, second step, lock, and what a locked page still holds. */
import t from 'tap'
import { totpCode } from '../../daemon/people/sign-in.ts'
import { overflow, violations, type Page } from '../harness/browser.ts'
import { ConsoleBox, password } from '../harness/console.ts'

const box = await ConsoleBox.open(t, { settings: (base) => (base['console'] = { secondStep: 'technician' }) })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })

t.test('a box without people says how the first one is made', async (t) => {
  await box.visit(t, {}, async (page) => {
    await page.goto('/')
    await heading(page, 'Nobody can sign in yet').waitFor()
    await page.getByText('pbx console invite').waitFor()
    t.same(await violations(page), [])
  })
})

t.test('an invitation leads to a password, and a wrong one says so', async (t) => {
  const { body } = await box.daemon.api('POST', '/api/people', { login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101' })
  const url = await box.invite(body.personId as string)
  await box.visit(t, {}, async (page) => {
    await page.goto(new URL(url).pathname + new URL(url).hash)
    t.match(await page.getByLabel('Invitation').inputValue(), /^([A-Z2-9]{4}-){3}[A-Z2-9]{4}$/)
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByLabel('Password again').fill('shorter')
    await page.getByRole('button', { name: 'Set a password' }).click()
    await page.getByText('The two passwords are not the same.').waitFor()
    await page.getByLabel('Password again').fill('short')
    await page.getByRole('button', { name: 'Set a password' }).click()
    await page.getByRole('alert').filter({ hasText: /12/ }).waitFor()
    t.same(await violations(page), [])
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    t.equal(new URL(page.url()).hash, '', 'the code is not in the history')
  })
  await box.visit(t, {}, async (page) => {
    await page.goto(new URL(url).pathname + new URL(url).hash)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.getByRole('button', { name: 'Set a password' }).click()
    await page.getByText('This invitation is not valid').waitFor()
  })
})

t.test('sign-in keeps the way: the page that was wanted comes after it', async (t) => {
  await box.visit(t, {}, async (page) => {
    await page.goto('/me')
    await heading(page, 'Sign in').waitFor()
    await page.getByLabel('Login').fill('maria')
    await page.getByLabel('Password').fill('not the right one')
    await page.keyboard.press('Enter')
    await page.getByText('The login, the password or the code is wrong.').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Sessions').waitFor()
    t.equal(new URL(page.url()).pathname, '/me')
    await page.getByRole('button', { name: 'Maria Lopez' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in').waitFor()
    t.notMatch(await page.content(), /Maria Lopez/)
  })
})

t.test('a technician sets the second step up, signs in with a code, and with a recovery code', async (t) => {
  const { body } = await box.daemon.api('POST', '/api/people', { login: 'tess', name: 'Tess', roles: ['technician'] })
  const url = new URL(await box.invite(body.personId as string))
  let secret = ''
  let recovery = ''
  let used = -1
  const code = async (): Promise<string> => {
    // Each counts once; a code of the next step is taken, too.
    used = Math.max(Math.floor(Date.now() / 30_000), used + 1)
    return totpCode(secret, used)
  }
  await box.visit(t, {}, async (page) => {
    await page.goto(url.pathname + url.hash)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Second step').waitFor()
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    secret = (await page.locator('code.secret').innerText()).replaceAll(' ', '')
    t.match(secret, /^[A-Z2-7]{32}$/)
    t.same(await violations(page), [])
    await page.getByLabel('Code of your authenticator app').fill('000000')
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: /not the code/ })
      .waitFor()
    await page.getByLabel('Code of your authenticator app').fill(await code())
    await page.keyboard.press('Enter')
    await heading(page, 'Recovery codes').waitFor()
    const codes = await page.locator('.codes code').allInnerTexts()
    t.equal(new Set(codes).size, 10)
    recovery = codes[0]!
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  })
  for (const answer of [() => code(), async () => recovery]) {
    await box.visit(t, {}, async (page) => {
      await page.goto('/')
      await page.getByLabel('Login').fill('tess')
      await page.getByLabel('Password').fill(password)
      await page.keyboard.press('Enter')
      await page.getByLabel('Code of your authenticator app').fill(await answer())
      await page.keyboard.press('Enter')
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    })
  }
})

t.test('a locked page holds nothing of the person’s work, and goes on where it was', async (t) => {
  const nora = await box.person({ login: 'nora', name: 'Nora Field', roles: ['desk'], extension: '102' })
  await box.ask(nora, 'PUT', '/api/people/me/pin', { password, pin: '271828' })
  await box.visit(t, { as: nora }, async (page, context) => {
    await page.goto('/me')
    await page.getByLabel('New password').fill('a sentence that is half typed')
    const other = await context.newPage()
    await other.goto('/desk')
    await other.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.bringToFront()
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Shift+L')
    for (const one of [page, other]) await heading(one, 'Locked').waitFor()
    await page.getByText('No caller is waiting').waitFor()
    t.equal(await page.getByRole('navigation').count(), 0)
    t.notMatch(await page.title(), /Nora/)
    t.equal((await box.ask(nora, 'GET', '/api/desk')).status, 423)
    t.same(await violations(page), [])
    await page.getByLabel('PIN').fill('111111')
    await page.keyboard.press('Enter')
    await page.getByText('is wrong').waitFor()
    await page.getByLabel('PIN').fill('271828')
    await page.keyboard.press('Enter')
    for (const one of [page, other]) await one.getByRole('navigation', { name: 'Pages' }).waitFor()
    t.equal(new URL(page.url()).pathname, '/me')
  })
})

t.test('the fifth wrong PIN ends the session, and its page is the sign-in', async (t) => {
  const olga = await box.person({ login: 'olga', name: 'Olga', roles: ['desk'] })
  await box.ask(olga, 'PUT', '/api/people/me/pin', { password, pin: '271828' })
  await box.ask(olga, 'POST', '/api/session/lock')
  await box.visit(t, { as: olga }, async (page) => {
    await page.goto('/')
    for (let n = 0; n < 5; n++) {
      await page.getByLabel('PIN').fill('111111')
      const [answer] = await Promise.all([page.waitForResponse('**/api/session/unlock'), page.keyboard.press('Enter')])
      t.equal(answer.status(), 401)
      if (n < 4) await page.getByText('is wrong').waitFor()
    }
    await heading(page, 'Sign in').waitFor()
  })
})

t.test('a session that ends elsewhere ends in the page at once', async (t) => {
  const paul = await box.person({ login: 'paul', name: 'Paul', roles: ['desk'] })
  await box.visit(t, { as: paul }, async (page) => {
    await page.goto('/me')
    await heading(page, 'Sessions').waitFor()
    const again = await box.signIn(paul)
    await box.ask(again, 'PUT', '/api/people/me/password', { password, newPassword: 'another long sentence of mine' })
    await heading(page, 'Sign in').waitFor()
  })
})

t.test('the ways in stand on the screen of a telephone, in the dark, and in Spanish', async (t) => {
  await box.visit(t, { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }, async (page) => {
    for (const path of ['/', '/setup']) {
      await page.goto(path)
      await page.getByRole('button').first().waitFor()
      t.equal(await overflow(page), 0, path)
      t.same(await violations(page), [], path)
    }
  })
})
