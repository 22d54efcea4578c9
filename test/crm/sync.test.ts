/** The directory kept as a CRM has it: read whole at night, what changed every five minutes, and not led astray by a CRM that lies. */
import fc from 'fast-check'
import t from 'tap'
import { Crm as LyingCrm } from '../harness/crm.ts'
import { minute, party, stage } from './sync-stage.ts'
import { eventually } from '../harness/waiting.ts'

t.test('all are read at the start, what changed every five minutes, and all again in the night', async (t) => {
  const { put, after, asked, ids, directory, box, crm, clock } = await stage(t, 1201)
  await after(3, 10_000)
  t.equal((await ids()).length, 1201)
  t.match(
    asked().map(({ cursor }) => cursor),
    [null, 'c_00499', 'c_00999'],
  )
  t.match(box().list.state, { endedAt: Number, fault: '', seen: 1201, total: 1201 })
  put(party(7, 2000, { name: 'Changed' }), party(8, 2001, { deleted: true }), party(2000, 1))
  await after(1, 5 * minute)
  t.match(asked().at(-1), { changedSince: String, cursor: null })
  t.equal(directory.get('c_00007')?.name, 'Changed')
  t.equal(directory.get('c_00008'), undefined)
  t.equal(directory.count(), 1201)
  t.equal(box().sync.lastDeltaAt, clock.now())
  delete crm.data.customers['c_00009']
  await after(1, 5 * minute)
  t.ok(directory.get('c_00009'), 'who is missing is missed in a whole list alone')
  t.equal(asked().filter(({ changedSince }) => changedSince === undefined).length, 3)
  // It is 19:10 in New York.
  await after(1, 7 * 60 * minute)
  await after(3, 5 * minute)
  t.equal(directory.get('c_00009'), undefined)
})

t.test('who changed while the pages came is asked for, though somebody of a later page changed after them', async (t) => {
  const { put, after, hook, box, directory, clock } = await stage(t, 1201)
  hook.set({ at: '/sync/full', slowMs: 200 })
  const read = after(3, 10_000)
  await eventually('a page is read', () => box().list.state?.cursor != null)
  // The first page has been read; the last one, where the newest change is, has not.
  put(party(7, 2000, { name: 'Changed' }), party(1009, 1900, { name: 'Changed later' }))
  clock.advance(5000)
  await read
  t.equal(directory.get('c_01009')?.name, 'Changed later')
  t.equal(directory.get('c_00007')?.name, 'Person 7 v1', 'as they were when their page came')
  hook.set({})
  await after(1, 5 * minute)
  t.equal(directory.get('c_00007')?.name, 'Changed')
  put(party(8, 2100, { name: 'Changed too' }))
  await after(1, 5 * minute)
  t.equal(directory.get('c_00008')?.name, 'Changed too', 'and the next time as always')
})

t.test('a list that is cut off in the middle goes on there, over a restart', async (t) => {
  const { hook, after, asked, ids, box, restart, clock } = await stage(t, 1201)
  let pages = 0
  const set = hook.set
  hook.set({ at: '/sync/full', slowMs: 200 })
  clock.advance(10_000)
  await eventually('a page is read', () => box().list.state?.cursor != null)
  await box().stop()
  pages = asked().length
  const { cursor, endedAt } = box().list.state!
  t.equal(endedAt, null)
  t.not(cursor, null)
  set({})
  await restart()
  await after(1, 10_000)
  t.equal(asked()[pages]?.cursor, cursor, 'it begins where it was')
  await eventually('the list is read', () => box().list.state?.endedAt != null)
  t.equal((await ids()).length, 1201)
})

t.test('a CRM that is away is asked again, and one that is switched off is not asked', async (t) => {
  const { hook, after, ids, box, switched, asked, clock } = await stage(t, 3, { status: 500 })
  await after(1, 10_000)
  t.same(await ids(), [])
  switched(false)
  hook.set({})
  const before = asked().length
  clock.advance(5 * minute)
  await t.rejects(box().sync.full(), { code: 'integration_disabled' })
  await t.rejects(
    box().sync.one('c_00001', () => undefined),
    { code: 'integration_disabled' },
  )
  switched(true)
  await after(1, 5 * minute)
  t.equal(asked().length, before + 1, 'not while it was off')
  t.equal((await ids()).length, 3)
})

t.test('by hand: all, once at a time; one, whose answer is so', async (t) => {
  const { hook, put, box, directory, crm } = await stage(t, 3)
  hook.set({ slowMs: 100 })
  await box().sync.full()
  await t.rejects(box().sync.full(), { code: 'sync_running' })
  await eventually('the list is read', () => box().list.state?.endedAt != null)
  hook.set({})
  put(party(1, 1, { version: 'other', name: 'At the same time' }))
  t.match(await box().sync.one('c_00001', () => undefined), { result: 'updated', version: 'other' })
  t.equal(directory.get('c_00001')?.name, 'At the same time')
  await t.rejects(
    box().sync.one('nobody', () => undefined),
    { code: 'customer_unknown' },
  )
  crm.data.customers['c_00002']!.deleted = true
  t.match(await box().sync.one('c_00002', () => undefined), { result: 'deleted' })
  hook.set({ status: 405 })
  await t.rejects(
    box().sync.one('c_00001', () => undefined),
    { code: 'not_supported' },
  )
})

t.test('a CRM that lies: nobody is lost, and nothing goes on for ever', async (t) => {
  const { hook, after, ids, box, directory } = await stage(t, 8)
  const night = async (pages: number) => {
    await box().sync.full()
    await after(pages, 0)
    await eventually('the list is read', () => box().list.state?.endedAt != null)
    return box().list.state!
  }
  await night(1)
  t.equal((await ids()).length, 8)
  hook.set({ lie: 'shrinking-list' })
  t.match(await night(1), { fault: 'suspicious shrink', seen: 2, before: 8 })
  t.equal((await ids()).length, 8)
  hook.set({ lie: 'duplicate-ids' })
  t.match(await night(1), { fault: '', seen: 8 })
  t.same(
    (await ids()).map((id) => directory.get(id)!.name).filter((name) => name.endsWith('II')),
    [],
  )
  hook.set({ lie: 'same-cursor' })
  t.match(await night(1), { fault: 'pages without end' })
  hook.set({ lie: 'old-version' })
  t.match(await night(1), { fault: '' })
  t.same(
    (await ids()).map((id) => directory.get(id)!.name).filter((name) => name.startsWith('Old')),
    [],
    'and the CRM was asked for each by themselves',
  )
  for (const lie of ['no-json', 'wrong-shape'] as const) {
    hook.set({ lie })
    await box().sync.full()
    await after(1, 0)
    t.equal((await ids()).length, 8, lie)
  }
  hook.set({})
  await after(1, 5 * minute)
  t.equal((await ids()).length, 8)
})

t.test('one customer that cannot be read stays as they were, and the others are taken', async (t) => {
  const { box, put, directory, after } = await stage(t, 3)
  await box().sync.full()
  await after(0, 0)
  await eventually('the list is read', () => box().list.state?.endedAt != null)
  put(party(1, 50, { name: '' }), party(2, 50, { status: 'sleeping' as never }))
  await box().sync.full()
  await after(1, 0).catch(() => undefined)
  await eventually('the list is read', () => box().list.state?.endedAt != null)
  t.equal(directory.get('c_00001')?.name, 'Person 1 v1')
  t.match(directory.get('c_00002'), { name: 'Person 2 v50', status: 'active' }, 'what of them can be read is')
  t.ok(box().client.misfits.count('page') >= 2)
  t.match(box().client.misfits.last, { request: 'page', path: /^\/customers\/\d+\/(name|status)$/ })
})

const nobody = '+15559990001'
const none = () => undefined

t.test('a name that was typed is that of a number nobody else has, and is taken back', async (t) => {
  const { box, directory, lookup, put, after, store } = await stage(t, 1)
  await after(1, 15_000)
  t.match(await box().names.name('(555) 999-0001', 'Ana\u0007 Ruiz ', none), { number: nobody, name: 'Ana Ruiz', result: 'created' })
  t.match(directory.known(nobody), { name: 'Ana Ruiz', matchType: 'exact' })
  t.match(lookup.basic(nobody), { source: 'local', customer: { name: 'Ana Ruiz' } })
  t.match(await box().names.name(nobody, 'Ana Ruiz', none), { result: 'unchanged' })
  t.match(await box().names.name(nobody, 'Ana Ruiz de Leon', none), { result: 'updated' })
  put({ ...party(7, 60), phones: [{ number: nobody, label: 'home' }] })
  await after(1, 5 * minute)
  t.match(directory.known(nobody), { customerId: 'c_00007' }, 'who the CRM says has the number goes before')
  await t.rejects(box().names.name(nobody, '', none), { code: 'validation_failed' })
  await store.transaction(() => directory.remove('c_00007'))
  t.match(await box().names.name(nobody, '', none), { result: 'deleted' })
  t.equal(directory.known(nobody), null)
  await t.rejects(box().names.name(nobody, '', none), { code: 'validation_failed' })
  for (const wrong of ['anonymous', '12', '101']) await t.rejects(box().names.name(wrong, 'Ana', none), { code: 'number_invalid' }, wrong)
})

t.test('the name of a customer of the CRM is proposed to it, and what it answers is so', async (t) => {
  const { box, directory, crm, hook, after, clock, restart, store } = await stage(t, 3)
  await after(1, 15_000)
  const number = directory.get('c_00001')!.phones[0]!.number
  const proposed = () =>
    hook.heard.filter(({ path, body }) => path.endsWith('/c_00001/sync') && (body as { name?: string }).name !== undefined)
  t.match(await box().names.name(number, 'Ana Ruiz', none), { customerId: 'c_00001', result: 'proposed' })
  await box().proposals.send()
  t.match([crm.data.customers['c_00001'], directory.get('c_00001')], [{ name: 'Ana Ruiz' }, { name: 'Ana Ruiz', source: 'crm' }])
  t.equal(proposed().length, 1)
  hook.set({ at: 'c_00001/sync', status: 503 })
  await box().names.name(number, 'Ana Maria Ruiz', none)
  await box().proposals.send()
  t.match(directory.get('c_00001'), { name: 'Ana Ruiz' }, 'the CRM was not reached: as it was')
  const keys = new Set(
    proposed()
      .slice(1)
      .map(({ headers }) => headers['idempotency-key']),
  )
  await restart()
  hook.set({})
  await after(1, 5 * minute)
  t.match(directory.get('c_00001'), { name: 'Ana Maria Ruiz' })
  t.equal(
    new Set(
      proposed()
        .slice(1)
        .map(({ headers }) => headers['idempotency-key']),
    ).size,
    1,
  )
  t.equal(keys.size, 1, 'one key over all attempts')
  hook.set({ at: 'c_00001/sync', status: 409 })
  await box().names.name(number, 'Somebody Else', none)
  await box().proposals.send()
  t.match(directory.get('c_00001'), { name: 'Ana Maria Ruiz' })
  t.equal(store.tables.partyProposals.count(), 0, 'it was refused, and is not asked again')
  hook.set({ at: 'c_00001/sync', status: 503 })
  await box().names.name(number, 'Too Late', none)
  await box().proposals.send()
  await clock.advance(15 * 24 * 60 * minute)
  await box().proposals.send()
  t.equal(store.tables.partyProposals.count(), 0)
})

interface Turn {
  readonly do: 'crm' | 'box' | 'gone' | 'away' | 'back' | 'send' | 'restart'
  readonly who: number
}

const turn: fc.Arbitrary<Turn> = fc.record({
  do: fc.constantFrom<Turn['do'][]>('crm', 'crm', 'box', 'box', 'box', 'gone', 'away', 'back', 'send', 'restart'),
  who: fc.nat({ max: 3 }),
})

t.test('whatever both sides edit, and whenever the CRM is away or the box is restarted, both have the same in the end', async (t) => {
  const { box, directory, crm, put, hook, restart, store } = await stage(t, 4)
  const all = async () => {
    await box().sync.full()
    await eventually('all is read', () => !box().sync.busy, undefined, 2)
  }
  await all()
  let edits = 100
  let proposed = 0
  // The CRM counts up what it has with each proposal, and no version may be of two contents.
  const edited = (who: number) => party(who, ++edits, { version: `${edits}000` })
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 14 }), async (turns) => {
      for (const one of turns) {
        if (one.do === 'crm') put(edited(one.who))
        // Of a list with less than half of them the box would remove nobody.
        else if (one.do === 'gone' && Object.keys(crm.data.customers).length > 2) delete crm.data.customers[party(one.who).id]
        else if (one.do === 'away') hook.set({ status: 503 })
        else if (one.do === 'back') hook.set({})
        else if (one.do === 'send') await box().proposals.send()
        else if (one.do === 'restart') await restart()
        else if (one.do === 'box') {
          const { result } = await box().names.name(party(one.who).phones[0]!.number, `Desk ${++edits}`, none)
          if (result === 'proposed') proposed++
        }
      }
      hook.set({})
      await restart()
      await box().proposals.send()
      await all()
      if (store.tables.partyProposals.count() > 0) throw new Error('a proposal is left')
      const theirs = Object.values(crm.data.customers).map(({ id, name, version }) => [id, name, version])
      const ours = [...store.tables.parties.range()].map(({ value: { id, name, version } }) => [id, name, version])
      const known = ours.filter(([id]) => !id!.startsWith('local-'))
      if (JSON.stringify(known) !== JSON.stringify(theirs.toSorted()))
        throw new Error(`${JSON.stringify(known)} for ${JSON.stringify(theirs)}`)
      // The next run begins with all of them.
      for (let who = 0; who < 4; who++) if (crm.data.customers[party(who).id] === undefined) put(edited(who))
      await all()
    }),
    { numRuns: 40 },
  )
  t.ok(proposed > 20, `${proposed} names were proposed`)
  t.ok(directory.count() >= 4)
})

const paged = (from: number, count: number, nextCursor: string | null) => ({
  customers: Array.from({ length: count }, (_, at) => ({ ...party(from + at), junk: 'x'.repeat(1000) })),
  nextCursor,
})
for (const [what, page, known] of [
  ['whose cursors come again', (at: number) => paged(at * 10, 10, `page ${(at + 1) % 3}`), 40],
  ['whose next page has nobody new', (at: number) => paged(0, 10, `page ${at}`), 10],
  ['whose pages are long, and then come again', (at: number) => paged(at * 200, 200, `page ${(at + 1) % 2}`), 600],
] as const)
  t.test(`a CRM ${what} is not followed: who came stays, nobody is removed, and it is said`, async (t) => {
    const liar = await LyingCrm.open()
    t.teardown(() => liar.close())
    let pages = 0
    liar.manner = ({ path }) => (path === 'sync/full' ? { body: page(pages++) } : { body: {} })
    const { box, ids, store } = await stage(t, 0, {}, liar.url)
    await store.transaction(() => void box().customers.take(party(99_999) as never))
    await box().sync.full()
    await eventually('the list is read', () => box().list.state?.endedAt != null)
    t.match(box().list.state, { fault: 'pages without end', seen: known })
    t.equal((await ids()).length, known + 1)
    t.notOk(JSON.stringify(store.tables.parties.get('c_00001')).includes('junk'), 'what the contract does not have is not kept')
  })
