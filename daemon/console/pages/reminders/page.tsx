/** Reminders: the appointments of a day by hour, and what became of the calls about them. */
import { useSignal } from '@preact/signals'
import type { ReminderView } from '../../../schema/reminders.ts'
import { house } from '../../frame/house.ts'
import { go, query } from '../../frame/router.ts'
import { figure } from '../../frame/words.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { useChosen } from '../../pieces/chosen.ts'
import { LongTable, printAll, type Heading } from '../../pieces/LongTable.tsx'
import { Loading, Panel } from '../../pieces/Panel.tsx'
import { dateFormat, dayOf } from '../../pieces/time.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { Calling } from './Calling.tsx'
import { columnOf, columns, dayText, readDay, shifted, type Column } from './day.ts'
import { cells } from './Row.tsx'
import { StopList } from './StopList.tsx'
import { say } from './words.ts'

export default function Reminders() {
  const asked = query.value.get('day') ?? ''
  const next = house.data.value?.reminders.day
  const day = /^\d{4}-\d{2}-\d{2}$/.test(asked) ? asked : next
  return (
    <div class="reminders">
      {day === undefined ? <Loading /> : <Day key={day} day={day} next={next} />}
      <aside>
        <Calling />
        <StopList />
      </aside>
    </div>
  )
}

const show = (day: string): void => go(`/reminders?day=${day}`, { replace: true })

function Day({ day, next }: { readonly day: string; readonly next: string | undefined }) {
  const wanted = useSignal<Column | undefined>(undefined)
  const { list, items, isWhole } = readDay(day)
  const shown = items.filter((one) => wanted.value === undefined || columnOf(one) === wanted.value)
  const keys = { next: say('nextRow'), previous: say('previousRow'), open: say('openRow') }
  const chosen = useChosen(
    shown.map(({ reminderId }) => reminderId),
    (id) => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] button`)?.focus(),
    keys,
  )
  const print = (
    <button type="button" class="btn small" onClick={printAll}>
      <Icon name="print" />
      {say('print')}
    </button>
  )
  return (
    <Panel
      title={dayText(day)}
      count={isWhole ? items.length : `${figure(items.length)}…`}
      thing={list}
      aside={print}
      class="day-of-reminders"
    >
      {() => (
        <>
          <Days day={day} next={next} />
          <Columns items={items} wanted={wanted.value} choose={(column) => (wanted.value = column)} />
          {items.length === 0 ? <p class="empty">{say(day < dayOf(nowMs.peek()) ? 'emptyPast' : 'empty')}</p> : null}
          {items.length > 0 && shown.length === 0 ? <p class="empty">{say('emptyColumn')}</p> : null}
          {shown.length === 0 ? null : (
            <LongTable
              caption={dayText(day)}
              columns={cells()}
              rows={byHour(shown)}
              keyOf={({ reminderId }) => reminderId}
              chosen={chosen.id.value}
              more={!isWhole}
              rowClass="reminder"
            />
          )}
        </>
      )}
    </Panel>
  )
}

/** Each hour of the site before its appointments, in order. */
function byHour(items: readonly ReminderView[]): (ReminderView | Heading)[] {
  const format = dateFormat({ hour: 'numeric', minute: '2-digit' })
  const hours = Map.groupBy(items, ({ appointmentAt }) => {
    const at = Date.parse(appointmentAt)
    return at - (new Date(at).getUTCMinutes() * 60 + new Date(at).getUTCSeconds()) * 1000
  })
  return [...hours].flatMap(([hour, those]) => [{ heading: format.format(hour), count: those.length }, ...those])
}

function Days({ day, next }: { readonly day: string; readonly next: string | undefined }) {
  const today = dayOf(nowMs.value)
  return (
    <div class="row days">
      <button type="button" class="btn icon" aria-label={say('dayBefore')} onClick={() => show(shifted(day, -1))}>
        <Icon name="left" />
      </button>
      <label>
        <span class="vh">{say('day')}</span>
        <input
          class="pick"
          type="date"
          value={day}
          onChange={(event) => event.currentTarget.value !== '' && show(event.currentTarget.value)}
        />
      </label>
      <button type="button" class="btn icon" aria-label={say('dayAfter')} onClick={() => show(shifted(day, 1))}>
        <Icon name="right" />
      </button>
      <button type="button" class="btn small" aria-pressed={day === today} onClick={() => show(today)}>
        {say('today')}
      </button>
      {next === undefined || next === today ? null : (
        <button type="button" class="btn small" aria-pressed={day === next} onClick={() => show(next)}>
          {say('nextDay', { day: dayText(next, 'short') })}
        </button>
      )}
    </div>
  )
}

interface ColumnsProps {
  readonly items: readonly ReminderView[]
  readonly wanted: Column | undefined
  readonly choose: (column: Column | undefined) => void
}

function Columns({ items, wanted, choose }: ColumnsProps) {
  const counts = Map.groupBy(items, columnOf)
  return (
    <div class="row filter">
      <span class="seg" role="group" aria-label={say('which')}>
        <button type="button" aria-pressed={wanted === undefined} onClick={() => choose(undefined)}>
          {say('all')} <b>{figure(items.length)}</b>
        </button>
        {columns.map((column) => (
          <button key={column} type="button" aria-pressed={wanted === column} onClick={() => choose(column)}>
            {say(column)} <b>{figure(counts.get(column)?.length ?? 0)}</b>
          </button>
        ))}
      </span>
    </div>
  )
}
