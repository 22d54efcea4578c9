/** Whose request it is behind proxies, by which names the box is asked, and that no header of a stranger is believed or breaks anything. */
import { once } from 'node:events'
import { request } from 'node:http'
import { hostname } from 'node:os'
import t, { type Test } from 'tap'
import { networksOf } from '../../daemon/http/address.ts'
import { clientOf } from '../../daemon/http/client.ts'
import { isOurs, namesOf } from '../../daemon/http/hosts.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { healthRoutes } from '../../daemon/http/health-routes.ts'
import { Health } from '../../daemon/base/health.ts'
import { all, limits, Scene, tokenRow } from './serve.ts'

const proxies = networksOf(['127.0.0.1', '192.0.2.8/29', '2001:db8::/64'])
const seen = (peer: string, headers: Record<string, string>) => clientOf(peer, new Map(Object.entries(headers)), { secure: false, proxies })
const byList = (list: string) => seen('127.0.0.1', { 'x-forwarded-for': list })
const byForwarded = (header: string) => seen('127.0.0.1', { forwarded: header })

t.test('the client is the rightmost address that is no trusted proxy', async (t) => {
  const table: Record<string, string> = {
    '203.0.113.5': '203.0.113.5',
    '1.1.1.1, 203.0.113.5': '203.0.113.5',
    '127.0.0.1, 203.0.113.5, 192.0.2.9, 192.0.2.15': '203.0.113.5',
    '203.0.113.5:4711': '203.0.113.5',
    ' 203.0.113.5 ': '203.0.113.5',
    '[2001:db9::1]:443': '2001:db9::1',
    '[2001:db9::1]': '2001:db9::1',
    '2001:DB9:0:0::1': '2001:db9::1',
    '2001:db9::1, 2001:db8::7': '2001:db9::1',
    'fe80::1%eth0': 'fe80::1',
    '::ffff:203.0.113.5': '203.0.113.5',
    [Array.from({ length: 100 }, (_, n) => `198.51.100.${n}`).join(', ')]: '198.51.100.99',
    [Array.from({ length: 100 }, () => '192.0.2.10').join(',')]: '127.0.0.1',
    '203.0.113.5, unknown': '127.0.0.1',
    '203.0.113.5,': '127.0.0.1',
    '203.0.113.5, 300.1.1.1': '127.0.0.1',
    '203.0.113.5, 0203.0.113.5': '127.0.0.1',
    '': '127.0.0.1',
  }
  for (const [list, address] of Object.entries(table))
    t.match(byList(list), { address, proxy: address === '127.0.0.1' ? 'silent' : 'named' }, list.slice(0, 60))
  const forwarded: Record<string, string> = {
    'for=203.0.113.5': '203.0.113.5',
    'For="203.0.113.5:80";proto=https;by=192.0.2.9': '203.0.113.5',
    'for="[2001:db9::1]:4711"': '2001:db9::1',
    'for=1.1.1.1, for=203.0.113.5;host="a,b;c", for=192.0.2.9': '203.0.113.5',
    'for="203.0.113.\\5"': '203.0.113.5',
    'for=unknown': '127.0.0.1',
    'for=_hidden, for="_x"': '127.0.0.1',
    'for="203.0.113.5': '127.0.0.1',
    'for=203.0.113.5; for': '127.0.0.1',
    '"""': '127.0.0.1',
  }
  for (const [header, address] of Object.entries(forwarded)) t.match(byForwarded(header), { address }, header)
  t.match(seen('127.0.0.1', { 'x-forwarded-for': '203.0.113.5', forwarded: 'for=1.1.1.1' }), { address: '203.0.113.5' })
  t.match(seen('127.0.0.1', { 'x-forwarded-for': 'rubbish', forwarded: 'for=1.1.1.1' }), { address: '127.0.0.1' })
})

t.test('who is no trusted proxy is the client, whatever it says', async (t) => {
  const headers = { 'x-forwarded-for': '203.0.113.5', forwarded: 'for=203.0.113.6', 'x-forwarded-proto': 'https' }
  t.same(seen('127.0.0.2', headers), { address: '127.0.0.2', proxy: 'unknown', secure: false })
  t.same(seen('127.0.0.2', {}), { address: '127.0.0.2', proxy: 'none', secure: false })
  t.same(clientOf('127.0.0.1', new Map(Object.entries(headers)), { secure: false, proxies: null }).address, '127.0.0.1')
  t.same(seen('', headers), { address: '', proxy: 'none', secure: false }, 'a unix socket')
  t.match(seen('127.0.0.1', { 'x-forwarded-proto': 'http, https' }), { secure: true })
  t.match(seen('127.0.0.1', { 'x-forwarded-proto': 'https, http' }), { secure: false })
  t.match(seen('127.0.0.1', { forwarded: 'for=203.0.113.5;proto=https' }), { secure: true })
  t.match(seen('127.0.0.1', {}), { secure: undefined, proxy: 'silent' })
})

t.test('10,000 headers of rubbish give an address each', async (t) => {
  const pieces = [
    '203.0.113.5',
    '192.0.2.9',
    ',',
    ';',
    '"',
    '\\',
    '[',
    ']',
    ':',
    '%',
    'for=',
    'proto=',
    ' ',
    '::1',
    '\u00e9',
    '\0',
    'constructor',
    '__proto__',
  ]
  let state = 7
  const random = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  const known = new Set<string>()
  for (let n = 0; n < 10_000; n++) {
    const text = Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join('')
    for (const { address } of [byList(text), byForwarded(text)]) known.add(address)
  }
  t.ok(known.size > 2, `the rubbish has addresses in it: ${[...known].join()}`)
  for (const address of known) t.match(address, /^[\da-f.:]+$/, address)
  // In a pattern that goes back and forth each of these would take longer than the test may.
  for (const text of [' '.repeat(8000), `for=a${' '.repeat(8000)}x`, `for="${'\\'.repeat(8000)}`, ','.repeat(8000), 'for=;'.repeat(1600)])
    for (let n = 0; n < 50; n++) for (const look of [byList, byForwarded]) look(text)
})

t.test('the box is called as its own machine says', async (t) => {
  const short = hostname().toLowerCase().split('.')[0]!
  const dir = t.testdir({
    hosts: `# names\n127.0.0.1 localhost\n127.0.1.1\tPBX.Clinic.Example pbx # of Debian\n192.0.2.77 somebody.else\n::1 ip6-localhost\nrubbish\n`,
    resolver: `nameserver 192.0.2.1\nsearch clinic.lan. corp.example\ndomain\noptions edns0\n`,
  })
  const names = namesOf([], { hosts: `${dir}/hosts`, resolver: `${dir}/resolver` })
  for (const host of [`${short}.clinic.lan`, `${short}.corp.example:8080`, 'pbx.clinic.example', 'pbx', `${short}.local.`, short])
    t.ok(isOurs(host, names), host)
  for (const host of ['somebody.else', 'clinic.lan', 'evil.clinic.lan', `${short}.evil.example`, `${short}.`.repeat(2)])
    t.notOk(isOurs(host, names), host)
  const none = namesOf([], { hosts: `${dir}/none`, resolver: `${dir}/none` })
  t.ok(isOurs(short, none) && !isOurs('pbx.clinic.example', none))
})

t.test('names of the box, and others', async (t) => {
  const names = namesOf(['pbx.clinic.example'])
  const ours = [
    'localhost',
    'LOCALHOST:8080',
    'x.localhost',
    '127.0.0.1',
    '192.0.2.7:8443',
    '[::1]:80',
    'pbx.clinic.example.',
    'PBX.clinic.example:1',
  ]
  for (const host of ours) t.ok(isOurs(host, names), host)
  for (const host of [
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'a, localhost',
    '',
    '[evil]',
    'constructor',
    'x:y:z',
    '\u00e9',
  ])
    t.notOk(isOurs(host, names), host)
  t.ok(isOurs(undefined, names), 'no browser')
})

async function box(t: Test, more: { trustedProxies?: string[]; names?: ReadonlySet<string> }) {
  const scene = await Scene.open()
  const health = new Health()
  health.part('store', () => ({ ok: true, reason: '', required: true }))
  const routes = [...scene.routes(), ...healthRoutes({ health })]
  const uses: string[] = []
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes,
    tokens: () => [tokenRow('all', all, ['send', 'inbox', 'voice', 'crm', 'admin'])],
    tokenUsed: (_, address) => uses.push(address),
    limits,
    log: scene.log,
    clock: scene.clock,
    ...more,
  })
  t.teardown(async () => {
    await http.close(0)
    await scene.close()
  })
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const asked = request({ port: http.port, host: '127.0.0.1', path, method, headers, agent: false }).end()
    const [answer] = await once(asked, 'response')
    let text = ''
    for await (const chunk of answer) text += chunk
    return { status: answer.statusCode as number, text }
  }
  return { ask, uses, port: http.port, scene }
}

t.test('failures and last uses go by the client behind a proxy', async (t) => {
  const { ask, uses } = await box(t, { trustedProxies: ['127.0.0.1'] })
  const from = (address: string, token = 'wrong') => ({ 'x-forwarded-for': `9.9.9.9, ${address}`, authorization: `Bearer ${token}` })
  for (let n = 0; n < limits.authFailuresPerMinute; n++) t.equal((await ask('/things/a', from('203.0.113.5'))).status, 401)
  t.equal((await ask('/things/a', from('203.0.113.5'))).status, 429)
  t.equal((await ask('/things/a', from('203.0.113.6'))).status, 401, 'others are not shut out with them')
  t.match(JSON.parse((await ask('/things/a', from('203.0.113.7', all))).text), { address: '203.0.113.7' })
  t.same(uses, ['203.0.113.7'])
})

t.test('a stranger is not shut in or out by what it writes into the header', async (t) => {
  const { ask } = await box(t, {})
  const from = (address: string) => ({ 'x-forwarded-for': address, authorization: 'Bearer wrong' })
  for (let n = 0; n < limits.authFailuresPerMinute; n++) await ask('/things/a', from(`203.0.113.${n}`))
  t.equal((await ask('/things/a', from('203.0.113.200'))).status, 429)
})

t.test('by a name of somebody else nothing is answered that needs no token, but for health', async (t) => {
  const { ask } = await box(t, { names: namesOf(['pbx.clinic.example']) })
  const host = (name: string) => ({ host: name })
  for (const path of ['/state', '/things/a.wav', '/fault/now'])
    t.match(await ask(path, host('evil.example')), { status: 421, text: /"host_unknown".*/ }, path)
  for (const name of ['127.0.0.1', 'localhost', 'pbx.clinic.example:8443']) t.equal((await ask('/state', host(name))).status, 200, name)
  t.equal((await ask('/state', { ...host('evil.example'), authorization: `Bearer ${all}` })).status, 200, 'who has a token is no page')
  const by = (token: string) => ({ ...host('pbx.clinic.lan:8080'), authorization: `Bearer ${token}` })
  t.equal((await ask('/things/a.wav', by(all))).status, 200, 'where no token is needed, either')
  for (let n = 0; n < limits.authFailuresPerMinute; n++) t.equal((await ask('/things/a.wav', by('guess'))).status, 401)
  t.equal((await ask('/things/a.wav', by('guess'))).status, 429, 'guesses are counted')
  for (const path of ['/healthz', '/readyz']) t.equal((await ask(path, host('evil.example'))).status, 200, path)
  t.equal((await ask('/', host('evil.example'), 'OPTIONS')).status, 204)
  const behind = await box(t, { names: namesOf([]), trustedProxies: ['127.0.0.1'] })
  t.equal((await behind.ask('/state', host('evil.example'))).status, 200, 'a proxy of the house has looked')
})

t.test('a box that has proxies answers HTTP/1.0, as their checks speak it', async (t) => {
  const { scene, port } = await box(t, { trustedProxies: ['127.0.0.1'], names: namesOf([]) })
  const asks: [string, RegExp][] = [
    ['OPTIONS / HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 204 /],
    ['GET /healthz HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 200 .*\{"ok":true\}$/s],
    ['GET /readyz HTTP/1.0\r\nHost: anything\r\n\r\n', /^HTTP\/1\.1 200 /],
    ['GET /readyz HTTP/1.1\r\nHost: pbx\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 200 /],
  ]
  const own = scene.server
  for (const [bytes, answer] of asks) {
    scene.server = { ...own, port }
    t.match(await scene.raw(bytes), answer, JSON.stringify(bytes))
    scene.server = own
  }
})
