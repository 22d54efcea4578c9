/** What a technician reads of a call, of alarms and of the audit trail; and what others see of them. */
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { barsOf, fits, isMasked, lengthOf, stepsOf, type Filter } from '../../daemon/console/pages/trace/model.ts'
import type { TraceView } from '../../daemon/schema/voice-api.ts'
import { Application } from '../harness/app.ts'
import { overflow, violations, type Page } from '../harness/browser.ts'
import { ConsoleBox, type BoxPerson } from '../harness/console.ts'
import { Trunk } from '../harness/trunk.ts'
import { eventually } from '../harness/waiting.ts'

t.setTimeout(300_000)

const began = Date.UTC(2026, 2, 2, 14, 5)
const at = (ms: number): string => new Date(began + ms).toISOString()
const entry = (ms: number, kind: string, text: string, data?: unknown) => ({
  at: at(ms),
  ms,
  kind,
  text,
  ...(data === undefined ? {} : { data }),
})

t.test('entries of a trace fall into lanes, and last until what ends them', async (t) => {
  const entries = [
    entry(0, 'event', 'call.incoming -> https://app.example/voice'),
    entry(180, 'document', 'say, gather', [{ say: {} }]),
    entry(181, 'verb', 'say'),
    entry(200, 'prompt', '*** (12 characters)'),
    entry(1200, 'verb', 'gather'),
    entry(2000, 'key', '*'),
    entry(2001, 'event', 'gather.completed -> https://app.example/voice'),
    entry(7001, 'error', 'the application did not answer', { url: 'https://app.example/voice' }),
    entry(7002, 'leg', 'ringing extension 102'),
    entry(9000, 'warning', 'an odd packet'),
  ]
  const steps = stepsOf(entries, false)
  t.same(
    steps.map(({ lane, lastsMs }) => [lane, lastsMs]),
    [
      ['application', 180],
      ['application', null],
      ['box', 1019],
      ['box', 1000],
      ['box', 801],
      ['caller', null],
      ['application', 5000],
      ['application', null],
      ['phone', null],
      ['box', null],
    ],
  )
  t.equal(stepsOf(entries.slice(0, 1), true)[0]!.lastsMs, null, 'of a call that goes on the end is not known')
  const leg = { to: '102', trunkId: '', state: 'completed', startedAt: at(7002), answeredAt: at(8000), endedAt: at(20_000), sipCode: 200 }
  const trace = { call: { endedAt: at(20_000), legs: [leg] }, entries, dropped: 0 } as unknown as TraceView
  t.equal(lengthOf(trace), 20_000)
  const legs = barsOf(trace, steps).filter(({ look }) => look === 'rings' || look === 'talks')
  t.same(
    legs.map(({ look, fromMs, toMs }) => [look, fromMs, toMs]),
    [
      ['rings', 7002, 8000],
      ['talks', 8000, 20_000],
    ],
  )
  t.equal(isMasked(entries), true)
  t.equal(isMasked([entry(0, 'key', '7'), entry(1, 'prompt', 'Welcome')]), false)
  const count = (filter: Partial<Filter>): number =>
    steps.filter((step) => fits({ text: '', lanes: [], onlyBad: false, ...filter }, step)).length
  t.equal(count({ onlyBad: true }), 2)
  t.equal(count({ lanes: ['caller', 'phone'] }), 2)
  t.equal(count({ text: 'APP.EXAMPLE' }), 3)
  t.equal(lengthOf({ call: { endedAt: null }, entries: [], dropped: 0 } as unknown as TraceView), 1, 'of nothing')
})

const app = await Application.open()
const trunk = await Trunk.open()
t.teardown(async () => {
  trunk.close()
  await app.close()
})
app.script = (event) =>
  event.event === 'call.inbound.pre_route'
    ? [{ say: { text: 'For the nurse, press one.' } }, { gather: { maxDigits: 1, timeoutSeconds: 2, actionUrl: `${app.url}/menu` } }]
    : { status: 500, body: 'broken' }
const box = await ConsoleBox.open(t, {
  app: app.url,
  trunkPort: trunk.port,
  settings: (base) => {
    const [main] = base['trunks'] as Record<string, unknown>[]
    base['trunks'] = [main, { ...main, id: 'spare', server: '127.0.0.1:9', numbers: [], default: false }]
    base['alarms'] = [{ id: 'office', events: ['disk'], notify: { webhook: [`${app.url}/status`] } }]
  },
})
const { daemon } = box
const ted = await box.person({ login: 'ted', name: 'Ted', roles: ['technician'] })
const mona = await box.person({ login: 'mona', name: 'Mona', roles: ['manager'] })
const dora = await box.person({ login: 'dora', name: 'Dora', roles: ['desk'] })

async function simulated(): Promise<string> {
  const { out } = await daemon.pbx('simulate', 'inbound', '--from', '+12025550114', '--to', '+15550001000', '--keys', '1', '--json')
  return /"callId":\s*"(CA[0-9a-f]+)"/.exec(out)![1]!
}

const callId = await simulated()

/** The call in the list of calls, with its trace opened. */
async function openTrace(page: Page): Promise<void> {
  await page.goto(`/calls/${callId}`)
  await page.getByRole('button', { name: 'Step by step (trace)', exact: true }).click()
}

t.test('the trace of a call: warnings first, lanes, masked, filtered, and again in the simulator', async (t) => {
  await box.visit(t, { as: ted }, async (page) => {
    await openTrace(page)
    const trace = page.getByRole('region', { name: 'Trace', exact: true })
    await trace.getByRole('region', { name: /warnings?/ }).waitFor()
    await trace.getByRole('img', { name: /Trace of .* entries/ }).waitFor()
    await trace.getByText('Keys, words and prompts are hidden').waitFor()
    const text = await trace.innerText()
    t.notMatch(text, /555 ?0114|nurse/i, 'no number of the caller, no word')
    t.match(text, /555 000 1000|5550001000/, 'our own number')
    const rows = trace.locator('.traced')
    const all = await rows.count()
    t.ok(all > 5, `${all} entries`)
    await trace.getByRole('button', { name: 'Warnings alone' }).click()
    t.ok((await rows.count()) < all)
    await trace.getByRole('button', { name: 'Warnings alone' }).click()
    await trace.getByLabel('Filter').fill('gather')
    await eventually('the filter', async () => (await rows.count()) < all)
    await trace.getByLabel('Filter').fill('nothing of the kind')
    await trace.getByText('No entry fits the filter.').waitFor()
    await trace.getByLabel('Filter').fill('')
    await trace.getByText('Details').first().click()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      t.same(await violations(page), [], colorScheme)
    }
    await page.getByRole('button', { name: 'Again in the simulator' }).click()
    const dialog = page.getByRole('dialog', { name: 'Again in the simulator' })
    t.equal(await dialog.getByLabel('Called number').inputValue(), '+15550001000')
    t.equal(await dialog.getByLabel('Caller', { exact: true }).inputValue(), '', 'the caller is hidden')
    await dialog.getByLabel('Caller', { exact: true }).fill('+12025550199')
    await dialog.getByLabel('Keys').fill('1')
    await dialog.getByRole('button', { name: 'Place the simulated call' }).click()
    await dialog.getByText(/Ended: /).waitFor()
    t.same(await violations(page), [])
    t.notMatch(await dialog.innerText(), /555 ?0199|nurse/i)
  })
  await box.visit(t, { as: ted, viewport: { width: 320, height: 640 } }, async (page) => {
    await openTrace(page)
    await page.getByRole('img', { name: /Trace of/ }).waitFor()
    t.equal(await overflow(page), 0)
  })
})

t.test('a trace that is gone, cut or long says so', async (t) => {
  await box.visit(t, { as: ted, expects: /404/ }, async (page) => {
    const gone = { status: 404, json: { error: 'There is no call with that id', code: 'call_unknown' } }
    await page.route('**/api/voice/calls/*/trace', (route) => route.fulfill(gone))
    await openTrace(page)
    await page.getByText('not kept any more').waitFor()
    await page.unrouteAll()
    const { body } = await box.ask(ted, 'GET', `/api/voice/calls/${callId}/trace`)
    const long = Array.from({ length: 1000 }, (_, n) => ({ ...body.entries[0], ms: n * 10 }))
    await page.route('**/api/voice/calls/*/trace', (route) => route.fulfill({ json: { ...body, entries: long, dropped: 17 } }))
    await openTrace(page)
    await page.getByText('17 entries are missing').waitFor()
    t.ok((await page.locator('.traced').count()) <= 80, 'a long trace is not all in the document')
    await page.getByRole('button', { name: /^Show \d+ more/ }).click()
  })
})

t.test('alarms: what is open is taken in hand, rules are tried, the history is filtered; the desk only looks', async (t) => {
  await eventually('the dead trunk is an event', async () =>
    (await daemon.api('GET', '/api/box/events?lasting=true')).body.items.some(({ code }: { code: string }) => code === 'line-spare'),
  )
  await box.visit(t, { as: dora }, async (page) => {
    await page.goto('/alarms')
    await page.getByRole('article').filter({ hasText: 'Trunk spare' }).waitFor()
    for (const name of ['Take in hand', 'Take all in hand', 'Send a test', 'Test'])
      t.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  })
  t.equal((await box.ask(dora, 'POST', '/api/alarms/acknowledge', {})).status, 403)
  t.equal((await box.ask(dora, 'POST', '/api/alarms/test', {})).status, 403)
  await box.visit(t, { as: mona }, async (page) => {
    await page.goto('/alarms')
    const spare = page.getByRole('article').filter({ hasText: 'Trunk spare' })
    await spare.getByRole('button', { name: 'Take in hand' }).click()
    await spare.getByText('In hand: Mona').waitFor()
    t.equal(await spare.getByRole('button', { name: 'Test' }).count(), 0, 'a manager tests no lines')
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText(/Test of office/).waitFor()
    await page.getByLabel('Kind').selectOption('line')
    await page.getByRole('region', { name: 'History' }).getByText('line-spare').waitFor()
    await page.getByLabel('Kind').selectOption('login')
    await page.getByText('No event of this kind was kept.').waitFor()
    t.same(await violations(page), [])
  })
})

t.test('the audit trail: a manager sees, exports and verifies all, a technician no ids of patients, the desk its own deeds', async (t) => {
  await box.ask(dora, 'GET', '/api/desk')
  const rows = (page: Page) => page.getByRole('region', { name: 'Who did what' }).locator('tbody tr')
  await box.visit(t, { as: mona }, async (page) => {
    await page.goto('/audit')
    await rows(page).first().waitFor()
    await page.getByLabel('Deed').selectOption('call')
    await rows(page).filter({ hasText: 'call.simulate' }).first().waitFor()
    await page.getByLabel('Deed').selectOption('')
    await page.getByLabel('About').fill(callId)
    await rows(page).filter({ hasText: 'trace.read' }).first().waitFor()
    t.match(await rows(page).filter({ hasText: 'trace.read' }).first().innerText(), /ted/, 'who saw this')
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByRole('button', { name: 'Clear the filter', disabled: true }).waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()])
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
    t.match(JSON.parse(lines[0]!), { seq: 1 })
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText(/The trail is whole/).waitFor()
    t.same(await violations(page), [])
  })
  await box.visit(t, { as: ted }, async (page) => {
    await page.goto('/audit')
    await rows(page).filter({ hasText: 'trace.read' }).first().waitFor()
    t.notOk((await page.locator('main').innerText()).includes(callId), 'no id of a call')
    t.equal(await page.getByRole('button', { name: 'Export' }).count(), 0)
    await page.getByRole('button', { name: 'Verify' }).waitFor()
  })
  t.equal((await box.ask(ted, 'POST', '/api/audit/export')).status, 403)
  await box.visit(t, { as: dora }, async (page) => {
    await page.goto('/audit')
    const own = page.getByRole('region', { name: 'What you did' })
    await own.locator('tbody tr').first().waitFor()
    for (const name of await own.locator('tbody th').allInnerTexts()) t.equal(name, 'dora')
    for (const name of ['Export', 'Verify']) t.equal(await page.getByRole('button', { name }).count(), 0, name)
  })
  t.equal((await box.ask(dora, 'GET', '/api/audit/verdict')).status, 403)
})

t.test('older rows of the audit trail follow without a gap', async (t) => {
  const seqs = async (person: BoxPerson, more: string): Promise<number[]> =>
    (await box.ask(person, 'GET', `/api/audit?limit=10${more}`)).body.map(({ seq }: { seq: number }) => seq)
  const first = await seqs(mona, '')
  const second = await seqs(mona, `&before=${first.at(-1)}`)
  t.equal(second[0], first.at(-1)! - 1)
  t.equal(new Set([...first, ...second]).size, 20)
})
