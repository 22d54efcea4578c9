/** The engine as a service of its own: nothing changes for callers, and it sees nothing of the box but one folder. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { enginePath } from '../engine/engine.ts'
import { EngineService } from '../harness/engine-service.ts'
import { hears, listens } from '../harness/ears.ts'
import { eventually } from '../harness/scene.ts'
import { desk, openTalkers, tonesIn } from '../harness/talkers.ts'
import { bothChannels } from '../sip-driver/phones.ts'

const service = new EngineService()
const scene = await openTalkers(
  (base) => {
    const [first] = base['extensions'] as Record<string, unknown>[]
    Object.assign(first!, { record: 'all' })
    base['site'] = { ...(base['site'] as object), recordingNotice: 'none' }
  },
  { env: service.env },
  false,
)
const { daemon } = scene
const spool = service.share(daemon)
const recordings = join(daemon.dir, 'var', 'recordings')
await service.start()
await daemon.start()
t.setTimeout(240_000)
t.teardown(async () => {
  await scene.close()
  await service.close()
})
t.afterEach(() => scene.sweep())

const live = async () => (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: any) => !call.endedAt)
const over = () => eventually('all calls are over', async () => (await live()).length === 0, 8000)

async function talk() {
  const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102')])
  await first.command('dial', '102')
  await Promise.all([first.until('CALL_ESTABLISHED'), second.until('CALL_ESTABLISHED')])
  await Promise.all([hears(first, 700, 1500), hears(second, 400)])
  return [first, second] as const
}

t.test('it is none of the daemon’s children, and has the certificate of a listener that it may not read', async (t) => {
  t.same(daemon.enginePids(), [])
  const { parts } = (await daemon.api('GET', '/readyz')).body
  t.match(parts, { engine: { ok: true }, listeners: { ok: true } })
})

t.test('the daemon dies in a talk: it goes on, and is recorded from its begin to its end', async (t) => {
  const [first, second] = await talk()
  const engine = service.pid
  const [part = ''] = readdirSync(recordings).filter((name) => name.endsWith('.part'))
  t.ok(statSync(join(recordings, part)).size > 8000, 'it grows at its place')
  t.equal(statSync(recordings).mode & 0o777, 0o700)
  await daemon.kill()
  await listens(first, 1000)
  await daemon.start()
  t.equal(service.pid, engine)
  t.equal((await live()).length, 1)
  await listens(first, 1000)
  await first.command('hangup')
  await over()
  t.same(tonesIn(first.heard()), [700])
  t.same(tonesIn(second.heard()), [400])
  await eventually('the recording', () => readdirSync(recordings).includes(part.replace('.part', '')))
  const { left, right } = bothChannels(join(recordings, part.replace('.part', '')))
  t.ok(left.length > 8000 * 3.5, `${left.length / 8} ms`)
  t.same([tonesIn(left), tonesIn(right)], [[400], [700]])
  t.same(
    readdirSync(spool).filter((name) => name.endsWith('.wav') || name.endsWith('.part')),
    [],
  )
})

t.test('a stop ends the calls, and the engine that waits for the next start is another one', async (t) => {
  const [first] = await talk()
  const engine = service.pid
  daemon.signal('SIGINT')
  await first.until('CALL_CLOSED', 30_000)
  await eventually('another engine', () => service.pid !== engine && service.pid !== 0)
  t.same(readdirSync(spool), [], 'nothing is left for it')
  await daemon.start()
  t.same(daemon.enginePids(), [])
})

t.test('one that was kept over an upgrade gives way to what lies there by now, when nobody talks any more', async (t) => {
  await service.stop()
  service.program = service.before()
  await service.start()
  await daemon.ready()
  service.program = enginePath
  const [first, second] = await talk()
  const [old, starts] = [service.pid, service.starts]
  await daemon.kill()
  await daemon.start()
  await listens(first, 4000)
  t.equal(service.pid, old, 'not while they talk')
  await first.command('hangup')
  await over()
  await Promise.all([first, second].map((phone) => phone.close()))
  await eventually('another one', () => service.starts > starts)
  await daemon.ready()
  const now = service.pid
  await talk()
  t.equal(service.pid, now)
})

t.test('kill -9 of the engine ends its calls and nothing else; the next one is in use at once', async (t) => {
  const [first] = await talk()
  await service.kill()
  const killed = performance.now()
  await over()
  await daemon.ready(5000)
  t.comment(`after ${Math.round(performance.now() - killed)} ms`)
  t.match((await daemon.pbx('recordings', 'list')).out, /s/, 'what was said until then is kept')
  await first.close()
})

t.test('a service that is stopped: pbx status says what to do, and calls work when it is done', async (t) => {
  await service.stop()
  await eventually('it is told', async () => /systemctl start pbxd-engine/.test((await daemon.pbx('status')).out))
  t.match((await daemon.pbx('doctor')).out, /systemctl start pbxd-engine/)
  await service.start()
  await daemon.ready()
  const [first] = await talk()
  await first.command('hangup')
  await over()
})
