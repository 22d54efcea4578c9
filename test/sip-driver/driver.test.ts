import t, { type Test } from 'tap'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LegEvent } from '../../drivers/line.ts'
import { createSipDriver, type SipDriver, type SipDriverOptions } from '../../drivers/sip/driver.ts'
import { Phone, Stage, until } from './stage.ts'

const clip = (key: string, samples: number, value = 7) => ({ key, samples: new Int16Array(samples).fill(value) })
const invite = (leg: number, more: object = {}) => ({
  t: 'invite',
  leg,
  trunk: 'main',
  extension: '',
  from: '+15551230001',
  fromName: 'ANN LEE',
  to: '+15559870000',
  toName: '',
  diversion: '',
  headers: { 'X-Clinic': 'north' },
  source: '192.0.2.1:5060',
  sipCallId: 'a',
  secure: false,
  ...more,
})

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function open(t: Test, more: Partial<SipDriverOptions> = {}): Promise<{ stage: Stage; phone: Phone; driver: SipDriver }> {
  const stage = new Stage()
  await stage.open()
  const phone = new Phone()
  const driver = createSipDriver(stage.options(more))
  await driver.start(phone)
  t.teardown(async () => {
    await driver.stop()
    stage.close()
  })
  return { stage, phone, driver }
}

t.test('an inbound call: orders become messages, messages become events, ended is the last', async (t) => {
  const { stage, phone, driver } = await open(t)
  t.match(driver.health(), { ok: true, reason: '', facts: { realtime: false, realtimeReason: 'stand-in', udp: '127.0.0.1:5060' } })
  stage.order(invite(1))
  await until(() => phone.calls.length === 1)
  const call = phone.calls[0]!
  t.match(call, { trunkId: 'main', from: '+15551230001', callerName: 'ANN LEE', headers: { 'x-clinic': 'north' } })
  const { leg } = call
  await until(() => stage.received.some((m) => m.t === 'take' && m['leg'] === 1))
  const seen = stage.next('tap')
  leg.progress(180)
  leg.answer()
  leg.audio!.play(1, { kind: 'clip', clip: clip('k1', 800), offsetMs: 40 })
  leg.audio!.play(2, { kind: 'silence', ms: 250 })
  leg.audio!.play(3, { kind: 'tone', hz: [1000], ms: 200 })
  leg.audio!.play(4, { kind: 'clip', clip: clip('k1', 800) })
  leg.audio!.record(9, { file: '/x.wav', maxMs: 1000 })
  leg.audio!.stopRecord(9, 80)
  leg.audio!.listen(true)
  leg.audio!.sendDigits('12#')
  leg.audio!.clear()
  leg.audio!.tap(true)
  await seen
  t.strictSame(
    stage.received.slice(-12).map((message) => Object.fromEntries(Object.entries(message).filter(([name]) => name !== 'leg'))),
    [
      { t: 'progress', code: 180 },
      { t: 'answer' },
      { t: '#clip', clip: 1, samples: 800, first: 7 },
      { t: 'play', play: 1, clip: 1, offsetMs: 40 },
      { t: 'play', play: 2, silenceMs: 250 },
      { t: 'play', play: 3, tone: { hz: [1000], ms: 200 } },
      { t: 'play', play: 4, clip: 1 },
      { t: 'record', record: 9, file: '/x.wav', maxMs: 1000 },
      { t: 'recordStop', record: 9, trimMs: 80 },
      { t: 'listen', on: true },
      { t: 'digits', digits: '12#' },
      { t: 'clear' },
      { t: 'tap', on: true },
    ].slice(-12),
  )
  t.equal(driver.lines().find((line) => line.id === 'main')?.activeCalls, 1)
  const audio = Buffer.alloc(5 + 328)
  audio.writeUInt32LE(audio.length - 4, 0)
  audio[4] = 3
  audio.writeUInt32LE(1, 5)
  audio.writeUInt32LE(60, 9)
  audio.writeInt16LE(-5, 13)
  stage.order({ t: 'answered', leg: 1, codec: 'PCMU', secure: false })
  stage.order({ t: 'digit', leg: 1, digit: '5', method: 'rfc4733', durationMs: 100 })
  stage.order({ t: 'played', leg: 1, play: 1, completed: false, playedMs: 60 })
  stage.order({ do: 'raw', hex: audio.toString('hex') })
  stage.order({ t: 'recorded', leg: 1, record: 9, file: '/x.wav', durationMs: 640, reason: 'stopped' })
  stage.order({ t: 'refer', leg: 1, to: 'sip:102@pbx' })
  stage.order({ t: 'ended', leg: 1, by: 'remote', reason: 'hangup', code: 200, cause: 16, text: 'Normal', stats: {} })
  stage.order({ t: 'digit', leg: 1, digit: '6', method: 'rfc4733', durationMs: 100 })
  await until(() => phone.of('ended').length === 1)
  t.strictSame(
    phone.events.map((event) => (event.type === 'audio' ? { ...event, samples: [event.samples.length, event.samples[0]] } : event)),
    [
      { type: 'answered', codec: 'PCMU', secure: false },
      { type: 'digit', digit: '5', method: 'rfc4733', durationMs: 100 },
      { type: 'played', playId: 1, completed: false, playedMs: 60 },
      { type: 'audio', samples: [160, -5], timestampMs: 60 },
      { type: 'recorded', recordId: 9, file: '/x.wav', durationMs: 640, reason: 'stopped' },
      { type: 'transfer-requested', to: 'sip:102@pbx' },
      { type: 'ended', end: { by: 'remote', reason: 'hangup', sipCode: 200, cause: 16, text: 'Normal' } },
    ],
  )
  const before = stage.received.length
  leg.answer()
  leg.hangup()
  leg.audio!.play(5, { kind: 'silence', ms: 1 })
  const probe = stage.next('dial')
  const out = driver.dial({ via: { kind: 'trunk', trunkId: 'main' }, to: '+15550001', from: '+1555', callerName: '', timeoutSeconds: 30 })
  t.strictSame(await probe, { t: 'dial', leg: 2, trunk: 'main', to: '+15550001', from: '+1555', callerName: '', timeout: 30 })
  t.equal(stage.received.length, before + 1, 'a leg that has ended sends nothing')
  out.hangup(16)
})

t.test('what became of a registration is told in words that agree with each other', async (t) => {
  const { stage, driver } = await open(t)
  const told = async (state: string, code: number, reason: string, retrySeconds: number) => {
    stage.order({ t: 'trunk', id: 'main', state, code, reason, retrySeconds })
    await until(() => driver.lines()[0]!.state === state && driver.lines()[0]!.reason.includes(code === 0 ? reason : String(code)))
    return driver.lines()[0]!.reason
  }
  t.match(await told('refused', 420, 'Bad Extension', 5), /refused the registration \(420 Bad Extension\); tried again in \d s$/)
  t.match(
    await told('refused', 503, 'Service Unavailable', 120),
    /cannot take the registration now \(503 Service Unavailable\); tried again in 2 min$/,
  )
  t.match(await told('refused', 404, 'Not Found', 60), /does not know the account \(404/)
  t.match(await told('unreachable', 0, 'no answer to OPTIONS', 0), /does not answer \(no answer to OPTIONS\)$/)
})

t.test('a killed engine: every leg ends once as driver-lost, and the next engine gets configuration, phones and clips again', async (t) => {
  const registrations: unknown[] = []
  const { stage, phone, driver } = await open(t, { onRegistration: (...all) => registrations.push(all) })
  const contact = { uri: 'sip:101@127.0.0.1:5070', transport: 'udp', address: '127.0.0.1:5070', expiresAt: 4_000_000_000_000 }
  stage.order({ t: 'registration', extension: '101', contacts: [contact], userAgent: 'baresip' })
  stage.order({ t: 'trunk', id: 'main', state: 'refused', code: 403, reason: 'Forbidden' })
  stage.order(invite(1))
  stage.order(invite(3))
  await until(() => phone.calls.length === 2)
  t.strictSame(registrations, [['101', [contact], 'baresip']])
  t.match(driver.lines(), [
    { id: 'main', ok: false, state: 'refused', reason: /user name or password \(403 Forbidden\)/, activeCalls: 2 },
    { id: '101', kind: 'extension', ok: true, state: 'registered' },
  ])
  const leg = phone.calls[0]!.leg
  leg.audio!.play(1, { kind: 'clip', clip: clip('hello', 100) })
  await stage.next('play')
  const dialled: LegEvent[] = []
  driver.dial({ via: { kind: 'extension' }, to: '101', from: '102', callerName: 'Bob', timeoutSeconds: 30 }).onEvent = (e) =>
    dialled.push(e)
  await stage.next('dial')
  const configured = stage.next('configure')
  process.kill(Number(driver.health().facts['pid']), 'SIGKILL')
  await until(() => dialled.length === 1)
  const lost = { type: 'ended', end: { by: 'system', reason: 'driver-lost', cause: 41 } }
  t.match(phone.of('ended'), [lost, lost])
  t.equal(phone.of('ended').length, 2)
  t.match(dialled, [lost])
  t.notOk(driver.health().ok)
  t.match(driver.lines()[0], { ok: false, state: 'unreachable', reason: /ended by SIGKILL/, activeCalls: 0 })
  const late: LegEvent[] = []
  driver.dial({ via: { kind: 'extension' }, to: '101', from: '102', callerName: '', timeoutSeconds: 30 }).onEvent = (e) => late.push(e)
  await until(() => late.length === 1)
  t.match(late, [{ type: 'ended', end: { reason: 'driver-lost', cause: 41 } }])
  t.match(await configured, { extensions: [{ number: '101', contacts: [contact] }] })
  await until(() => driver.health().ok)
  t.equal(driver.health().facts['restarts'], 1)
  stage.order(invite(1))
  await until(() => phone.calls.length === 3)
  const again = phone.calls[2]!.leg
  t.not(again.id, leg.id)
  const uploaded = stage.next('#clip')
  leg.audio!.play(2, { kind: 'clip', clip: clip('hello', 100) })
  again.audio!.play(2, { kind: 'clip', clip: clip('hello', 100) })
  t.match(await uploaded, { samples: 100 })
  t.equal(stage.lives, 2)
})

t.test('the last words of a killed engine are read, however long the loop was held up', async (t) => {
  const { stage, phone, driver } = await open(t)
  stage.order(invite(1))
  await until(() => phone.calls.length === 1)
  const pid = Number(driver.health().facts['pid'])
  const [words, go, done] = ['words', 'go', 'done'].map((name) => join(stage.directory, name)) as [string, string, string]
  stage.order({ do: 'heir', words, go, done, message: { t: 'digit', leg: 1, digit: '7', method: 'info', durationMs: 100 } })
  await new Promise<void>((goOn) => {
    const look = (): void => {
      if (lives(pid)) return void setImmediate(look)
      // The loop stands still from here, until the words are there and their time limit has passed.
      const since = performance.now()
      writeFileSync(go, '')
      while (!existsSync(done) || performance.now() - since < 200);
      goOn()
    }
    look()
  })
  await until(() => phone.of('ended').length === 1)
  t.match(phone.events, [{ type: 'digit', digit: '7' }, { type: 'ended' }])
})

t.test('an engine that leaves pings unanswered is killed and replaced', async (t) => {
  const { stage, phone, driver } = await open(t)
  stage.order(invite(1))
  await until(() => phone.calls.length === 1)
  const again = stage.next('configure')
  stage.order({ do: 'mute' })
  await again
  t.match(phone.of('ended'), [{ end: { reason: 'driver-lost', text: /12 pings unanswered/ } }])
  await until(() => driver.health().ok)
})

t.test('a frame that breaks the protocol ends that engine, not the daemon; its log lines are kept', async (t) => {
  const { stage } = await open(t)
  stage.order({ do: 'print', text: 'WARN the clock was late' })
  await until(() => stage.logged.includes('the clock was late'))
  const again = stage.next('configure')
  stage.order({ do: 'raw', hex: 'ffffffff00' })
  await again
  t.ok(stage.logged.some((line) => /broke the protocol/.test(line)))
})

t.test('a call owner that throws costs nobody else their call', async (t) => {
  const { stage, phone } = await open(t)
  stage.order(invite(1))
  stage.order(invite(3))
  await until(() => phone.calls.length === 2)
  phone.calls[0]!.leg.onEvent = () => {
    throw new Error('broken owner')
  }
  stage.order({ t: 'digit', leg: 1, digit: '1', method: 'info', durationMs: 100 })
  stage.order({ t: 'digit', leg: 3, digit: '2', method: 'info', durationMs: 100 })
  await until(() => phone.of('digit').length === 1)
  t.equal(stage.lives, 1)
})

t.test('clips: dropped oldest first beyond the limit, never while a play names them', async (t) => {
  const { stage, phone } = await open(t, { clipBytes: 2000 })
  stage.order(invite(1))
  await until(() => phone.calls.length === 1)
  const { leg } = phone.calls[0]!
  const upload = async (play: number, key: string): Promise<void> => {
    const seen = stage.next('play')
    leg.audio!.play(play, { kind: 'clip', clip: clip(key, 400) })
    await seen
  }
  await upload(1, 'a')
  await upload(2, 'b')
  await upload(3, 'c')
  t.notOk(
    stage.received.some((m) => m.t === 'clipDrop'),
    'all three are being played',
  )
  stage.order({ t: 'played', leg: 1, play: 2, completed: true, playedMs: 50 })
  t.equal((await stage.next('clipDrop'))['clip'], 2)
  stage.order({ t: 'played', leg: 1, play: 1, completed: true, playedMs: 50 })
  stage.order({ t: 'ended', leg: 1, by: 'remote', reason: 'hangup', code: 200, cause: 16, text: '' })
  await until(() => phone.of('ended').length === 1)
  t.equal(stage.received.filter((m) => m.t === 'clipDrop').length, 1, 'the rest fits')
})

t.test('no engine file: start resolves, health says what to do, dial ends, and it is tried again', async (t) => {
  const stage = new Stage()
  await stage.open()
  const driver = createSipDriver(stage.options({ enginePath: join(stage.directory, 'pbx-engine'), engineArguments: [] }))
  await driver.start(new Phone())
  t.match(driver.health(), { ok: false, reason: /not built.*npm run setup/ })
  const events: LegEvent[] = []
  driver.dial({ via: { kind: 'extension' }, to: '101', from: '', callerName: '', timeoutSeconds: 1 }).onEvent = (e) => events.push(e)
  await until(() => events.length === 1)
  t.match(events, [{ type: 'ended', end: { reason: 'driver-lost' } }])
  await until(() => Number(driver.health().facts['restarts']) >= 2)
  await driver.stop()
  stage.close()
})

t.test('another protocol version is refused with the remedy', async (t) => {
  const stage = new Stage()
  await stage.open()
  const options = stage.options()
  const driver = createSipDriver({ ...options, engineArguments: [...options.engineArguments!, '3'] })
  await driver.start(new Phone())
  t.match(driver.health(), { ok: false, reason: /protocol version 3.*setup/ })
  await driver.stop()
  stage.close()
})

t.test('stop gives the engine its end of file and waits for it', async (t) => {
  const { stage, phone, driver } = await open(t)
  stage.order(invite(1))
  await until(() => phone.calls.length === 1)
  const pid = Number(driver.health().facts['pid'])
  await driver.stop()
  t.throws(() => process.kill(pid, 0), 'the process is gone')
  t.equal(phone.of('ended').length, 1)
  t.equal(stage.lives, 1)
})
