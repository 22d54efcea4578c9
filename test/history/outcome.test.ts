/** What became of a call, by its row. */
import t from 'tap'
import { directionOf, outcomeOf } from '../../daemon/history/outcome.ts'
import { historyOf } from '../../daemon/history/record.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import type { CallLegRow, CallRow, CallStepRow } from '../../daemon/store/tables.ts'

const began = Date.UTC(2026, 2, 2, 14, 5, 10)
const leg = (to: string, more: Partial<CallLegRow> = {}): CallLegRow => ({
  to,
  trunkId: '',
  state: 'no-answer',
  startedAt: began + 2000,
  answeredAt: null,
  endedAt: began + 20_000,
  sipCode: 0,
  ...more,
})
const talked = (to: string, trunkId = ''): CallLegRow =>
  leg(to, { trunkId, state: 'completed', answeredAt: began + 12_000, endedAt: began + 42_000 })
const step = (to: string, outcome = ''): CallStepRow => ({ at: began, to, endedAt: outcome === '' ? null : began + 5000, outcome })
const row = (more: Partial<CallRow>): CallRow => ({
  ...newCallRow(began, 'inbound'),
  from: '+15551230001',
  to: '+15550001000',
  trunkId: 'main',
  state: 'completed',
  answeredAt: began + 1000,
  endedAt: began + 45_000,
  endReason: 'caller-hangup',
  endedBy: 'caller',
  ...more,
})
const unanswered = { answeredAt: null } as const
const phone = { trunkId: '', extension: '101', from: '101' } as const

const table: [string, CallRow, string, string][] = [
  ['a phone took it', row({ legs: [leg('101'), talked('102')], steps: [step('group:front')] }), 'inbound', 'answered'],
  ['a number outside took it', row({ legs: [talked('+15551230009', 'main')] }), 'inbound', 'answered'],
  ['rang, and the caller left', row({ ...unanswered, state: 'canceled', endReason: 'canceled', legs: [leg('101')] }), 'inbound', 'missed'],
  ['rang out, and was told so', row({ endReason: 'no-answer', endedBy: 'system', steps: [step('101', 'no-answer')] }), 'inbound', 'missed'],
  ['left a message', row({ steps: [step('101', 'no-answer'), step('voicemail:101')] }), 'inbound', 'voicemail'],
  ['left while waiting', row({ steps: [step('queue:nurses')] }), 'inbound', 'abandoned'],
  ['left in a menu', row({ steps: [step('menu:main')] }), 'inbound', 'abandoned'],
  ['an application took care of it', row({ endpointId: 'reception', endReason: 'document-end', endedBy: 'app' }), 'inbound', 'app'],
  ['the application failed', row({ endpointId: 'reception', endReason: 'app-error', endedBy: 'system' }), 'inbound', 'failed'],
  ['a fax', row({ steps: [step('fax')], endedBy: 'system', endReason: 'document-end' }), 'inbound', 'fax'],
  ['no rule', row({ ...unanswered, state: 'failed', endReason: 'no-route', endedBy: 'system' }), 'inbound', 'rejected'],
  [
    'a menu was heard, then a phone took it',
    row({ steps: [step('menu:main', 'answered'), step('102')], legs: [talked('102')] }),
    'inbound',
    'answered',
  ],
  ['phone to phone', row({ ...phone, to: '102', legs: [talked('102')] }), 'internal', 'answered'],
  ['phone to phone, busy', row({ ...phone, ...unanswered, to: '102', state: 'busy', endReason: 'busy' }), 'internal', 'busy'],
  [
    'phone to phone, given up',
    row({ ...phone, ...unanswered, to: '102', state: 'canceled', endReason: 'canceled' }),
    'internal',
    'canceled',
  ],
  ['phone to a mailbox', row({ ...phone, to: '102', steps: [step('102', 'no-answer'), step('voicemail:102')] }), 'internal', 'voicemail'],
  ['phone to the outside', row({ ...phone, to: '+15551230009', legs: [talked('+15551230009', 'main')] }), 'outbound', 'answered'],
  [
    'phone to the outside, refused before any trunk was asked',
    row({
      ...phone,
      ...unanswered,
      to: '+19005551234',
      state: 'failed',
      endReason: 'no-route',
      steps: [step('external:+19005551234', 'failed')],
    }),
    'outbound',
    'failed',
  ],
  [
    'placed by an application',
    row({ direction: 'outbound', endpointId: 'reception', endReason: 'callee-hangup', endedBy: 'callee' }),
    'outbound',
    'answered',
  ],
  [
    'placed, nobody answered',
    row({ direction: 'outbound', ...unanswered, state: 'no-answer', endReason: 'no-answer' }),
    'outbound',
    'no-answer',
  ],
  [
    'placed, and canceled',
    row({ direction: 'outbound', ...unanswered, state: 'canceled', endReason: 'api', endedBy: 'app' }),
    'outbound',
    'canceled',
  ],
  ['placed, declined', row({ direction: 'outbound', ...unanswered, state: 'busy', endReason: 'rejected' }), 'outbound', 'rejected'],
]
for (const [name, call, direction, outcome] of table)
  t.test(`${name}: ${direction}, ${outcome}`, async (t) => {
    t.equal(directionOf(call), direction)
    t.equal(outcomeOf(call), outcome)
  })

t.test('who talked, how long it waited for a person and how long they talked', async (t) => {
  const record = historyOf(row({ legs: [leg('101'), talked('102')] }), began + 50_000)
  t.match(record, { extension: '102', answeredAt: began + 12_000, ringSeconds: 12, talkSeconds: 30 })
  const missed = historyOf(row({ ...unanswered, state: 'canceled', endReason: 'canceled' }), began + 50_000)
  t.match(missed, { extension: '', answeredAt: null, ringSeconds: 45, talkSeconds: 0 })
  const outside = historyOf(row({ ...phone, legs: [talked('+15551230009', 'backup')] }), began + 50_000)
  t.match(outside, { extension: '101', trunkId: 'backup' })
})
