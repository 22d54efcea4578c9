/** What ends a stream from outside: its length, the shim of Twilio's REST interface, a server that takes nothing, the death of the daemon. */
import t from 'tap'
import { linearToUlaw, tone } from '../harness/audio.ts'
import { Scene } from '../harness/scene.ts'
import { StreamServer } from '../harness/stream-server.ts'

const scene = await Scene.open()
const { app, daemon } = scene
const server = new StreamServer(app)
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => {
  app.reset()
  server.reset()
})
t.afterEach(() => scene.sweep())

const coded = (samples: Int16Array): Buffer => Buffer.from(Uint8Array.from(samples, linearToUlaw))

t.test('maxSeconds ends the stream with stop, and actionUrl is told', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url, maxSeconds: 1, actionUrl: `${app.url}/after` } }] : []
  const caller = await scene.call()
  const stream = await server.next()
  stream.say(coded(tone(600, 20_000)))
  await stream.closed()
  t.equal(stream.closeCode, 1000)
  t.equal(stream.frames.at(-1)!.frame.event, 'stop')
  const { event } = await app.until('stream.completed')
  t.match(event, { reason: 'max-length' })
  t.ok(event['durationMs'] >= 990, `${event['durationMs']} ms`)
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(stream.faults, [])
  t.same(await scene.finish(), [])
})

t.test('the REST request of Twilio that ends a call ends a streamed one', async (t) => {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url } }] : [])
  const caller = await scene.call()
  const stream = await server.next()
  const { accountSid, callSid } = stream.start.start
  const answer = await fetch(`${daemon.http}/2010-04-01/Accounts/${accountSid}/Calls/${callSid}.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${daemon.token}`).toString('base64')}` },
    body: new URLSearchParams({ Status: 'completed' }),
  })
  t.equal(answer.status, 200)
  t.match(await answer.json(), { sid: callSid })
  await stream.closed()
  t.equal(stream.frames.at(-1)!.frame.event, 'stop')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.match((await app.until('call.ended')).event, { endReason: 'api' })
  t.same(stream.faults, [])
  t.same(await scene.finish(), [])
})

t.test('the daemon dies in a stream: the caller is not left in silence, and the next call streams', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url, statusCallbackUrl: `${app.url}/status` } }] : []
  const caller = await scene.call()
  const stream = await server.next()
  await app.until('stream.started')
  await daemon.kill()
  await stream.closed()
  await daemon.start()
  t.match(await Promise.race([caller.sip.exit, new Promise((resolve) => setTimeout(resolve, 20_000, 'still there').unref())]), 0)
  t.match((await app.until('call.ended')).event, { callId: stream.start.start.callSid })
  app.reset()
  server.reset()
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ stream: { url: server.url } }] : [])
  const next = await scene.call()
  const again = await server.next()
  await again.until('audio', () => again.of('media').length > 10)
  await next.hangup()
  await again.closed()
  t.same(again.faults, [])
  t.same(await scene.finish(), [])
})
