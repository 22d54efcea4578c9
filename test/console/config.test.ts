/** The configuration on its page: checked while somebody writes, applied and kept or taken back, two writers, broken files; forms; the opening times of a manager. */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { freePort } from '../harness/daemon.ts'
import { overflow, violations, type Page } from '../harness/browser.ts'
import { ConsoleBox } from '../harness/console.ts'
import { eventually, patience } from '../harness/waiting.ts'

t.setTimeout(240_000)
const box = await ConsoleBox.open(t, {
  settings: (base) => {
    base['hours'] = [{ id: 'office', open: { 'mon-fri': ['08:00-17:00'] }, whenOpen: '101', whenClosed: '102' }]
  },
})
const { daemon } = box
const file = daemon.configFile
const tina = await box.person({ login: 'tina', name: 'Tina', roles: ['technician'] })
const boss = await box.person({ login: 'boss', name: 'Boss', roles: ['manager'] })
const maria = await box.person({ login: 'maria', name: 'Maria', roles: ['desk'] })

/** As a technician has written it: with comments. */
const commented = readFileSync(file, 'utf8')
  .replace(/^hours:\n/m, 'hours: # of the office\n')
  .replace('whenOpen', 'closedOn:\n      - "2026-12-25" # Christmas\n    whenOpen')
writeFileSync(file, `# The box of the clinic.\n${commented}`)
t.equal((await daemon.pbx('config', 'apply', '--yes')).code, 0)
const secretOf101 = (parse(commented) as { extensions: { password: string }[] }).extensions[0]!.password

const editor = (page: Page) => page.getByRole('textbox', { name: /Text of the configuration/ })
const panel = (page: Page) => page.getByRole('region', { name: 'What it would change' })
const bar = (page: Page, text: string | RegExp) => page.locator('.config-bar').filter({ hasText: text })

async function open(page: Page): Promise<void> {
  await page.goto('/config')
  await editor(page).waitFor()
  await panel(page).waitFor()
}

/** Replaces a part of the text as a person does it: finds it, and types over it. */
async function write(page: Page, from: string, to: string): Promise<void> {
  await editor(page).click()
  await page.keyboard.press('Control+f')
  await page.keyboard.type(from)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.keyboard.type(to)
}

async function apply(page: Page): Promise<void> {
  await panel(page).getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
}

t.test('the text is checked while somebody writes: marks as pbx config check has them, and what it would change', async (t) => {
  await box.visit(t, { as: tina }, async (page) => {
    await open(page)
    t.ok((await editor(page).innerText()).includes('# The box of the clinic.'))
    const whole = await page.evaluate<string>('fetch("/api/config/text").then((answer) => answer.text())')
    t.notOk(whole.includes(secretOf101), 'no secret leaves the box')
    const loaded = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/console/')).reduce((sum, one) => sum + one.encodedBodySize, 0)`
    const bytes = await page.evaluate<number>(loaded)
    t.ok(bytes > 100_000 && bytes <= 300_000, `the whole page is ${bytes} bytes`)

    await write(page, 'name: Front desk', 'nmae: Front desk')
    const fault = panel(page).getByRole('button', { name: /did you mean "name"/ })
    await fault.waitFor()
    t.ok(await panel(page).getByRole('button', { name: 'Apply' }).isDisabled())
    t.equal(await page.locator('.cm-lint-marker-error').count(), 1, 'the line is marked')
    const broken = t.testdir({ 'pbxd.yaml': readFileSync(file, 'utf8').replace('name: Front desk', 'nmae: Front desk') })
    const { error } = await daemon.pbx('config', 'check', `${broken}/pbxd.yaml`)
    const place = /pbxd\.yaml:(\d+:\d+): (\S+): (there is no key.*)/.exec(error)!
    t.match(await fault.innerText(), new RegExp(`${place[1]}.*${place[2]}`), 'at the same place')
    t.ok((await fault.innerText()).includes(place[3]!.slice(0, 40)), 'with the same words')
    t.same(await violations(page), [])
    await fault.click()
    await panel(page).getByRole('button', { name: 'Discard' }).click()

    await write(page, 'name: Front desk', 'name: Reception')
    await panel(page).getByText('extensions[101].name').waitFor()
    const changes = panel(page).getByRole('list', { name: 'What it would change' })
    t.match(await changes.getByRole('listitem').first().innerText(), /Front desk\s+Reception\s+live/)
    await panel(page).getByLabel('Note').fill('new sign')
    await apply(page)
    await page.getByText(/^In use as revision \d+\.$/).waitFor()
    const now = readFileSync(file, 'utf8')
    t.ok(now.includes('name: Reception') && now.includes('# Christmas') && now.includes(secretOf101), 'comments and secrets stay')

    await page.getByRole('tab', { name: 'History' }).click()
    const row = page.getByRole('row').filter({ hasText: 'new sign' })
    t.match(await row.innerText(), /person:tina[^]*in use[^]*new sign[^]*Front desk -> Reception/)
    t.same(await violations(page), [])
    await page
      .getByRole('button', { name: /More about revision/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: /Go back/ }).click()
    await page.getByRole('dialog').getByText('extensions[101].name').waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Go back/ })
      .click()
    await eventually('it is as before', () => readFileSync(file, 'utf8').includes('name: Front desk'))
  })
})

const answersAt = async (port: number | string): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok === true

t.test('what could lock a person out is taken back unless it is kept; a moved web port shows the way', async (t) => {
  const port = await freePort()
  const { port: before } = new URL(daemon.http)
  await box.visit(t, { as: tina, expects: /Failed to load|ERR_/ }, async (page, context) => {
    await open(page)
    await write(page, `127.0.0.1:${before}`, `127.0.0.1:${port}`)
    await panel(page).getByText('http.listen').waitFor()
    await panel(page)
      .getByText(/without “Keep these settings” within 60 s/)
      .waitFor()
    await apply(page)
    const link = page.getByRole('link', { name: `:${port}/config` })
    await link.waitFor()
    t.match(await page.locator('.config-count').innerText(), /^([1-5]?\d|60)$/)
    t.same(await violations(page), [])
    const other = await context.newPage()
    await other.goto(`http://127.0.0.1:${port}/config`)
    await other.getByRole('button', { name: 'Keep these settings' }).waitFor()
    await other.getByRole('button', { name: 'Take back' }).click()
    await bar(page, /Taken back.*undone by hand/).waitFor()
    t.ok((await editor(page).innerText()).includes(`127.0.0.1:${port}`), 'what was written is still there')

    const inUse = readFileSync(file, 'utf8')
    await panel(page).getByLabel('Note').fill('nobody keeps it')
    await apply(page)
    await link.waitFor()
    t.equal(await answersAt(port), true, 'it is in use at the new port')
    await bar(page, /Taken back.*it was not confirmed within 60 s/).waitFor({ timeout: 90_000 * patience })
    t.same([await answersAt(port), await answersAt(before)], [false, true], 'the earlier configuration is in force again')
    t.equal(readFileSync(file, 'utf8'), inUse)
    await page.getByRole('tab', { name: 'History' }).click()
    const row = page.getByRole('row').filter({ hasText: 'nobody keeps it' })
    t.match(await row.innerText(), /person:tina[^]*taken back[^]*it was not confirmed within 60 s[^]*http\.listen/i)
    await page.getByRole('tab', { name: 'Text' }).click()
    await panel(page).getByRole('button', { name: 'Discard' }).click()
    await write(page, `127.0.0.1:${daemon.sipPort}`, `127.0.0.1:${await freePort()}`)
    await panel(page).getByText('sip.udp').waitFor()
    await apply(page)
    await page.getByRole('button', { name: 'Keep these settings' }).click()
    await page.getByText(/^In use as revision \d+\.$/).waitFor()
    await page.getByRole('button', { name: 'Understood' }).waitFor({ state: 'detached' })
  })
})

t.test(
  'of two writers the second sees both differences, and neither a secret; while a change waits for calls to end, the text waits too',
  async (t) => {
    await box.visit(t, { as: tina }, async (page) => {
      await open(page)
      await write(page, 'name: Front desk', 'name: Reception')
      const shown = (await daemon.api('GET', '/api/config/text')).body as { text: string; base: string }
      const answers: string[] = []
      page.on('response', (answer) => {
        if (answer.url().includes('/api/config'))
          void answer.text().then(
            (text) => answers.push(text),
            () => undefined,
          )
      })
      await daemon.api('POST', '/api/config/apply', { text: shown.text.replace(/name: Nurse\b/, 'name: Doctor'), base: shown.base })
      const both = page.getByRole('group', { name: 'Somebody else has changed the configuration' })
      await both.waitFor()
      t.match(await both.getByRole('list', { name: /Theirs/ }).innerText(), /extensions\[102\].name[^]*Doctor/)
      t.match(await both.getByRole('list', { name: /Yours/ }).innerText(), /extensions\[101\].name[^]*Reception/)
      t.same(await violations(page), [])
      t.ok(await panel(page).getByRole('button', { name: 'Apply' }).isDisabled())
      t.notOk(answers.some((text) => text.includes(secretOf101)))
      await both.getByRole('button', { name: /Take theirs/ }).click()
      await both.waitFor({ state: 'detached' })
      t.ok((await editor(page).innerText()).includes('name: Doctor'))

      // A page that has heard nothing of the other writer hears it when it applies.
      await page.route(/\/api\/config$/, (route) => route.abort())
      await write(page, 'name: Front desk', 'name: Reception')
      await panel(page).getByText('extensions[101].name').waitFor()
      const now = (await daemon.api('GET', '/api/config/text')).body as { text: string; base: string }
      await daemon.api('POST', '/api/config/apply', { text: now.text.replace(/name: Doctor\b/, 'name: Nurse'), base: now.base })
      await eventually('the end of that change', async () => {
        const { body } = await daemon.api('GET', '/api/config')
        return (body as { change: { state: string } | null }).change?.state === 'applied'
      })
      const [answer] = await Promise.all([page.waitForResponse('**/api/config/apply'), apply(page)])
      t.equal(answer.status(), 409)
      t.equal((await answer.json()).code, 'revision_changed')
      await both.waitFor()
      t.match(await both.getByRole('list', { name: /Theirs/ }).innerText(), /extensions\[102\].name[^]*Nurse/)
      t.match(await both.getByRole('list', { name: /Yours/ }).innerText(), /extensions\[101\].name[^]*Reception/)
      await page.unroute(/\/api\/config$/)
      await both.getByRole('button', { name: /Take theirs/ }).click()
      await both.waitFor({ state: 'detached' })
      t.notOk(answers.some((text) => text.includes(secretOf101)))

      const waiting = {
        state: 'waiting',
        reason: '2 calls would be cut off by a restart',
        until: new Date(Date.now() + 600_000).toISOString(),
      }
      const change = { ...waiting, revision: null, file: '', changes: [], effect: 'restart', confirm: false }
      const state = (await daemon.api('GET', '/api/config')).body as object
      await page.route('**/api/config', (route) =>
        route.fulfill({ contentType: 'application/json', body: JSON.stringify({ ...state, change }) }),
      )
      await open(page)
      await bar(page, /Waiting for calls to end.*2 calls would be cut off.*It waits until/).waitFor()
      await page.getByRole('button', { name: 'Give up' }).waitFor()
      t.equal(await editor(page).getAttribute('aria-readonly'), 'true')
    })
  },
)

t.test('a refused file and an emptied one open here, and are repaired here', async (t) => {
  const good = readFileSync(file, 'utf8')
  await box.visit(t, { as: tina }, async (page) => {
    writeFileSync(file, good.replace('site:', 'site: ['))
    await open(page)
    await panel(page)
      .getByRole('button', { name: /not valid YAML/ })
      .first()
      .waitFor()
    await bar(page, /has a fault, so the last good configuration is in use|differs from what is in use/).waitFor()
    t.notOk((await editor(page).innerText()).includes(secretOf101))
    await page.getByRole('tab', { name: 'Extensions' }).click()
    await page.getByText('The text has a fault that a form cannot read').waitFor()
    writeFileSync(file, '')
    await open(page)
    await panel(page)
      .getByRole('button', { name: /the file is empty/ })
      .waitFor()
    await bar(page, /is empty, so the last good configuration is in use\. Under History/).waitFor()
    t.equal(await page.getByText('This box has no phones yet').count(), 0, 'the file says nothing of what is in use')
    await page.getByRole('tab', { name: 'History' }).click()
    const inUse = page.getByRole('row').filter({ hasText: 'in use' })
    await inUse.getByRole('button', { name: /More about revision/ }).click()
    await page.getByRole('menuitem', { name: /Go back/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Go back/ })
      .click()
    await eventually('the file has its text again', () => readFileSync(file, 'utf8') === good)
  })
})

t.test('forms write into the same text, and its comments stay', async (t) => {
  await box.visit(t, { as: tina, viewport: { width: 1280, height: 900 } }, async (page) => {
    await open(page)
    await page.getByRole('tab', { name: 'Hours' }).click()
    await page.getByRole('button', { name: 'Half day' }).click()
    await panel(page).getByText('hours[office].special').waitFor()
    await page
      .getByRole('group', { name: 'Saturday' })
      .getByRole('button', { name: /Add a time/ })
      .click()
    await panel(page).getByText('hours[office].open').waitFor()
    t.same(await violations(page), [])
    await page.getByRole('tab', { name: 'Extensions' }).click()
    await page.getByLabel('Name of 101').fill('Reception')
    await page.getByLabel('Name of 101').press('Enter')
    await panel(page).getByText('extensions[101].name').waitFor()
    await page.getByRole('region', { name: 'Add an extension' }).getByLabel('Number').fill('177')
    await page.getByRole('region', { name: 'Add an extension' }).getByLabel('Name').fill('Laboratory')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await panel(page).getByText('extensions[177]').waitFor()
    t.same(await violations(page), [])
    await page.getByRole('tab', { name: 'Mailboxes' }).click()
    await page.getByRole('region', { name: 'Add a mailbox' }).getByLabel('Number').fill('177')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await panel(page).getByText('mailboxes[177]').waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    for (const tab of ['Text', 'Hours', 'Extensions', 'Mailboxes', 'History']) {
      await page.getByRole('tab', { name: tab }).click()
      t.equal(await overflow(page), 0, tab)
    }
    await page.getByRole('tab', { name: 'Text' }).click()
    await apply(page)
    await page.getByText(/^In use as revision \d+\.$/).waitFor()
    const now = readFileSync(file, 'utf8')
    for (const kept of ['# The box of the clinic.', 'hours: # of the office', '- "2026-12-25" # Christmas']) t.ok(now.includes(kept), kept)
    t.match(parse(now), { hours: [{ open: { 'mon-fri': ['08:00-17:00'], sat: [/-/] } }], mailboxes: /./ })
  })
})

t.test('a manager changes opening times and holidays, and nobody of the desk does', async (t) => {
  await box.visit(t, { as: boss }, async (page) => {
    await page.goto('/hours')
    const form = page.getByRole('region', { name: 'Opening times: office' })
    await form.getByRole('button', { name: 'Holiday', exact: true }).click()
    // Days are in order: the new one is soon, Christmas is not.
    const holiday = form
      .getByRole('group')
      .filter({ has: page.getByLabel('First day'), hasText: 'closed' })
      .first()
    await holiday.getByLabel('First day').fill('2027-12-24')
    await holiday.getByLabel('First day').blur()
    await form
      .getByRole('group', { name: /Dec 24, 2027/ })
      .getByRole('button', { name: /Add a time/ })
      .click()
    t.same(await violations(page), [])
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The opening times of office are saved and in use.').waitFor()
    t.match(parse(readFileSync(file, 'utf8')), { hours: [{ closedOn: [/12-25/], special: { '2027-12-24': ['08:30-12:00'] } }] })
    t.ok(readFileSync(file, 'utf8').includes('# Christmas'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually('it is undone', () => !readFileSync(file, 'utf8').includes('2027-12-24'))
    await page.setViewportSize({ width: 320, height: 640 })
    t.equal(await overflow(page), 0)
  })
  const { status, body } = await box.ask(boss, 'GET', '/api/hours/office/times')
  t.equal(status, 200)
  const put = (who: typeof boss, change: object) => box.ask(who, 'PUT', '/api/hours/office/times', change)
  t.equal((await put(boss, { base: 'another', times: body.times })).body.code, 'changed_meanwhile')
  t.match((await put(boss, { times: { ...body.times, closedOn: ['25.12.2026'] } })).body, {
    code: 'validation_failed',
    error: /not a valid date/,
  })
  t.equal((await put(maria, { times: body.times })).status, 403)
  t.equal((await box.ask(maria, 'GET', '/api/config/text')).status, 403)
  t.equal((await box.ask(boss, 'GET', '/api/config/text')).status, 403)
  t.equal((await box.ask(boss, 'POST', '/api/config/edit', { text: '' })).status, 403)
  const rows = (await daemon.api('GET', '/api/audit?deed=hours.times')).body
  t.ok(JSON.stringify(rows).includes('person:boss'), 'the audit trail has it')
})
