/** What a caller did is reported and what was ordered is done, when both happen within one turn of the loop. */
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { putCall } from '../../daemon/calls/live-index.ts'
import type { Originator } from '../../daemon/routing/originate.ts'
import { recoverCalls } from '../../daemon/routing/recovery.ts'
import { newCallId } from '../../daemon/base/ids.ts'
import { createLog } from '../../daemon/base/log.ts'
import { Ground, SessionStage, type StageOptions } from './session-stage.ts'

const say = (text: string) => ({ say: { text } })
const gather = { gather: { numDigits: 1, timeout: 30 } }
const message = { record: { transcribe: true, finishOnKey: '#', playBeep: false, silenceTimeout: 0, initialTimeout: 0 } }

const ground = await Ground.open(t)

async function staged(t: { teardown(fn: () => unknown): void }, document: readonly unknown[], name?: string, options: StageOptions = {}) {
  const stage = new SessionStage(ground, options)
  t.teardown(() => stage.finish())
  await stage.begin(document, name)
  return stage
}

t.test('a key and the end of the call in one turn: the key is told, once', async (t) => {
  const stage = await staged(t, [say('press one'), gather], 'gather')
  stage.leg.key('1')
  stage.leg.hangUp()
  t.match((await stage.attempt(2)).event, { event: 'gather.completed', digits: '1', reason: 'digits', sequence: 2 })
  stage.attempts[1]!.answer(200, [say('too late')])
  await stage.call.settled
  t.equal(stage.named('gather.completed').length, 1)
})

t.test('a hang-up after the finish key of a message: the message is told with its transcript', async (t) => {
  const stage = await staged(t, [message], 'record')
  stage.leg.key('#')
  await stage.quiet()
  stage.leg.hangUp()
  await stage.quiet()
  stage.transcriber.live_.resolve({ status: 'done', text: 'call me back', reason: '', engine: 'test' })
  const { event } = await stage.attempt(2)
  t.match(event, { event: 'record.completed', reason: 'finish-key', transcript: 'call me back', transcriptStatus: 'done' })
  t.not(event.recordingId, '')
})

t.test('the hang-up neither ends the retry nor the request of what was entered, and the fallback URL is asked', async (t) => {
  const stage = await staged(t, [gather], 'gather', { fallbackUrl: true })
  stage.leg.key('7')
  const first = await stage.attempt(2)
  stage.leg.hangUp()
  await stage.quiet()
  t.equal(first.outcome, 'open', 'the request goes on')
  first.answer(503)
  await stage.quiet()
  stage.clock.advance(500)
  const second = await stage.attempt(3)
  t.match({ ...second.event, number: second.number }, { eventId: first.event.eventId, number: 2 }, 'the retry comes')
  second.answer(500)
  const third = await stage.attempt(4)
  t.match({ eventId: third.event.eventId, path: third.path }, { eventId: first.event.eventId, path: '/fallback' })
})

t.test('a hang-up in the pause before the retry', async (t) => {
  const stage = await staged(t, [gather], 'gather')
  stage.leg.key('7')
  ;(await stage.attempt(2)).answer(503)
  await stage.quiet()
  stage.leg.hangUp()
  await stage.quiet()
  stage.clock.advance(500)
  t.match((await stage.attempt(3)).event, { event: 'gather.completed', digits: '7' })
})

t.test('a hang-up ends the first request, which nobody needs any more', async (t) => {
  const stage = new SessionStage(ground)
  const first = await stage.attempt(1)
  stage.leg.hangUp()
  await stage.quiet()
  t.equal(first.outcome, 'cut')
  await stage.call.settled
})

t.test('an order reaches a call that is with its fallback destination', async (t) => {
  for (const [when, order] of [
    ['ringing', 'end'],
    ['connected', 'end'],
    ['connected', [say('you are back')]],
    ['ringing', 'redirect'],
  ] as const) {
    const stage = new SessionStage(ground, { fallbackDestination: true })
    t.teardown(() => stage.finish())
    ;(await stage.attempt(1)).answer(500)
    await stage.until('the phone rings', () => stage.phones.length === 1)
    const phone = stage.phones[0]!
    phone.onEvent({ type: 'ringing', sipCode: 180, earlyMedia: false })
    if (when === 'connected') {
      phone.onEvent({ type: 'answered', codec: 'PCMU', secure: false })
      await stage.until('connected', () => stage.leg.bridged === phone)
    }
    t.ok(
      await Promise.race([
        stage.order(order),
        stage
          .quiet()
          .then(() => stage.quiet())
          .then(() => 'not answered'),
      ]),
      `${when}: accepted`,
    )
    await stage.quiet()
    t.equal(phone.endedBy, 'us', `${when}: the phone is released`)
    t.equal(stage.leg.bridged, null)
    if (order === 'end') t.equal(stage.leg.endedBy, 'us', `${when}: the caller is released`)
    else if (order === 'redirect') t.equal((await stage.attempt(2)).event.event, 'call.redirected')
    else await stage.until('heard', () => stage.leg.played.some(({ text }) => text === 'you are back'))
  }
})

t.test('a text that is being spoken ends with the order, and what was not made yet is not made', async (t) => {
  const long = Array.from({ length: 40 }, (_, at) => `Old sentence ${at} of the long text.`).join(' ')
  const words = [say(long), say(long.replaceAll('Old', 'Older'))]
  for (const [order, document] of [
    ['end', words],
    ['end', [...words, gather]],
    [[say('New words.')], words],
    [[say('New words.')], [...words, gather]],
  ] as const) {
    const stage = await staged(t, document, undefined, { slowVoice: true })
    await stage.until('the voice begins', () => stage.phrases.length > 0)
    stage.speak()
    await stage.until('the first sentence', () => stage.leg.played.length > 0)
    const before = stage.spoken
    const answered = stage.order(order)
    const heard = stage.leg.played.length
    for (let turn = 0; turn < 60; turn += 1) {
      stage.speak()
      await stage.quiet()
    }
    t.ok(await answered)
    t.same(
      stage.leg.played.slice(heard).filter(({ text }) => text.startsWith('Old')),
      [],
      'nothing of the old text is heard',
    )
    t.ok(stage.spoken - before <= 3, `${stage.spoken - before} phrases were made after the order`)
    if (order === 'end') t.equal(stage.leg.endedBy, 'us')
    else t.ok(stage.leg.played.some(({ text }) => text === 'New words.'))
  }
})

t.test('an order between the answer to the caller and its acknowledgement', async (t) => {
  const stage = new SessionStage(ground)
  t.teardown(() => stage.finish())
  stage.leg.answer = () => void (stage.leg.isAnswered = true)
  await stage.begin([say('Hello.')])
  await stage.until('200', () => stage.leg.isAnswered)
  t.ok(await stage.order('end'))
  t.equal(stage.leg.endedBy, 'us')
})

t.test('what comes after an accepted end is not done', async (t) => {
  const stage = await staged(t, [say('Hello.'), gather], 'gather')
  const answers = [stage.order('end'), stage.order('redirect'), stage.order([say('No.')]), stage.order('end')]
  t.same(await Promise.all(answers), [true, false, false, true])
  await stage.quiet()
  t.equal(stage.leg.endedBy, 'us')
  await stage.call.settled
  t.same(
    stage.events.map(({ event }) => event),
    ['call.inbound.pre_route'],
  )
})

t.test('the key that ended a message does not end the gather after it', async (t) => {
  const stage = await staged(t, [{ record: { ...message.record, transcribe: false } }], 'record')
  stage.leg.key('5')
  stage.leg.key('#')
  ;(await stage.attempt(2)).answer(200, [say('Press your number.'), { gather: { typeAhead: true, timeout: 30 } }])
  await stage.until('gather', () => stage.runs('gather'))
  await stage.quiet()
  t.equal(stage.named('gather.completed').length, 0)
  stage.leg.key('#')
  t.match((await stage.attempt(3)).event, { digits: '5', finishKey: '#' }, 'the key before it is kept')
})

t.test('an event that never left takes no number', async (t) => {
  const stage = await staged(t, [{ redirect: { url: 'http://refused.test/next' } }])
  await stage.until('apology', () => stage.leg.played.some(({ text }) => text === 'the apology'))
  t.equal(stage.call.row.sequence, 1)
})

t.test('a fault of this program is an apology, never a dead line', async (t) => {
  const stage = await staged(t, [gather], 'gather')
  void stage.live.run(stage.call.id, [{ name: 'no-such-verb', params: {} }], 'http://app.test/voice')
  await stage.until('apology', () => stage.leg.played.some(({ text }) => text === 'the apology'))
  stage.leg.heard()
  await stage.quiet()
  stage.leg.heard()
  await stage.until('over', () => stage.leg.endedBy === 'us')
})

t.test('a disk that takes nothing: nobody is asked to speak, and the application is told', async (t) => {
  const stage = await staged(t, [say('Please speak.')])
  await stage.until('the words', () => stage.leg.queue.length > 0)
  ground.full = true
  t.teardown(() => (ground.full = false))
  void stage.order([{ record: { ...message.record, playBeep: true, actionUrl: 'http://app.test/message' } }])
  const { event } = await stage.attempt(2)
  t.match(event, { event: 'record.completed', reason: 'error', recordingId: '', mediaUrl: '' })
  t.notOk(
    stage.leg.played.some(({ kind }) => kind === 'tone'),
    'no beep',
  )
  ground.full = false
})

t.test('a disk that is full at the end of a message: it is told, can be fetched at once, and is stored when there is room', async (t) => {
  const stage = await staged(t, [message], 'record')
  ground.full = true
  stage.leg.key('#')
  const { event } = await stage.attempt(2)
  t.match(event, { reason: 'error', transcript: '', transcriptStatus: 'pending', mediaUrl: /\.wav$/, finishKey: '#' })
  t.equal(stage.leg.endedBy, null, 'the call goes on')
  t.ok(stage.recordings.find(event.recordingId), 'it can be fetched')
  t.equal(ground.store.tables.recordings.get(event.recordingId), undefined)
  ground.full = false
  stage.attempts[1]!.answer(200, [gather])
  stage.clock.advance(5000)
  await stage.until('stored', () => ground.store.tables.recordings.get(event.recordingId) !== undefined)
  t.same(stage.transcribed, [event.recordingId], 'its transcript is made then')
})

t.test('a program that fails on a call says that it is sorry', async (t) => {
  const stage = new SessionStage(ground)
  t.teardown(() => stage.finish())
  stage.calls.drive(stage.call, async () => Promise.reject(new Error('a fault')))
  await stage.until('apology', () => stage.leg.played.some(({ text }) => text === 'the apology'))
  stage.leg.heard()
  await stage.until('the end', () => {
    stage.leg.heard()
    return stage.leg.endedBy === 'us'
  })
})

t.test('a line that never says that the call is over', async (t) => {
  const stage = await staged(t, [gather], 'gather')
  stage.leg.mute = true
  t.ok(await stage.order('end'))
  stage.clock.advance(39_000)
  await stage.quiet()
  t.notOk(stage.call.over.aborted)
  stage.clock.advance(1000)
  await stage.call.settled
  t.match(stage.call.row, { state: 'completed', endReason: 'api' })
})

t.test('new words begin half a second after the answer, and a breath after those of the document before', async (t) => {
  const stage = await staged(t, [say('One.'), { gather: { timeout: 0 } }], 'gather')
  const silences = () => stage.leg.silences
  await stage.until('the first', () => stage.leg.played.some(({ text }) => text === 'One.'))
  t.same(silences(), [300], 'with the 200 ms of the line itself')
  stage.leg.heard()
  ;(await stage.attempt(2)).answer(200, [say('Two.'), { gather: { timeout: 0 } }])
  await stage.until('the second', () => stage.leg.played.some(({ text }) => text === 'Two.'))
  t.same(silences(), [300, 350])
  stage.leg.heard()
  const third = await stage.attempt(3)
  stage.clock.advance(250)
  third.answer(200, [{ record: { actionUrl: 'http://app.test/message' } }])
  await stage.until('the beep', () => stage.leg.played.some(({ kind }) => kind === 'tone'))
  t.same(silences(), [300, 350, 100], 'what the application took is part of the breath')
})

t.test('the clock is set back an hour between two keys: the pause between keys is what it was', async (t) => {
  const stage = await staged(t, [{ gather: { numDigits: 4, timeout: 30, interDigitTimeout: 3 } }], 'gather')
  stage.leg.key('1')
  stage.clock.set(stage.clock.now() - 3_600_000)
  stage.leg.key('2')
  stage.clock.advance(3000)
  t.match((await stage.attempt(2)).event, { digits: '12', reason: 'timeout', durationMs: 3000 })
  stage.leg.hangUp()
  stage.attempts[1]!.answer(200)
  await stage.call.settled
  t.equal(stage.call.row.talkSeconds, 3)
})

t.test('a box that was off over a weekend ends the calls that it cut off', async (t) => {
  const own = await Ground.open(t)
  const stage = new SessionStage(own)
  t.teardown(() => stage.finish())
  const old = { ...stage.call.row, callId: newCallId(), state: 'in-progress' as const, createdAt: stage.clock.now() - 3 * 86_400_000 }
  await own.store.transaction(() => {
    own.store.tables.calls.put(old.callId, { ...old, answeredAt: old.createdAt })
    own.store.tables.meta.put('heartbeat', old.createdAt + 60_000)
  })
  const originator = { enqueue: () => t.fail('nobody expects it any more') } as unknown as Originator
  const recovery = { store: own.store, calls: stage.calls, originator, clock: stage.clock, log: createLog({ level: 'silent' }) }
  const told: string[] = []
  const recover = () => recoverCalls({ ...recovery, tellInputs: async ({ id }) => void told.push(id) })
  t.equal(recover(), 1, 'a store of before the index')
  await stage.calls.get(old.callId)!.settled
  t.match(own.store.tables.calls.get(old.callId), { state: 'completed', endReason: 'failed', talkSeconds: 60 })
  t.same(told, [old.callId])
  t.equal(recover(), 0, 'once')
  await own.store.transaction(() => putCall(own.store.tables, { ...old, callId: newCallId() }))
  t.equal(recover(), 1, 'found in the index')
  await Promise.all(stage.calls.live().flatMap((call) => (call === stage.call ? [] : [call.settled])))
})

t.test('files of recordings that no row knows are removed when they are old, those under way are not', async (t) => {
  const own = await Ground.open(t)
  const stage = new SessionStage(own)
  t.teardown(() => stage.finish())
  const folder = join(own.dir, 'recordings')
  const { id } = await stage.recordings.begin({ callId: stage.call.id, url: '', secret: 'callbacks', transcript: null, sensitive: false })
  for (const [name, ageSeconds] of [
    [`${id}.wav.part`, 90_000],
    ['stray.wav', 90_000],
    ['young.wav', 60],
  ] as const) {
    writeFileSync(join(folder, name), 'RIFF')
    const changed = stage.clock.now() / 1000 - ageSeconds
    utimesSync(join(folder, name), changed, changed)
  }
  t.equal(await stage.recordings.sweep(), 1)
  t.same(readdirSync(folder).sort(), [`${id}.wav.part`, 'young.wav'])
})
