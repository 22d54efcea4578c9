/** The documentation of a box in a browser: the search finds a page by its words, on the machine alone; the interface is one of the pages. */
import t from 'tap'
import { docsRoutes } from '../../daemon/http/docs-routes.ts'
import { readSite } from '../../daemon/http/site.ts'
import { Chromium, overflow, violations } from '../harness/browser.ts'
import { root } from '../harness/daemon.ts'
import { Scene } from '../http/serve.ts'

const chromium = await Chromium.open(t)
const site = readSite(root)
const scene = await Scene.open(
  {},
  docsRoutes({ web: () => ({ openapi: '3.1.0', info: { title: 'pbxd' }, paths: {} }), socket: () => ({}) }, site),
)
t.teardown(() => scene.close())

t.test('a technician finds a page by two words, with the keys alone, and asks nobody else', async (t) => {
  await chromium.run(t, scene.url, {}, async (page, context) => {
    const asked: string[] = []
    context.on('request', (request) => asked.push(new URL(request.url()).origin))
    await page.goto('/docs')
    t.equal(await page.evaluate('document.querySelectorAll("header a, nav a").length > 40'), true)
    t.same(await violations(page), [])
    await page.keyboard.press('/')
    await page.keyboard.type('paper jam rfxvk')
    await page.getByText('Nothing was found.').waitFor()
    await page.getByLabel('Search').fill('wrong password provider')
    await page.locator('#found a').first().waitFor()
    await page.getByLabel('Search').fill('rollback')
    await page
      .locator('#found a', { hasText: /Another version|rollback/i })
      .first()
      .waitFor()
    t.same(await violations(page), [], 'with its results')
    const first = await page.locator('#found a').first().getAttribute('href')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href === first)
    await page.locator('article h1').waitFor()
    await page.setViewportSize({ width: 320, height: 600 })
    t.equal(await overflow(page), 0, 'nothing is wider than a small screen')
    t.same([...new Set(asked)], [scene.url])
  })
})

t.test('the interface, also by an address of an operation from before', async (t) => {
  await chromium.run(t, scene.url, { expects: /Content Security Policy/ }, async (page) => {
    await page.goto('/docs#/Voice/originateCall')
    await page.waitForURL(/\/docs\/api\.html#\/Voice\/originateCall$/)
    await page.locator('.swagger-ui .info').waitFor()
    await page.getByRole('link', { name: 'Documentation' }).click()
    await page.locator('article h1').waitFor()
  })
})
