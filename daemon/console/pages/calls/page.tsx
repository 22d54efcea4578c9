/** Calls: who called, what became of it, and whom nobody has called back. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { WorkItemView } from '../../../schema/work.ts'
import { Fault, save } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { useKeys } from '../../frame/keys.ts'
import { go, path, query } from '../../frame/router.ts'
import { may, me } from '../../frame/session.ts'
import { figure } from '../../frame/words.ts'
import { useChosen } from '../../pieces/chosen.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { LongTable } from '../../pieces/LongTable.tsx'
import { foreign, numberText, Person } from '../../pieces/Number.tsx'
import { FaultNote, Panel } from '../../pieces/Panel.tsx'
import { callBack, callsWith, sayReach } from '../../pieces/reach-out.ts'
import type { Column } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { changeWork, sayWork } from '../../pieces/work.ts'
import { After, followWork, isMissed, lengthOf, otherOf, Outcome, whereOf, workFor, type Call } from './cells.tsx'
import { Detail } from './Detail.tsx'
import { FilterBar } from './Filters.tsx'
import { asked, filtersOf, isNarrow, plain, queryOf, type Filters } from './filters.ts'
import { CallList } from './list.ts'
import { say } from './words.ts'

export default function Calls() {
  const usual = may('calls') ? 'open' : 'all'
  const filters = filtersOf(query.value, usual)
  const text = callsWith()
  const shownId = /^\/calls\/([^/]+)$/.exec(path.value)?.[1]
  const at = (id: string | undefined, next: Filters = filters): string =>
    `/calls${id === undefined ? '' : `/${encodeURIComponent(id)}`}${queryOf(next, usual)}`
  const chosenId = shownId === undefined ? undefined : decodeURIComponent(shownId)
  if (may('calls')) followWork()
  return (
    <div class={`calls ${chosenId === undefined ? '' : 'open'}`}>
      <FilterBar
        filters={filters}
        text={text.value}
        onFilters={(next) => go(at(undefined, next), { replace: true })}
        onText={(next) => (text.value = next)}
      />
      <List filters={filters} text={text.value} chosen={chosenId} open={(id) => go(at(id))} />
      {chosenId === undefined ? null : (
        <Detail
          key={chosenId}
          callId={chosenId}
          close={() => go(at(undefined))}
          allOf={(number) => {
            text.value = number
            go(at(undefined, plain('all')))
          }}
        />
      )}
    </div>
  )
}

interface ListProps {
  readonly filters: Filters
  readonly text: string
  readonly chosen: string | undefined
  readonly open: (callId: string) => void
}

function List({ filters, text, chosen, open }: ListProps) {
  const own = me.value?.extension ?? ''
  const wanted = asked(filters, text, own).toString()
  const list = useMemo(() => new CallList(new URLSearchParams(wanted)), [wanted])
  useEffect(() => list.follow(), [list])
  // What was looked for before stays until the new look has something to show.
  const before = useRef(list)
  if (list.rows.value !== undefined || list.first.fault.value !== undefined) before.current = list
  const shown = before.current
  const rows = shown.rows.value ?? []
  const keys = { next: say('next'), previous: say('previous'), open: say('openIt') }
  const at = useChosen(
    rows.map(({ callId }) => callId),
    open,
    keys,
  )
  const current = rows.find(({ callId }) => callId === at.id.value)
  const item = current === undefined ? undefined : openWorkOf(current)
  useKeys({
    c: {
      does: sayReach('callBack'),
      run: () => void (current !== undefined && may('calls') && otherOf(current) !== '' && callBack(otherOf(current))),
    },
    d: { does: sayWork('done'), run: () => void (item !== undefined && changeWork(item, { state: 'done' })) },
  })
  useEffect(() => {
    if (chosen !== undefined) at.id.value = chosen
    // After the frame has given the focus to the page.
    else if (at.id.value !== undefined) setTimeout(() => rowOf(at.id.value!)?.querySelector('a')?.focus(), 0)
  }, [chosen])
  if (filters.list === 'own' && own === '') return <Panel title={say('calls')}>{<p class="empty">{say('noPhone')}</p>}</Panel>
  const fault = shown.fault.value
  return (
    <Panel
      title={say('calls')}
      count={shown.rows.value === undefined ? '' : shown.more.value ? `${figure(rows.length)}+` : rows.length}
      thing={shown.first}
      class={`call-list ${shown === list ? '' : 'looking'}`}
      aside={may('csv') ? <Csv wanted={wanted} /> : null}
    >
      {() => (
        <>
          {rows.length === 0 ? (
            <p class="empty">{say(emptyOf(filters, text))}</p>
          ) : (
            <LongTable
              caption={say('calls')}
              columns={columns(open)}
              rows={rows}
              keyOf={({ callId }) => callId}
              chosen={at.id.value}
              more={shown.more.value}
              onMore={() => void shown.readMore()}
              onOpen={({ callId }) => open(callId)}
            />
          )}
          {fault === undefined ? null : <FaultNote fault={fault} again={() => shown.again()} />}
        </>
      )}
    </Panel>
  )
}

const rowOf = (callId: string): HTMLElement | null => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(callId)}"]`)

function emptyOf(filters: Filters, text: string): 'emptyFilter' | 'emptyOpen' | 'emptyOwn' | 'emptyAll' {
  if (isNarrow(filters, text)) return 'emptyFilter'
  return ({ open: 'emptyOpen', own: 'emptyOwn', all: 'emptyAll' } as const)[filters.list]
}

const columns = (open: (callId: string) => void): Column<Call>[] => [
  { head: say('outcome'), class: 'c-outcome', cell: (call) => <Outcome call={call} /> },
  { head: say('who'), class: 'c-who', isHead: true, cell: (call) => <Who call={call} open={open} /> },
  { head: say('when'), class: 'c-when', cell: ({ startedAt }) => <Time at={startedAt} /> },
  {
    head: say('where'),
    class: 'c-where',
    cell: (call) => (
      <span class="cut" title={whereOf(call)}>
        {whereOf(call)}
      </span>
    ),
  },
  { head: say('length'), class: 'c-length r', cell: (call) => <span class="num">{lengthOf(call)}</span> },
  {
    ...{ head: say('state'), class: 'c-state' },
    cell: (call) => (
      <span class="acts">
        <After call={call} />
        <Settle call={call} />
      </span>
    ),
  },
]

function Who({ call, open }: { readonly call: Call; readonly open: (callId: string) => void }) {
  const { callId, callerName = '', direction } = call
  return (
    <a
      class="cut"
      title={nameOf(call)}
      href={`/calls/${encodeURIComponent(callId)}`}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        open(callId)
      }}
    >
      <Person name={direction === 'outbound' ? '' : callerName} number={otherOf(call)} />
    </a>
  )
}

/** A missed call that nobody has returned: to call back, or to say that it is done. */
function Settle({ call }: { readonly call: Call }) {
  const item = openWorkOf(call)
  if (!waitsForReturn(call)) return null
  return (
    <>
      {call.from === '' ? null : <CallBack number={call.from} />}
      {item === undefined ? null : (
        <button
          type="button"
          class="btn small"
          aria-label={say('doneOf', { name: nameOf(call) })}
          onClick={() => void changeWork(item, { state: 'done' })}
        >
          <Icon name="check" />
          <span class="only-wide">{sayWork('done')}</span>
        </button>
      )}
    </>
  )
}

function waitsForReturn(call: Call): boolean {
  return may('calls') && isMissed(call) && call.returned === null && workFor(call)?.state !== 'done'
}

function openWorkOf(call: Call): WorkItemView | undefined {
  const item = workFor(call)
  return item?.state === 'open' ? item : undefined
}

const nameOf = (call: Call): string =>
  [call.direction === 'outbound' ? '' : foreign(call.callerName ?? ''), numberText(otherOf(call))].join(' ').trim()

function CallBack({ number }: { readonly number: string }) {
  return (
    <button type="button" class="btn small" aria-label={sayReach('callBack')} onClick={() => void callBack(number)}>
      <Icon name="callBack" />
      <span class="only-wide">{sayReach('callBack')}</span>
    </button>
  )
}

function Csv({ wanted }: { readonly wanted: string }) {
  const get = async (): Promise<void> => {
    try {
      if (await save(`/api/calls/history.csv?${wanted}`, 'calls.csv')) done(say('moreOlder'))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : foreign(String(error)))
    }
  }
  return (
    <button type="button" class="btn small" onClick={() => void get()}>
      <Icon name="download" />
      {say('asTable')}
    </button>
  )
}
