/** Calls that are joined, moved, held, whispered to and recorded on both sides, between real telephones. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { BothRecorded } from '../../drivers/pbx.ts'
import { tone, toneLevel } from '../harness/audio.ts'
import { eventually } from '../harness/scene.ts'
import { HandPhone } from './hand-phone.ts'
import { bothChannels, course, inOrder, PhoneRig, skip } from './phones.ts'

const music = { key: 'music', samples: tone(1400, 500) }

t.test(
  'a caller goes from one phone to another, on hold and off, and the recording has both sides',
  { skip, timeout: 60_000 },
  async (t) => {
    const rig = await PhoneRig.start(t, { 101: 400, 102: 700, 103: 1000 })
    const dir = mkdtempSync(join(tmpdir(), 'pbxd-bridges-'))
    t.teardown(() => rmSync(dir, { recursive: true }))
    const [a, b, c] = await Promise.all([rig.answered('101'), rig.answered('102'), rig.answered('103')])
    const [first, second] = [rig.driver.bridge(), rig.driver.bridge()]
    t.ok(first.join(a.leg) && first.join(b.leg) && second.join(c.leg))
    await a.passes(600)
    const file = join(dir, 'both.wav')
    const recorded = new Map<number, ReturnType<typeof Promise.withResolvers<BothRecorded>>>()
    for (const id of [1, 2]) recorded.set(id, Promise.withResolvers())
    a.leg.recordBoth(1, { file, maxMs: 60_000 }, (both) => recorded.get(1)!.resolve(both))
    await a.passes(1000)

    t.ok(second.join(a.leg), 'moved')
    await a.passes(1000)

    await rig.phone('103').command('hold')
    await c.until('held')
    a.leg.loop(music)
    await a.passes(1000)
    await rig.phone('103').command('resume')
    await c.until('resumed')
    a.leg.stopLoop()
    await a.passes(1000)

    c.leg.recordBoth(2, { file: join(dir, 'other.wav'), maxMs: 60_000 }, (both) => recorded.get(2)!.resolve(both))
    a.leg.playOver(7, { kind: 'tone', hz: [1800], ms: 1000 })
    await a.until('played', ({ playId, completed }) => playId === 7 && completed)
    await a.passes(500)
    for (const [talk, id] of [
      [a, 1],
      [c, 2],
    ] as const) {
      talk.leg.audio?.stopRecord(id)
      t.match(await recorded.get(id)!.promise, { reason: 'stopped' })
    }
    await rig.hangUp(a, b, c)

    const tones = [400, 700, 1000, 1400, 1800]
    const heard = rig.phone('101').heard()
    const runs = course(heard, tones)
    t.same(inOrder(runs), [700, 1000, 1400, 1000, 1800, 1000], JSON.stringify(runs))
    const moved = runs.findIndex(({ hz }) => hz === 1000)
    t.ok(
      runs.slice(0, moved).every(({ hz, ms }) => hz !== 0 || ms <= 80),
      `no gap where it moved: ${JSON.stringify(runs)}`,
    )
    const whisper = runs.findIndex(({ hz }) => hz === 1800)
    const at = runs.slice(0, whisper).reduce((sum, { ms }) => sum + ms, 0) * 8
    t.ok(toneLevel(heard.subarray(at + 1600, at + 4800), 1000) > -40, 'the other side is heard below the whisper')
    t.same(inOrder(course(rig.phone('102').heard(), tones)), [400, 0], 'the first phone heard the caller and then nobody')
    const { left, right } = bothChannels(file)
    t.same(inOrder(course(left, tones)), [400])
    t.same(inOrder(course(right, tones)), [700, 1000, 1400, 1000, 1800, 1000])
    const other = bothChannels(join(dir, 'other.wav'))
    t.same(inOrder(course(other.left, tones)), [1000])
    t.same(inOrder(course(other.right, tones)), [400], 'the whisper was for one side')
  },
)

t.test('a call that we hold hears our music, and comes back', { skip, timeout: 60_000 }, async (t) => {
  const rig = await PhoneRig.start(t, { 102: 700 }, ['101'])
  const phone = await HandPhone.register(rig.port, '101', 400)
  t.teardown(() => phone.close())
  const a = rig.ring('101')
  const [call, b] = await Promise.all([phone.takes(), rig.answered('102')])
  await a.until('answered')
  a.leg.audio?.bridge(b.leg)
  await a.passes(800)
  a.leg.loop(music)
  a.leg.hold(true)
  t.match((await phone.agrees(call)).body, 'a=sendonly')
  await b.passes(1000)
  a.leg.hold(false)
  t.match((await phone.agrees(call)).body, 'a=sendrecv')
  a.leg.stopLoop()
  await b.passes(1200)
  const heard = call.rtp.heard()
  a.leg.hangup()
  await phone.hungUp(call)
  await rig.hangUp(b)
  t.same(inOrder(course(heard, [400, 700, 1400])), [700, 1400, 700])
  t.same(inOrder(course(rig.phone('102').heard(), [400, 700, 1400]), 400), [400, 0, 400], 'who is held is not heard')
})

t.test(
  'keys pass to the other side; a code does not and is told, and what only began like one goes on its way',
  { skip, timeout: 60_000 },
  async (t) => {
    const rig = await PhoneRig.start(t, { 101: 400, 102: 700 })
    const [a, b] = await Promise.all([rig.answered('101'), rig.answered('102')])
    const codes: string[] = []
    const bridge = rig.driver.bridge()
    bridge.join(a.leg, { codes: ['*1', '#'], onCode: (code) => codes.push(code) })
    bridge.join(b.leg)
    await a.passes(300)
    let pressed = 0
    const press = async (keys: string) => {
      for (const key of keys) {
        await rig.phone('101').command('sndcode', key)
        await rig.phone('101').command('sndcode', '\x04')
        pressed += 1
        await eventually('the key', () => a.events.filter(({ type }) => type === 'digit').length === pressed)
      }
    }
    const arrived = () =>
      rig
        .phone('102')
        .events.filter(({ type, param }) => type === 'CALL_DTMF_START' && param !== '')
        .map(({ param }) => param)
        .join('')
    await press('5*1')
    t.same(codes, ['*1'])
    await press('*2#')
    t.same(codes, ['*1', '#'])
    await press('*')
    await eventually('the last key', () => arrived() === '5*2*', 8000)
    await rig.hangUp(a, b)
  },
)
