/** The stream of call events, on a real store: what is sent when, to whom, and what becomes of readers that were away or are slow. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { CallEvents } from '../../daemon/crm/call-events.ts'
import { putCall } from '../../daemon/calls/live-index.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { History } from '../../daemon/history/history.ts'
import { CallRecords } from '../../daemon/history/records.ts'
import { createLog } from '../../daemon/base/log.ts'
import type { ScreenPopView } from '../../daemon/schema/crm.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { CallLegRow, CallRow } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'

async function stage(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-events-'))
  const store = await openStore(join(dir, 'store'), createLog({ level: 'silent' }))
  const clock = new FakeClock(Date.UTC(2026, 2, 2))
  const history = new History({ store, clock, keepDays: 730 })
  const cardAtOnce = (number: string) => ({ number, name: 'Ana Ruiz' }) as ScreenPopView
  const events = new CallEvents({ store, clock, cardAtOnce, card: async (number) => cardAtOnce(number), asks: () => false })
  const records = new CallRecords({ store, clock, history, live: () => undefined })
  records.watch(events)
  t.teardown(async () => {
    events.close()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const put = (row: CallRow): Promise<void> =>
    store.transaction(() => {
      records.write(row)
      putCall(store.tables, row)
    })
  /** Pieces that a reader has got. */
  const read = (more: { lastId?: number; extension?: string } = {}) => {
    const leaves = new AbortController()
    const pieces: string[] = []
    let held: Promise<void> = Promise.resolve()
    const release = events.admit('')
    const done = events
      .read({ signal: leaves.signal, ...more }, async (piece) => {
        await held
        pieces.push(piece)
      })
      .finally(release)
    const names = () => pieces.flatMap((piece) => /^event: (.*)$/m.exec(piece)?.[1] ?? [])
    return { pieces, names, done, leave: () => leaves.abort(), hold: (until: Promise<void>) => (held = until) }
  }
  /** A call that rings at 101, is taken there, and ends. */
  const talk = async (): Promise<string> => {
    const leg: CallLegRow = { to: '101', trunkId: '', state: 'ringing', startedAt: 1, answeredAt: null, endedAt: null, sipCode: 0 }
    const row: CallRow = { ...newCallRow(1, 'inbound'), from: '+15551234567', to: '+15550001000', trunkId: 'main' }
    await put(row)
    await put({ ...row, legs: [leg] })
    await put({ ...row, state: 'in-progress', legs: [{ ...leg, answeredAt: 2 }] })
    await put({ ...row, state: 'completed', endedAt: 3, legs: [{ ...leg, answeredAt: 2, endedAt: 3 }] })
    return row.callId
  }
  return { store, clock, records, events, put, read, talk }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const idOf = (piece: string) => Number(/^id: (\d+)$/m.exec(piece)?.[1])
const dataOf = (piece: string) => JSON.parse(/^data: (.*)$/m.exec(piece)![1]!)
const all = ['call.ringing', 'call.answered', 'call.ended']

t.test('a call is told when phones ring, with the card; when it is taken; once when it is over', async (t) => {
  const { read, talk, records } = await stage(t)
  const [everybody, desk, other] = [read(), read({ extension: '101' }), read({ extension: '102' })]
  const callId = await talk()
  await records.addNotes(callId, [{ text: 'A note.' }], 'crm', () => undefined)
  await settled()
  t.same([everybody.names(), desk.names(), other.names()], [all, all, []])
  t.match(dataOf(everybody.pieces[1]!), {
    call: { callId, state: 'ringing', from: '+15551234567' },
    extensions: ['101'],
    card: { number: '+15551234567', name: 'Ana Ruiz' },
  })
  t.match(dataOf(everybody.pieces[3]!), { call: { state: 'ended', outcome: 'answered' }, extensions: ['101', '101'] })
  for (const reader of [everybody, desk, other]) reader.leave()
  await Promise.all([everybody, desk, other].map(({ done }) => done))
})

t.test('what was not written is not told', async (t) => {
  const { read, records, store, talk } = await stage(t)
  const reader = read()
  const leg: CallLegRow = { to: '101', trunkId: '', state: 'ringing', startedAt: 1, answeredAt: null, endedAt: null, sipCode: 0 }
  const lost = store.transaction(() => {
    records.write({ ...newCallRow(1, 'inbound'), trunkId: 'main', legs: [leg] })
    throw new Error('the disk cannot be written')
  })
  await t.rejects(lost)
  await talk()
  await settled()
  t.same(reader.names(), all)
  reader.leave()
})

t.test('who was away goes on after the last event: nothing is left out and nothing comes twice', async (t) => {
  const { read, talk, clock } = await stage(t)
  const first = read()
  await talk()
  await settled()
  first.leave()
  const seen = first.pieces.slice(1, 3).map(idOf)
  await talk()
  clock.advance(4 * 60_000)
  await talk()
  const again = read({ lastId: seen.at(-1)! })
  await settled()
  t.same(again.names(), ['call.ended', ...all, ...all])
  const ids = again.pieces.slice(1).map(idOf)
  t.same(
    ids,
    [...new Set(ids)].toSorted((a, b) => a - b),
  )
  again.leave()
})

t.test('who was away for too long, comes from elsewhere, or from before a restart is told so', async (t) => {
  const { read, talk, clock } = await stage(t)
  const first = read()
  await talk()
  await settled()
  const last = idOf(first.pieces.at(-1)!)
  first.leave()
  await talk()
  clock.advance(5 * 60_000 + 1)
  await talk()
  for (const lastId of [last, 0, last + 1_000_000]) {
    const reader = read({ lastId })
    await settled()
    t.same(reader.names(), ['stream.gap', ...all], String(lastId))
    reader.leave()
  }
})

t.test('a heartbeat every 15 s; one who is slow misses no event that is kept, and holds up nobody', async (t) => {
  const { read, talk, clock, events } = await stage(t)
  const [slow, quick] = [read(), read()]
  await settled()
  clock.advance(15_000)
  await settled()
  t.equal(quick.pieces.at(-1), ': heartbeat\n\n')
  const free = Promise.withResolvers<void>()
  slow.hold(free.promise)
  await talk()
  await talk()
  await settled()
  t.same([slow.names(), quick.names()], [[], [...all, ...all]])
  free.resolve()
  await settled()
  t.same(slow.names(), [...all, ...all])
  t.equal(events.readers, 2)
  events.close()
  await Promise.all([slow.done, quick.done])
  t.equal(events.readers, 0)
})

t.test('so many readers and no more, a quarter of them of one token, counted when they are let in', async (t) => {
  const { events } = await stage(t)
  const owners = ['a', 'b', 'c', 'd']
  const places = owners.map((owner) => Array.from({ length: 50 }, () => events.admit(owner)))
  t.equal(events.readers, 200)
  t.throws(() => events.admit('e'), { code: 'overloaded' })
  places[0]![0]!()
  places[0]![0]!()
  t.equal(events.readers, 199, 'a place is given back once')
  t.throws(() => events.admit('b'), { code: 'rate_limited' })
  t.doesNotThrow(() => events.admit('e'))
})

t.test('what is kept of a busy hour has some 3 MB, whatever else the program does with memory meanwhile', async (t) => {
  const { events, talk } = await stage(t)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const outside = (): number => {
    collect()
    return process.memoryUsage().arrayBuffers
  }
  const leaves = new AbortController()
  // With each event, as the sockets of the box do: it is given back at once.
  const done = events.read({ signal: leaves.signal }, async () => {
    for (let n = 0; n < 3; n++) Buffer.from('x'.repeat(3000))
  })
  await talk()
  const before = outside()
  for (let call = 0; call < 340; call++) await talk()
  await settled()
  t.ok(outside() - before < 3 * 1048576, 'of 1000 events')
  leaves.abort()
  await done
})
