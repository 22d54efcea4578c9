/** The daemon dies or is started again while people talk: they talk on, and the next run has their calls as if nothing had been. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Dialog, SipPeer } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'
import type { Baresip } from '../harness/baresip.ts'
import { tone } from '../harness/audio.ts'
import { hears, listens, type Ear } from '../harness/ears.ts'
import { eventually } from '../harness/scene.ts'
import { desk, dialogOf, gapMs, handDesk, mostGapMs, musicHz, openTalkers, tonesIn } from '../harness/talkers.ts'
import { bothChannels } from '../sip-driver/phones.ts'

const scene = await openTalkers((base) => {
  base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '103' }]
  base['trunks'] = (base['trunks'] as object[]).map((trunk) => ({ ...trunk, record: 'inbound' }))
  base['site'] = { ...(base['site'] as object), recordingNotice: 'none' }
})
const { daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

interface Row {
  readonly callId: string
  readonly outcome: string
  readonly hangupBy: string
  readonly talkSeconds: number
}
const past = async (): Promise<Row[]> => (await daemon.api('GET', '/api/pbx/calls/history')).body.items
const live = async () => (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: any) => !call.endedAt)
/** The history has `rows` more then than before. */
async function over(before: number, rows = 1): Promise<void> {
  await eventually('all calls are over', async () => (await live()).length === 0, 8000)
  await eventually('the history has them', async () => (await past()).length >= before + rows, 8000)
}

async function talk(): Promise<readonly [Baresip, Baresip]> {
  const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102')])
  await first.command('dial', '102')
  await Promise.all([first.until('CALL_ESTABLISHED'), second.until('CALL_ESTABLISHED')])
  await Promise.all([hears(first, 700), hears(second, 400)])
  return [first, second]
}

/** `ready`: the daemon is to be well then. `ears`: hear something for a second while it is away. */
async function killed(meanwhile: () => unknown = () => undefined, ears: readonly Ear[] = [], ready = true): Promise<void> {
  await daemon.kill()
  await meanwhile()
  for (const ear of ears) await listens(ear, 1000)
  await daemon.start(ready)
}

/** Each has heard the tone of the other, without a gap, for more than so many seconds. */
function heardThroughout(t: Test, [first, second]: readonly [Baresip, Baresip], seconds: number): void {
  for (const [phone, hz] of [
    [first, 700],
    [second, 400],
  ] as const) {
    const gap = gapMs(phone.heard(), hz)
    t.comment(`longest gap ${gap} ms`)
    t.ok(gap <= mostGapMs && phone.heard().length > 8000 * seconds, `${gap} ms`)
  }
}

t.test('kill -9 in a talk of two phones: each hears the other throughout, and either of them ends it afterwards', async (t) => {
  for (const [turn, by] of ['101', '102'].entries()) {
    const [first, second] = await talk()
    await killed(undefined, [first, second])
    t.match(await live(), [{ state: 'in-progress', activity: 'routed' }])
    const shown = (await daemon.pbx('calls')).out
    t.match(shown, /101[^\n]*102/)
    await (by === '101' ? first : second).command('hangup')
    await Promise.all([first, second].map((phone) => phone.until('CALL_CLOSED')))
    heardThroughout(t, [first, second], 2)
    await over(turn)
    const rows = await past()
    t.equal(rows.length, turn + 1, 'one row a call')
    t.match(rows.at(-1), { outcome: 'answered', hangupBy: by === '101' ? 'caller' : 'callee' })
    await Promise.all([first, second].map((phone) => phone.close()))
  }
})

t.test('somebody hangs up while no daemon is there: the other is let go at once, and the history has it', async (t) => {
  const before = (await past()).length
  const [first, second] = await talk()
  await killed(async () => {
    await first.command('hangup')
    await second.until('CALL_CLOSED', 3000)
  })
  await over(before)
  const rows = await past()
  t.equal(rows.length, before + 1)
  t.match(rows.at(-1), { outcome: 'answered', hangupBy: 'caller' })
})

t.test('music goes on for who is held meanwhile, and the talk afterwards', async (t) => {
  const [first, second] = await talk()
  await first.command('hold')
  await hears(second, musicHz)
  await killed(undefined, [second])
  await first.command('resume')
  await hears(second, 400)
  await second.command('hangup')
  await Promise.all([first, second].map((phone) => phone.until('CALL_CLOSED')))
  t.same(tonesIn(second.heard()), [400, musicHz, 400])
  t.ok(gapMs(second.heard(), musicHz) <= mostGapMs)
})

t.test('a caller from outside talks on, recorded, is held and transferred afterwards, and the API ends it', async (t) => {
  const [second, third] = await Promise.all([desk(scene, '102'), desk(scene, '103')])
  const before = (await past()).length
  const caller = await scene.call()
  await third.until('CALL_ESTABLISHED')
  caller.rtp.say(tone(300, 60_000))
  await caller.rtp.sound()
  await hears(caller.rtp, 1000)
  await killed(undefined, [caller.rtp])
  await third.command('hold')
  await hears(caller.rtp, musicHz)
  await third.command('resume')
  await hears(caller.rtp, 1000)
  await third.command('transfer', `sip:102@127.0.0.1:${daemon.sipPort}`)
  await second.until('CALL_ESTABLISHED')
  await third.until('CALL_CLOSED')
  await hears(caller.rtp, 700)
  const [call] = await live()
  await daemon.api('POST', `/api/voice/calls/${call.callId}`, { state: 'completed' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await second.until('CALL_CLOSED')
  t.same(tonesIn(caller.rtp.heard()), [1000, musicHz, 1000, 700])
  await over(before)
  t.equal((await past()).filter(({ callId }) => callId === call.callId).length, 1)
  const { recordings } = (await daemon.api('GET', `/api/voice/calls/${call.callId}`)).body
  t.equal(recordings.length, 1, 'one recording, from the first talk to the last')
  const { left, right } = bothChannels(join(daemon.dir, 'var', 'recordings', `${recordings[0].recordingId ?? recordings[0]}.wav`))
  t.ok(gapMs(left, 300) <= mostGapMs && left.length > 8000 * 3, 'the caller was heard throughout')
  t.same(tonesIn(right), [1000, musicHz, 1000, 700])
})

t.test('two whom a third has brought together talk on, and both of their calls end', async (t) => {
  const before = (await past()).length
  const [hand, second, third] = [await handDesk(scene, '101'), await desk(scene, '102'), await desk(scene, '103')]
  const first = await hand.calls('102')
  await first.dialog.answered()
  const consult = await hand.calls('103')
  await consult.dialog.answered()
  await third.until('CALL_ESTABLISHED')
  await hears(consult.rtp, 1000)
  const refer = [`Refer-To: <sip:103@pbx?Replaces=${encodeURIComponent(dialogOf(consult))}>`]
  t.equal((await first.dialog.ask('REFER', { headers: refer })).status, 202)
  for (const call of [first, consult]) await call.dialog.ask('BYE')
  await hears(second, 1000)
  await killed(undefined, [second])
  t.equal((await live()).length, 2)
  await third.command('hangup')
  await Promise.all([second, third].map((phone) => phone.until('CALL_CLOSED')))
  t.ok(gapMs(second.heard(), 1000) <= mostGapMs)
  await over(before, 2)
  const rows = await past()
  t.equal(rows.length, before + 2)
  t.same(
    rows.slice(-2).map(({ outcome }) => outcome),
    ['answered', 'answered'],
  )
})

t.test(
  'a stop by SIGTERM and a start leave the talk as it is; a caller of between is refused at once, and the next one answered',
  async (t) => {
    const [first, second] = await talk()
    const third = await desk(scene, '103')
    await daemon.stop()
    t.same(daemon.exit, { code: 0, signal: null })
    const line = await SipPeer.udp(daemon.sipPort)
    const between = new Dialog(line)
    between.invite('+15550001000', { target: `sip:+15550001000@127.0.0.1:${daemon.sipPort}`, body: sdp(4000) })
    const answer = await between.final('INVITE')
    t.equal(answer.status, 503)
    t.ok(Number(answer.header('Retry-After')) > 0)
    between.send('ACK')
    line.close()
    await daemon.start()
    const caller = await scene.call()
    await third.until('CALL_ESTABLISHED')
    await caller.rtp.sound()
    await caller.hangup()
    t.equal((await live()).filter(({ activity }: { activity: string }) => activity === 'routed').length >= 1, true)
    await first.command('hangup')
    await Promise.all([first, second].map((phone) => phone.until('CALL_CLOSED')))
    t.ok(gapMs(first.heard(), 700) <= mostGapMs)
  },
)

t.test('kill -9 before the caller has acknowledged the answer: the two talk', async (t) => {
  const before = (await past()).length
  const [hand, second] = [await handDesk(scene, '101'), await desk(scene, '102', false)]
  const { dialog, rtp } = await hand.calls('102')
  await second.until('CALL_INCOMING')
  await eventually('it rings', async () => (await live()).length === 1)
  await second.command('accept')
  dialog.learn(await dialog.final('INVITE'))
  await killed(() => dialog.send('ACK'))
  t.match(await live(), [{ state: 'in-progress', activity: 'routed' }])
  await eventually('they hear each other', () => tonesIn(rtp.heard()).includes(700))
  await hears(second, 400)
  await second.command('hangup')
  await hand.hungUp({ dialog, rtp })
  await second.until('CALL_CLOSED')
  t.same(tonesIn(second.heard()), [400])
  await over(before)
  t.match((await past()).at(-1), { outcome: 'answered', hangupBy: 'callee' })
})

t.test('what rings when the daemon dies ends, and nothing of it is left', async (t) => {
  const [first, second] = await talk()
  const third = await desk(scene, '103', false)
  const caller = await scene.call()
  await third.until('CALL_INCOMING')
  await killed(() => third.until('CALL_CLOSED', 5000))
  await caller.sip.exit
  t.equal((await live()).length, 1)
  await second.command('hangup')
  await first.until('CALL_CLOSED')
})

for (const [what, content] of [
  ['a store that cannot be opened', 'spoilt'.repeat(4096)],
  ['another store', null],
] as const)
  t.test(`kill -9 in a talk, and then ${what}: they talk on, and either can hang up`, async (t) => {
    const store = join(daemon.dir, 'var', 'store', 'store.mdb')
    const [first, second] = await talk()
    const spoils = () => {
      renameSync(store, `${store}.kept`)
      if (content !== null) writeFileSync(store, content)
    }
    await killed(spoils, [first], false)
    await eventually('the talk is known', async () => (await live().catch(() => [])).length === 1, 8000)
    // Longer than an engine without calls is kept.
    await listens(first, 4000)
    t.match(await live(), [{ state: 'in-progress', activity: 'routed', from: '101', to: '102' }])
    await first.command('hangup')
    await Promise.all([first, second].map((phone) => phone.until('CALL_CLOSED')))
    heardThroughout(t, [first, second], 5)
    await eventually('the call is over', async () => (await live()).length === 0, 8000)
    await Promise.all([first, second].map((phone) => phone.close()))
    await killed(() => renameSync(`${store}.kept`, store))
  })
