/** Screens on the wall that show the queues: to begin one by a code, to see them, to end one. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { WallSessionView } from '../../../schema/queues.ts'
import { Fault, send } from '../../frame/api.ts'
import { boxNow } from '../../frame/clock.ts'
import { ask, done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { thing } from '../../frame/state.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { timeText } from '../../pieces/time.ts'
import { say } from './words.ts'

interface Invitation {
  readonly code: string
  readonly url: string
  readonly until: string
}

const screens = thing<readonly WallSessionView[]>('/api/wall/sessions', [])
const lookEveryMs = 3_000
/** A screen asks once a second; after so long without that it is dark, or was left. */
const awayMs = 60_000

const failed = (error: unknown): void => done(error instanceof Fault ? sentence(error) : String(error))

export function Walls() {
  const invitation = useSignal<Invitation | undefined>(undefined)
  const before = useSignal(0)
  const list = screens.data.value
  const count = list?.length ?? 0
  useEffect(() => {
    const timer = setInterval(() => void screens.reload(), lookEveryMs)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    if (invitation.value === undefined || count <= before.value) return
    invitation.value = undefined
    done(say('wallIsOn'))
  }, [count])
  const invite = (): void => {
    before.value = count
    send<Invitation>('POST', '/api/wall/code').then((made) => (invitation.value = made), failed)
  }
  const button = (
    <button type="button" class="btn small" onClick={invite}>
      <Icon name="plus" />
      {say('wallNew')}
    </button>
  )
  return (
    <Panel title={say('walls')} thing={screens} aside={button} class="walls">
      {(all) => (
        <>
          {invitation.value === undefined ? null : <Code invitation={invitation.value} />}
          {all.length === 0 && invitation.value === undefined ? <p class="empty">{say('wallsEmpty')}</p> : null}
          <ul class="tight">
            {all.map((screen) => (
              <Screen key={screen.wallId} screen={screen} />
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}

function Code({ invitation: { code, url, until } }: { readonly invitation: Invitation }) {
  const at = useRef<HTMLDivElement>(null)
  // Below several queues it would be out of sight.
  useEffect(() => at.current?.scrollIntoView({ block: 'nearest' }), [code])
  return (
    <div ref={at} class="form" role="status">
      <p>{say('wallHow', { address: new URL(url, location.href).href, time: timeText(until) })}</p>
      <p>
        <code class="wall-code">{code}</code>
      </p>
    </div>
  )
}

function Screen({ screen: { wallId, address, beganAt, endsAt, seenAt, invitedBy } }: { readonly screen: WallSessionView }) {
  const isAway = seenAt === null || boxNow() - Date.parse(seenAt) > awayMs
  const end = async (): Promise<void> => {
    if (!(await ask({ title: say('wallEndTitle', { address }), lost: say('wallEndLost'), button: say('wallEnd') }))) return
    await send('DELETE', `/api/wall/sessions/${encodeURIComponent(wallId)}`)
    done(say('wallEnded'))
    await screens.reload()
  }
  return (
    <li class="row" data-wall={wallId}>
      <span class={`lamp ${isAway ? 'off' : 'free'}`} aria-hidden="true" />
      <span class="grow">
        <b class="who">{address}</b>{' '}
        <span class="muted">
          {isAway ? (seenAt === null ? say('wallAway') : say('wallSeen', { time: timeText(seenAt) })) : say('wallShows')}
        </span>{' '}
        <span class="small faint">
          {invitedBy === '' ? say('wallSince', { time: timeText(beganAt) }) : say('wallBy', { time: timeText(beganAt), name: invitedBy })},{' '}
          {say('wallUntil', { time: timeText(endsAt) })}
        </span>
      </span>
      <button type="button" class="btn small" aria-label={say('wallEndOf', { address })} onClick={() => void end().catch(failed)}>
        {say('wallEnd')}
      </button>
    </li>
  )
}
