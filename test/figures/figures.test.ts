/** Figures of the house on a real store: whatever happens and however it is looked at, the sums are what happened. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { FaxRow, InboxItem, ReminderRow, SmsRow } from '../../daemon/store/tables.ts'
import { openFigures, type Rung } from './stage.ts'

type Json = Record<string, any>
type Stage = Awaited<ReturnType<typeof openFigures>>

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const sum = (buckets: readonly Json[], name: string): number => buckets.reduce((total, bucket) => total + bucket[name], 0)
const iso = (at: number): string => new Date(at).toISOString()

async function ask({ box }: Stage, kind: string, query: Record<string, string>): Promise<Json> {
  const { status, json, text } = await box.program().ask('GET', `/api/figures/${kind}?${new URLSearchParams(query)}`)
  if (status !== 200) throw new Error(text)
  return json
}

// Half an hour off UTC, three quarters of one, a clock that is set by half an hour, and one that is set at midnight.
const zones = ['America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/Santiago', 'Europe/Berlin']

t.test('sums of any bucket, in any time zone, are the calls that there were', async (t) => {
  for (const zone of zones) {
    const stage = await openFigures(t, zone, Date.UTC(2026, 0, 1))
    const { end, clock } = stage
    const from = Date.UTC(2026, 2, 1)
    // Two months in which every one of these zones sets its clock.
    const rung = fc.record({
      at: fc.integer({ min: from, max: from + 60 * dayMs }),
      by: fc.option(fc.constantFrom('101', '102'), { nil: undefined }),
      waitSeconds: fc.integer({ min: 0, max: 4000 }),
      talkSeconds: fc.integer({ min: 0, max: 3000 }),
      queue: fc.option(fc.constantFrom('front', 'nurses'), { nil: undefined }),
      from: fc.constantFrom('+12125550101', '+12125550102', ''),
      direction: fc.constantFrom('inbound' as const, 'inbound' as const, 'outbound' as const),
    })
    const calls = fc.sample(rung, { numRuns: 120, seed: 7 }) as Rung[]
    clock.advance(from + 70 * dayMs - clock.now())
    for (const call of calls) await end(call)
    const time = { from: iso(from), to: iso(from + 61 * dayMs) }
    const inbound = calls.filter(({ direction }) => direction === 'inbound')
    const queued = calls.filter(({ queue }) => queue !== undefined)
    for (const bucket of ['hour', 'day', 'week', 'month', 'all']) {
      const { buckets } = await ask(stage, 'calls', { ...time, bucket })
      const about = `${zone} by ${bucket}`
      t.equal(sum(buckets, 'inbound'), inbound.length, `${about}: inbound`)
      t.equal(sum(buckets, 'answered'), inbound.filter(({ by }) => by !== undefined).length, `${about}: answered`)
      t.equal(sum(buckets, 'outgoing'), calls.length - inbound.length, `${about}: outgoing`)
      t.equal(new Set(buckets.map(({ at }: Json) => at)).size, buckets.length, `${about}: no period twice`)
      const queues = await ask(stage, 'queues', { ...time, bucket, by: 'queue' })
      t.equal(sum(queues.buckets, 'offered'), queued.length, `${about}: queues`)
      t.equal(sum((await ask(stage, 'queues', { ...time, bucket })).buckets, 'offered'), queued.length, `${about}: all queues`)
    }
    const week = await ask(stage, 'calls', { ...time, by: 'weekday-hour' })
    t.equal(week.buckets.length, 168)
    t.equal(sum(week.buckets, 'inbound'), inbound.length, `${zone}: by the hours of the week`)
    const people = await ask(stage, 'calls', { ...time, bucket: 'all', by: 'extension' })
    t.equal(sum(people.buckets, 'answered'), inbound.filter(({ by }) => by !== undefined).length, `${zone}: by colleague`)
  }
})

t.test('a day is a day of the clinic, also where the clock is set', async (t) => {
  const stage = await openFigures(t, 'America/New_York', Date.UTC(2026, 0, 1))
  const { end, clock } = stage
  clock.advance(Date.UTC(2026, 2, 20) - clock.now())
  // Sunday, 8 March 2026, has 23 hours: from 05:00Z to 04:00Z.
  for (const at of ['2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'])
    await end({ at: Date.parse(at), waitSeconds: 10, by: '101' })
  const { buckets } = await ask(stage, 'calls', { from: '2026-03-07', to: '2026-03-09' })
  t.same(
    buckets.map(({ at, answered }: Json) => [at, answered]),
    [
      ['2026-03-07T05:00:00.000Z', 1],
      ['2026-03-08T05:00:00.000Z', 2],
      ['2026-03-09T04:00:00.000Z', 1],
    ],
  )
  const hours = await ask(stage, 'calls', { from: '2026-03-08', to: '2026-03-08', bucket: 'hour' })
  t.equal(hours.buckets.length, 23, 'the day the clock goes forward has 23 hours')
  const week = await ask(stage, 'calls', { from: '2026-03-08', to: '2026-03-08', by: 'weekday-hour' })
  t.same(
    week.buckets.filter(({ answered }: Json) => answered > 0).map(({ key }: Json) => key),
    ['sun-00', 'sun-23'],
  )
})

t.test('waits: within 20 seconds is exact, and a share lies where the true one lies', async (t) => {
  const stage = await openFigures(t)
  const { end, clock } = stage
  const waits = fc.sample(fc.integer({ min: 0, max: 400 }), { numRuns: 80, seed: 3 }).toSorted((a, b) => a - b)
  for (const waitSeconds of waits) await end({ at: clock.now(), waitSeconds, by: '101' })
  const { buckets } = await ask(stage, 'calls', { from: '2025-12-31', to: '2026-01-02', bucket: 'all' })
  const { wait } = buckets[0]
  t.equal(wait.count, waits.length)
  t.equal(wait.within20Seconds, waits.filter((seconds) => seconds <= 20).length)
  for (const [name, share] of [
    ['p50Seconds', 0.5],
    ['p95Seconds', 0.95],
  ] as const) {
    const exact = waits[Math.ceil(waits.length * share) - 1]!
    t.ok(Math.abs(wait[name] - exact) <= Math.max(20, exact * 0.5), `${name}: ${wait[name]} for ${exact}`)
  }
  const none = await ask(stage, 'calls', { from: '2025-12-01', to: '2025-12-02', bucket: 'all' })
  t.same(none.buckets[0].wait, { count: 0, within20Seconds: 0, p50Seconds: null, p95Seconds: null }, 'of none there is no share')
})

t.test('missed and returned agree with the history, whatever the order of the ends', async (t) => {
  const number = '+12125550177'
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          start: fc.integer({ min: 0, max: 50 }),
          minutes: fc.integer({ min: 1, max: 9 }),
          talked: fc.boolean(),
          out: fc.boolean(),
        }),
        {
          minLength: 1,
          maxLength: 12,
        },
      ),
      async (wanted) => {
        const stage = await openFigures(t)
        const base = stage.clock.now()
        const calls = wanted.map(({ start, minutes, talked, out }) => ({
          at: base + start * 60_000,
          end: base + (start + minutes) * 60_000,
          talked,
          out: out && talked,
        }))
        stage.clock.advance(2 * hourMs)
        for (const { at, end, talked, out } of calls.toSorted((a, b) => a.end - b.end)) {
          const seconds = (end - at) / 1000
          const there = out ? { direction: 'outbound' as const, to: number, from: '101' } : { from: number }
          await stage.end({
            at,
            ...there,
            ...(talked ? { by: '101', waitSeconds: 1, talkSeconds: seconds - 1 } : { waitSeconds: seconds }),
          })
        }
        const { buckets } = await ask(stage, 'calls', { from: iso(base - hourMs), to: iso(base + 2 * hourMs), bucket: 'hour' })
        const missed = calls.filter(({ talked }) => !talked)
        const returned = missed.filter(({ end }) => calls.some((other) => other.talked && other.at >= end))
        t.equal(sum(buckets, 'missed'), missed.length)
        t.equal(sum(buckets, 'returned'), returned.length)
        const time = { from: iso(base - hourMs), to: iso(base + 2 * hourMs) }
        const colleagues = await ask(stage, 'calls', { ...time, bucket: 'hour', by: 'extension' })
        t.equal(sum(colleagues.buckets, 'returned'), returned.length, 'each by the colleague who talked')
      },
    ),
    { numRuns: 25, seed: 11 },
  )
})

t.test('colleagues: who answered, who called, and whose phone rang in vain', async (t) => {
  const stage = await openFigures(t)
  const { end, clock } = stage
  const at = clock.now()
  await end({ at, by: '101', waitSeconds: 5, talkSeconds: 60, rang: ['102'] })
  await end({ at, waitSeconds: 30, rang: ['101', '102', '102'] })
  await end({ at, direction: 'outbound', by: '102', to: '+12125550188', waitSeconds: 5, talkSeconds: 30 })
  const { buckets } = await ask(stage, 'calls', { from: '2025-12-31', to: '2026-01-02', bucket: 'all', by: 'extension' })
  t.same(
    buckets.map(({ key, answered, missed, outgoing, talkSeconds }: Json) => ({ key, answered, missed, outgoing, talkSeconds })),
    [
      { key: '101', answered: 1, missed: 1, outgoing: 0, talkSeconds: 60 },
      { key: '102', answered: 0, missed: 1, outgoing: 1, talkSeconds: 30 },
    ],
  )
})

t.test('a note or a second write of a call that has ended counts nothing', async (t) => {
  const stage = await openFigures(t)
  const { end, records, clock } = stage
  const { callId } = await end({ at: clock.now(), by: '101', waitSeconds: 5 })
  await records.addNotes(callId, [{ text: 'called about the bill' }], 'pbx', () => undefined)
  const { buckets } = await ask(stage, 'calls', { from: '2025-12-31', to: '2026-01-02', bucket: 'all' })
  t.equal(buckets[0].answered, 1)
})

t.test('faxes by reason, texts by what became of them, reminders by outcome', async (t) => {
  const stage = await openFigures(t)
  const { store, watch, clock } = stage
  const at = clock.now()
  const fax = (row: object): FaxRow => ({ createdAt: at, completedAt: at, pagesSent: 2, reason: null, ...row }) as FaxRow
  const text = (state: string): SmsRow => ({ state, createdAt: at }) as SmsRow
  const reminder = (row: object): ReminderRow => ({ createdAt: at, completedAt: at, reason: '', ...row }) as ReminderRow
  await store.transaction(() => {
    watch.faxEnded(fax({ state: 'sent' }))
    watch.faxEnded(fax({ state: 'failed', reason: 'busy', pagesSent: 0 }))
    watch.faxEnded(fax({ state: 'failed', reason: 'busy', pagesSent: 1 }))
    watch.arrived('faxes', { receivedAt: at, pages: 3 } as unknown as InboxItem)
    watch.arrived('sms', { receivedAt: at } as InboxItem)
    watch.textChanged(undefined, text('queued'))
    watch.textChanged('queued', text('sent'))
    watch.textChanged('sent', text('delivered'))
    watch.textChanged('queued', text('failed'))
    watch.reminderEnded(reminder({ outcome: 'confirmed' }))
    watch.reminderEnded(reminder({ outcome: 'canceled', reason: 'replaced' }))
  })
  const day = { from: '2025-12-31', to: '2026-01-02', bucket: 'all' }
  const [faxes] = (await ask(stage, 'faxes', day)).buckets
  t.match(faxes, { sent: 1, failed: 2, reasons: { busy: 2 }, received: 1, pagesSent: 3, pagesReceived: 3 })
  const [texts] = (await ask(stage, 'texts', day)).buckets
  t.match(texts, { sent: 0, delivered: 1, failed: 1, received: 1 }, 'each text once, as what became of it')
  const [reminders] = (await ask(stage, 'reminders', day)).buckets
  t.match(reminders, { ended: 1, outcomes: { confirmed: 1, canceled: 0 } }, 'one that was replaced is not counted')
})

t.test('a fault in counting costs no deed', async (t) => {
  const stage = await openFigures(t)
  const { store, end, clock, history } = stage
  const key = `calls/${String(clock.now() - (clock.now() % hourMs)).padStart(16, '0')}`
  await store.transaction(() => store.tables.figures.putText(key, '{ "broken'))
  const { callId } = await end({ at: clock.now(), by: '101', waitSeconds: 5 })
  t.equal(history.find(callId)?.outcome, 'answered', 'the call is in the history')
  t.ok(store.tables.calls.get(callId), 'and its row is there')
})

t.test('"since" says from when on there are figures, and what is older than two years is removed', async (t) => {
  const stage = await openFigures(t)
  const { end, clock, figures } = stage
  const began = clock.now()
  t.equal((await ask(stage, 'calls', {})).since, iso(began))
  await end({ at: began, by: '101', waitSeconds: 5 })
  clock.advance(731 * dayMs)
  await end({ at: clock.now(), by: '101', waitSeconds: 5 })
  t.equal((await ask(stage, 'calls', {})).since, iso(clock.now() - 730 * dayMs))
  t.equal(await figures.sweep(), 2, 'the hour of the call, and that of the extension')
  t.equal(await figures.sweep(), 0)
})

t.test('a clock that was wrong when counting began does not hide what follows', async (t) => {
  const stage = await openFigures(t, 'America/New_York', Date.UTC(2031, 0, 1))
  const { end } = stage
  const right = Date.UTC(2026, 5, 1, 15)
  stage.clock.set(right)
  await end({ at: right, by: '101', waitSeconds: 5 })
  const { buckets, since } = await ask(stage, 'calls', { from: '2026-06-01', to: '2026-06-01', bucket: 'all' })
  t.equal(buckets[0].answered, 1)
  t.ok(Date.parse(since) <= right)
})

t.test('what cannot be answered is refused with what to change', async (t) => {
  const { box } = await openFigures(t)
  const refused = async (query: string): Promise<string> => {
    const { status, json } = await box.program().ask('GET', `/api/figures/calls?${query}`)
    return `${status} ${json.code} ${json.details?.[0]?.path}`
  }
  t.equal(await refused('from=yesterday'), '422 validation_failed /from')
  t.equal(await refused('from=2026-02-01&to=2026-01-01'), '422 validation_failed /to')
  t.equal(await refused('from=2024-01-01&to=2026-01-01&bucket=hour'), '422 validation_failed /bucket')
  t.match(await refused('by=number'), /^422/)
  t.match(await refused('form=2026-01-01'), /^422/, 'a name that is misspelt')
})

t.test('the desk sees its own queues of today; managers and technicians see all', async (t: Test) => {
  const stage = await openFigures(t)
  const { box, end, clock } = stage
  await end({ at: clock.now() - 2 * dayMs, by: '101', waitSeconds: 5, queue: 'front' })
  await end({ at: clock.now(), by: '101', waitSeconds: 5, queue: 'front' })
  await end({ at: clock.now(), by: '101', waitSeconds: 5, queue: 'nurses' })
  const path = '/api/figures/queues?from=2025-12-01&to=2026-01-02&bucket=all&by=queue'
  const seen = async (login: string, role: string, queues: string[] = []) => {
    const wanted = { login, roles: [role], queues }
    const { browser } = await box.person(wanted)
    const { status, json } = await browser.ask('GET', path)
    const calls = await browser.ask('GET', '/api/figures/calls')
    return { status, calls: calls.status, by: json.buckets?.map(({ key, offered }: Json) => `${key} ${offered}`) }
  }
  t.same(await seen('maria', 'desk', ['front']), { status: 200, calls: 403, by: ['front 1'] })
  t.same(await seen('olga', 'desk'), { status: 200, calls: 403, by: [] })
  t.same(await seen('paul', 'manager'), { status: 200, calls: 200, by: ['front 2', 'nurses 1'] })
  t.same(await seen('ted', 'technician'), { status: 200, calls: 200, by: ['front 2', 'nurses 1'] })
})
