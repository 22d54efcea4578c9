/** The history of the box: a trunk that goes and comes back, in rows, in the log, in the figures, over the API and in `pbx events`. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import type { BoxEventView } from '../../daemon/schema/box-events.ts'
import { root, oftenAsked } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { Trunk } from '../harness/trunk.ts'

t.setTimeout(300_000)
let second = await Trunk.open()
const scene = await Scene.open({
  settings: (base) => {
    base['limits'] = oftenAsked
    const trunks = base['trunks'] as Record<string, unknown>[]
    trunks.push({ ...trunks[0], id: 'backup', server: `127.0.0.1:${second.port}`, numbers: ['+15550001009'], default: false })
    for (const trunk of trunks) trunk['keepAliveSeconds'] = 5
    base['site'] = { ...(base['site'] as object), timeZone: 'Asia/Kathmandu' }
  },
})
const { daemon } = scene
t.teardown(async () => {
  await scene.close()
  second.close()
})

async function events(query = ''): Promise<BoxEventView[]> {
  return (await daemon.api('GET', `/api/box/events?limit=100${query}`)).body.items as BoxEventView[]
}
const backup = async (): Promise<BoxEventView | undefined> => (await events('&code=line-backup'))[0]

t.test('a trunk that does not answer any more is an event, until it answers again', async (t) => {
  const watching = spawn(join(root, 'scripts', 'pbx'), ['events', '--follow', '--kind', 'line', '--json'], {
    env: { ...process.env, PBXD_SOCKET: join(daemon.dir, 'run', 'pbxd.sock') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let seen = ''
  watching.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text))
  t.teardown(() => watching.kill())
  const { port } = second
  second.close()
  await eventually('the trunk is down', async () => (await backup()) !== undefined, 60_000)
  const down = (await backup())!
  t.match(down, { kind: 'line', severity: 'error', until: null, acknowledgedAt: null, told: [] })
  t.match(down.text, /^Trunk backup: /)
  t.not(down.fix, '', 'what mends it')
  t.notOk(down.fix.startsWith('pbx lines'), 'a command that says no more than the event is no help')
  t.ok(
    daemon.log.some((line) => line['boxEvent'] === 'line-backup' && line.level === 'error'),
    'the log',
  )
  const figures = String((await daemon.api('GET', '/metrics')).body)
  t.match(figures, /pbx_box_events_lasting\{kind="line",severity="error"\} 1/)
  await eventually('the follower is told', () => /"code":"line-backup".*"until":null/.test(seen))
  const shown = await daemon.pbx('events', '--lasting')
  t.match(shown.out, /line-backup/)
  t.match(shown.out, /fix: /)

  second = await Trunk.open(port)
  await eventually('the trunk is back', async () => (await backup())?.until !== null, 60_000)
  const over = (await backup())!
  t.equal(over.eventId, down.eventId)
  t.ok(Date.parse(over.until!) > Date.parse(over.since))
  t.equal((await events('&lasting=true')).filter(({ code }) => code === 'line-backup').length, 0)
  await eventually('the follower is told', () => /"code":"line-backup".*"until":"/.test(seen))
  t.match((await daemon.pbx('events')).out, /✓.*line-backup.* for \d/)
})

t.test('who was shut out is an event, and a fault that outlives a restart is one', async (t) => {
  second.close()
  await eventually('the trunk is down', async () => (await backup())?.until === null, 60_000)
  const before = (await backup())!
  await daemon.kill()
  await daemon.start()
  await eventually('the death is told', async () => (await events('&kind=daemon'))[0]?.code === 'daemon-died')
  const [died] = await events('&kind=daemon')
  t.equal(died!.severity, 'error')
  t.ok(died!.until !== null && Date.parse(died!.since) < Date.parse(died!.until))
  // What lasts is looked at once lines have had time to register.
  await eventually('the first look', () => daemon.log.filter((line) => line['boxEvent'] === 'phone-101').length > 0, 60_000)
  t.equal((await backup())!.eventId, before.eventId)
  t.equal((await backup())!.since, before.since)
  await daemon.stop()
  await daemon.start()
  await eventually('the stop is told', async () => (await events('&kind=daemon'))[0]?.code === 'daemon-stopped')
  t.equal((await events('&kind=daemon'))[0]!.severity, 'notice', 'a restart is no fault')
  for (let n = 0; n < 12; n += 1) await fetch(`${daemon.http}/api/box/events`, { headers: { authorization: 'Bearer wrong' } })
  await eventually('the refusals are told', async () => (await daemon.pbx('events', '--kind', 'login')).out.includes('login-web'), 60_000)
})
