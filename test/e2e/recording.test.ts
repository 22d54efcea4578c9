/**
 * Conversations that are recorded, by the configuration and by a key: both parties hear so, both are in the file, over hold, transfer and
 * kill -9.
 */
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findClip, speech, tone, toneLevel } from '../harness/audio.ts'
import type { Baresip } from '../harness/baresip.ts'
import { hears, listens } from '../harness/ears.ts'
import { eventually } from '../harness/scene.ts'
import { desk, musicHz, openTalkers, tonesIn } from '../harness/talkers.ts'
import { bothChannels, course } from '../sip-driver/phones.ts'

const scene = await openTalkers((base) => {
  const [, second] = base['extensions'] as Record<string, unknown>[]
  Object.assign(second!, { record: 'inbound', onNoAnswer: 'voicemail:102', ringSeconds: 5 })
  const [main] = base['trunks'] as Record<string, unknown>[]
  main!['record'] = 'inbound'
  base['featureCodes'] = { record: '*1' }
})
const { daemon } = scene
t.setTimeout(240_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())
const folder = join(daemon.dir, 'var', 'recordings')

interface Recording {
  readonly recordingId: string
  readonly callId: string
  readonly durationMs: number
}
const recordings = async () => JSON.parse((await daemon.pbx('recordings', 'list', '--json')).out) as Recording[]
/** Of a conversation that has ended; earlier ones are not returned again. */
const seen = new Set<string>()
async function newRecording(): Promise<Recording & { left: Int16Array; right: Int16Array }> {
  let found: Recording[] = []
  await eventually('a recording', async () => (found = (await recordings()).filter(({ recordingId }) => !seen.has(recordingId))).length > 0)
  if (found.length !== 1) throw new Error(`${found.length} recordings`)
  seen.add(found[0]!.recordingId)
  return { ...found[0]!, ...bothChannels(join(folder, `${found[0]!.recordingId}.wav`)) }
}
const growing = () => readdirSync(folder).filter((name) => name.endsWith('.part'))
const size = () => growing().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
const recordedNotice = speech('This call is recorded.')
const heardIn = (samples: Int16Array, clip: Int16Array) => findClip(samples, clip).heardMs > 400
/** How often something was said for half a second and longer over this tone, which is 12 dB quieter meanwhile. */
function wordsOver(samples: Int16Array, hz: number): number {
  const piece = 800
  const levels = Array.from({ length: Math.floor(samples.length / piece) }, (_, n) =>
    toneLevel(samples.subarray(n * piece, (n + 1) * piece), hz),
  )
  const loudest = Math.max(...levels)
  const quiet = levels.map((level) => (level < loudest - 8 && level > loudest - 20 ? 'q' : '-')).join('')
  return [...quiet.matchAll(/q{5,}/g)].length
}
const audit = async () => (await daemon.pbx('audit', 'list', '--json')).out
const keys = (phone: Baresip) => phone.events.filter(({ type }) => type === 'CALL_DTMF_START').map(({ param }) => param)
async function press(phone: Baresip, digits: string): Promise<void> {
  for (const digit of digits) {
    await phone.command('sndcode', digit)
    await listens(phone, 200)
  }
}
async function closed(...phones: Baresip[]): Promise<void> {
  await Promise.all(phones.map((phone) => phone.until('CALL_CLOSED')))
}

t.test(
  'both are told before they talk, and both are in one file that grows, over hold and a transfer, whose third is told too',
  async (t) => {
    const [first, second, third] = await Promise.all(['101', '102', '103'].map((user) => desk(scene, user)))
    await first!.command('dial', '102')
    await second!.until('CALL_ESTABLISHED')
    await eventually('the file grows', () => size() > 32_000)
    const live = (await daemon.api('GET', '/api/voice/calls')).body.calls.find((call: { endedAt: string | null }) => call.endedAt === null)
    t.equal((await daemon.api('GET', `/api/voice/calls/${live.callId}`)).body.recordings.length, 1, 'listed while it lasts')
    const before = size()
    await eventually('and grows', () => size() > before + 32_000)
    await hears(first!, 700)
    await second!.command('hold')
    await hears(first!, musicHz)
    await second!.command('resume')
    await hears(first!, 700)
    await second!.command('transfer', `sip:103@127.0.0.1:${daemon.sipPort}`)
    await third!.until('CALL_ESTABLISHED')
    await listens(third!, 4000)
    await hears(first!, 1000)
    await third!.command('hangup')
    await closed(first!, third!)
    const { callId, recordingId, left, right } = await newRecording()
    t.same(tonesIn(left), [400])
    t.same(tonesIn(right), [700, 1400, 700, 1000])
    t.ok(heardIn(right, recordedNotice), 'what the caller was told is in it')
    const notice = findClip(right, recordedNotice).atMs
    t.notOk(tonesIn(right.subarray(0, Math.max(0, notice) * 8)).includes(700), 'before the other was heard')
    t.ok(heardIn(second!.heardInParts()[0]!, recordedNotice), 'the called')
    t.ok(heardIn(third!.heard(), recordedNotice), 'the third')
    await eventually('it is listed', async () => (await daemon.api('GET', `/api/voice/calls/${callId}`)).body.recordings.length === 1)
    t.same((await daemon.api('GET', `/api/voice/calls/${callId}`)).body.recordings, [recordingId])
    t.match((await daemon.pbx('history', 'show', 'last')).out, `recording ${recordingId}`)
    t.match(await audit(), /"actor":\s*"system"[^}]*"deed":\s*"recording\.begin"/)
  },
)

t.test('the other way nobody is recorded; what comes in through the trunk is, but not in the mailbox', async (t) => {
  const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102', false)])
  await second.command('dial', '101')
  await first.until('CALL_ESTABLISHED')
  await hears(first, 700, 1000)
  await second.command('hangup')
  await closed(first)
  t.notOk(heardIn(first.heard(), recordedNotice))
  t.same(await recordings().then((all) => all.filter(({ recordingId }) => !seen.has(recordingId))), [])
  const caller = await scene.call({ to: '+15550001000', from: '+15551230001' })
  await first.until('CALL_ESTABLISHED', 8000, 2)
  caller.rtp.say(tone(1000, 20_000))
  await Promise.all([hears(first, 1000), hears(caller.rtp, 400)])
  await first.command('transfer', `sip:102@127.0.0.1:${daemon.sipPort}`)
  await second.until('CALL_INCOMING')
  // Nobody answers there.
  await daemon.traced(/voicemail of 102/)
  caller.rtp.hush()
  await caller.rtp.sound(performance.now())
  await caller.rtp.press('1')
  caller.rtp.say(tone(330, 4000))
  await caller.rtp.said()
  await caller.hangup()
  const messages = async () => JSON.parse((await daemon.pbx('mailbox', 'list', '102', '--json')).out) as unknown[]
  await eventually('its message', async () => (await messages()).length === 1)
  const { left, right } = await newRecording()
  t.ok(tonesIn(left).includes(1000), 'the caller is on the left')
  t.ok(tonesIn(right).includes(400))
  t.notOk(heardIn(right, speech('Please leave a message after the tone.')), 'the talk was over')
  t.notOk(
    course(left, [330]).some(({ hz, ms }) => hz === 330 && ms > 500),
    'the message is another file',
  )
})

t.test('the key begins and ends it, and is not heard by the other side; other keys pass', async (t) => {
  const [first, third] = await Promise.all([desk(scene, '101'), desk(scene, '103')])
  await first.command('dial', '103')
  await third.until('CALL_ESTABLISHED')
  await hears(third, 400)
  await press(first, '5')
  await eventually('a key passes', () => keys(third).join('') === '5')
  await press(first, '*1')
  await eventually('the file grows', () => size() > 64_000)
  await hears(third, 400)
  await press(first, '*2')
  await eventually('what only begins as the code passes', () => keys(third).join('') === '5*2')
  await press(third, '*1')
  await eventually('it has ended', () => growing().length === 0)
  await listens(first, 2500)
  await press(first, '6')
  await eventually('the talk goes on', () => keys(third).join('') === '5*26')
  await first.command('hangup')
  await closed(third)
  const { left, right } = await newRecording()
  t.same([tonesIn(left)[0], tonesIn(right)[0]], [400, 1000])
  t.equal(wordsOver(first.heard(), 1000), 1, 'both were told of the beginning')
  t.equal(wordsOver(third.heard(), 400), 2, 'and who ended it of the end')
  t.match(await audit(), /phone:101[^}]*recording\.begin/)
  t.match(await audit(), /phone:103[^}]*recording\.end/)
})

t.test('a disk that takes nothing ends no talk', async (t) => {
  const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102')])
  renameSync(folder, `${folder}-away`)
  writeFileSync(folder, 'no folder')
  try {
    await first.command('dial', '102')
    await second.until('CALL_ESTABLISHED')
    await Promise.all([hears(first, 700), hears(second, 400)])
    await first.command('hangup')
    await closed(second)
  } finally {
    rmSync(folder)
    renameSync(`${folder}-away`, folder)
  }
  t.ok(tonesIn(first.heard()).includes(700) && tonesIn(second.heard()).includes(400))
  t.match((await daemon.pbx('trace', 'last')).out, /recording .* failed/)
})

t.test('kill -9 in the middle of a talk: what both say is kept to the end of the talk, and listed with the call', async (t) => {
  const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102')])
  await first.command('dial', '102')
  await second.until('CALL_ESTABLISHED')
  await eventually('the file grows', () => size() > 160_000)
  await daemon.kill()
  await daemon.start()
  await Promise.all([hears(first, 700), hears(second, 400)])
  await first.command('hangup')
  await second.until('CALL_CLOSED')
  const { callId, recordingId, durationMs, left, right } = await newRecording()
  t.ok(Math.abs(durationMs - left.length / 8) < 50, `${durationMs} ms of ${left.length / 8}`)
  t.same([tonesIn(left), tonesIn(right)], [[400], [700]])
  t.same((await daemon.api('GET', `/api/voice/calls/${callId}`)).body.recordings, [recordingId])
})
