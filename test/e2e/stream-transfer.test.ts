/** A stream in the background stays with the call when one of the phones transfers the other, over real phones. */
import t from 'tap'
import { toneLevel } from '../harness/audio.ts'
import { StreamServer } from '../harness/stream-server.ts'
import { eventually } from '../harness/scene.ts'
import { desk, openTalkers, voices } from '../harness/talkers.ts'

const scene = await openTalkers((base) => {
  base['inbound'] = [{ extension: '*', to: '700', destination: 'endpoint:reception' }]
  const { endpoints } = base['voice'] as { endpoints: { destinations: string[] }[] }
  endpoints[0]!.destinations = ['102']
})
const { app, daemon } = scene
const server = new StreamServer(app)
t.setTimeout(120_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

t.test('who called transfers: what the others say is told, in both tracks and without a gap in their time', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ stream: { url: server.url, background: true, track: 'both', name: 'both' } }, { route: { to: '102' } }]
      : []
  const [first, second, third] = await Promise.all(['101', '102', '103'].map((user) => desk(scene, user)))
  await first!.command('dial', '700')
  await second!.until('CALL_ESTABLISHED')
  const stream = await server.next()
  const level = (track: string, hz: number): number => toneLevel(stream.heard(track).subarray(-4000), hz)
  const tells = (inbound: string, outbound: string) => () =>
    level('inbound', voices[inbound]!) > -30 && level('outbound', voices[outbound]!) > -30
  await eventually('the two who talk', tells('101', '102'))
  await first!.command('transfer', `sip:103@127.0.0.1:${daemon.sipPort}`)
  await third!.until('CALL_ESTABLISHED')
  await first!.until('CALL_CLOSED')
  await eventually('the two who talk now', tells('102', '103'))
  await third!.command('hangup')
  await second!.until('CALL_CLOSED')
  await stream.closed()
  t.same(stream.faults, [])
  const chunks = (track: string) => stream.of('media').filter(({ frame }) => frame.media.track === track).length
  t.ok(Math.abs(chunks('inbound') - chunks('outbound')) <= 1, `${chunks('inbound')} and ${chunks('outbound')} frames`)
  const { at: begun } = stream.of('media')[0]!
  const { at: ended } = stream.of('media').at(-1)!
  const off = (ended - begun) / 20 - chunks('inbound')
  t.ok(Math.abs(off) < 50, `${Math.round(off)} frames are missing or too many`)
})
