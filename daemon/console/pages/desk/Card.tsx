/** Who calls: the card of a call that rings at the own phone, or in which it talks, and the note of it, which stays after the call. */
import type { ScreenPopView } from '../../../schema/crm.ts'
import { send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { draft, drop } from '../../frame/drafts.ts'
import { me } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Foreign, foreign, PhoneNumber } from '../../pieces/Number.tsx'
import { Since, Time } from '../../pieces/Time.tsx'
import { lengthText, timeText } from '../../pieces/time.ts'
import { move, sending } from './calls.ts'
import { outsideOf, type Call } from './model.ts'
import { say } from './words.ts'

export interface CardProps {
  readonly call: Call
  readonly head: string
  /** What the call waited in. */
  readonly queue: string
  readonly onDismiss?: () => void
  readonly kind: 'rings' | 'talks' | 'ended'
}

export function Card({ call, head, queue, onDismiss, kind }: CardProps) {
  const number = outsideOf(call)
  const name = call.callerName ?? ''
  const rings = call.legs.findLast(({ to }) => to === me.value?.extension)?.startedAt ?? call.startedAt
  return (
    <section class={`pop ${kind}`} aria-label={head} data-call={call.callId}>
      <div class="head">
        <Icon name="callIn" />
        <span role={kind === 'rings' ? 'alert' : undefined}>{head}</span>
        {kind === 'ended' ? null : <Since at={kind === 'talks' ? (call.answeredAt ?? rings) : rings} />}
        <span class="grow" />
        {queue === '' ? null : <span>{say('waited', { queue, length: lengthText(Date.parse(rings) - Date.parse(call.startedAt)) })}</span>}
        {onDismiss === undefined ? null : (
          <button type="button" class="btn small icon quiet" aria-label={say('dismiss')} onClick={onDismiss}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <div class="card">
        {/^\+\d+$/.test(number) && call.direction !== 'internal' ? (
          <Known call={call} number={number} name={name} />
        ) : (
          <p class="name">{name === '' ? number === '' ? say('withheld') : number : <Foreign text={name} />}</p>
        )}
        {kind === 'ended' ? null : <Deeds call={call} name={name || number} />}
        {kind === 'rings' ? null : <Note callId={call.callId} {...(onDismiss === undefined ? {} : { onSaved: onDismiss })} />}
      </div>
    </section>
  )
}

function Deeds({ call, name }: { readonly call: Call; readonly name: string }) {
  const own = me.value?.extension ?? ''
  return (
    <div class="acts">
      <button type="button" class="btn" onClick={() => (sending.value = { callId: call.callId, name })}>
        <Icon name="send" />
        {say('sendTo')} <kbd aria-hidden="true">S</kbd>
      </button>
      <button type="button" class="btn" onClick={() => move(call.callId, `voicemail:${own}`, say('voicemail'))}>
        <Icon name="voicemail" />
        {say('toVoicemail')}
      </button>
    </div>
  )
}

/** The last few things that the house knows of a number; the name of the call is there before them. */
function Known({ call, number, name }: { readonly call: Call; readonly number: string; readonly name: string }) {
  const query = new URLSearchParams({ callId: call.callId, extension: me.value?.extension ?? '' })
  const card = thing<ScreenPopView>(`/api/pbx/screen-pop/${encodeURIComponent(number)}?${query}`, []).data.value
  const shown = card?.name || name
  const [next] = card?.commitments ?? []
  const [ticket] = card?.openTickets ?? []
  const last = card?.recentCalls.find(({ callId }) => callId !== call.callId)
  const record = recordUrl(card)
  return (
    <>
      <p class="acts">
        <span class="name">{shown === '' ? say('newCaller') : <Foreign text={shown} />}</span>
        {card?.status ? <span class="tag">{foreign(card.status)}</span> : null}
      </p>
      <p class="muted">
        <PhoneNumber number={number} />
      </p>
      {card === undefined ? null : (
        <dl>
          {card.candidates === undefined || card.candidates.length === 0 ? null : (
            <dd class="all">{say('probably', { names: card.candidates.map((one) => foreign(one.name)).join(', ') })}</dd>
          )}
          {(card.alerts ?? []).map(({ text, level }) => (
            <Fact key={text} name={say('alert')} class={level === 'stop' ? 'red' : 'amber'}>
              <Foreign text={text} />
            </Fact>
          ))}
          {next === undefined ? null : (
            <Fact name={say('next')}>
              {isTime(next.dueAt) ? timeText(next.dueAt) : ''} <Foreign text={next.title} />
            </Fact>
          )}
          {ticket === undefined ? null : (
            <Fact name={say('open')}>
              <Foreign text={ticket.title} /> {isTime(ticket.openedAt) ? say('since', { time: timeText(ticket.openedAt) }) : ''}
            </Fact>
          )}
          {last === undefined ? null : (
            <Fact name={say('lastCall')}>
              <Time at={last.startedAt} />
              {last.extension === undefined ? '' : `, ${last.extension}`}, {lengthText(last.talkSeconds * 1000)}
            </Fact>
          )}
          <Fact name={say('from')} class="faint">
            {card.source === 'crm' && !card.stale
              ? `${say('crm')}, ${say('justNow')}`
              : card.stale
                ? say('away', { time: timeText(card.asOf) })
                : say('box')}
          </Fact>
        </dl>
      )}
      {record === undefined ? null : (
        <p class="acts">
          <a class="btn quiet" href={record} target="_blank" rel="noopener noreferrer">
            <Icon name="book" />
            {say('openRecord')}
          </a>
        </p>
      )}
    </>
  )
}

const isTime = (text: string | undefined): text is string => text !== undefined && !Number.isNaN(Date.parse(text))

/** https, or http within the house. */
function recordUrl(card: ScreenPopView | undefined): string | undefined {
  const given = card?.links?.[0]?.url
  const url = given === undefined ? null : URL.parse(given)
  if (url === null) return undefined
  const isHouse = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|[^.]+$)|\.(lan|local)$/.test(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHouse) ? url.href : undefined
}

function Fact({
  name,
  children,
  class: kind = '',
}: {
  readonly name: string
  readonly children: preact.ComponentChildren
  readonly class?: string
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd class={kind}>{children}</dd>
    </>
  )
}

function Note({ callId, onSaved }: { readonly callId: string; readonly onSaved?: () => void }) {
  const key = `note:${callId}`
  const text = draft(key, '')
  const save = async (): Promise<void> => {
    await send('POST', `/api/pbx/calls/${callId}/notes`, { text: text.value })
    text.value = ''
    drop(key)
    done(say('noteSaved'))
    onSaved?.()
  }
  return (
    <form
      class="call-note"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.value.trim() !== '') void save()
      }}
    >
      <label class="field">
        <span>{say('noteHint')}</span>
        <textarea class="box" maxLength={8000} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
      {text.value.trim() === '' ? null : (
        <button type="submit" class="btn small">
          {say('save')}
        </button>
      )}
    </form>
  )
}
