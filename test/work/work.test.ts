/** What people of the house have to do: what makes an item, what settles it, and what two people who change it at once get. */
import t from 'tap'
import { newCallId } from '../../daemon/base/ids.ts'
import type { CallRow, WorkRow } from '../../daemon/store/tables.ts'
import { stage, type Stage } from './stage.ts'

const change = { alongside: () => undefined, current: (row: WorkRow) => row }
const maria = { name: 'Maria', personId: 'p1' }
const kinds = (rows: readonly WorkRow[]): string[] => rows.map(({ kind, state, times }) => `${kind} ${state} ${times}`)

/** What a call that has ended leaves to do. */
const calls: readonly [what: string, row: (s: Stage) => Partial<CallRow>, left: readonly string[]][] = [
  ['a caller who gave up while it rang', ({ leg }) => ({ legs: [leg('101', '', false)] }), ['missed open 1']],
  ['a caller who gave up in a queue', () => ({ steps: [{ at: 1, to: 'queue:nurses', endedAt: null, outcome: '' }] }), ['missed open 1']],
  ['a caller who found it busy', ({ leg }) => ({ endReason: 'busy', legs: [leg('101', '', false)] }), ['missed open 1']],
  ['a caller who left a message', ({ leg }) => ({ voicemailId: 'v1', legs: [leg('101', '', false)] }), []],
  ['a caller to whom somebody talked', ({ leg }) => ({ legs: [leg('101', '', false), leg('102', '', true)] }), []],
  ['a caller who was put through to a doctor outside', ({ leg }) => ({ legs: [leg('+15559990000', 'main', true)] }), []],
  ['a fax', () => ({ steps: [{ at: 1, to: 'fax', endedAt: null, outcome: '' }] }), []],
  ['a caller whom a rule declined', () => ({ answeredAt: null, endReason: 'rejected', endedBy: 'system' }), []],
  ['a call of a colleague', ({ leg }) => ({ trunkId: '', extension: '102', from: '102', to: '101', legs: [leg('101', '', false)] }), []],
  [
    'a call to the outside that nobody took',
    ({ leg }) => ({ direction: 'outbound', extension: '101', legs: [leg('+15551234567', 'main', false)] }),
    [],
  ],
]

for (const [what, row, left] of calls) {
  t.test(`${what}: ${left[0] ?? 'nothing to do'}`, async (t) => {
    const s = await stage(t)
    await s.call({ answeredAt: s.clock.now(), endReason: 'caller-hangup', ...row(s) } as Partial<CallRow>)
    t.same(kinds(s.work.open()), left)
  })
}

/** What settles the missed calls of +15551234567. */
const talks: readonly [what: string, row: (s: Stage) => Partial<CallRow>, settled: boolean][] = [
  [
    'the house calls back and talks',
    ({ leg }) => ({
      direction: 'outbound',
      trunkId: '',
      extension: '101',
      from: '101',
      to: '+15551234567',
      legs: [leg('+15551234567', 'main', true)],
    }),
    true,
  ],
  ['the caller comes through at last', ({ leg }) => ({ legs: [leg('102', '', true)] }), true],
  [
    'the house calls back and nobody is there',
    ({ leg }) => ({
      direction: 'outbound',
      trunkId: '',
      extension: '101',
      from: '101',
      to: '+15551234567',
      legs: [leg('+15551234567', 'main', false)],
    }),
    false,
  ],
  ['the house talks with somebody else', ({ leg }) => ({ from: '+15557654321', legs: [leg('102', '', true)] }), false],
  ['the box itself reminds the caller', () => ({ direction: 'outbound', endpointId: 'reminders', to: '+15551234567' }), false],
]

for (const [what, row, settled] of talks) {
  t.test(`missed calls when ${what}: ${settled ? 'done' : 'still open'}`, async (t) => {
    const s = await stage(t)
    const id = await s.missed()
    const talk = await s.call({ answeredAt: s.clock.now(), endReason: 'caller-hangup', ...row(s) } as Partial<CallRow>)
    const item = s.work.get('missed', id)!
    t.equal(item.state, settled ? 'done' : 'open')
    if (settled) t.match(item.closed, { by: 'call', callId: talk })
  })
}

t.test('three missed calls of one number are one item; after it was settled the next one is another', async (t) => {
  const s = await stage(t)
  const first = await s.missed()
  await s.missed('+15557654321')
  await s.missed()
  const last = await s.missed()
  t.same(kinds(s.work.open()), ['missed open 3', 'missed open 1'], 'the oldest first')
  t.match(s.work.open()[0], { id: first, rev: 3, call: { callId: last } })
  await s.call({ answeredAt: s.clock.now(), legs: [s.leg('101', '', true)], endReason: 'caller-hangup' } as Partial<CallRow>)
  t.match(s.work.get('missed', first), { state: 'done', times: 3, rev: 4, closed: { by: 'call', name: '101' } })
  const again = await s.missed()
  t.match(s.work.get('missed', again), { state: 'open', times: 1 })
})

t.test('withheld numbers are one item, and no talk with another withheld number settles it', async (t) => {
  const s = await stage(t)
  await s.missed('')
  await s.missed('')
  await s.call({ from: '', answeredAt: s.clock.now(), legs: [s.leg('101', '', true)], endReason: 'caller-hangup' } as Partial<CallRow>)
  t.same(kinds(s.work.open()), ['missed open 2'])
})

t.test(
  'whatever happens with some numbers, there is one open item for each that was missed since the last talk, with the count',
  async (t) => {
    const s = await stage(t)
    const numbers = ['+15550000001', '+15550000002', '+15550000003']
    const expected = new Map<string, number>()
    let seed = 7
    const random = (n: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % n
    for (let turn = 0; turn < 120; turn += 1) {
      const number = numbers[random(numbers.length)]!
      const open = s.work.open().find(({ call }) => call?.number === number)
      switch (random(4)) {
        case 0:
        case 1:
          await s.missed(number)
          expected.set(number, (expected.get(number) ?? 0) + 1)
          break
        case 2:
          await s.call({
            from: number,
            answeredAt: s.clock.now(),
            legs: [s.leg('101', '', true)],
            endReason: 'caller-hangup',
          } as Partial<CallRow>)
          expected.delete(number)
          break
        default:
          if (open === undefined) break
          await s.work.change('missed', open.id, { rev: open.rev, state: 'done' }, maria, change)
          expected.delete(number)
      }
      const rows = s.work.open().map(({ call, times }) => [call?.number, times] as const)
      t.same(new Map(rows), expected)
      t.equal(rows.length, expected.size, 'none twice')
    }
  },
)

t.test('what is received is something to do until it is deleted; what the box has answered by itself is not', async (t) => {
  const s = await stage(t)
  const text = await s.text()
  for (const keyword of ['STOP', 'START', 'HELP'] as const) await s.text({ keyword })
  await s.text({ keyword: 'CANCEL' })
  const message = await s.voicemail('100')
  t.same(kinds(s.work.open()), ['text open 1', 'text open 1', 'voicemail open 1'])
  t.match(s.views.view(s.work.get('voicemail', message)!), {
    number: '+15551234567',
    callerName: 'Ana',
    item: { transcript: 'Hi', heard: false },
  })
  await s.inbox.remove('sms', text, () => undefined)
  await s.inbox.remove('voicemails', message, () => undefined)
  t.same([s.work.get('text', text), s.work.get('voicemail', message)], [undefined, undefined])
})

t.test('what is past its time in the inbox is nothing to do any more', async (t) => {
  const s = await stage(t)
  await s.voicemail('100')
  await s.text()
  s.clock.advance(91 * 86_400_000)
  await s.inbox.sweep()
  t.same(s.work.open(), [])
})

t.test(
  'a caller who asks to be called back is one item, whatever became of the call; the box settles it, or says that it could not',
  async (t) => {
    const s = await stage(t)
    const [one, other] = [newCallId(), newCallId()]
    await s.wish(one, 'kept')
    await s.missed('+15551234567', { callId: one })
    t.same(kinds(s.work.open()), ['callback open 1'])
    await s.wish(one, 'given-up')
    t.match(s.work.get('callback', one), { state: 'open', call: { givenUp: true } })
    await s.wish(other, 'kept')
    await s.wish(other, 'reached')
    t.match(s.work.get('callback', other), { state: 'done', closed: { by: 'call' } })
  },
)

t.test('of two who change one item the second learns what it is by now, and by whom it was done', async (t) => {
  const s = await stage(t)
  const id = await s.missed()
  await s.work.change('missed', id, { rev: 1, note: 'Wants Thursday' }, maria, change)
  const both = await Promise.allSettled([
    s.work.change('missed', id, { rev: 2, state: 'done' }, maria, change),
    s.work.change('missed', id, { rev: 2, state: 'done' }, { name: 'Jon', personId: 'p2' }, change),
  ])
  t.match(both[0], { status: 'fulfilled', value: { rev: 3, note: 'Wants Thursday', closed: { by: 'person', name: 'Maria' } } })
  t.match(both[1], {
    status: 'rejected',
    reason: { code: 'changed_meanwhile', status: 409, message: /^Maria has done this/, extra: { current: { rev: 3 } } },
  })
  await s.work.change('missed', id, { rev: 3, state: 'open' }, maria, change)
  t.match(s.work.get('missed', id), { state: 'open', closed: null, rev: 4 }, 'and it can be taken back')
  await s.missed()
  t.match(s.work.get('missed', id), { times: 2, rev: 5 }, 'further calls are of that item again')
})

t.test('refused: an item that is not there, an owner that is nobody', async (t) => {
  const s = await stage(t)
  const id = await s.missed()
  await t.rejects(s.work.change('missed', 'nobody', { rev: 1, state: 'done' }, maria, change), { code: 'work_unknown', status: 404 })
  await t.rejects(s.work.change('missed', '../x', { rev: 1, state: 'done' }, maria, change), { code: 'work_unknown' })
  await t.rejects(s.work.change('missed', id, { rev: 1, owner: 'nobody' }, maria, change), { code: 'person_unknown' })
  t.match(s.work.get('missed', id), { rev: 1, owner: null }, 'and nothing is changed')
})

t.test('what was done is forgotten after a month, open calls with the history of calls, what was received with its item', async (t) => {
  const s = await stage(t)
  const [done, open] = [await s.missed(), await s.missed('+15557654321')]
  await s.work.change('missed', done, { rev: 1, state: 'done' }, maria, change)
  const day = 86_400_000
  s.clock.advance(29 * day)
  t.equal(await s.work.sweep(), 0)
  s.clock.advance(2 * day)
  t.equal(await s.work.sweep(), 1)
  t.equal(await s.work.sweepOpen(730 * day), 0)
  s.clock.advance(730 * day)
  t.equal(await s.work.sweepOpen(730 * day), 1)
  t.same([s.work.get('missed', done), s.work.get('missed', open)], [undefined, undefined])
  await s.missed('+15557654321')
  t.same(kinds(s.work.open()), ['missed open 1'], 'and the number begins again')
})
