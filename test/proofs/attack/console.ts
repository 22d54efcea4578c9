/** Strangers, other sites, colleagues and thieves of a cookie at the pages of the box for people. */
import { once } from 'node:events'
import { request } from 'node:http'
import { Guessing } from '../../../daemon/people/guessing.ts'
import { totpCode } from '../../../daemon/people/sign-in.ts'
import type { Scene } from '../../harness/scene.ts'
import { FakeClock } from '../../harness/fake-clock.ts'
import { Box, Browser, password } from '../../people/stage.ts'
import { none, type Area, type Attack } from './attack.ts'

const wrong = 'some other long password'
const own = { 'sec-fetch-site': 'same-origin' }

const browserAt = ({ daemon }: Scene): Browser => new Browser({ url: daemon.http }, own)

let people = 0

/** Somebody new who has signed in. */
async function person(box: Scene, ...roles: string[]): Promise<{ browser: Browser; login: string; personId: string }> {
  const login = `${roles[0]}-${(people += 1)}`
  const made = await box.daemon.api('POST', '/api/people', { login, name: login, roles })
  const { personId } = made.body
  const { body: slip } = await box.daemon.api('POST', `/api/people/${personId}/invite`)
  const browser = browserAt(box)
  const { status, text } = await browser.ask('POST', '/api/session/setup', { code: slip.code, password })
  if (status !== 200) throw new Error(`nobody signs in: ${status} ${text}`)
  return { browser, login, personId }
}

interface Operation {
  readonly method: string
  readonly path: string
}

/** All operations of the box, parameters replaced. */
async function operations({ daemon }: Scene): Promise<Operation[]> {
  const { body } = await daemon.api('GET', '/openapi.json')
  return Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, 'x') })),
  )
}

interface Raw {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly localAddress?: string
}

/** As it is written down: another address, another Host. */
async function raw({ daemon }: Scene, path: string, { method = 'GET', headers = {}, body = '', localAddress = '127.0.0.1' }: Raw) {
  const length: Record<string, string> = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const asked = request(`${daemon.http}${path}`, { method, localAddress, agent: false, headers: { ...length, ...headers } })
  asked.end(body)
  const [answer] = await once(asked, 'response')
  let text = ''
  if (/event-stream/.test(answer.headers['content-type'] ?? '')) answer.destroy()
  else for await (const chunk of answer) text += chunk
  return { status: answer.statusCode as number, text, headers: answer.headers as Record<string, string> }
}

const cookiesOf = ({ cookies }: Browser): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Two-sided p of the rank-sum test (Mann and Whitney), by the normal approximation. */
function rankSum(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, of: 0 })), ...b.map((value) => ({ value, of: 1 }))].toSorted((x, y) => x.value - y.value)
  const sum = all.reduce((total, { of }, rank) => (of === 0 ? total + rank + 1 : total), 0)
  const mean = (a.length * (a.length + b.length + 1)) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  const z = Math.abs(sum - mean) / deviation
  // Abramowitz and Stegun 26.2.17.
  const k = 1 / (1 + 0.2316419 * z)
  const tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  return 2 * tail * (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI))
}

/** Of each kind, one after the other; milliseconds. */
async function signInTimes(count: number): Promise<{ unknown: number[]; known: number[]; answers: Set<string> }> {
  const box = new Box({ console: { secondStep: 'off' } })
  await box.start()
  try {
    await box.person({ login: 'maria', roles: ['desk'] })
    const times = { unknown: [] as number[], known: [] as number[], answers: new Set<string>() }
    const kinds = [
      ['unknown', 'mario'],
      ['known', 'maria'],
    ] as const
    for (let n = 0; n < count; n++) {
      for (const [kind, login] of n % 2 === 0 ? kinds : kinds.toReversed()) {
        const began = performance.now()
        const { status, json } = await box.browser().signIn(login, wrong)
        times[kind].push(performance.now() - began)
        times.answers.add(`${status} ${json.code} ${json.error}`)
      }
      if (n % 4 !== 3) continue
      // What was counted against the logins has expired; what the time brings with it is done before the next one is measured.
      box.clock.advance(16 * 60_000)
      await box.browser().session()
      await box.trail.refusals.flush()
    }
    return times
  } finally {
    await box.remove()
  }
}

const timing: Attack = {
  name: '1,000 unknown logins and 1,000 wrong passwords, by their answers and times',
  play: async () => {
    const { unknown, known, answers } = await signInTimes(1000)
    const p = rankSum(unknown, known)
    const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length / 2]!
    const seen = `p = ${p.toFixed(3)}, medians ${median(unknown).toFixed(2)} and ${median(known).toFixed(2)} ms, ${answers.size} kind of answer`
    return { seen, stood: p > 0.001 && answers.size === 1 }
  },
}

const guessing: Attack = {
  name: 'a password guessed from 100 addresses, and 10,000 logins that nobody has',
  play: async (box) => {
    const { login, browser } = await person(box, 'desk')
    let tried = 0
    for (let n = 0; n < 100; n++) {
      const body = JSON.stringify({ login, password: `${wrong} ${n}` })
      const asked = { method: 'POST', headers: { 'content-type': 'application/json', ...own }, body, localAddress: `127.0.1.${n + 1}` }
      if ((await raw(box, '/api/session', asked)).status !== 429) tried += 1
    }
    const home = (await browser.signIn(login)).status
    // Those that are forgotten for want of room give few more tries.
    const counted = new Guessing(new FakeClock())
    for (let n = 0; n < 5; n++) counted.failed(login, null)
    for (let n = 0; n < 10_000; n++) counted.failed(`nobody-${n}`, null)
    let more = 0
    for (; more < 10; more++) {
      try {
        counted.mayTry(login, null)
      } catch {
        break
      }
      counted.failed(login, null)
    }
    return {
      seen: `${tried} of 100 tried, ${more} more after 10,000 others; her own browser ${home}`,
      stood: tried === 5 && more <= 5 && home === 200,
    }
  },
}

const invitations: Attack = {
  name: 'codes of invitations: 200 at random, one twice, the one of the box after five wrong ones',
  play: async (box) => {
    const codes = Array.from({ length: 200 }, (_, n) => `AAAA-BBBB-CCCC-${String(n).padStart(4, 'D')}`)
    const use = (code: string) => browserAt(box).ask('POST', '/api/session/setup', { code, password })
    const { body } = await box.daemon.api('POST', '/api/people', { login: 'newcomer', name: 'New', roles: ['desk'] })
    const { body: slip } = await box.daemon.api('POST', `/api/people/${body.personId}/invite`)
    const short = JSON.parse((await box.daemon.pbx('console', 'invite', '--login', 'second', '--json')).out) as { code: string }
    let opened = 0
    for (const code of codes.slice(0, 100)) if ((await use(code)).status === 200) opened += 1
    const after = (await use(short.code)).status
    const held = (await use(slip.code)).status
    const twice = (await use(slip.code)).status
    return {
      seen: `${opened} opened; the box's own ${after}, a slip ${held}, then ${twice}`,
      stood: opened === 0 && after === 403 && held === 200 && twice === 403,
    }
  },
}

const codes: Attack = {
  name: 'a code of the app, and a recovery code, used twice and at once',
  play: async (box) => {
    const { browser, login } = await person(box, 'technician')
    const begun = (await browser.ask('PUT', '/api/people/me/totp', { password })).json
    const code = (): string => totpCode(begun.secret, Math.floor(Date.now() / 30_000))
    const done = (await browser.ask('PUT', '/api/people/me/totp', { code: code() })).json
    const reused = (await browserAt(box).signIn(login, password, code())).status
    const [recovery] = done.recoveryCodes as string[]
    const at = await Promise.all(Array.from({ length: 4 }, () => browserAt(box).signIn(login, password, recovery)))
    const taken = at.filter(({ status }) => status === 200).length
    const again = (await browserAt(box).signIn(login, password, recovery)).status
    return {
      seen: `the code again ${reused}; of four at once ${taken} taken; later ${again}`,
      stood: reused === 401 && taken === 1 && again === 401,
    }
  },
}

/** What a page of another site can have a browser send with the cookie. */
const foreign: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'same-site', origin: 'https://other.clinic.lan' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
  { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' },
  {},
]

const forgery: Attack = {
  name: 'forms and scripts of other sites with the cookie of a manager, on all routes that change something',
  play: async (box) => {
    const { browser } = await person(box, 'manager', 'desk')
    const cookie = cookiesOf(browser)
    const changing = (await operations(box)).filter(({ method }) => method !== 'GET')
    const through: string[] = []
    let sent = 0
    for (const { method, path } of changing)
      for (const headers of foreign) {
        sent += 1
        const { status } = await raw(box, path, { method, headers: { 'content-type': 'application/json', ...headers, cookie }, body: '{}' })
        if (status < 400 || status === 422) through.push(`${status} ${method} ${path}`)
      }
    const there = (await browser.session()).status
    return {
      ...none({ through: through.length }, `${sent} requests; ${through.slice(0, 4).join('; ')}`),
      stood: through.length === 0 && there === 200,
    }
  },
}

const rebinding: Attack = {
  name: 'a name of somebody else that points to the box, with a cookie and without, on all routes that read',
  play: async (box) => {
    const { browser } = await person(box, 'manager', 'desk')
    const cookie = cookiesOf(browser)
    const open: string[] = []
    const reading = (await operations(box)).filter(
      ({ method, path }) => method === 'GET' && !/^\/(healthz|readyz|openapi\.json|docs|provision)/.test(path),
    )
    for (const { path } of reading)
      for (const headers of [{ cookie }, {}]) {
        const { status } = await raw(box, path, { headers: { host: 'rebound.evil.example', ...headers } })
        if (status < 400) open.push(`${status} ${path}`)
      }
    return none({ answered: open.length }, `${reading.length} paths; ${open.slice(0, 4).join('; ')}`)
  },
}

const fixation: Attack = {
  name: 'a cookie planted before the sign-in, cookies that are made up, two of one name',
  play: async (box) => {
    const { browser, login } = await person(box, 'desk')
    const planted = browser.cookies.get('pbx') as string
    await browser.signIn(login)
    const thief = browserAt(box)
    thief.cookies.set('pbx', planted)
    const old = (await thief.session()).status
    const kept = Number(browser.cookies.get('pbx') === planted)
    let opened = 0
    for (const value of ['', 'x', 'null', '__proto__', '../x', 'a'.repeat(5000), `${'A'.repeat(43)}`, `${browser.cookies.get('pbx')}x`]) {
      thief.cookies.set('pbx', value)
      if ((await thief.session()).status === 200) opened += 1
    }
    const both = await raw(box, '/api/session', { headers: { cookie: `pbx=${browser.cookies.get('pbx')}; pbx=${'A'.repeat(43)}` } })
    return none({
      'the planted one opens': Number(old === 200),
      kept,
      'made-up ones opened': opened,
      'one of two': Number(both.status === 200),
    })
  },
}

const locks: Attack = {
  name: 'a locked session: every route with its cookie, its PIN from elsewhere, six wrong PINs',
  play: async (box) => {
    const { browser } = await person(box, 'manager', 'desk')
    await browser.ask('PUT', '/api/people/me/pin', { password, pin: '271828' })
    await browser.ask('POST', '/api/session/lock', {})
    const cookie = cookiesOf(browser)
    const open: string[] = []
    for (const { method, path } of await operations(box)) {
      if (path.startsWith('/api/session') || !path.startsWith('/api/')) continue
      const { status } = await raw(box, path, {
        method,
        headers: { ...own, 'content-type': 'application/json', cookie },
        body: method === 'GET' ? '' : '{}',
      })
      if (status < 400) open.push(`${status} ${method} ${path}`)
    }
    const other = await person(box, 'desk')
    await other.browser.ask('POST', '/api/session/lock', {})
    const elsewhere = (await other.browser.ask('POST', '/api/session/unlock', { pin: '271828' })).status
    const tries = []
    for (let n = 0; n < 6; n++) tries.push((await browser.ask('POST', '/api/session/unlock', { pin: '111111' })).status)
    const right = (await browser.ask('POST', '/api/session/unlock', { pin: '271828' })).status
    return {
      ...none(
        { open: open.length, 'PIN elsewhere': Number(elsewhere === 200), 'opened after five': Number(right === 200) },
        `${tries.join()}; ${open.slice(0, 4).join('; ')}`,
      ),
    }
  },
}

const changed: Attack = {
  name: 'sessions of a thief when the password is changed, the person reset, disabled, removed',
  play: async (box) => {
    const deeds: [string, (who: { browser: Browser; personId: string }) => Promise<unknown>][] = [
      [
        'changed',
        ({ browser }) => browser.ask('PUT', '/api/people/me/password', { password, newPassword: 'nine blue doors behind a hill' }),
      ],
      ['reset', ({ personId }) => box.daemon.api('PATCH', `/api/people/${personId}`, { password: null })],
      ['disabled', ({ personId }) => box.daemon.api('PATCH', `/api/people/${personId}`, { disabled: true })],
      ['removed', ({ personId }) => box.daemon.api('DELETE', `/api/people/${personId}`)],
    ]
    const late: Record<string, number> = {}
    for (const [what, deed] of deeds) {
      const who = await person(box, 'desk')
      const thief = browserAt(box)
      await thief.signIn(who.login)
      await deed(who)
      late[`after it was ${what}`] = Number((await thief.session()).status === 200)
    }
    return none(late)
  },
}

const frames: Attack = {
  name: 'every page, document and answer of the box in a frame of another site, and read by its script',
  play: async (box) => {
    const { browser } = await person(box, 'manager', 'desk')
    const pages = ['/', '/desk', '/faxes', '/voicemail', '/texts', '/calls', '/people', '/me', '/setup', '/docs', '/wall', '/health']
    const paths = [
      ...pages,
      ...(await operations(box)).filter(({ method, path }) => method === 'GET' && !path.includes('live')).map(({ path }) => path),
    ]
    const framed: string[] = []
    const shared: string[] = []
    for (const path of new Set(paths)) {
      const { status, headers } = await raw(box, path, { headers: { cookie: cookiesOf(browser), origin: 'https://evil.example' } })
      const isDocument = /html|svg|pdf/.test(headers['content-type'] ?? '')
      if (status < 400 && isDocument && !/frame-ancestors 'none'/.test(headers['content-security-policy'] ?? '')) framed.push(path)
      if (headers['access-control-allow-origin'] !== undefined) shared.push(path)
    }
    return none(
      { 'in a frame': framed.length, 'open to scripts of others': shared.length },
      `${paths.length} paths; ${framed.slice(0, 4).join(' ')}`,
    )
  },
}

/** Streams of the session that are open at once, and what closes them again. */
async function streams({ daemon }: Scene, browser: Browser, count: number): Promise<{ open: number; close: () => void }> {
  const headers = { cookie: cookiesOf(browser), ...own }
  const asked = Array.from({ length: count }, () => request(`${daemon.http}/api/live?topics=box`, { headers, agent: false }))
  const states = await Promise.all(
    asked.map(async (one) => {
      one.end()
      const [answer] = await once(one, 'response')
      if (answer.statusCode !== 200) answer.resume()
      return answer.statusCode as number
    }),
  )
  return { open: states.filter((status) => status === 200).length, close: () => asked.forEach((one) => one.destroy()) }
}

const crowd: Attack = {
  name: 'a browser that opens 300 live streams, then ten more people',
  play: async (box) => {
    const greedy = await person(box, 'desk')
    const taken = await streams(box, greedy.browser, 300)
    const others: number[] = []
    const closers = [taken.close]
    try {
      for (let n = 0; n < 10; n++) {
        const { browser } = await person(box, 'desk')
        const one = await streams(box, browser, 1)
        closers.push(one.close)
        others.push(one.open)
      }
      const began = performance.now()
      const health = (await raw(box, '/healthz', {})).status
      const ms = Math.round(performance.now() - began)
      const served = others.filter((open) => open === 1).length
      return {
        seen: `${taken.open} of 300 opened, ${served} of 10 others served, /healthz ${health} in ${ms} ms`,
        stood: served === 10 && health === 200 && taken.open < 100,
      }
    } finally {
      closers.forEach((close) => close())
    }
  },
}

export const consoleArea: Area = {
  name: 'console',
  settings: (settings) => {
    settings.console = { secondStep: 'off' }
    settings.limits = { ...settings.limits, requestsPerSecond: 1000, burst: 1000, authFailuresPerMinute: 1000 }
  },
  attacks: [timing, guessing, invitations, codes, forgery, rebinding, fixation, locks, changed, frames, crowd],
}
