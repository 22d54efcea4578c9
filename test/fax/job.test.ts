import type { FaxProgress } from '../../drivers/fax.ts'
import fc from 'fast-check'
import t from 'tap'
import { isTerminal, ladder, step, type FaxInput, type FaxMoment } from '../../daemon/fax/job.ts'
import { judge, type FaxOutcome } from '../../daemon/fax/outcome.ts'
import type { FaxRow } from '../../daemon/store/tables.ts'
import { faxRow, windowMs } from './rows.ts'

const moment: FaxMoment = { now: 1_000_000, jitter: 0, known: false, suspect: false }
const progress = (pages: number, changes: Partial<FaxProgress> = {}): FaxProgress => ({
  phase: 'page',
  pages,
  bitRate: 14_400,
  ecm: true,
  resolution: 'fine',
  transport: 'sip-audio',
  remoteId: '+1 555 123 0001',
  ...changes,
})

const session = (code: number, pages = 0, changes: Partial<Extract<FaxOutcome, { kind: 'session' }>> = {}): FaxOutcome => ({
  kind: 'session',
  code,
  text: `code ${code}`,
  heardFax: true,
  progress: progress(pages),
  unconfirmedLastPage: false,
  durationSeconds: 30,
  ...changes,
})
const refused = (sipCode: number, rang = true): FaxOutcome => ({ kind: 'unanswered', sipCode, rang, text: '' })

function drawn(pages = 3, changes: Partial<FaxRow> = {}): FaxRow {
  const bytes = Array.from({ length: pages }, () => 20_000)
  return faxRow({ state: 'processing', pages, bytesPerPage: bytes, standardBytesPerPage: bytes, ...changes }, moment.now)
}

const ended = (row: FaxRow, outcome: FaxOutcome): FaxInput => ({
  type: 'ended',
  outcome,
  firstPage: row.pagesSent,
  callId: 'CA1',
  line: 'main',
  startedAt: moment.now,
})

/** One call: dialled, and ended like this. */
function call(row: FaxRow, outcome: FaxOutcome, changes: Partial<FaxMoment> = {}): FaxRow {
  const at = { ...moment, ...changes }
  const dialling = step(row, { type: 'dial' }, at)
  return step(dialling, ended(dialling, outcome), at)
}

t.test('each T.30 code falls into the class of the contract, whether a fax was heard or not', async (t) => {
  const expected = (code: number, heard: boolean): string => {
    if (code === 0) return 'sent'
    if ([8, 9, 10, 12].includes(code) || (code >= 40 && code <= 47) || (code >= 50 && code <= 62)) return 'permanent'
    if (code === 11) return 'reformat'
    if (!heard && code !== 1) return 'not-a-fax'
    return 'protocol'
  }
  for (let code = 0; code <= 63; code++) {
    for (const heardFax of [true, false]) {
      const verdict = judge(session(code, 0, { heardFax }))
      t.equal(verdict.class, expected(code, heardFax), `code ${code}, ${heardFax ? 'fax heard' : 'no fax heard'}`)
      t.equal(verdict.alert === true, code >= 40 && code <= 47, `alert of code ${code}`)
      if (code !== 0) t.match(verdict.message, /^[A-Z].*\.$/, 'is a sentence')
    }
  }
  const reasons: [number, string][] = [
    [2, 'protocol_error'],
    [6, 'training_failed'],
    [9, 'remote_incompatible'],
    [11, 'remote_incompatible'],
    [17, 'call_dropped'],
    [20, 'protocol_error'],
    [41, 'document_error'],
    [47, 'internal'],
    [49, 'call_dropped'],
    [55, 'rejected'],
  ]
  for (const [code, reason] of reasons) t.equal(judge(session(code)).reason, reason, `reason of ${code}`)
  t.match(judge(session(49)).message, /far end hung up/)
  t.match(judge(session(49, 0, { text: 'our side: no media' })), {
    reason: 'call_dropped',
    message: /^The box ended the call because the far end sent nothing/,
  })
  t.match(judge(session(49, 0, { text: 'our side: the call failed' })).message, /The box lost the call/)
})

t.test('each SIP status before the answer falls into the class of the contract', async (t) => {
  const cases: [number, boolean, string, string][] = [
    [486, true, 'busy', 'busy'],
    [600, false, 'busy', 'busy'],
    [408, true, 'no-answer', 'no_answer'],
    [480, true, 'no-answer', 'no_answer'],
    [487, true, 'no-answer', 'no_answer'],
    [408, false, 'line', 'line_unavailable'],
    [503, false, 'line', 'line_unavailable'],
    [500, false, 'line', 'line_unavailable'],
    [401, false, 'line', 'line_unavailable'],
    [0, false, 'line', 'line_unavailable'],
    [404, false, 'permanent', 'invalid_number'],
    [410, true, 'permanent', 'invalid_number'],
    [484, false, 'permanent', 'invalid_number'],
    [604, false, 'permanent', 'invalid_number'],
    [403, false, 'permanent', 'rejected'],
    [603, true, 'permanent', 'rejected'],
    [488, false, 'permanent', 'remote_incompatible'],
    [420, false, 'permanent', 'rejected'],
  ]
  for (const [code, rang, wanted, reason] of cases) {
    t.match(judge(refused(code, rang)), { class: wanted, reason }, `${code}, ${rang ? 'rang' : 'did not ring'}`)
  }
  for (let code = 300; code < 700; code++) t.ok(judge(refused(code)).reason, `${code} has a reason`)
})

t.test('classes have their delays, numbers of dials and reasons', async (t) => {
  const run = (outcome: FaxOutcome, known = false): { delays: number[]; row: FaxRow } => {
    let row = drawn()
    let { now } = moment
    const delays: number[] = []
    while (!isTerminal(row.state)) {
      row = call(row, outcome, { now, known })
      if (row.nextAttemptAt === null) break
      delays.push((row.nextAttemptAt - now) / 1000)
      now = row.nextAttemptAt
    }
    return { delays, row }
  }
  t.match(run(refused(486)), { delays: Array.from({ length: 11 }, () => 180), row: { state: 'failed', reason: 'busy', attempts: 12 } })
  t.match(run(refused(480)), { delays: [300, 300, 300], row: { state: 'failed', reason: 'no_answer', attempts: 4 } })
  t.equal(run(refused(480), true).row.attempts, 6, 'more for a number that has answered')
  const silent = session(2, 0, { heardFax: false, progress: progress(0, { remoteId: '' }) })
  t.match(
    run(silent),
    { delays: [300], row: { state: 'failed', reason: 'no_fax_detected', attempts: 2, bitRate: 0 } },
    'a person is let alone',
  )
  t.equal(run(silent, true).row.attempts, 4)
  t.match(run(session(20)), { delays: [60, 120], row: { state: 'failed', reason: 'protocol_error', attempts: 3, t30Code: 20 } })
  t.match(run(refused(404)), { delays: [], row: { state: 'failed', reason: 'invalid_number', attempts: 1 } })
  t.match(run(session(9)), { delays: [], row: { reason: 'remote_incompatible' } })
  t.match(
    run(session(11)),
    { delays: [0], row: { standard: true, reason: 'remote_incompatible', attempts: 2 } },
    'once more at standard resolution',
  )
  const line = run({ kind: 'line', text: 'no dial tone' })
  t.match(line.row, { state: 'failed', reason: 'line_unavailable', attempts: 0 }, 'is no attempt')
  t.same(line.delays.slice(0, 3), [30, 60, 60])
  t.ok(line.delays.length > 170, 'until the window is over')
})

t.test('delays vary by a tenth', async (t) => {
  t.equal(call(drawn(), refused(486), { jitter: 1 }).nextAttemptAt, moment.now + 198_000)
  t.equal(call(drawn(), refused(486), { jitter: -1 }).nextAttemptAt, moment.now + 162_000)
})

t.test('a fax is sent when every page is confirmed, whatever comes after', async (t) => {
  t.match(call(drawn(), session(0, 3)), { state: 'sent', pagesSent: 3, reason: null, completedAt: moment.now, transport: 'sip-audio' })
  t.match(call(drawn(), session(49, 3)), { state: 'sent' }, 'the far end hung up after the last confirmation')
  t.match(
    call(drawn(), session(0, 2)),
    { state: 'retrying', pagesSent: 2, reason: 'protocol_error' },
    'never called sent with a page missing',
  )
})

t.test('a broken fax goes on at the first page without confirmation, one step down the ladder', async (t) => {
  const first = call(drawn(), session(20, 1))
  t.match(first, { state: 'retrying', pagesSent: 1, broken: 1, possibleDuplicatePages: [] })
  t.same(ladder(first), { modems: ['v29', 'v27ter'], t38: false })
  const second = call(first, session(49, 1))
  t.match(second, { pagesSent: 2, broken: 2 })
  t.same(ladder(second), { modems: ['v27ter'], t38: false })
  t.match(call(second, session(0, 1)), { state: 'sent', pagesSent: 3, attempts: 3 })
  t.match(second.history, [{ class: 'protocol', t30Code: 20, pages: 1 }, { pages: 1 }])
  t.same(ladder({ broken: 0 }), { modems: ['v17', 'v29', 'v27ter'], t38: true })
})

t.test('a page that may have arrived is named', async (t) => {
  const row = call(drawn(), session(21, 2, { unconfirmedLastPage: true }))
  t.match(row, { state: 'retrying', pagesSent: 2, possibleDuplicatePages: [3] })
  const sending = step(step(drawn(), { type: 'dial' }, moment), { type: 'progress', progress: progress(1), firstPage: 0 }, moment)
  t.match(step(sending, { type: 'restart' }, moment), { state: 'retrying', attempts: 1, pagesSent: 1, possibleDuplicatePages: [2] })
  const cut: FaxOutcome = { kind: 'interrupted', progress: progress(1), durationSeconds: 9, text: '' }
  t.match(step(sending, ended(drawn(), cut), moment), { state: 'retrying', possibleDuplicatePages: [2], broken: 0 })
})

t.test('the daemon may start in any state', async (t) => {
  const restart = (row: FaxRow): FaxRow => step(row, { type: 'restart' }, moment)
  t.equal(restart(faxRow()).state, 'queued')
  t.equal(restart(faxRow({ state: 'processing' })).state, 'queued', 'is drawn anew')
  t.equal(restart(drawn()).state, 'processing')
  const waiting = drawn(3, { state: 'retrying', nextAttemptAt: 5 })
  t.equal(restart(waiting), waiting)
  const dialing = drawn(3, { state: 'dialing' })
  t.match(restart(dialing), { state: 'retrying', attempts: 1, nextAttemptAt: moment.now + 60_000, possibleDuplicatePages: [] })
  t.match(restart(drawn(3, { state: 'sending', pagesSent: 3 })), { state: 'sent' }, 'the last confirmation was stored')
  t.match(step(drawn(3, { state: 'retrying', nextAttemptAt: 1 }), { type: 'expire' }, moment), { state: 'failed' })
})

t.test('the end of the window', async (t) => {
  const expire = (row: FaxRow): FaxRow => step(row, { type: 'expire' }, moment)
  t.match(expire(faxRow()), { state: 'failed', reason: 'expired' }, 'not even drawn')
  t.match(expire(drawn()), { state: 'failed', reason: 'line_unavailable' }, 'no line was free')
  t.match(expire(drawn(3, { state: 'retrying', attempts: 2, reason: 'busy', message: 'The number is busy.' })), { reason: 'expired' })
  t.equal(expire(drawn(3, { state: 'sending' })).state, 'sending', 'a call in progress goes on')
  const late = { now: moment.now + windowMs - 60_000 }
  t.match(call(drawn(), refused(486), late), { state: 'failed', reason: 'busy' }, 'no call is planned after it')
})

t.test('any history of a fax ends once, and no confirmed page is sent again unless it is named', async () => {
  const outcomes = fc.oneof(
    fc
      .record({ code: fc.integer({ min: 0, max: 63 }), pages: fc.nat(5), heard: fc.boolean(), eop: fc.boolean() })
      .map(({ code, pages, heard, eop }) =>
        session(code, heard ? pages : 0, { heardFax: heard, unconfirmedLastPage: heard && eop && code === 21 }),
      ),
    fc.tuple(fc.integer({ min: 0, max: 699 }), fc.boolean()).map(([code, rang]) => refused(code, rang)),
    fc.constant<FaxOutcome>({ kind: 'line', text: 'dead' }),
    fc.nat(2).map<FaxOutcome>((pages) => ({ kind: 'interrupted', progress: progress(pages), durationSeconds: 3, text: 'stop' })),
  )
  const happening = fc.oneof(
    { weight: 6, arbitrary: outcomes.map((outcome) => ({ kind: 'call' as const, outcome })) },
    { weight: 1, arbitrary: fc.nat(3).map((pages) => ({ kind: 'crash' as const, pages })) },
    { weight: 1, arbitrary: fc.constantFrom({ kind: 'crash-idle' as const }, { kind: 'cancel' as const }) },
  )
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      fc.boolean(),
      fc.double({ min: -1, max: 1, noNaN: true }),
      (events, pages, known, suspect, jitter) => {
        let now = moment.now
        let row = drawn(pages)
        let terminals = 0
        let confirmed = 0
        const apply = (input: FaxInput): void => {
          const before = row
          row = step(row, input, { now, jitter, known, suspect })
          if (isTerminal(before.state) && row !== before) throw new Error('something followed the end')
          if (!isTerminal(before.state) && isTerminal(row.state)) terminals += 1
          if (row.pagesSent < before.pagesSent) throw new Error('a confirmation was lost')
          if (row.pagesSent > row.pages) throw new Error('more pages than there are')
          confirmed = Math.max(confirmed, row.pagesSent)
        }
        for (const event of events) {
          if (isTerminal(row.state)) break
          if (row.nextAttemptAt !== null) now = Math.max(now, row.nextAttemptAt)
          if (now >= row.expiresAt) {
            apply({ type: 'expire' })
            continue
          }
          if (event.kind === 'cancel') apply({ type: 'cancel' })
          else if (event.kind === 'crash-idle') apply({ type: 'restart' })
          else {
            apply({ type: 'dial' })
            if (row.state !== 'dialing') throw new Error(`not dialled from ${row.state}`)
            if (row.pagesSent < confirmed) throw new Error('a confirmed page is sent again')
            const firstPage = row.pagesSent
            if (event.kind === 'crash') {
              apply({ type: 'progress', progress: progress(event.pages), firstPage })
              apply({ type: 'restart' })
              if (!isTerminal(row.state) && !row.possibleDuplicatePages.includes(row.pagesSent + 1))
                throw new Error('the page under way is not named')
            } else apply({ type: 'ended', outcome: event.outcome, firstPage, callId: '', line: 'main', startedAt: now })
          }
          if (row.state === 'sent' && row.pagesSent !== row.pages) throw new Error('called sent with a page missing')
        }
        for (let turns = 0; !isTerminal(row.state); turns++) {
          if (turns > 1000) throw new Error('it never ends')
          now = Math.max(now + 1000, row.nextAttemptAt ?? 0)
          if (now >= row.expiresAt) apply({ type: 'expire' })
          else {
            apply({ type: 'dial' })
            apply({
              type: 'ended',
              outcome: { kind: 'line', text: '' },
              firstPage: row.pagesSent,
              callId: '',
              line: 'main',
              startedAt: now,
            })
          }
        }
        return terminals === 1 && row.completedAt !== null && (row.state === 'sent') === (row.reason === null)
      },
    ),
    { numRuns: 2000 },
  )
})
