/**
 * Which calls are looked at: in the address of the page, so that a look can be kept and given to somebody. A part of a name or of a number is of
 * a patient, and so is never there.
 */
import type { CallOutcome, HistoryDirection } from '../../../schema/states.ts'
import { dayAfter, startOfDay } from '../../pieces/time.ts'

/** `open`: calls that nobody took, of callers with whom nobody has talked since. */
export const listNames = ['open', 'all', 'own'] as const
export type ListName = (typeof listNames)[number]

export const directions = ['inbound', 'outbound', 'internal'] as const satisfies readonly HistoryDirection[]
export const outcomes = [
  ...(['answered', 'missed', 'abandoned', 'voicemail', 'busy', 'no-answer'] as const),
  ...(['rejected', 'canceled', 'failed', 'blocked', 'fax', 'app'] as const),
] as const satisfies readonly CallOutcome[]

export interface Filters {
  readonly list: ListName
  /** YYYY-MM-DD of the site; '' for any, as in all that follow. */
  readonly day: string
  /** The last day, where there are several. */
  readonly until: string
  readonly direction: HistoryDirection | ''
  readonly outcome: CallOutcome | ''
  readonly queue: string
  /** Extension. */
  readonly colleague: string
}

/** `usual`: the list without a name in the address. */
export function filtersOf(query: URLSearchParams, usual: ListName): Filters {
  const one = <T extends string>(name: string, all: readonly T[]): T | '' => all.find((value) => value === query.get(name)) ?? ''
  const dayOf = (name: string): string => {
    const text = query.get(name) ?? ''
    return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
  }
  const day = dayOf('day')
  const until = dayOf('until')
  return {
    list: one('list', listNames) || usual,
    day,
    until: day !== '' && until > day ? until : '',
    direction: one('direction', directions),
    outcome: one('outcome', outcomes),
    queue: query.get('queue') ?? '',
    colleague: query.get('colleague') ?? '',
  }
}

/** For the address: '' or `?…`. */
export function queryOf({ list, ...filters }: Filters, usual: ListName): string {
  const set = Object.entries({ list: list === usual ? '' : list, ...filters }).filter(([, value]) => value !== '')
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`
}

/** A list of which nothing is chosen. */
export const plain = (list: ListName): Filters => ({ list, day: '', until: '', direction: '', outcome: '', queue: '', colleague: '' })

/** Whether anything but the list is chosen. */
export const isNarrow = ({ list: _, ...filters }: Filters, text: string): boolean =>
  text.trim() !== '' || Object.values(filters).some((value) => value !== '')

/** For the box. `text`: a part of a name or a number. `own`: the person's extension. */
export function asked({ list, day, until, direction, outcome, queue, colleague }: Filters, text: string, own: string): URLSearchParams {
  const extension = list === 'own' ? own : colleague
  const wanted = {
    ...(list === 'open' ? { returned: 'false' } : {}),
    ...{ q: text.trim(), direction, outcome, queue, extension },
    ...(day === '' ? {} : { from: iso(startOfDay(day)), to: iso(startOfDay(dayAfter(until || day))) }),
  }
  return new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''))
}

const iso = (at: number): string => new Date(at).toISOString()
