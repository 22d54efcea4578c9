import { existsSync } from 'node:fs'
import t, { type Test } from 'tap'
import { isTerminal } from '../../daemon/fax/job.ts'
import { newId } from '../../daemon/base/ids.ts'
import { Stage, takes } from './stage.ts'

const minute = 60_000

t.test('a fax is drawn, dialled and sent; its end and its callback are one', async (t) => {
  const stage = await Stage.open(t)
  stage.queue.start()
  const faxId = await stage.add()
  const leg = await stage.dialled(1)
  t.match(stage.row(faxId), { state: 'dialing', pages: 2, from: '+15550001999' })
  t.match(leg.request, { to: '+15551230001', from: '+15550001999', via: { trunkId: 'main' }, fax: true })
  await takes(stage, leg, 1)
  t.match(leg.sent, {
    file: stage.documents.of(faxId).fine,
    standardFile: stage.documents.of(faxId).standard,
    firstPage: 0,
    stationId: '+1 555 000 1999',
    header: 'Riverside Clinic',
    modems: ['v17', 'v29', 'v27ter'],
    t38: true,
    ecm: true,
  })
  t.match(stage.queue.find(faxId), { row: { state: 'sending', pagesSent: 1 }, live: { phase: 'confirmed' } })
  t.equal(stage.routing.trunks.used('main'), 1, 'it is a call of the box')
  leg.progress({ phase: 'confirmed', pages: 2 })
  leg.result(0)
  const row = await stage.over(faxId)
  t.match(row, { state: 'sent', pagesSent: 2, attempts: 1, bitRate: 14_400, remoteStationId: '+1 555 123 0001' })
  t.match(stage.callbacks(), [
    {
      event: 'fax.sent',
      faxId,
      status: 'sent',
      to: '+15551230001',
      from: '+15550001999',
      pages: 2,
      pagesSent: 2,
      attempts: 1,
      transport: 'sip-audio',
      bitRate: 14_400,
      ecm: true,
      resolution: 'fine',
      remoteStationId: '+1 555 123 0001',
      possibleDuplicatePages: [],
    },
  ])
  t.notOk('reason' in stage.callbacks()[0]!)
  t.match(stage.store.tables.faxNumbers.get('+15551230001'), { answers: 1 }, 'the number is known to be a fax')
  await stage.until(() => !existsSync(stage.documents.of(faxId).standard), 'the pages that did not go are removed')
  await stage.until(() => stage.calls.live().length === 0, 'the call is over')
  const [call] = [...stage.store.tables.calls.range()].map(({ value }) => value)
  t.match(call, { state: 'completed', direction: 'outbound', trunkId: 'main' })
  t.equal(stage.queue.waiting, 0)
})

t.test('a broken call is followed by one from the first unconfirmed page, slower', async (t) => {
  const stage = await Stage.open(t)
  stage.queue.start()
  const faxId = await stage.add()
  await takes(stage, await stage.dialled(1), 1)
  stage.driver.legs[0]!.end()
  await stage.until(() => stage.row(faxId).state === 'retrying')
  t.match(stage.row(faxId), { reason: 'call_dropped', pagesSent: 1, attempts: 1 })
  stage.clock.advance(minute)
  const second = await stage.dialled(2)
  await takes(stage, second, 1)
  t.match(second.sent, { firstPage: 1, modems: ['v29', 'v27ter'], t38: false })
  second.result(0)
  t.match(await stage.over(faxId), { state: 'sent', attempts: 2, history: [{ class: 'protocol' }, { class: 'sent' }] })
  t.equal(stage.callbacks().length, 1)
})

/** A fax whose first call found the number busy. */
async function busyOnce(t: Test): Promise<{ stage: Stage; faxId: string }> {
  const stage = await Stage.open(t)
  stage.queue.start()
  const faxId = await stage.add()
  const first = await stage.dialled(1)
  first.end({ reason: 'rejected', sipCode: 486 })
  await stage.until(() => stage.row(faxId).state === 'retrying')
  return { stage, faxId }
}

t.test('busy is tried again, a wrong number is not', async (t) => {
  const { stage, faxId } = await busyOnce(t)
  t.equal(stage.row(faxId).nextAttemptAt! - stage.clock.now() > 170_000, true)
  stage.clock.advance(3 * minute)
  const second = await stage.dialled(2)
  second.end({ reason: 'rejected', sipCode: 404 })
  t.match(await stage.over(faxId), { state: 'failed', reason: 'invalid_number', attempts: 2 })
  t.match(stage.callbacks(), [{ event: 'fax.failed', reason: 'invalid_number', message: 'The number does not exist.', t30Code: null }])
})

t.test('the clock is set by hours: a fax that waits neither expires nor waits for longer', async (t) => {
  const { stage, faxId } = await busyOnce(t)
  const waits = stage.row(faxId).nextAttemptAt! - stage.clock.now()
  for (const stepMs of [-3_600_000, 30 * 86_400_000]) {
    stage.clock.set(stage.clock.now() + stepMs)
    stage.queue.stepped(stepMs)
    await stage.until(() => stage.row(faxId).nextAttemptAt! - stage.clock.now() === waits, 'as far away as before')
  }
  stage.clock.advance(3 * minute)
  const second = await stage.dialled(2)
  second.end({ reason: 'rejected', sipCode: 404 })
  t.match(await stage.over(faxId), { state: 'failed', reason: 'invalid_number' })
})

t.test('one call a number at a time, urgent ones first, one channel stays free for others', async (t) => {
  const stage = await Stage.open(t)
  const a = await stage.add()
  await stage.add()
  const other = await stage.add({ to: '+15551230002', priority: -1 })
  const urgent = await stage.add({ to: '+15551230003', priority: 1 })
  stage.queue.start()
  await stage.until(() => stage.rendered === 4)
  await stage.dialled(2)
  await stage.until(() => stage.row(urgent).state === 'dialing')
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve))
  stage.clock.advance(5000)
  t.equal(stage.driver.legs.length, 2, 'of three channels two are used')
  const running = [stage.row(a), stage.row(other), stage.row(urgent)].filter(({ state }) => state === 'dialing')
  t.ok(running.some(({ to }) => to === '+15551230003'))
  for (const leg of stage.driver.legs) leg.end({ reason: 'rejected', sipCode: 404 })
  await stage.dialled(4)
  const numbers = stage.driver.legs.map(({ request }) => request!.to)
  t.same(numbers.toSorted(), ['+15551230001', '+15551230001', '+15551230002', '+15551230003'])
})

t.test('no line: it waits without an attempt, and fails when its time is over', async (t) => {
  const stage = await Stage.open(t)
  stage.driver.trunkOk = false
  stage.queue.start()
  const faxId = await stage.add()
  await stage.until(() => stage.rendered === 1 && stage.row(faxId).bytesPerPage.length > 0)
  stage.clock.advance(2 * 60 * minute)
  t.match(stage.row(faxId), { state: 'processing', attempts: 0 })
  stage.clock.advance(60 * minute)
  t.match(await stage.over(faxId), { state: 'failed', reason: 'line_unavailable', attempts: 0 })
  t.equal(stage.driver.legs.length, 0)
})

t.test('a line that fails ten times in a row rests, and somebody is told', async (t) => {
  const stage = await Stage.open(t)
  stage.driver.onDial = (leg) => leg.end({ by: 'system', reason: 'failed', sipCode: 503 })
  stage.queue.start()
  await stage.add()
  await stage.until(() => stage.alerts.length > 0, 'the alarm', 5000)
  t.same(stage.alerts, ['fax_line_out main'])
  t.equal(stage.driver.legs.length, 10)
})

t.test('pages that cannot be drawn', async (t) => {
  const stage = await Stage.open(t)
  stage.queue.start()
  const faxId = await stage.add({ faxId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8' })
  stage.drawn.set(faxId, 'Page 3 cannot be read.')
  t.match(await stage.over(faxId), { state: 'failed', reason: 'document_error', message: 'Page 3 cannot be read.', attempts: 0 })
  t.match(stage.callbacks(), [{ event: 'fax.failed', reason: 'document_error' }])
})

t.test('a full disk is waited out', async (t) => {
  const stage = await Stage.open(t)
  stage.diskFull = true
  stage.queue.start()
  const faxId = await stage.add()
  await stage.until(() => stage.row(faxId).state === 'retrying')
  t.match(stage.row(faxId), { attempts: 0, message: 'The pages could not be drawn.' })
  await stage.crash()
  stage.queue.start()
  stage.diskFull = false
  stage.clock.advance(minute)
  const leg = await stage.dialled(1)
  await takes(stage, leg, 2)
  leg.result(0)
  t.match(await stage.over(faxId), { state: 'sent', attempts: 1, reason: null, message: '' })
})

t.test('cancel: at rest, while it is dialled, while it is sent, and too late', async (t) => {
  const stage = await Stage.open(t)
  const waiting = await stage.add()
  t.equal(await stage.queue.cancel(waiting), true)
  stage.queue.start()
  const dialling = await stage.add()
  const first = await stage.dialled(1)
  t.equal(await stage.queue.cancel(dialling), true)
  await stage.until(() => first.over, 'hang-up')
  const sending = await stage.add()
  const second = await stage.dialled(2)
  await takes(stage, second, 1)
  t.equal(stage.queue.find(sending)?.live?.percent, null, 'between two pages')
  second.progress({ phase: 'page', pages: 1 })
  let told = 0
  const unwatch = stage.queue.watch(sending, () => (told += 1))
  stage.clock.advance(5000)
  const percent = stage.queue.find(sending)?.live?.percent ?? NaN
  t.ok(percent > 20 && percent < 45, `20,000 bytes take 15 s: ${percent} % after 5`)
  t.ok(told >= 2, 'whoever watches is told as it goes on')
  unwatch()
  stage.clock.advance(12_000)
  t.equal(stage.queue.find(sending)?.live?.percent, 99)
  t.equal(await stage.queue.cancel(sending), true)
  t.ok(second.stopped, 'says goodbye')
  const call = {
    class: 'canceled',
    reason: 'canceled',
    line: 'main',
    pages: 1,
    bitRate: 14_400,
    transport: 'sip-audio',
    text: 'canceled during the call',
  }
  const broken = { state: 'canceled', reason: 'canceled', pagesSent: 1, attempts: 1, history: [call] }
  t.match(stage.row(sending), broken, 'the call counts at once')
  t.ok(stage.row(sending).durationSeconds >= 15)
  t.equal(stage.row(sending).history[0]?.durationSeconds, stage.row(sending).durationSeconds)
  await stage.until(() => second.over, 'hang-up')
  t.match(await stage.over(sending), broken)
  t.equal(await stage.queue.cancel(sending), false)
  await t.rejects(stage.queue.cancel('019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8'), { code: 'fax_unknown' })
  t.match(
    stage.callbacks(),
    [0, 1, 1].map((attempts) => ({ event: 'fax.failed', status: 'canceled', reason: 'canceled', attempts })),
  )
  await stage.until(() => stage.queue.waiting === 0)
})

t.test('too many wait', async (t) => {
  const stage = await Stage.open(t)
  for (let n = 0; n < 5; n++) await stage.add()
  await t.rejects(stage.add(), { code: 'overloaded', status: 503 })
})

t.test('too many come at the same moment', async (t) => {
  const stage = await Stage.open(t)
  const came = await Promise.allSettled(Array.from({ length: 12 }, () => stage.add()))
  t.equal(came.filter(({ status }) => status === 'fulfilled').length, 5)
})

t.test('a daemon that died at any point goes on with every fax, once', async (t) => {
  const stage = await Stage.open(t)
  const idle = await stage.add({ to: '+15551230009' })
  await stage.crash()
  stage.queue.start()
  const first = await stage.dialled(1)
  t.equal(first.request!.to, '+15551230009', 'accepted and not begun')
  t.equal(stage.row(idle).state, 'dialing')
  await stage.crash()
  stage.queue.start()
  t.match(stage.row(idle), { state: 'retrying', attempts: 1, possibleDuplicatePages: [] }, 'died while dialling')
  stage.clock.advance(minute)
  const second = await stage.dialled(1)
  await takes(stage, second, 1)
  await stage.until(() => stage.store.tables.faxes.get(idle)!.pagesSent === 1, 'the confirmation on the disk')
  await stage.crash()
  stage.queue.start()
  t.match(stage.row(idle), { state: 'retrying', attempts: 2, pagesSent: 1, possibleDuplicatePages: [2] }, 'died while sending')
  stage.clock.advance(minute)
  const third = await stage.dialled(1)
  await takes(stage, third, 1)
  t.equal(third.sent!.firstPage, 1)
  await stage.until(() => stage.store.tables.faxes.get(idle)!.pagesSent === 2)
  await stage.crash()
  stage.queue.start()
  t.match(await stage.over(idle), { state: 'sent', attempts: 3, pagesSent: 2 }, 'died after the last confirmation')
  t.match(stage.callbacks(), [{ event: 'fax.sent', possibleDuplicatePages: [2] }])
  await stage.crash()
  stage.queue.start()
  t.equal(stage.queue.waiting, 0)
  t.equal(stage.callbacks().length, 1)
})

t.test('whenever it dies: every page arrives, none twice without being named, and the end is told once', async (t) => {
  let seed = 20_260_302
  const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) % below
  for (let round = 0; round < 60; round++) {
    const stage = await Stage.open(t)
    const faxId = await stage.add({ faxId: newId() })
    const pages = 1 + random(4)
    stage.drawn.set(faxId, pages)
    const arrived = Array.from({ length: pages }, () => 0)
    for (let life = 0; stage.store.tables.faxes.get(faxId)!.state !== 'sent'; life++) {
      if (life === 20) throw new Error('it never got through')
      stage.queue.start()
      const moment = life < 6 ? random(5) : 4
      if (moment === 0) {
        await stage.until(() => random(3) === 0)
        await stage.crash()
        continue
      }
      const already = stage.driver.legs.length
      await stage.until(() => isTerminal(stage.row(faxId).state) || stage.driver.legs.length > already, 'a call', 1000)
      if (isTerminal(stage.row(faxId).state)) {
        await stage.over(faxId)
        break
      }
      const leg = stage.driver.legs[already]!
      leg.ring()
      if (moment > 1) {
        leg.pickUp()
        await stage.until(() => leg.sent !== null)
        const { firstPage } = leg.sent!
        const through = moment === 4 ? pages : firstPage + random(pages - firstPage + 1)
        leg.progress({ phase: 'negotiating' })
        for (let page = firstPage; page < through; page++) {
          leg.progress({ phase: 'page' })
          arrived[page]! += 1
          leg.progress({ phase: 'confirmed', pages: page + 1 - firstPage })
        }
        // The next page arrives, and the confirmation meets nobody any more.
        if (moment === 3 && through < pages) arrived[through]! += 1
        if (moment === 4) {
          leg.result(0)
          await stage.over(faxId)
          break
        }
      }
      await stage.crash()
    }
    await stage.crash()
    const { possibleDuplicatePages } = stage.store.tables.faxes.get(faxId)!
    const twice = arrived.flatMap((times, page) => (times > 1 ? [page + 1] : []))
    t.ok(
      arrived.every((times) => times >= 1) && twice.every((page) => possibleDuplicatePages.includes(page)),
      `round ${round}: ${arrived.join(' ')}`,
    )
    t.match(stage.callbacks(), [{ event: 'fax.sent', faxId, pagesSent: pages }], 'told once')
    t.equal(stage.callbacks().length, 1)
  }
})

t.test('the daemon stops in good order: a fax that is cut off is tried again at the next start', async (t) => {
  const stage = await Stage.open(t)
  stage.queue.start()
  const faxId = await stage.add()
  await takes(stage, await stage.dialled(1), 1)
  stage.queue.drain()
  const drained = stage.calls.drain(10)
  await stage.until(() => stage.driver.legs[0]!.over, 'hang-up')
  await stage.until(() => stage.row(faxId).state === 'retrying')
  await drained
  t.match(stage.row(faxId), { attempts: 1, broken: 0, pagesSent: 1, possibleDuplicatePages: [2] })
})
