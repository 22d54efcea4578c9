/** What the Desk makes of the state of the house: which call stands where, and how one event changes the snapshot. */
import t from 'tap'
import { foldHouse } from '../../daemon/console/frame/fold-house.ts'
import { deedsOf, destinationOf, lampOf, placeOf, sorted, wordlessBy, type Call } from '../../daemon/console/pages/desk/model.ts'
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

t.test('of a call that is with nobody the page says what it does', async (t) => {
  const places: readonly [Partial<Call>, ReturnType<typeof placeOf>][] = [
    [{ steps: [{ at, to: 'menu:main', endedAt: null, outcome: '' }] }, 'inMenu'],
    [{ steps: [] }, 'inMenu'],
    [{ steps: [{ at, to: 'voicemail:101', endedAt: null, outcome: '' }] }, 'leavesMessage'],
    [{ steps: [{ at, to: 'fax', endedAt: null, outcome: '' }] }, 'sendsFax'],
    [{ direction: 'outbound', extension: '101' }, 'byWhom'],
    [{ direction: 'internal', extension: '101' }, 'byWhom'],
    [{ direction: 'outbound' }, 'byBox'],
  ]
  for (const [more, place] of places) t.equal(placeOf(call('CA1', more)), place, JSON.stringify(more))
  t.same(['off', 'failed', 'empty', 'done', undefined].map(wordlessBy), ['wordsOff', 'wordsFailed', 'noWords', 'noWords', 'noWords'])
})

t.test('a call stands once, whatever the record, the queue and the slots say of it', async (t) => {
  const records: readonly [what: string, call: Partial<Call>][] = [
    ...places.map(([what, more]): [string, Partial<Call>] => [what, more]),
    ['has no record', { callId: 'CA9' }],
  ]
  const waits = { ...deskExample.queues[0], id: 'nurses', name: 'Nurse line', members: [] }
  for (const [what, more] of records)
    for (const queued of ['no', 'waits', 'called back'] as const)
      for (const slot of [false, true])
        for (const own of ['101', null]) {
          const caller = { callId: 'CA1', state: queued, from: '+15551234567', callerName: 'Ana', since: at, ringing: [] }
          const queues = queued === 'no' ? [] : [{ ...waits, callers: [caller] }]
          const parking = slot
            ? [{ slot: '701', call: { callId: 'CA1', from: '+15551234567', callerName: 'Ana', since: at, by: '102' } }]
            : []
          const { mine, talk, waiting, elsewhere, parked, talking, others } = sorted(
            desk([call('CA1', more)], { queues, parking } as unknown as Partial<DeskView>),
            own,
          )
          const seen = [mine, talk === undefined ? [] : [talk], waiting, elsewhere, parked, talking, others]
          const times = seen.flatMap(ids).filter((id) => id === 'CA1').length
          const lives = more.state !== 'ended' && more.callId === undefined
          // Somebody who is to be called back, and a caller in a slot of which the record comes next, have a row without it.
          t.equal(times, lives || queued === 'called back' || slot ? 1 : 0, `${what}, in a queue: ${queued}, parked: ${slot}, of ${own}`)
        }
})

t.test('a caller of a queue who rings at the own phone, or talks by now, waits no more', async (t) => {
  const caller = (callId: string) => ({ callId, state: 'waits', from: '+15551234567', callerName: 'Ana', since: at, ringing: ['101'] })
  const queue = { id: 'nurses', name: 'Nurse line', members: [], callers: ['CA1', 'CA2', 'CA3'].map(caller) }
  const calls = [
    call('CA1', { legs: [leg('101', false)] }),
    call('CA2', { state: 'answered', legs: [leg('102', true)] }),
    call('CA3', { legs: [] }),
  ]
  const { mine, waiting, talking } = sorted(desk(calls, { queues: [queue] } as unknown as Partial<DeskView>), '101')
  t.same([ids(mine), ids(talking), ids(waiting)], [['CA1'], ['CA2'], ['CA3']])
})

t.test('the call by which a phone has taken another one is none of its own', async (t) => {
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

t.test('what the box does with a call is offered, and to park it where a slot is free and it is not parked', async (t) => {
  const free = { slot: '702', call: null }
  const taken = { slot: '701', call: { callId: 'CA2', from: '', callerName: '', since: at, by: '' } }
  const offered: readonly [deeds: Call['deeds'], parking: readonly object[], callId: string, offered: readonly string[]][] = [
    [undefined, [free], 'CA1', []],
    [[], [free], 'CA1', []],
    [['end'], [free], 'CA1', ['end']],
    [['take', 'move', 'end'], [free, taken], 'CA1', ['take', 'move', 'end', 'park']],
    [['take', 'move', 'end'], [taken], 'CA1', ['take', 'move', 'end']],
    [['take', 'move', 'end'], [free, taken], 'CA2', ['take', 'move', 'end']],
    [['move', 'end'], [], 'CA1', ['move', 'end']],
  ]
  for (const [deeds, parking, callId, wanted] of offered) {
    const one = call(callId, deeds === undefined ? {} : { deeds })
    t.same(deedsOf(one, desk([], { parking } as unknown as Partial<DeskView>)), wanted, JSON.stringify({ deeds, parking, callId }))
  }
  t.same(deedsOf(undefined, desk([])), [])
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
  mailbox: false,
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

t.test('a call is sent to a phone that can ring, else to its mailbox, else nowhere', async (t) => {
  const off = { ...phone, state: 'not registered' }
  t.equal(destinationOf(phone), '101')
  t.equal(destinationOf({ ...off, forwardAll: '102' }), '101')
  t.equal(destinationOf({ ...off, mailbox: true }), 'voicemail:101')
  t.equal(destinationOf(off), undefined)
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
