import t from 'tap'
import { refused, ScriptedTrunk, temporary, unknown } from './scripted-trunk.ts'
import { patient, Stage } from './stage.ts'

const other = '+15551230002'
const long = 'a'.repeat(200)

t.test('a text is on the disk as being sent before the trunk has it, and ends as the trunk says', async (t) => {
  const stage = await Stage.open(t)
  const id = await stage.text()
  t.equal(stage.row(id).state, 'queued')
  const { text, answer } = await stage.handed(1)
  t.match(stage.row(id), { state: 'sending', attempts: 1 })
  t.match(text, { messageId: id, to: patient, from: '+15550002000', body: 'Hello', segments: ['Hello'], validitySeconds: 86_400 })
  answer({ kind: 'accepted', accepted: ['17'] })
  t.match(await stage.state(id, 'sent'), { accepted: ['17'], reports: [null], completedAt: null, error: '' })
  await stage.until(() => stage.messaging.queue.waiting === 0, 'the end of its work')
  await stage.trunk.report('17')
  t.match(stage.row(id), { state: 'delivered', reports: ['delivered'], completedAt: stage.clock.now() })
  const second = await stage.text()
  ;(await stage.handed(2)).answer(refused('number_unknown', 'There is no such number.'))
  t.match(await stage.state(second, 'failed'), { code: 'number_unknown', error: 'There is no such number.' })
})

t.test('what fails for a while is tried again on schedule, the parts that were taken are not', async (t) => {
  const stage = await Stage.open(t)
  const id = await stage.text(long)
  const first = await stage.handed(1)
  t.same(first.text.accepted, [null, null])
  first.answer(temporary('the modem is busy', ['5', null]))
  await stage.state(id, 'retrying')
  stage.clock.advance(9999)
  await stage.until(() => true)
  t.equal(stage.trunk.handed.length, 1, 'not before 10 s')
  stage.clock.advance(1)
  const second = await stage.handed(2)
  t.same(second.text.accepted, ['5', null])
  t.equal(second.text.reference, first.text.reference)
  t.equal(second.text.validitySeconds, 86_390)
  second.answer({ kind: 'accepted', accepted: ['5', '6'] })
  t.match(await stage.state(id, 'sent'), { attempts: 2 })
  await stage.trunk.report('6')
  t.match(stage.row(id), { state: 'sent', reports: [null, 'delivered'] })
  await stage.trunk.report('5')
  t.equal(stage.row(id).state, 'delivered')
})

t.test('each recipient gets texts in their order; the window of the trunk is kept', async (t) => {
  const stage = await Stage.open(t)
  stage.trunk.window = 2
  const [first, second] = [await stage.text('1'), await stage.text('2')]
  const third = await stage.text('3', other)
  const fourth = await stage.text('4', '+15551230003')
  await stage.handed(2)
  await stage.until(() => true)
  const bodies = (): string[] => stage.trunk.handed.map(({ text }) => text.body)
  t.same(bodies(), ['1', '3'])
  stage.trunk.handed[1]!.answer({ kind: 'accepted', accepted: ['1'] })
  await stage.handed(3)
  t.same(bodies(), ['1', '3', '4'])
  stage.trunk.handed[0]!.answer(temporary('busy'))
  await stage.state(first, 'retrying')
  stage.trunk.answers = stage.trunk.takesAll
  stage.trunk.handed[2]!.answer({ kind: 'accepted', accepted: ['9'] })
  await stage.state(fourth, 'sent')
  t.equal(stage.row(second).state, 'queued', 'the second waits for the first')
  stage.clock.advance(10_000)
  await stage.state(second, 'sent')
  t.same(bodies(), ['1', '3', '4', '1', '2'])
  t.equal(stage.row(third).state, 'sent')
})

t.test('a lost answer is looked up where the trunk can, and never repeated by itself', async (t) => {
  const stage = await Stage.open(t)
  const id = await stage.text()
  ;(await stage.handed(1)).answer(unknown('the modem said nothing'))
  t.match(await stage.state(id, 'unknown'), {
    code: 'unknown',
    error: /It is not known whether this text was sent\. the modem said nothing/,
  })
  await stage.until(() => stage.messaging.queue.waiting === 0)
  stage.clock.advance(86_400_000)
  t.equal(stage.trunk.handed.length, 1)

  let asked = 0
  stage.trunk.lookUp = async ({ accepted }) => (++asked < 2 ? unknown('timeout', [...accepted]) : { kind: 'accepted', accepted: ['44'] })
  const second = await stage.text()
  ;(await stage.handed(2)).answer(unknown('timeout'))
  await stage.until(() => asked === 2, 'the second look-up', 1000)
  await stage.state(second, 'sent')
  stage.trunk.lookUp = async () => unknown('timeout')
  const third = await stage.text()
  ;(await stage.handed(3)).answer(unknown('timeout'))
  await stage.until(() => stage.row(third).state === 'unknown', 'the end of look-ups', 1000)
  t.equal(stage.trunk.handed.length, 3)
})

t.test('a lost answer is repeated where that is configured', async (t) => {
  const stage = await Stage.open(t, { repeatUnknown: true })
  const id = await stage.text()
  ;(await stage.handed(1)).answer(unknown('timeout'))
  await stage.state(id, 'retrying')
  stage.clock.advance(10_000)
  ;(await stage.handed(2)).answer({ kind: 'accepted', accepted: ['1'] })
  await stage.state(id, 'sent')
})

t.test('after a crash: what waited is sent, what was being sent is not sent again', async (t) => {
  const stage = await Stage.open(t)
  const lost = await stage.text('being sent')
  const waiting = await stage.text('waiting', other)
  const behind = await stage.text('behind it')
  await stage.handed(1)
  await stage.crash()
  t.match(await stage.state(lost, 'unknown'), { attempts: 1, error: /stopped while it sent/ })
  stage.trunk.answers = stage.trunk.takesAll
  ;(await stage.handed(1)).answer({ kind: 'accepted', accepted: ['1'] })
  await stage.state(waiting, 'sent')
  await stage.state(behind, 'sent')
  t.same(stage.trunk.handed.map(({ text }) => text.body).toSorted(), ['behind it', 'waiting'])

  stage.trunk.lookUp = async () => temporary('it never came here')
  stage.trunk.answers = null
  const asked = await stage.text('looked up')
  await stage.handed(3)
  await stage.crash()
  await stage.until(() => stage.row(asked).state === 'retrying', 'the look-up', 10)
  stage.clock.advance(60_000)
  t.equal((await stage.handed(1)).text.body, 'looked up')
})

t.test('a stop gives back what was not written to the network; the next start sends it', async (t) => {
  const stage = await Stage.open(t)
  const id = await stage.text()
  const { signal, answer } = await stage.handed(1)
  signal.addEventListener('abort', () => answer(temporary('not written yet')))
  await stage.messaging.stop()
  t.match(stage.row(id), { state: 'queued', attempts: 0 })
  await stage.store.close()
  await stage.start()
  t.equal((await stage.handed(2)).text.messageId, id)
})

t.test('the validity ends a text that no trunk took, also one that waits behind another', async (t) => {
  const stage = await Stage.open(t, { validityHours: 1 })
  stage.trunk.turn(false)
  const id = await stage.text()
  const second = await stage.text()
  await stage.until(() => true)
  const tried = stage.trunk.handed.length
  t.ok(tried <= 1, 'a trunk that is down is given one text at most')
  for (const { answer } of stage.trunk.handed) answer(temporary('there is no such device'))
  stage.trunk.answers = () => temporary('there is no such device')
  await stage.until(() => stage.row(id).state === 'failed' && stage.row(second).state === 'failed', 'the end', 5000)
  t.match([stage.row(id), stage.row(second)], [{ code: 'expired' }, { code: 'expired' }])
  // Where the machine is busy the clock of the test runs ahead of the disk.
  t.ok(stage.clock.now() <= stage.row(id).expiresAt + 600_000)
})

t.test('a trunk that is down is tried now and then, and given all when it is back', async (t) => {
  const stage = await Stage.open(t)
  stage.trunk.window = 5
  stage.trunk.ok = false
  const ids = [await stage.text('1'), await stage.text('2', other), await stage.text('3', '+15551230003')]
  stage.clock.advance(29_999)
  await stage.until(() => true)
  t.equal(stage.trunk.handed.length, 0)
  stage.clock.advance(1)
  ;(await stage.handed(1)).answer(temporary('no device'))
  await stage.state(ids[0]!, 'retrying')
  stage.clock.advance(20_000)
  await stage.until(() => true)
  t.equal(stage.trunk.handed.length, 1, 'the others wait and use up no try')
  stage.clock.advance(10_000)
  await stage.handed(2)
  stage.trunk.answers = stage.trunk.takesAll
  stage.trunk.turn(true)
  stage.trunk.handed[1]!.answer({ kind: 'accepted', accepted: ['77'] })
  for (const id of ids) await stage.state(id, 'sent')
  t.equal(stage.row(ids[2]!).attempts, 1)
})

t.test('texts take the default trunk, or another where that is down; a trunk that was removed gives its texts away', async (t) => {
  const [main, spare] = [new ScriptedTrunk('main', '+15550001000'), new ScriptedTrunk('spare', '')]
  const stage = await Stage.open(t, {}, [main, spare])
  const first = await stage.text('1')
  await stage.handed(1, main)
  main.turn(false)
  const second = await stage.text('2', other)
  t.match((await stage.handed(1, spare)).text, { body: '2', from: '' })
  main.handed[0]!.answer(temporary('gone', [null]))
  await stage.state(first, 'retrying')
  const half = await stage.text(long, '+15551230004')
  spare.handed[0]!.answer({ kind: 'accepted', accepted: ['1'] })
  await stage.state(second, 'sent')
  ;(await stage.handed(2, spare)).answer(temporary('busy', ['5', null]))
  await stage.state(half, 'retrying')
  stage.trunks = [new ScriptedTrunk('new', '+15550003000')]
  stage.trunk.answers = stage.trunk.takesAll
  const scripted = stage.trunk
  await stage.messaging.stop()
  await stage.store.close()
  await stage.start()
  stage.clock.advance(60_000)
  t.match(await stage.state(first, 'sent'), { trunkId: 'new', from: '+15550003000' })
  t.match(await stage.state(half, 'failed'), { code: 'trunk_removed' })
  t.same(
    scripted.handed.map(({ text }) => text.body),
    ['1'],
  )
})

t.test('a report finds the newest text of its reference and recipient, also when it is faster than the answer', async (t) => {
  const stage = await Stage.open(t)
  stage.trunk.answers = () => ({ kind: 'accepted', accepted: ['200'] })
  const old = await stage.text('1')
  await stage.state(old, 'sent')
  stage.clock.advance(1000)
  const elsewhere = await stage.text('2', other)
  await stage.state(elsewhere, 'sent')
  stage.clock.advance(1000)
  const newest = await stage.text('3')
  await stage.state(newest, 'sent')
  await stage.trunk.report('200', 'buffered', '15551230001')
  t.match([stage.row(old), stage.row(newest)], [{ reports: [null] }, { state: 'sent', reports: ['buffered'] }])
  await stage.trunk.report('200', 'delivered', '5551230002')
  t.equal(stage.row(elsewhere).state, 'delivered')
  await stage.trunk.report('200', 'failed', '')
  t.match(stage.row(newest), { state: 'failed', code: 'undelivered', error: 'unreachable' })
  t.equal(stage.row(old).state, 'sent')
  await stage.trunk.report('200', 'delivered', '+15559990000')

  stage.trunk.answers = null
  const fast = await stage.text('4')
  const { answer } = await stage.handed(4)
  await stage.trunk.report('201')
  answer({ kind: 'accepted', accepted: ['201'] })
  await stage.state(fast, 'delivered')
})

t.test('a report tells of a text whose answer was lost, whenever it comes', async (t) => {
  const stage = await Stage.open(t)
  const first = await stage.text(long)
  ;(await stage.handed(1)).answer(unknown('the modem said nothing', ['7', null]))
  await stage.state(first, 'unknown')
  await stage.trunk.report('8', 'buffered', '15551230001')
  t.match(stage.row(first), { state: 'sent', accepted: ['7', '8'], reports: [null, 'buffered'], error: '' })
  await stage.trunk.report('8')
  await stage.trunk.report('7')
  t.match(stage.row(first), { state: 'delivered' })
  await stage.trunk.report('9')

  await stage.trunk.report('99', 'delivered', other)
  stage.clock.advance(1)
  const second = await stage.text('again', other)
  const { answer } = await stage.handed(2)
  await stage.trunk.report('10', 'delivered', other)
  answer(unknown('the modem said nothing'))
  await stage.state(second, 'delivered')
  t.same(stage.row(second).accepted, ['10'])
  stage.clock.advance(1)
  const third = await stage.text('and again', other)
  ;(await stage.handed(3)).answer(unknown('the modem said nothing'))
  await stage.state(third, 'unknown')
  await stage.trunk.report('11', 'delivered', '+15551230003')
  await stage.trunk.report('11', 'delivered', '')
  t.equal(stage.row(third).state, 'unknown', 'a report about somebody else says nothing')
  await stage.crash()
  await stage.trunk.report('12', 'failed', other)
  t.match(stage.row(third), { state: 'failed', code: 'undelivered' })
})

t.test('another part of the daemon writes a text in its own transaction', async (t) => {
  const stage = await Stage.open(t)
  const { messaging, store } = stage
  const prepared = messaging.prepare({ to: '(555) 123-0001', body: 'Tomorrow at 10', subject: 'reminder-1' })
  if (!('put' in prepared)) return t.fail(prepared.error)
  prepared.admit()
  t.equal(messaging.queue.waiting, 0, 'nothing that is not committed is sent')
  await store.transaction(() => {
    store.tables.meta.put('theirs', 1)
    prepared.put()
  })
  prepared.admit()
  prepared.admit()
  t.match((await stage.handed(1)).text, { messageId: prepared.messageId, to: patient, body: 'Tomorrow at 10' })
  t.equal(stage.row(prepared.messageId).subject, 'reminder-1')
  t.equal(messaging.queue.waiting, 1)
  for (const [to, code] of [
    ['911', 'destination_denied'],
    ['12', 'number_invalid'],
    ['101', 'number_invalid'],
    ['+18765551234', 'destination_denied'],
    ['+19005551234', 'destination_denied'],
    [`${patient},${other}`, 'number_invalid'],
  ] as const) {
    t.match(await messaging.sendText({ to, body: 'x' }), { code }, to)
  }
  t.match(await messaging.sendText({ to: patient, body: 'я'.repeat(671) }), { code: 'message_too_long' })
  await messaging.suppression.add(patient)
  t.match(await messaging.sendText({ to: patient, body: 'x' }), { code: 'opted_out' })
})

t.test('a full disk: no text is given to a trunk that the disk does not know of as being sent', async (t) => {
  const stage = await Stage.open(t)
  const real = stage.store.transaction
  const full = (): Promise<never> => Promise.reject(new Error('no space left'))
  const accepts: typeof real = (work) => {
    Object.assign(stage.store, { transaction: full })
    return real(work)
  }
  Object.assign(stage.store, { transaction: accepts })
  const id = await stage.text()
  await stage.until(() => stage.messaging.queue.states().get('retrying') === 1, 'the failed write')
  t.equal(stage.trunk.handed.length, 0)
  Object.assign(stage.store, { transaction: real })
  stage.clock.advance(5000)
  const { answer } = await stage.handed(1)
  Object.assign(stage.store, { transaction: full })
  answer({ kind: 'accepted', accepted: ['1'] })
  let failed = 0
  const count = (): Promise<never> => ((failed += 1), full())
  Object.assign(stage.store, { transaction: count })
  await stage.until(() => failed === 2, 'the second try to store it', 1000)
  Object.assign(stage.store, { transaction: real })
  await stage.until(() => stage.row(id).state === 'sent', 'the end', 100)
  t.equal(stage.trunk.handed.length, 1)
})

t.test('rows leave when their time is over, texts that wait stay', async (t) => {
  const stage = await Stage.open(t, { keepDays: 1, validityHours: 72 })
  stage.trunk.answers = stage.trunk.takesAll
  const sent = await stage.text()
  await stage.state(sent, 'sent')
  stage.trunk.answers = null
  stage.trunk.ok = false
  const waits = await stage.text()
  stage.clock.set(stage.clock.now() + 2 * 86_400_000)
  t.equal(await stage.messaging.sweep(), 1)
  t.same([stage.row(sent) === undefined, stage.row(waits) === undefined], [true, false])
  t.equal(stage.store.tables.smsReferences.count(), 1)
  stage.clock.set(stage.clock.now() + 15 * 86_400_000)
  await stage.messaging.sweep()
  t.equal(stage.store.tables.smsReferences.count(), 0)
})
