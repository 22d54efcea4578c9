/** The figures of the integration over some time: `GET /api/pbx/analytics/integration`. */
import { isoTime, type Clock } from '../base/clock.ts'
import type { History } from '../history/history.ts'
import type { AnalyticsView } from '../schema/crm-status.ts'
import type { HistoryRow } from '../store/tables.ts'
import { delayBounds, lookupBounds, type Tally } from './tally.ts'

export interface AnalyticsOptions {
  readonly clock: Clock
  readonly tally: Pick<Tally, 'hours' | 'outages'>
  readonly history: Pick<History, 'pageBack'>
  readonly queue: () => { readonly pending: number; readonly dead: number }
}

export interface Span {
  readonly from: number
  readonly to: number
  readonly bucket: 'hour' | 'day'
}

const bucketMs = { hour: 3_600_000, day: 86_400_000 }
const page = 500

export class CrmAnalytics {
  readonly #options: AnalyticsOptions

  constructor(options: AnalyticsOptions) {
    this.#options = options
  }

  async view({ from, to, bucket }: Span): Promise<AnalyticsView> {
    const { tally, clock, queue } = this.#options
    const hours = tally.hours(from, to)
    const rows = hours.map(({ row }) => row)
    const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0)
    const spread = (of: (row: (typeof rows)[number]) => readonly number[], bounds: readonly number[], share: number): number =>
      quantile(bounds, bounds.map((_, at) => sum((row) => of(row)[at] ?? 0)).concat(sum((row) => of(row)[bounds.length] ?? 0)), share)
    const calls = await this.#calls(from, to)
    const outages = tally.outages(from, to).map(({ startedAt, endedAt, reason }) => {
      const seconds = Math.round((Math.min(endedAt ?? clock.now(), to) - Math.max(startedAt, from)) / 1000)
      return { startedAt: isoTime(startedAt), endedAt: isoTime(endedAt), seconds, reason }
    })
    const away = outages.reduce((total, { seconds }) => total + seconds, 0)
    const { pending, dead } = queue()
    return {
      from: isoTime(from),
      to: isoTime(to),
      bucket,
      uptime: { percent: round(100 - (100_000 * away) / Math.max(1, Math.min(to, clock.now()) - from), 2), outages },
      lookups: {
        total: sum((row) => row.lookups),
        crm: sum((row) => row.crm),
        local: sum((row) => row.local),
        notFound: sum((row) => row.notFound),
        ambiguous: sum((row) => row.ambiguous),
        timeouts: sum((row) => row.timeouts),
        p50Ms: spread((row) => row.lookupMs, lookupBounds, 0.5),
        p95Ms: spread((row) => row.lookupMs, lookupBounds, 0.95),
      },
      calls: figuresOf(calls),
      logs: {
        delivered: sum((row) => row.delivered),
        pending,
        dead,
        p50DelaySeconds: spread((row) => row.delaySeconds, delayBounds, 0.5),
        p95DelaySeconds: spread((row) => row.delaySeconds, delayBounds, 0.95),
      },
      series: series({ from, to, bucket }, hours, calls),
    }
  }

  async #calls(from: number, to: number): Promise<readonly HistoryRow[]> {
    const found: HistoryRow[] = []
    for (let before: number | null = null; ;) {
      const { items, nextBefore }: Awaited<ReturnType<History['pageBack']>> = await this.#options.history.pageBack(before, page, {
        from,
        to,
      })
      found.push(...items)
      if (nextBefore === null || items.length === 0) return found
      before = nextBefore
    }
  }
}

function figuresOf(calls: readonly HistoryRow[]): AnalyticsView['calls'] {
  const outside = calls.filter(({ direction }) => direction !== 'internal')
  const answered = outside.filter(({ outcome }) => outcome === 'answered')
  const inbound = outside.filter(({ direction }) => direction === 'inbound')
  const matched = inbound.filter(({ customerId }) => customerId !== undefined).length
  const mean = (of: (call: HistoryRow) => number): number =>
    answered.length === 0 ? 0 : Math.round(answered.reduce((total, call) => total + of(call), 0) / answered.length)
  return {
    inbound: inbound.length,
    outbound: outside.length - inbound.length,
    answered: answered.length,
    missed: outside.filter(({ outcome }) => outcome === 'missed').length,
    voicemail: outside.filter(({ outcome }) => outcome === 'voicemail').length,
    matchedPercent: inbound.length === 0 ? 0 : round((100 * matched) / inbound.length, 1),
    avgRingSeconds: mean(({ ringSeconds }) => ringSeconds),
    avgTalkSeconds: mean(({ talkSeconds }) => talkSeconds),
  }
}

/** In UTC. A bucket in which nothing happened is there too. */
function series({ from, to, bucket }: Span, hours: ReturnType<Tally['hours']>, calls: readonly HistoryRow[]): AnalyticsView['series'] {
  const ms = bucketMs[bucket]
  const first = from - (from % ms)
  const rows = Array.from({ length: Math.ceil((to - first) / ms) }, (_, n) => ({
    at: isoTime(first + n * ms),
    calls: 0,
    lookups: 0,
    failures: 0,
  }))
  const at = (when: number) => rows[Math.floor((when - first) / ms)]
  for (const { startedAt } of calls) {
    const row = at(startedAt)
    if (row !== undefined) row.calls++
  }
  for (const { at: hour, row: counts } of hours) {
    const row = at(Math.max(hour, first))
    if (row === undefined) continue
    row.lookups += counts.lookups
    row.failures += counts.failures
  }
  return rows
}

/** The bound below which that share lies; 0 where nothing was counted. */
function quantile(bounds: readonly number[], counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let seen = 0
  for (const [at, count] of counts.entries()) {
    seen += count
    if (total > 0 && seen >= total * share) return bounds[Math.min(at, bounds.length - 1)]!
  }
  return 0
}

function round(value: number, digits: number): number {
  const factor = 10 ** digits
  return Math.round(Math.max(0, value) * factor) / factor
}
