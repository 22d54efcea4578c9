/** Customers that the CRM sends: what comes later wins, a list removes whom it does not have, and nothing is lost by what comes twice or late. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { Customers } from '../../daemon/crm/sync/customers.ts'
import { WholeList } from '../../daemon/crm/sync/whole-list.ts'
import { CallRecords } from '../../daemon/history/records.ts'
import type { CrmParty } from '../../daemon/schema/crm-answers.ts'
import { openDirectory, phone } from './stage.ts'

const began = Date.UTC(2026, 2, 1)
const dayMs = 86_400_000

function customer(id: string, version: number, more: Partial<CrmParty> = {}): CrmParty {
  const updatedAt = new Date(began + version * 1000).toISOString()
  const phones = [{ number: `+1555123${id.slice(2).padStart(4, '0')}`, label: 'mobile' as const }]
  return { id, kind: 'person', name: `${id} v${version}`, status: 'active', phones, version: String(version), updatedAt, ...more }
}

async function stage(t: Test) {
  const opened = await openDirectory(t)
  const { store, clock, directory, history } = opened
  const config = { site: { country: 'US' } } as never
  const records = new CallRecords({ store, clock, history, live: () => undefined })
  const moved = (from: string, to: string) => records.moveToParty(from, to)
  const open = () => {
    const customers = new Customers({ config, store, clock, directory, moved })
    return { customers, list: new WholeList({ store, clock, customers }) }
  }
  let now = open()
  const send = (one: CrmParty, sure = false) =>
    store.transaction(() => {
      const taken = now.customers.take(one, { sure })
      now.list.mark(one.id)
      return taken
    })
  const page = (syncId: string, customers: readonly CrmParty[], last = true, cursor: string | null = null) =>
    now.list.take({ syncId, from: 'crm', customers, last, cursor })
  const called = async (callId: string, customerId: string) => {
    const times = { startedAt: clock.now(), answeredAt: null, endedAt: clock.now(), ringSeconds: 0, talkSeconds: 0 }
    const facts = {
      direction: 'inbound',
      outcome: 'missed',
      from: '+15551239999',
      to: '+15557654321',
      callerName: '',
      trunkId: '',
    } as const
    const rest = { extension: '', userId: undefined, externalRef: undefined, endedBy: 'caller', sipCode: 0, notes: [] } as const
    await records.log({ callId, rev: 1, customerId, ...facts, ...times, ...rest })
  }
  return { ...opened, send, page, called, now: () => now, restart: () => (now = open()) }
}

t.test('the later version wins; an earlier one, and another one of the same time, change nothing and are counted', async (t) => {
  const { send, directory, now, lookup } = await stage(t)
  t.equal(await send(customer('c_1', 2)), 'created')
  t.equal(await send(customer('c_1', 2)), 'unchanged')
  t.equal(await send(customer('c_1', 1)), 'conflict')
  t.equal(await send({ ...customer('c_1', 2), version: 'other' }), 'conflict')
  t.equal(now().customers.conflicts(), 1)
  t.equal(directory.get('c_1')?.name, 'c_1 v2')
  t.equal(await send({ ...customer('c_1', 2), version: 'other', name: 'As asked' }, true), 'updated', 'the answer to a question wins')
  t.equal(now().customers.conflicts(), 0)
  t.equal(await send(customer('c_1', 3, { phones: [phone('(555) 123-0009') as never] })), 'updated')
  t.match(lookup.basic('+15551230009'), { found: true, customer: { id: 'c_1' } })
  t.match(lookup.basic('+15551230001'), { found: false }, 'the number of before')
})

t.test('who is deleted is gone, and no late word brings them back; a later one does', async (t) => {
  const { send, directory, store, clock, now } = await stage(t)
  await send(customer('c_1', 1))
  t.equal(await send(customer('c_1', 3, { deleted: true })), 'deleted')
  t.equal(directory.get('c_1'), undefined)
  t.equal(await send(customer('c_1', 3, { deleted: true })), 'unchanged')
  t.equal(await send(customer('c_1', 2)), 'conflict')
  t.equal(directory.get('c_1'), undefined)
  t.equal(await send(customer('c_1', 4)), 'created')
  await send(customer('c_1', 5, { deleted: true }))
  await clock.advance(89 * dayMs)
  t.equal(await now().customers.sweep(), 0)
  await clock.advance(2 * dayMs)
  t.equal(await now().customers.sweep(), 1)
  t.equal(store.tables.partiesGone.count(), 0)
})

t.test('the calls of who is put together with another one go along, in whatever order that is told', async (t) => {
  for (const order of [
    ['c_1', 'c_2'],
    ['c_2', 'c_1'],
  ]) {
    const { send, called, history } = await stage(t)
    for (const id of ['c_1', 'c_2', 'c_3']) await send(customer(id, 1))
    await called('CA019a5b3c4d5e7f808192a3b4c5d6e7f8', 'c_1')
    const into: Record<string, string> = { c_1: 'c_2', c_2: 'c_3' }
    for (const id of order) await send(customer(id, 2, { mergedInto: into[id]! }))
    t.match(history.find('CA019a5b3c4d5e7f808192a3b4c5d6e7f8'), { customerId: 'c_3' }, order.join())
    t.ok(history.find('CA019a5b3c4d5e7f808192a3b4c5d6e7f8')!.rev! > 1)
  }
})

t.test('a whole list removes whom it does not have; imports, and who was told of meanwhile, stay', async (t) => {
  const { send, page, give, directory, restart, now, ids } = await stage(t)
  await give({ id: 'imported', name: 'Im Ported' })
  for (const n of [1, 2, 3, 4]) await send(customer(`c_${n}`, 1))
  t.match(await page('a', [customer('c_1', 1), customer('c_2', 2)], false, 'c_2'), { unchanged: 1, updated: 1, deleted: 0 })
  t.equal(now().list.state?.cursor, 'c_2')
  restart()
  await send(customer('c_9', 1))
  await t.rejects(page('b', [], false), { code: 'sync_running' })
  t.match(await page('a', [customer('c_1', 1), customer('c_2', 2)], false, 'c_2'), { unchanged: 2 }, 'a page again')
  t.match(await page('a', [customer('c_3', 1)]), { unchanged: 1, deleted: 1, shrunk: false })
  t.same(await ids(), ['c_1', 'c_2', 'c_3', 'c_9', 'imported'])
  t.match(await page('a', [customer('c_3', 1)]), { unchanged: 1, deleted: 0 }, 'the last page again')
  t.match(
    await page(
      'b',
      [1, 2, 3, 4].map((n) => customer(`c_${n}`, n === 2 ? 2 : 1)),
    ),
    { created: 1, deleted: 1 },
    'c_4 is back, c_9 is not',
  )
  t.match(await give({ id: 'c_1', name: 'Other' }), { errors: [{ error: /belongs to the CRM/ }] })
})

t.test('a list of less than half removes nobody', async (t) => {
  const { send, page, directory, now } = await stage(t)
  for (const n of [1, 2, 3, 4, 5]) await send(customer(`c_${n}`, 1))
  t.match(
    await page(
      'a',
      [1, 2].map((n) => customer(`c_${n}`, 1)),
    ),
    { deleted: 0, shrunk: true },
  )
  t.equal(directory.count(), 5)
  t.match(now().list.state, { fault: 'suspicious shrink', wholeAt: 0, seen: 2, before: 5 })
  t.match(
    await page(
      'b',
      [1, 2, 3].map((n) => customer(`c_${n}`, 1)),
    ),
    { deleted: 2, shrunk: false },
  )
  t.match(now().list.state, { fault: '' })
  t.match(
    await page(
      'c',
      [1, 1, 1].map((n) => customer(`c_${n}`, 1)),
    ),
    { shrunk: true },
    'one three times is one',
  )
})

t.test('a list that is not ended gives way to another one after a quarter of an hour', async (t) => {
  const { page, clock, directory, ids } = await stage(t)
  await page('a', [customer('c_1', 1)], false)
  await clock.advance(14 * 60_000)
  await t.rejects(page('b', [customer('c_2', 1)]), { code: 'sync_running' })
  await clock.advance(2 * 60_000)
  t.match(await page('b', [customer('c_2', 1)]), { created: 1, deleted: 1 })
  t.same(await ids(), ['c_2'])
})

interface Step {
  readonly do: 'edit' | 'delete' | 'merge' | 'told' | 'late' | 'page' | 'restart'
  readonly who: number
  /** With whom; on a page, so many. */
  readonly other: number
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom<Step['do'][]>('edit', 'edit', 'delete', 'merge', 'merge', 'told', 'told', 'late', 'page', 'page', 'restart'),
  who: fc.nat({ max: 4 }),
  other: fc.nat({ max: 3 }),
})

t.test(
  'whatever the CRM edits, deletes and merges, and whenever it is told of, a last list makes both the same',
  { timeout: 240_000 },
  async (t) => {
    const { send, page, called, restart, store, directory, history, clock } = await stage(t)
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const prefix = ++run * 10
        const idOf = (n: number) => `c_${prefix + n}`
        const crm = new Map<string, CrmParty>()
        /** Every version that there ever was: any of them may arrive late. */
        const past: CrmParty[] = []
        let version = run * 1000
        let walk: { syncId: string; after: string } | null = null
        const put = (id: string, more: Partial<CrmParty> = {}) => {
          const one = customer(id, ++version, more)
          past.push(one)
          crm.set(id, one)
        }
        const present = () => [...crm.values()].filter((one) => one.deleted !== true && one.mergedInto === undefined)
        const here = (id: string) => present().some((one) => one.id === id)
        const calls: [string, string][] = []
        const highest = new Map<string, number>()
        for (let n = 0; n < 4; n++) {
          put(idOf(n))
          const callId = `CA${(prefix + n).toString(16).padStart(32, '0')}`
          await called(callId, idOf(n))
          calls.push([callId, idOf(n)])
        }
        for (const one of steps) {
          if (one.do === 'edit') {
            if (crm.get(idOf(one.who))?.mergedInto === undefined) put(idOf(one.who))
          } else if (one.do === 'delete') {
            if (here(idOf(one.who))) put(idOf(one.who), { deleted: true })
          } else if (one.do === 'merge') {
            if (one.who !== one.other && here(idOf(one.who)) && here(idOf(one.other))) put(idOf(one.who), { mergedInto: idOf(one.other) })
          } else if (one.do === 'told') {
            const now = crm.get(idOf(one.who))
            if (now !== undefined) await send(now)
          } else if (one.do === 'late') {
            await send(past[(one.who * 7) % past.length]!)
          } else if (one.do === 'restart') restart()
          else {
            walk ??= { syncId: `walk-${version}-${run}`, after: '' }
            const rest = present()
              .filter(({ id }) => id > walk!.after)
              .toSorted((a, b) => (a.id < b.id ? -1 : 1))
            const some = rest.slice(0, one.other + 1)
            const last = rest.length <= one.other + 1
            await page(walk.syncId, some, last, some.at(-1)?.id ?? null)
            walk = last ? null : { ...walk, after: some.at(-1)!.id }
          }
          for (const { value } of store.tables.parties.range()) {
            if (Number(value.version) < (highest.get(value.id) ?? 0)) throw new Error(`${value.id} went back to ${value.version}`)
            highest.set(value.id, Number(value.version))
          }
        }
        // The CRM reports its merged and deleted customers once more at the end; an earlier list may have been cut off.
        for (const one of crm.values()) if (!here(one.id)) await send(one)
        await clock.advance(16 * 60_000)
        await page(`last-${run}`, present())
        const kept = [...store.tables.parties.range()].map(({ value }) => [value.id, value.version])
        const wanted = present().map(({ id, version: is }) => [id, is])
        if (JSON.stringify(kept.toSorted()) !== JSON.stringify(wanted.toSorted()))
          throw new Error(`${JSON.stringify(kept)} for ${JSON.stringify(wanted)}`)
        for (const [callId, first] of calls) {
          let heir = first
          while (crm.get(heir)?.mergedInto !== undefined) heir = crm.get(heir)!.mergedInto!
          const is = history.find(callId)?.customerId
          if (is !== heir) throw new Error(`the call of ${first} is that of ${is}, not ${heir}`)
        }
        // The next run begins with nobody.
        for (const one of present())
          await send({ ...one, deleted: true, version: `end-${run}`, updatedAt: new Date(began + ++version * 1000).toISOString() })
      }),
      { numRuns: 150 },
    )
    t.pass('150 histories')
  },
)
