/** Nobody is there: the page counts down, locks by the clock of the box, and holds nothing of the person's work. */
import t from 'tap'
import { Chromium } from '../harness/browser.ts'
import { Box, password } from '../people/stage.ts'

const minute = 60_000
const chromium = await Chromium.open(t)

t.test('the last minute counts down, a key ends it, and without one the page locks', async (t) => {
  const box = await Box.open(t, { console: { secondStep: 'off', idleMinutes: 10 } })
  const { browser } = await box.person({ login: 'maria', roles: ['desk'] })
  await browser.ask('PUT', '/api/people/me/pin', { password, pin: '271828' })
  await chromium.run(t, box.url, {}, async (page, context) => {
    await context.addCookies([{ name: 'pbx', value: browser.cookies.get('pbx')!, url: box.url, httpOnly: true, sameSite: 'Strict' }])
    await page.clock.install()
    const pass = async (ms: number): Promise<void> => {
      box.clock.advance(ms)
      await page.clock.fastForward(ms)
    }
    await page.goto('/me')
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await pass(8 * minute)
    t.equal(await page.getByText(/^Locks in/).count(), 0)
    await pass(minute + 10_000)
    await page
      .getByText(/^Locks in (4\d|50) seconds/)
      .first()
      .waitFor()
    t.equal(await page.getByRole('alert').filter({ hasText: 'Locks in' }).count(), 1, 'it is said')
    await Promise.all([page.waitForResponse('**/api/session/alive'), page.keyboard.press('ArrowDown')])
    await page
      .getByText(/^Locks in/)
      .first()
      .waitFor({ state: 'detached' })
    await pass(9 * minute)
    await page
      .getByText(/^Locks in/)
      .first()
      .waitFor()
    await pass(minute)
    await page.getByRole('heading', { name: 'Locked' }).waitFor()
    t.equal((await browser.ask('GET', '/api/people')).status, 423)
    await page.getByLabel('PIN').fill('271828')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await pass(12 * 60 * minute)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})
