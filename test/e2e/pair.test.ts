/** A box of two machines, as the machine that serves shows it, and how it stops: at once, for the other one waits. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { eventually, Scene } from '../harness/scene.ts'
import { StreamServer } from '../harness/stream-server.ts'

const run = mkdtempSync(join(tmpdir(), 'pbxd-pair-run-'))
const state = join(run, 'state')
const here = hostname()

/** What the agent of the machine writes. */
function pacemaker(otherOnline: boolean): void {
  const node = (name: string, online: boolean): string => `<node name="${name}" id="1" online="${online}" unclean="false" type="member"/>`
  const said = (name: string): string =>
    `<node name="${name}"><attribute name="pbxd-fit" value="1"/><attribute name="pbxd-version" value="1.0"/></node>`
  writeFileSync(
    state,
    `<crm_mon><summary><current_dc with_quorum="true"/></summary><nodes>${node(here, true)}${node('other', otherOnline)}</nodes>
<resources><resource id="daemon" role="Started" failed="false"><node name="${here}"/></resource></resources>
<node_attributes>${said(here)}${said('other')}</node_attributes></crm_mon>
<!-- witness Connected -->
`,
  )
}
pacemaker(true)
writeFileSync(join(run, 'active'), '')

/** The machine that serves: its own id, in a mount namespace of its own. The process is the daemon's, as a signal for it has to find it. */
let machine = 'a'
const canMount = existsSync('/etc/machine-id') && spawnSync('unshare', ['--mount', 'true']).status === 0
function onMachine(): string[] {
  if (!canMount) return []
  const id = join(run, `machine-id-${machine}`)
  writeFileSync(id, `${createHash('md5').update(machine).digest('hex')}\n`)
  return ['unshare', '--mount', 'sh', '-c', `mount --bind ${id} /etc/machine-id && exec "$@"`, 'sh']
}

const scene = await Scene.open({
  env: { PBXD_PAIR: state },
  through: onMachine,
  settings: (base) => {
    base['lines'] = [{ id: 'front', kind: 'modem', device: '/dev/serial/by-id/of-the-other-machine', roles: ['voice'] }]
  },
})
const { daemon, app } = scene
t.setTimeout(120_000)
t.teardown(async () => {
  await scene.close()
  rmSync(run, { recursive: true })
})

t.test('pbx status and the health of the box show both machines', async (t) => {
  const { body } = await daemon.api('GET', '/api/status')
  t.match(body.pair, {
    ...{ here, known: true, witness: true },
    machines: [
      { name: here, role: 'active', fit: true },
      { name: 'other', role: 'standby', version: '1.0' },
    ],
  })
  t.match((await daemon.api('GET', '/api/health')).body.pair, { here })
  const { out } = await daemon.pbx('status')
  t.match(out, new RegExp(`${here}: active since .*, this machine\\nother: standby\\nwitness: there`))
})

t.test('a modem of the other machine is not here', async (t) => {
  const lines = (await daemon.api('GET', '/api/lines')).body as { id: string; reason: string }[]
  t.match(
    lines.find(({ id }) => id === 'front'),
    { state: 'unplugged', reason: 'not here' },
  )
  const view = (await daemon.api('GET', '/api/status')).body
  t.match(
    view.parts.find(({ name }: { name: string }) => name === 'modems'),
    { ok: false, reason: 'front: not here' },
  )
  t.match(
    view.warnings.find(({ code }: { code: string }) => code === 'line-front'),
    { fix: 'pbx pair switch' },
  )
})

t.test('the other machine goes away: a warning', async (t) => {
  pacemaker(false)
  const warned = async () =>
    (await daemon.api('GET', '/api/status')).body.warnings.some(
      ({ code, text }: { code: string; text: string }) => code === 'pair-other' && /nobody takes over/.test(text),
    )
  await eventually('the warning', warned, 15_000)
})

t.test('streams name one account, whichever machine serves', { skip: canMount ? false : 'mounts need root' }, async (t) => {
  const streams = new StreamServer(app)
  const accountOn = async (name: string): Promise<string> => {
    machine = name
    await daemon.stop(15_000, 'SIGINT')
    await daemon.start()
    streams.reset()
    app.script = () => [{ stream: { url: streams.url } }]
    const caller = await scene.call()
    const { start } = (await streams.next()).start
    await caller.close()
    const lines = (await daemon.api('GET', '/api/lines')).body as { id: string; reason: string }[]
    t.equal(lines.find(({ id }) => id === 'front')?.reason, 'not here', `the modem of ${name}`)
    return start.accountSid
  }
  const made = await accountOn('a')
  t.match(made, /^AC[0-9a-f]{32}$/)
  t.equal(await accountOn('b'), made)
  t.equal(await accountOn('a'), made)
})

t.test('a stop ends calls at once', async (t) => {
  app.script = () => [{ gather: { timeout: 120 } }]
  const caller = await scene.call()
  await eventually('the call is answered', () => app.received.length > 0, 8000)
  await daemon.stop(15_000, 'SIGINT')
  t.match(daemon.exit, { code: 0, signal: null }, 'it did not wait for the caller')
  await caller.close()
  await daemon.start()
})
