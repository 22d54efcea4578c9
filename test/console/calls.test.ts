/** The page of calls in a browser: thousands of calls in pages and filters, whom nobody has called back, the way of one call, and what each role gets. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ladderOf, placeOf } from '../../daemon/console/pages/calls/ladder.ts'
import { newId } from '../../daemon/base/ids.ts'
import { recordOf } from '../../daemon/history/view.ts'
import type { HistoryRow } from '../../daemon/store/history-rows.ts'
import { wavBytes } from '../../drivers/wav.ts'
import { overflow, violations, type Page } from '../harness/browser.ts'
import { callOf, houseNumber, keepCalls, manyCalls } from '../harness/call-log.ts'
import { ConsoleBox } from '../harness/console.ts'
import { eventually } from '../harness/waiting.ts'
import { hostile } from './seeded.ts'

const zone = 'America/New_York'
const second = 1000
const minute = 60 * second
const at = 1_772_460_300_000

t.test('the way of a call has each place and each phone, in order of time', async (t) => {
  const row = callOf({ at, from: '+12025550114', outcome: 'answered', by: '102', waitSeconds: 48, talkSeconds: 60 })
  const steps = [
    { at, to: 'menu:main', endedAt: at + 11 * second, outcome: 'answered' },
    { at: at + 11 * second, to: 'queue:front', endedAt: at + 48 * second, outcome: 'answered' },
  ]
  const leg = (to: string, from: number, taken: number | null, sipCode = 487) => ({
    ...{ to, trunkId: '', startedAt: at + from * second, answeredAt: taken === null ? null : at + taken * second, sipCode },
    endedAt: at + (taken === null ? 40 : 108) * second,
  })
  const transfers = [{ at: at + 80 * second, to: '103', kind: 'attended' as const }]
  const legs = [leg('101', 11, null, 486), leg('102', 40, 48)]
  const rungs = ladderOf(recordOf({ ...row, steps, legs, transfers }))
  t.same(
    rungs.map(
      ({ kind, place, ms, outcome, inner }) => `${kind} ${place.kind} ${place.name} ${ms ?? '-'} ${outcome}${inner ? ' inner' : ''}`,
    ),
    [
      'begins caller +12025550114 - inbound',
      'step menu main 11000 answered',
      'step queue front 37000 answered',
      'rang extension 101 29000 busy inner',
      'rang extension 102 8000 answered inner',
      'talk extension 102 60000  inner',
      'sent extension 103 - attended',
      'end other  - caller',
    ],
  )
  for (const [to, kind, name] of [
    ['102', 'extension', '102'],
    ['voicemail:100', 'voicemail', '100'],
    ['external:+12025550114', 'outside', '+12025550114'],
    ['+12025550114', 'outside', '+12025550114'],
    ['*0114', 'outside', '*0114'],
    ['fax', 'fax', ''],
    ['endpoint:reception', 'endpoint', 'reception'],
    ['<b>', 'other', '<b>'],
  ] as const)
    t.same(placeOf(to), { kind, name }, to)
})

const now = Date.now()
/** A quarter of them calls out; each fourth of the others nobody took. */
const log = manyCalls({ count: 900, now, days: 100, zone })
const gloria = '+12025550114'
const recorded = newId()
const newest: readonly HistoryRow[] = [
  callOf({ at: now - 50 * minute, from: gloria, name: 'Gloria Chen', queue: 'front', rang: ['101', '102'], waitSeconds: 31 }),
  callOf({ at: now - 40 * minute, by: '101', to: gloria, outcome: 'answered', more: { recordings: [recorded] } }),
  callOf({ at: now - 30 * minute, from: '+12025550131', name: 'Samuel Ortiz', queue: 'nurses', rang: ['102'] }),
  callOf({ at: now - 20 * minute, from: '+12025550162', name: hostile, by: '102', more: { recordings: ['gone'] } }),
  callOf({ at: now - 10 * minute, from: '', outcome: 'abandoned', queue: 'front' }),
]
const all = [...log, ...newest].toReversed()

const box = await ConsoleBox.open(t, {
  settings: (base) => {
    base['site'] = { name: 'Riverside Clinic', country: 'US', timeZone: zone }
    base['queues'] = [
      { id: 'front', name: 'Front desk', members: ['101'] },
      { id: 'nurses', name: 'Nurse line', members: ['102'] },
    ]
  },
})
await box.daemon.stop()
const dir = join(box.daemon.dir, 'var')
mkdirSync(join(dir, 'recordings'), { recursive: true })
const samples = Int16Array.from({ length: 4 * 8000 }, (_, n) => Math.round(9000 * Math.sin(n / 7)))
writeFileSync(join(dir, 'recordings', `${recorded}.wav`), wavBytes(samples))
await keepCalls(dir, [...log, ...newest], zone, ({ tables }) => {
  tables.recordings.put(recorded, {
    ...{ recordingId: recorded, callId: newest[1]!.callId, file: `recordings/${recorded}.wav`, bytes: samples.byteLength + 44 },
    ...{ durationMs: 4000, createdAt: now, expiresAt: now + 86_400_000, transcript: 'See you on Friday', transcriptStatus: 'done' },
  })
  const call = {
    callId: newest[2]!.callId,
    number: '+12025550131',
    callerName: 'Samuel Ortiz',
    queue: 'nurses',
    rang: ['102'],
    ringSeconds: 20,
  }
  const open = { rev: 1, state: 'open', owner: null, note: '', times: 1, closed: null } as const
  const row = { ...open, kind: 'missed', id: call.callId, at: newest[2]!.startedAt } as const
  tables.work.put(`missed/${row.id}`, { ...row, call: { ...call, at: row.at } })
  tables.workNumbers.put('+12025550131', row.id)
})
await box.daemon.start()
const desk = await box.person({ login: 'maria', name: 'Maria Lopez', roles: ['desk'], extension: '101' })
const manager = await box.person({ login: 'mona', name: 'Mona Diaz', roles: ['manager'] })
const technician = await box.person({ login: 'tom', name: 'Tom Ridge', roles: ['technician'] })

const path = '/api/pbx/calls/history'
const idsOf = (rows: readonly { callId: string }[]): string[] => rows.map(({ callId }) => callId)
const shown = (page: Page) => page.locator('tr[data-row]')
const ready = (page: Page) => page.locator('tr[data-row], .empty').first().waitFor()
/** Further rows may have to come before so far can be scrolled. */
function scrolledTo(page: Page, scroller: string, top: number, row: number): Promise<void> {
  return eventually(`row ${row}`, async () => {
    await page.locator(scroller).evaluate((element: any, to: number) => (element.scrollTop = to), top)
    return (await page.locator(`tr[aria-rowindex="${row}"]`).count()) > 0
  })
}

/** Scrolls down until no more comes, and notes each row that is seen, in its place. */
async function walk(page: Page): Promise<{ ids: string[]; most: number }> {
  const { rows, most, whole } = await page.evaluate<{ rows: [number, string][]; most: number; whole: boolean }>(`(async () => {
    const body = document.querySelector('.call-list > .body')
    const frame = () => new Promise(requestAnimationFrame)
    const rows = new Map()
    let most = 0
    let whole = false
    body.scrollTop = 0
    for (let tries = 0; !whole && tries < 2000; tries++) {
      await frame()
      await frame()
      most = Math.max(most, document.querySelectorAll('tr').length)
      for (const row of document.querySelectorAll('tr[data-row]')) rows.set(Number(row.ariaRowIndex), row.dataset.row)
      const isLast = Number(document.querySelector('.long table').getAttribute('aria-rowcount')) > 0
      whole = isLast && body.scrollTop + body.clientHeight >= body.scrollHeight - 1
      body.scrollTop += 1200
    }
    return { rows: [...rows], most, whole }
  })()`)
  if (!whole) throw new Error('the list has no end')
  return { ids: rows.toSorted(([a], [b]) => a - b).map(([, id]) => id), most }
}

t.test('all pages of thousands of calls are disjoint and whole, and few of them are in the document', async (t) => {
  await box.visit(t, { as: manager, viewport: { width: 1280, height: 800 } }, async (page) => {
    await page.goto('/calls?list=all')
    await ready(page)
    const { ids, most } = await walk(page)
    t.same(ids, idsOf(all), 'each once, the one that ended last first')
    t.ok(most <= 80, `${most} rows in the document`)
  })
})

const talkedLater = (row: HistoryRow): boolean =>
  all.some(
    (later) =>
      later.endedAt > row.endedAt &&
      later.outcome === 'answered' &&
      (later.direction === 'inbound' ? later.from === row.from : later.to === row.from && row.from !== ''),
  )
const day = new Date(log.at(-400)!.startedAt).toLocaleDateString('en-CA', { timeZone: zone })
const dayAfter = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
const looks: readonly [address: string, typed: string, fits: (row: HistoryRow) => boolean][] = [
  [
    '',
    '',
    (row) =>
      row.direction === 'inbound' && ['missed', 'abandoned', 'voicemail'].includes(row.outcome) && (row.from === '' || !talkedLater(row)),
  ],
  ['?list=own', '', (row) => row.extension === '101' || row.legs.some(({ to }) => to === '101')],
  ['?list=all', '5551234', (row) => [row.from, row.to, ...row.legs.map(({ to }) => to)].some((number) => number.includes('5551234'))],
  ['?list=all', 'okafor', (row) => row.callerName === 'Ben Okafor'],
  [`?list=all&day=${day}`, '', (row) => new Date(row.startedAt).toLocaleDateString('en-CA', { timeZone: zone }) === day],
  [
    `?list=all&day=${day}&until=${dayAfter}`,
    '',
    (row) => [day, dayAfter].includes(new Date(row.startedAt).toLocaleDateString('en-CA', { timeZone: zone })),
  ],
  ['?list=all&direction=outbound&outcome=no-answer', '', (row) => row.direction === 'outbound' && row.outcome === 'no-answer'],
  [
    '?list=all&queue=nurses&colleague=102',
    '',
    (row) => row.steps.some(({ to }) => to === 'queue:nurses') && (row.extension === '102' || row.legs.some(({ to }) => to === '102')),
  ],
]

t.test('each filter shows exactly what fits, and a part of a name or number is never in the address', async (t) => {
  await box.visit(t, { as: desk, viewport: { width: 1280, height: 800 } }, async (page) => {
    for (const [address, typed, fits] of looks) {
      await page.goto(`/calls${address}`)
      await ready(page)
      await page.getByRole('searchbox').fill(typed)
      await page.locator('.call-list:not(.looking)').waitFor()
      const wanted = idsOf(all.filter(fits))
      await eventually('the first row', async () => (await shown(page).first().getAttribute('data-row')) === wanted[0])
      t.same((await walk(page)).ids, wanted, `${address} ${typed}`)
      t.ok(wanted.length > 0 && !page.url().includes(typed || '?q'), page.url())
    }
    await page.getByLabel('Part of a number or a name').fill('nobody at all')
    await page.getByText('No call fits these filters.').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await ready(page)
    t.match(page.url(), /\/calls\?list=all$/)
    await page.getByLabel('Outcome').selectOption('voicemail')
    await page.waitForURL('**/calls?list=all&outcome=voicemail')
  })
})

t.test('new calls come on top, the order of the others stays, and a caller who was called back leaves the list', async (t) => {
  await box.visit(t, { as: manager, viewport: { width: 1280, height: 800 } }, async (page) => {
    await page.goto('/calls?list=all')
    await ready(page)
    await scrolledTo(page, '.call-list > .body', 11_000, 280)
    const idOf = (n: number): string => `CA${String(n).padStart(32, 'e')}`
    const report = async (n: number, more: object): Promise<void> => {
      const startedAt = new Date(Date.now() - 60 * second).toISOString()
      const facts = { direction: 'inbound', outcome: 'missed', from: '+12025557777', to: houseNumber, ringSeconds: 30, talkSeconds: 0 }
      const call = { callId: idOf(n), rev: 1, state: 'ended', startedAt, ...facts, ...more }
      const { status, body } = await box.daemon.api('POST', '/api/pbx/calls/log', call)
      t.equal(status, 200, JSON.stringify(body))
    }
    for (const n of [1, 2, 3]) await report(n, {})
    await page.locator('.call-list > .body').evaluate((element: any) => (element.scrollTop = 0))
    await page.locator(`tr[data-row="${idOf(3)}"]`).waitFor()
    t.same((await walk(page)).ids, [...[3, 2, 1].map(idOf), ...idsOf(all)])
    await page.goto('/calls')
    await page.locator('tr[data-row]', { hasText: '202 555 7777' }).first().waitFor()
    // One at the top, and one beyond the first page.
    const open = (await walk(page)).ids
    const far = all.findLast(({ callId, from }) => from !== '' && open.includes(callId))!
    for (const [n, from] of [
      [5, '+12025557777'],
      [6, far.from],
    ] as const)
      await report(n, { outcome: 'answered', extension: '101', talkSeconds: 40, from })
    const gone = (id: string): boolean =>
      [1, 2, 3].map(idOf).includes(id) || all.some(({ callId, from }) => callId === id && from === far.from)
    await eventually('those who were called back to go', async () => !(await walk(page)).ids.some(gone))
    t.same(
      (await walk(page)).ids,
      open.filter((id) => !gone(id)),
    )
  })
})

t.test('a call: who called back, its way, the recording, a note, and its work', async (t) => {
  const [missed, back, samuel, strange] = newest.map(({ callId }) => callId)
  await box.visit(t, { as: manager, viewport: { width: 1280, height: 900 } }, async (page) => {
    await page.goto('/calls?list=all')
    await page.getByRole('link', { name: /Gloria Chen/ }).click()
    await page.waitForURL(`**/calls/${missed}?list=all`)
    const detail = page.locator('.call-detail')
    await detail.getByText('Queue Front desk').waitFor()
    await detail.getByText('101 Front desk rings').waitFor()
    t.same(await violations(page), [])
    const answer = detail.getByRole('link', { name: /Called back .* by 101 Front desk/ })
    await answer.click()
    await page.waitForURL(`**/calls/${back}`)
    await detail.getByText('101 Front desk dials').waitFor()
    await detail.getByText('Friday', { exact: true }).waitFor()
    await detail.getByRole('button', { name: 'Play' }).click()
    await detail.getByRole('button', { name: 'Pause' }).waitFor()
    await detail.getByLabel('Note').fill('Gets a new card\nfor the 3rd')
    await detail.getByRole('button', { name: 'Save the note' }).click()
    await detail.locator('.noted', { hasText: 'Gets a new card' }).getByText('Mona Diaz').waitFor()
    await detail.getByRole('button', { name: 'Delete the recording' }).click()
    await page.getByRole('dialog').getByText('removed for good').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the recording' }).click()
    await detail.getByText('The recording was removed').waitFor()
    await page.goto(`/calls/${strange}`)
    await detail.getByText('The recording was removed').waitFor()
    t.equal(await page.title(), 'Calls – Riverside Clinic')
    await page.route(`**${path}/${strange}`, async (route) => {
      const real = await route.fetch()
      await route.fulfill({ response: real, json: { ...(await real.json()), recording: { state: 'pending' } } })
    })
    await page.reload()
    await detail.getByText('The recording is being prepared').waitFor()
    await page.goto(`/calls/CA${'9'.repeat(32)}`)
    await detail.getByText('There is no such call').waitFor()
    await page.goto(`/calls/${samuel}`)
    await detail.getByText('Not called back').waitFor()
    await detail.getByRole('button', { name: 'Done' }).click()
    await detail.getByRole('button', { name: 'Open again' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await detail.getByRole('button', { name: 'Done' }).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'As a table' }).click()])
    t.match(readFileSync(await download.path(), 'utf8'), /^\uFEFFbegan,[^]*Samuel Ortiz/)
  })
})

t.test('keys lead through the list and back', async (t) => {
  await box.visit(t, { as: desk }, async (page) => {
    await page.goto('/desk')
    await page.getByRole('navigation').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.waitForURL('**/calls')
    await ready(page)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const id = await page.locator('tr.on').getAttribute('data-row')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/calls/${id}`)
    await page.locator('.call-detail .ladder').waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/calls')
    await eventually('the focus on the row', () =>
      page.evaluate<boolean>('document.activeElement.closest("tr")?.dataset.row === ' + JSON.stringify(id)),
    )
    for (let n = 0; n < 90; n++) await page.keyboard.press('j')
    await eventually('the chosen row in the window', async () => (await page.locator('tr.on').count()) === 1)
  })
})

t.test('a search of the house leads to the calls of a person, without the number in the address', async (t) => {
  await box.daemon.api('POST', `/api/crm/names/${encodeURIComponent(gloria)}`, { name: 'Gloria Chen' })
  await box.visit(t, { as: desk }, async (page) => {
    await page.goto('/desk')
    await page.getByRole('combobox').fill('gloria')
    await page
      .getByRole('option', { name: /Gloria Chen/ })
      .first()
      .click()
    await page.waitForURL('**/calls?list=all')
    await eventually('her two calls', async () => (await shown(page).count()) === 2)
    t.equal(await page.getByRole('button', { name: 'As a table' }).count(), 0, 'the desk has no table')
    await page
      .getByRole('link', { name: /202 555 0114/ })
      .first()
      .click()
    await page.locator('.ladder').waitFor()
    t.equal(await page.getByRole('button', { name: 'Play' }).count(), 0, 'and no recordings')
  })
  t.match(await box.ask(desk, 'GET', '/api/calls/history.csv'), { status: 403 })
  t.match(await box.ask(desk, 'GET', `/api/voice/recordings/${recorded}`), { status: 403 })
})

t.test('a technician sees masked numbers and states, and cannot find out the rest by looking for it', async (t) => {
  for (const query of ['q=12025', 'q=Gloria', `phoneNumber=${encodeURIComponent(gloria)}`, 'customerId=p1'])
    t.match(await box.ask(technician, 'GET', `${path}?${query}`), { status: 403, body: { code: 'role_denied' } }, query)
  t.match(await box.ask(technician, 'GET', '/api/calls/history.csv'), { status: 403 })
  await box.visit(t, { as: technician, viewport: { width: 1280, height: 800 } }, async (page) => {
    await page.goto('/calls')
    await ready(page)
    t.equal(await page.getByRole('searchbox').count(), 0)
    await page.goto(`/calls/${newest[0]!.callId}`)
    await page.locator('.ladder').waitFor()
    const text = await page.evaluate<string>('document.body.innerText')
    t.notMatch(text, /Gloria|Ortiz|555.?01(14|31)/)
    for (const name of ['Call back', 'Text', 'Save the note', 'Done', 'As a table'])
      t.equal(await page.getByRole('button', { name }).count(), 0, name)
    t.same(await violations(page), [])
  })
})

t.test('on a telephone a row is a card, and nothing is scrolled sideways', async (t) => {
  await box.visit(t, { as: desk, viewport: { width: 320, height: 640 } }, async (page) => {
    await page.goto('/calls?list=all')
    await ready(page)
    t.equal(await overflow(page), 0)
    t.ok((await page.locator('tr').count()) <= 80)
    await scrolledTo(page, 'main', 9_000, 90)
    await shown(page).nth(20).getByRole('link').click()
    await page.locator('.ladder').waitFor()
    t.equal(await overflow(page), 0)
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'To the list' }).first().click()
    await shown(page).first().waitFor()
  })
})
