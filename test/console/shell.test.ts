/** The document of the console and its files: headers, sizes, the policy of sources, and the box without a console. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { pagePaths } from '../../daemon/console/routes.ts'
import { ConsoleBox } from '../harness/console.ts'
import { Daemon } from '../harness/daemon.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const box = await ConsoleBox.open(t)
const get = (path: string, headers: Record<string, string> = {}) => fetch(box.daemon.http + path, { headers })
const scriptOf = (html: string): string => /src="(\/console\/[^"]+)"/.exec(html)?.[1] ?? ''

t.test('each page is answered with one small document and the strict policy', async (t) => {
  for (const path of ['/', ...pagePaths].map((one) => one.replace(':id', 'CA1'))) {
    const answer = await get(`${path}?id=1`)
    const text = await answer.text()
    t.equal(answer.status, 200, path)
    t.ok(Buffer.byteLength(text) <= 4096, `${path}: ${Buffer.byteLength(text)} bytes`)
    t.notMatch(text, /<script(?![^>]* src=)|<style|style=| on\w+=/, 'nothing inline')
    const headers = Object.fromEntries(answer.headers)
    t.equal(headers['content-security-policy'], policy)
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.equal(headers['referrer-policy'], 'no-referrer')
    t.equal(headers['cross-origin-opener-policy'], 'same-origin')
    t.equal(headers['cross-origin-resource-policy'], 'same-origin')
  }
})

t.test('an address that is no page: a program reads JSON, a person a page that says so and leads on', async (t) => {
  const said = await get('/nowhere')
  t.match([said.status, await said.json()], [404, { code: 'not_found' }])
  t.equal((await get('/api/nowhere', { accept: 'text/html' })).headers.get('content-type')?.split(';')[0], 'application/json')
  const maria = await box.person({ login: 'maria-lost', roles: ['desk'] })
  await box.visit(t, { as: maria, expects: /404/ }, async (page) => {
    const answer = await page.goto('/faxs/12')
    t.equal(answer?.status(), 404)
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor()
    await page.getByRole('link', { name: 'Faxes' }).click()
    await page
      .getByRole('heading', { name: /Received|Faxes/ })
      .first()
      .waitFor()
  })
})

t.test('a file of the console is packed, the same unpacked, and kept for ever', async (t) => {
  const script = scriptOf(await (await get('/')).text())
  t.match(script, /^\/console\/\w+\.[A-Z0-9]{8}\.js$/)
  const plain = await get(script, { 'accept-encoding': 'identity' })
  t.match(plain.headers.get('cache-control'), /max-age=31536000, immutable/)
  t.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8')
  const text = await plain.text()
  for (const [coding, unpack] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    // Through undici: fetch would unpack it.
    const { request } = await import('undici')
    const { headers, body } = await request(box.daemon.http + script, { headers: { 'accept-encoding': coding } })
    t.equal(headers['content-encoding'], coding)
    t.equal(unpack(Buffer.from(await body.arrayBuffer())).toString(), text)
  }
  for (const strange of ['/console/built.json', '/console/..%2f..%2fpackage.json', '/console/nothing.js', `${script}.br`])
    t.equal((await get(strange)).status, 404, strange)
})

t.test('an answer to a person is marked as private, and is kept nowhere', async (t) => {
  const maria = await box.person({ login: 'maria', roles: ['desk'] })
  const answer = await get('/api/session', { cookie: `pbx=${maria.cookie}` })
  t.equal(answer.headers.get('cache-control'), 'private, no-store')
})

t.test('an injected script does not run, and text is made into markup by nobody', async (t) => {
  await box.visit(t, { expects: /Content Security Policy|Trusted/ }, async (page) => {
    await page.goto('/')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const ran = await page.evaluate<boolean>(`(() => {
      const script = document.createElement('script')
      try { script.textContent = 'globalThis.injected = 1' } catch { script.append('globalThis.injected = 1') }
      document.body.append(script)
      return globalThis.injected === 1
    })()`)
    t.equal(ran, false)
    const refused = await page.evaluate<string>(`(() => {
      try { document.body.innerHTML = '<img src=x>'; return 'taken' } catch (error) { return error.name }
    })()`)
    t.equal(refused, 'TypeError', 'Trusted Types')
  })
})

t.test('the Desk comes cold in five requests and 90 KB', async (t) => {
  const maria = await box.person({ login: 'weigher', roles: ['desk'] })
  await box.visit(t, { as: maria }, async (page, context) => {
    const asked: string[] = []
    let bytes = 0
    const cdp = await context.newCDPSession(page)
    await cdp.send('Network.enable')
    cdp.on('Network.requestWillBeSent', ({ request }) => asked.push(new URL(request.url).pathname))
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto('/desk')
    await page.getByRole('navigation').waitFor()
    await page.waitForLoadState('load')
    await page.getByText('Live').waitFor()
    const own = asked.filter((path) => !path.startsWith('/console/icon'))
    t.ok(own.length <= 5, own.join(' '))
    t.ok(bytes <= 90 * 1024, `${bytes} bytes`)
  })
})

t.test('with `console: off` there is the plain page, and no session', async (t) => {
  const off = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9, settings: (base) => (base['console'] = 'off') })
  t.teardown(() => off.close())
  await off.start()
  const front = await fetch(`${off.http}/`)
  t.match(await front.text(), /pbxd, a telephone system/)
  for (const path of ['/desk', '/setup', '/me', '/console/x.js', '/api/session', '/api/people']) {
    const { status } = await fetch(off.http + path, { headers: { authorization: `Bearer ${off.token}` } })
    t.equal(status === 404 || (path === '/api/people' && status === 200), true, `${path}: ${status}`)
  }
})
