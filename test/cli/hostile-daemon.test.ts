/**
 * A daemon that was taken over against root's `pbx`: whatever it answers, or does not answer, nothing of root's changes or reaches it, each
 * command comes to an end, and says in words what was wrong.
 */
import * as fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { judge, liesOf, nonsense, shortPlace } from '../harness/hostile-judge.ts'
import { HostileService, serviceUser } from '../harness/hostile-service.ts'
import { skipFile } from '../harness/skip-file.ts'

if (process.getuid?.() !== 0) skipFile('only root can play root, and another user as well')
t.setTimeout(300_000)
const box = await HostileService.open(t.testdir({}))
const { config } = box
const lies = liesOf(box)
t.teardown(() => box.end())
let turn = 0

t.test('answers of a daemon that was taken over', async (t) => {
  const commands = [
    'status',
    'calls',
    'lines',
    'phones list',
    'token list',
    'events',
    'inbox',
    'inbox save vm_1',
    'config edit',
    'config diff',
    'config history',
    'upgrade --status',
    'crm status',
    'fax list',
    'history',
    'audit list',
    'audit verify',
    'token create --name x',
    'phones add 101',
    'doctor',
    'speech',
    'models list',
    'backup list',
    'emergency test',
  ]
  for (const command of commands) {
    // Three of them each; all are seen by several.
    for (const body of [0, 3, 7].map((n) => nonsense[(n + turn) % nonsense.length]!)) {
      await box.close()
      box.heard = ''
      box.answer = (path) => (path === '/api/config' || path.startsWith('/api/inbox/media') ? lies(path) : undefined)
      await box.listen(() => body)
      const before = box.outside()
      const ran = await box.served(...command.split(' '))
      judge(t, ran, before, [], `${command}: ${body.slice(0, 40)}: ${ran.code} ${ran.text.slice(0, 200)}`, box)
    }
    turn++
  }
})

t.test('a daemon that takes a question and never answers, or never comes to an end', async (t) => {
  const hasty = await HostileService.open(shortPlace(), { answerMs: 300, workMs: 600, standstillMs: 400 })
  t.teardown(async () => {
    await hasty.end()
    fs.rmSync(hasty.dir, { recursive: true, force: true })
  })
  fs.linkSync(join(hasty.dir, 'silent'), hasty.socket)
  fs.chownSync(hasty.socket, serviceUser, serviceUser)
  const recorded = join(hasty.dir, 'out/people.csv')
  fs.writeFileSync(recorded, 'name,phone\nA,101\n')
  const silent = [
    'status',
    'backup',
    'config apply --yes',
    'config edit',
    'crm sync --wait',
    `crm import ${recorded}`,
    'events',
    'simulate inbound --from 102 --to 101',
  ]
  for (const command of [
    ...silent,
    `transcribe ${recorded}`,
    'say hello',
    'emergency test',
    `audit export --out ${join(hasty.dir, 'out/trail')}`,
    'doctor',
    'phones add 101',
    'token create --name x',
    'phones list',
  ])
    await t.test(`silence: ${command}`, async (t) => {
      const ran = await hasty.served(...command.split(' '))
      judge(t, ran, hasty.outside(), [], `${command}: ${ran.text.slice(0, 200)}`, hasty)
      t.match(ran.text.replaceAll(/\s+/g, ' '), /accepted the request and did not answer within \d+ s: it may hang/)
      t.not(ran.code, 0)
    })
  fs.rmSync(hasty.socket)
  const waits = { state: 'waiting', reason: 'a call', file: '', changes: [], revision: null }
  const checked = { ok: true, faults: [], warnings: [], changes: [], effect: 'restart', confirm: false }
  const answers: Readonly<Record<string, (path: string) => unknown>> = {
    'config apply --yes --now': (path) =>
      path === '/api/config/check'
        ? checked
        : path === '/api/config/apply'
          ? waits
          : { configFile: config, fileIsOther: false, change: waits },
    'crm sync --wait': (path) =>
      path === '/api/pbx/sync/full'
        ? { syncId: 's' }
        : { currentSync: { processed: 7, total: null }, customers: { lastFullSyncAt: null }, crm: {} },
    'crm sync --wait --json': (path) =>
      path === '/api/pbx/sync/full'
        ? { syncId: 's' }
        : { currentSync: { processed: turn++, total: null }, customers: { lastFullSyncAt: null }, crm: {} },
    'reminders list': () => ({ items: [], nextCursor: 'again', timeZone: 'UTC', day: '2026-03-02' }),
    history: () => ({ items: [], nextCursor: 'again' }),
  }
  for (const [command, answer] of Object.entries(answers))
    await t.test(`no end: ${command}`, async (t) => {
      await hasty.close()
      hasty.answer = answer
      await hasty.listen(() => '{}')
      const ran = await hasty.served(...command.split(' '))
      judge(t, ran, hasty.outside(), [], `${command}: ${ran.text.slice(0, 200)}`, hasty)
      if (/sync|apply/.test(command)) t.match(ran, { code: 1, text: /did not finish|no progress/ })
    })
})
