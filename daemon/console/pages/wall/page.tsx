/** The queues on a screen that everybody in the room sees: counts and waits, of nobody. It has a session of its own, and never locks. */
import { useEffect, useState } from 'preact/hooks'
import type { WallView } from '../../../schema/queues.ts'
import { Entry, Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { boxNow, boxSaid } from '../../frame/clock.ts'
import { site } from '../../frame/site.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Loading } from '../../pieces/Panel.tsx'
import { patience, sayQueue } from '../../pieces/queues.ts'
import { dateFormat, lengthText, timeText } from '../../pieces/time.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { say } from './words.ts'

type Shown = WallView['queues'][number]

const readEveryMs = 1_000
/** After so long without an answer the screen says so: what it shows is no more than what was. */
const silenceMs = 5_000

/** `ended`: the screen needs a code. Not by frame/api.ts: this session is nobody's, and its end is not that of a person in another tab. */
async function read(): Promise<WallView | 'ended' | 'silent'> {
  try {
    const answer = await fetch('/api/wall', { credentials: 'same-origin', cache: 'no-store' })
    if (answer.status === 401) return 'ended'
    return answer.ok ? ((await answer.json()) as WallView) : 'silent'
  } catch {
    return 'silent'
  }
}

export default function Wall() {
  const [view, setView] = useState<WallView | 'ended' | undefined>(undefined)
  const [heardAt, setHeardAt] = useState(0)
  useEffect(() => {
    document.title = `${say('queues')} – ${site.name}`
    let timer: ReturnType<typeof setTimeout> | undefined
    let gone = false
    const look = async (): Promise<void> => {
      const now = await read()
      if (gone) return
      if (now !== 'silent') {
        if (now !== 'ended') boxSaid(now.asOf)
        setView(now)
        setHeardAt(boxNow())
      }
      timer = setTimeout(() => void look(), readEveryMs)
    }
    void look()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [])
  useEffect(stayOn, [])
  if (view === undefined) return <Loading />
  if (view === 'ended') return <Code begun={() => setView(undefined)} />
  return <Screen view={view} heardAt={heardAt} />
}

/** The screen does not go dark while it shows this (Screen Wake Lock); where a browser has no such lock, its own setting decides. */
function stayOn(): () => void {
  const hold = (): void => {
    if (document.visibilityState === 'visible') void navigator.wakeLock?.request('screen').catch(() => undefined)
  }
  hold()
  document.addEventListener('visibilitychange', hold)
  return () => document.removeEventListener('visibilitychange', hold)
}

function Code({ begun }: { readonly begun: () => void }) {
  const [code, setCode] = useState('')
  const state = useSubmit()
  const begin = async (): Promise<void> => {
    await send('POST', '/api/wall/session', { code: code.trim() })
    begun()
  }
  return (
    <Entry title={say('title')}>
      <Form state={state} button={say('show')} onSubmit={begin}>
        <p>{say('how')}</p>
        <Field label={say('code')} value={code} onValue={setCode} autocomplete="off" maxLength={32} autofocus />
      </Form>
    </Entry>
  )
}

function Screen({ view: { queues, asOf, endsAt }, heardAt }: { readonly view: WallView; readonly heardAt: number }) {
  const now = nowMs.value
  const isSilent = now - heardAt > silenceMs
  return (
    <main class={`wall ${isSilent ? 'old' : ''}`}>
      <header>
        <h1>{site.name}</h1>
        <span class={`live ${isSilent ? 'amber' : ''}`} role="status">
          {isSilent ? say('notLive', { time: timeText(heardAt, now) }) : say('live')}
        </span>
        <time>{dateFormat({ hour: 'numeric', minute: '2-digit' }).format(now)}</time>
      </header>
      {queues.length === 0 ? <p class="empty">{say('empty')}</p> : null}
      <div class="tiles">
        {queues.map((queue, n) => (
          <Tile key={n} queue={queue} asOf={asOf} />
        ))}
      </div>
      <footer class="muted">{say('until', { time: timeText(endsAt, now) })}</footer>
    </main>
  )
}

function Tile({ queue, asOf }: { readonly queue: Shown; readonly asOf: string }) {
  const { name, waiting, longestSeconds, members, today, empty, sendsOn } = queue
  const since = new Date(Date.parse(asOf) - longestSeconds * 1000).toISOString()
  const colour = waiting === 0 ? 'calm' : patience(since, nowMs.value, site.waitSeconds)
  return (
    <section class={`panel tile ${empty ? 'red' : colour}`} data-level={waiting === 0 ? 'ok' : colour === 'calm' ? 'ok' : colour}>
      <h2>{name === '' ? say('queue') : name}</h2>
      <p class="nobody" role="status">
        {empty ? (
          <>
            <Icon name="alert" /> {say(sendsOn ? 'nobody' : 'allPause')}
          </>
        ) : null}
      </p>
      <p class="waits">
        <b class={colour}>{waiting}</b> <span>{waiting === 0 ? say('nobodyWaits') : say('waiting', { n: waiting })}</span>
      </p>
      {waiting === 0 ? null : (
        <p class="longest">
          <b class={`num ${colour}`}>{lengthText(nowMs.value - Date.parse(since))}</b> <span>{say('longest')}</span>
          {colour === 'calm' ? null : <span class={`tag ${colour}`}>{sayQueue(colour === 'amber' ? 'late' : 'tooLate')}</span>}
        </p>
      )}
      <dl>
        {(['free', 'talking', 'paused', 'away'] as const).map((place) => (
          <div key={place}>
            <dt>{say(place)}</dt>
            <dd>{members[place]}</dd>
          </div>
        ))}
        {(['answered', 'abandoned'] as const).map((what) => (
          <div key={what} class="day">
            <dt>{say(what)}</dt>
            <dd>{today[what]}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
