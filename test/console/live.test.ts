/** What the pages show is live: one stream a browser, silence that is said, and the way back. */
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import { ConsoleBox } from '../harness/console.ts'
import { eventually } from '../harness/scene.ts'

const hours = [{ id: 'house', open: { 'mon-sun': ['00:00-24:00'] }, whenOpen: '101', whenClosed: '102' }]
const box = await ConsoleBox.open(t, { settings: (base) => (base['hours'] = hours) })
const maria = await box.person({ login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101' })
const close = (state: 'closed' | 'auto') => box.daemon.api('POST', '/api/hours/house', { state })

t.test('ten tabs share one stream, and all of them follow', async (t) => {
  await box.visit(t, { as: maria }, async (first, context) => {
    const open = new Map<Request, Page>()
    context.on('request', (request) => request.url().endsWith('/api/live') && open.set(request, request.frame().page()))
    context.on('requestfailed', (request) => open.delete(request))
    context.on('requestfinished', (request) => open.delete(request))
    const streams = (): number => [...open.values()].filter((page) => !page.isClosed()).length
    await first.goto('/me')
    const pages = [first]
    while (pages.length < 10) {
      const page = await context.newPage()
      pages.push(page)
      await page.goto('/me')
    }
    for (const page of pages) await page.getByRole('button', { name: /^Open/ }).waitFor()
    t.equal(streams(), 1)
    await close('closed')
    for (const page of pages) await page.getByRole('button', { name: /^Closed/ }).waitFor()
    await first.close()
    await close('auto')
    for (const page of pages.slice(1)) await page.getByRole('button', { name: /^Open/ }).waitFor()
    t.equal(streams(), 1, 'another tab has it when the first is gone')
  })
})

t.test('after 40 s of silence the page says so, reads by itself, and is live again', async (t) => {
  await box.visit(t, { as: maria }, async (page, context) => {
    await page.clock.install()
    await page.goto('/me')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await context.setOffline(true)
    await page.clock.fastForward(39_000)
    t.equal(await page.getByText(/^Not live since/).count(), 0)
    await page.clock.fastForward(4_000)
    await page.getByText(/^Not live since \d+:\d\d [AP]M$/).waitFor()
    await page.locator('main.old').waitFor()
    await close('closed')
    await context.setOffline(false)
    await page.clock.fastForward(4_000)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Closed/ }).waitFor()
    t.equal(await page.locator('main.old').count(), 0)
    await close('auto')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
  })
})

t.test('the session outlives a killed daemon, and the page is live again', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await page.goto('/me')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
    await box.daemon.kill()
    await box.daemon.start()
    await close('closed')
    await page.getByRole('button', { name: /^Closed/ }).waitFor()
    await close('auto')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
  })
})

t.test('a tab that was frozen reads before it shows', async (t) => {
  await box.visit(t, { as: maria }, async (page, context) => {
    await page.goto('/me')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
    const cdp = await context.newCDPSession(page)
    await cdp.send('Page.setWebLifecycleState', { state: 'frozen' })
    await close('closed')
    await cdp.send('Page.setWebLifecycleState', { state: 'active' })
    await page.getByRole('button', { name: /^Closed/ }).waitFor()
    await close('auto')
    await eventually('open again', async () => (await page.getByRole('button', { name: /^Open/ }).count()) === 1)
  })
})
