/** The list of all customers while it is being taken. */
import t from 'tap'
import { Customers } from '../../daemon/crm/sync/customers.ts'
import { atOnce, WholeList } from '../../daemon/crm/sync/whole-list.ts'
import { openDirectory } from './stage.ts'

t.test('how many there are is known with the first of a page, not after the last', async (t) => {
  const { store, clock, directory } = await openDirectory(t)
  const site = { country: 'US', timeZone: 'America/New_York' }
  const list = new WholeList({
    ...{ store, clock },
    customers: new Customers({ config: { site } as never, store, clock, directory, moved: () => undefined }),
  })
  const customers = Array.from({ length: 4 * atOnce }, (_, n) => ({
    ...{ id: `c_${n}`, kind: 'person', name: `Person ${n}`, status: 'active', version: '1', source: 'crm' },
    ...{ phones: [{ number: `+1555${1_000_000 + n}`, label: 'mobile' }], updatedAt: '2026-03-01T09:00:00Z' },
  }))
  let over = false
  const total = customers.length
  const taken = list.take({ syncId: 'whole', from: 'box', customers: customers as never, cursor: null, last: true, total })
  void taken.finally(() => (over = true))
  const totals = new Set<number | null>()
  let looks = 0
  while (!over) {
    const { state } = list
    if (state !== undefined && state.endedAt === null) looks += totals.add(state.total).size > 0 ? 1 : 0
    await new Promise(setImmediate)
  }
  await taken
  t.ok(looks > 0, 'it was looked at in the middle')
  t.same([...totals], [total])
})
