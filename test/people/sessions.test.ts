/** People at the web port: invitations, sign-in, guessing, the second step, lock and end of sessions, pages of other sites. */
import t from 'tap'
import { totpCode } from '../../daemon/people/sign-in.ts'
import { sendOnly } from '../http/serve.ts'
import { Box, password } from './stage.ts'

const minute = 60_000
const off = { console: { secondStep: 'off' } }

t.test('a fresh box has nobody, and a code makes a person once', async (t) => {
  const box = await Box.open(t, off)
  const nobody = await box.browser().ask('POST', '/api/session/setup', { code: 'AAAA-BBBB-CCCC-DDDD', password })
  t.same([nobody.status, nobody.json.code], [403, 'invitation_void'])
  const { json } = await box.program().ask('POST', '/api/people', { login: 'tess', name: 'Tess', roles: ['technician'] })
  t.equal(json.state, 'invited')
  const { json: slip } = await box.program().ask('POST', `/api/people/${json.personId}/invite`)
  t.match(slip.code, /^([A-Z2-9]{4}-){3}[A-Z2-9]{4}$/)
  t.ok(slip.url.endsWith(`/setup#${slip.code}`))
  const browser = box.browser()
  const set = await browser.ask('POST', '/api/session/setup', { code: slip.code.toLowerCase().replaceAll('-', ''), password })
  t.equal(set.status, 200)
  t.equal((await browser.session()).json.person.login, 'tess')
  const again = await box.browser().ask('POST', '/api/session/setup', { code: slip.code, password })
  t.same([again.status, again.json.error], [403, nobody.json.error], 'a used code is as wrong as any')
  t.equal((await box.browser().signIn('tess')).status, 200)
})

t.test('a slip holds for seven days, a code that was made at the box for half an hour or five wrong ones', async (t) => {
  const box = await Box.open(t, off)
  const { json } = await box.program().ask('POST', '/api/people', { login: 'tess', name: 'Tess', roles: ['technician'] })
  const invite = async () => (await box.program().ask('POST', `/api/people/${json.personId}/invite`)).json.code as string
  const first = await invite()
  const second = await invite()
  const use = async (code: string) => (await box.browser().ask('POST', '/api/session/setup', { code, password })).status
  t.equal(await use(first), 403, 'another invitation replaced it')
  for (let n = 0; n < 6; n++) t.equal(await use('WRNG-WRNG-WRNG-WRNG'), 403)
  t.equal(await use(second), 200, 'a stranger ends no slip')
  const third = await invite()
  box.clock.advance(7 * 24 * 60 * minute)
  t.equal(await use(third), 403)
})

t.test('an unknown login, a wrong password and a disabled person are answered alike', async (t) => {
  const box = await Box.open(t, off)
  const { personId } = await box.person({ login: 'maria', roles: ['desk'] })
  const wrong = await box.browser().signIn('maria', 'some other long password')
  const unknown = await box.browser().signIn('mario', 'some other long password')
  await box.program().ask('PATCH', `/api/people/${personId}`, { disabled: true })
  const disabled = await box.browser().signIn('maria')
  for (const answer of [wrong, unknown, disabled])
    t.same([answer.status, answer.json.code, answer.json.error], [401, 'sign_in_failed', wrong.json.error])
})

t.test('a stranger who guesses is shut out, and the person is not', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['desk'] })
  for (const login of ['maria', 'nobody-here']) {
    for (let n = 0; n < 5; n++) t.equal((await box.browser().signIn(login, 'a wrong long password')).status, 401)
    const shut = await box.browser().signIn(login)
    t.same([shut.status, shut.json.code], [429, 'rate_limited'], login)
  }
  t.equal((await browser.signIn('maria')).status, 200, 'the browser in which Maria signed in')
  box.clock.advance(15 * minute)
  t.equal((await box.browser().signIn('maria')).status, 200)
})

t.test('a second step that is there is replaced with the password alone, and so is one that nobody asked for', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['desk'] })
  const begin = async (secret?: string) =>
    (await browser.ask('PUT', '/api/people/me/totp', secret === undefined ? {} : { password: secret })).status
  t.same([await begin(), await begin('some other password')], [401, 401], 'at a page that was left open')
  const { json } = await browser.ask('PUT', '/api/people/me/totp', { password })
  const code = totpCode(json.secret, Math.floor(box.clock.now() / 30_000))
  t.equal((await browser.ask('PUT', '/api/people/me/totp', { code })).json.recoveryCodes.length, 10)
  t.same([await begin(), await begin(password)], [401, 200])
})

t.test('a person changes the own language and keys, and nothing else', async (t) => {
  const box = await Box.open(t, off)
  const { browser, personId } = await box.person({ login: 'maria', roles: ['desk'] })
  const changed = await browser.ask('PATCH', '/api/people/me', { language: 'es', keysOff: ['g d'] })
  t.match(changed.json, { personId, language: 'es', keysOff: ['g d'], roles: ['desk'] })
  for (const body of [{ roles: ['manager'] }, { name: 'Other' }, { mailboxes: ['100'] }, {}])
    t.equal((await browser.ask('PATCH', '/api/people/me', body)).status, 422, JSON.stringify(body))
  t.match((await browser.session()).json.person, { language: 'es', keysOff: ['g d'], roles: ['desk'] })
})

t.test('an answer to a person is for that browser alone, and is kept nowhere', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['manager'] })
  for (const path of ['/api/session', '/api/people']) t.equal((await browser.ask('GET', path)).caching, 'private, no-store', path)
  t.equal((await box.program().ask('GET', '/api/people')).caching, 'no-store')
})

t.test('a code of the app and a recovery code count once each', async (t) => {
  const box = await Box.open(t, { console: {} })
  const { browser } = await box.person({ login: 'tess', roles: ['technician'] })
  t.same((await browser.session()).json.needs, ['totp'])
  const shut = await browser.ask('GET', '/api/people')
  t.same([shut.status, shut.json.code], [403, 'second_step_needed'])
  const { json: begun } = await browser.ask('PUT', '/api/people/me/totp', {})
  t.match(begun.uri, /^otpauth:\/\/totp\/Riverside:tess\?secret=[A-Z2-7]{32}&issuer=Riverside$/)
  const now = () => totpCode(begun.secret, Math.floor(box.clock.now() / 30_000))
  const { json: done } = await browser.ask('PUT', '/api/people/me/totp', { code: now() })
  t.equal(new Set(done.recoveryCodes).size, 10)
  t.equal((await browser.ask('GET', '/api/people')).status, 200)
  const without = await box.browser().signIn('tess')
  t.same([without.status, without.json.code], [401, 'code_needed'])
  t.equal((await box.browser().signIn('tess', password, now())).status, 401, 'the code that set it up was used')
  box.clock.advance(30_000)
  t.equal((await box.browser().signIn('tess', password, now())).status, 200)
  t.equal((await box.browser().signIn('tess', password, now())).status, 401)
  const [recovery] = done.recoveryCodes
  t.equal((await box.browser().signIn('tess', password, recovery)).status, 200)
  t.equal((await box.browser().signIn('tess', password, recovery)).status, 401)
})

t.test('a page of another site changes nothing, by whatever it sends', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['manager'] })
  const own = new URL(box.url).host
  const table = [
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'none' }, 403],
    [{ 'sec-fetch-site': '', origin: 'http://evil.example' }, 403],
    [{ 'sec-fetch-site': 'same-origin', host: 'evil.example' }, 421],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
  ] as const
  for (const [headers, status] of table) {
    t.equal((await browser.ask('POST', '/api/session/alive', {}, headers)).status, status, JSON.stringify(headers))
    t.equal((await browser.ask('POST', '/api/session', { login: 'x', password: 'y' }, headers)).status, status === 200 ? 401 : status)
  }
  const plain = box.browserWithout()
  plain.cookies.set('pbx', browser.cookies.get('pbx')!)
  t.equal((await plain.ask('POST', '/api/session/alive', {})).status, 403, 'neither Sec-Fetch-Site nor Origin')
  t.equal((await plain.ask('POST', '/api/session/alive', {}, { origin: `http://${own}` })).status, 200, 'the own Origin')
  t.equal((await plain.ask('POST', '/api/session/alive', {}, { origin: 'null' })).status, 403)
})

t.test('a session locks when nobody is there, and PIN or password open it', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['manager'] })
  t.equal((await browser.ask('PUT', '/api/people/me/pin', { password: 'not this password', pin: '271828' })).status, 401)
  t.equal((await browser.ask('PUT', '/api/people/me/pin', { password, pin: '271828' })).status, 204)
  box.clock.advance(9 * minute)
  t.equal((await browser.ask('GET', '/api/people')).status, 200, 'what a page asks by itself keeps nothing open')
  t.equal((await browser.ask('POST', '/api/session/alive', {})).status, 200)
  box.clock.advance(9 * minute)
  t.equal((await browser.ask('GET', '/api/people')).status, 200)
  box.clock.advance(minute)
  const shut = await browser.ask('GET', '/api/people')
  t.same([shut.status, shut.json.code], [423, 'locked'])
  t.equal((await browser.ask('POST', '/api/session/alive', {})).status, 423, 'a page opens nothing by itself')
  t.equal((await browser.session()).json.locked, true)
  t.equal((await browser.ask('POST', '/api/session/unlock', { pin: '000000' })).status, 401)
  t.equal((await browser.ask('POST', '/api/session/unlock', { pin: '271828' })).status, 200)
  t.equal((await browser.ask('GET', '/api/people')).status, 200)
  await browser.ask('POST', '/api/session/lock', {})
  t.equal((await browser.ask('GET', '/api/people')).status, 423, 'at once')
  t.equal((await browser.ask('POST', '/api/session/unlock', { password })).status, 200)
})

t.test('the fifth wrong PIN ends the session, and a PIN opens no other browser', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['desk'] })
  await browser.ask('PUT', '/api/people/me/pin', { password, pin: '271828' })
  const other = box.browser()
  await other.signIn('maria')
  await other.ask('POST', '/api/session/lock', {})
  t.equal((await other.ask('POST', '/api/session/unlock', { pin: '271828' })).status, 401)
  await browser.ask('POST', '/api/session/lock', {})
  for (let n = 0; n < 4; n++) t.equal((await browser.ask('POST', '/api/session/unlock', { pin: '111111' })).json.code, 'sign_in_failed')
  t.equal((await browser.ask('POST', '/api/session/unlock', { pin: '111111' })).json.code, 'session_ended')
  t.equal((await browser.ask('POST', '/api/session/unlock', { pin: '271828' })).status, 401)
  t.equal((await other.session()).status, 200, 'the other goes on')
})

t.test('sessions outlive a restart and end by time, sign-out, a changed password, a removed person and a manager', async (t) => {
  const box = await Box.open(t, off)
  const { browser, personId } = await box.person({ login: 'maria', roles: ['desk'] })
  const { browser: boss } = await box.person({ login: 'boss', roles: ['manager'] })
  await box.restart()
  t.equal((await browser.session()).status, 200)
  const other = box.browser()
  await other.signIn('maria')
  const changed = await browser.ask('PUT', '/api/people/me/password', { password, newPassword: 'nine blue doors behind a hill' })
  t.equal(changed.status, 204)
  t.same([(await other.session()).status, (await browser.session()).status], [401, 200])
  await other.signIn('maria', 'nine blue doors behind a hill')
  const { json: list } = await boss.ask('GET', `/api/people/${personId}/sessions`)
  t.equal(list.length, 2)
  t.notMatch(JSON.stringify(list), new RegExp(browser.cookies.get('pbx')!), 'a list of sessions opens none')
  const newest = list[0].sessionId
  t.equal((await boss.ask('DELETE', `/api/people/${personId}/sessions/${newest}`)).status, 204)
  t.same([(await other.session()).status, (await browser.session()).status], [401, 200])
  const out = await browser.ask('DELETE', '/api/session')
  t.equal(out.status, 204)
  t.equal((await browser.session()).status, 401)
  await browser.signIn('maria', 'nine blue doors behind a hill')
  box.clock.advance(12 * 60 * minute)
  t.equal((await browser.session()).json.code, 'session_ended')
  await browser.signIn('maria', 'nine blue doors behind a hill')
  t.equal((await box.program().ask('DELETE', `/api/people/${personId}`)).status, 204)
  t.equal((await browser.session()).status, 401)
})

t.test('roles decide: who invites whom, and the last technician stays', async (t) => {
  const box = await Box.open(t, off)
  const desk = await box.person({ login: 'maria', roles: ['desk'] })
  const boss = await box.person({ login: 'boss', roles: ['manager'] })
  const tech = await box.person({ login: 'tess', roles: ['technician'] })
  t.equal((await desk.browser.ask('GET', '/api/people')).json.code, 'role_denied')
  const make = (roles: string[]) => boss.browser.ask('POST', '/api/people', { login: `new-${roles.join('-')}`, name: 'New', roles })
  t.same([(await make(['desk'])).status, (await make(['manager'])).status, (await make(['technician'])).status], [201, 201, 403])
  const toTechnician = await boss.browser.ask('PATCH', `/api/people/${boss.personId}`, { roles: ['manager', 'technician'] })
  t.equal(toTechnician.json.code, 'role_denied', 'nobody makes themselves more')
  t.equal((await boss.browser.ask('POST', `/api/people/${tech.personId}/invite`, {})).json.code, 'role_denied')
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { disabled: true }],
    ['PATCH', { roles: ['desk'] }],
  ] as const)
    t.equal((await tech.browser.ask(method, `/api/people/${tech.personId}`, body)).json.code, 'validation_failed')
  t.equal((await desk.browser.ask('GET', `/api/people/${boss.personId}/sessions`)).json.code, 'role_denied')
  t.equal((await desk.browser.ask('GET', `/api/people/${desk.personId}/sessions`)).status, 200)
  t.equal((await box.program(sendOnly).ask('GET', '/api/people')).json.code, 'scope_denied', 'a program needs the scope admin')
})

t.test('a technician reads as a manager for the minutes that were said', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'tess', roles: ['technician'] })
  t.equal((await browser.ask('POST', '/api/session/glass', { minutes: 15, reason: 'short' })).status, 422)
  t.equal((await browser.ask('POST', '/api/session/glass', { minutes: 31, reason: 'a caller hears nothing' })).status, 422)
  const broken = await browser.ask('POST', '/api/session/glass', { minutes: 5, reason: 'a caller hears nothing' })
  t.equal(broken.json.glass.reason, 'a caller hears nothing')
  box.clock.advance(5 * minute)
  t.equal((await browser.session()).json.glass, null)
  const { browser: boss } = await box.person({ login: 'boss', roles: ['manager'] })
  t.equal((await boss.ask('POST', '/api/session/glass', { minutes: 5, reason: 'a caller hears nothing' })).json.code, 'role_denied')
})

t.test('with an access token the cookie is not looked at', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['manager'] })
  const wrong = await browser.ask('GET', '/api/people', undefined, { authorization: 'Bearer wrong' })
  t.same([wrong.status, wrong.json.code], [401, 'invalid_token'])
  t.equal((await browser.ask('GET', '/api/session', undefined, { authorization: 'Bearer wrong' })).status, 401)
})

t.test('cookies are for this host, this site and no script', async (t) => {
  const box = await Box.open(t, off)
  await box.person({ login: 'maria', roles: ['desk'] })
  const { setCookie } = await box.browser().signIn('maria')
  t.equal(setCookie.length, 2)
  for (const line of setCookie) t.match(line, /^pbx(-browser)?=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
  const two = box.browser()
  two.cookies.set('pbx', `${'x'.repeat(43)}; pbx=${/^pbx=([\w-]+)/.exec(setCookie[0]!)![1]}`)
  t.equal((await two.session()).status, 401, 'of two cookies with the name neither is taken')
})

t.test('console: off, and there are no sessions', async (t) => {
  const box = await Box.open(t, { console: 'off' })
  for (const [method, path] of [
    ['POST', '/api/session'],
    ['GET', '/api/session'],
    ['GET', '/api/people'],
  ] as const)
    t.equal((await box.program().ask(method, path, method === 'POST' ? {} : undefined)).status, 404, path)
})

t.test('what people do is in the audit trail, and no secret is', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['manager'] })
  await box.browser().signIn('maria', 'a wrong long password')
  await browser.ask('GET', '/api/people')
  await browser.ask('POST', '/api/session/lock', {})
  await browser.ask('POST', '/api/session/unlock', { password })
  await box.trail.stop()
  const rows = [...box.store.tables.audit.range()].map(({ value }) => JSON.parse(JSON.stringify(value)))
  const text = JSON.stringify(rows)
  for (const deed of ['person.create', 'person.invite', 'session.begin', 'session.lock', 'session.unlock', 'person.list'])
    t.match(text, deed)
  t.match(text, 'person:maria')
  t.notMatch(text, /lamps over water|wrong long/)
})
