/** Voicemail: the messages of a mailbox, what was said, and what becomes of them. */
import { useSignal, useSignalEffect } from '@preact/signals'
import type { MailboxCountsView, MailboxMessageView } from '../../../schema/mailboxes.ts'
import { send } from '../../frame/api.ts'
import { tried } from '../../frame/deeds.ts'
import { query } from '../../frame/router.ts'
import { may } from '../../frame/session.ts'
import { thing, type Thing } from '../../frame/state.ts'
import { useChosen } from '../../pieces/chosen.ts'
import { Foreign, PhoneNumber } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { lengthText, timeText } from '../../pieces/time.ts'
import { Time } from '../../pieces/Time.tsx'
import { findWork, workOf } from '../../pieces/work.ts'
import { WorkState } from '../../pieces/WorkBox.tsx'
import { Message } from './Message.tsx'
import { say } from './words.ts'

const mailboxes = thing<readonly MailboxCountsView[]>('/api/mailboxes', ['work', 'inbox'])

export default function Voicemail() {
  return (
    <>
      <Boxes />
    </>
  )
}

function Boxes() {
  const chosen = useSignal<string | undefined>(undefined)
  useSignalEffect(() => {
    // The Desk, or the search, leads to one message.
    const ext = (findWork('voicemail', query.value.get('id') ?? '')?.item as { readonly ext?: string } | undefined)?.ext
    if (ext !== undefined) chosen.value = ext
  })
  const all = mailboxes.data.value
  const ext = chosen.value ?? all?.find(({ fresh }) => fresh > 0)?.ext ?? all?.[0]?.ext
  if (ext === undefined)
    return (
      <Panel title={say('messages')} thing={mailboxes} isEmpty={(list) => list.length === 0} empty={say('noMailbox')}>
        {() => null}
      </Panel>
    )
  const box = all?.find((one) => one.ext === ext)
  const picker =
    (all?.length ?? 0) < 2 ? (
      <span class="small muted">{say('mailboxOf', { ext })}</span>
    ) : (
      <label class="small">
        {say('mailbox')}{' '}
        <select class="pick" value={ext} onChange={(event) => (chosen.value = event.currentTarget.value)}>
          {all?.map((one) => (
            <option key={one.ext} value={one.ext}>
              {one.fresh > 0 ? `${one.ext} (${one.fresh})` : one.ext}
            </option>
          ))}
        </select>
      </label>
    )
  return <Box key={ext} ext={ext} box={box} picker={picker} />
}

interface BoxProps {
  readonly ext: string
  readonly box: MailboxCountsView | undefined
  readonly picker: preact.ComponentChildren
}

const rowsAtOnce = 60

function Box({ ext, box, picker }: BoxProps) {
  const openOnly = useSignal(true)
  const shownId = useSignal<string | undefined>(undefined)
  useSignalEffect(() => {
    shownId.value = query.value.get('id') ?? shownId.peek()
  })
  const messages = thing<readonly MailboxMessageView[]>(`/api/mailboxes/${encodeURIComponent(ext)}`, ['work', 'inbox'])
  // Both are read so that the rows know who has them.
  const { open, closed } = workOf('voicemail')
  void [open.data.value, closed.data.value]
  const most = useSignal(rowsAtOnce)
  const fitting = (messages.data.value ?? [])
    .filter(({ id }) => !openOnly.value || findWork('voicemail', id)?.state !== 'done')
    .toReversed()
  const shown = fitting.slice(0, most.value)
  const keys = { next: say('next'), previous: say('previous'), open: say('openIt') }
  const chosen = useChosen(
    shown.map(({ id }) => id),
    (id) => (shownId.value = id),
    keys,
  )
  const current = messages.data.value?.find(({ id }) => id === shownId.value) ?? undefined
  return (
    <div class="voicemail">
      <Panel title={say('messages')} count={fitting.length} thing={messages} aside={picker}>
        {() => (
          <>
            <States box={box} />
            <div class="row">
              <Which openOnly={openOnly.value} onChange={(value) => (openOnly.value = value)} />
            </div>
            {shown.length === 0 ? <p class="empty">{say(openOnly.value ? 'emptyOpen' : 'emptyAll')}</p> : null}
            <ul>
              {shown.map((message) => (
                <li key={message.id} {...chosen.row(message.id)}>
                  <button
                    type="button"
                    class="item"
                    aria-pressed={message.id === shownId.value}
                    onClick={() => ((chosen.id.value = message.id), (shownId.value = message.id))}
                  >
                    <Row message={message} />
                  </button>
                </li>
              ))}
            </ul>
            {shown.length === fitting.length ? null : (
              <p class="row">
                <button type="button" class="btn small quiet" onClick={() => (most.value += rowsAtOnce)}>
                  {say('older')}
                </button>
              </p>
            )}
          </>
        )}
      </Panel>
      {current === undefined ? (
        <section class="panel" aria-label={say('messages')}>
          <p class="empty">{say('noneChosen')}</p>
        </section>
      ) : (
        <Message
          key={current.id}
          ext={ext}
          message={current}
          messages={messages}
          mailboxes={mailboxes as Thing<readonly MailboxCountsView[]>}
        />
      )}
    </div>
  )
}

function Which({ openOnly, onChange }: { readonly openOnly: boolean; readonly onChange: (openOnly: boolean) => void }) {
  return (
    <span class="seg" role="group" aria-label={say('which')}>
      <button type="button" aria-pressed={openOnly} onClick={() => onChange(true)}>
        {say('open')}
      </button>
      <button type="button" aria-pressed={!openOnly} onClick={() => onChange(false)}>
        {say('all')}
      </button>
    </span>
  )
}

/** What keeps the mailbox from working as usual, in words. */
function States({ box }: { readonly box: MailboxCountsView | undefined }) {
  if (box === undefined) return null
  return (
    <>
      {box.full ? <p class="note red">{say('full')}</p> : null}
      {box.lockedUntil === null ? null : <Locked ext={box.ext} until={box.lockedUntil} />}
      {box.coming === 0 ? null : (
        <p class="note" role="status">
          {say('coming', { n: box.coming })}
        </p>
      )}
    </>
  )
}

/** A manager lets phones in again, whose person has the PIN after all. */
function Locked({ ext, until }: { readonly ext: string; readonly until: string }) {
  const unlock = async (): Promise<void> => {
    await tried(send('DELETE', `/api/mailboxes/${encodeURIComponent(ext)}/lock`), say('unlocked'))
    await mailboxes.reload()
  }
  return (
    <div class="note">
      <p class="grow">{say('locked', { time: timeText(until) })}</p>
      {may('allVoicemail') ? (
        <button type="button" class="btn small" onClick={() => void unlock()}>
          {say('unlock')}
        </button>
      ) : null}
    </div>
  )
}

function Row({ message }: { readonly message: MailboxMessageView }) {
  const work = findWork('voicemail', message.id)
  const name = work?.callerName || message.callerName
  return (
    <>
      <span class="first">
        {name === '' ? <PhoneNumber number={message.from} class="who" /> : <Foreign text={name} class="who" />}
        {message.heard ? null : <span class="tag blue">{say('new')}</span>}
        <span class="grow" />
        <span class="at">
          <Time at={message.receivedAt} />
        </span>
      </span>
      <span class="said">
        <Words message={message} /> <span class="faint num">{lengthText(message.durationSeconds * 1_000)}</span>
      </span>
      <span class="said">
        <WorkState item={work} />
      </span>
    </>
  )
}

function Words({ message }: { readonly message: MailboxMessageView }) {
  if (message.transcript !== '') return <Foreign text={message.transcript} />
  const why = { done: 'noWords', empty: 'noWords', failed: 'wordsFailed', off: 'wordsOff' } as const
  return <span class="faint">{say(why[message.transcriptStatus])}</span>
}
