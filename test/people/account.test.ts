/** What a person changes of the own account, what others reset, and what the box says of it. */
import t from 'tap'
import type { CodedWarning } from '../../daemon/base/health.ts'
import { totpCode } from '../../daemon/people/sign-in.ts'
import { Box, password, type Browser } from './stage.ts'

const minute = 60_000
const off = { console: { secondStep: 'off' } }
const wrong = 'some other long password'

/** The second step is set up; the secret of the app. */
async function withTotp(box: Box, browser: Browser): Promise<string> {
  const { secret } = (await browser.ask('PUT', '/api/people/me/totp', { password })).json
  const code = totpCode(secret, Math.floor(box.clock.now() / 30_000))
  const { status } = await browser.ask('PUT', '/api/people/me/totp', { code })
  if (status !== 200) throw new Error(`${status}`)
  return secret
}

t.test('a second step is replaced by who knows the password alone', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['desk'] })
  const first = await withTotp(box, browser)
  for (const body of [{}, { password: wrong }])
    t.match(await browser.ask('PUT', '/api/people/me/totp', body), { status: 401, json: { code: 'sign_in_failed' } })
  const second = (await browser.ask('PUT', '/api/people/me/totp', { password })).json.secret
  t.not(second, first)
  box.clock.advance(minute)
  const code = (secret: string) => totpCode(secret, Math.floor(box.clock.now() / 30_000))
  t.equal((await box.browser().signIn('maria', password, code(first))).status, 200, 'the former one holds until the new one is confirmed')
  t.equal((await browser.ask('PUT', '/api/people/me/totp', { code: code(second) })).status, 200)
  box.clock.advance(minute)
  t.equal((await box.browser().signIn('maria', password, code(first))).status, 401)
  t.equal((await box.browser().signIn('maria', password, code(second))).status, 200)
})

t.test('who is at a browser that somebody left open does not find the password by trying', async (t) => {
  const tries: [string, (browser: Browser) => ReturnType<Browser['ask']>][] = [
    [
      'password',
      (browser) => browser.ask('PUT', '/api/people/me/password', { password: wrong, newPassword: 'nine blue doors behind a hill' }),
    ],
    ['pin', (browser) => browser.ask('PUT', '/api/people/me/pin', { password: wrong, pin: '271828' })],
    ['totp', (browser) => browser.ask('PUT', '/api/people/me/totp', { password: wrong })],
  ]
  for (const [what, attempt] of tries) {
    const box = await Box.open(t, off)
    const { browser } = await box.person({ login: 'maria', roles: ['desk'] })
    if (what === 'totp') await withTotp(box, browser)
    for (let n = 0; n < 4; n++) t.equal((await attempt(browser)).json.code, 'sign_in_failed', what)
    t.equal((await attempt(browser)).json.code, 'session_ended', what)
    t.equal((await browser.session()).status, 401, what)
  }
})

t.test('a reset forgets password, second step, sessions and failed tries, by who may', async (t) => {
  const box = await Box.open(t, off)
  const { browser, personId } = await box.person({ login: 'maria', roles: ['desk'] })
  const { browser: boss } = await box.person({ login: 'boss', roles: ['manager'] })
  const { browser: tess, personId: technician } = await box.person({ login: 'tess', roles: ['technician'] })
  await withTotp(box, browser)
  for (let n = 0; n < 6; n++) await box.browser().signIn('maria', wrong)
  const forget = { password: null, secondStep: false }
  t.equal((await browser.ask('PATCH', `/api/people/${personId}`, forget)).json.code, 'role_denied')
  t.equal((await boss.ask('PATCH', `/api/people/${technician}`, forget)).json.code, 'role_denied')
  for (const faulty of [{ password: 'mine' }, { secondStep: true }, {}])
    t.equal((await boss.ask('PATCH', `/api/people/${personId}`, faulty)).status, 422, JSON.stringify(faulty))
  const { status, json } = await boss.ask('PATCH', `/api/people/${personId}`, forget)
  t.match({ status, json }, { status: 200, json: { state: 'invited', secondStep: false } })
  t.equal((await browser.session()).status, 401)
  t.equal((await box.browser().signIn('maria')).status, 401, 'no 429 any more, and no password')
  const { json: slip } = await tess.ask('POST', `/api/people/${personId}/invite`, {})
  const again = box.browser()
  t.equal((await again.ask('POST', '/api/session/setup', { code: slip.code, password })).status, 200)
  t.equal((await again.session()).status, 200)
})

t.test('a browser in which somebody signs in has one session', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'maria', roles: ['desk'] })
  const planted = browser.cookies.get('pbx')!
  await browser.signIn('maria')
  t.not(browser.cookies.get('pbx'), planted, 'each sign-in has a cookie of its own')
  const thief = box.browser()
  thief.cookies.set('pbx', planted)
  t.equal((await thief.session()).status, 401, 'what somebody knew of it before opens nothing')
})

t.test('break glass is a warning of the box at once, for its minutes, and its reason is in the trail', async (t) => {
  const box = await Box.open(t, off)
  const { browser } = await box.person({ login: 'tess', roles: ['technician'] })
  const reason = 'Señora +1 (555) 010-0190 hört nichts, einseitig!'
  t.equal((await browser.ask('POST', '/api/session/glass', { minutes: 5, reason })).status, 200)
  const warnings = (): CodedWarning[] => [...box.warnings()]
  t.match(warnings(), [{ severity: 'warning', text: /^tess reads as a manager until / }])
  t.notMatch(JSON.stringify(warnings()), /Se/, 'the reason may name a patient')
  box.clock.advance(5 * minute)
  t.same(warnings(), [])
  t.equal((await browser.ask('POST', '/api/session/glass', { minutes: 5, reason })).status, 200)
  t.equal(warnings().length, 1)
  t.equal((await browser.ask('DELETE', '/api/session/glass')).json.glass, null)
  t.same(warnings(), [], 'it ends by hand, too')
  await box.trail.stop()
  const row = [...box.store.tables.audit.range()]
    .map(({ value }) => JSON.parse(JSON.stringify(value)))
    .find(({ deed }) => deed === 'session.glass')
  t.match(row.object, / 5 min: Senora .* hort nichts einseitig$/)
  t.notMatch(row.object, /555.*010.*0190/, 'a whole number is in none')
})

t.test('a refused sign-in is a deed of its own in the trail', async (t) => {
  const box = await Box.open(t, off)
  await box.person({ login: 'maria', roles: ['desk'] })
  const outcomes: string[] = []
  box.trail.refusals.watch(({ deed, outcome }) => outcomes.push(`${deed} ${outcome}`))
  for (let n = 0; n < 6; n++) await box.browser().signIn('maria', wrong)
  await box.browser().ask('POST', '/api/session/setup', { code: 'AAAA-BBBB-CCCC-DDDD', password })
  const refused = Array.from({ length: 5 }, () => 'session.failed sign_in_failed')
  t.same(outcomes, [...refused, 'session.failed rate_limited', 'session.failed invitation_void'])
})
