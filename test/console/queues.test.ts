/** The page of queues and the screen on the wall, with real calls: who waits, who takes them, and what nobody may read from a wall. */
import t from 'tap'
import type { Page } from 'playwright-core'
import { overflow, violations } from '../harness/browser.ts'
import { eventually } from '../harness/waiting.ts'
import { openDesk } from './desk-stage.ts'

const waitSeconds = 5
/** When the queues would be looked at without a word: what a person sees comes sooner. */
const nextLookMs = 1000
const { box, daemon, phone, caller, none } = await openDesk(t, {
  console: { secondStep: 'off', waitSeconds, help: 'Ridge IT, 555 010 0190' },
  queues: [{ id: 'nurses', name: 'Nurse line 600', members: ['102', '103'], onEmpty: 'voicemail:101' }],
})
const phones = { jon: await phone('102', true), nurse: await phone('103') }
const jon = await box.person({ login: 'jon', name: 'Jon Bell', roles: ['desk'], extension: '102' })
const dora = await box.person({ login: 'dora', name: 'Dora Diaz', roles: ['desk'], extension: '101' })
const boss = await box.person({ login: 'boss', name: 'Eva Stone', roles: ['manager'] })
const tech = await box.person({ login: 'tech', name: 'Tess', roles: ['technician'] })

const member = (page: Page, extension: string) => page.locator(`[data-member="${extension}"]`)
const open = async (page: Page): Promise<void> => {
  await page.goto('/queues')
  await page.locator('.queues .panel').first().waitFor()
}
const change = (extension: string, action: string) => daemon.api('POST', `/api/queues/nurses/members/${extension}`, { action })
const stateOf = async (extension: string): Promise<any> =>
  (await daemon.api('GET', '/api/queues/nurses')).body.members.find((one: any) => one.extension === extension)

t.test(
  'a person of the desk sees the own queue, leaves it, pauses with a reason, and takes a caller who has waited too long',
  async (t) => {
    await box.visit(t, { as: jon }, async (page) => {
      await open(page)
      await page.getByText('Nobody waits.').waitFor()
      t.equal(await member(page, '103').getByRole('button').count(), 0, 'another member is not hers to change')
      await member(page, '102').getByRole('button', { name: 'Log out' }).click()
      await member(page, '102').getByText('logged out').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await member(page, '102').getByText('free').waitFor()
      await member(page, '102').getByRole('button', { name: 'Pause…' }).click()
      t.same(await violations(page), [], 'the dialog')
      await page.getByRole('dialog').getByRole('button', { name: 'Lunch' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click()
      await member(page, '102')
        .getByText(/pauses \d+:\d\d: Lunch/)
        .waitFor()
      t.match(await stateOf('102'), { state: 'paused', reason: 'Lunch' })

      const peter = await caller({ to: '+15550001001', name: 'PETER OKAFOR' })
      const row = page.locator('[data-call]', { hasText: 'Peter Okafor' })
      await row.getByText('rings at Desk 103').waitFor()
      t.equal(await page.locator('.wait.amber, .wait.red').count(), 0)
      t.match(
        await page
          .getByRole('navigation')
          .getByRole('link', { name: /Queues/ })
          .innerText(),
        /1/,
      )
      await row.locator('.wait.amber').getByText('long wait', { exact: true }).waitFor()
      const amberAt = await row.locator('.wait b').innerText()
      await row.locator('.wait.red').getByText('very long wait').waitFor()
      t.match([amberAt, await row.locator('.wait b').innerText()], ['0:05', '0:10'], 'at the limits')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        t.same(await violations(page), [], colorScheme)
      }
      await row.getByRole('button', { name: 'Take Peter Okafor' }).click()
      await phones.jon.until('CALL_ESTABLISHED')
      await row.waitFor({ state: 'detached' })
      await peter.hangup()
      await none()
      await member(page, '102').getByRole('button', { name: 'End the pause' }).click()
      await member(page, '102').getByText('free').waitFor()
      t.match(
        await page.getByRole('region', { name: 'Calls of the last hour and of today' }).first().innerText(),
        /Last hour\s+1[\s\S]*Today\s+1/,
      )
      await page.setViewportSize({ width: 320, height: 640 })
      t.equal(await overflow(page), 0)
    })
  },
)

t.test('where nobody takes calls red words say so within a second, and what becomes of callers; a manager logs members in', async (t) => {
  await box.visit(t, { as: boss }, async (page) => {
    await open(page)
    await member(page, '103').getByText('free').waitFor()
    await change('103', 'logout')
    await daemon.api('POST', '/api/queues/nurses/members/102', { action: 'pause' })
    const since = performance.now()
    await page.getByText('Nobody takes calls at the moment: callers wait.').waitFor()
    const paused = performance.now() - since
    t.ok(paused < nextLookMs, `after ${Math.round(paused)} milliseconds`)
    await change('102', 'logout')
    const again = performance.now()
    await page.locator('.note-line.red', { hasText: 'No member is there: calls go to voicemail 101.' }).waitFor()
    const left = performance.now() - again
    t.ok(left < nextLookMs, `after ${Math.round(left)} milliseconds`)
    t.same(await violations(page), [])
    await member(page, '103').getByRole('button', { name: 'Log in, pause: Desk 103' }).click()
    await page.getByRole('menuitem', { name: 'Log in' }).click()
    await page.locator('.note-line.red').waitFor({ state: 'detached' })
    t.match(await stateOf('103'), { state: 'free' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.note-line.red').waitFor()
    await change('103', 'login')
    await change('102', 'login')
  })
})

t.test('a person in no queue reads why the page is empty, and a technician changes no member', async (t) => {
  await box.visit(t, { as: dora }, async (page) => {
    await open(page)
    await page.getByText('You are in no queue.').waitFor()
    t.equal(await page.getByRole('button', { name: 'New screen' }).count(), 0)
  })
  await box.visit(t, { as: tech }, async (page) => {
    await open(page)
    await member(page, '103').waitFor()
    t.equal(await member(page, '103').getByRole('button').count(), 0)
    t.equal((await box.ask(tech, 'POST', '/api/queues/nurses/members/103', { action: 'logout' })).status, 403)
  })
})

t.test('a screen on the wall shows who waits without a name or a digit of a number, and does not lock; a manager ends it', async (t) => {
  const locked = await box.signIn(dora)
  await box.ask(locked, 'POST', '/api/session/lock')
  await box.visit(t, { as: boss }, async (page) => {
    await open(page)
    // At the lower edge of the window, as below several queues.
    await page.setViewportSize({ width: 1280, height: 400 })
    await page.getByRole('button', { name: 'New screen' }).evaluate('(button) => button.scrollIntoView({ block: "end" })')
    await page.getByRole('button', { name: 'New screen' }).click()
    const code = await page.locator('.wall-code').innerText()
    await eventually('the code in sight', () =>
      page.evaluate<boolean>('document.querySelector(".wall-code").getBoundingClientRect().bottom <= innerHeight'),
    )
    await box.visit(t, { as: locked, viewport: { width: 1280, height: 720 } }, async (screen) => {
      // What each answer says, as the page gets it.
      await screen.addInitScript(`{
        const ask = fetch
        globalThis.said = []
        globalThis.fetch = async (...asked) => {
          const answer = await ask(...asked)
          said.push(await answer.clone().text())
          return answer
        }
      }`)
      await screen.goto('/wall')
      t.same(await violations(screen), [], 'the form')
      await screen.getByLabel('Code').fill('AAAA-AAAA')
      await screen.getByRole('button', { name: 'Show the queues' }).click()
      await screen.getByText('This code is wrong or has expired').waitFor()
      await screen.getByLabel('Code').fill(code.toLowerCase())
      await screen.getByRole('button', { name: 'Show the queues' }).click()
      await screen.getByRole('heading', { name: 'Nurse line' }).waitFor()
      await page.locator('[data-wall]').getByText('shows the queues').waitFor()
      await page.locator('.wall-code').waitFor({ state: 'detached' })

      await daemon.api('POST', '/api/queues/nurses/members/102', { action: 'pause', reason: 'Lunch with Olga' })
      const peter = await caller({ to: '+15550001001', name: 'PETER OKAFOR' })
      await screen.locator('.tile[data-level="amber"]').waitFor()
      await screen.locator('.tile[data-level="red"]', { hasText: 'very long wait' }).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await screen.emulateMedia({ colorScheme })
        t.same(await violations(screen), [], colorScheme)
      }
      const shown = await screen.content()
      await peter.hangup()
      await none()
      await change('103', 'logout')
      await screen.getByText('Nobody takes calls at the moment: callers wait.').waitFor()
      await change('102', 'logout')
      await screen.getByText('No member is there: callers go elsewhere.').waitFor()
      const said = await screen.evaluate<string[]>('said')
      t.ok(said.length > 5, `${said.length} answers`)
      for (const text of [await (await fetch(`${daemon.http}/wall`)).text(), shown, await screen.content(), ...said])
        t.notMatch(text, /1230001|123 0001|okafor|peter|olga|lunch|desk \d|\b10[123]\b|600|0100|Ridge|Dora|Eva|CA[0-9a-f]{32}/i)
      t.notOk(
        said.some((text) => text.includes('personId')),
        'no session of a person is asked for',
      )
      await screen.setViewportSize({ width: 320, height: 640 })
      t.equal(await overflow(screen), 0)

      await page.locator('[data-wall]').getByRole('button').click()
      await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
      await screen.getByLabel('Code').waitFor()
      await page.getByText('A screen in the room can show').waitFor()
    })
    await change('103', 'login')
    await change('102', 'login')
  })
})
