/** Who has a number: exact, by its end, several, nobody; and what the look-ups of the interface say of it. */
import t from 'tap'
import { finds } from '../../daemon/schema/history.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { openDirectory, phone } from './stage.ts'

t.test('a number fits whole, by its end where it was stored without a country, several parties, or nobody', async (t) => {
  const { directory, give } = await openDirectory(t)
  await give(
    { id: 'ana', name: 'Ana Ruiz', phones: [phone('(555) 123-4567'), phone('+442079460018', 'work')] },
    { id: 'bo', name: 'Bo Li', phones: [phone('+15551230002')] },
    { id: 'cy', name: 'Cy Li', phones: [phone('+15551230002')] },
    { id: 'old', name: 'Old Li', status: 'inactive', phones: [phone('+15551230002'), phone('+15551230009')] },
    { id: 'dee', name: 'Dee Fox', phones: [phone('700 900 123')] },
  )
  for (const [number, type, names] of [
    ['+15551234567', 'exact', ['Ana Ruiz']],
    ['+442079460018', 'exact', ['Ana Ruiz']],
    ['+15551230002', 'ambiguous', ['Bo Li', 'Cy Li']],
    ['+15551230009', 'exact', ['Old Li']],
    ['+44700900123', 'suffix', ['Dee Fox']],
    ['700900123', 'suffix', ['Dee Fox']],
    ['+15551239999', 'none', []],
    ['90012', 'none', []],
    ['', 'none', []],
    ['anonymous', 'none', []],
  ] as const) {
    const match = directory.match(number)
    t.same([match.type, match.parties.map(({ name }) => name)], [type, names], number)
  }
  t.match(directory.known('+15551234567'), { name: 'Ana Ruiz', customerId: 'ana', matchType: 'exact' })
  t.match(directory.known('+44700900123'), { name: 'Dee Fox?', matchType: 'suffix' })
  t.equal(directory.known('+15551230002'), null, 'no name where it may be another')
})

t.test('people find a party by a part of its name, its company or a number, and not more than they asked for', async (t) => {
  const { directory, give } = await openDirectory(t)
  await give(
    { id: 'ana', name: 'Ána Ruiz', phones: [phone('(555) 123-4567')] },
    { id: 'bo', name: 'Bo Li', company: 'Ruiz Imaging', phones: [phone('+15551230002')] },
    { id: 'cy', name: 'Cy Li', phones: [phone('+15551230003')] },
  )
  const find = async (q: string, most = 50, signal = new AbortController().signal): Promise<string[]> =>
    (await directory.find(finds(q), { most, signal })).map(({ id }) => id)
  t.same(await find('ana'), ['ana'], 'whatever the accents')
  t.same(await find('RUIZ'), ['ana', 'bo'])
  t.same(await find('555 123'), ['ana', 'bo', 'cy'])
  t.same(await find('555', 1), ['ana', 'bo'], 'one more says that there are more')
  t.same(await find('555', 50, AbortSignal.abort()), [], 'nobody waits any more')
})

t.test('a party that changes its numbers is found by the new ones alone; one that goes by none', async (t) => {
  const { store, directory, give } = await openDirectory(t)
  await give({ id: 'ana', name: 'Ana Ruiz', phones: [phone('+15551234567')] })
  t.match(await give({ id: 'ana', name: 'Ana Ruiz', phones: [phone('+15551234567')] }), { created: 0, updated: 0, skipped: 1 })
  t.match(await give({ id: 'ana', name: 'Ana Ruiz', phones: [phone('+15551234568')] }), { updated: 1 })
  t.equal(directory.match('+15551234567').type, 'none')
  t.equal(directory.match('+15551234568').type, 'exact')
  t.ok(await store.transaction(() => directory.remove('ana')))
  t.equal(directory.match('+15551234568').type, 'none')
  t.same([...store.tables.partyNumbers.range()], [])
})

t.test('an id that another one begins with, and numbers of which one begins another, stay apart', async (t) => {
  const { directory, give } = await openDirectory(t)
  await give(
    { id: 'a', name: 'A', phones: [phone('+4930123456')] },
    { id: 'a b', name: 'A B', phones: [phone('+49301234567')] },
    { id: 'a!', name: 'A!', phones: [phone('+4930123456')] },
  )
  t.same(
    directory.match('+49301234567').parties.map(({ id }) => id),
    ['a b'],
  )
  t.same(
    directory.match('+4930123456').parties.map(({ id }) => id),
    ['a', 'a!'],
  )
})

t.test('the look-ups have the party, their calls by any of their numbers, and who looks after them', async (t) => {
  const { store, clock, history, give, lookup } = await openDirectory(t)
  await give({
    id: 'ana',
    name: 'Ana Ruiz',
    phones: [phone('+15551234567'), phone('+15551234568', 'home')],
    ownerExtension: '101',
    url: 'https://crm.lan/p/1',
  })
  for (let i = 0; i < 12; i++) {
    await store.transaction(() => {
      const row = newCallRow(clock.now(), 'inbound')
      history.add({
        ...row,
        from: i % 2 === 0 ? '+15551234567' : '+15551234568',
        trunkId: 'main',
        state: 'completed',
        endedAt: clock.now(),
      })
    })
    clock.advance(60_000)
  }
  t.match(lookup.basic('555-123-4567'), {
    number: '+15551234567',
    found: true,
    matchType: 'exact',
    matchCount: 1,
    customer: { id: 'ana', name: 'Ana Ruiz', status: 'active', url: 'https://crm.lan/p/1' },
    source: 'local',
    stale: false,
  })
  const { recentCalls, lastInteractionAt, assignedUser } = lookup.enhanced('%2B15551234567')
  t.equal(recentCalls.length, 5)
  t.same(
    recentCalls.map(({ startedAt }) => startedAt),
    recentCalls
      .map(({ startedAt }) => startedAt)
      .toSorted()
      .reverse(),
    'newest first',
  )
  t.equal(recentCalls[0]!.startedAt, '2026-03-02T00:11:00.000Z')
  t.equal(lastInteractionAt, '2026-03-02T00:11:00.000Z')
  t.same(assignedUser, { name: 'Front desk', extension: '101' })
  t.match(lookup.card('+15551234568'), { name: 'Ana Ruiz', status: 'active' })
  t.equal(lookup.card('+15551234568').recentCalls.length, 10)
  t.match(lookup.card('+15559999999'), { found: false, matchType: 'none', name: '', customer: null, recentCalls: [], source: 'none' })
  for (const withheld of ['anonymous', 'unknown', 'Anonymous']) t.match(lookup.basic(withheld), { found: false, number: '' })
  for (const empty of ['hello', ' ', '']) t.throws(() => lookup.basic(empty), { code: 'validation_failed' })
})

t.test('calls of before are found by their numbers once they were read', async (t) => {
  const { store, clock, history } = await openDirectory(t)
  for (let i = 0; i < 1203; i++)
    await store.transaction(() => {
      history.add({ ...newCallRow(clock.now(), 'inbound'), from: `+1555123${String(i % 3).padStart(4, '0')}`, endedAt: clock.now() })
    })
  await store.transaction(() => {
    for (const { key } of [...store.tables.historyNumbers.range()]) store.tables.historyNumbers.remove(key)
  })
  t.same(history.withNumber('+15551230001', 10), [])
  await history.start()
  t.equal(history.withNumber('+15551230001', 500).length, 401)
  clock.advance(731 * 86_400_000)
  t.equal(await history.sweep(), 1203)
  t.same([...store.tables.historyNumbers.range()], [], 'nothing is left of what is past its time')
})

t.test('a number of more than fifty parties names nobody, is read no further, and is said', async (t) => {
  const { give, directory, lookup } = await openDirectory(t)
  const crowd = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `c${at}`, name: `Somebody ${at}`, phones: [phone('5550000000')] }))
  await give(...crowd(50), { id: 'own', name: 'Ana Ruiz', phones: [phone('5551230001'), phone('5551230002')] })
  t.match(directory.match('+15550000000'), { type: 'ambiguous', parties: { length: 50 } })
  t.same(await directory.shared(), { ambiguous: 1, crowded: [] })
  await give(...crowd(400))
  t.same(directory.match('+15550000000'), { type: 'none', parties: [] })
  t.same(directory.known('+15550000000'), null)
  t.match(lookup.card('+15550000000'), { found: false, matchType: 'none', name: '' })
  t.match(await directory.shared(), { ambiguous: 1, crowded: ['+15550000000'] })
  t.equal(directory.known('+15551230001')?.name, 'Ana Ruiz')
})
