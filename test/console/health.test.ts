/** A technician's day on Health and Lines: the trunk is pulled and comes back, everything is tried, a phone is awaited and comes. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { overflow, violations, type Page } from '../harness/browser.ts'
import { ConsoleBox } from '../harness/console.ts'
import { Trunk } from '../harness/trunk.ts'
import { eventually, patience } from '../harness/waiting.ts'

t.setTimeout(300_000)
let trunk = await Trunk.open()
const monitor = createServer((request, response) => request.resume().on('end', () => response.end())).listen(0, '127.0.0.1')
await once(monitor, 'listening')
t.teardown(() => {
  trunk.close()
  monitor.close()
})
const hook = `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/alarms`
const box = await ConsoleBox.open(t, {
  trunkPort: trunk.port,
  settings: (base) => {
    const [main] = base['trunks'] as Record<string, unknown>[]
    base['trunks'] = [main, { ...main, id: 'backup', server: '127.0.0.1:9', keepAliveSeconds: 0, numbers: [], default: false }]
    base['alarms'] = [{ id: 'office', events: ['line'], afterSeconds: 0, repeatMinutes: 1, notify: { webhook: [hook] } }]
  },
})
const { daemon } = box
const ted = await box.person({ login: 'ted', name: 'Ted Moor', roles: ['technician'] })

const issue = (page: Page, text: RegExp) => page.getByRole('article').filter({ hasText: text })
const noRow = { expects: /404/ }

t.test(
  'a pulled trunk is on Health within ten seconds, with who was notified; in hand, no reminder follows; and it goes with its end',
  async (t) => {
    await box.visit(t, { as: ted }, async (page) => {
      await page.goto('/')
      await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
      t.equal(await page.locator('.nav a').first().innerText(), 'Health', 'the start page is the first one')
      const lines = page.getByRole('region', { name: 'Lines', exact: true }).first()
      await lines.getByRole('row', { name: /main.*reachable/s }).waitFor()
      // The first check of a box comes ten seconds after its start.
      await eventually('the box was looked at', async () => (await daemon.api('GET', '/api/box/events')).body.items.length > 0)
      const pulled = Date.now()
      trunk.close()
      await issue(page, /Trunk main/).waitFor({ timeout: 10_000 * patience })
      t.comment(`shown after ${Date.now() - pulled} ms`)
      await page.getByText(/need(s)? you/).waitFor()
      await issue(page, /Remedy/)
        .first()
        .waitFor()
      await issue(page, /Notified: program at http:\/\/127/).waitFor()
      await lines.getByRole('img', { name: /Last 7 days, 1 outage/ }).waitFor()
      t.equal(await lines.locator('.outages .down').count(), 1)
      await issue(page, /Trunk main/)
        .getByRole('button', { name: 'Take in hand' })
        .click()
      await issue(page, /In hand: Ted Moor/).waitFor()
      const { alarms } = (await daemon.api('GET', '/api/alarms')).body
      t.match(alarms, [{ rule: 'office', nextAt: null, event: { acknowledgedBy: 'Ted Moor' } }])
      t.equal(
        await issue(page, /Trunk main/)
          .getByRole('button', { name: 'Take in hand' })
          .count(),
        0,
      )

      await issue(page, /Trunk main/)
        .getByRole('button', { name: 'Test' })
        .click()
      const dialog = page.getByRole('dialog', { name: 'Test of main' })
      await dialog.getByText(/steps? needs? you/).waitFor()
      await dialog.getByText('no answer to OPTIONS').first().waitFor()
      t.same(await violations(page), [])
      await page.keyboard.press('Escape')
      await issue(page, /Trunk main/)
        .getByRole('button', { name: 'History' })
        .click()
      await page.getByRole('dialog', { name: 'History of line-main' }).getByText('Trunk main').waitFor()
      t.same(await violations(page), [])
      await page.keyboard.press('Escape')

      trunk = await Trunk.open(trunk.port)
      await issue(page, /Trunk main/).waitFor({ state: 'detached' })
      await lines.getByRole('row', { name: /main.*reachable/s }).waitFor()
      await page
        .getByRole('region', { name: 'What happened' })
        .getByText(/Ended .* after/)
        .first()
        .waitFor()
    })
  },
)

t.test('safe mode is said on every page, whatever else is wrong, and leads who can repair it to Config', async (t) => {
  await box.visit(t, { as: ted }, async (page) => {
    const bad = { ok: false, safeMode: true, lines: 'none', text: 'All lines to the outside are down.' }
    // The box itself is well, and would say so live.
    await page.route(/\/api\/live\b/, (route) => route.abort())
    await page.route('**/api/desk', async (route) => {
      const response = await route.fetch()
      const house = await response.json()
      await route.fulfill({ response, json: { ...house, box: { ...house.box, ...bad } } })
    })
    await page.goto('/lines')
    const bars = page.locator('.bar.red')
    await bars.filter({ hasText: 'All lines to the outside are down.' }).waitFor()
    const safe = bars.filter({ hasText: 'The box runs on its last good settings.' })
    t.same(await violations(page), [])
    await safe.getByRole('link', { name: 'Repair it in Config' }).click()
    await page.waitForURL('**/config')
    await safe.waitFor()
    t.equal(await safe.getByRole('link').count(), 0)
  })
})

t.test('everything is tried as live rows, and what needs a person has its button', async (t) => {
  await box.visit(t, { as: ted }, async (page) => {
    await page.goto('/health')
    await page.getByRole('button', { name: 'Test everything' }).click()
    const dialog = page.getByRole('dialog', { name: 'Test everything' })
    await dialog.getByRole('button', { name: 'Send a test alarm' }).click()
    await dialog.getByText(hook).waitFor()
    await dialog.getByText('call a mobile phone from one of the phones').waitFor()
    const [left, right] = (await page.evaluate(
      `(({ left, right }) => [left, innerWidth - right])(document.querySelector('dialog').getBoundingClientRect())`,
    )) as [number, number]
    t.ok(Math.abs(left - right) <= 20, `in the middle: ${left} and ${right}`)
    await dialog.getByText(/need(s)? you|works\./).waitFor()
    t.same(await violations(page), [])
  })
})

t.test('a box without faults says so in one green sentence, and one that cannot be read says that', async (t) => {
  await box.visit(t, { as: ted }, async (page) => {
    const { body } = await box.ask(ted, 'GET', '/api/health')
    const good = { ...body, events: [], verdict: { ok: true, severity: 'ok', faults: 0, code: '', text: 'All is well.' } }
    await page.route('**/api/health', (route) => route.fulfill({ json: good }))
    await page.goto('/health')
    const verdict = page.getByRole('region', { name: /All is well/ })
    await verdict.waitFor()
    t.equal(await verdict.getByRole('article').count(), 0)
    t.match(await verdict.getAttribute('class'), /good/)
    await page.unrouteAll()
    await page.route('**/api/health', (route) =>
      route.fulfill({ status: 503, json: { error: 'x', code: 'overloaded', requestId: 'req-9' } }),
    )
    await page.goto('/lines')
    await page.goto('/health')
    await page.getByText('Request req-9').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page
      .getByRole('region', { name: 'Disk' })
      .getByText(/of .* free/)
      .waitFor()
  })
})

t.test('an awaited phone fetches its settings, and its row says that it came without being asked', async (t) => {
  await box.visit(t, { as: ted }, async (page) => {
    await page.goto('/lines')
    await page.getByRole('button', { name: 'Add a phone' }).first().click()
    await page.getByLabel('Extension').selectOption('102')
    await page.getByRole('button', { name: 'Await the phone' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settings for 102' })
    await dialog.getByText(/The box waits/).waitFor()
    await dialog.getByText(/29 min left|30 min left/).waitFor()
    await eventually('the QR code is drawn', () => page.evaluate<boolean>("document.querySelector('img.qr').naturalWidth > 0"))
    t.same(await violations(page), [])
    const url = new URL((await dialog.locator('code').last().innerText()).trim())
    const phones = page.getByRole('region', { name: 'Phones' }).first()
    await page.keyboard.press('Escape')
    const row = phones.getByRole('row', { name: /102/ })
    await row.getByText('awaited').waitFor()
    const answer = await fetch(`${daemon.http}${url.pathname}accounts`, { headers: { 'user-agent': 'baresip/1.0' } })
    t.equal(answer.status, 200, await answer.text())
    await row.getByText('It came').waitFor()
    await row.getByText('baresip/1.0').waitFor()

    await page.getByLabel('To', { exact: true }).fill('+15550001000')
    await page.getByRole('button', { name: 'Show the way' }).click()
    await page.getByText('the application reception decides').waitFor()
  })
})

t.test('an address that is ignored after wrong passwords stands on Lines, and is heard again', async (t) => {
  const address = '127.0.0.31'
  await box.visit(t, { as: ted }, async (page) => {
    await page.goto('/lines')
    await page.getByText('No address is banned').waitFor()
    for (let n = 0; n < 6; n++) await register(address)
    await page.reload()
    await page.getByRole('button', { name: 'Lift the ban' }).click()
    await page.getByText(`${address} may register again.`).waitFor()
    await page.getByText('No address is banned').waitFor()
    t.same((await daemon.api('GET', '/api/bans').catch(() => ({ body: [] }))).body.length ?? 0, 0)
  })
})

t.test('Health is whole on a telephone, and nobody else has these pages', async (t) => {
  await box.visit(t, { as: ted, viewport: { width: 320, height: 640 } }, async (page) => {
    for (const path of ['/health', '/lines']) {
      await page.goto(path)
      await page.getByRole('rowheader', { name: 'main' }).waitFor()
      t.equal(await overflow(page), 0, path)
    }
  })
  const desk = await box.person({ login: 'dora', roles: ['desk', 'manager'] })
  await box.visit(t, { as: desk, ...noRow }, async (page) => {
    await page.goto('/health')
    await page.getByText('There is no such page.').waitFor()
    t.equal(await page.getByRole('link', { name: 'Lines' }).count(), 0)
  })
  for (const path of ['/api/lines', '/api/phones', '/api/bans', '/api/where?to=101', '/api/lines/history'])
    t.equal((await box.ask(desk, 'GET', path)).status, 403, path)
})

/** A phone that guesses: the challenge is answered with a wrong digest. */
async function register(address: string): Promise<void> {
  const ask = (authorization: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = createSocket('udp4')
      const timer = setTimeout(() => (socket.close(), resolve('')), 250)
      socket.on('message', (data) => (clearTimeout(timer), socket.close(), resolve(String(data))))
      socket.bind(0, address, () => {
        const { port } = socket.address()
        const id = `${Math.random()}`.slice(2)
        const lines = [
          'REGISTER sip:127.0.0.1 SIP/2.0',
          `Via: SIP/2.0/UDP ${address}:${port};branch=z9hG4bK${id}`,
          `From: <sip:101@127.0.0.1>;tag=${id}`,
          'To: <sip:101@127.0.0.1>',
          `Call-ID: ${id}`,
          'CSeq: 1 REGISTER',
          `Contact: <sip:101@${address}:${port}>`,
          'Max-Forwards: 70',
          ...(authorization === '' ? [] : [authorization]),
          'Content-Length: 0',
        ]
        socket.send(`${lines.join('\r\n')}\r\n\r\n`, daemon.sipPort, '127.0.0.1')
      })
    })
  const nonce = /nonce="([^"]*)"/.exec(await ask(''))?.[1] ?? ''
  const response = '0123456789abcdef'.repeat(2)
  await ask(
    `Authorization: Digest username="101", realm="pbx", nonce="${nonce}", uri="sip:127.0.0.1", response="${response}", algorithm=MD5`,
  )
}
