/** The form of opening times: a week, holidays, and days with other times such as half days. */
import { useId } from 'preact/hooks'
import type { OpeningTimes } from '../../schema/extensions.ts'
import { Icon } from './Icon.tsx'
import { datesIn, say, days, openOf, rangeOf, rangeText, specialDaysOf, weekOf, type Day, type SpecialDay } from './opening.ts'
import { dateFormat, dayOf } from './time.ts'
import { boxNow } from '../frame/clock.ts'

export interface OpeningFormProps {
  readonly times: OpeningTimes
  readonly onTimes: (times: OpeningTimes) => void
}

const usual = '08:30-17:00'
const half = '08:30-12:00'

export function OpeningForm({ times, onTimes }: OpeningFormProps) {
  const week = weekOf(times.open)
  const setDay = (day: Day, ranges: readonly string[]): void => {
    onTimes({ ...times, open: openOf({ ...week, [day]: ranges }, times.open) })
  }
  const list = specialDaysOf(times)
  const setList = (next: readonly SpecialDay[]): void => onTimes({ ...times, ...datesIn(next, times) })
  const id = useId()
  return (
    <div class="opening">
      <section aria-labelledby={`${id}w`}>
        <h3 id={`${id}w`} class="sub">
          {say('week')}
        </h3>
        {days.map((day) => (
          <div key={day} class="row" role="group" aria-label={dayName(day)}>
            <span class="day">{dayName(day)}</span>
            <Ranges
              ranges={week[day]}
              of={dayName(day)}
              onRanges={(ranges) => setDay(day, ranges)}
              fresh={day === 'mon' ? usual : (week[days[days.indexOf(day) - 1]!][0] ?? usual)}
            />
          </div>
        ))}
      </section>
      <section aria-labelledby={`${id}h`}>
        <h3 id={`${id}h`} class="sub">
          {say('holidays')} <span>{say('holidaysHint')}</span>
        </h3>
        {list.length === 0 ? <p class="empty">{say('noHolidays')}</p> : null}
        {list.map((one, n) => (
          <Holiday
            key={n}
            day={one}
            onDay={(next) => setList(list.with(n, next))}
            onRemove={() => setList(list.filter((_, index) => index !== n))}
          />
        ))}
        <div class="row acts">
          <button type="button" class="btn small" onClick={() => setList([...list, { ...nextDay(list), times: [] }])}>
            <Icon name="plus" />
            {say('addHoliday')}
          </button>
          <button type="button" class="btn small" onClick={() => setList([...list, { ...nextDay(list), times: [half] }])}>
            <Icon name="plus" />
            {say('addHalfDay')}
          </button>
        </div>
      </section>
    </div>
  )
}

/** 2024-01-01 was a Monday. */
const dayName = (day: Day): string => dateFormat({ weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + days.indexOf(day)))

/** Tomorrow, or the first day after it that is not in the list yet. */
function nextDay(list: readonly SpecialDay[]): Pick<SpecialDay, 'first' | 'last'> {
  for (let n = 1; ; n++) {
    const day = dayOf(boxNow() + n * 86_400_000)
    if (!list.some(({ first, last }) => first <= day && day <= last)) return { first: day, last: day }
  }
}

interface HolidayProps {
  readonly day: SpecialDay
  readonly onDay: (day: SpecialDay) => void
  readonly onRemove: () => void
}

function Holiday({ day, onDay, onRemove }: HolidayProps) {
  const id = useId()
  const name = /^\d{4}-\d\d-\d\d$/.test(day.first)
    ? dateFormat({ weekday: 'short', year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' }).format(Date.parse(day.first))
    : day.first
  return (
    <div class="row" role="group" aria-label={name}>
      <label class="vh" for={`${id}a`}>
        {say('firstDay')}
      </label>
      <input
        id={`${id}a`}
        class="box date"
        type="date"
        value={day.first}
        onChange={({ currentTarget: { value } }) => {
          if (value !== '') onDay({ ...day, first: value, last: day.last === day.first || day.last < value ? value : day.last })
        }}
      />
      <label class="small muted" for={`${id}b`}>
        {say('until')}
      </label>
      <input
        id={`${id}b`}
        class="box date"
        type="date"
        min={day.first}
        value={day.last}
        onChange={({ currentTarget: { value } }) => value !== '' && onDay({ ...day, last: value })}
      />
      <Ranges ranges={day.times} of={name} onRanges={(times) => onDay({ ...day, times })} fresh={half} />
      <button type="button" class="btn small icon quiet" aria-label={say('removeDay', { day: name })} onClick={onRemove}>
        <Icon name="trash" />
      </button>
    </div>
  )
}

interface RangesProps {
  readonly ranges: readonly string[]
  /** The day. */
  readonly of: string
  readonly onRanges: (ranges: readonly string[]) => void
  /** The first one of a day that was closed. */
  readonly fresh: string
}

function Ranges({ ranges, of, onRanges, fresh }: RangesProps) {
  return (
    <div class="ranges">
      {ranges.length === 0 ? <span class="tag">{say('closed')}</span> : null}
      {ranges.map((text, n) => (
        <Range
          key={n}
          text={text}
          of={of}
          onText={(next) => onRanges(ranges.with(n, next))}
          onRemove={() => onRanges(ranges.filter((_, index) => index !== n))}
        />
      ))}
      <button
        type="button"
        class="btn small quiet"
        aria-label={say('addTimeOf', { day: of })}
        onClick={() => onRanges([...ranges, ranges.length === 0 ? fresh : laterThan(ranges.at(-1)!)])}
      >
        <Icon name="plus" />
        {say('addTime')}
      </button>
    </div>
  )
}

/** After a break of an hour. */
function laterThan(text: string): string {
  const hour = Number(rangeOf(text).to.slice(0, 2))
  const at = (h: number): string => `${String(Math.min(23, h)).padStart(2, '0')}:00`
  return hour >= 21 || hour === 0 ? '22:00-23:00' : `${at(hour + 1)}-${at(Math.max(17, hour + 3))}`
}

function Range({ text, of, onText, onRemove }: RangeProps) {
  const { from, to } = rangeOf(text)
  const field = (label: string, value: string, set: (value: string) => string) => (
    <input
      class="box time"
      type="time"
      required
      aria-label={`${label}, ${of}`}
      value={value}
      onChange={({ currentTarget: { value: now } }) => now !== '' && onText(set(now))}
    />
  )
  return (
    <span class="range">
      {field(say('from'), from, (now) => rangeText({ from: now, to }))}
      <span aria-hidden="true">–</span>
      {field(say('to'), to, (now) => rangeText({ from, to: now }))}
      <button
        type="button"
        class="btn small icon quiet"
        aria-label={say('removeTime', { time: `${from}–${to}`, day: of })}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </span>
  )
}

interface RangeProps {
  readonly text: string
  readonly of: string
  readonly onText: (text: string) => void
  readonly onRemove: () => void
}
