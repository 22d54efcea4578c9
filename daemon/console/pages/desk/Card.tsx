/** Who calls: the card of a call that rings at the own phone, or in which it talks, and the note of it, which stays after the call. */
import { useEffect, useRef } from 'preact/hooks'
import type { ScreenPopView } from '../../../schema/crm.ts'
import type { DeskView } from '../../../schema/desk.ts'
import { send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { draft, drop } from '../../frame/drafts.ts'
import { me } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Menu, type MenuItem } from '../../pieces/Menu.tsx'
import { Foreign, foreign, PhoneNumber } from '../../pieces/Number.tsx'
import { PartyFacts, sayParty, Status } from '../../pieces/PartyFacts.tsx'
import { Since } from '../../pieces/Time.tsx'
import { lengthText } from '../../pieces/time.ts'
import { end, move, park, sending } from './calls.ts'
import { deedsOf, nameOutside, outsideOf, type Call } from './model.ts'
import { say } from './words.ts'

export interface CardProps {
  readonly call: Call
  readonly desk: DeskView
  readonly head: string
  /** What the call waited in. */
  readonly queue: string
  readonly onDismiss?: () => void
  readonly kind: 'rings' | 'talks' | 'ended'
}

export function Card({ call, desk, head, queue, onDismiss, kind }: CardProps) {
  const number = outsideOf(call)
  const name = nameOutside(call)
  const card = useRef<HTMLElement>(null)
  // Who took the call with a key, and has the focus nowhere, goes on with the deeds of the call.
  useEffect(() => {
    if (kind === 'talks' && document.activeElement === document.body) card.current?.focus({ preventScroll: true })
  }, [kind])
  const rings = call.legs.findLast(({ to }) => to === me.value?.extension)?.startedAt ?? call.startedAt
  return (
    <section ref={card} class={`pop ${kind}`} tabIndex={-1} aria-label={head} data-call={call.callId}>
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
        {kind === 'rings' ? <p class="small muted">{say('pickUp')}</p> : null}
        {kind === 'ended' ? null : <Deeds call={call} desk={desk} name={name || number} talks={kind === 'talks'} />}
        {kind === 'rings' ? null : <Note callId={call.callId} {...(onDismiss === undefined ? {} : { onSaved: onDismiss })} />}
      </div>
    </section>
  )
}

interface DeedsProps extends Pick<CardProps, 'call' | 'desk'> {
  readonly name: string
  readonly talks: boolean
}

function Deeds({ call, desk, name, talks }: DeedsProps) {
  const { callId } = call
  const own = me.value?.extension ?? ''
  const deeds = deedsOf(call, desk)
  const hasMailbox = desk.extensions.some(({ number, mailbox }) => number === own && mailbox)
  const toVoicemail = deeds.includes('move') && hasMailbox ? () => move(callId, `voicemail:${own}`, say('voicemail')) : undefined
  const more: MenuItem[] = [
    ...(toVoicemail !== undefined && talks ? [{ text: say('toVoicemail'), icon: 'voicemail', run: toVoicemail } as const] : []),
    ...(deeds.includes('end') && talks
      ? [{ text: say('end'), icon: 'close', danger: true, run: () => void end(callId, foreign(name)) } as const]
      : []),
  ]
  return (
    <div class="acts">
      {deeds.includes('move') ? (
        <button type="button" class="btn" onClick={() => (sending.value = { callId, name })}>
          <Icon name="send" />
          {say('sendTo')} <kbd aria-hidden="true">S</kbd>
        </button>
      ) : null}
      {talks && deeds.includes('park') ? (
        <button type="button" class="btn" onClick={() => park(callId)}>
          <Icon name="clock" />
          {say('park')}
        </button>
      ) : null}
      {toVoicemail !== undefined && !talks ? (
        <button type="button" class="btn" onClick={toVoicemail}>
          <Icon name="voicemail" />
          {say('toVoicemail')}
        </button>
      ) : null}
      {more.length === 0 ? null : <Menu items={more} />}
    </div>
  )
}

/** The last few things that the house knows of a number; the name of the call is there before them. */
function Known({ call, number, name }: { readonly call: Call; readonly number: string; readonly name: string }) {
  const query = new URLSearchParams({ callId: call.callId, extension: me.value?.extension ?? '' })
  const card = thing<ScreenPopView>(`/api/pbx/screen-pop/${encodeURIComponent(number)}?${query}`, []).data.value
  const shown = card?.name || name
  return (
    <>
      <p class="acts">
        <span class="name">{shown === '' ? sayParty('newCaller') : <Foreign text={shown} />}</span>
        <Status status={card?.status ?? ''} />
      </p>
      <p class="muted">
        <PhoneNumber number={number} />
      </p>
      {card === undefined ? null : <PartyFacts card={card} except={call.callId} />}
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
