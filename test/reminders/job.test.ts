/** The life of one reminder as a machine, and what its text says. */
import fc from 'fast-check'
import t from 'tap'
import type { ReminderCallResult } from '../../daemon/reminders/caller.ts'
import { isTerminal, step, type ReminderInput, type ReminderMoment } from '../../daemon/reminders/job.ts'
import { firstName } from '../../daemon/base/person-name.ts'
import { reminderText } from '../../daemon/reminders/ledger.ts'
import type { ReminderRow } from '../../daemon/store/tables.ts'

const now = Date.parse('2026-03-02T15:00:00Z')
const minuteMs = 60_000

const fresh: ReminderRow = {
  reminderId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
  externalRef: 'A-5',
  customerName: 'Jane Doe',
  rawNumber: '555-123-0001',
  number: '+15551230001',
  appointmentAt: now + 24 * 60 * minuteMs,
  serviceName: '',
  staffName: '',
  statusCallbackUrl: '',
  language: '',
  timeZone: '',
  sms: false,
  state: 'scheduled',
  outcome: null,
  reason: '',
  nextAttemptAt: now,
  attempts: 0,
  busy: 0,
  lastCallId: '',
  recorded: '',
  createdAt: now,
  dialedAt: null,
  answeredAt: null,
  completedAt: null,
  smsSent: false,
}

const always: ReminderMoment = { now, mostAttempts: 3, open: (earliest) => earliest }
const never: ReminderMoment = { ...always, open: () => null }
const dialing = step(fresh, { type: 'dial', callId: 'CA1' }, always)
const inCall = step(dialing, { type: 'answered', at: now }, always)
const recorded = step(inCall, { type: 'decided', outcome: 'confirmed', reason: 'keypad' }, always)
const ended = (result: ReminderCallResult): ReminderInput => ({ type: 'ended', result })

t.test('from state to state', async (t) => {
  const retried = step(dialing, ended({ kind: 'busy' }), always)
  const table: [string, ReminderRow, ReminderInput, ReminderMoment, Partial<ReminderRow>][] = [
    ['a plan moves', fresh, { type: 'plan', at: now + 5 }, always, { state: 'scheduled', nextAttemptAt: now + 5 }],
    [
      'dialled',
      fresh,
      { type: 'dial', callId: 'CA1' },
      always,
      { state: 'dialing', attempts: 1, lastCallId: 'CA1', nextAttemptAt: null, dialedAt: now },
    ],
    ['answered', dialing, { type: 'answered', at: now }, always, { state: 'in-call', answeredAt: now }],
    [
      'decided',
      inCall,
      { type: 'decided', outcome: 'confirmed', reason: 'speech' },
      always,
      { state: 'in-call', recorded: 'confirmed speech' },
    ],
    ['what was recorded counts', recorded, ended({ kind: 'failed', text: 'x' }), always, { outcome: 'confirmed', reason: 'keypad' }],
    ['no answer', dialing, ended({ kind: 'no-answer' }), always, { state: 'waiting-retry', nextAttemptAt: now + 90 * minuteMs }],
    ['busy', dialing, ended({ kind: 'busy' }), always, { state: 'waiting-retry', nextAttemptAt: now + 10 * minuteMs, busy: 1 }],
    ['busy the third time', { ...dialing, busy: 2 }, ended({ kind: 'busy' }), always, { nextAttemptAt: now + 90 * minuteMs }],
    ['failed', dialing, ended({ kind: 'failed', text: 'x' }), always, { state: 'waiting-retry', nextAttemptAt: now + 15 * minuteMs }],
    [
      'not placed',
      dialing,
      ended({ kind: 'not-placed', text: 'x' }),
      always,
      { state: 'scheduled', attempts: 0, lastCallId: '', dialedAt: null },
    ],
    ['the last one', { ...dialing, attempts: 3 }, ended({ kind: 'busy' }), always, { state: 'over', outcome: 'busy' }],
    ['no time left', dialing, ended({ kind: 'no-answer' }), never, { state: 'over', outcome: 'no-answer', completedAt: now }],
    [
      'given up before the first call',
      fresh,
      { type: 'give-up', outcome: 'expired', reason: 'too-late' },
      always,
      { outcome: 'expired', reason: 'too-late' },
    ],
    ['given up later', retried, { type: 'give-up', outcome: 'expired', reason: 'too-late' }, always, { outcome: 'busy', reason: 'busy' }],
    ['opted out', retried, { type: 'opted-out' }, always, { outcome: 'opted-out', reason: 'list' }],
    ['deleted', inCall, { type: 'withdraw', reason: 'deleted' }, always, { outcome: 'canceled', reason: 'deleted' }],
    [
      'crash before the call left',
      dialing,
      { type: 'restart', fate: 'never-dialed' },
      always,
      { state: 'scheduled', attempts: 0, nextAttemptAt: now },
    ],
    [
      'crash while it rang',
      dialing,
      { type: 'restart', fate: 'dialed' },
      always,
      { state: 'waiting-retry', attempts: 1, nextAttemptAt: now + 30 * minuteMs },
    ],
    [
      'crash after an answer',
      inCall,
      { type: 'restart', fate: 'answered' },
      never,
      { outcome: 'no-answer', reason: 'interrupted', answeredAt: now },
    ],
    ['crash after the key', recorded, { type: 'restart', fate: 'answered' }, always, { outcome: 'confirmed', reason: 'keypad' }],
  ]
  for (const [name, before, input, moment, expected] of table) t.match(step(before, input, moment), expected, name)
  const still: [ReminderRow, ReminderInput][] = [
    [recorded, { type: 'withdraw', reason: 'deleted' }],
    [fresh, ended({ kind: 'busy' })],
    [fresh, { type: 'answered', at: now }],
    [dialing, { type: 'dial', callId: 'CA2' }],
    [dialing, { type: 'plan', at: now }],
    [dialing, { type: 'opted-out' }],
    [fresh, { type: 'restart', fate: 'dialed' }],
  ]
  for (const [row, input] of still) t.equal(step(row, input, always), row, `${input.type} changes nothing in ${row.state}`)
})

const results: ReminderCallResult[] = [
  { kind: 'answer', outcome: 'confirmed', reason: 'keypad' },
  { kind: 'answer', outcome: 'opted-out', reason: 'keypad' },
  { kind: 'reception' },
  { kind: 'no-input' },
  { kind: 'voicemail' },
  { kind: 'no-answer' },
  { kind: 'busy' },
  { kind: 'failed', text: 'x' },
  { kind: 'not-placed', text: 'x' },
]

const input: fc.Arbitrary<ReminderInput> = fc.oneof(
  fc.nat(1e7).map((ms): ReminderInput => ({ type: 'plan', at: now + ms })),
  fc.nat(1e6).map((n): ReminderInput => ({ type: 'dial', callId: `CA${n}` })),
  fc.constant<ReminderInput>({ type: 'answered', at: now }),
  fc.constant<ReminderInput>({ type: 'decided', outcome: 'reschedule', reason: 'keypad' }),
  fc.constantFrom(...results).map(ended),
  fc.constant<ReminderInput>({ type: 'give-up', outcome: 'expired', reason: 'too-late' }),
  fc.constant<ReminderInput>({ type: 'opted-out' }),
  fc.constantFrom<ReminderInput[]>({ type: 'withdraw', reason: 'deleted' }, { type: 'withdraw', reason: 'replaced' }),
  fc.constantFrom<ReminderInput[]>(
    { type: 'restart', fate: 'never-dialed' },
    { type: 'restart', fate: 'dialed' },
    { type: 'restart', fate: 'answered' },
  ),
)

t.test('whatever happens: at most so many calls, one at a time, and nothing after the end', async () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 40 }), fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (inputs, open) => {
      let row = fresh
      let dialled = 0
      for (const [index, one] of inputs.entries()) {
        const moment: ReminderMoment = { ...always, now: now + index * minuteMs, open: (earliest) => (open[index] ? earliest : null) }
        // The planner dials what waits, and no more than it may.
        const before = row
        row = step(row, one, moment)
        if (isTerminal(before) && row !== before) return false
        if (row.state === 'dialing' && before.state !== 'dialing') {
          if (before.state === 'in-call') return false
          dialled += 1
        }
        if (row.attempts < before.attempts) dialled -= 1
        if (row.attempts !== dialled || row.attempts > 3) return false
        if (isTerminal(row) !== (row.outcome !== null) || isTerminal(row) !== (row.completedAt !== null)) return false
        if (before.recorded !== '' && isTerminal(row) && !isTerminal(before) && `${row.outcome} ${row.reason}` !== before.recorded)
          return false
        if ((row.state === 'scheduled' || row.state === 'waiting-retry') && row.nextAttemptAt === null) return false
        if ((row.state === 'dialing' || row.state === 'in-call' || isTerminal(row)) && row.nextAttemptAt !== null) return false
      }
      return true
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 1000) },
  )
})

t.test('a reminder always comes to its end: every call that ends leaves fewer', async () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.constantFrom(...results.filter(({ kind }) => kind !== 'not-placed'))), (stream) => {
      let row = fresh
      for (let calls = 0; calls <= 3; calls++) {
        if (isTerminal(row)) return true
        row = step(row, { type: 'dial', callId: `CA${calls}` }, always)
        row = step(row, ended(stream.next().value), always)
      }
      return isTerminal(row)
    }),
  )
})

t.test('the text: practice, local time and a first name, in each language, and never more', async (t) => {
  const facts = {
    timeZone: 'America/New_York',
    practice: 'Riverside Clinic',
    practiceNumber: '+15550001000',
    customerName: 'Dr. Jane Doe',
    appointmentAt: Date.parse('2026-03-09T13:30:00Z'),
  }
  t.equal(
    reminderText({ ...facts, languages: ['en-US'] }),
    'Riverside Clinic: Hello Jane, this is a reminder of your appointment on Monday, March 9 at 9:30 AM. To change it, call +15550001000. Reply STOP to get no more texts.',
  )
  for (const language of ['en', 'es', 'de', 'fr']) {
    const text = reminderText({ ...facts, languages: [language] })
    t.match(text, /Riverside Clinic.*Jane.*9.*9:30.*\+15550001000.*STOP/, text)
    t.notMatch(text, /Doe|[\u00a0\u202f]/)
    t.notMatch(reminderText({ ...facts, languages: [language], customerName: '', practiceNumber: '' }), /Jane|undefined| {2}|\+1/)
  }
  t.equal(reminderText({ ...facts, languages: ['xx'] }), reminderText({ ...facts, languages: ['en'] }), 'a language without a text')
  t.equal(reminderText({ ...facts, languages: ['xx', 'de-DE'] }), reminderText({ ...facts, languages: ['de'] }), 'has that of the site')
  t.match(reminderText({ ...facts, languages: ['es-US'], appointmentAt: Date.parse('2026-03-09T17:30:00Z') }), /9 de marzo a la 1:30/)
  const first = reminderText({ ...facts, languages: ['de'] })
  reminderText({ ...facts, languages: ['de'], customerName: 'Other Person' })
  t.equal(reminderText({ ...facts, languages: ['de'] }), first, 'nothing of one person comes into the text of the next')
  t.same(['Jane Doe', 'Doe, Jane', 'Frau Weber', 'Mr. J. Doe', '', '  '].map(firstName), ['Jane', 'Jane', 'Frau Weber', 'J. Doe', '', ''])
})
