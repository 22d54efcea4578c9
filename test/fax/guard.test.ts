/** People are let alone: how often a number is called where no fax machine answers, over all faxes to it. */
import t, { type Test } from 'tap'
import { isTerminal, step } from '../../daemon/fax/job.ts'
import type { FaxOutcome } from '../../daemon/fax/outcome.ts'
import type { FaxRow } from '../../daemon/store/tables.ts'
import { faxRow } from './rows.ts'
import { Stage, takes } from './stage.ts'

const hour = 3_600_000
const number = '+15551230001'

const silent: FaxOutcome = {
  kind: 'session',
  code: 2,
  text: 'T0 expired',
  heardFax: false,
  progress: {
    phase: 'negotiating',
    pages: 0,
    bitRate: 0,
    ecm: false,
    resolution: 'standard',
    transport: 'sip-audio',
    remoteId: '',
  },
  unconfirmedLastPage: false,
  durationSeconds: 60,
}

t.test('dials until a fax is given up for want of a fax machine', async (t) => {
  const dials = (moment: { known: boolean; suspect: boolean }): FaxRow => {
    let row = faxRow({ state: 'processing', pages: 1, bytesPerPage: [9], standardBytesPerPage: [9] })
    while (!isTerminal(row.state)) {
      const at = { now: row.nextAttemptAt ?? 0, jitter: 0, ...moment }
      row = step(row, { type: 'dial' }, at)
      row = step(row, { type: 'ended', outcome: silent, firstPage: 0, callId: '', line: 'main', startedAt: at.now }, at)
    }
    return row
  }
  t.match(dials({ known: false, suspect: false }), { attempts: 2, state: 'failed', reason: 'no_fax_detected' })
  t.match(dials({ known: true, suspect: false }), { attempts: 4, state: 'failed', reason: 'no_fax_detected' })
  t.match(dials({ known: false, suspect: true }), { attempts: 1, state: 'failed', reason: 'no_fax_detected' })
})

/** Everybody who is called says hello and hangs up; answers how many calls were made until the fax had ended. */
async function callsFor(stage: Stage, faxId: string): Promise<number> {
  const before = stage.driver.legs.length
  await stage.until(() => isTerminal(stage.store.tables.faxes.get(faxId)?.state ?? 'queued'), 'the end', 500)
  return stage.driver.legs.length - before
}

async function stageOfPeople(t: Test): Promise<Stage> {
  const stage = await Stage.open(t)
  stage.driver.onDial = (leg) => {
    leg.ring()
    leg.pickUp()
    void stage.until(() => leg.sent !== null).then(() => leg.result(2))
  }
  stage.queue.start()
  return stage
}

t.test('a number that was given up is dialled once for each later fax, for a day', async (t) => {
  const stage = await stageOfPeople(t)
  t.equal(await callsFor(stage, await stage.add()), 2)
  t.match(stage.store.tables.faxNumbers.get(number), { answers: 0, silentAt: Number })
  const later = await stage.add()
  t.equal(await callsFor(stage, later), 1)
  t.match(stage.row(later), { state: 'failed', reason: 'no_fax_detected', attempts: 1 })
  stage.clock.advance(25 * hour)
  t.equal(await callsFor(stage, await stage.add()), 2, 'a day later')
  t.equal(await callsFor(stage, await stage.add({ to: '+15551230002' })), 2, 'another number')
})

t.test('what the dials of one fax find out decides for those that wait behind it', async (t) => {
  const stage = await stageOfPeople(t)
  const faxes = [await stage.add(), await stage.add({ priority: 1 }), await stage.add()]
  await stage.until(() => faxes.every((faxId) => isTerminal(stage.store.tables.faxes.get(faxId)?.state ?? 'queued')), 'the end of all', 500)
  t.equal(stage.driver.legs.length, 4, 'two calls for the first fax, one for each of the others')
  t.same(
    faxes.map((faxId) => stage.row(faxId).attempts).toSorted((a, b) => a - b),
    [1, 1, 2],
  )
})

t.test('a number at which a fax machine has answered is tried more often, and is not doubted', async (t) => {
  const stage = await Stage.open(t)
  stage.queue.start()
  const first = await stage.add()
  const leg = await stage.dialled(1)
  await takes(stage, leg, 2)
  leg.result(0)
  await stage.over(first)
  stage.driver.onDial = (next) => {
    next.ring()
    next.pickUp()
    void stage.until(() => next.sent !== null).then(() => next.result(2))
  }
  t.equal(await callsFor(stage, await stage.add()), 4)
  t.equal(await callsFor(stage, await stage.add()), 4)
  stage.driver.onDial = () => undefined
  const last = await stage.add()
  const machine = await stage.dialled(stage.driver.legs.length + 1)
  await takes(stage, machine, 2)
  machine.result(0)
  await stage.over(last)
  t.notOk(stage.store.tables.faxNumbers.get(number)!.silentAt, 'a fax machine answers again')
})

t.test('a fax that is canceled no longer holds the number', async (t) => {
  const stage = await stageOfPeople(t)
  const first = await stage.add()
  await stage.until(() => stage.row(first).state === 'retrying', 'the first call')
  const second = await stage.add()
  stage.clock.advance(5000)
  await stage.until(() => stage.row(second).state === 'processing', 'the second is drawn')
  t.equal(stage.driver.legs.length, 1, 'the second waits for what comes of the first')
  await stage.queue.cancel(first)
  await stage.dialled(2)
})

t.test('a line that is out is told of, and that it works again', async (t) => {
  const stage = await Stage.open(t)
  let broken = true
  stage.driver.onDial = (leg) => {
    if (broken) leg.end({ by: 'local', reason: 'failed', sipCode: 503 })
    else {
      leg.ring()
      leg.end({ by: 'remote', reason: 'rejected', sipCode: 486 })
    }
  }
  stage.queue.start()
  await stage.add()
  await stage.until(() => stage.alerts.length > 0, 'the alarm', 1000)
  t.same(stage.queue.lines(), [{ id: 'main', ok: false, reason: 'not used for a while after ten failures in a row' }])
  broken = false
  await stage.until(() => stage.cleared.length > 0, 'the end of the alarm', 1000)
  t.same(stage.cleared, stage.alerts)
  t.match(stage.queue.lines(), [{ id: 'main', ok: true }])
  const { figures } = stage.queue
  t.same(
    figures.attempts().map(([labels, value]) => [labels.outcome, labels.transport, value > 0]),
    [
      ['line', 'none', true],
      ['busy', 'none', true],
    ],
  )
})
