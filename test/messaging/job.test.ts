import fc from 'fast-check'
import t from 'tap'
import type { SmsOutcome } from '../../drivers/sms.ts'
import { isWaiting, step, type SmsInput, type SmsMoment } from '../../daemon/messaging/job.ts'
import type { SmsRow, SmsState } from '../../daemon/store/tables.ts'

const runs = Number(process.env['SMS_RUNS'] ?? 1000)
const begin = 1_772_460_311_000
const day = 86_400_000

function row(state: SmsState, changes: Partial<SmsRow> = {}): SmsRow {
  return {
    messageId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
    rawTo: '555-123-0001',
    to: '+15551230001',
    from: '+15550002000',
    body: 'ab',
    encoding: 'GSM-7',
    segments: ['a', 'b'],
    reference: 7,
    trunkId: 'gsm1',
    state,
    accepted: [null, null],
    reports: [null, null],
    attempts: state === 'queued' ? 0 : 1,
    nextAttemptAt: null,
    createdAt: begin,
    expiresAt: begin + day,
    sentAt: null,
    completedAt: null,
    error: '',
    code: '',
    subject: '',
    ...changes,
  }
}

const moment = (changes: Partial<SmsMoment> = {}): SmsMoment => ({ now: begin, lookUpInMs: null, repeatUnknown: false, ...changes })
const outcome = (kind: SmsOutcome['kind'], accepted: (string | null)[] = [null, null]): SmsInput => ({
  type: 'outcome',
  outcome: { kind, accepted, text: 'why', code: 'why' } as SmsOutcome,
})

t.test('what follows what', async (t) => {
  const send: SmsInput = { type: 'send' }
  const report = (part: number, state: 'delivered' | 'buffered' | 'failed' | 'expired'): SmsInput => ({
    type: 'report',
    part,
    reference: 'r',
    state,
    text: '',
  })
  const took = { accepted: ['1', '2'] }
  const table: [SmsRow, SmsInput, SmsState, string, Partial<SmsMoment>?][] = [
    [row('queued'), send, 'sending', 'transmit'],
    [row('retrying'), send, 'sending', 'transmit'],
    [row('sending'), send, 'sending', 'none'],
    [row('sent'), send, 'sent', 'none'],
    [row('unknown'), send, 'unknown', 'none'],
    [row('sending'), outcome('accepted', ['1', '2']), 'sent', 'over'],
    [row('sending'), outcome('accepted', ['whole']), 'sent', 'over'],
    [row('sending'), outcome('temporary'), 'retrying', 'wait'],
    [row('sending'), outcome('temporary', ['1', null]), 'retrying', 'wait'],
    [row('sending', { accepted: ['1', null] }), outcome('temporary', [null, '2']), 'sent', 'over'],
    [row('sending'), { ...outcome('temporary'), interrupted: true } as SmsInput, 'queued', 'wait'],
    [row('sending'), outcome('refused'), 'failed', 'over'],
    [row('sending'), outcome('unknown'), 'unknown', 'over'],
    [row('sending'), outcome('unknown'), 'retrying', 'wait', { repeatUnknown: true }],
    [row('sending'), outcome('unknown'), 'sending', 'look-up', { lookUpInMs: 2000 }],
    [row('sending'), outcome('unknown'), 'sending', 'look-up', { lookUpInMs: 2000, repeatUnknown: true }],
    [row('sending'), { type: 'restart' }, 'unknown', 'over'],
    [row('sending'), { type: 'restart' }, 'sending', 'look-up', { lookUpInMs: 2000 }],
    [row('sending'), { type: 'restart' }, 'retrying', 'wait', { repeatUnknown: true }],
    [row('queued'), { type: 'restart' }, 'queued', 'wait'],
    [row('retrying', { nextAttemptAt: begin + 5 }), { type: 'restart' }, 'retrying', 'wait'],
    [row('sent'), { type: 'restart' }, 'sent', 'over'],
    [row('queued'), { type: 'opted-out' }, 'failed', 'over'],
    [row('sending'), { type: 'opted-out' }, 'sending', 'none'],
    [row('retrying'), { type: 'expire' }, 'failed', 'over'],
    [row('sending'), { type: 'expire' }, 'sending', 'none'],
    [row('retrying'), { type: 'orphan' }, 'failed', 'over'],
    [row('sent', took), report(0, 'delivered'), 'sent', 'none'],
    [row('sent', { ...took, reports: ['delivered', null] }), report(1, 'delivered'), 'delivered', 'none'],
    [row('sent', { ...took, reports: ['delivered', null] }), report(1, 'buffered'), 'sent', 'none'],
    [row('sent', took), report(1, 'failed'), 'failed', 'none'],
    [row('sent', took), report(1, 'expired'), 'failed', 'none'],
    [row('sent', { accepted: ['whole'], reports: [null] }), report(0, 'delivered'), 'delivered', 'none'],
    [row('sent', took), report(2, 'delivered'), 'sent', 'none'],
    [row('delivered', { ...took, reports: ['delivered', 'delivered'] }), report(1, 'failed'), 'delivered', 'none'],
    [row('unknown', { accepted: ['1', null] }), report(0, 'delivered'), 'unknown', 'none'],
    [row('unknown', { accepted: ['1', null] }), report(1, 'delivered'), 'sent', 'none'],
    [row('unknown', { accepted: ['1', null], reports: ['delivered', null] }), report(1, 'delivered'), 'delivered', 'none'],
    [row('unknown'), report(0, 'buffered'), 'unknown', 'none'],
    [row('unknown'), report(0, 'failed'), 'failed', 'none'],
    [row('sending', { accepted: ['1', null] }), report(0, 'delivered'), 'sending', 'none'],
  ]
  for (const [before, input, state, effect, at] of table) {
    const { row: after, effect: next } = step(before, input, moment(at))
    t.same([after.state, next.type], [state, effect], `${before.state} + ${JSON.stringify(input)} -> ${state}, ${effect}`)
  }
})

t.test('tries follow the schedule until the time is over', async (t) => {
  let now = begin
  let text = row('queued')
  const delays: number[] = []
  for (;;) {
    text = step(text, { type: 'send' }, moment({ now })).row
    const next = step(text, outcome('temporary'), moment({ now }))
    text = next.row
    if (next.effect.type === 'over') break
    delays.push((text.nextAttemptAt! - now) / 1000)
    now = text.nextAttemptAt!
  }
  t.same(delays.slice(0, 8), [10, 30, 120, 600, 1800, 3600, 3600, 3600])
  t.ok(
    delays.slice(5).every((delay) => delay === 3600),
    'then hourly',
  )
  t.match(text, { state: 'failed', code: 'expired', error: 'The deadline for this text has passed. Last attempt: why', completedAt: now })
  t.ok(begin + day - now <= 3_600_000, 'up to its end')
  const asked = { type: 'outcome', outcome: { kind: 'temporary', text: '', accepted: [null, null], retryAfterSeconds: 77 } } as const
  t.equal(step(row('sending'), asked, moment()).row.nextAttemptAt, begin + 77_000, 'the network may ask for more patience')
})

t.test('property: nothing is sent twice that may have been sent, what was accepted stays, an end is an end', async () => {
  const parts = fc.array(fc.constantFrom(null, 'x', 'y'), { minLength: 2, maxLength: 2 })
  const outcomes = fc.record({ kind: fc.constantFrom('accepted', 'temporary', 'refused', 'unknown'), accepted: parts })
  const input: fc.Arbitrary<SmsInput> = fc.oneof(
    fc.constant<SmsInput>({ type: 'send' }),
    fc
      .tuple(outcomes, fc.boolean())
      .map(([one, interrupted]) => ({ ...outcome(one.kind as 'accepted', one.accepted), interrupted }) as SmsInput),
    fc
      .record({ part: fc.nat(2), state: fc.constantFrom('delivered', 'buffered', 'failed', 'expired') })
      .map((one) => ({ type: 'report', reference: 'r', text: '', ...one }) as SmsInput),
    fc.constantFrom<SmsInput>({ type: 'opted-out' }, { type: 'expire' }, { type: 'restart' }, { type: 'orphan' }),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(input, fc.nat(7_200_000)), { maxLength: 40, size: '+1' }), (inputs) => {
      let now = begin
      let text = row('queued')
      let doubtful = false
      for (const [one, later] of inputs) {
        now += later
        const before = text
        const { row: after, effect } = step(before, one, moment({ now }))
        // In doubt: handed over and then lost, by the network or by a crash.
        if (before.state === 'sending' && (one.type === 'restart' || (one.type === 'outcome' && one.outcome.kind === 'unknown'))) {
          doubtful = after.state !== 'sent'
        }
        if (effect.type === 'transmit' && doubtful) return false
        if (after.accepted.some((reference, part) => before.accepted[part] !== null && reference !== before.accepted[part])) return false
        if (!isWaiting(before.state) && isWaiting(after.state)) return false
        if (before.state === 'delivered' && after.state !== before.state) return false
        // But for a text of which it is heard that it was delivered after all.
        const heard = one.type === 'report' && one.state === 'delivered' && !before.accepted.includes(null)
        if (before.state === 'failed' && after.state !== before.state && !heard) return false
        if (after.state === 'retrying' && (after.nextAttemptAt === null || after.nextAttemptAt >= after.expiresAt)) return false
        if (after.attempts > before.attempts && effect.type !== 'transmit') return false
        if ((after.state === 'sent') !== (after.sentAt !== null && after.completedAt === null)) return false
        text = after
      }
      return true
    }),
    { numRuns: runs },
  )
})

t.test('reports in whatever order: the one that says most stands', async (t) => {
  type Heard = 'delivered' | 'buffered' | 'failed' | 'expired'
  const table: readonly (readonly [heard: readonly Heard[], part: Heard, state: string])[] = [
    [['buffered'], 'buffered', 'sent'],
    [['buffered', 'delivered'], 'delivered', 'delivered'],
    [['delivered', 'buffered'], 'delivered', 'delivered'],
    [['delivered', 'failed'], 'delivered', 'delivered'],
    [['delivered', 'expired', 'buffered'], 'delivered', 'delivered'],
    [['failed'], 'failed', 'failed'],
    [['failed', 'buffered'], 'failed', 'failed'],
    [['failed', 'delivered'], 'delivered', 'delivered'],
    [['expired', 'delivered'], 'delivered', 'delivered'],
    [['expired', 'failed'], 'expired', 'failed'],
    [['failed', 'expired', 'delivered', 'failed'], 'delivered', 'delivered'],
  ]
  for (const [heard, part, state] of table) {
    let text = row('sent', { accepted: ['whole'], reports: [null], sentAt: begin })
    for (const one of heard) text = step(text, { type: 'report', part: 0, reference: 'whole', state: one, text: one }, moment()).row
    t.match(text, { reports: [part], state, error: state === 'failed' ? part : '' }, heard.join(', '))
    t.equal(text.completedAt === null, state === 'sent')
  }
  let two = row('sent', { accepted: ['1', '2'], reports: [null, null], sentAt: begin })
  const hear = (part: number, state: Heard): string => {
    two = step(two, { type: 'report', part, reference: String(part), state, text: `${part} ${state}` }, moment()).row
    return `${two.state} ${two.error}`
  }
  t.same(
    [hear(0, 'failed'), hear(1, 'delivered'), hear(0, 'delivered')],
    ['failed 0 failed', 'failed 0 failed', 'delivered '],
    'a text in parts is delivered when all of them are',
  )
  const refused = row('failed', { accepted: ['1', null], code: 'refused', error: 'no' })
  t.match(step(refused, { type: 'report', part: 0, reference: '1', state: 'delivered', text: '' }, moment()).row, {
    state: 'failed',
    error: 'no',
  })
})
