/** Queues: who waits, who takes their calls, how the last hour and the day went; and screens on the wall. */
import type { DeskView } from '../../../schema/desk.ts'
import type { QueueView } from '../../../schema/queues.ts'
import { house } from '../../frame/house.ts'
import { may, me } from '../../frame/session.ts'
import { foreign, Person } from '../../pieces/Number.tsx'
import { FaultNote, Loading, Panel } from '../../pieces/Panel.tsx'
import { Nobody, Take, Wait } from '../../pieces/Queue.tsx'
import { patience } from '../../pieces/queues.ts'
import { Table, type Column } from '../../pieces/Table.tsx'
import { lengthText } from '../../pieces/time.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { say as sayPiece } from '../../pieces/words.ts'
import { Members } from './Members.tsx'
import { Walls } from './Walls.tsx'
import { say } from './words.ts'

export default function Queues() {
  const desk = house.data.value
  const fault = house.fault.value
  return (
    <div class="queues">
      {fault === undefined ? null : <FaultNote fault={fault} again={() => house.reload()} asOf={house.asOf.value} />}
      {desk === undefined ? fault === undefined && <Loading /> : <All desk={desk} />}
      {may('walls') ? <Walls /> : null}
    </div>
  )
}

/** A person of the desk sees the own queues: those given to the person, and those in which the own phone is a member. */
function All({ desk }: { readonly desk: DeskView }) {
  const own = me.value?.queues ?? []
  const isOwn = ({ id, members }: QueueView): boolean =>
    own.includes(id) || members.some(({ extension }) => extension === me.value?.extension)
  const shown = may('allQueues') || may('box') ? desk.queues : desk.queues.filter(isOwn)
  if (shown.length > 0) return shown.map((queue) => <One key={queue.id} queue={queue} waitSeconds={desk.waitSeconds} />)
  return (
    <Panel title={say('queues')}>
      <p class="empty">{say(desk.queues.length === 0 ? 'empty' : 'emptyOwn')}</p>
    </Panel>
  )
}

interface OneProps {
  readonly queue: QueueView
  readonly waitSeconds: number
}

function One({ queue, waitSeconds }: OneProps) {
  return (
    <Panel title={foreign(queue.name || queue.id)} class="queue">
      <Nobody queue={queue} />
      <div class="sides">
        <div>
          <Now queue={queue} waitSeconds={waitSeconds} />
          <Waiting queue={queue} waitSeconds={waitSeconds} />
          <Figures queue={queue} />
        </div>
        <Members queue={queue} />
      </div>
    </Panel>
  )
}

function Now({ queue: { callers, members }, waitSeconds }: OneProps) {
  const waiting = callers.filter(({ state }) => state === 'waits')
  const first = waiting.reduce<string | undefined>(
    (oldest, { since }) => (oldest === undefined || since < oldest ? since : oldest),
    undefined,
  )
  const colour = first === undefined ? '' : patience(first, nowMs.value, waitSeconds)
  const count = (...states: readonly string[]): number => members.filter(({ state }) => states.includes(state)).length
  const facts: readonly (readonly [string, number | string, string])[] = [
    [say('waiting'), waiting.length, colour],
    [say('longest'), first === undefined ? '–' : lengthText(nowMs.value - Date.parse(first)), colour],
    [say('free'), count('free'), ''],
    [say('busy'), count('talking', 'ringing', 'wrapping up', 'on the telephone'), ''],
    [say('paused'), count('paused'), ''],
  ]
  return (
    <dl class="big">
      {facts.map(([name, value, kind]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={kind === 'calm' ? '' : kind}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Waiting({ queue: { callers, members }, waitSeconds }: OneProps) {
  const nameOf = (extension: string): string => foreign(members.find((one) => one.extension === extension)?.name || extension)
  const takes = may('calls') && (me.value?.extension ?? null) !== null
  return (
    <>
      <h3 class="sub">
        {say('whoWaits')} <span>{callers.length}</span>
      </h3>
      {callers.length === 0 ? <p class="empty">{say('nobodyWaits')}</p> : null}
      <ol class="tight">
        {callers.map(({ callId, callerName = '', from, since, state, ringing }, n) => (
          <li key={callId} class="row" data-call={callId}>
            <span class="faint num">{n + 1}</span>
            <span class="grow">
              <Person name={callerName} number={from} />{' '}
              {ringing.length === 0 ? null : <span class="amber small">{say('ringsAt', { where: ringing.map(nameOf).join(', ') })}</span>}
              {state === 'waits' ? null : <span class="tag">{say(state === 'called back' ? 'calledBack' : 'toCallBack')}</span>}
            </span>
            <Wait since={since} waitSeconds={state === 'waits' ? waitSeconds : Infinity} />
            {takes && state === 'waits' ? <Take callId={callId} name={callerName || from || sayPiece('withheld')} /> : null}
          </li>
        ))}
      </ol>
    </>
  )
}

interface Figure {
  readonly name: string
  readonly of: QueueView['lastHour']
}

function Figures({ queue }: { readonly queue: QueueView }) {
  const columns: readonly Column<Figure>[] = [
    { head: say('when'), isHead: true, cell: ({ name }) => name },
    { head: say('offered'), class: 'r num', cell: ({ of }) => of.offered },
    { head: say('answered'), class: 'r num', cell: ({ of }) => of.answered },
    { head: say('gaveUp'), class: 'r num', cell: ({ of }) => <span class={of.abandoned > 0 ? 'red' : ''}>{of.abandoned}</span> },
    { head: say('sentOn'), class: 'r num', cell: ({ of }) => of.sentOn },
    {
      ...{ head: say('halfWait'), class: 'r num' },
      cell: ({ of }) => (of.waitP50Seconds === null ? '–' : lengthText(of.waitP50Seconds * 1000)),
    },
  ]
  const rows = [
    { name: say('lastHour'), of: queue.lastHour },
    { name: say('today'), of: queue },
  ]
  return <Table caption={say('figures')} columns={columns} rows={rows} keyOf={({ name }) => name} />
}
