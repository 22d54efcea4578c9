/** One message: heard, read, answered, passed on. */
import { useSignal } from '@preact/signals'
import type { MailboxCountsView, MailboxMessageView } from '../../../schema/mailboxes.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { afterAsking, done } from '../../frame/deeds.ts'
import { useKeys } from '../../frame/keys.ts'
import { may } from '../../frame/session.ts'
import type { Thing } from '../../frame/state.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import { Menu } from '../../pieces/Menu.tsx'
import { foreign, Person } from '../../pieces/Number.tsx'
import { Player } from '../../pieces/Player.tsx'
import { callBack, writeText, sayReach } from '../../pieces/reach-out.ts'
import { lengthText } from '../../pieces/time.ts'
import { Time } from '../../pieces/Time.tsx'
import { findWork } from '../../pieces/work.ts'
import { WorkBox } from '../../pieces/WorkBox.tsx'
import { say } from './words.ts'

export interface MessageProps {
  readonly ext: string
  readonly message: MailboxMessageView
  readonly messages: Thing<readonly MailboxMessageView[]>
  readonly mailboxes: Thing<readonly MailboxCountsView[]>
}

export function Message({ ext, message, messages, mailboxes }: MessageProps) {
  const forwarding = useSignal(false)
  const work = findWork('voicemail', message.id)
  const name = work?.callerName || message.callerName
  const mark = async (heard: boolean): Promise<void> => {
    const path = `/api/mailboxes/${encodeURIComponent(ext)}/${encodeURIComponent(message.id)}`
    const after = await send<readonly MailboxMessageView[]>('POST', path, { heard }).catch(() => undefined)
    if (after !== undefined) messages.set(() => after)
    void mailboxes.reload()
  }
  useKeys({ c: { does: sayReach('callBack'), run: () => void callBack(message.from) } })
  return (
    <section class="panel message" aria-label={foreign(name === '' ? message.from : name)}>
      <header>
        <h2>
          <Person name={name} number={message.from} />
        </h2>
        <span class="grow" />
        <Deeds ext={ext} message={message} mark={mark} forward={() => (forwarding.value = true)} />
      </header>
      <div class="body">
        <dl class="facts">
          <dt>{say('arrived')}</dt>
          <dd>
            <Time at={message.receivedAt} />, {say('length', { length: lengthText(message.durationSeconds * 1_000) })}
          </dd>
          <dt>{say('mailbox')}</dt>
          <dd>
            {ext} {message.forwardedFrom === null ? null : <span class="faint">{say('forwarded', { ext: message.forwardedFrom })}</span>}
          </dd>
        </dl>
        <div class="play">
          <Player
            src={message.mediaUrl}
            peaks={`/api/inbox/voicemails/${encodeURIComponent(message.id)}/peaks`}
            label={foreign(name === '' ? message.from : name)}
            onHeard={() => void (message.heard || mark(true))}
          />
          {message.transcript === '' ? <Missing message={message} /> : null}
        </div>
        <div class="form acts">
          {message.from === '' ? null : (
            <>
              <button type="button" class="btn main" onClick={() => void callBack(message.from)}>
                <Icon name="callBack" />
                {sayReach('callBack')}
                <kbd aria-hidden="true">C</kbd>
              </button>
              <button type="button" class="btn" onClick={() => writeText(message.from)}>
                <Icon name="text" />
                {sayReach('text')}
              </button>
            </>
          )}
        </div>
        {work === undefined ? null : <WorkBox key={work.id} item={work} />}
      </div>
      {forwarding.value ? <Forward ext={ext} message={message} mailboxes={mailboxes} close={() => (forwarding.value = false)} /> : null}
    </section>
  )
}

function Missing({ message }: { readonly message: MailboxMessageView }) {
  const why = { done: 'noWords', empty: 'noWords', failed: 'wordsFailed', off: 'wordsOff' } as const
  return <p class="muted">{say(why[message.transcriptStatus])}</p>
}

interface DeedsProps {
  readonly ext: string
  readonly message: MailboxMessageView
  readonly mark: (heard: boolean) => Promise<void>
  readonly forward: () => void
}

function Deeds({ message, mark, forward }: DeedsProps) {
  const erase = async (): Promise<void> => {
    const question = { title: say('deleteTitle'), lost: say('deleteLost'), button: say('delete') }
    await afterAsking(question, () => send('DELETE', `/api/inbox/voicemails/${encodeURIComponent(message.id)}`), say('deleted'))
  }
  const markNew = async (): Promise<void> => {
    await mark(false)
    done(say('markedNew'), () => mark(true))
  }
  return (
    <>
      <a class="btn small" href={message.mediaUrl} download={`voicemail-${message.id}.wav`}>
        <Icon name="download" />
        {say('download')}
      </a>
      <Menu
        items={[
          { text: say('forward'), icon: 'send', run: forward },
          ...(message.heard ? [{ text: say('markNew'), icon: 'voicemail' as const, run: () => void markNew() }] : []),
          ...(may('erase') ? [{ text: say('delete'), icon: 'trash' as const, danger: true, run: () => void erase() }] : []),
        ]}
      />
    </>
  )
}

interface ForwardProps extends Pick<MessageProps, 'ext' | 'message' | 'mailboxes'> {
  readonly close: () => void
}

function Forward({ ext, message, mailboxes, close }: ForwardProps) {
  const to = useSignal('')
  const state = useSubmit()
  const others = (mailboxes.data.value ?? []).filter((one) => one.ext !== ext)
  const forward = async (): Promise<void> => {
    const path = `/api/mailboxes/${encodeURIComponent(ext)}/${encodeURIComponent(message.id)}/forward`
    await send('POST', path, { to: to.value.trim() })
    done(say('copied', { to: to.value.trim() }))
    close()
  }
  return (
    <Dialog title={say('forward')} onClose={close} class="small-dialog">
      <Form state={state} button={say('forwardButton')} onSubmit={forward}>
        <Field label={say('forwardTo')} value={to.value} onValue={(value) => (to.value = value)} inputMode="numeric" autocomplete="off" />
        <div class="acts">
          {others.map((one) => (
            <button key={one.ext} type="button" class="btn small" onClick={() => (to.value = one.ext)}>
              {one.ext}
            </button>
          ))}
        </div>
      </Form>
    </Dialog>
  )
}
