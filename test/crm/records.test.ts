/**
 * Records of calls on a real store: revisions, states that never go back, notes, records of other systems, and watchers called in the same
 * transaction.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { putCall } from '../../daemon/calls/live-index.ts'
import { forgetCalls } from '../../daemon/erasure/erasure.ts'
import { History } from '../../daemon/history/history.ts'
import type { LoggedCall } from '../../daemon/history/logged-call.ts'
import { CallRecords, mostNotes, type RecordWatch } from '../../daemon/history/records.ts'
import { newCallId } from '../../daemon/base/ids.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { CallLegRow, CallRow, CallStepRow } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'

async function stage(t: Test, watches: RecordWatch[] = []) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-records-'))
  const open = () => openStore(join(dir, 'store'), createLog({ level: 'silent' }))
  let store = await open()
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const clock = new FakeClock(Date.UTC(2026, 2, 2))
  const made = () => {
    const history = new History({ store, clock, keepDays: 730 })
    const records = new CallRecords({ store, clock, history, live: () => undefined })
    for (const watch of watches) records.watch(watch)
    return { store, clock, history, records }
  }
  return {
    ...made(),
    again: async () => {
      await store.close()
      store = await open()
      return made()
    },
  }
}

type Stage = Pick<Awaited<ReturnType<typeof stage>>, 'store' | 'records'>

/** As `Calls` writes a row. */
function put({ store, records }: Stage, row: CallRow): Promise<void> {
  return store.transaction(() => {
    records.write(row)
    putCall(store.tables, row)
  })
}

function inbound(more: Partial<CallRow> = {}): CallRow {
  return { ...newCallRow(Date.UTC(2026, 2, 2), 'inbound'), from: '+15551234567', to: '+15550001000', trunkId: 'main', ...more }
}

const taken: CallLegRow = {
  to: '101',
  trunkId: '',
  state: 'in-progress',
  startedAt: 1,
  answeredAt: Date.UTC(2026, 2, 2) + 9000,
  endedAt: null,
  sipCode: 0,
}

const foreign = (more: Partial<LoggedCall> = {}): LoggedCall => ({
  callId: newCallId(),
  rev: 3,
  direction: 'inbound',
  outcome: 'answered',
  from: '+15551234567',
  to: '+15550009999',
  callerName: '',
  customerId: 'c_1',
  trunkId: '',
  extension: '900',
  userId: 'u_1',
  externalRef: undefined,
  startedAt: Date.UTC(2026, 2, 1),
  answeredAt: Date.UTC(2026, 2, 1) + 5000,
  endedAt: Date.UTC(2026, 2, 1) + 60_000,
  ringSeconds: 5,
  talkSeconds: 55,
  endedBy: 'caller',
  sipCode: 0,
  notes: [],
  ...more,
})

t.test('each change is one revision, kept over a restart; what changes nothing is none; the end has the next one', async (t) => {
  const one = await stage(t)
  const row = inbound()
  const { callId } = row
  await put(one, row)
  t.match(one.records.active(), [{ callId, rev: 1, state: 'ringing', from: '+15551234567' }])
  await put(one, { ...row, sequence: 7 })
  t.equal(one.records.get(callId).rev, 1, 'a number of events is nothing of the record')
  await put(one, { ...row, state: 'in-progress', legs: [taken] })
  t.match(one.records.get(callId), { rev: 2, state: 'answered', extension: '101', ringSeconds: 9 })
  t.notOk('endedAt' in one.records.get(callId))
  await put(one, { ...row, state: 'in-progress', legs: [taken], held: true })
  t.match(one.records.get(callId), { rev: 3, state: 'held' })
  const two = await one.again()
  t.match(two.records.active(), [{ callId, rev: 3 }])
  t.match(await two.records.answer(callId, { userId: 'u_17' }), { rev: 4, userId: 'u_17' })
  t.match(await two.records.answer(callId, { userId: 'u_17' }), { rev: 4 }, 'said again')
  t.match(await two.records.answer(callId, { userId: 'u_9', rev: 3 }), { rev: 4, userId: 'u_17' }, 'too late')
  const stored = two.store.tables.calls.get(callId)!
  await put(two, { ...stored, state: 'completed', endReason: 'caller-hangup', endedBy: 'caller', endedAt: two.clock.now() })
  t.same(two.records.active(), [])
  t.match(two.records.get(callId), { rev: 5, state: 'ended', outcome: 'answered', userId: 'u_17', hangupBy: 'caller' })
  t.match((await two.history.page(0, 10, {})).items, [{ item: { callId, rev: 5 } }])
  await t.rejects(two.records.answer(callId, { userId: 'u_1' }), { code: 'call_ended' })
  t.match(two.records.end(callId), { rev: 5 })
})

t.test('whatever becomes of a call, its record never goes back and its revision never falls', async (t) => {
  const { store, records } = await stage(t)
  const ranks = { dialing: 0, ringing: 1, answered: 2, held: 2, ended: 3 }
  const change = fc.record({
    state: fc.constantFrom<CallRow['state']>('dialing', 'ringing', 'in-progress'),
    endpointId: fc.constantFrom('', 'app', 'internal:menu'),
    held: fc.boolean(),
    legs: fc.constantFrom<CallLegRow[]>([], [taken], [{ ...taken, answeredAt: null }]),
    steps: fc.constantFrom<CallStepRow[]>(
      [],
      [{ at: 1, to: 'voicemail:101', endedAt: null, outcome: '' }],
      [{ at: 1, to: '102', endedAt: null, outcome: '' }],
    ),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('inbound' as const, 'outbound' as const),
      fc.array(change, { maxLength: 8 }),
      async (direction, changes) => {
        const row = { ...inbound(), ...newCallRow(1, direction) }
        let [rank, rev] = [0, 0]
        for (const each of changes) {
          await put({ store, records }, { ...row, ...each })
          const now = records.get(row.callId)
          if (ranks[now.state] < rank || now.rev < rev || now.rev > rev + 1) throw new Error(`${now.state} ${now.rev} after ${rank} ${rev}`)
          ;[rank, rev] = [ranks[now.state], now.rev]
        }
      },
    ),
    { numRuns: 150 },
  )
})

t.test('notes come once by their id, to a call that lives and to one that is over', async (t) => {
  const one = await stage(t)
  const { records, clock } = one
  const row = inbound()
  const { callId } = row
  await put(one, row)
  const none = () => undefined
  await records.addNotes(callId, [{ noteId: 'n1', text: 'Wants Thursday instead.', authorUserId: 'u_17' }], 'crm', none)
  t.match(records.get(callId), { rev: 2, notes: [{ noteId: 'n1', callId, text: 'Wants Thursday instead.', origin: 'crm' }] })
  const again = await records.addNotes(callId, [{ noteId: 'n1', text: 'Something else.' }, { text: 'Two.' }], 'pbx', none)
  t.match(again, [
    { noteId: 'n1', text: 'Wants Thursday instead.' },
    { text: 'Two.', createdAt: '2026-03-02T00:00:00.000Z' },
  ])
  t.match(records.get(callId), { rev: 3, notes: { length: 2 } })
  await records.addNotes(callId, [{ noteId: 'n1', text: 'Wants Thursday instead.' }], 'crm', none)
  t.equal(records.get(callId).rev, 3, 'nothing new is no change')
  await put(one, { ...one.store.tables.calls.get(callId)!, state: 'completed', endedAt: clock.now() })
  t.match(records.get(callId), { rev: 4, state: 'ended', notes: { length: 2 } })
  await records.addNotes(
    callId,
    [
      { noteId: 'n1', text: 'x' },
      { noteId: 'n3', text: 'Three.' },
    ],
    'crm',
    none,
  )
  const two = await one.again()
  t.match(two.records.get(callId), { rev: 5, notes: [{ noteId: 'n1' }, {}, { noteId: 'n3' }] })
  const many = Array.from({ length: mostNotes - 2 }, (_, i) => ({ noteId: `m${i}`, text: 'x' }))
  await t.rejects(two.records.addNotes(callId, many, 'crm', none), { code: 'validation_failed' })
  t.equal(two.records.get(callId).rev, 5, 'all or none')
  await t.rejects(two.records.addNotes(newCallId(), [{ text: 'x' }], 'crm', none), { code: 'call_unknown' })
  await t.rejects(two.records.addNotes('nonsense', [{ text: 'x' }], 'crm', none), { code: 'call_unknown' })
  await two.store.transaction(() => forgetCalls(two.store.tables, [callId]))
  t.notOk('notes' in two.records.get(callId), 'notes are words')
})

t.test('a record of another system is kept; the higher revision wins, an older one is refused, the same one a repetition', async (t) => {
  const { store, records, history } = await stage(t)
  const call = foreign()
  t.match(await records.log(call), { duplicate: false, record: { rev: 3, customerId: 'c_1', extension: '900', talkSeconds: 55 } })
  t.match(await records.log({ ...call, talkSeconds: 1 }), { duplicate: true, record: { talkSeconds: 55 } })
  await t.rejects(records.log({ ...call, rev: 2 }), { code: 'stale_rev', extra: { rev: 3 } })
  t.match(await records.log({ ...call, rev: 7, customerId: undefined, userId: undefined, talkSeconds: 54 }), {
    record: { rev: 7, talkSeconds: 54, customerId: 'c_1', userId: 'u_1' },
  })
  t.match(await records.log({ ...call, rev: 8, customerId: null }), { record: { rev: 8, customerId: undefined } })
  t.equal((await history.page(0, 10, {})).items.length, 1, 'one call, one row')
  t.equal(history.withNumber('+15550009999', 5).length, 1)
  const own = inbound({ legs: [taken], state: 'in-progress' })
  await put({ store, records }, own)
  t.throws(() => records.end(own.callId), { code: 'call_live' })
  await t.rejects(records.log(foreign({ callId: own.callId })), { code: 'call_live' })
  await put({ store, records }, { ...own, state: 'completed', endedAt: own.createdAt + 60_000 })
  const { rev } = records.get(own.callId)
  t.match(await records.log(foreign({ callId: own.callId, rev: rev + 1, userId: 'u_2', to: 'elsewhere' })), {
    record: { rev: rev + 1, to: '+15550001000', extension: '101', userId: 'u_2', customerId: 'c_1' },
  })
})

t.test('whatever another system calls a number, the record is kept', async (t) => {
  const { records } = await stage(t)
  for (const from of ['+ä', '+', '+1 555 \u0000', '+'.repeat(64), ''])
    t.match(await records.log(foreign({ from, to: from })), { record: { from } }, from)
})

t.test('a call that another system had long ago is found between the others', async (t) => {
  const { store, records, history } = await stage(t)
  const early = inbound({ state: 'completed', endedAt: Date.UTC(2026, 2, 2) })
  await put({ store, records }, early)
  await records.log(foreign({ startedAt: Date.UTC(2020, 0, 1), answeredAt: null, endedAt: Date.UTC(2020, 0, 1) }))
  const { items } = await history.pageBack(null, 10, { from: Date.UTC(2026, 2, 1) })
  t.match(items, [{ callId: early.callId }])
})

t.test('who watches is told inside the transaction: what it writes stands or falls with the change', async (t) => {
  const one = await stage(t)
  const { store, records } = one
  const told: string[] = []
  let broken = false
  records.watch({
    changed({ callId, rev, state }) {
      told.push(`${state} ${rev}`)
      store.tables.meta.put(`test:${callId}`, rev)
      if (broken) throw new Error('no')
    },
    noted: ({ text }, { rev }) => void told.push(`${text} ${rev}`),
  })
  const row = inbound()
  await put(one, { ...row, state: 'queued' })
  t.same(told, [], 'it waits to be dialled')
  await put(one, row)
  await records.addNotes(row.callId, [{ text: 'A note.' }], 'crm', () => undefined)
  await put(one, { ...store.tables.calls.get(row.callId)!, state: 'completed', endedAt: 2 })
  await records.addNotes(row.callId, [{ text: 'Another.' }], 'crm', () => undefined)
  t.same(told, ['ringing 1', 'ringing 2', 'A note. 2', 'ended 3', 'ended 4', 'Another. 4'])
  t.equal(store.tables.meta.get(`test:${row.callId}`), 4)
  broken = true
  await t.rejects(records.addNotes(row.callId, [{ text: 'Lost.' }], 'crm', () => undefined))
  t.match(records.get(row.callId), { rev: 4, notes: { length: 2 } })
  t.equal(store.tables.meta.get(`test:${row.callId}`), 4)
})

t.test('what others keep of a call is in its record, which rises when it comes, and is gone with it', async (t) => {
  const told: (readonly [number, string])[] = []
  const one = await stage(t, [{ changed: ({ rev, recording }) => void told.push([rev, recording?.state ?? '']) }])
  const { store, records, history } = one
  const callId = newCallId()
  const id = 'REC1'
  await store.transaction(() =>
    store.tables.recordingsBegun.put(id, {
      recordingId: id,
      callId,
      startedAt: 0,
      url: '',
      secret: '',
      transcript: null,
      sensitive: false,
    }),
  )
  await put(one, inbound({ callId, state: 'completed', recordings: [id], heldSince: 1000, heldMs: 4000, endedAt: 3000, voicemailId: 'v1' }))
  t.match(records.get(callId), { recording: { state: 'pending' }, holdSeconds: 6, voicemailId: 'v1' })
  const row = { recordingId: id, callId, file: 'x', bytes: 1, durationMs: 2600, createdAt: 0, expiresAt: 0 }
  await store.transaction(() => {
    store.tables.recordings.put(id, { ...row, transcript: 'low high', transcriptStatus: 'done' })
    records.touched(callId)
  })
  t.match(records.get(callId), { rev: 2, recording: { state: 'ready', durationSeconds: 3, transcript: 'low high' } })
  t.strictSame(told, [
    [1, 'pending'],
    [2, 'ready'],
  ])
  await store.transaction(() => store.tables.recordings.remove(id))
  await store.transaction(() => store.tables.recordingsBegun.remove(id))
  t.strictSame(history.view(history.find(callId)!).recording, { state: 'expired' })
})

t.test('a call that lives goes along when its party is put together with another one', async (t) => {
  const here = await stage(t)
  const row = inbound({ state: 'ringing', customerId: 'c_1' })
  await put(here, row)
  const { rev } = here.records.get(row.callId)
  await here.store.transaction(() => here.records.moveToParty('c_1', 'c_2'))
  t.match(here.records.get(row.callId), { customerId: 'c_2', rev: rev + 1, state: 'ringing' })
  await put(here, { ...here.store.tables.calls.get(row.callId)!, state: 'completed', endedAt: here.clock.now() })
  t.match(here.history.find(row.callId), { customerId: 'c_2' })
})
