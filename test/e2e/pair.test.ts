/** A box of two machines, as the machine that serves shows it, and how it stops: at once, for the other one waits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { eventually, Scene } from '../harness/scene.ts'

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

const scene = await Scene.open({
  env: { PBXD_PAIR: state },
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

t.test('a stop ends calls at once', async (t) => {
  app.script = () => [{ gather: { timeout: 120 } }]
  const caller = await scene.call()
  await eventually('the call is answered', () => app.received.length > 0, 8000)
  await daemon.stop(15_000, 'SIGINT')
  t.match(daemon.exit, { code: 0, signal: null }, 'it did not wait for the caller')
  await caller.close()
  await daemon.start()
})
