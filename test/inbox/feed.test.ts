import fc from 'fast-check'
import t from 'tap'
import { Feed } from '../../daemon/inbox/feed.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { copyOf, emptyDisk, MemoryStore } from './memory-store.ts'

interface Item {
  id: string
}

const hourMs = 3_600_000

/** Resolved promises have run their callbacks. */
const turn = async (): Promise<void> => {
  for (let n = 0; n < 4; n++) await Promise.resolve()
}

t.test('every poller gets every item once, in order, whatever writers, crashes, clocks and restores do', async (t) => {
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), count: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('commit' as const), count: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('poll' as const), who: fc.nat(2), limit: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('clock' as const), ms: fc.integer({ min: -48 * hourMs, max: 5000 }) }) },
    { weight: 2, arbitrary: fc.constant({ do: 'crash' as const }) },
    { weight: 1, arbitrary: fc.constantFrom({ do: 'backup' as const }, { do: 'restore' as const }) },
  )
  let polls = 0
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const clock = new FakeClock(1_772_460_311_000)
      let store = new MemoryStore<Item>(emptyDisk())
      let feed = new Feed<Item>('sms', store, clock)
      let backup = copyOf(store.disk)
      let number = 0
      let highest = 0
      let restoredAt = 0
      const acknowledged = new Set<string>()
      const pollers = [0, 1, 2].map(() => ({ cursor: 0, seen: [] as { seq: number; id: string }[] }))
      const open = (disk = store.disk): void => {
        store = new MemoryStore<Item>(disk)
        feed = new Feed<Item>('sms', store, clock)
      }
      const poll = async (who: number, limit: number): Promise<number> => {
        const poller = pollers[who]!
        const asked = feed.page(poller.cursor, limit)
        await Promise.resolve()
        store.commit()
        const page = await asked
        if (page.nextSince < poller.cursor) throw new Error('the cursor went back')
        poller.cursor = page.nextSince
        highest = Math.max(highest, page.nextSince)
        for (const { seq, item } of page.items) poller.seen.push({ seq, id: item.id })
        polls += 1
        return page.items.length
      }
      for (const act of actions) {
        switch (act.do) {
          case 'write':
            for (let n = 0; n < act.count; n++) {
              const id = `item ${number++}`
              void store.transaction(() => feed.insert({ id })).then(() => acknowledged.add(id))
            }
            break
          case 'commit':
            store.commit(act.count)
            break
          case 'poll':
            await poll(act.who, act.limit)
            break
          case 'clock':
            clock.set(Math.max(restoredAt, clock.now() + act.ms))
            break
          case 'crash':
            open()
            break
          case 'backup':
            backup = copyOf(store.disk)
            break
          case 'restore':
            // Restoring a backup sets the clock: from then on it is later than all that was handed out.
            restoredAt = Math.max(clock.now(), highest, ...[...store.disk.items.keys()].map(Number)) + 1
            clock.set(restoredAt)
            await turn()
            acknowledged.clear()
            open(copyOf(backup))
        }
      }
      store.commit()
      await turn()
      const stored = [...store.disk.items.values()].map((item) => (item as Item).id)
      for (const id of acknowledged) if (!stored.includes(id)) throw new Error(`${id} was acknowledged and is not there`)
      for (const [who, { seen }] of pollers.entries()) {
        while ((await poll(who, 3)) > 0);
        const ids = seen.map(({ id }) => id)
        if (new Set(ids).size !== ids.length) throw new Error('an item came twice')
        if (seen.some(({ seq }, at) => at > 0 && seq <= seen[at - 1]!.seq)) throw new Error('out of order')
        for (const id of stored) if (!ids.includes(id)) throw new Error(`poller ${who} never got ${id}`)
      }
    }),
    { numRuns: 10_000 },
  )
  t.ok(polls > 30_000, `${polls} polls`)
})

t.test('the cursor', async (t) => {
  const clock = new FakeClock(1_772_460_311_000)
  const store = new MemoryStore<Item>(emptyDisk())
  const feed = new Feed<Item>('sms', store, clock)
  t.same(await feed.page(0, 50), { items: [], nextSince: 0 })
  const insert = async (id: string): Promise<void> => {
    const done = store.transaction(() => feed.insert({ id }))
    store.commit()
    await done
  }
  await insert('a')
  await insert('b')
  t.match(await feed.page(0, 1), { items: [{ item: { id: 'a' } }], nextSince: 1_772_460_311_000 }, 'is the time of the item')
  t.match(await feed.page(0, 50), { nextSince: 1_772_460_311_001 }, 'or the next number')
  const odd = await feed.page(0, 50, ({ id }) => id === 'a')
  t.equal(odd.nextSince, 1_772_460_311_001, 'a filtered poll moves on past what it does not see')
  clock.set(5)
  await insert('c')
  t.match(await feed.page(odd.nextSince, 50), { items: [{ seq: 1_772_460_311_002, item: { id: 'c' } }] }, 'the clock was set back')
  clock.set(1_772_460_400_000)
  await t.rejects(feed.page(clock.now() + 25 * hourMs, 50), { code: 'cursor_from_the_future', status: 422 })
  await t.rejects(feed.page(Number.MAX_SAFE_INTEGER, 50), { code: 'cursor_from_the_future' })
  const ahead = clock.now() + 23 * hourMs
  const raised = feed.page(ahead, 50)
  store.commit()
  t.same(await raised, { items: [], nextSince: ahead })
  await insert('d')
  t.match(await feed.page(ahead, 50), { items: [{ seq: ahead + 1, item: { id: 'd' } }] }, 'what comes after is above it')
  const purge = feed.purge(
    ({ id }) => id < 'c',
    () => undefined,
  )
  // What came when the clock said 1970 gets its date first.
  store.commit()
  await turn()
  store.commit()
  t.equal((await purge).length, 2)
  t.match(await feed.page(0, 50), { items: [{ item: { id: 'c' } }, { item: { id: 'd' } }] })
})
