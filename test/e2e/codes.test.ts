/** Feature codes at real phones: what they hear, what it does to calls, and that it outlives the daemon. */
import t from 'tap'
import { findClip, speech, tone, toneLevel } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { hears } from '../harness/ears.ts'
import { Scene, eventually } from '../harness/scene.ts'

const password = 'a-long-password'
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = ['101', '102', '103'].map((number) => ({ number, name: `Desk ${number}`, password }))
  },
})
const { daemon } = scene
t.setTimeout(240_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())
const registrar = `127.0.0.1:${daemon.sipPort}`
const phone = async (user: string, options: Partial<Parameters<typeof Baresip.start>[0]> = {}) => {
  const started = scene.keep(await Baresip.start({ registrar, user, password, ...options }))
  await started.until('REGISTER_OK')
  return started
}
/** Dials, and waits until the daemon hangs up. */
const dial = async (desk: Baresip, code: string, calls = 1) => {
  await desk.command('dial', `sip:${code}@${registrar}`)
  return desk.until('CALL_CLOSED', 30_000, calls)
}
const extensions = async () => JSON.parse((await daemon.pbx('extensions', '--json')).out) as Record<string, unknown>[]

t.test('do not disturb: confirmed in words, shown, durable; callers find the phone busy', async (t) => {
  const desk = await phone('101')
  await dial(desk, '*78')
  t.ok(findClip(desk.heard(), speech('Do not disturb is on.')).whole)
  t.match(await extensions(), [{ number: '101', doNotDisturb: true, state: 'registered' }, { doNotDisturb: false }])
  await daemon.kill()
  await daemon.start()
  const other = await phone('102', { address: '127.0.0.3' })
  t.match((await dial(other, '101')).param, /^486/)
  t.equal(desk.events.filter(({ type }) => type === 'CALL_INCOMING').length, 0)
  t.equal((await daemon.pbx('extensions', '101', 'dnd', 'off')).code, 0)
  t.match(await extensions(), [{ doNotDisturb: false }])
})

t.test('a forward: its number is read out, and the other phone rings', async (t) => {
  const [desk, other, caller] = [
    await phone('101'),
    await phone('102', { address: '127.0.0.3', autoAnswer: true }),
    await phone('103', { address: '127.0.0.4' }),
  ]
  await dial(desk, '*72102')
  t.ok(findClip(desk.heard(), speech('All calls are forwarded to 1 0 2.')).heardMs > 1000)
  await caller.command('dial', `sip:101@${registrar}`)
  await other.until('CALL_ESTABLISHED')
  t.equal(desk.events.filter(({ type }) => type === 'CALL_INCOMING').length, 0)
  await caller.command('hangup')
  await other.until('CALL_CLOSED')
  t.match((await daemon.pbx('extensions', '101')).out, /102/)
  t.match((await daemon.pbx('extensions', '101', 'forward', 'all', '+15559870000')).code, 1, 'no rule leads outside')
  t.equal((await daemon.pbx('extensions', '101', 'forward', 'all', 'off')).code, 0)
  t.match(await extensions(), [{ forwardAll: null }])
  t.equal((await daemon.pbx('extensions', '101', 'dnd')).code, 2)
})

t.test('who called last is said, and called back', async (t) => {
  const [desk, caller] = [await phone('101'), await phone('102', { address: '127.0.0.3' })]
  await caller.command('dial', `sip:101@${registrar}`)
  await desk.until('CALL_INCOMING')
  await caller.command('hangup')
  await desk.until('CALL_CLOSED')
  await desk.command('dial', `sip:*69@${registrar}`)
  await desk.until('CALL_ESTABLISHED')
  await eventually('pressed, and called back', async () => {
    await desk.command('sndcode', '1')
    return caller.events.some(({ type }) => type === 'CALL_INCOMING')
  })
  await caller.command('accept')
  await caller.until('CALL_ESTABLISHED')
  await desk.command('hangup')
  await caller.until('CALL_CLOSED', 8000, 2)
})

t.test('a last caller who showed a number for help, or one of the house, is not called back', async (t) => {
  const desk = await phone('101')
  scene.app.script = () => [{ route: { to: '101' } }]
  for (const [count, from] of ['911', '+1911', '+15550001000', '700'].entries()) {
    await scene.call({ from })
    await desk.until('CALL_INCOMING', 8000, count + 1)
    await desk.command('accept')
    await desk.until('CALL_ESTABLISHED', 8000, 2 * count + 1)
    await desk.command('hangup')
    await desk.until('CALL_CLOSED', 8000, 2 * count + 1)
    await desk.command('dial', `sip:*69@${registrar}`)
    await desk.until('CALL_ESTABLISHED', 8000, 2 * count + 2)
    await desk.command('sndcode', '1')
    await desk.until('CALL_CLOSED', 30_000, 2 * count + 2)
  }
  t.ok(findClip(desk.heard(), speech('This number cannot be called back.')).heardMs > 800)
  t.same(scene.trunk.invites, [], 'nobody was called')
})

t.test('the number is withheld', async (t) => {
  const [desk, caller] = [await phone('101'), await phone('102', { address: '127.0.0.3' })]
  await caller.command('dial', `sip:*67101@${registrar}`)
  const { peeruri, peerdisplayname } = (await desk.until('CALL_INCOMING')) as unknown as Record<string, string>
  t.match(`${peeruri} ${peerdisplayname}`, /anonymous/i)
  t.notMatch(`${peeruri} ${peerdisplayname}`, /102/)
  await caller.command('hangup')
  await desk.until('CALL_CLOSED')
})

t.test('a phone hears itself', async (t) => {
  const desk = await phone('101', { voice: tone(440, 60_000) })
  await desk.command('dial', `sip:*43@${registrar}`)
  await desk.until('CALL_ESTABLISHED')
  await daemon.traced(/echo begins/)
  await hears(desk, 440)
  await desk.command('hangup')
  await desk.until('CALL_CLOSED')
  t.ok(toneLevel(desk.heard().slice(-4000), 440) > -30, 'loud and clear')
})
