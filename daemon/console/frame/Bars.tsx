/** What everybody must see on every page: a call for help, a box that does not work, the end of the live state, the lock that comes. */
import { Icon } from '../pieces/Icon.tsx'
import { Since, Time } from '../pieces/Time.tsx'
import { Foreign, Person } from '../pieces/Number.tsx'
import type { SessionView } from '../../schema/people.ts'
import { send } from './api.ts'
import { house, type HelpCall } from './house.ts'
import { locksIn } from './presence.ts'
import { ringsHere } from './ring.ts'
import { path } from './router.ts'
import { may, me, session, take } from './session.ts'
import { timeText } from '../pieces/time.ts'
import { boxText, say } from './wording.ts'

export function Bars() {
  const now = house.data.value
  const calls = (now?.emergency ?? []).filter(({ closedAt }) => closedAt === null)
  const glass = session.value?.glass
  return (
    <>
      {calls.map((call) => (
        <HelpBar key={call.callId} call={call} />
      ))}
      {now?.box.lines === 'none' ? <BoxBar text={boxText(now.box.text)} /> : null}
      {now?.box.safeMode === true ? <BoxBar text={say('safeMode')} repairs={may('box')} /> : null}
      {path.value === '/desk' || path.value === '/' ? null : <RingBar />}
      {glass ? (
        <div class="bar amber">
          <Icon name="shield" />
          <span class="grow">{say('glass', { time: timeText(glass.until) })}</span>
          <button type="button" class="btn small" onClick={() => void closeGlass()}>
            {say('glassEnd')}
          </button>
        </div>
      ) : null}
      {me.value?.roles.includes('manager') === true ? <OthersGlass /> : null}
      <LockBar />
    </>
  )
}

/** `repairs`: the person can repair the configuration. */
function BoxBar({ text, repairs = false }: { readonly text: string; readonly repairs?: boolean }) {
  return (
    <div class="bar red" role="alert">
      <Icon name="alert" />
      <span class="grow">{text}</span>
      {repairs && path.value !== '/config' ? (
        <a class="btn small" href="/config">
          {say('toConfig')}
        </a>
      ) : null}
    </div>
  )
}

function HelpBar({ call }: { readonly call: HelpCall }) {
  const close = (): void => void send('POST', `/api/emergency/calls/${call.callId}/close`).then(() => house.reload())
  return (
    <div class="bar help" role="alert">
      <Icon name="callIn" />
      <span class="grow">
        <b>{say('call', { number: call.number, name: `${call.name} (${call.extension})` })}</b>{' '}
        {call.location === '' ? null : <Foreign text={say('callFrom', { place: call.location })} />} {call.lost ? say('callLost') : null}{' '}
        <Time at={call.at} /> · <Since at={call.at} />
      </span>
      <button type="button" class="btn small" onClick={close}>
        {say('closeBar')}
      </button>
    </div>
  )
}

const closeGlass = async (): Promise<void> => take(await send<SessionView>('DELETE', '/api/session/glass'))

/** Managers see which technician reads what they read. */
function OthersGlass() {
  return (house.data.value?.glass ?? []).map(({ sessionId, name, until, note }) => (
    <div key={sessionId} class="bar amber" role="status">
      <Icon name="shield" />
      <span class="grow">
        <b>{say('glassOf', { name, time: timeText(until) })}</b> <Foreign text={note} />
      </span>
      <a class="btn small" href="/audit">
        {say('glassSeen')}
      </a>
    </div>
  ))
}

/** On the Desk it is a card. */
function RingBar() {
  return ringsHere.value.map(({ callId, callerName = null, from }) => (
    <div key={callId} class="bar amber" role="alert">
      <Icon name="callIn" />
      <span class="grow">
        <b>{say('ringsHere')}</b> <Person name={callerName} number={from} />
      </span>
      <a class="btn small" href="/desk">
        {say('goToDesk')}
      </a>
    </div>
  ))
}

/** Said when the last minute begins and in its last seconds; shown all the time. */
function LockBar() {
  const seconds = locksIn.value
  if (seconds === undefined) return null
  return (
    <div class="bar amber">
      <Icon name="lock" />
      <span class="grow">{say('locksIn', { n: seconds })}</span>
      <span class="vh" role="alert">
        {say('locksIn', { n: seconds > 10 ? 60 : 10 })}
      </span>
    </div>
  )
}
