/** Reminders and the directory in a browser: what a person sees and does there, and what the box has of it afterwards. */
import { join } from 'node:path'
import t from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { newId } from '../../daemon/base/ids.ts'
import { timeKey } from '../../daemon/reminders/look.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { ReminderRow } from '../../daemon/store/tables.ts'
import { overflow, violations, type Page } from '../harness/browser.ts'
import { ConsoleBox } from '../harness/console.ts'
import { keptRows } from '../harness/kept-rows.ts'
import { found } from '../harness/waiting.ts'
import { hostile } from './seeded.ts'

const box = await ConsoleBox.open(t, {
  settings: (base) => {
    base['site'] = { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' }
    base['extensions'] = [{ number: '101', name: 'Front desk', password: 'a-long-password-1' }]
  },
})
const { daemon } = box
const stopped = '+12025550143'
/** Noon there, some days ahead: no call is due while the test runs. */
const noon = Date.parse(`${new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)}T16:00:00Z`)
const day = new Date(noon).toISOString().slice(0, 10)
const minute = 60_000
/** Of the day after, which has a whole morning of appointments more than a page has rows. */
const many = 500
const nextDay = 1440 - 240

await daemon.stop()
await seed()
await daemon.start()
const maria = await box.person({ login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101' })
const mona = await box.person({ login: 'mona', name: 'Mona Diaz', roles: ['manager'] })

async function seed(): Promise<void> {
  const store = await openStore(join(daemon.dir, 'var', 'store'), createLog({ level: 'silent' }))
  const like = [...keptRows(1, Date.now())].find(({ table }) => table === 'reminders')!.row as ReminderRow
  const add = (at: number, customerName: string, number: string, more: Partial<ReminderRow>): void => {
    const row: ReminderRow = {
      ...like,
      reminderId: newId(),
      appointmentAt: noon + at * minute,
      customerName,
      number,
      rawNumber: number,
      ...more,
    }
    store.tables.reminders.put(row.reminderId, row)
    store.tables.reminderKeys.put(timeKey(row), { reminderId: row.reminderId })
  }
  const waits = { state: 'scheduled', outcome: null, reason: '', attempts: 0, nextAttemptAt: noon - 1440 * minute } as const
  const open = { ...waits, answeredAt: null, completedAt: null, dialedAt: null }
  await store.transaction(() => {
    add(-180, 'Ana Ruiz', '+12025550111', {})
    add(-170, 'Ben Okafor', '+12025550112', open)
    add(-60, hostile, '+12025550113', { outcome: 'reschedule', reason: 'reception' })
    add(0, 'Dana Price', '+12025550114', { outcome: 'canceled', reason: 'keypad' })
    add(15, 'Eve Hoff', '+12025550115', { outcome: 'no-answer', reason: 'no-answer', attempts: 3 })
    add(30, 'Fred Webb', '+12025550116', open)
    for (let n = 0; n < many; n++) add(nextDay + n, `Patient ${n}`, `+1202556${1000 + n}`, open)
    store.tables.reminderOptOuts.put(stopped, { number: stopped, since: Date.UTC(2026, 0, 15, 15) })
  })
  await store.close()
}

const row = (page: Page, text: string) => page.locator('.reminder', { hasText: text })

t.test('a day of reminders stands by hour, by outcome, and is canceled, called and printed', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await page.goto('/reminders')
    await row(page, 'Ana Ruiz').waitFor()
    t.match(
      await page.locator('.filter').innerText(),
      /All 6[\s\S]*Confirmed 1[\s\S]*Open 2[\s\S]*To be moved 1[\s\S]*Canceled 1[\s\S]*No answer 1/,
    )
    t.same(
      (await page.locator('.day-of-reminders h3').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')),
      hours(),
    )
    t.match(await row(page, 'Eve Hoff').innerText(), /no answer[\s\S]*3 calls made/)
    t.equal(await page.title().then((title) => title.includes('taken')), false)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      t.same(await violations(page), [], colorScheme)
    }
    await page.getByRole('button', { name: 'No answer 1' }).click()
    t.equal(await page.locator('.reminder').count(), 1)
    await page.getByRole('button', { name: 'All 6' }).click()

    await row(page, 'Fred Webb').getByRole('button', { name: 'More for Fred Webb' }).click()
    await page.getByRole('menuitem', { name: 'Cancel the reminder' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the reminder' }).click()
    await row(page, 'Fred Webb').locator('.tag', { hasText: 'canceled' }).waitFor()
    t.match((await daemon.api('GET', `/api/reminders?day=${day}&status=canceled`)).body.items, [
      {},
      { customerName: 'Fred Webb', reason: 'deleted' },
    ])
    await row(page, 'Ben Okafor').getByRole('button', { name: 'Call now: Ben Okafor' }).click()
    await page.locator('.toast', { hasText: /as soon as a line is free|between 08:00 and 21:00/ }).waitFor()

    await page.emulateMedia({ media: 'print' })
    t.match(await page.locator('.print-foot').innerText(), /Riverside Clinic · Printed by Maria Lopez, .*\d/)
    t.same(
      [
        await page.locator('.print-foot').isVisible(),
        await page.locator('.reminders aside').isVisible(),
        await page.locator('.filter').isVisible(),
      ],
      [true, false, false],
    )
    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize({ width: 320, height: 640 })
    t.equal(await overflow(page), 0)
    await page.getByRole('button', { name: 'Previous day' }).click()
    await page.getByText('No appointment of this day has a reminder').waitFor()
  })
})

t.test('of a day of 500 appointments the document has 80 rows at most, at each place of it; the paper has all', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await page.goto(`/reminders?day=${new Date(noon + 1440 * minute).toISOString().slice(0, 10)}`)
    await page.getByRole('button', { name: `All ${many}` }).waitFor()
    const rows = () => page.locator('.day-of-reminders tr').count()
    for (const [at, viewport] of [
      [0, { width: 1280, height: 800 }],
      [251, { width: 1280, height: 2000 }],
      [499, { width: 320, height: 640 }],
    ] as const) {
      await page.setViewportSize(viewport)
      await page.evaluate(scrolledTo(at / many))
      await row(page, `Patient ${at} `).waitFor()
      t.ok((await rows()) <= 80, `${await rows()} rows at ${at}`)
      t.equal(await overflow(page), 0)
    }
    t.same(await violations(page), [])
    await page.emulateMedia({ media: 'print' })
    await row(page, 'Patient 0 ').waitFor()
    t.equal(await page.locator('.reminder').count(), many)
  })
})

/** Brings that share of the day into the window. */
const scrolledTo = (share: number): string => `{
  const day = document.querySelector('.day-of-reminders tbody')
  for (let at = day; at !== null; at = at.parentElement) {
    const { top, height } = day.getBoundingClientRect()
    at.scrollTop += top + height * ${share} - innerHeight / 2
  }
}`

/** Of the appointments, as the site's clock has them. */
function hours(): string[] {
  const format = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'America/New_York' })
  return [
    [-180, 2],
    [-60, 1],
    [0, 3],
  ].map(([at, n]) => `${format.format(noon + at! * minute)} ${n}`)
}

t.test('what keeps reminder calls from being made is said: the hour, the clock, a line, a day that nobody has posted', async (t) => {
  const now = { ...(await box.ask(maria, 'GET', '/api/reminders/calling')).body, waiting: 3 }
  t.match(now, { clockTrusted: true, missingDay: null })
  const cases = [
    [{ window: { open: false, until: new Date(noon).toISOString() } }, /No calls at this hour\. They go on/],
    [{ clockTrusted: false }, /has not followed a time server/],
    [{ noLineSince: new Date(noon).toISOString() }, /No line has been free since .*: 3 calls wait/],
    [{ missingDay: day }, /It is past 3 PM, and no appointment for \w+day has arrived/],
  ] as const
  await box.visit(t, { as: maria }, async (page) => {
    for (const [more, said] of cases) {
      await page.route('**/api/reminders/calling', (route) => route.fulfill({ json: { ...now, ...more } }))
      await page.goto('/reminders')
      await page.locator('.calling .note-line', { hasText: said }).waitFor()
      await page.unrouteAll()
    }
    t.same(await violations(page), [])
  })
})

t.test('the stop list is seen by the desk; a manager takes a number off it, with the reason in the trail', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await page.goto('/reminders')
    await page.getByText('202 555 0143').waitFor()
    t.equal(await page.getByRole('button', { name: /^Allow calls/ }).count(), 0)
    t.equal((await box.ask(maria, 'DELETE', `/api/reminders/opt-outs/${encodeURIComponent(stopped)}`)).status, 403)
  })
  await box.visit(t, { as: mona }, async (page) => {
    await page.goto('/reminders')
    await page.getByRole('button', { name: 'Allow calls again: 202 555 0143' }).click()
    t.same(await violations(page), [])
    await page.getByLabel('Reason').fill('asked for it by telephone')
    await page.getByRole('dialog').getByRole('button', { name: 'Allow calls again' }).click()
    await page.getByText('Patients who press star').waitFor()
    t.same((await daemon.api('GET', '/api/reminders/opt-outs')).body, [])
    const { out } = await daemon.pbx('audit', 'list', '--deed', 'optout.remove', '--limit', '1', '--json')
    t.match([JSON.parse(out)].flat()[0], { actor: 'person:mona', object: /0143: asked for it by telephone/ })
  })
})

const table = [
  'id,name,phone,company',
  'c1,Ana Ruiz,+1 202 555 0111,',
  'c2,Lakeside Imaging,202-555-0177 (front),Lakeside',
  'c3,No Number,12,',
].join('\n')

t.test('a list of people is tried before it is written; people are found, renamed with Undo, and a number gets a name', async (t) => {
  await box.visit(t, { as: mona }, async (page) => {
    await page.goto('/directory')
    await page.getByText('Nobody is in the directory yet.').waitFor()
    const choose = (name: string, text: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await choose('list.exe', table)
    await page.getByText('Choose a file that ends with').waitFor()
    await choose('patients.csv', table)
    await page.getByText(/new, 0 changed, 0 unchanged, 0 removed, of 3 rows/).waitFor()
    await page.getByText(/^Row 4: /).waitFor()
    t.equal((await box.ask(mona, 'GET', '/api/crm/parties')).body.total, 0, 'nothing is written yet')
    t.same(await violations(page), [])
    await page.getByRole('button', { name: /^Import \d (person|people)/ }).click()
    await page.getByText(/new people, 0 changed/).waitFor()

    await page.getByLabel('Name, number or extension').fill('0111')
    await page.getByRole('button', { name: /Ana Ruiz/ }).click()
    await page.locator('.party-card').getByText('our own list').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      t.same(await violations(page), [], colorScheme)
    }
    const name = async () => (await box.ask(mona, 'GET', '/api/pbx/lookup/caller/+12025550111')).body.customer?.name as string
    await page.getByRole('button', { name: 'Change the name' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Ana Ruiz Soto')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.locator('.party-card').getByText('Ana Ruiz Soto').waitFor()
    t.equal(await name(), 'Ana Ruiz Soto')
    await page.getByRole('button', { name: 'Undo' }).click()
    await found('the earlier name', async () => ((await name()) === 'Ana Ruiz' ? true : undefined))

    await page.getByLabel('Name, number or extension').fill('202 555 0166')
    await page.getByRole('button', { name: 'Give this number a name' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Gloria Chen')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: /Gloria Chen/ }).waitFor()
    await page.getByLabel('Name, number or extension').fill('front')
    await page.getByRole('button', { name: 'Call Front desk' }).waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    t.equal(await overflow(page), 0)
  })
})

t.test('a name for a customer of the CRM says that it is proposed; the desk imports nothing', async (t) => {
  const proposal = { customerId: 'c1', name: 'Ana Ruiz', proposed: 'Ana Soto', at: new Date().toISOString() }
  await box.visit(t, { as: maria }, async (page) => {
    await page.route('**/api/crm/names', (route) => route.fulfill({ json: [proposal] }))
    await page.goto('/directory')
    await page.getByText(/Type a name or a number\. \d people are in the directory/).waitFor()
    await page.getByLabel('Name, number or extension').fill('ruiz')
    await page.locator('.find .tag', { hasText: 'proposed' }).waitFor()
    await page.getByRole('button', { name: /Ana Ruiz/ }).click()
    await page.getByText('The name “Ana Soto” is proposed to the CRM').waitFor()
    await page.getByRole('heading', { name: 'Proposed to the CRM' }).waitFor()
    t.same(await violations(page), [])
    t.equal(await page.getByRole('heading', { name: 'Import people' }).count(), 0)
    t.equal((await box.ask(maria, 'POST', '/api/pbx/import/pbx-export', {})).status, 403)
  })
})
