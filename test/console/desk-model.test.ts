/** What the Desk makes of the state of the house: which call stands where, and how one event changes the snapshot. */
import t from 'tap'
import { foldHouse } from '../../daemon/console/frame/fold-house.ts'
import { lampOf, sorted, type Call } from '../../daemon/console/pages/desk/model.ts'
import { patience } from '../../daemon/console/pieces/queues.ts'
import { deskExample, type DeskView } from '../../daemon/schema/desk.ts'
import { callExample } from '../../daemon/schema/history.ts'
import { workExample } from '../../daemon/schema/work.ts'

type Leg = Call['legs'][number]
const at = '2026-03-02T14:05:10.000Z'
const leg = (to: string, answered: boolean, more: Partial<Leg> = {}): Leg => ({
  ...{ to, trunkId: '', startedAt: at, answeredAt: answered ? at : null, endedAt: null, sipCode: 0, ...more },
})
const call = (callId: string, more: Partial<Call>): Call => ({ ...callExample, callId, startedAt: at, ...more })
const desk = (calls: readonly Call[], more: Partial<DeskView> = {}): DeskView => ({
  ...deskExample,
  calls: [...calls],
  parking: [],
  ...more,
})
const ids = (list: readonly { readonly callId: string }[]): string[] => list.map(({ callId }) => callId)

/** Where a call stands on the page of 101. */
const places: readonly [what: string, call: Partial<Call>, place: 'mine' | 'talk' | 'elsewhere' | 'talking' | 'others' | 'nowhere'][] = [
  ['rings at the own phone', { legs: [leg('101', false)] }, 'mine'],
  ['rings at the own phone and another', { legs: [leg('102', false), leg('101', false)] }, 'mine'],
  ['rang at the own phone, and rings at another now', { legs: [leg('101', false, { endedAt: at }), leg('102', false)] }, 'elsewhere'],
  ['rings at another phone', { legs: [leg('102', false)] }, 'elsewhere'],
  ['the own phone talks', { state: 'answered', legs: [leg('101', true)] }, 'talk'],
  ['the own phone holds the caller', { state: 'held', legs: [leg('101', true)] }, 'talk'],
  [
    'the own phone has called outside',
    { state: 'answered', direction: 'outbound', extension: '101', legs: [leg('+15559998888', true, { trunkId: 'main' })] },
    'talk',
  ],
  [
    'the own phone has left, and a colleague talks',
    { state: 'answered', legs: [leg('101', true, { endedAt: at }), leg('102', true)] },
    'talking',
  ],
  ['is in a menu', { legs: [] }, 'others'],
  ['a menu or a mailbox has answered', { state: 'answered', legs: [] }, 'others'],
  ['a menu has answered, and rings at a phone now', { state: 'answered', legs: [leg('102', false)] }, 'elsewhere'],
  ['a menu has answered, and rings at the own phone now', { state: 'answered', legs: [leg('101', false)] }, 'mine'],
  ['was forwarded to a number outside', { state: 'answered', legs: [leg('+15559998888', true, { trunkId: 'main' })] }, 'talking'],
  ['has ended', { state: 'ended', legs: [leg('101', false)] }, 'nowhere'],
]

for (const [what, more, place] of places) {
  t.test(`a call that ${what}: ${place}`, async (t) => {
    const { mine, talk, elsewhere, talking, others } = sorted(desk([call('CA1', more)]), '101')
    const seen = {
      mine: ids(mine),
      talk: ids(talk === undefined ? [] : [talk]),
      elsewhere: ids(elsewhere),
      talking: ids(talking),
      others: ids(others),
    }
    t.same(seen, {
      ...{ mine: [], talk: [], elsewhere: [], talking: [], others: [] },
      ...(place === 'nowhere' ? {} : { [place]: ['CA1'] }),
    })
  })
}

t.test('a call stands once: parked or waiting before all else; the call by which it was picked up is none', async (t) => {
  const parking = [{ slot: '701', call: { callId: 'CA1', from: '+15551234567', callerName: 'Ana', since: at, by: '102' } }]
  const parked = sorted(desk([call('CA1', { state: 'answered', legs: [leg('102', true, { endedAt: at })] })], { parking }), '101')
  t.same([ids(parked.parked), ids(parked.talking), ids(parked.others)], [['CA1'], [], []])
  const picked = call('CA1', { state: 'answered', legs: [leg('101', false, { endedAt: at }), leg('102', true)] })
  const by = call('CA2', {
    direction: 'internal',
    from: '102',
    to: '*8',
    extension: '102',
    state: 'answered',
    startedAt: '2026-03-02T14:05:20.000Z',
  })
  const both = sorted(desk([picked, { ...by, legs: [leg('+15551234567', true, { trunkId: 'main' })] }]), '101')
  t.same([ids(both.talking), both.count], [['CA1'], 1])
})

t.test('a caller who waits is amber after the time, red after twice', async (t) => {
  const since = '2026-03-02T14:00:00.000Z'
  t.same(
    [59, 60, 119, 120].map((s) => patience(since, Date.parse(since) + s * 1000, 60)),
    ['calm', 'amber', 'amber', 'red'],
  )
})

const phone = {
  number: '101',
  name: 'Front',
  state: 'registered',
  talking: false,
  doNotDisturb: false,
  forwardAll: null,
  forwardBusy: null,
  forwardNoAnswer: null,
}
const lamps: readonly [what: string, extension: object, calls: readonly Call[], lamp: string][] = [
  ['talks', {}, [call('CA1', { state: 'answered', legs: [leg('101', true)] })], 'talk'],
  ['rings', {}, [call('CA1', { legs: [leg('101', false)] })], 'ring'],
  ['wants no calls', { doNotDisturb: true }, [], 'dnd'],
  ['has no phone that is on', { state: 'not registered' }, [], 'off'],
  ['does nothing', {}, [], 'free'],
]
for (const [what, extension, calls, lamp] of lamps)
  t.test(`a colleague who ${what}: ${lamp}`, async (t) => {
    t.equal(lampOf({ ...phone, ...extension }, calls).lamp, lamp)
  })

const event = (topic: string, data: object) => ({ topic, data: { topic, ...data } })

t.test('an event puts the new state of one thing in its place', async (t) => {
  const before = desk([call('CA1', {})], { extensions: [phone] })
  t.same(foldHouse(before, event('calls', { id: 'CA1', callId: 'CA1', state: 'answered' }))!.calls.length, 1)
  t.same(ids(foldHouse(before, event('calls', { id: 'CA2', callId: 'CA2', state: 'ringing' }))!.calls), ['CA1', 'CA2'])
  t.same(foldHouse(before, event('calls', { id: 'CA1', callId: 'CA1', state: 'ended' }))!.calls, [])
  t.same(foldHouse(before, event('calls', { id: 'CA1', gone: true }))!.calls, [])
  t.same(foldHouse(before, event('calls', { id: 'CA9', gone: true }))!.calls.length, 1)
  t.match(foldHouse(before, event('extensions', { ...phone, id: '101', doNotDisturb: true }))!.extensions, [{ doNotDisturb: true }])
  t.match(foldHouse(before, event('box', { id: 'box', ok: false, text: 'x' }))!.box, { ok: false })
  t.equal(foldHouse(before, event('box', { id: 'E1', kind: 'event' })), before)
  t.equal(foldHouse(before, event('reminders', { id: 'R1' })), undefined, 'read again')
})

t.test('counts of work follow its items as long as all are shown; else the page reads again', async (t) => {
  const before = desk([])
  const other = { ...workExample, id: 'CA2', at: '2026-03-02T13:00:00.000Z' }
  const added = foldHouse(before, event('work', other))!
  t.same(
    [added.work.counts.missed, ids(added.work.items.map(({ id }) => ({ callId: id })))],
    [2, ['CA2', workExample.id]],
    'the oldest first',
  )
  const done = foldHouse(added, event('work', { ...other, state: 'done' }))!
  t.same([done.work.counts.missed, done.work.items.length], [1, 1])
  t.equal(foldHouse(done, event('work', { ...other, state: 'done' })), done)
  t.same(foldHouse(added, event('work', { kind: 'missed', id: 'CA2', gone: true }))!.work.counts.missed, 1)
  const more = { ...before, work: { ...before.work, counts: { ...before.work.counts, fax: 70 } } }
  t.equal(foldHouse(more, event('work', other)), undefined)
  t.match(
    foldHouse(more, event('work', { ...workExample, note: 'new' })),
    { work: { items: [{ note: 'new' }] } },
    'what is shown changes at once',
  )
})
