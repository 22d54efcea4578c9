/** The history on a real store: nothing left out and nothing twice, both ways, whatever is asked for; its time; a name that is forgotten. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { forgetCalls } from '../../daemon/erasure/erasure.ts'
import { History, type HistoryQuery } from '../../daemon/history/history.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { CallRow } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbxd-history-'))
const store = await openStore(join(dir, 'store'), createLog({ level: 'silent' }))
t.teardown(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})
const dayMs = 86_400_000
const clock = new FakeClock(Date.UTC(2026, 2, 2))
const history = new History({ store, clock, keepDays: 730 })
const numbers = ['+15551230001', '+15551230002', '+15551230003']
const added: CallRow[] = []

/** 2,300 calls, as many as the pages are read in pieces of 500. */
async function fill(): Promise<void> {
  for (let n = 0; n < 23; n++) {
    await store.transaction(() => {
      for (let i = 0; i < 100; i++) {
        const serial = n * 100 + i
        const row = newCallRow(clock.now(), 'inbound')
        const busy = serial % 7 === 0 && serial % 400 !== 0
        Object.assign(row, {
          from: numbers[serial % 3]!,
          to: '+15550001000',
          callerName: 'ANN LEE',
          trunkId: 'main',
          state: busy ? 'busy' : 'completed',
          endReason: busy ? 'busy' : 'caller-hangup',
          endedBy: 'caller',
          endedAt: clock.now(),
          ...(serial % 5 === 0 ? { customerId: `c ${serial % 2}` } : {}),
        } satisfies Partial<CallRow>)
        if (serial % 400 === 0)
          row.legs = [
            {
              to: '101',
              trunkId: '',
              state: 'completed',
              startedAt: clock.now(),
              answeredAt: clock.now(),
              endedAt: clock.now(),
              sipCode: 0,
            },
          ]
        history.add(row)
        store.tables.calls.put(row.callId, row)
        added.push(row)
        clock.advance(60_000)
      }
    })
  }
}

async function forwards(query: HistoryQuery, limit: number): Promise<string[]> {
  const seen: string[] = []
  for (let since = 0; ;) {
    const { items, nextSince } = await history.page(since, limit, query)
    seen.push(...items.map(({ item }) => item.callId))
    if (items.length < limit) return seen
    since = nextSince
  }
}

async function backwards(query: HistoryQuery, limit: number): Promise<string[]> {
  const seen: string[] = []
  for (let before: number | null = null; ;) {
    const page = await history.pageBack(before, limit, query)
    seen.push(...page.items.map(({ callId }) => callId))
    if (page.nextBefore === null) return seen
    before = page.nextBefore
  }
}

t.test('pages in both directions hold every call that fits, once', async (t) => {
  await fill()
  const fits = (query: HistoryQuery, row: CallRow): boolean =>
    (query.number === undefined || row.from === query.number) &&
    (query.outcome === undefined || (query.outcome === 'busy') === (row.state === 'busy')) &&
    (query.customerId === undefined || row.customerId === query.customerId) &&
    (query.extension === undefined || row.legs !== undefined) &&
    (query.from === undefined || row.createdAt >= query.from) &&
    (query.to === undefined || row.createdAt < query.to)
  const time = fc.integer({ min: -10, max: 2310 }).map((minute) => added[0]!.createdAt + minute * 60_000)
  const query = fc.record(
    {
      customerId: fc.constantFrom('c 0', 'c 1'),
      number: fc.constantFrom(...numbers),
      outcome: fc.constant('busy' as const),
      extension: fc.constant('101'),
      from: time,
      to: time,
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(query, fc.integer({ min: 1, max: 700 }), async (asked, limit) => {
      const wanted = added.filter((row) => fits(asked, row)).map(({ callId }) => callId)
      if (JSON.stringify(await forwards(asked, limit)) !== JSON.stringify(wanted)) throw new Error('forwards')
      if (JSON.stringify(await backwards(asked, limit)) !== JSON.stringify(wanted.toReversed())) throw new Error('backwards')
    }),
    { numRuns: 60 },
  )
  t.equal((await forwards({}, 500)).length, 2300)
})

t.test('a call is found by its id, and its name is forgotten with its words', async (t) => {
  const { callId } = added[1234]!
  t.match(history.find(callId), { callId, callerName: 'ANN LEE' })
  await store.transaction(() => forgetCalls(store.tables, [callId]))
  t.match(history.find(callId), { callId, callerName: '', from: added[1234]!.from })
  t.equal(history.find('CA00000000000000000000000000000000'), undefined)
})

t.test('what is past its time goes, and nothing else', async (t) => {
  clock.advance(729 * dayMs)
  const removed = await history.sweep()
  const left = await forwards({}, 500)
  t.equal(removed + left.length, 2300)
  const oldest = clock.now() - 730 * dayMs
  t.same(
    left,
    added.filter(({ createdAt }) => createdAt >= oldest).map(({ callId }) => callId),
  )
  t.equal(await history.sweep(), 0)
})
