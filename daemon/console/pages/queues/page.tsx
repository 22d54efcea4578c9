/** Queues: who waits, who takes their calls, how the last hour and the day went; and screens on the wall. */
import type { DeskView } from '../../../schema/desk.ts'
import type { QueueView } from '../../../schema/queues.ts'
import { house } from '../../frame/house.ts'
import { may, me } from '../../frame/session.ts'
import { foreign, Person } from '../../pieces/Number.tsx'
import { FaultNote, Loading, Panel } from '../../pieces/Panel.tsx'
import { Nobody, Take, Wait } from '../../pieces/Queue.tsx'
import { patience } from '../../pieces/queues.ts'
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

function Figures({ queue }: { readonly queue: QueueView }) {
  const rows = [
    [say('lastHour'), queue.lastHour],
    [say('today'), queue],
  ] as const
  const wait = (seconds: number | null): string => (seconds === null ? '–' : lengthText(seconds * 1000))
  return (
    <div class="scrolls" role="region" aria-label={say('figures')} tabIndex={0}>
      <table class="figures">
        <caption class="vh">{say('figures')}</caption>
        <thead>
          <tr>
            <td />
            {(['offered', 'answered', 'gaveUp', 'sentOn', 'halfWait'] as const).map((name) => (
              <th key={name} scope="col" class="r">
                {say(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, { offered, answered, abandoned, sentOn, waitP50Seconds }]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {[offered, answered, abandoned, sentOn, wait(waitP50Seconds)].map((figure, n) => (
                <td key={n} class={`r num ${n === 2 && abandoned > 0 ? 'red' : ''}`}>
                  {figure}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
