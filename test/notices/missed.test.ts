/** Notices of calls that nobody took: who is notified, once, and how many come as one. */
import t from 'tap'
import { newId } from '../../daemon/base/ids.ts'
import { MissedCalls } from '../../daemon/notices/missed.ts'
import type { CallRecordView } from '../../daemon/schema/history.ts'
import { eventually } from '../harness/scene.ts'
import { open } from './stage.ts'

const missed = (facts: object = {}): CallRecordView =>
  ({
    ...{ callId: newId(), rev: 1, direction: 'inbound', state: 'ended', outcome: 'missed', from: '+15551230001', to: '+15550001000' },
    ...{ startedAt: '2026-03-02T14:05:11Z', endedAt: '2026-03-02T14:05:31Z', legs: [], recordings: [] },
    ...{ steps: [{ at: '2026-03-02T14:05:11Z', to: '101', endedAt: null, outcome: '' }] },
    ...facts,
  }) as unknown as CallRecordView

const step = (...places: string[]) => ({ steps: places.map((to) => ({ at: '2026-03-02T14:05:11Z', to, endedAt: null, outcome: '' })) })
const leg = (answeredAt: string | null) => ({
  legs: [{ to: '102', trunkId: '', startedAt: '2026-03-02T14:05:11Z', answeredAt, endedAt: null, sipCode: 0 }],
})

const missedTable: readonly [what: string, facts: object, to: readonly string[]][] = [
  ['an extension', {}, ['101@example.com']],
  ['a group, whose phones are no calls of their own', { ...step('group:front'), ...leg(null) }, ['group@example.com']],
  ['a queue that the caller left', { ...step('queue:nurses'), outcome: 'abandoned' }, ['queue@example.com']],
  ['a group and then an extension', step('group:front', '101'), ['101@example.com', 'group@example.com']],
  ['the same twice', step('101', 'hours:office', '101'), ['101@example.com']],
  ['a mailbox without a message', { ...step('voicemail:101'), outcome: 'voicemail' }, ['101@example.com']],
  ['a mailbox with a message', { ...step('101', 'voicemail:101'), outcome: 'voicemail', voicemailId: newId() }, []],
  ['answered elsewhere', { ...step('101', 'group:front'), ...leg('2026-03-02T14:05:20Z'), outcome: 'answered' }, []],
  ['a fax', { ...step('101', 'fax'), outcome: 'fax' }, []],
  ['a colleague', { direction: 'internal' }, []],
  ['one that is not over', { state: 'ringing' }, []],
  ['a note to a call of before', { rev: 3 }, []],
  ['an extension without it', step('102'), []],
]

t.test('a call that nobody took: who is notified', async (t) => {
  const { config, store, clock, ways, notices } = await open(t, [], {
    extensions: [
      { number: '101', name: 'Front desk', password: 'a-long-password', notifyMissed: { mail: '101@example.com' } },
      { number: '102', password: 'a-long-password' },
    ],
    ringGroups: [{ id: 'front', name: 'Reception', members: ['101', '102'], notifyMissed: { mail: 'group@example.com' } }],
    queues: [{ id: 'nurses', members: ['101'], notifyMissed: { mail: 'queue@example.com' } }],
  })
  const watch = new MissedCalls({ config, store, notices: notices() })
  for (const [what, facts, to] of missedTable) {
    ways.mails.length = 0
    await store.transaction(() => watch.changed(missed(facts)))
    await eventually('nothing waits', () => store.tables.voicemailNotices.count() === 0)
    await eventually(what, () => ways.mails.length >= to.length)
    t.same(ways.mails.map((mail) => mail.to).toSorted(), [...to].toSorted(), what)
    clock.advance(600_000)
  }
})

t.test('many missed calls are a mail at once and one for the rest of ten minutes', async (t) => {
  const { config, store, clock, ways, notices } = await open(t, [], {
    extensions: [{ number: '101', name: 'Front desk', password: 'a-long-password', notifyMissed: { mail: '101@example.com' } }],
  })
  const watch = new MissedCalls({ config, store, notices: notices() })
  await store.transaction(() => watch.changed(missed()))
  await eventually('the first at once', () => ways.mails.length === 1)
  t.equal(ways.mails[0]?.subject, 'Missed call for Front desk (101) from +15551230001')
  for (const from of ['+15551230002', '', '+15551230004']) await store.transaction(() => watch.changed(missed({ from })))
  await eventually('they wait', () => clock.pending === 3)
  clock.advance(600_000)
  await eventually('nothing waits', () => store.tables.voicemailNotices.count() === 0)
  await eventually('the rest', () => ways.mails.length === 2)
  t.equal(ways.mails[1]?.subject, '3 missed calls for Front desk (101)')
  t.match(ways.mails[1]?.text, /\+15551230002\n.*withheld number\n.*\+15551230004\n$/)
})
