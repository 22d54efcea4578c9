import t from 'tap'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { InboundCall, LegEvent } from '../../drivers/line.ts'
import { createSimDriver, type SimNotice } from '../../drivers/sim/driver.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const clip = (text: string, ms: number) => ({ kind: 'clip', clip: { key: text, text, samples: new Int16Array(ms * 8) } }) as const

/** Lets time go by in small steps, so that what a script awaits can happen in between. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += 10) {
    await turn()
    clock.advance(10)
  }
  await turn()
}

t.test('a scripted caller listens, presses keys after the prompts, and hangs up', async (t) => {
  const clock = new FakeClock()
  const line = createSimDriver({ clock })
  const events: LegEvent[] = []
  const calls: InboundCall[] = []
  await line.start({
    inbound(call) {
      calls.push(call)
      call.leg.onEvent = (event) => {
        events.push(event)
        if (event.type === 'answered') {
          call.leg.audio!.play(1, clip('Welcome.', 1000))
          call.leg.audio!.play(2, { kind: 'silence', ms: 200 })
          call.leg.audio!.play(3, clip('Press a key.', 500))
        }
        if (event.type === 'digit' && event.digit === '2') call.leg.audio!.play(4, clip('A very long answer', 9000))
      }
      call.leg.progress(180)
      call.leg.answer()
    },
    statusChanged() {},
  })
  const notices: SimNotice[] = []
  const call = line.call({
    from: '+1555',
    to: '100',
    trunkId: 'main',
    script: [{ do: 'wait-prompts' }, { do: 'press', digits: '12' }, { do: 'wait', ms: 500 }, { do: 'hangup' }],
    observer: (notice) => notices.push(notice),
  })
  await pass(clock, 3500)
  t.match(await call.ended, { by: 'remote', reason: 'hangup', cause: 16 })
  t.match(calls[0], { from: '+1555', to: '100', trunkId: 'main', extension: '' })
  t.match(notices, [
    { type: 'ringing' },
    { type: 'answered', atMs: 0 },
    { type: 'heard', text: 'Welcome.', startedMs: 0, endedMs: 1000, completed: true },
    { type: 'heard', kind: 'silence', startedMs: 1000, endedMs: 1200 },
    { type: 'heard', text: 'Press a key.', startedMs: 1200, endedMs: 1700 },
    { type: 'pressed', digit: '1', atMs: 2100 },
    { type: 'pressed', digit: '2', atMs: 2300 },
    { type: 'heard', text: 'A very long answer', startedMs: 2300, completed: false },
    { type: 'ended' },
  ])
  t.strictSame(
    events.map((event) => event.type),
    ['answered', 'played', 'played', 'played', 'digit', 'digit', 'ended'],
  )
  calls[0]!.leg.audio!.play(9, clip('late', 10))
  await pass(clock, 100)
  t.equal(events.length, 7, 'nothing after ended')
  t.equal(line.lines()[0]?.activeCalls, 0)
})

t.test('clear answers for every item in order, with how far the first one came', async (t) => {
  const clock = new FakeClock()
  const line = createSimDriver({ clock, speed: 2 })
  const events: LegEvent[] = []
  await line.start({
    inbound({ leg }) {
      leg.onEvent = (event) => {
        events.push(event)
        if (event.type === 'digit') leg.audio!.clear()
      }
      leg.answer()
      leg.audio!.play(1, { ...clip('a', 5000), offsetMs: 1000 })
      leg.audio!.play(2, { kind: 'tone', hz: [440], ms: 100 })
    },
    statusChanged() {},
  })
  const call = line.call({ from: '', to: '', script: [{ do: 'press', digits: '5' }] })
  await pass(clock, 60)
  t.match(events.slice(1), [
    { type: 'digit', digit: '5' },
    { type: 'played', playId: 1, completed: false, playedMs: 1100 },
    { type: 'played', playId: 2, completed: false, playedMs: 0 },
  ])
  call.hangup()
  t.match(await call.ended, { by: 'remote' })
})

t.test('a recording is a WAV with what was said, without the tone of the key that ended it', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'pbx-sim-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'a.wav')
  const clock = new FakeClock()
  const line = createSimDriver({ clock })
  const events: LegEvent[] = []
  await line.start({
    inbound({ leg }) {
      leg.onEvent = (event) => {
        events.push(event)
        if (event.type === 'answered') leg.audio!.record(7, { file, maxMs: 60_000 })
        if (event.type === 'digit') leg.audio!.stopRecord(7, 100)
      }
      leg.answer()
    },
    statusChanged() {},
  })
  const call = line.call({
    from: '',
    to: '',
    script: [
      { do: 'wait', ms: 100 },
      { do: 'speak', samples: new Int16Array(1600).fill(1000) },
      { do: 'wait', ms: 100 },
      { do: 'press', digits: '#' },
    ],
  })
  await pass(clock, 800)
  t.match(events.slice(1), [
    { type: 'voice', active: true },
    { type: 'voice', active: false },
    { type: 'digit', digit: '#' },
    { type: 'recorded', recordId: 7, file, durationMs: 400, reason: 'stopped' },
  ])
  const wav = readFileSync(file)
  t.equal(wav.length, 44 + 6400)
  t.equal(wav.toString('latin1', 0, 4), 'RIFF')
  t.equal(wav.readInt16LE(44 + 2 * 799), 0)
  t.equal(wav.readInt16LE(44 + 2 * 800), 1000)
  t.equal(wav.readInt16LE(44 + 2 * 2399), 1000)
  t.equal(wav.readInt16LE(44 + 2 * 2400), 0)
  call.hangup()
})

t.test('dialled numbers answer, are busy, or let it ring', async (t) => {
  const clock = new FakeClock()
  const line = createSimDriver({
    clock,
    answer: ({ to }) =>
      to === '1'
        ? { kind: 'answer', afterMs: 2000, script: [{ do: 'press', digits: '9' }, { do: 'hangup' }] }
        : to === '2'
          ? { kind: 'busy' }
          : to === '3'
            ? { kind: 'no-answer' }
            : { kind: 'refuse', sipCode: 503 },
  })
  await line.start({ inbound() {}, statusChanged() {} })
  const seen = ['1', '2', '3', '4'].map((to) => {
    const events: LegEvent[] = []
    line.dial({ via: { kind: 'extension' }, to, from: '', callerName: '', timeoutSeconds: 10 }).onEvent = (event) => events.push(event)
    return events
  })
  await pass(clock, 11_000)
  t.match(seen[0], [
    { type: 'ringing', sipCode: 180 },
    { type: 'answered' },
    { type: 'digit', digit: '9' },
    { type: 'ended', end: { by: 'remote', reason: 'hangup' } },
  ])
  t.match(seen[1], [{ type: 'ended', end: { by: 'remote', reason: 'rejected', sipCode: 486, cause: 17 } }])
  t.match(seen[2], [{ type: 'ringing' }, { type: 'ended', end: { by: 'system', reason: 'no-answer', cause: 19 } }])
  t.match(seen[3], [{ type: 'ended', end: { sipCode: 503 } }])
  t.equal(line.lines()[0]?.activeCalls, 0)
})

t.test('a caller may leave before the answer, a line out of service refuses, and a tap has no gaps', async (t) => {
  const clock = new FakeClock()
  const line = createSimDriver({ clock })
  t.match(await line.call({ from: '', to: '' }).ended, { by: 'local', sipCode: 503 })
  const times: number[] = []
  await line.start({
    inbound({ leg }) {
      leg.audio!.tap(true)
      leg.onEvent = (event) => {
        if (event.type === 'audio') times.push(event.timestampMs)
      }
    },
    statusChanged() {},
  })
  const call = line.call({ from: '', to: '', script: [{ do: 'wait', ms: 105 }, { do: 'hangup' }] })
  await pass(clock, 200)
  t.match(await call.ended, { by: 'remote', reason: 'canceled', sipCode: 487 })
  t.strictSame(times, [0, 20, 40, 60, 80])
})
