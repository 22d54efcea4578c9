/** What is looked for: which list, and the filters of it. */
import { useId } from 'preact/hooks'
import { house } from '../../frame/house.ts'
import { useKeys } from '../../frame/keys.ts'
import { me, may } from '../../frame/session.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { foreign } from '../../pieces/Number.tsx'
import { dayOf } from '../../pieces/time.ts'
import { boxNow } from '../../frame/clock.ts'
import { directions, isNarrow, outcomes, plain, type Filters, type ListName } from './filters.ts'
import { say } from './words.ts'

export interface FilterBarProps {
  readonly filters: Filters
  readonly text: string
  readonly onFilters: (filters: Filters) => void
  readonly onText: (text: string) => void
}

const searchId = 'calls-q'

export function FilterBar({ filters, text, onFilters, onText }: FilterBarProps) {
  const set = (changes: Partial<Filters>): void => onFilters({ ...filters, ...changes })
  const { list, day, until, direction, outcome, queue, colleague } = filters
  const queues = house.data.value?.queues ?? []
  const extensions = house.data.value?.extensions ?? []
  useKeys({ s: { does: say('search'), run: () => document.getElementById(searchId)?.focus() } })
  return (
    <div class="filters" role="search" aria-label={say('filters')}>
      <Which list={list} onList={(next) => set({ list: next })} />
      {may('patients') ? (
        <label class="box">
          <Icon name="search" />
          <span class="vh">{say('search')}</span>
          <input
            id={searchId}
            type="search"
            placeholder={say('search')}
            value={text}
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => onText(event.currentTarget.value)}
          />
        </label>
      ) : null}
      <Days day={day} until={until} onDays={set} />
      {list === 'open' ? null : (
        <Choice
          label={say('direction')}
          any={say('anyDirection')}
          value={direction}
          values={directions.map((one) => [one, say(one)])}
          onValue={(value) => set({ direction: value as Filters['direction'] })}
        />
      )}
      <Choice
        label={say('outcome')}
        any={say('anyOutcome')}
        value={outcome}
        values={outcomes.map((one) => [one, say(one)])}
        onValue={(value) => set({ outcome: value as Filters['outcome'] })}
      />
      {queues.length === 0 && queue === '' ? null : (
        <Choice
          label={say('queue')}
          any={say('anyQueue')}
          value={queue}
          values={queues.map(({ id, name }) => [id, foreign(name || id)])}
          onValue={(value) => set({ queue: value })}
        />
      )}
      {list === 'own' || (extensions.length === 0 && colleague === '') ? null : (
        <Choice
          label={say('colleague')}
          any={say('anyColleague')}
          value={colleague}
          values={extensions.map(({ number, name }) => [number, `${number} ${foreign(name)}`])}
          onValue={(value) => set({ colleague: value })}
        />
      )}
      {isNarrow(filters, text) ? (
        <button type="button" class="btn small quiet" onClick={() => (onText(''), onFilters(plain(list)))}>
          {say('clear')}
        </button>
      ) : null}
    </div>
  )
}

interface DaysProps extends Pick<Filters, 'day' | 'until'> {
  readonly onDays: (days: Partial<Filters>) => void
}

/** One day, or from one to another. */
function Days({ day, until, onDays }: DaysProps) {
  const newest = dayOf(boxNow())
  const field = (text: string, value: string, first: string | undefined, onValue: (value: string) => void) => (
    <label class="small">
      {text}{' '}
      <input
        class="pick"
        type="date"
        {...(first === undefined ? {} : { min: first })}
        max={newest}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  )
  return (
    <>
      {field(say('day'), day, undefined, (value) => onDays({ day: value, until: value !== '' && until > value ? until : '' }))}
      {day === '' ? null : field(say('until'), until, day, (value) => onDays({ until: value > day ? value : '' }))}
    </>
  )
}

function Which({ list, onList }: { readonly list: ListName; readonly onList: (list: ListName) => void }) {
  const lists: readonly (readonly [ListName, string])[] = [
    ...(may('calls') ? [['open', say('notReturned')] as const] : []),
    ['all', say('all')],
    ...(me.value?.extension === null && list !== 'own' ? [] : [['own', say('own')] as const]),
  ]
  return (
    <span class="seg" role="group" aria-label={say('which')}>
      {lists.map(([name, text]) => (
        <button key={name} type="button" aria-pressed={list === name} onClick={() => onList(name)}>
          {text}
        </button>
      ))}
    </span>
  )
}

interface ChoiceProps {
  readonly label: string
  /** What '' says. */
  readonly any: string
  readonly value: string
  readonly values: readonly (readonly [value: string, text: string])[]
  readonly onValue: (value: string) => void
}

function Choice({ label, any, value, values, onValue }: ChoiceProps) {
  const id = useId()
  // What stands in the address may be of another time: it is shown as it is.
  const all = value === '' || values.some(([one]) => one === value) ? values : [...values, [value, value] as const]
  return (
    <span>
      <label class="vh" for={id}>
        {label}
      </label>
      <select id={id} class="pick" value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">{any}</option>
        {all.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </span>
  )
}
