/** What a schema cannot say of opening times: days, times and dates that can be read, destinations that exist. */
import type { Config } from '../../schema/config.ts'
import { readDates, readDays, readInterval, weekdays, type DateRange } from '../../schema/opening.ts'
import { duplicates, type MeaningContext, type SectionCheck } from './context.ts'
import { checkDestination } from '../routing.ts'
import type { Path } from '../source.ts'

function checkHours(config: Config, context: MeaningContext): void {
  const { fault } = context
  duplicates(['hours'], 'id', config.hours, context)
  config.hours.forEach(({ open, closedOn, special, whenOpen, whenClosed }, index) => {
    const path = ['hours', index]
    checkOpenTimes([...path, 'open'], open, context)
    closedOn.forEach((text, at) => {
      if (readDates(text) === undefined)
        fault([...path, 'closedOn', at], `"${text}" is not a valid date; write 2026-12-25, or 2026-12-24/2026-12-26`)
    })
    checkSpecial([...path, 'special'], special, context)
    checkDestination([...path, 'whenOpen'], whenOpen, config, context)
    checkDestination([...path, 'whenClosed'], whenClosed, config, context)
  })
}

/** Times of the day by dates. */
function checkSpecial(path: Path, special: Readonly<Record<string, readonly string[]>>, context: MeaningContext): void {
  const named: (DateRange & { readonly text: string })[] = []
  for (const [text, times] of Object.entries(special)) {
    const dates = readDates(text)
    if (dates === undefined) {
      context.fault([...path, text], `"${text}" is not a valid date; write "2026-12-24", or "2026-12-24/2026-12-26"`)
      continue
    }
    const twice = named.find(({ first, last }) => dates.first <= last && first <= dates.last)
    if (twice !== undefined) context.fault([...path, text], `it overlaps with ${twice.text}; give each date once`)
    named.push({ ...dates, text })
    checkTimes([...path, text], times, context)
  }
}

/** Times of the day by days. */
export function checkOpenTimes(path: Path, open: Readonly<Record<string, readonly string[]>>, context: MeaningContext): void {
  const { fault } = context
  const named = new Map<number, string>()
  for (const [days, times] of Object.entries(open)) {
    const place = [...path, days]
    const read = readDays(days)
    if (read === undefined) {
      fault(place, `"${days}" is not a day; write ${weekdays.join(', ')}, or several as mon-fri`)
      continue
    }
    const twice = read.find((day) => named.has(day))
    if (twice !== undefined) fault(place, `${weekdays[twice]} is already in ${named.get(twice)}; give each day once`)
    for (const day of read) named.set(day, days)
    checkTimes(place, times, context)
  }
}

function checkTimes(path: Path, times: readonly string[], { fault }: MeaningContext): void {
  times.forEach((text, at) => {
    if (readInterval(text) === undefined)
      fault([...path, at], `"${text}" is not a time range; write 08:30-12:30, 22:00-06:00 or 00:00-24:00`)
  })
}

export const checks: readonly SectionCheck[] = [[['hours', 'menus', 'extensions', 'voice'], checkHours]]
