/** Members of a queue: what each does, and to log in, log out and pause. */
import { useSignal } from '@preact/signals'
import type { QueueMemberChange, QueueMemberView, QueueView } from '../../../schema/queues.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Fault, send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { house } from '../../frame/house.ts'
import { may, me } from '../../frame/session.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import type { IconName } from '../../pieces/icons.ts'
import { Menu } from '../../pieces/Menu.tsx'
import { Foreign, foreign } from '../../pieces/Number.tsx'
import { lengthText, timeText } from '../../pieces/time.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { say } from './words.ts'

type State = QueueMemberView['state']

const lamps: Readonly<Record<State, string>> = {
  ...{ free: 'free', ringing: 'ring', talking: 'talk', 'wrapping up': 'talk', 'on the telephone': 'talk' },
  ...{ 'do not disturb': 'dnd', paused: 'pause', 'no phone': 'off', 'logged out': 'off' },
}
const colours: Readonly<Partial<Record<State, string>>> = {
  free: 'green',
  ringing: 'amber',
  talking: 'blue',
  paused: 'amber',
  'do not disturb': 'red',
}
const stateWords = {
  ...({
    free: 'isFree',
    ringing: 'isRinging',
    talking: 'isTalking',
    'wrapping up': 'wrapsUp',
    'on the telephone': 'talksElsewhere',
  } as const),
  ...({ 'do not disturb': 'dnd', paused: 'isPaused', 'no phone': 'noPhone', 'logged out': 'loggedOut' } as const),
}
/** What the box writes as the reason of a pause that it made. */
const unanswered = 'unanswered'

export function Members({ queue }: { readonly queue: QueueView }) {
  const own = me.value?.extension ?? null
  const pausing = useSignal<QueueMemberView | undefined>(undefined)
  const first = (member: QueueMemberView): number => (member.extension === own ? 0 : 1)
  const sorted = queue.members.toSorted((a, b) => first(a) - first(b))
  return (
    <div>
      <h3 class="sub">
        {say('members')} <span>{queue.members.length}</span>
      </h3>
      {queue.members.length === 0 ? <p class="empty">{say('noMembers')}</p> : null}
      <ul class="tight">
        {sorted.map((member) => (
          <Row key={member.extension} queue={queue} member={member} pause={() => (pausing.value = member)} />
        ))}
      </ul>
      {pausing.value === undefined ? null : <Pause queue={queue} member={pausing.value} close={() => (pausing.value = undefined)} />}
    </div>
  )
}

interface RowProps {
  readonly queue: QueueView
  readonly member: QueueMemberView
  readonly pause: () => void
}

function Row({ queue, member, pause }: RowProps) {
  const { extension, name, state, since, reason, answered, missed, talkSeconds } = member
  const isOwn = extension === me.value?.extension
  const changes = may('allQueues') || (may('calls') && isOwn)
  const deeds = changes ? deedsOf(queue, member, pause) : []
  return (
    <li class="row member" data-member={extension}>
      <span class={`lamp ${lamps[state]}`} aria-hidden="true" />
      <span class="num faint">{extension}</span>
      <span class="grow">
        <bdi class="who">{isOwn ? say('you') : foreign(name)}</bdi>{' '}
        <span class="small faint">{say('ofToday', { answered, missed, length: lengthText(talkSeconds * 1000) })}</span>
      </span>
      <span class={`small ${colours[state] ?? 'muted'}`}>
        {say(stateWords[state])}
        {since === null ? null : <Lasting state={state} since={since} />}
        {reason === '' ? null : reason === unanswered ? (
          `: ${say('byTheBox')}`
        ) : (
          <span>
            : <Foreign text={reason} />
          </span>
        )}
      </span>
      {isOwn ? (
        deeds.map(({ text, icon, run }) => (
          <button key={text} type="button" class="btn small" onClick={run}>
            <Icon name={icon} />
            {text}
          </button>
        ))
      ) : deeds.length === 0 ? null : (
        <Menu label={say('deedsOf', { name: foreign(name || extension) })} items={deeds} />
      )}
    </li>
  )
}

function Lasting({ state, since }: { readonly state: State; readonly since: string }) {
  return (
    <span class="num">
      {' '}
      {state === 'paused' ? lengthText(nowMs.value - Date.parse(since)) : say('sinceWhen', { time: timeText(since, nowMs.value) })}
    </span>
  )
}

interface Deed {
  readonly text: string
  readonly icon: IconName
  readonly run: () => void
}

function deedsOf(queue: QueueView, member: QueueMemberView, pause: () => void): Deed[] {
  const isOut = member.state === 'logged out'
  const isPaused = member.state === 'paused'
  const run = (change: QueueMemberChange) => () => void changed(queue, member, change)
  if (isOut) return [{ text: say('logIn'), icon: 'check', run: run({ action: 'login' }) }]
  return [
    isPaused ? { text: say('resume'), icon: 'play', run: run({ action: 'resume' }) } : { text: say('pause'), icon: 'pause', run: pause },
    { text: say('logOut'), icon: 'right', run: run({ action: 'logout' }) },
  ]
}

/** What takes a change back, in order. */
function backOf({ state, reason }: QueueMemberView, { action }: QueueMemberChange): QueueMemberChange[] {
  const again: QueueMemberChange[] = state === 'paused' ? [{ action: 'pause', ...(reason === '' ? {} : { reason }) }] : []
  if (action === 'logout') return [{ action: 'login' }, ...again]
  return action === 'login' ? [{ action: 'logout' }] : action === 'resume' ? again : [{ action: 'resume' }]
}

async function put(id: string, extension: string, change: QueueMemberChange): Promise<void> {
  const path = `/api/queues/${encodeURIComponent(id)}/members/${encodeURIComponent(extension)}`
  const now = await send<QueueView>('POST', path, change)
  house.set((desk) => ({ ...desk, queues: desk.queues.map((queue) => (queue.id === now.id ? now : queue)) }))
}

async function changed({ id }: QueueView, member: QueueMemberView, change: QueueMemberChange): Promise<void> {
  const { extension, name } = member
  const said = { login: 'isIn', logout: 'isOut', pause: 'nowPauses', resume: 'isBack' } as const
  try {
    await put(id, extension, change)
    done(say(said[change.action], { name: foreign(name || extension) }), async () => {
      for (const back of backOf(member, change)) await put(id, extension, back)
    })
  } catch (error) {
    done(error instanceof Fault ? sentence(error) : String(error))
  }
}

interface PauseProps {
  readonly queue: QueueView
  readonly member: QueueMemberView
  readonly close: () => void
}

function Pause({ queue, member, close }: PauseProps) {
  const reason = useSignal('')
  const state = useSubmit()
  const pause = async (): Promise<void> => {
    const given = reason.value.trim()
    await changed(queue, member, { action: 'pause', ...(given === '' ? {} : { reason: given }) })
    close()
  }
  return (
    <Dialog title={say('pauseTitle', { name: foreign(member.name || member.extension) })} class="small-dialog" onClose={close}>
      <Form state={state} button={say('pauseNow')} onSubmit={pause}>
        <p class="muted">{say('pauseMeans')}</p>
        <div class="acts" role="group" aria-label={say('reasons')}>
          {(['lunch', 'break', 'paperwork', 'meeting'] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="btn small"
              aria-pressed={reason.value === say(one)}
              onClick={() => (reason.value = say(one))}
            >
              {say(one)}
            </button>
          ))}
        </div>
        <Field
          label={say('reason')}
          value={reason.value}
          onValue={(text) => (reason.value = text)}
          maxLength={100}
          autocomplete="off"
          optional
        />
      </Form>
    </Dialog>
  )
}
