/**
 * The box keeps room for help, and answers OPTIONS with what a call would get: full, without a daemon, with one that stands still, after a
 * stop.
 */
import t from 'tap'
import { Dialog, SipPeer } from '../engine/sip-peer.ts'
import { phoneCalls } from '../engine/phone-calls.ts'
import { sdp } from '../engine/sip-text.ts'
import { eventually, pause, Scene } from '../harness/scene.ts'
import { desk, openTalkers } from '../harness/talkers.ts'

const calls = 50
const uri = 'sip:pbx'
/** A call that came in and that nobody takes is refused after so long: a call that is refused at once is not one of these. */
const nobodyTakesMs = 5000

const provider = async (t: { teardown: (done: () => unknown) => void }, port: number): Promise<SipPeer> => {
  const peer = await SipPeer.udp(port)
  t.teardown(() => peer.close())
  return peer
}

interface Outcome {
  readonly status: number
  readonly retryAfter: string
  readonly tookMs: number
  readonly dialog: Dialog
}

async function invite(line: SipPeer): Promise<Outcome> {
  const dialog = new Dialog(line)
  const since = performance.now()
  dialog.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${line.target}`, body: sdp(4000) })
  const answer = await dialog.final('INVITE', 20_000)
  dialog.learn(answer)
  dialog.send('ACK')
  return { status: answer.status, retryAfter: answer.header('Retry-After'), tookMs: performance.now() - since, dialog }
}

t.test(`${calls} calls, 60 callers, and then one who calls for help`, { timeout: 120_000 }, async (t) => {
  const scene = await Scene.open({
    settings: (base) => {
      base['sip'] = { ...(base['sip'] as object), calls, phoneNetworks: ['127.0.0.9/32'] }
      base['trunks'] = (base['trunks'] as object[]).map((trunk) => ({ ...trunk, channels: calls }))
    },
  })
  t.teardown(() => scene.close())
  const { app, daemon } = scene
  app.script = () => [{ gather: { timeout: 60 } }]
  const line = await provider(t, daemon.sipPort)
  const outcomes: Outcome[] = []
  for (let n = 0; n < 6; n++) outcomes.push(...(await Promise.all(Array.from({ length: 10 }, () => invite(line)))))
  t.equal(outcomes.filter(({ status }) => status === 200).length, calls)
  const refused = outcomes.filter(({ status }) => status === 503)
  t.equal(refused.length, 10)
  t.ok(refused.every(({ retryAfter }) => Number(retryAfter) > 0))
  t.equal((await line.ask('OPTIONS', uri))?.status, 503)
  await eventually('it is warned of', async () => /50 of at most 50 calls are in progress/.test((await daemon.pbx('status')).out), 8000)
  const metrics = String((await daemon.api('GET', '/metrics')).body)
  t.match(metrics, new RegExp(`^pbx_calls_limit ${calls}$`, 'm'))
  t.match(metrics, new RegExp(`^pbx_calls_in_use ${calls}$`, 'm'))

  await scene.expect('answer')
  const phone = await SipPeer.udp(daemon.sipPort, '127.0.0.9')
  t.teardown(() => phone.close())
  const help = await phoneCalls(phone, '101', 'a-long-password', '911', 10_000)
  if (help.answer.status < 200) await help.dialog.answered(10_000)
  t.ok(help.answer.status === 200 || help.answer.status === 180 || help.answer.status === 183, `${help.answer.status}`)
  await daemon.stop(10_000, 'SIGINT')
})

t.test('all channels of the trunk are in use: 503', { timeout: 60_000 }, async (t) => {
  const scene = await Scene.open({
    settings: (base) => (base['trunks'] = (base['trunks'] as object[]).map((trunk) => ({ ...trunk, channels: 2 }))),
  })
  t.teardown(() => scene.close())
  scene.app.script = () => [{ gather: { timeout: 60 } }]
  const line = await provider(t, scene.daemon.sipPort)
  const outcomes = [await invite(line), await invite(line), await invite(line)]
  t.same(
    outcomes.map(({ status }) => status),
    [200, 200, 503],
  )
  t.ok(Number(outcomes[2]!.retryAfter) > 0)
  for (const { dialog } of outcomes.slice(0, 2)) await dialog.ask('BYE')
})

t.test('a daemon that is dead, stands still or was stopped, while people talk', { timeout: 180_000 }, async (t) => {
  const scene = await openTalkers(() => undefined)
  t.teardown(() => scene.close())
  const { daemon } = scene
  const line = await provider(t, daemon.sipPort)
  const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102')])
  await first.command('dial', '102')
  await Promise.all([first.until('CALL_ESTABLISHED'), second.until('CALL_ESTABLISHED')])
  const says = async () => (await line.ask('OPTIONS', uri, { ms: 1000 }))?.status
  const becomes = async (status: number, ms: number) => {
    const seen: (number | undefined)[] = []
    const is = async () => (seen.push(await says()), seen.at(-1) === status)
    await eventually(`OPTIONS is ${status}`, is, ms).catch((e: Error) => t.fail(`${e.message}: ${seen.join()}`))
  }
  const refused = async (what: string) => {
    const { status, retryAfter, tookMs } = await invite(line)
    t.equal(status, 503, what)
    t.ok(Number(retryAfter) > 0)
    t.comment(`${what}: refused after ${Math.round(tookMs)} ms`)
    t.ok(tookMs < nobodyTakesMs, what)
  }
  await becomes(200, 1000)

  await t.test('kill -9', async () => {
    await daemon.kill()
    await becomes(503, 2000)
    await refused('killed')
    await daemon.start()
    await becomes(200, 5000)
  })

  await t.test('SIGSTOP', async () => {
    daemon.signal('SIGSTOP')
    await becomes(503, 3000)
    await refused('stopped')
    daemon.signal('SIGCONT')
    await becomes(200, 3000)
  })

  await t.test('SIGTERM: no OPTIONS is 200 until the next daemon', async (t) => {
    const seen = new Set<number | undefined>()
    const stopped = daemon.stop(40_000)
    await becomes(503, 2000)
    let over = false
    void stopped.then(() => (over = true))
    while (!over) {
      seen.add(await says())
      await pause(100)
    }
    for (let n = 0; n < 10; n++) {
      seen.add(await says())
      await pause(100)
    }
    await refused('after SIGTERM')
    t.same([...seen], [503])
    await daemon.start()
    await becomes(200, 5000)
  })
  t.equal((await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: any) => !call.endedAt).length, 1, 'they talk on')
  await first.command('hangup')
  await second.until('CALL_CLOSED', 5000)
})
