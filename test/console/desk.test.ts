/** The Desk with real calls: what its pages show of them, and what people do there to them. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { overflow, violations } from '../harness/browser.ts'
import type { BoxPerson } from '../harness/console.ts'
import { eventually, patience } from '../harness/waiting.ts'
import { card, desk, openDesk, row } from './desk-stage.ts'

const { box, daemon, trunk, live, none, keep, phone, caller, drop, maria: invited } = await openDesk(t, { fax: { line: 'off' } })
const phones = { front: await phone('101'), second: await phone('102', true), nurse: await phone('103') }
const maria = await invited()
const jon = await box.person({ login: 'jon', name: 'Jon Bell', roles: ['desk'], extension: '102', queues: ['nurses'] })
const tech = await box.person({ login: 'tech', roles: ['technician'] })
const boss = await box.person({ login: 'boss', name: 'Eva Stone', roles: ['manager'] })

/** Until what is no more has left the page. */
const atOnceMs = 1_000
/** Of 20 calls the 19th fastest: from the ringing of the phone to the card. */
const cardMs = 250

/** Who did that last, and to what. */
async function lastDeed(deed: string): Promise<any> {
  const { out } = await daemon.pbx('audit', 'list', '--deed', deed, '--limit', '1', '--json')
  return [JSON.parse(out)].flat()[0]
}

/** Two people at their pages at once. */
function both(
  t: Parameters<typeof box.visit>[0],
  work: (mine: Page, others: Page) => Promise<void>,
  [one, other]: readonly BoxPerson[] = [maria, jon],
): Promise<void> {
  return box.visit(t, { as: one! }, async (mine) => {
    await desk(mine)
    await box.visit(t, { as: other! }, async (others) => {
      await desk(others)
      await work(mine, others)
    })
  })
}

t.test(
  'a call that rings at 101 is a card there, with name and number; others see who rings where, and one of them takes it',
  async (t) => {
    await both(t, async (mine, others) => {
      const ana = await caller({ name: 'ANA RUIZ' })
      await phones.front.until('CALL_INCOMING')
      await card(mine).waitFor()
      await card(mine).getByText('our own list').waitFor()
      t.match(await card(mine).innerText(), /Ringing at your phone[\s\S]*Ana Ruiz[\s\S]*555 123 0001/i)
      await row(others, 'ringing at Desk 101').getByRole('button', { name: /^Take/ }).click()
      await phones.second.until('CALL_ESTABLISHED')
      const taken = performance.now()
      await card(mine).waitFor({ state: 'detached' })
      t.ok(performance.now() - taken < atOnceMs * patience, `${performance.now() - taken} ms`)
      await row(mine, 'with Desk 102').waitFor()
      t.match(await lastDeed('call.take'), { actor: 'person:jon', outcome: 'done' })
      t.equal(await others.locator('.pop.talks').count(), 1)
      await others.locator('.pop.talks textarea').fill('Wants mornings')
      await ana.hangup()
      await others.getByText('The call has ended').waitFor()
      t.equal(await others.locator('.pop.ended textarea').inputValue(), 'Wants mornings', 'the note stays')
      await others.getByRole('button', { name: 'Save the note' }).click()
      await others.locator('.pop.ended').waitFor({ state: 'detached' })
      await none()
      const { items } = (await daemon.api('GET', '/api/pbx/calls/history?q=123000&order=desc')).body
      t.match(
        items.find((one: any) => one.direction === 'inbound'),
        { notes: [{ text: 'Wants mornings', authorUserId: 'Jon Bell' }] },
      )
    })
  },
)

t.test(
  'a tab that was frozen while a colleague took the call shows no card when it wakes, and a withheld number is said to be one',
  async (t) => {
    await both(t, async (mine, others) => {
      const one = await caller({ from: 'anonymous', name: 'Anonymous' })
      await card(mine).waitFor()
      t.match(await card(mine).innerText(), /Number withheld/)
      const session = await mine.context().newCDPSession(mine)
      await session.send('Page.setWebLifecycleState', { state: 'frozen' })
      await row(others, 'ringing at').getByRole('button', { name: /^Take/ }).click()
      await others.locator('.pop.talks').waitFor()
      await session.send('Page.setWebLifecycleState', { state: 'active' })
      await card(mine).waitFor({ state: 'detached' })
      await one.hangup()
      await none()
    })
  },
)

t.test(
  'keys take the work up: j and k choose, o takes it, n writes a note, d has done it, s sends a call on; none acts in a field',
  async (t) => {
    for (const from of ['+15551230091', '+15551230092']) {
      const one = await caller({ from, name: `CALLER ${from.slice(-2)}` })
      await eventually('it rings', async () => (await live()).length === 1)
      await drop(one)
    }
    await box.visit(t, { as: maria }, async (page) => {
      await desk(page)
      const item = (n: string) => page.locator('.todo', { hasText: new RegExp(`caller ${n}`, 'i') })
      await item('92').waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.keyboard.press('k')
      t.match(await page.locator('.todo.on').innerText(), /caller 91/i)
      await page.keyboard.press('o')
      await item('91')
        .getByText(/Assigned to .?Maria Lopez/)
        .waitFor()
      await page.keyboard.press('n')
      await page.locator('.todo.on textarea:focus').waitFor()
      await page.keyboard.type('done so')
      t.equal(await item('91').count(), 1, 'd is a letter here')
      await page.getByRole('button', { name: 'Save the note' }).click()
      await item('91').getByText('“done so”').waitFor()
      await page.getByRole('heading', { name: 'To do' }).click()
      await page.keyboard.press('d')
      await item('91').waitFor({ state: 'detached' })
      const one = await caller()
      await card(page).waitFor()
      await page.keyboard.press('s')
      await page.getByRole('dialog').getByRole('combobox').fill('voicemail:101')
      await page.keyboard.press('Enter')
      await card(page).waitFor({ state: 'detached' })
      await row(page, 'in the mailbox').getByRole('button', { name: 'More' }).click()
      t.same(await page.getByRole('menuitem').allInnerTexts(), ['End'], 'a caller in a mailbox can be sent nowhere')
      await page.keyboard.press('Escape')
      await one.hangup()
      await none()
    })
  },
)

t.test('the card is on the page within a moment of the ringing of the phone', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await desk(page)
    await page.evaluate(`globalThis.shown = new Map()
      new MutationObserver(() => {
        const id = document.querySelector('.pop.rings')?.dataset.call
        if (id !== undefined && !shown.has(id)) shown.set(id, Date.now())
      }).observe(document.body, { subtree: true, childList: true })`)
    const late: number[] = []
    for (let n = 0; n < 20; n += 1) {
      const before = phones.front.events.filter(({ type }) => type === 'CALL_INCOMING').length
      const one = await caller()
      await phones.front.until('CALL_INCOMING', 8_000, before + 1)
      const at = Date.now()
      await card(page).waitFor()
      const shown = await page.evaluate<number[]>('[...shown.values()]')
      t.equal(shown.length, n + 1)
      late.push(shown.at(-1)! - at)
      await drop(one)
      await card(page).waitFor({ state: 'detached' })
    }
    late.sort((a, b) => a - b)
    t.ok(late[18]! < cardMs * patience, `${late.join(' ')} ms`)
  })
})

t.test('without a line for texts or faxes the pages say so before somebody writes', async (t) => {
  await box.visit(t, { as: jon }, async (page) => {
    await page.goto('/texts')
    await page.getByRole('button', { name: 'New text' }).click()
    await page.getByText('No line for texts is set up').waitFor()
    t.ok(await page.getByRole('button', { name: 'Text', exact: true }).isDisabled())
    await page.goto('/faxes')
    await page.getByText('No line can send faxes').waitFor()
    await page.getByRole('button', { name: 'New fax' }).click()
    await page.getByRole('dialog').getByText('No line can send faxes').waitFor()
    t.equal(await page.getByLabel('Choose a PDF').count(), 0)
  })
  t.match((await box.ask(jon, 'GET', '/api/desk')).body.box, { texts: false, faxes: false })
})

t.test('a talk is parked, taken from its slot, sent on and ended from the page; each is done by the box and recorded', async (t) => {
  await both(t, async (mine, others) => {
    const ana = await caller()
    await row(others, 'ringing at').getByRole('button', { name: /^Take/ }).click()
    await row(mine, 'with Desk 102').getByRole('button', { name: 'More' }).click()
    await mine.getByRole('menuitem', { name: 'Park' }).click()
    await row(mine, '701').waitFor()
    t.match(await lastDeed('call.park'), { actor: 'person:maria' })
    await row(others, '701').getByRole('button', { name: /^Take/ }).click()
    await others.locator('.pop.talks').waitFor()
    await others
      .locator('.pop.talks')
      .getByRole('button', { name: /^Send to/ })
      .click()
    await others
      .getByRole('dialog')
      .getByRole('button', { name: /Desk 103/ })
      .click()
    await phones.nurse.until('CALL_INCOMING')
    await phones.nurse.command('accept')
    await row(mine, 'with Desk 103').waitFor()
    t.match(await lastDeed('call.move'), { actor: 'person:jon' })
    const [{ callId }] = await live()
    await row(mine, 'with Desk 103').getByRole('button', { name: 'More' }).click()
    await mine.getByRole('menuitem', { name: 'End', exact: true }).click()
    await mine.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await row(mine, 'with Desk 103').waitFor({ state: 'detached' })
    t.match(await lastDeed('call.end'), { actor: 'person:maria', object: callId })
    await none()
    for (const [deed, body] of [
      ['take', {}],
      ['move', { to: '103' }],
      ['park', undefined],
      ['end', undefined],
    ] as const) {
      const { status, body: answer } = await box.ask(maria, 'POST', `/api/pbx/calls/${callId}/${deed}`, body)
      t.match({ status, answer }, { status: 409, answer: { code: 'call_ended' } }, deed)
    }
    t.equal((await box.ask(maria, 'POST', `/api/pbx/calls/CA0/end`)).status, 404)
    await ana.close()
  })
})

t.test(
  'three missed calls of one number are one item; of two who press Done one sees who was faster; a talk settles what is left',
  async (t) => {
    for (let n = 0; n < 3; n += 1) {
      const one = await caller({ from: '+15551230077', name: 'HENRY DALE' })
      await eventually('it rings', async () => (await live()).length === 1)
      await drop(one)
    }
    await both(t, async (mine, others) => {
      const item = (page: Page) => page.locator('.todo', { hasText: /henry dale/i })
      await item(mine).getByText('called 3 times').waitFor()
      t.equal(await item(mine).count(), 1)
      const id = await item(mine).getAttribute('data-item')
      const before = await (await box.ask(jon, 'GET', '/api/work?kind=missed')).body.items[0]
      await item(mine).getByRole('button', { name: 'Done' }).click()
      await item(others).waitFor({ state: 'detached' })
      const late = await box.ask(jon, 'PATCH', `/api/work/${id}`, { rev: before.rev, state: 'done' })
      t.match(late, {
        status: 409,
        body: { code: 'changed_meanwhile', error: /^Maria Lopez/, current: { state: 'done', closedBy: { name: 'Maria Lopez' } } },
      })
      await mine.getByRole('button', { name: 'Undo' }).click()
      await item(others).waitFor()
      const back = keep(await trunk.expect('answer'))
      await item(others)
        .getByRole('button', { name: /^Call back/ })
        .click()
      await item(mine).waitFor({ state: 'detached' })
      t.match((await box.ask(jon, 'GET', '/api/work?state=done&kind=missed')).body.items[0], {
        closedBy: { by: 'call', name: '102' },
        times: 3,
      })
      await back.hangup()
      await none()
    })
  },
)

t.test('a call for help is a red bar with its place on the pages of everybody, until one closes it', async (t) => {
  await both(
    t,
    async (mine, others) => {
      await others.goto('/calls')
      await others.getByRole('heading', { name: 'Calls', level: 2 }).waitFor()
      keep(await trunk.expect('answer'))
      const at = performance.now()
      await phones.nurse.command('dial', '911')
      for (const page of [mine, others]) {
        await page.locator('.bar.help').waitFor()
        t.ok(performance.now() - at < atOnceMs * patience, `${performance.now() - at} ms`)
        t.match(await page.locator('.bar.help').innerText(), /911[\s\S]*Desk 103[\s\S]*Riverside Clinic, ground floor/)
      }
      const [{ callId }] = await live()
      t.match(
        await box.ask(maria, 'POST', `/api/pbx/calls/${callId}/end`),
        { status: 409, body: { code: 'not_now' } },
        'nobody ends it from a page',
      )
      await mine.locator('.bar.help').getByRole('button').click()
      await others.locator('.bar.help').waitFor({ state: 'detached' })
      await row(mine, '911').waitFor()
      t.equal(await row(mine, '911').getByRole('button').count(), 0, 'and none of its deeds is offered')
      await phones.nurse.command('hangup')
      await none()
    },
    [maria, boss],
  )
})

t.test('a queue without members says where its calls go; a caller who waits turns amber', async (t) => {
  await box.visit(t, { as: jon }, async (page) => {
    await desk(page)
    await daemon.api('POST', '/api/queues/nurses/members/103', { action: 'logout' })
    await page.getByText('No member is there: calls go to voicemail 101').waitFor()
    await daemon.api('POST', '/api/queues/nurses/members/103', { action: 'login' })
    await page.getByText('No member is there').waitFor({ state: 'detached' })
    const peter = await caller({ to: '+15550001001', name: 'PETER OKAFOR' })
    await row(page, 'Nurse line').waitFor()
    await page.keyboard.press('t')
    await page.locator('.pop.talks').waitFor()
    await peter.hangup()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await none()
  })
})

t.test('names of callers are text, isolated and cut, whatever is in them', async (t) => {
  await box.visit(t, { as: maria }, async (page) => {
    await desk(page)
    for (const name of ['<script>alert(1)</script>', 'Ann \u202eEVIL\u202c', `${'x'.repeat(3000)}`]) {
      const one = await caller({ name: name.replaceAll('"', '') })
      await card(page).waitFor()
      t.equal(await page.locator('.pop script').count(), 0)
      t.ok((await card(page).innerText()).length < 600)
      t.equal(await overflow(page), 0)
      await drop(one)
      await card(page).waitFor({ state: 'detached' })
    }
  })
})

t.test('the Desk with calls and work has no fault that axe finds, light and dark, in both languages, and fits a telephone', async (t) => {
  const ana = await caller({ name: 'ANA RUIZ' })
  for (const colorScheme of ['light', 'dark'] as const)
    for (const language of ['en', 'es']) {
      await box.ask(maria, 'PATCH', '/api/people/me', { language })
      await box.visit(t, { as: maria, colorScheme }, async (page) => {
        await page.goto('/desk')
        await card(page).waitFor()
        await page.locator('.todo .plain').first().click()
        t.same(await violations(page), [], `${colorScheme} ${language}`)
        if (language === 'es') t.notMatch(await page.locator('.desk').innerText(), /\b(Waiting|Send to|Call back|Done|rings|talks)\b/)
        await page.setViewportSize({ width: 320, height: 800 })
        t.equal(await overflow(page), 0, 'no sideways scroll at 320 px')
      })
    }
  await box.ask(maria, 'PATCH', '/api/people/me', { language: '' })
  await drop(ana)
})

t.test('a technician sees states and masked numbers; the desk is refused what is not its own', async (t) => {
  const one = await caller({ from: '+15551234321', name: 'SECRET PATIENT' })
  await eventually('it rings', async () => (await live()).length === 1)
  for (const path of [
    '/api/desk',
    '/api/work',
    '/api/work?state=done',
    '/api/parking',
    '/api/queues',
    '/api/extensions',
    '/api/pbx/calls/active',
    '/api/search?q=secret',
  ]) {
    const { status, body } = await box.ask(tech, 'GET', path)
    t.equal(status, 200, path)
    t.notMatch(JSON.stringify(body), /1555123|secret|patient|ruiz|okafor/i, path)
  }
  t.match(JSON.stringify((await box.ask(tech, 'GET', '/api/desk')).body.calls), /\*\*\*4321/)
  const [{ callId }] = await live()
  const refused: [typeof maria, string, string, object | undefined][] = [
    [tech, 'POST', `/api/pbx/calls/${callId}/end`, undefined],
    [tech, 'PATCH', `/api/work/missed/${callId}`, { rev: 1, state: 'done' }],
    [maria, 'POST', '/api/extensions/102', { doNotDisturb: true }],
    [maria, 'POST', '/api/queues/nurses/members/103', { action: 'logout' }],
    [maria, 'POST', '/api/pbx/calls/start', { extension: '102', to: '+15557654321' }],
  ]
  for (const [who, method, path, body] of refused)
    t.match(await box.ask(who, method, path, body), { status: 403, body: { code: 'role_denied' } }, `${who.login} ${method} ${path}`)
  await drop(one)
})
