/** pbx console: the first person comes in by a code of the box, and the technician helps who is locked out. */
import t from 'tap'
import { fresh } from '../harness/fresh.ts'
import { eventually } from '../harness/scene.ts'
import type { Daemon } from '../harness/daemon.ts'

t.setTimeout(180_000)

const password = 'seven green lamps over water'

async function ask(daemon: Daemon, method: string, path: string, body?: unknown, cookie = '') {
  const answer = await fetch(daemon.http + path, {
    method,
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...(cookie === '' ? {} : { cookie }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]!)
  return { status: answer.status, json: text === '' ? null : JSON.parse(text), cookie: cookies.join('; ') }
}

const codeIn = (text: string): string => /\/setup#((?:[A-Z2-9]{4}-){3}[A-Z2-9]{4})/.exec(text)?.[1] ?? ''

t.test('a code counts once, for half an hour and for five wrong ones, and --login makes the person', async (t) => {
  const daemon = await fresh(t)
  const use = (code: string) => ask(daemon, 'POST', '/api/session/setup', { code, password })
  t.equal((await use('AAAA-BBBB-CCCC-DDDD')).status, 403, 'nobody comes in without one')
  t.match((await daemon.pbx('console', 'people')).out, /nobody: pbx console invite/)
  const first = await daemon.pbx('console', 'invite')
  t.equal(first.code, 0, first.error)
  t.ok(first.out.startsWith(`${daemon.http}/setup#`), first.out)
  t.match(first.out, /technician \(technician\) sets a password there: once/)
  const taken = await use(codeIn(first.out))
  t.match(taken, { status: 200, json: { person: { login: 'technician', roles: ['technician'] }, needs: ['totp'] } })
  t.equal((await use(codeIn(first.out))).status, 403, 'once')
  const maria = await daemon.pbx('console', 'invite', '--login', 'maria', '--role', 'manager', 'desk', '--name', 'Maria Lopez', '--json')
  const { url, until, roles } = JSON.parse(maria.out)
  t.same(roles, ['manager', 'desk'])
  t.ok(Math.abs(Date.parse(until) - Date.now() - 30 * 60_000) < 60_000)
  for (let n = 0; n < 5; n++) t.equal((await use('WRNG-WRNG-WRNG-WRNG')).status, 403)
  t.equal((await use(codeIn(url))).status, 403, 'five wrong ones ended it')
  const again = await daemon.pbx('console', 'invite', '--login', 'maria')
  t.match(await use(codeIn(again.out)), { status: 200, json: { person: { login: 'maria', name: 'Maria Lopez' } } })
  const other = await daemon.pbx('console', 'invite', '--login', 'maria', '--role', 'technician')
  t.match([other.code, other.error], [1, /maria has the role manager, desk/], 'a role is not changed by the way')
  t.equal((await daemon.pbx('console', 'invite', '--login', 'A b')).code, 1)
  t.equal((await daemon.pbx('console', 'invite', '--role', 'boss')).code, 2)
})

t.test('who is locked out is helped at the box, and comes in by a code', async (t) => {
  const daemon = await fresh(t)
  const use = (code: string) => ask(daemon, 'POST', '/api/session/setup', { code, password })
  const { cookie } = await use(codeIn((await daemon.pbx('console', 'invite', '--login', 'maria', '--role', 'manager')).out))
  t.equal((await ask(daemon, 'GET', '/api/session', undefined, cookie)).status, 200)
  const wrong = () => ask(daemon, 'POST', '/api/session', { login: 'maria', password: 'a wrong long password' })
  for (let n = 0; n < 5; n++) t.equal((await wrong()).status, 401)
  t.equal((await wrong()).status, 429)
  const events = async () => JSON.parse((await daemon.pbx('events', '--json')).out) as { kind: string; code: string; text: string }[]
  await eventually('both are events of the box', async () => {
    const codes = (await events()).filter(({ kind }) => kind === 'login').map(({ code }) => code)
    return codes.includes('login-refused') && codes.includes('login-locked')
  })
  t.notMatch(JSON.stringify(await events()), /maria|wrong long/, 'what was typed is in none')
  const reset = await daemon.pbx('console', 'reset', 'maria')
  t.equal(reset.code, 0, reset.error)
  t.equal((await ask(daemon, 'GET', '/api/session', undefined, cookie)).status, 401, 'her sessions are ended')
  t.equal(
    (await ask(daemon, 'POST', '/api/session', { login: 'maria', password })).status,
    401,
    'so is the password, and no try is held against her',
  )
  t.equal((await use(codeIn(reset.out))).status, 200)
  t.match((await daemon.pbx('console', 'people')).out, /maria +maria +manager +active/)
  t.equal((await daemon.pbx('console', 'remove', 'maria')).code, 0)
  t.match((await daemon.pbx('console', 'remove', 'maria')).error, /no person with the login maria/)
  t.match((await daemon.pbx('console', 'people')).out, /nobody/)
  const rows = JSON.parse((await daemon.pbx('audit', 'list', '--json')).out) as { deed: string; actor: string }[]
  for (const deed of ['person.create', 'person.invite', 'person.change', 'person.remove'])
    t.ok(
      rows.some((row) => row.deed === deed && row.actor.startsWith('user:')),
      deed,
    )
})
