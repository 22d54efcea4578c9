/** What people look for in the history: part of a number, part of a name, a queue, and which callers were not called back. */
import t from 'tap'
import type { HistoryQuery } from '../../daemon/history/history.ts'
import type { CallRow } from '../../daemon/store/tables.ts'
import { stage, type Stage } from '../work/stage.ts'

const caller = (row: Partial<CallRow>): Partial<CallRow> => ({ answeredAt: 1, endReason: 'caller-hangup', ...row })

/** Seven calls, by name. */
async function filled(s: Stage): Promise<ReadonlyMap<string, string>> {
  const made: readonly [string, Partial<CallRow>][] = [
    ['ana missed', caller({ from: '+15551230001', callerName: 'Ana Ruíz', legs: [s.leg('101', '', false)] })],
    [
      'ben in the queue',
      caller({ from: '+15551230002', callerName: 'Ben Okafor', steps: [{ at: 1, to: 'queue:nurses', endedAt: null, outcome: '' }] }),
    ],
    [
      'ana called back',
      caller({
        direction: 'outbound',
        trunkId: '',
        extension: '101',
        from: '101',
        to: '+15551230001',
        legs: [s.leg('+15551230001', 'main', true)],
      }),
    ],
    [
      'ben not reached',
      caller({
        direction: 'outbound',
        trunkId: '',
        extension: '101',
        from: '101',
        to: '+15551230002',
        legs: [s.leg('+15551230002', 'main', false)],
      }),
    ],
    ['cleo talked', caller({ from: '+15559870003', callerName: 'Cleo', legs: [s.leg('102', '', true)] })],
    ['withheld', caller({ from: '', legs: [s.leg('101', '', false)] })],
    ['ana missed again', caller({ from: '+15551230001', callerName: 'Ana Ruíz', legs: [s.leg('101', '', false)] })],
  ]
  const names = new Map<string, string>()
  for (const [name, row] of made) names.set(await s.call(row), name)
  await s.history.start()
  return names
}

const looks: readonly [what: string, query: HistoryQuery, found: readonly string[]][] = [
  ['any part of a number', { q: '230001' }, ['ana missed again', 'ana called back', 'ana missed']],
  ['a number as people write it', { q: '(555) 123-0002' }, ['ben not reached', 'ben in the queue']],
  ['the extension that talked', { q: '102' }, ['cleo talked']],
  ['a part of a name', { q: 'oka' }, ['ben in the queue']],
  ['a name without its accents', { q: 'RUIZ' }, ['ana missed again', 'ana missed']],
  ['two digits, which are no number', { q: '55' }, []],
  ['signs alone', { q: '%' }, []],
  ['a queue', { queue: 'nurses' }, ['ben in the queue']],
  ['a queue of which the name begins so', { queue: 'nurse' }, []],
  ['callers who were called back', { returned: true }, ['ana missed']],
  ['callers who were not', { returned: false }, ['ana missed again', 'withheld', 'ben in the queue']],
  ['both at once', { returned: false, q: '230001' }, ['ana missed again']],
]

t.test('each look finds what fits, in both orders, and nothing else', async (t) => {
  const s = await stage(t)
  const names = await filled(s)
  for (const [what, query, found] of looks) {
    const back = await s.history.pageBack(null, 50, query)
    t.same(
      back.items.map(({ callId }) => names.get(callId)),
      found,
      what,
    )
    const { items } = await s.history.page(0, 50, query)
    t.same(
      items.map(({ item }) => names.get(item.callId)),
      found.toReversed(),
      `${what}, oldest first`,
    )
  }
})

t.test('each call that nobody took says who talked with the caller first since, and no other does', async (t) => {
  const s = await stage(t)
  const names = await filled(s)
  const again = await s.call(caller({ from: '+15551230001', legs: [s.leg('102', '', true)] }))
  const views = s.history.newest(50).map((row) => s.history.viewWithReturn(row))
  const returned = new Map(views.map((view) => [names.get(view.callId), view.returned]))
  t.match(returned.get('ana missed'), {
    callId: [...names].find(([, name]) => name === 'ana called back')![0],
    extension: '101',
    direction: 'outbound',
  })
  t.match(returned.get('ana missed again'), { callId: again, extension: '102', direction: 'inbound' })
  for (const name of ['withheld', 'ben in the queue']) t.equal(returned.get(name), null, name)
  for (const name of ['cleo talked', 'ana called back', 'ben not reached']) t.equal(returned.get(name), undefined, name)
})

t.test('pages of a filtered list are disjoint and whole, whatever their size', async (t) => {
  const s = await stage(t)
  const names = await filled(s)
  for (const limit of [1, 2, 3]) {
    const seen: string[] = []
    for (let before: number | null = null; ;) {
      const { items, nextBefore } = await s.history.pageBack(before, limit, { q: '230' })
      seen.push(...items.map(({ callId }) => names.get(callId)!))
      if (nextBefore === null) break
      before = nextBefore
    }
    t.same(seen, ['ana missed again', 'ben not reached', 'ana called back', 'ben in the queue', 'ana missed'], `by ${limit}`)
  }
})
