/** An event of a call leaves when it is on the disk that the call lives and which number the event has: a crash after it loses neither. */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { tone, writeWav } from '../harness/audio.ts'
import { Ground, nextTurn, SessionStage } from './session-stage.ts'

const gather = [{ gather: { numDigits: 1, timeout: 120 } }]

/** Everything that the disk does not hold up has happened. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
}

/** What a daemon would find after a crash. */
async function onDisk(ground: Ground, { call }: SessionStage) {
  await rest()
  await ground.written()
  const { calls, liveCalls } = ground.store.tables
  return { sequence: calls.get(call.id)?.sequence, lives: liveCalls.get(call.id) === true }
}

t.test('the first event of a call waits for the disk to know of the call', async (t) => {
  const ground = await Ground.open(t)
  const release = ground.hang()
  const stage = new SessionStage(ground)
  await rest()
  t.equal(stage.attempts.length, 0)
  release()
  const { event } = await stage.attempt(1)
  t.same(await onDisk(ground, stage), { sequence: event['sequence'], lives: true })
  await stage.finish()
})

t.test('so does that of an input, also of a caller who is gone already', async (t) => {
  const ground = await Ground.open(t)
  for (const end of ['key', 'hang-up']) {
    const stage = new SessionStage(ground)
    await stage.begin(gather, 'gather')
    const release = ground.hang()
    if (end === 'key') stage.leg.key('5')
    else stage.leg.hangUp()
    await rest()
    t.equal(stage.attempts.length, 1, end)
    release()
    const { event } = await stage.attempt(2)
    t.same(await onDisk(ground, stage), { sequence: event['sequence'], lives: true }, end)
    await stage.finish()
  }
})

t.test('a disk that hangs holds an event up for a second at most, one that is full not at all', async (t) => {
  const ground = await Ground.open(t)
  const release = ground.hang()
  const stage = new SessionStage(ground)
  await rest()
  stage.clock.advance(999)
  await rest()
  t.equal(stage.attempts.length, 0)
  stage.clock.advance(1)
  await rest()
  t.equal(stage.attempts.length, 1)
  release()
  await stage.finish()
  ground.full = true
  const other = new SessionStage(ground)
  await rest()
  t.equal(other.attempts.length, 1)
  ground.full = false
  await other.finish()
})

t.test('the number of an event that is about to leave is not taken back by another write of the call', async (t) => {
  const ground = await Ground.open(t)
  const stage = new SessionStage(ground)
  await stage.begin(gather, 'gather')
  const release = ground.hang()
  stage.leg.key('5')
  await rest()
  stage.call.activity('elsewhere' as 'app')
  stage.clock.advance(20)
  t.same(await onDisk(ground, stage), { sequence: stage.call.row.sequence + 1, lives: true })
  release()
  const { event } = await stage.attempt(2)
  t.equal(event['sequence'], stage.call.row.sequence)
  await stage.finish()
})

t.test('a recording that the end of the daemon cut off: an application is told of it, a part of this program keeps its own', async (t) => {
  const ground = await Ground.open(t)
  const { outbox, recordingsBegun } = ground.store.tables
  for (const { url, kept, pending, told } of [
    { url: 'http://app.test/voice', kept: 1, pending: 0, told: 1 },
    { url: 'internal:mailbox', kept: 0, pending: 1, told: 0 },
  ]) {
    const stage = new SessionStage(ground)
    const order = { callId: stage.call.id, url, secret: '', transcript: null, sensitive: false }
    const { id, file } = await stage.recordings.begin(order)
    writeFileSync(file, writeWav(tone(300, 500)))
    const before = [...outbox.range()].length
    await stage.inputs.tell(stage.call)
    t.same(stage.call.row.recordings, [id].slice(0, kept), url)
    t.equal([...recordingsBegun.range()].length, pending, `${url}: whether it is still to be taken up`)
    t.equal([...outbox.range()].length - before, told, url)
    await stage.finish()
  }
})
