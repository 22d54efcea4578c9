/** What a technician looks after on pages of their own: applications, speech, backups and the version, access tokens. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import t from 'tap'
import { Application } from '../harness/app.ts'
import { violations } from '../harness/browser.ts'
import { ConsoleBox } from '../harness/console.ts'
import { eventually } from '../harness/waiting.ts'

t.setTimeout(180_000)
const recipient = await identityToRecipient(await generateX25519Identity())
const app = await Application.open()
t.teardown(() => app.close())
const box = await ConsoleBox.open(t, {
  app: app.url,
  settings: (base) => {
    base['backup'] = { recoveryKey: recipient, dir: 'backups' }
  },
})
const tess = await box.person({ login: 'tess', name: 'Tess Ward', roles: ['technician'] })
const mona = await box.person({ login: 'mona', name: 'Mona Diaz', roles: ['manager'] })

t.test(
  'an application: whether it answers, a test call that shows what happens, the fault that lasts, and a report that is sent again',
  async (t) => {
    app.script = () => [{ verb: 'hangup' }]
    app.status = () => ({ status: 204 })
    await box.visit(t, { as: tess }, async (page) => {
      await page.goto('/applications')
      const one = page.getByRole('region', { name: 'reception' })
      await one.getByText('+15550001000').waitFor()
      const call = async (): Promise<void> => {
        await one.getByRole('button', { name: 'Test call' }).click()
        t.equal(await page.getByLabel('Number that is called').inputValue(), '+15550001000')
        await page.getByRole('button', { name: 'Call it' }).click()
        await page.getByText(/^The call has ended after/).waitFor()
        t.ok((await page.locator('.steps li').count()) > 2)
      }
      await call()
      t.same(await violations(page), [])
      await page.keyboard.press('Escape')
      await one.getByText('answers', { exact: true }).waitFor()
      t.match(app.received[0]?.event, { from: '+12025550100', to: '+15550001000' })
      app.script = () => ({ status: 500 })
      await call()
      await page.locator('.steps li.red, .steps li.amber').first().waitFor()
      await page.keyboard.press('Escape')
      await one.getByText('the application answered 500').waitFor()
      await page.getByText('No CRM is connected.').first().waitFor()
      await page.getByRole('button', { name: 'Delivered' }).click()
      await page
        .getByRole('row', { name: /call\.ended/ })
        .first()
        .waitFor()
      t.same(await violations(page), [])
    })
    t.match(await box.ask(mona, 'GET', '/api/applications'), { status: 403, body: { code: 'role_denied' } })
  },
)

t.test('the CRM: whether it answers, what waits and was given up, and what a person does about it', async (t) => {
  const now = (await box.ask(tess, 'GET', '/api/pbx/sync/status')).body
  t.equal(now.state, 'unconfigured')
  const at = new Date().toISOString()
  const away = {
    ...{ ...now, state: 'degraded', enabled: true, customers: { ...now.customers, total: 412, lastFullSyncAt: at } },
    crm: { ...now.crm, configured: true, circuit: 'open', lastSuccessAt: at, lastFailureAt: at, lastError: 'answered 503' },
    queue: { pendingLogs: 3, pendingNotes: 1, oldestPendingAt: at, dead: 2 },
  }
  await box.visit(t, { as: tess }, async (page) => {
    await page.route('**/api/pbx/sync/status', (route) => route.fulfill({ json: away }))
    await page.goto('/applications')
    const crm = page.getByRole('region', { name: 'CRM' })
    await crm.getByText('away', { exact: true }).waitFor()
    t.match(await crm.innerText(), /answered 503[^]*3 calls and 1 notes[^]*412/)
    await crm.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('0 items are sent again').waitFor()
    await crm.getByRole('button', { name: 'Read all customers' }).click()
    await page.locator('.toast').filter({ hasText: /CRM/ }).waitFor()
    t.same(await violations(page), [])
  })
  t.equal((await box.ask(mona, 'POST', '/api/crm/queue/retry')).status, 403)
})

t.test('speech: who hears and speaks, and a prompt that is heard', async (t) => {
  await box.visit(t, { as: tess }, async (page) => {
    await page.goto('/speech')
    await page
      .getByRole('row', { name: /Speaks prompts/ })
      .first()
      .waitFor()
    await page.getByText('pbx models install recommended').waitFor()
    await page.getByLabel('Text').fill('Good morning.')
    await page.getByRole('button', { name: 'Hear it' }).click()
    await page.getByText(/^Spoken by .* s long/).waitFor()
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByText('The installed models were looked at again').waitFor()
    t.same(await violations(page), [])
  })
})

t.test('backup: none yet, one now, and who can go back to another version', async (t) => {
  const due = join(box.daemon.dir, 'run', 'backup-due')
  await box.visit(t, { as: tess }, async (page) => {
    await page.goto('/backup')
    await page.getByText('No backup has been made yet.').waitFor()
    await page.getByText('sudo pbx rollback').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await eventually('the box asks for one', () => existsSync(due))
    rmSync(due)
    await page.getByText(/asked for a backup/).waitFor()
    t.ok(await page.getByRole('button', { name: 'Back up now' }).isDisabled())
    // As pbxd-backup.service does when that file changes.
    const made = await box.daemon.pbx('backup')
    t.equal(made.code, 0, made.error)
    await page.getByText('The last backup is good').waitFor()
    await page.getByText(/\.tar\.age/).waitFor()
    t.same(await violations(page), [])
    const [bundle] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download the bundle' }).click()])
    t.match(bundle.suggestedFilename(), /^pbxd-support.*\.tar\.gz$/)
    t.equal(readFileSync(await bundle.path()).readUInt16BE(), 0x1f_8b, 'it is compressed by gzip')
    await page.getByText('sudo pbx support-bundle').waitFor()
  })
})

t.test('a token is made, shown once, used, and revoked; that of the configuration stays', async (t) => {
  await box.visit(t, { as: tess }, async (page) => {
    await page.goto('/tokens')
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
    await row('acceptance').getByText('Remove it in the configuration').waitFor()
    await page.getByLabel('Name').fill('booking')
    await page.getByRole('checkbox', { name: 'received items' }).check()
    await page.getByLabel('Ends after days').fill('30')
    await page.getByRole('button', { name: 'Make the token' }).click()
    const token = await page.locator('code.secret').innerText()
    t.same(await violations(page), [])
    const ask = () => fetch(`${box.daemon.http}/api/inbox`, { headers: { authorization: `Bearer ${token}` } })
    t.not((await ask()).status, 401)
    await page.getByRole('button', { name: 'The program has it' }).click()
    t.equal(await page.locator('code.secret').count(), 0)
    await page.reload()
    await row('booking')
      .getByText(/not used yet|127\.0\.0\.1/)
      .waitFor()
    t.notMatch(await page.content(), new RegExp(token))
    await page.getByLabel('Name').fill('booking')
    await page.getByRole('checkbox', { name: 'received items' }).check()
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByText('There is a token booking already.').waitFor()
    await row('booking').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByText('refused from now on').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row('booking').waitFor({ state: 'detached' })
    t.equal((await ask()).status, 401)
    await page.getByRole('row', { name: /the whole box faxes .* ok/ }).waitFor()
    await page.getByRole('button', { name: 'Begin at zero' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Begin at zero' }).click()
    await page.getByText('The counts of today begin at zero').waitFor()
  })
  for (const path of ['/api/support-bundle', '/api/limits']) t.equal((await box.ask(mona, 'GET', path)).status, 403, path)
  await box.visit(t, { as: mona }, async (page) => {
    for (const path of ['/tokens', '/backup', '/speech', '/applications']) {
      await page.goto(path)
      await page.getByRole('heading', { name: 'There is no such page.' }).waitFor()
    }
  })
})
