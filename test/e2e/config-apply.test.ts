/** Changes of the configuration with a call up: real phones, the real program of the technician. No call is dropped by any of them. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { freePort } from '../harness/daemon.ts'
import { LightPhone } from '../harness/light-phone.ts'
import { Client } from '../../scripts/cli/client.ts'
import { eventually, Scene } from '../harness/scene.ts'
import type { Phone } from '../harness/sipp.ts'
import { Trunk } from '../harness/trunk.ts'

type Tree = Record<string, any>

const folder = mkdtempSync(join(tmpdir(), 'pbxd-apply-'))
const credentials = join(folder, 'credentials')
const scene = await Scene.open({ env: { STATE_DIRECTORY: folder, CREDENTIALS_DIRECTORY: credentials } })
const { app, daemon } = scene
t.setTimeout(400_000)
t.teardown(async () => {
  await scene.close()
  rmSync(folder, { recursive: true, force: true })
})
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const next = join(folder, 'next.yaml')
const inFile = (): Tree => parse(readFileSync(daemon.configFile, 'utf8')) as Tree

interface Change {
  readonly state: string
  readonly reason: string
  readonly effect: string
  readonly file: string
  readonly revision: number | null
  readonly changes: readonly { readonly path: string }[]
}

/** `pbx config apply` of the file as it is, changed. */
function apply(change: (config: Tree) => void, ...options: string[]): Promise<{ code: number | null; out: string; error: string }> {
  const config = inFile()
  change(config)
  writeFileSync(next, stringify(config))
  return daemon.pbx('config', 'apply', next, '--yes', ...options)
}

async function applied(t: Test, what: string, change: (config: Tree) => void, ...options: string[]): Promise<Change> {
  const { code, out, error } = await apply(change, '--json', ...options)
  t.equal(code, 0, `${what}: ${out} ${error}`)
  const view = JSON.parse(out) as Change
  t.match(view, { state: 'applied', file: '' }, what)
  t.equal(readFileSync(daemon.configFile, 'utf8'), readFileSync(next, 'utf8'), `${what}: the file is written`)
  return view
}

const state = async (): Promise<Tree> => JSON.parse((await daemon.pbx('status', '--json')).out) as Tree

/** A caller who is in an application until the test hangs up. */
async function callUp(): Promise<Phone> {
  app.script = () => [{ say: { text: 'Welcome.' } }, { gather: { input: ['digits'], timeout: 60 } }]
  const caller = await scene.call()
  await app.until('call.inbound.pre_route')
  await eventually('the call is up', async () => (await state())['calls'].active === 1)
  return caller
}

async function stillUp(t: Test, caller: Phone): Promise<void> {
  t.equal((await state())['calls'].active, 1, 'the call is up')
  t.notOk(
    app.received.some(({ event }) => event.event === 'call.ended'),
    'and was all the time',
  )
  await caller.sip.command('HANGUP')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
}

const sections: readonly (readonly [string, (config: Tree) => void, (t: Test) => Promise<unknown>])[] = [
  [
    'an extension: its phone registers',
    (config) => config['extensions'].push({ number: '1000', name: 'Room 4', password: 'of-the-phones' }),
    async (t) => {
      const [phone] = await LightPhone.registered(scene, 1)
      t.ok(phone)
    },
  ],
  [
    'a name and a password of an extension',
    (config) => Object.assign(config['extensions'][0], { name: 'Reception', password: 'a-still-longer-password' }),
    async (t) => t.match((await daemon.pbx('extensions')).out, /Reception/),
  ],
  [
    'an application, and the rule that leads to it',
    (config) => {
      const [first] = config['voice'].endpoints
      config['voice'].endpoints.push({ ...first, id: 'second', controlUrl: `${app.url}/second` })
      config['inbound'].push({ trunk: 'main', to: '+15550001001', destination: 'endpoint:second' })
    },
    async (t) => {
      const { out } = await daemon.pbx('simulate', 'inbound', '--from', '+15551230001', '--to', '+15550001001', '--speed', '20')
      t.match(out, /call\.inbound|pre_route/)
      t.ok(
        app.received.some(({ path }) => path === '/second'),
        'the new application was asked',
      )
    },
  ],
  [
    'a ring group, a queue, a menu, hours and a mailbox, and a rule for each',
    (config) => {
      config['ringGroups'] = [{ id: 'front', members: ['101', '102'] }]
      config['queues'] = [{ id: 'nurses', members: ['102'] }]
      config['menus'] = [{ id: 'main', say: 'Press one.', keys: { '1': '101' } }]
      config['hours'] = [{ id: 'day', open: { 'mon-fri': ['08:00-18:00'] }, whenOpen: 'group:front', whenClosed: 'voicemail:101' }]
      config['mailboxes'] = [{ ext: '101', greeting: 'Please leave a message.' }]
      for (const [to, destination] of [
        ['2001', 'group:front'],
        ['2002', 'queue:nurses'],
        ['2003', 'menu:main'],
        ['2004', 'hours:day'],
        ['2005', 'voicemail:101'],
      ])
        config['inbound'].push({ extension: '*', to, destination })
    },
    async (t) => {
      for (const [to, said] of [
        ['2001', /front/],
        ['2002', /nurses/],
        ['2003', /menu/],
        ['2004', /day/],
        ['2005', /voicemail|mailbox/],
      ] as const)
        t.match((await daemon.pbx('where', to, '--from', '101')).out, said, to)
      t.match((await daemon.pbx('queue')).out, /nurses/)
      t.match((await daemon.pbx('hours')).out, /day/)
      t.match((await daemon.pbx('mailbox')).out, /101/)
    },
  ],
  [
    'numbers that may not be called',
    (config) => (config['numbers'] = { deny: ['+15557770000'] }),
    async (t) => {
      const answer = await scene.originate({ to: '+15557770000', endpoint: 'reception' })
      t.match(answer, { status: 403, body: { code: 'destination_denied' } })
    },
  ],
  [
    'a ceiling of the day',
    (config) => (config['limits'] = { perDay: { texts: 77 } }),
    async (t) => t.match((await daemon.pbx('limits')).out, /\b77\b/),
  ],
  [
    'an access token',
    (config) =>
      config['auth'].tokens.push({ name: 'more', sha256: createHash('sha256').update('another').digest('hex'), scopes: ['voice'] }),
    async (t) => {
      const answer = await fetch(`${daemon.http}/api/voice/calls`, { headers: { authorization: 'Bearer another' } })
      t.equal(answer.status, 200)
    },
  ],
]

t.test('live: a call is up while section after section is changed, and each change counts at once', async (t) => {
  const { pid } = daemon
  const [engine] = daemon.enginePids()
  const caller = await callUp()
  for (const [what, change, counts] of sections) {
    t.equal((await applied(t, what, change)).effect, 'live', what)
    await counts(t)
  }
  t.same([daemon.pid, daemon.enginePids()], [pid, [engine]], 'nothing was started again')
  await caller.sip.command('HANGUP')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
})

t.test('trunks one by one: another one is added, changed and removed beside a call', async (t) => {
  const far = await Trunk.open()
  t.teardown(() => far.close())
  const caller = await callUp()
  const second = { id: 'second', kind: 'sip', server: `127.0.0.1:${far.port}`, username: 'two', password: 'secret', register: false }
  const added = await applied(t, 'added', (config) => config['trunks'].push({ ...second, numbers: ['+15550002000'], srtp: 'off' }))
  t.equal(added.effect, 'live')
  await eventually('the new trunk is up', async () => (await state())['lines'].some((line: Tree) => line['id'] === 'second' && line['ok']))
  await applied(t, 'changed', (config) => (config['trunks'][1].channels = 2))
  t.equal((await state())['lines'].find((line: Tree) => line['id'] === 'second').channels, 2)
  await applied(t, 'removed', (config) => config['trunks'].pop())
  t.notOk((await state())['lines'].some((line: Tree) => line['id'] === 'second'))
  await stillUp(t, caller)
})

t.test('a trunk that is up and would not be any more: the whole change is taken back by itself', async (t) => {
  const before = readFileSync(daemon.configFile, 'utf8')
  const caller = await callUp()
  const { code, out } = await apply((config) => {
    config['trunks'][0].server = '127.0.0.9:9'
    config['extensions'].push({ number: '105', password: 'yet-another-password' })
  }, '--json')
  t.equal(code, 1)
  t.match(JSON.parse(out), { state: 'reverted', reason: /trunk main/ })
  t.equal(readFileSync(daemon.configFile, 'utf8'), before, 'the file is as it was')
  const { lines } = await state()
  t.notOk(lines.some((line: Tree) => line['id'] === '105'))
  await eventually('the trunk is up again', async () => (await state())['lines'].some((line: Tree) => line['id'] === 'main' && line['ok']))
  await stillUp(t, caller)
  t.match((await daemon.pbx('config', 'history')).out, /rolled back: trunk main/)
})

t.test('what needs a restart waits for the call to end; the process and its listeners are there afterwards', async (t) => {
  const { pid } = daemon
  const caller = await callUp()
  const change = apply((config) => (config['log'] = { level: 'debug' }), '--json')
  await eventually('it waits', async () => /"waiting"/.test(await ask()))
  t.match(JSON.parse(await ask()), { change: { reason: '1 call would be cut off by a restart' } })
  t.equal((await state())['calls'].active, 1)
  await caller.sip.command('HANGUP')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  const { code, out, error } = await change
  t.equal(code, 0, out + error)
  t.match(JSON.parse(out), { state: 'applied', effect: 'restart' })
  t.equal(daemon.pid, pid, 'one process')
  t.ok(daemon.log.some(({ msg }) => /starting again with another configuration/.test(msg ?? '')))
  app.reset()
  const again = await callUp()
  await stillUp(t, again)
})

t.test('a restart that no call leaves room for is given up, and nothing is changed', async (t) => {
  const before = readFileSync(daemon.configFile, 'utf8')
  const caller = await callUp()
  const { code, out } = await apply((config) => (config['log'] = { level: 'warn' }), '--json', '--wait', '0')
  t.equal(code, 1)
  t.match(JSON.parse(out), { state: 'reverted', reason: '1 call would be cut off by a restart; nothing was changed' })
  t.equal(readFileSync(daemon.configFile, 'utf8'), before)
  await stillUp(t, caller)
})

t.test('a restart that does not come up: the daemon of before is there again within seconds', async (t) => {
  const before = readFileSync(daemon.configFile, 'utf8')
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  for (const [what, change, said] of [
    ['a port that another program has', (config) => (config['http'].listen = `127.0.0.1:${port}`), /used by another program/],
    ['no folder', (config) => (config['storage'].dir = '/dev/null/none'), /cannot be made/],
  ] as readonly (readonly [string, (config: Tree) => void, RegExp])[]) {
    const { code, out } = await apply(change, '--json', '--confirm')
    t.equal(code, 1, what)
    t.match(JSON.parse(out), { state: 'reverted', reason: said }, what)
    t.equal(readFileSync(daemon.configFile, 'utf8'), before)
    app.reset()
    await stillUp(t, await callUp())
  }
})

// That nobody confirms it for 60 s is seen on a page (test/console/config.test.ts).
t.test('another web port: in use, taken back when somebody undoes it, kept when somebody confirms it', async (t) => {
  const before = readFileSync(daemon.configFile, 'utf8')
  const port = await freePort()
  const answers = async (url: string): Promise<boolean> => (await fetch(`${url}/healthz`).catch(() => null))?.ok === true
  const change = apply((config) => (config['http'].listen = `127.0.0.1:${port}`), '--json')
  await eventually('it is in use', async () => /"unconfirmed"/.test(await ask()))
  t.ok(await answers(`http://127.0.0.1:${port}`))
  t.notOk(await answers(daemon.http))
  t.equal(readFileSync(daemon.configFile, 'utf8'), before, 'the file is not written before it is confirmed')
  const undone = await daemon.pbx('config', 'revert')
  t.equal(undone.code, 0, undone.out + undone.error)
  const { code, out } = await change
  t.equal(code, 1)
  t.match(JSON.parse(out), { state: 'reverted' })
  t.ok(await answers(daemon.http), 'the old port answers again')
  t.notOk(await answers(`http://127.0.0.1:${port}`))
  const kept = apply((config) => (config['http'].listen = `127.0.0.1:${port}`), '--json')
  await eventually('it is in use again', async () => /"unconfirmed"/.test(await ask()))
  t.equal((await daemon.pbx('config', 'confirm')).code, 0)
  t.match(JSON.parse((await kept).out), { state: 'applied' })
  t.ok(await answers(`http://127.0.0.1:${port}`))
  await applied(t, 'back again, confirmed beforehand', (config) => (config['http'].listen = new URL(daemon.http).host), '--confirm')
  t.ok(await answers(daemon.http))
})

t.test('SIGKILL while a change waits to be confirmed: the next start is with the configuration of before', async (t) => {
  const port = await freePort()
  const change = apply((config) => (config['http'].listen = `127.0.0.1:${port}`))
  await eventually('it is in use', async () => /"unconfirmed"/.test(await ask()))
  await daemon.kill()
  await daemon.start()
  t.equal((await fetch(`${daemon.http}/healthz`)).status, 200)
  t.equal((await change).code, 1)
})

t.test('history, differences and the way back; what the file says otherwise is told', async (t) => {
  await applied(t, 'first', (config) => (config['site'].fallbackDestination = '101'), '--note', 'nobody is lost')
  await applied(t, 'then', (config) => (config['site'].fallbackDestination = '102'))
  const history = JSON.parse((await daemon.pbx('config', 'history', '--json')).out) as Tree[]
  t.match(history.slice(0, 2), [
    { inUse: true, outcome: 'applied' },
    { note: 'nobody is lost', inUse: false },
  ])
  const [now, before] = history.map((one) => String(one['revision'])) as [string, string]
  t.equal((await daemon.pbx('config', 'diff', before)).out, '~ site.fallbackDestination: 101 -> 102\n')
  t.equal((await daemon.pbx('config', 'diff', now, before)).out, '~ site.fallbackDestination: 102 -> 101\n')
  t.equal((await daemon.pbx('config', 'revert', '--yes')).code, 0)
  t.equal(inFile()['site'].fallbackDestination, '101')
  t.equal((await daemon.pbx('config', 'diff')).out, 'no differences\n')
  writeFileSync(daemon.configFile, readFileSync(daemon.configFile, 'utf8').replace('Nurse', 'Doctor'))
  t.equal((await daemon.pbx('config', 'diff')).out, '~ extensions[102].name: Nurse -> Doctor\n')
  await eventually('the status tells', async () => (await state())['warnings'].some((one: Tree) => one['code'] === 'config-file-changed'))
  t.equal((await daemon.pbx('config', 'apply', '--yes')).code, 0, 'the file of the daemon is applied')
  t.notOk((await state())['warnings'].some((one: Tree) => one['code'] === 'config-file-changed'))
  t.match((await daemon.pbx('extensions')).out, /Doctor/)
})

t.test('secrets: of a credential and of a file as the daemon sees them, and never shown', async (t) => {
  const lacking = await apply((config) => (config['extensions'][1].password = { file: 'gone.secret' }))
  t.equal(lacking.code, 1)
  t.match(lacking.error, /next\.yaml:\d+:\d+: \/extensions\/1\/password: the secret cannot be read/)
  rmSync(credentials, { recursive: true, force: true })
  const none = await apply((config) => (config['extensions'][1].password = { credential: 'phone102' }))
  t.equal(none.code, 1)
  mkdirSync(credentials, { mode: 0o700 })
  writeFileSync(join(credentials, 'phone102'), 'the-password-of-102\n', { mode: 0o600 })
  const good = await apply((config) => (config['extensions'][1].password = { credential: 'phone102' }))
  t.equal(good.code, 0, good.error)
  t.match(good.out, /~ extensions\[102\]\.password: \(secret\) -> \(another secret\)/)
  t.notMatch(good.out, /another-long-password|the-password-of-102/)
  t.equal((await daemon.pbx('config', 'check', daemon.configFile)).code, 0, 'the check asks the daemon')
  const kept = join(folder, 'config')
  t.equal(statSync(kept).mode & 0o077, 0)
})

const mistakes: readonly (readonly [string, (text: string) => string, RegExp])[] = [
  ['no YAML', (text) => `${text}\n  - [`, /valid YAML/],
  ['a tabulator', (text) => `${text}\nsite:\n\tname: x\n`, /valid YAML/],
  ['a key twice', (text) => `${text}\nhttp: { listen: 127.0.0.1:1 }\n`, /given twice/],
  ['an unknown key', (text) => text.replace('extensions:', 'extension:'), /extension/],
  ['a number without quotes', (text) => text.replace('number: "101"', 'number: 101'), /quote/],
  ['a trunk that does not exist', (text) => text.replace('trunk: main', 'trunk: mian'), /mian/],
  ['a destination that does not exist', (text) => text.replace('endpoint:reception', 'endpoint:recepton'), /recepton/],
  ['an extension twice', (text) => text.replace('number: "102"', 'number: "101"'), /twice/],
  ['a short password', (text) => text.replace('password: a-still-longer-password', 'password: short'), /12 characters/],
  ['a list that is none', (text) => text.replace(/^inbound:[\s\S]*?(?=^\w)/m, 'inbound: all\n'), /inbound/],
]

t.test('ten mistakes: each is told with its line, nothing is changed, and the call goes on', async (t) => {
  const before = readFileSync(daemon.configFile, 'utf8')
  const { revision } = JSON.parse(await ask()) as Tree
  const caller = await callUp()
  for (const [what, mistake, said] of mistakes) {
    const text = mistake(before)
    t.not(text, before, what)
    writeFileSync(next, text)
    const { code, error } = await daemon.pbx('config', 'apply', next, '--yes')
    t.equal(code, 1, what)
    t.match(error, said, what)
    t.match(error, /next\.yaml:\d+:\d+: /, what)
  }
  t.equal((JSON.parse(await ask()) as Tree)['revision'], revision)
  t.equal(readFileSync(daemon.configFile, 'utf8'), before)
  await stillUp(t, caller)
})

/** The state of the configuration, over the socket. */
async function ask(): Promise<string> {
  try {
    return JSON.stringify(await new Client(join(daemon.dir, 'run', 'pbxd.sock')).get('/api/config'))
  } catch {
    return '{}'
  }
}
