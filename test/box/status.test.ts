/** What `pbx` says of the commonest faults: a call that no rule fits, an application that answers wrongly, a disk that is nearly full. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { BoxEventView } from '../../daemon/schema/box-events.ts'
import { oftenAsked } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'

t.setTimeout(300_000)
const small = mkdtempSync(join(tmpdir(), 'pbxd-small-'))
let mounted = false
try {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=90m', 'tmpfs', small], { stdio: 'ignore' })
  mounted = true
} catch {
  t.comment('a small file system cannot be mounted here')
}
mkdirSync(join(small, 'var'))
const scene = await Scene.open({ settings: (base) => Object.assign(base, { storage: { dir: join(small, 'var') }, limits: oftenAsked }) })
const { daemon } = scene
t.teardown(async () => {
  await scene.close()
  if (mounted) execFileSync('umount', [small])
  rmSync(small, { recursive: true, force: true })
})

t.test('a call that no rule fits is told with from and to: in its trace, in the list of calls, in the status', async (t) => {
  const caller = await scene.call({ to: '15550001002', from: '15551230077' })
  await caller.sip.exit
  await daemon.traced(/no inbound rule matches a call to/)
  t.match((await daemon.pbx('trace', 'last')).out, /no inbound rule matches a call to \S*1002 from \S*0077 through trunk main/)
  t.match((await daemon.pbx('calls', '--all')).out, /no-route/)
  const status = (await daemon.pbx('status')).out
  t.match(
    status.replaceAll(/\s+/g, ' '),
    /A call of the last hour was refused because no rule matches, the last to \S*1002 from \S*0077 through trunk main/,
  )
  t.equal((await daemon.pbx('status', '--check')).code, 1)
})

t.test('a trace names the verb that there is not, and what a 403 means', async (t) => {
  scene.app.script = () => [{ say: {} }, { gathr: { numDigits: 1 } }]
  const first = await scene.call()
  await first.sip.exit
  await daemon.traced(/cannot run/)
  t.match((await daemon.pbx('trace', 'last')).out.replaceAll(/\s+/g, ' '), /\/1\/gathr there is no verb/)
  scene.app.script = () => ({ status: 403, body: '{}' })
  const second = await scene.call()
  await second.sip.exit
  await daemon.traced(/answered 403/)
  t.match((await daemon.pbx('trace', 'last')).out.replaceAll(/\s+/g, ' '), /the application answered 403: the secrets differ/)
  scene.app.reset()
})

t.test('a disk that is nearly full is told before anything is refused', { skip: !mounted }, async (t) => {
  t.match((await daemon.pbx('status')).out, /MB are free on the disk of/)
  const found = async (): Promise<BoxEventView[]> => {
    return (await daemon.api('GET', '/api/box/events?kind=disk')).body.items as BoxEventView[]
  }
  await eventually('the event', async () => (await found()).some(({ code, severity }) => code === 'disk-low' && severity === 'error'))
})
