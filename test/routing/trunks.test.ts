/** The desk of channels: never more claims and calls than a trunk has, whatever wants them, and no channel is held for nothing. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { recoverCalls } from '../../daemon/routing/recovery.ts'
import { LineDrivers } from '../../daemon/routing/lines.ts'
import { Trunks, type Claim, type Purpose } from '../../daemon/routing/trunks.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createSimDriver } from '../../drivers/sim/driver.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { StandInDriver } from '../fax/stand-in-driver.ts'
import { Box, configOf } from './stage.ts'
import { anyFax } from '../harness/fax-send.ts'

const number = '+15551230001'
const purposes: readonly Purpose[] = ['call', 'fax', 'reminder']
const trunkIds = ['main', 'other'] as const

const stepArbitrary = fc.record({
  what: fc.constantFrom('claim', 'claim', 'arrive', 'release', 'dial', 'end', 'end'),
  purpose: fc.constantFrom(...purposes),
  trunkId: fc.constantFrom(...trunkIds),
  which: fc.nat(20),
})

t.test('whatever is claimed, dialled, released and ended, in any order', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-trunks-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  let full = 0
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 3 }),
      fc.array(stepArbitrary, { minLength: 20, maxLength: 60 }),
      (channels, keepFree, steps) => {
        const driver = new StandInDriver()
        const config = configOf(dir, { channels, more: { fax: { keepFree } } })
        const trunks = new Trunks({ config, lines: new LineDrivers([{ driver, serves: () => true }]) })
        const keeps = { call: 0, fax: Math.min(keepFree, channels - 1), reminder: Math.min(1, channels - 1) }
        const held = new Map<string, { claim: Claim; over: AbortController | null }[]>(trunkIds.map((id) => [id, []]))
        for (const { what, purpose, trunkId, which } of steps) {
          const here = held.get(trunkId)!
          const one = here[which % Math.max(1, here.length)]
          if (what === 'claim') {
            const { claim } = trunks.claim({ purpose, trunkId, to: number })
            if ((claim !== null) !== channels - here.length > keeps[purpose]) throw new Error(`${purpose}: ${here.length} of ${channels}`)
            if (claim === null) full += 1
            else here.push({ claim, over: null })
          } else if (what === 'arrive') {
            const over = new AbortController()
            if (trunks.arrived(trunkId, over.signal) !== here.length < channels) throw new Error('an inbound call was misjudged')
            if (here.length < channels) here.push({ claim: { trunkId, release: () => undefined, dial: () => t.fail() as never }, over })
          } else if (what === 'release') {
            one?.claim.release()
            if (one?.over === null) here.splice(here.indexOf(one), 1)
          } else if (what === 'dial' && one?.over === null) {
            one.over = new AbortController()
            one.claim.dial({ to: number, from: '', callerName: '', timeoutSeconds: 30 }, one.over.signal)
            one.claim.release()
          } else if (what === 'end' && one?.over) {
            one.over.abort()
            here.splice(here.indexOf(one), 1)
          }
          for (const id of trunkIds) {
            if (trunks.used(id) !== held.get(id)!.length) throw new Error(`${trunks.used(id)} counted, ${held.get(id)!.length} held`)
            if (trunks.used(id) > channels) throw new Error('more than there are')
          }
        }
      },
    ),
    { numRuns: 400 },
  )
  t.ok(full > 50, `a claim was refused ${full} times`)
})

t.test('a fax, a reminder and a call that was asked for, in the same turn, on a trunk of two channels', async (t) => {
  for (const order of ['fax reminder call', 'reminder call fax', 'call fax reminder', 'fax call reminder']) {
    const box = await Box.open(t, { channels: 2 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const abort = new AbortController()
    const running: Promise<unknown>[] = []
    const taken: string[] = []
    for (const who of order.split(' ')) {
      if (who === 'fax') {
        const line = box.faxes.reserve(box.number(), new Set(['other']))
        if (line === null) continue
        taken.push(who)
        // As the queue does: the row is written before the call is placed.
        running.push(promise.then(() => line.place(faxRequest(box.number()), () => undefined)))
      } else if (who === 'reminder') {
        const to = box.number()
        const line = box.reminders.claim(to)
        if (line === null) continue
        taken.push(who)
        const request = box.reminder(to)
        await box.store.transaction(() => line.prepare(request))
        running.push(promise.then(() => line.call(request, { inCall: () => undefined, decided: async () => undefined }, abort.signal)))
      } else {
        taken.push(who)
        await box.originate()
        await box.quiet()
      }
    }
    const first = order.split(' ')[0]!
    t.same(
      taken,
      [first, 'call'].filter((who, index, all) => all.indexOf(who) === index),
      `${order}: one of them leaves the other a channel`,
    )
    t.equal(box.legs(), 1, 'the call does not wait for the disk of the others')
    t.equal(box.routing.trunks.used('main'), taken.length)
    resolve()
    await box.quiet()
    t.equal(box.legs(), taken.length, 'each has its channel when its row is on the disk')
    for (const leg of box.driver.legs) leg.end({ by: 'remote', reason: 'rejected', sipCode: 486 })
    await box.quiet()
    t.equal(box.routing.trunks.used('main'), 0, 'none is held when all are over')
  }
})

function faxRequest(to: string) {
  return { faxId: 'f', to, token: '', send: anyFax }
}

t.test('calls that come in see what is claimed, and what is claimed sees them', async (t) => {
  const box = await Box.open(t, { channels: 2 })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const line = box.reminders.claim(number)!
  t.ok(line)
  const first = box.driver.call({ to: '+15550001000' })
  t.equal(first.rejected, 0)
  const second = box.driver.call({ to: '+15550001000' })
  t.equal(second.rejected, 503, 'the other channel is held for the reminder')
  t.equal(box.faxes.reserve(number, new Set(['other'])), null)
  line.release()
  const third = box.driver.call({ to: '+15550001000' })
  t.equal(third.rejected, 0)
  for (const leg of [first, second, third, ...box.driver.legs]) leg.end()
  await box.quiet()
  t.equal(box.routing.trunks.used('main'), 0)
})

t.test('what fails before a packet leaves gives its channel back', async (t) => {
  const box = await Box.open(t, { channels: 2 })
  const { trunks } = box.routing
  const events = { inCall: () => undefined, decided: async () => undefined }
  const claim = () => box.reminders.claim(number)!

  const unprepared = claim()
  t.match(await unprepared.call(box.reminder(number), events, new AbortController().signal), { kind: 'failed', text: /not prepared/ })
  t.equal(trunks.used('main'), 0, 'a transaction that came to nothing')

  const unwanted = claim()
  const request = box.reminder(number)
  await box.store.transaction(() => unwanted.prepare(request))
  t.match(await unwanted.call(request, events, AbortSignal.abort()), { kind: 'not-placed' })
  t.equal(trunks.used('main'), 0)

  const down = claim()
  await box.store.transaction(() => down.prepare(request))
  box.driver.trunkOk = false
  t.match(await down.call(request, events, new AbortController().signal), { kind: 'not-placed', text: /main/ })
  t.equal(box.reminders.claim(number), null, 'and the next one waits')
  t.equal(trunks.used('main'), 0)
  box.driver.trunkOk = true

  const { claim: broken } = trunks.claim({ purpose: 'call', trunkId: 'main', to: number })
  box.driver.dial = () => {
    throw new Error('a fault of the driver')
  }
  const over = new AbortController()
  t.throws(() => broken!.dial({ to: number, from: '', callerName: '', timeoutSeconds: 1 }, over.signal), /fault of the driver/)
  t.equal(trunks.used('main'), 0)
  t.throws(() => broken!.dial({ to: number, from: '', callerName: '', timeoutSeconds: 1 }, over.signal), /once/)
  t.match(trunks.claim({ purpose: 'call', trunkId: 'main', to: '+19005551234' }), { claim: null, obstacle: 'denied', reason: /Premium/ })
  t.match(trunks.claim({ purpose: 'call', trunkId: 'none', to: number }), { claim: null, obstacle: 'unknown' })
  t.equal(trunks.used('main'), 0)
})

t.test('after a kill no channel is held for a call of before', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-routing-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const before = await Box.open(t, { channels: 1, dir })
  await before.originate()
  await before.quiet()
  t.equal(before.legs(), 1)
  t.equal(before.routing.trunks.used('main'), 1)
  await before.originate()
  await before.quiet()
  t.equal(before.legs(), 1, 'the second one waits for the channel')
  before.routing.originator.stop()
  await before.store.close()

  const after = await Box.open(t, { channels: 1, dir })
  const { store, calls, clock, routing } = after
  recoverCalls({
    store,
    calls,
    originator: routing.originator,
    clock,
    log: createLog({ level: 'silent' }),
    tellInputs: async () => undefined,
  })
  await after.quiet()
  t.equal(after.legs(), 1, 'the one that waited is dialled, the other was cut off')
  t.equal(routing.trunks.used('main'), 1)
  after.driver.legs[0]!.end()
  await after.quiet()
  t.equal(routing.trunks.used('main'), 0)
})

t.test('several line drivers: each trunk is dialled through its own, and one that does not run holds up no other', async (t) => {
  const sip = new StandInDriver()
  const dialled: string[] = []
  const sim = createSimDriver({
    clock: new FakeClock(),
    answer: ({ to }) => {
      dialled.push(to)
      return { kind: 'busy', afterMs: 0 }
    },
  })
  const box = await Box.open(t, {
    channels: 2,
    lines: [
      { driver: sim, serves: (via) => via.kind === 'trunk' && via.trunkId === 'other' },
      { driver: sip, serves: () => true },
    ],
  })
  sip.isUp = false
  const waits = await box.originate('main')
  const goes = await box.originate('other')
  await box.quiet()
  t.same(dialled, [goes.to])
  t.equal(sip.legs.length, 0, 'the engine is not running: its call waits')
  t.equal(box.calls.get(waits.callId)?.row.state, 'queued')
  sip.isUp = true
  box.clock.advance(100)
  await box.quiet()
  t.same(
    sip.legs.map(({ request }) => request?.to),
    [waits.to],
  )
})
