/**
 * A disk that is full, or takes nothing at all, when the power comes back: phones register, 911 is placed and a call is taken before anything
 * else; the box says what it cannot keep, and recovers by itself.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { Baresip } from '../harness/baresip.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { SmallDisk } from '../harness/small-disk.ts'
import { skipFile } from '../harness/skip-file.ts'
import { found } from '../harness/waiting.ts'

const disk = SmallDisk.mount('size=100m') ?? skipFile('a small file system cannot be mounted here')
const storage = join(disk.dir, 'var')
const scene = await Scene.open({
  settings: (base) => {
    base['storage'] = { dir: storage }
    base['emergency'] = { trunks: ['main'], callerId: '+15550001000', location: 'Riverside Clinic', notify: { extensions: ['102'] } }
    base['mail'] = { server: '127.0.0.1:9', tls: 'off', from: 'clinic@example.com' }
    base['sms'] = { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003' }] }
  },
})
const { app, daemon, trunk } = scene
t.setTimeout(600_000)
t.teardown(async () => {
  await scene.close()
  disk.close()
})
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())
const registrar = `127.0.0.1:${daemon.sipPort}`

interface Warned {
  readonly code: string
  readonly text: string
  readonly fix: string
}

/** Telephones come first: a box that takes calls may answer `pbx` a moment later. */
async function status(): Promise<{ warnings: Warned[]; ready: boolean }> {
  let last = ''
  const { warnings, ready } = await found(
    () => `pbx status: ${last}`,
    async () => {
      const { code, out, error } = await daemon.pbx('status', '--json')
      last = out + error
      return code === 0 && (JSON.parse(out) as { warnings: Warned[]; ready: boolean })
    },
    15_000,
  )
  return { warnings, ready }
}

async function warnedOf(pattern: RegExp): Promise<Warned | undefined> {
  return (await status()).warnings.find(({ code }) => pattern.test(code))
}

/** What a box is there for: a phone registers, calls for help, and a call from outside is taken. */
async function telephonesWork(t: Test, what: string): Promise<void> {
  const began = Date.now()
  const phone = scene.keep(await Baresip.start({ registrar, user: '101', password: 'a-long-password' }))
  await phone.until('REGISTER_OK').catch((error: Error) => t.fail(`${error.message}\n${daemon.tail()}`))
  const centre = await scene.expect('answer')
  await phone.command('dial', `sip:911@${registrar}`)
  await phone.until('CALL_ESTABLISHED')
  await centre.rtp.sound()
  t.match(trunk.invites.at(-1), /^INVITE sip:911@/, `${what}: 911 is placed`)
  t.comment(`${what}: 911 stood ${Date.now() - began} ms after the phone was switched on`)
  await phone.command('hangup')
  await phone.until('CALL_CLOSED')
  app.script = () => [{ say: { text: 'Welcome.' } }]
  const caller = await scene.call()
  t.equal(await caller.sip.exit, 0, `${what}: a call is taken`)
}

/** 0 while the box restarts. */
async function readyz(): Promise<number> {
  return fetch(`${daemon.http}/readyz`).then(
    ({ status }) => status,
    () => 0,
  )
}

const kept = /^(store|start-|audit-waits|folder-)/

async function recovers(t: Test, what: string): Promise<void> {
  await eventually(`${what}: the box is ready again`, async () => (await readyz()) === 200, 20_000)
  await eventually(`${what}: nothing is warned of any more`, async () => (await warnedOf(kept)) === undefined, 20_000)
  const sent = await daemon.api('POST', '/api/sms', { to: '+15551230017', message: 'Hello' })
  t.equal(sent.status, 200, `${what}: a text is taken`)
  const verdict = await daemon.pbx('audit', 'verify')
  t.equal(verdict.code, 0, verdict.out + verdict.error)
}

async function emergencyCalls(): Promise<number> {
  const rows = JSON.parse((await daemon.pbx('audit', 'list', '--deed', 'call.emergency', '--json')).out) as unknown[]
  return rows.length
}

for (const [what, bytes] of [
  ['10 MB', 10_000_000],
  ['1 MB', 1_000_000],
  ['64 kB', 65_536],
  ['0 bytes', 0],
] as const)
  t.test(`${what} are free when the power comes back`, async (t) => {
    const before = await emergencyCalls()
    disk.fillTo(bytes)
    await daemon.kill()
    disk.fillTo(bytes)
    await daemon.start(false)
    await telephonesWork(t, what)
    const warned = await warnedOf(/^store$/)
    t.match(warned?.text, /MiB are free on the disk of .*: nothing new is accepted of data of the CRM.*calls continue/, what)
    t.match(warned?.fix, /^free space there/)
    t.equal(await readyz(), bytes > 5_000_000 ? 200 : 503, `${what}: /readyz`)
    disk.empty()
    await recovers(t, what)
    t.equal(await emergencyCalls(), before + 1, 'the call for help is in the audit trail')
  })

t.test('0 bytes, and a restart that a change of the configuration asks for', async (t) => {
  disk.fillTo(0)
  const changed = join(daemon.dir, 'changed.yaml')
  writeFileSync(changed, readFileSync(daemon.configFile, 'utf8').replace('Riverside Clinic', 'Riverside Clinic West'))
  const applied = daemon.pbx('config', 'apply', changed, '--yes')
  await applied
  await telephonesWork(t, 'config apply')
  disk.empty()
  await recovers(t, 'config apply')
})

t.test('0 bytes, and a store that has no room left in its own file: nothing can be written, and the calls are written later', async (t) => {
  const before = await emergencyCalls()
  await daemon.kill()
  disk.fillTo(0)
  const store = await openStore(join(storage, 'store'), createLog({ level: 'silent' }))
  const big = 'x'.repeat(2000)
  for (let full = false, n = 0; !full; n++)
    await store.transaction(() => store.tables.meta.put(`filler-${n}`, big)).catch(({ code }) => (full = code === 'storage_full'))
  await store.close().catch(() => undefined)
  disk.fillTo(0)
  await daemon.start(false)
  await telephonesWork(t, 'no room at all')
  t.match((await status()).warnings.find(({ code }) => code === 'audit-waits')?.text, /\d+ rows of the audit trail wait for the disk/)
  t.equal(await readyz(), 503)
  disk.empty()
  await recovers(t, 'no room at all')
  t.equal(await emergencyCalls(), before + 1, 'the call for help is in the audit trail, with its own time')
})

interface Broken {
  readonly what: string
  readonly breaks: () => void | Promise<void>
  readonly mends: () => void | Promise<void>
  readonly warning: RegExp
}

const mdb = join(storage, 'store', 'store.mdb')
const whole = join(daemon.dir, 'whole.mdb')
function damaged(what: string, from: number, to = Infinity): Broken {
  return {
    what,
    breaks: () => {
      copyFileSync(mdb, whole)
      const bytes = readFileSync(mdb)
      writeFileSync(mdb, bytes.fill(7, from, Math.min(to, bytes.length)))
    },
    mends: () => copyFileSync(whole, mdb),
    warning: /^store$/,
  }
}

const broken: readonly Broken[] = [
  { what: 'a file system that is read-only', breaks: () => disk.remount('ro'), mends: () => disk.remount('rw'), warning: /^store$/ },
  {
    what: 'a store that lost its end',
    breaks: () => {
      copyFileSync(mdb, whole)
      truncateSync(mdb, 64 * 1024)
    },
    mends: () => copyFileSync(whole, mdb),
    warning: /^store$/,
  },
  damaged('a store that is none', 0),
  damaged('a store without its first page', 0, 4096),
  damaged('a store whose pages are lost', 8192),
  {
    what: 'a file where the folder of the store belongs',
    breaks: () => {
      execFileSync('mv', [join(storage, 'store'), `${whole}.dir`])
      writeFileSync(join(storage, 'store'), '')
    },
    mends: () => {
      rmSync(join(storage, 'store'))
      execFileSync('mv', [`${whole}.dir`, join(storage, 'store')])
    },
    warning: /^store$/,
  },
]

for (const { what, breaks, mends, warning } of broken)
  t.test(`${what}: the telephones work, nothing is kept, and the store comes back by itself`, async (t) => {
    const before = await emergencyCalls()
    await daemon.kill()
    await breaks()
    await daemon.start(false)
    await telephonesWork(t, what)
    t.match((await warnedOf(warning))?.text, /NOTHING IS STORED, calls continue/, what)
    t.equal(await readyz(), 503, what)
    t.equal((await daemon.api('POST', '/api/sms', { to: '+15551230017', message: 'Hello' })).status, 503, 'a text is refused')
    await mends()
    await recovers(t, what)
    t.equal(await emergencyCalls(), before + 1, 'what the calls left in memory is in the store')
    const { out } = await daemon.pbx('calls', '--all')
    t.match(out, /911/, 'and so are the calls')
  })

const folders = ['recordings', 'greetings', 'mail', 'fax', 'inbox', 'transcribing', 'spool', 'config']

t.test('folders that cannot be made keep no telephone from ringing', async (t) => {
  await daemon.kill()
  for (const name of folders) {
    rmSync(join(storage, name), { recursive: true, force: true })
    writeFileSync(join(storage, name), '')
  }
  await daemon.start(false)
  await telephonesWork(t, 'files in the place of folders')
  const named = (await status()).warnings.filter(({ code }) => code.startsWith('folder-')).map(({ text }) => text)
  for (const name of ['recordings', 'mail', 'fax'])
    t.ok(
      named.some((text) => text.includes(`/var/${name}`)),
      `${name}: ${named.join('; ')}`,
    )
  await daemon.kill()
  for (const name of folders) rmSync(join(storage, name), { recursive: true, force: true })
  await daemon.start()
  await recovers(t, 'folders again')
  t.ok(existsSync(join(storage, 'recordings')), readdirSync(storage).join())
})

t.test('a runtime folder that is full: telephones first, and pbx as soon as there is room', async (t) => {
  const run = join(daemon.dir, 'run')
  await daemon.kill()
  rmSync(run, { recursive: true, force: true })
  mkdirSync(run)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k,nr_inodes=2', 'tmpfs', run])
  t.teardown(() => {
    try {
      execFileSync('umount', ['--lazy', run])
    } catch {
      // The test has done so.
    }
  })
  writeFileSync(join(run, 'filler'), '')
  await daemon.start(false)
  await telephonesWork(t, 'a full runtime folder')
  t.equal(await readyz(), 503)
  rmSync(join(run, 'filler'))
  await recovers(t, 'a full runtime folder')
})

t.test('a token of the CRM fills its share of the disk: texts and reminders of others go on, and so does the next start', async (t) => {
  const parties = (round: number) =>
    Array.from({ length: 5000 }, (_, n) => ({
      id: `p-${round}-${n}`,
      kind: 'person',
      name: `Party ${round} ${n}`,
      company: 'x'.repeat(180),
      phones: [{ number: `+1212${String(round * 5000 + n).padStart(7, '0')}` }],
    }))
  let answer = { status: 200, body: {} as { code?: string } }
  for (let round = 0; round < 40 && answer.status === 200; round++)
    answer = await daemon.api('POST', '/api/pbx/import/pbx-export', { customers: parties(round) })
  t.match(answer, { status: 503, body: { code: 'storage_full' } })
  t.ok(disk.free > 8_000_000, `${disk.free} bytes are left to the others`)
  const text = { to: '+15551230017', message: 'Hello' }
  t.equal((await daemon.api('POST', '/api/sms', text)).status, 200)
  const reminder = {
    customerName: 'Maria Lopez',
    phoneNumber: '+15551230018',
    appointmentAt: new Date(Date.now() + 3 * 86_400_000).toISOString(),
  }
  t.match(await daemon.api('POST', '/api/reminders', reminder), { status: /^20[0-2]$/ })
  await daemon.kill()
  await daemon.start()
  await telephonesWork(t, 'a directory that fills its share')
  t.match((await warnedOf(/^store$/))?.text, /nothing new is accepted of data of the CRM; calls continue/)
})
