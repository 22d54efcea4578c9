/** Folders that the user of the daemon may not enter, as after a `chown` by mistake: telephones first, and what it was is said in words. */
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Baresip } from '../harness/baresip.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { skipFile } from '../harness/skip-file.ts'

const nobody = 65_534
if (process.getuid?.() !== 0) skipFile('only root can start a daemon as somebody else')
const state = mkdtempSync(join(tmpdir(), 'pbxd-state-'))
chownSync(state, nobody, nobody)
const scene = await Scene.open({
  uid: nobody,
  env: { STATE_DIRECTORY: state },
  settings: (base) => {
    base['emergency'] = { trunks: ['main'], callerId: '+15550001000', location: 'Riverside Clinic' }
    base['mail'] = { server: '127.0.0.1:9', tls: 'off', from: 'clinic@example.com' }
  },
})
const { daemon, app, trunk } = scene
const storage = join(daemon.dir, 'var')
t.setTimeout(600_000)
t.teardown(async () => {
  await scene.close()
  rmSync(state, { recursive: true })
})
t.afterEach(() => scene.sweep())

const close = (path: string): void => {
  chownSync(path, 0, 0)
  chmodSync(path, 0o700)
}
const open = (path: string): void => chownSync(path, nobody, nobody)
const inside = existsSync(storage) ? readdirSync(storage, { withFileTypes: true }).filter((one) => one.isDirectory()) : []
const others = inside.map(({ name }) => name).filter((name) => name !== 'store')

const cases = [
  { what: 'every folder but the store', closed: others.map((name) => join(storage, name)) },
  { what: 'the folder of the store', closed: [join(storage, 'store')] },
  { what: 'a file of the store', closed: [join(storage, 'store', 'store.mdb')] },
  { what: 'the whole storage', closed: [storage] },
  { what: 'the configuration', closed: [daemon.configFile] },
  { what: 'the runtime folder', closed: [join(daemon.dir, 'run')] },
]

for (const { what, closed } of cases)
  t.test(`${what} may not be entered`, async (t) => {
    await daemon.kill()
    closed.forEach(close)
    await daemon.start(false)
    const phone = scene.keep(await Baresip.start({ registrar: `127.0.0.1:${daemon.sipPort}`, user: '101', password: 'a-long-password' }))
    await phone.until('REGISTER_OK').catch((error: Error) => t.fail(`${error.message}\n${daemon.tail()}`))
    const centre = await scene.expect('answer')
    await phone.command('dial', `sip:911@127.0.0.1:${daemon.sipPort}`)
    await phone.until('CALL_ESTABLISHED')
    await centre.rtp.sound()
    t.match(trunk.invites.at(-1), /^INVITE sip:911@/, '911 is placed')
    await phone.command('hangup')
    await phone.until('CALL_CLOSED')
    app.script = () => [{ say: { text: 'Welcome.' } }]
    const caller = await scene.call()
    t.equal(await caller.sip.exit, 0, 'a call is taken')
    t.equal(daemon.exit, undefined, `the daemon runs: ${daemon.stderr}`)
    closed.toReversed().forEach(open)
    const readyz = () =>
      fetch(`${daemon.http}/readyz`).then(
        ({ status }) => status,
        () => 0,
      )
    await eventually('the box is ready again', async () => (await readyz()) === 200, 20_000)
    const verdict = await daemon.pbx('audit', 'verify')
    t.equal(verdict.code, 0, verdict.out + verdict.error)
  })

t.test('folders are closed while it runs, and opened again', async (t) => {
  const closed = [...others.map((name) => join(storage, name)), join(storage, 'store'), storage, daemon.configFile]
  closed.forEach(close)
  app.script = () => [{ say: { text: 'Welcome.' } }]
  for (let n = 0; n < 3; n++) {
    const caller = await scene.call()
    t.equal(await caller.sip.exit, 0, 'a call is taken')
    await daemon.pbx('status')
    t.match((await daemon.api('GET', '/metrics')).status, /^(200|503)$/)
    await daemon.api('POST', '/api/sms', { to: '+15551230017', message: 'Hello' })
  }
  closed.toReversed().forEach(open)
  t.equal(daemon.exit, undefined, 'it runs')
  await eventually('the box is ready again', async () => (await fetch(`${daemon.http}/readyz`)).status === 200, 20_000)
})
