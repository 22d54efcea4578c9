/** Figures as they are asked for: hours put together by period and by name. */
import { ApiError } from '../base/errors.ts'
import { added, type Counts } from './counts.ts'
import { everything, type Figures, type Series } from './figures.ts'
import { Periods, weekdayHour, weekdayHours, type BucketKind } from './periods.ts'

export interface Asked {
  readonly series: Series
  /** Milliseconds since the epoch; from is included, to is not. */
  readonly from: number
  readonly to: number
  readonly bucket: BucketKind
  /** `name`: each name apart. `weekday-hour`: the hours of the week, whatever the week. */
  readonly by: 'name' | 'weekday-hour' | undefined
  /** Names that count; of all others nothing is read. */
  readonly names?: (name: string) => boolean
}

export interface Bucket {
  /** null by the hours of the week. */
  readonly at: number | null
  /** '' for all. */
  readonly key: string
  readonly counts: Counts
}

/** Buckets of one answer. */
const mostBuckets = 1600
const mostEntries = 20_000

/** Throws ApiError `validation_failed` where there would be too many. */
export async function read(figures: Figures, timeZone: string, asked: Asked): Promise<Bucket[]> {
  const { series, to, bucket, by, names = (name) => name === everything } = asked
  const from = figures.hourOf(asked.from)
  if (by === 'weekday-hour') return ofWeek(figures, timeZone, { ...asked, from, names })
  const periods = new Periods(bucket, from, timeZone)
  const starts = periods.until(to, mostBuckets)
  if (starts.length > mostBuckets) throw tooMany()
  const found = new Map<number, Map<string, Counts>>(starts.map((start) => [start, new Map(by === 'name' ? [] : [[everything, {}]])]))
  let entries = found.size
  for await (const { at, counts } of figures.hours(series, from, to)) {
    const start = periods.startOf(at)
    const period = found.get(start) ?? new Map<string, Counts>()
    found.set(start, period)
    for (const [name, count] of counts) {
      if (!names(name)) continue
      const key = by === 'name' ? name : everything
      if (!period.has(key) && ++entries > mostEntries) throw tooMany()
      period.set(key, added(period.get(key) ?? {}, count))
    }
  }
  return [...found]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([at, period]) => [...period].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, counts]) => ({ at, key, counts })))
}

async function ofWeek(
  figures: Figures,
  timeZone: string,
  { series, from, to, names }: Pick<Asked, 'series' | 'from' | 'to'> & { readonly names: (name: string) => boolean },
): Promise<Bucket[]> {
  const found = new Map<string, Counts>(weekdayHours.map((hour) => [hour, {}]))
  for await (const { at, counts } of figures.hours(series, from, to)) {
    const key = weekdayHour(at, timeZone)
    for (const [name, count] of counts) if (names(name)) found.set(key, added(found.get(key)!, count))
  }
  return [...found].map(([key, counts]) => ({ at: null, key, counts }))
}

function tooMany(): ApiError {
  return new ApiError('validation_failed', `That is more than ${mostBuckets} periods; choose a longer bucket or a shorter time.`, {
    details: [{ path: '/bucket', message: 'too short for the time from "from" to "to"' }],
  })
}
