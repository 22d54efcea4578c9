/** The Desk on a bad day: cut off, killed, more calls than it shows, and a CRM that is away. */
import t from 'tap'
import { Crm, crmSecret, type CrmManner } from '../harness/crm.ts'
import { cutOff } from '../harness/console.ts'
import { eventually } from '../harness/waiting.ts'
import { card, desk, openDesk, row } from './desk-stage.ts'

const ana = { found: true, matchType: 'exact', matchCount: 1, customer: { id: 'c_8812', name: 'Ana Ruiz', status: 'active' } }
const knowing: CrmManner = ({ path }) => {
  if (path.startsWith('lookup/caller/')) return { body: path.endsWith('0001') ? ana : { found: false } }
  if (path.startsWith('screen-pop/'))
    return { body: path.endsWith('0001') ? { ...ana, name: 'Ana Ruiz', openTickets: [] } : { found: false } }
  return {}
}
const crm = await Crm.open(knowing)
t.teardown(() => crm.close())
const {
  box,
  daemon,
  live,
  none,
  phone,
  caller,
  drop,
  maria: invited,
} = await openDesk(t, {
  crm: { baseUrl: crm.url, secret: crmSecret, token: 'token-of-the-crm' },
})
await phone('101')
await phone('103')
const maria = await invited()

t.test('a card says that the CRM was asked just now, and that it is away, with the age of what is shown', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await desk(page)
    const known = await caller()
    await card(page).getByText('CRM, just now').waitFor()
    t.match(await card(page).innerText(), /Ana Ruiz/)
    await drop(known)
    crm.manner = () => ({ status: 500 })
    const away = await caller()
    await card(page)
      .getByText(/CRM away: our own list, /)
      .waitFor()
    t.match(await card(page).innerText(), /Ana Ruiz/)
    await drop(away)
    crm.manner = knowing
  })
})

/** What is cut off with dots, of names and numbers. */
const cutShort = `[...document.querySelectorAll('.desk bdi, .desk .who')].flatMap((one) => {
  const cut = [one, one.parentElement].some((each) => getComputedStyle(each).textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth)
  return cut ? [one.innerText] : []
})`

t.test('of more calls than twelve the rest is one row, which shows them; names and numbers are read in whole', async (t) => {
  await box.visit(t, { as: maria, viewport: { width: 1366, height: 768 } }, async (page) => {
    await desk(page)
    await Promise.all(
      Array.from({ length: 14 }, (_, n) =>
        caller({ to: '+15550001001', from: `+155512340${10 + n}`, name: `CALLER ${n} OF THE WHOLE FAMILY` }),
      ),
    )
    const waiting = row(page, 'Nurse line')
    await page.getByRole('button', { name: '2 more calls' }).waitFor()
    t.equal(await waiting.count(), 12)
    await page.getByRole('button', { name: '2 more calls' }).click()
    t.equal(await waiting.count(), 14)
    for (const width of [1366, 1024, 400]) {
      await page.setViewportSize({ width, height: 768 })
      t.same(await page.evaluate(cutShort), [], `${width} pixels`)
    }
    for (const { callId } of await live()) await daemon.api('POST', `/api/voice/calls/${callId}`, { state: 'completed' })
    await none()
    await waiting.first().waitFor({ state: 'detached' })
  })
})

t.test('after the network was cut every row is there once, as it is by then', async (t) => {
  await box.visit(t, { as: maria }, async (page, context) => {
    await desk(page)
    const before = await caller({ from: '+15551236666', name: 'BEFORE CUT' })
    await card(page).waitFor()
    const plugIn = await cutOff(context)
    await drop(before)
    const during = await caller({ from: '+15551235555', name: 'DURING CUT' })
    await eventually('it rings', async () => (await live()).length === 1)
    await plugIn()
    await card(page)
      .getByText(/during cut/i)
      .waitFor()
    t.equal(await card(page).count(), 1)
    await drop(during)
    for (const name of [/before cut/i, /during cut/i]) await page.locator('.todo', { hasText: name }).waitFor()
    const items = await page.locator('.todo').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-item')))
    t.equal(new Set(items).size, items.length, 'none twice')
  })
})

t.test('killed and started again, the box is live within seconds, and nothing that happened meanwhile is missed', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await desk(page)
    const one = await caller({ from: '+15551239999', name: 'LATE CALLER' })
    await card(page).waitFor()
    await drop(one)
    await page.locator('.todo', { hasText: /late caller/i }).waitFor()
    await daemon.kill()
    await daemon.start()
    const again = await caller({ from: '+15551238888', name: 'NEXT CALLER' })
    await card(page).waitFor()
    await drop(again)
    await page.locator('.todo', { hasText: /next caller/i }).waitFor()
    t.equal(await page.locator('.todo', { hasText: /late caller/i }).count(), 1, 'once')
  })
})
