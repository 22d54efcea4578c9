/** The page of the technician against a whole daemon: one reading, tests of lines and of everything, a backup, and who sees what. */
import { watch } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { freePort, oftenAsked } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { signedIn, type AskAsPerson } from '../harness/signed-in.ts'
import { socketClient } from '../harness/socket.ts'

type Json = Record<string, any>

t.setTimeout(300_000)
const closed = await freePort()
const scene = await Scene.open({
  settings: (base) => {
    base['limits'] = oftenAsked
    base['console'] = { secondStep: 'off' }
    base['backup'] = {
      recoveryKey: 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
      dir: join(String((base['storage'] as Json)['dir']), '..', 'backups'),
    }
    const trunks = base['trunks'] as Json[]
    trunks.push({ ...trunks[0], id: 'gone', server: `127.0.0.1:${closed}`, transport: 'tcp', numbers: [], default: false })
    trunks.push({ ...trunks[0], id: 'lost', server: 'nowhere.invalid', numbers: [], default: false })
  },
})
const { daemon } = scene
t.teardown(() => scene.close())
const technician = socketClient(join(daemon.dir, 'run', 'pbxd.sock'))

const person = (login: string, role: string): Promise<AskAsPerson> => signedIn(daemon, login, role)

t.test('the technician has all of it in one reading, and others the verdict', async (t) => {
  const ted = await person('ted', 'technician')
  await eventually(
    'the trunk that leads nowhere is an event',
    async () => (await ted('GET', '/api/health')).text.includes('line-lost'),
    60_000,
  )
  const {
    status,
    lines: [health],
  } = await ted('GET', '/api/health')
  t.equal(status, 200)
  t.match(health!['verdict'], { ok: false, severity: 'error' })
  t.ok(health!['events'].some((event: Json) => event['code'] === 'line-lost' && event['fix'] !== ''))
  const lost = health!['lines'].find((line: Json) => line['id'] === 'lost')
  t.equal(lost.outages.length, 1, 'the strip of the line')
  t.equal(health!['certificate'], null, 'there is no TLS')
  t.equal(health!['backup'].configured, true)
  t.ok(health!['disk'].totalBytes > 0 && health!['load'].processors > 0 && health!['engine'].ok)
  t.same(health!['phones'].away.map(({ id }: Json) => id).toSorted(), ['101', '102'])
  t.equal(health!['upgrade'].version, (await technician('GET', '/api/status')).json.version)
  const readings = await Promise.all(Array.from({ length: 20 }, () => ted('GET', '/api/health')))
  t.equal(new Set(readings.map((one) => one.lines[0]!['asOf'])).size, 1, 'all browsers share a reading')
  for (const role of ['desk', 'manager']) {
    const ask = await person(role, role)
    t.same(Object.keys((await ask('GET', '/api/health')).lines[0]!), ['asOf', 'verdict'], role)
    t.equal((await ask('POST', '/api/test')).status, 403, role)
    t.equal((await ask('POST', '/api/lines/main/test')).status, 403, role)
    t.equal((await ask('GET', '/api/config/text')).status, 403, role)
  }
  const config = await ted('GET', '/api/config/text')
  t.equal(config.status, 200)
  t.notOk(/a-long-password|another-long-password|whsec_/.test(config.text), 'no secret of the file')
})

t.test('a line is tried step by step, with what a person does about it', async (t) => {
  const { lines } = await technician('POST', '/api/lines/lost/test')
  t.match(lines[0], { name: 'name of lost', level: 'failure', fix: /getent hosts nowhere\.invalid/ })
  const gone = (await technician('POST', '/api/lines/gone/test')).lines
  t.ok(gone.some(({ name, level }) => name === 'server of gone' && level === 'failure'))
  const main = (await technician('POST', '/api/lines/main/test')).lines
  t.match(
    main.find(({ name }) => name === 'trunk main'),
    { level: 'ok' },
  )
  t.same(main.at(-1), { done: true })
  t.equal((await technician('POST', '/api/lines/102/test')).lines[0].level, 'warning', 'a phone that is away')
  t.equal((await technician('POST', '/api/lines/none/test')).status, 404)
})

t.test('everything that can be tried is tried, and what needs a person is named', async (t) => {
  const { lines } = await technician('POST', '/api/test')
  const names = lines.map(({ name }) => name)
  for (const name of ['engine', 'disk', 'clock', 'trunk main', 'name of lost', 'phone 101', 'backup', 'alarms'])
    t.ok(names.includes(name), name)
  t.match(
    lines.find(({ name }) => name === 'a call out'),
    { byHand: 'call a mobile phone from one of the phones' },
  )
  t.equal(names.filter((name) => name === 'trunk main').length, 1, 'nothing is tried twice')
  t.same(lines.at(-1), { done: true })
})

t.test('a backup is asked for with a file that says nothing, and followed to its end', async (t) => {
  const asked = Promise.withResolvers<void>()
  const watcher = watch(join(daemon.dir, 'run'), (_, name) => name === 'backup-due' && asked.resolve())
  t.teardown(() => watcher.close())
  const running = technician('POST', '/api/backup/run')
  await asked.promise
  // What pbxd-backup.service does.
  await technician('POST', '/api/backup/begin', { pid: process.pid })
  await eventually('it runs', async () => (await technician('GET', '/api/backup')).json.running === true)
  const second = await technician('POST', '/api/backup/run')
  t.equal(second.json.code, 'backup_running')
  const outcome = { ok: true, error: '', file: '/var/backups/pbxd/x.tar.age', bytes: 1000, files: 3, nightly: false }
  await technician('POST', '/api/backup/end', outcome)
  const { lines } = await running
  t.same(
    lines
      .filter(({ state }) => state !== undefined)
      .map(({ state }) => state)
      .filter((state) => state !== 'running'),
    ['asked', 'made'],
  )
  t.match(
    lines.find(({ state }) => state === 'made'),
    { backup: { file: outcome.file } },
  )
  const failing = technician('POST', '/api/backup/run')
  await eventually('it is asked for', async () => (await technician('POST', '/api/backup/begin', { pid: process.pid })).status === 200)
  await technician('POST', '/api/backup/end', { ...outcome, ok: false, error: 'the disk is full' })
  t.match((await failing).lines.at(-1), { failed: { code: 'backup_failed', error: /the disk is full/ } })
})

t.test('a manager takes a fault in hand, and tests the alarms; the desk sees them', async (t) => {
  const manager = await person('mona', 'manager')
  const desk = await person('dora', 'desk')
  const {
    lines: [page],
  } = await desk('GET', '/api/box/events?lasting=true')
  const event = page!['items'].find(({ code }: Json) => code === 'line-lost')
  t.equal((await desk('POST', '/api/alarms/acknowledge', { eventId: event.eventId })).status, 403)
  t.same((await manager('POST', '/api/alarms/acknowledge', { eventId: event.eventId })).lines, [{ acknowledged: 1 }])
  const {
    lines: [after],
  } = await desk('GET', '/api/box/events?lasting=true')
  t.equal(after!['items'].find(({ code }: Json) => code === 'line-lost').acknowledgedBy, 'mona')
  t.equal((await manager('POST', '/api/alarms/test', {})).status, 200)
})
