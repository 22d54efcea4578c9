/** Two people talk while the configuration is changed: also through a restart within the process. Each hears the other throughout. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { Client } from '../../scripts/cli/client.ts'
import type { Baresip } from '../harness/baresip.ts'
import { hears, listens } from '../harness/ears.ts'
import { eventually } from '../harness/scene.ts'
import { desk, gapMs, mostGapMs, openTalkers } from '../harness/talkers.ts'

type Tree = Record<string, any>

const scene = await openTalkers((base) => {
  base['queues'] = [{ id: 'desk', members: ['101'], ringSeconds: 60, wrapUpSeconds: 0 }]
  base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: 'queue:desk' }]
})
const { daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

const live = async (): Promise<Tree[]> => (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: Tree) => !call['endedAt'])

async function talk(): Promise<readonly [Baresip, Baresip]> {
  const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102')])
  await first.command('dial', '102')
  await Promise.all([first.until('CALL_ESTABLISHED'), second.until('CALL_ESTABLISHED')])
  await Promise.all([hears(first, 700), hears(second, 400)])
  return [first, second]
}

async function hungUp(t: Test, [first, second]: readonly [Baresip, Baresip]): Promise<void> {
  await listens(first, 1700)
  await second.command('hangup')
  await Promise.all([first, second].map((phone) => phone.until('CALL_CLOSED')))
  for (const [phone, hz] of [
    [first, 700],
    [second, 400],
  ] as const) {
    const gap = gapMs(phone.heard(), hz)
    t.ok(gap <= mostGapMs && phone.heard().length > 8000 * 2, `${gap} ms`)
  }
  // What waited for the end of the conversation may begin at once, such as another daemon.
  await eventually('the call is over', () =>
    live().then(
      ({ length }) => length === 0,
      () => false,
    ),
  )
  await Promise.all([first, second].map((phone) => phone.close()))
}

async function apply(t: Test, change: (config: Tree) => void, ...options: string[]): Promise<Tree> {
  const next = join(daemon.dir, 'next.yaml')
  const config = parse(readFileSync(daemon.configFile, 'utf8')) as Tree
  change(config)
  writeFileSync(next, stringify(config))
  const { code, out, error } = await daemon.pbx('config', 'apply', next, '--yes', '--json', ...options)
  t.equal(code, 0, out + error)
  return JSON.parse(out) as Tree
}

t.test('live: the phones of both who talk get another name, one another password, and the group of one goes', async (t) => {
  const talking = await talk()
  const view = await apply(t, (config) => {
    config['extensions'][0].name = 'Reception'
    config['extensions'][1].password = 'quite-another-password'
    config['extensions'].pop()
  })
  t.match(view, { state: 'applied', effect: 'live' })
  await listens(talking[0], 1000)
  t.equal((await live()).length, 1)
  await hungUp(t, talking)
  await apply(t, (config) => {
    config['extensions'][1].password = config['extensions'][0].password
    config['extensions'].push({ number: '103', password: config['extensions'][0].password })
  })
})

t.test('a caller waits in a queue whose members become others, and reaches one of them', async (t) => {
  const [first, second] = await Promise.all([desk(scene, '101', false), desk(scene, '102')])
  const caller = await scene.call()
  await first.until('CALL_INCOMING')
  await apply(t, (config) => (config['queues'][0].members = ['102']))
  await first.command('hangup')
  await second.until('CALL_ESTABLISHED')
  t.match((await daemon.pbx('queue')).out, /desk/)
  await caller.sip.command('HANGUP')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await eventually('the call is over', async () => (await live()).length === 0)
  await Promise.all([first, second].map((phone) => phone.close()))
})

t.test('a restart does not wait for a talk, which goes on through it', async (t) => {
  const talking = await talk()
  const { pid } = daemon
  const view = await apply(t, (config) => (config['log'] = { level: 'debug' }), '--wait', '0')
  t.match(view, { state: 'applied', effect: 'restart' })
  t.equal(daemon.pid, pid)
  await listens(talking[0], 1000)
  t.match(await live(), [{ state: 'in-progress', activity: 'routed' }])
  await hungUp(t, talking)
})

t.test('other SIP listeners end the engine: that waits for the talk', async (t) => {
  const talking = await talk()
  const change = apply(t, (config) => (config['sip'].mediaTimeoutSeconds = 61) && (config['sip'].nameservers = ['127.0.0.1']))
  await eventually('it waits', async () => /1 call would be cut/.test(await underWay()))
  await hungUp(t, talking)
  t.match(await change, { state: 'applied', effect: 'restart' })
  const again = await talk()
  await hungUp(t, again)
})

async function underWay(): Promise<string> {
  return JSON.stringify(await new Client(join(daemon.dir, 'run', 'pbxd.sock')).get('/api/config'))
}
