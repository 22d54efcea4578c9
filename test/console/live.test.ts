/** What the pages show is live: one stream a browser, silence that is said, and the way back. */
import type { BrowserContext, Page, Request } from 'playwright-core'
import t from 'tap'
import { standStill } from '../harness/browser.ts'
import { ConsoleBox, cutOff } from '../harness/console.ts'
import { eventually } from '../harness/scene.ts'
import { patience } from '../harness/waiting.ts'

const hours = [{ id: 'house', open: { 'mon-sun': ['00:00-24:00'] }, whenOpen: '101', whenClosed: '102' }]
const box = await ConsoleBox.open(t, { settings: (base) => (base['hours'] = hours) })
const maria = await box.person({ login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101' })
const close = (state: 'closed' | 'auto') => box.daemon.api('POST', '/api/hours/house', { state })

/** Tabs that have a stream now. */
function streamsOf(context: BrowserContext): () => Page[] {
  const open = new Map<Request, Page>()
  context.on('request', (request) => request.url().endsWith('/api/live') && open.set(request, request.frame().page()))
  context.on('requestfailed', (request) => open.delete(request))
  context.on('requestfinished', (request) => open.delete(request))
  return () => [...open.values()].filter((page) => !page.isClosed())
}

t.test('ten tabs share one stream, and all of them follow', async (t) => {
  await box.visit(t, { as: maria }, async (first, context) => {
    const open = streamsOf(context)
    const streams = (): number => open().length
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
    const plugIn = await cutOff(context)
    // The time of the machine goes on, too.
    await page.clock.fastForward(30_000)
    t.equal(await page.getByText(/^Not live since/).count(), 0)
    await page.clock.fastForward(10_000)
    await page.getByText(/^Not live since \d+:\d\d [AP]M$/).waitFor()
    await page.locator('main.old').waitFor()
    await close('closed')
    await plugIn()
    await page.clock.fastForward(4_000)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Closed/ }).waitFor()
    t.equal(await page.locator('main.old').count(), 0)
    await close('auto')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
  })
})

/** From the moment at which a killed daemon answers again. */
const liveAgainMs = 5_000

t.test('the session outlives a killed daemon, and the page is live again within 5 s, with what happened before it was', async (t) => {
  await box.visit(t, { as: maria }, async (page, context) => {
    const other = await context.newPage()
    for (const tab of [page, other]) {
      await tab.goto('/me')
      await tab.getByRole('button', { name: /^Open/ }).waitFor()
    }
    await box.daemon.kill()
    await other.getByRole('link', { name: 'Directory' }).click()
    await other.getByText('The box does not answer.').waitFor()
    // The longest that a page waits for its next try.
    await page.waitForTimeout(3_000)
    // The page may be back before the start is reported here.
    const stream = page.waitForResponse((answer) => answer.url().endsWith('/api/live') && answer.ok())
    await box.daemon.start()
    const from = performance.now()
    await close('closed')
    await page.getByRole('button', { name: /^Closed/ }).waitFor()
    await stream
    const took = Math.round(performance.now() - from)
    t.ok(took < liveAgainMs * patience, `${took} ms`)
    t.equal(await page.getByText('Live', { exact: true }).count(), 1)
    await other.getByRole('heading', { name: 'Directory', level: 1 }).waitFor()
    await other.getByText('The box does not answer.').waitFor({ state: 'detached' })
    await close('auto')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
  })
})

t.test('a box that was away for minutes and answers slowly has its page back', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await page.clock.install()
    await page.goto('/me')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
    await box.daemon.kill()
    await page.clock.fastForward(90_000)
    // Each answer takes two seconds of the page's clock.
    await page.route('**/api/live', async (route) => {
      await page.clock.fastForward(2_000)
      await route.continue().catch(() => undefined)
    })
    await box.daemon.start()
    await close('closed')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Closed/ }).waitFor()
    await close('auto')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
  })
})

t.test('what happens during a reading that fails is shown all the same, and the reading is repeated', async (t) => {
  await box.visit(t, { as: maria }, async (page, context) => {
    const other = await context.newPage()
    for (const tab of [page, other]) {
      await tab.goto('/me')
      await tab.getByRole('button', { name: /^Open/ }).waitFor()
    }
    let readings = 0
    const shut = Promise.withResolvers<void>()
    await page.route('**/api/desk', async (route) => {
      readings += 1
      if (readings > 1) return route.continue()
      await shut.promise
      await route.abort()
    })
    await page.evaluate("document.dispatchEvent(new Event('resume'))")
    await eventually('a reading', () => readings === 1)
    await close('closed')
    await other.getByRole('button', { name: /^Closed/ }).waitFor()
    shut.resolve()
    await page.getByRole('button', { name: /^Closed/ }).waitFor()
    t.equal(readings, 1)
    await eventually('another reading', () => readings > 1)
    await close('auto')
    await page.getByRole('button', { name: /^Open/ }).waitFor()
  })
})

t.test('a tab that stands still gives the stream to another one, and reads before it shows', async (t) => {
  const ways = {
    'frozen by the browser': { announced: true, withinMs: 3_000 },
    'stuck without a word': { announced: false, withinMs: 12_000 },
  }
  for (const [how, { announced, withinMs }] of Object.entries(ways))
    await box.visit(t, { as: maria }, async (first, context) => {
      const open = streamsOf(context)
      await first.goto('/me')
      await first.getByRole('button', { name: /^Open/ }).waitFor()
      const second = await context.newPage()
      await second.goto('/me')
      await second.getByRole('button', { name: /^Open/ }).waitFor()
      t.same(
        open().map((page) => page === first),
        [true],
        `${how}: the first has the stream`,
      )
      const go = await standStill(first, announced)
      const from = Date.now()
      await close('closed')
      await second.getByRole('button', { name: /^Closed/ }).waitFor()
      t.ok(Date.now() - from < withinMs * patience, `${how}: ${Date.now() - from} ms`)
      t.equal(await second.getByText(/^Not live/).count(), 0)
      await close('auto')
      await second.getByRole('button', { name: /^Open/ }).waitFor()
      await close('closed')
      await second.getByRole('button', { name: /^Closed/ }).waitFor()
      await go()
      await first.getByRole('button', { name: /^Closed/ }).waitFor()
      for (const page of [first, second]) t.equal(await page.getByText(/^Not live/).count(), 0)
      await eventually('one stream', () => open().length === 1)
      await close('auto')
      for (const page of [first, second]) await page.getByRole('button', { name: /^Open/ }).waitFor()
    })
})
