/** The page of figures in a browser: the three questions of a manager, charts with their tables, what too few calls do not say, and what each role gets. */
import { join } from 'node:path'
import { DateTime } from 'luxon'
import t from 'tap'
import { violations, type Page } from '../harness/browser.ts'
import { callOf, keepCalls, type CallSpec } from '../harness/call-log.ts'
import { ConsoleBox } from '../harness/console.ts'
import { eventually } from '../harness/waiting.ts'

const zone = 'America/New_York'
const now = DateTime.now().setZone(zone)
/** The Monday before today. */
const monday = now.startOf('day').minus({ days: ((now.weekday + 5) % 7) + 1 })
const atHour = (day: DateTime, hour: number, minute: number): number => day.set({ hour, minute }).toMillis()

let callers = 0
const caller = (): string => `+1202555${String(2000 + ++callers)}`

/** Twelve callers of that Monday whom nobody talked to, of whom five were called back from 101 and four from 102, and 20 who were answered. */
function ofMonday(): CallSpec[] {
  const outcomes = [
    ...Array<'missed'>(5).fill('missed'),
    ...Array<'abandoned'>(4).fill('abandoned'),
    ...Array<'voicemail'>(3).fill('voicemail'),
  ]
  const missed = outcomes.map((outcome, n): CallSpec => ({
    at: atHour(monday, 9, n),
    from: caller(),
    outcome,
    queue: 'front',
    waitSeconds: 60,
  }))
  const back = missed
    .slice(0, 9)
    .map(({ from }, n): CallSpec => ({ at: atHour(monday, 14, n), by: n < 5 ? '101' : '102', to: from!, waitSeconds: 8 }))
  const answered = Array.from({ length: 20 }, (_, n): CallSpec => ({
    at: atHour(monday, 11, n),
    from: caller(),
    by: '101',
    queue: 'front',
    waitSeconds: 10,
  }))
  return [...missed, ...back, ...answered]
}

/** On a Tuesday from ten to eleven callers wait for four minutes, on Thursdays at two they are many and wait for 20 seconds; two years ago there was one. */
function ofOtherDays(): CallSpec[] {
  const tuesdays = [1, 2].flatMap((week) =>
    Array.from({ length: 8 }, (_, n): CallSpec => ({
      at: atHour(monday.minus({ days: 7 * week - 1 }), 10, n * 5),
      from: caller(),
      by: '102',
      queue: 'front',
      waitSeconds: 240,
    })),
  )
  const thursdays = [1, 2].flatMap((week) =>
    Array.from({ length: 15 }, (_, n): CallSpec => ({
      at: atHour(monday.minus({ days: 7 * week - 3 }), 14, n * 3),
      from: caller(),
      by: '101',
      queue: 'nurses',
      waitSeconds: 20,
    })),
  )
  return [...tuesdays, ...thursdays, { at: atHour(monday.minus({ months: 14 }), 9, 0), from: caller(), by: '101' }]
}

const calls = [...ofMonday(), ...ofOtherDays()].map(callOf).toSorted((a, b) => a.endedAt - b.endedAt)
const box = await ConsoleBox.open(t, {
  settings: (base) => {
    base['site'] = { name: 'Riverside Clinic', country: 'US', timeZone: zone }
    base['queues'] = [
      { id: 'front', name: 'Front line', members: ['101'] },
      { id: 'nurses', name: 'Nurse line', members: ['102'] },
    ]
  },
})
await box.daemon.stop()
await keepCalls(join(box.daemon.dir, 'var'), calls, zone, ({ tables }) => {
  const at = String(atHour(monday, 9, 0)).padStart(16, '0')
  tables.figures.put(`faxes/${at}`, { counts: { '': { sent: 7, failed: 3, 'reason:busy': 2, 'reason:no_answer': 1, received: 4 } } })
  tables.figures.put(`texts/${at}`, { counts: { '': { delivered: 25, failed: 1, received: 11 } } })
  tables.figures.put(`reminders/${at}`, { counts: { '': { confirmed: 21, 'no-answer': 3 } } })
})
await box.daemon.start()
const manager = await box.person({ login: 'mona', name: 'Mona Diaz', roles: ['manager'] })
const desk = await box.person({ login: 'maria', name: 'Maria Lopez', roles: ['desk'], queues: ['front'], extension: '101' })
const technician = await box.person({ login: 'tom', name: 'Tom Ridge', roles: ['technician'] })

const wide = { viewport: { width: 1280, height: 900 } }
const dayName = monday.toFormat('ccc')
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const callsShown = (page: Page, count: number) =>
  eventually(`${count} calls`, async () => (await page.locator('.call-list:not(.looking) tr[data-row]').count()) === count)
/** Rows of the table of a panel, as texts. */
async function table(page: Page, name: string): Promise<string[][]> {
  await page.locator('.figures:not(.looking) .panel').first().waitFor()
  const summary = panel(page, name).getByText('As a table')
  if ((await summary.count()) > 0 && (await panel(page, name).locator('details[open]').count()) === 0) await summary.click()
  const rows = panel(page, name).locator('tbody tr')
  await rows.first().waitFor()
  return Promise.all((await rows.all()).map((row) => row.locator('th, td').allInnerTexts()))
}

t.test(
  'two presses lead a manager to how many calls were missed last Monday, who called back, and when the queue is longest',
  async (t) => {
    await box.visit(t, { as: manager, ...wide }, async (page) => {
      await page.goto('/')
      await page.getByRole('navigation').getByRole('link', { name: 'Figures' }).click()
      await page.getByRole('button', { name: new RegExp(`^${dayName} \\d`) }).click()
      await page.getByRole('heading', { name: '12 calls missed' }).waitFor()
      await page.getByText(`${monday.toFormat('cccc, LLLL d')}, of 32 calls from outside (38 %)`).waitFor()
      await page.getByText('5 nobody took, 4 gave up waiting, 3 left a message.').waitFor()
      await page.getByRole('heading', { name: '9 of 12 called back' }).waitFor()
      t.same(
        (await page.locator('.by li').allInnerTexts()).map((text) => text.trim()),
        ['5 by Front desk (101)', '4 by Nurse (102)'],
      )
      await page.getByRole('heading', { name: /The queue is longest: Tuesday, 10\s*–\s*11\s*AM/ }).waitFor()
      await page.getByText(/Half are answered within [34]:\d\d, 95 of 100 within [34]:\d\d/).waitFor()
      await page.getByRole('link', { name: 'Show them' }).click()
      await page.waitForURL(`**/calls?list=open&day=${monday.toISODate()}`)
      await callsShown(page, 3)
      t.equal(await page.getByLabel('Day', { exact: true }).inputValue(), monday.toISODate())
    })
  },
)

t.test('each number of missed calls leads to those calls, with the days that were looked at', async (t) => {
  await box.visit(t, { as: manager, ...wide }, async (page) => {
    const [from, to] = [monday.minus({ days: 2 }).toISODate(), monday.plus({ days: 1 }).toISODate()]
    const figures = `/figures?from=${from}&to=${to}`
    for (const [name, query, count] of [
      ['5 nobody took', 'list=all&direction=inbound&outcome=missed', 5],
      ['4 gave up waiting', 'list=all&direction=inbound&outcome=abandoned', 4],
      ['3 left a message', 'list=all&direction=inbound&outcome=voicemail', 3],
      ['Show them', 'list=open', 3],
    ] as const) {
      await page.goto(figures)
      await page.getByRole('link', { name }).click()
      await page.waitForURL(`**/calls?${query}&day=${from}&until=${to}`)
      await callsShown(page, count)
      t.equal(await page.getByLabel('Day', { exact: true }).inputValue(), from, name)
      t.equal(await page.getByLabel('to (last day)').inputValue(), to, name)
    }
    await page.getByLabel('to (last day)').fill('')
    await page.waitForURL(`**/calls?day=${from}`)
    await page.getByText('No call fits these filters.').waitFor()
  })
})

t.test('each chart is drawn, in both themes, and its table has the same figures', async (t) => {
  await box.visit(t, { as: manager, ...wide }, async (page) => {
    const day = monday.toISODate()
    await page.goto(`/figures?from=${day}&to=${day}`)
    await page.locator('canvas').nth(2).waitFor()
    const ink = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('canvas')].map((canvas) => {
        const dots = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
        const seen = new Map()
        for (let n = 0; n < dots.length; n += 4) if (dots[n + 3] === 255) seen.set(dots.slice(n, n + 3).join(), (seen.get(dots.slice(n, n + 3).join()) ?? 0) + 1)
        return [...seen].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
      })`)
    await page.emulateMedia({ colorScheme: 'light' })
    await eventually('all charts', async () => (await ink()).every((colour) => colour !== ''))
    const light = await ink()
    await page.emulateMedia({ colorScheme: 'dark' })
    await eventually('the colours of the dark theme', async () => (await ink()).every((colour, n) => colour !== light[n]))
    const hours = await table(page, 'Calls by hour of the day')
    t.same(
      hours.filter((row) => row.slice(1).some((text) => text !== '0')).map(([, ...counts]) => counts),
      [
        ['0', '3', '4', '5', '0'],
        ['20', '0', '0', '0', '0'],
      ],
      'answered, left a message, gave up, nobody took it, other: at nine, and at eleven',
    )
    const missed = await table(page, 'Missed and called back')
    t.same(missed.find(([hour]) => hour?.includes('9'))?.slice(1), ['9', '3', '0', '5', '4', '3'])
    t.same(await table(page, 'By colleague'), [
      ['Front desk (101)', '20', '5', '5', '0', '50:00'],
      ['Nurse (102)', '0', '4', '4', '0', '8:00'],
    ])
    t.same(
      (await table(page, 'Queues')).map(([queue, offered, answered, abandoned]) => [queue, offered, answered, abandoned]),
      [['Front line', '32', '20', '12']],
    )
    t.same(await table(page, 'Faxes'), [
      ['Sent', '7'],
      ['Received', '4'],
      ['Failed: the number is busy', '2'],
      ['Failed: nobody answers', '1'],
    ])
    t.same(await table(page, 'Texts'), [
      ['Delivered', '25'],
      ['Received', '11'],
      ['Failed', '1'],
    ])
    t.same(await table(page, 'Reminders'), [
      ['Confirmed', '21'],
      ['Nobody answered', '3'],
    ])
    const week = panel(page, 'The week')
    await week.getByRole('button', { name: 'Wait' }).click()
    const cell = week.locator('tr', { hasText: '10 AM' }).locator('td').nth(1)
    t.match(await cell.innerText(), /[34]:\d\d/)
    t.match(await cell.getAttribute('class'), /heat-6/)
    t.same(await violations(page), [])
  })
})

t.test('days are in the address, from one to two years; what was not recorded is said', async (t) => {
  await box.visit(t, { as: manager, ...wide }, async (page) => {
    await page.goto('/figures')
    await page.getByRole('button', { name: '7 days', pressed: true }).waitFor()
    for (const [name, days, bars] of [
      ['30 days', 30, 30],
      ['12 months', 365, 53],
      ['2 years', 730, 25],
    ] as const) {
      await page.getByRole('button', { name }).click()
      await page.waitForURL(`**/figures?from=${now.minus({ days: days - 1 }).toISODate()}&to=${now.toISODate()}`)
      const rows = await table(page, 'Missed and called back')
      t.ok(Math.abs(rows.length - bars) <= 1, `${name}: ${rows.length} places`)
    }
    await page.getByText(`Not recorded before ${monday.minus({ months: 14 }).toFormat('LLLL d, yyyy')}.`).waitFor()
    await page.getByLabel('From').fill(monday.minus({ days: 2 }).toISODate()!)
    await page.getByLabel('To', { exact: true }).fill(monday.minus({ days: 2 }).toISODate()!)
    await page.getByRole('heading', { name: '0 calls missed' }).waitFor()
    await page.getByText('Nobody had to be called back.').waitFor()
    t.equal(await page.getByText('Not recorded before').count(), 0)
    await page.getByRole('button', { name: 'Earlier' }).click()
    await page.waitForURL(`**/figures?from=${monday.minus({ days: 3 }).toISODate()}&to=${monday.minus({ days: 3 }).toISODate()}`)
  })
})

t.test('under ten calls no share is shown', async (t) => {
  const day = monday.minus({ months: 14 }).toISODate()
  await box.visit(t, { as: manager, ...wide }, async (page) => {
    await page.goto(`/figures?from=${day}&to=${day}`)
    await page.getByText('of 1 call from outside').waitFor()
    await page.getByText('Fewer than 10 calls: no percentages and no waits.').waitFor()
    const text = await page.locator('main').innerText()
    t.notMatch(text, /\d\s?%/)
    await panel(page, 'How long callers wait').getByText('At no time shown here were 10 calls answered.').waitFor()
  })
})

t.test('the desk sees its own queues of today, a technician counts', async (t) => {
  await box.visit(t, { as: desk, ...wide }, async (page) => {
    await page.goto('/figures')
    await panel(page, 'Your queues today').waitFor()
    await page.getByText('No caller came to a queue in this time.').waitFor()
    t.equal(await page.getByRole('heading', { name: /called back|missed/ }).count(), 0)
    t.equal(await page.getByRole('button', { name: '7 days' }).count(), 0)
    t.same(await violations(page), [])
  })
  t.match(await box.ask(desk, 'GET', '/api/figures/calls'), { status: 403 })
  await box.visit(t, { as: technician, ...wide }, async (page) => {
    await page.goto('/figures')
    await page.getByRole('button', { name: new RegExp(`^${dayName} \\d`) }).click()
    await page.getByRole('heading', { name: '12 calls missed' }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Show them' }).count(), 0)
  })
})
