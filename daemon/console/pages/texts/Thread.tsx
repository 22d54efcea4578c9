/** A conversation: what was said, what became of it, and the next text. */
import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { ConversationView, SaidView } from '../../../schema/sms.ts'
import type { SmsAnswer } from '../../../schema/sms.ts'
import { Fault, get, send } from '../../frame/api.ts'
import { afterAsking, done } from '../../frame/deeds.ts'
import { draft, drop } from '../../frame/drafts.ts'
import { isFault, sayFault, sentence } from '../../frame/faults.ts'
import { house } from '../../frame/house.ts'
import { may } from '../../frame/session.ts'
import { site } from '../../frame/site.ts'
import { thing, type Thing } from '../../frame/state.ts'
import { language } from '../../frame/words.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Menu } from '../../pieces/Menu.tsx'
import { foreign, numberText, Person } from '../../pieces/Number.tsx'
import { nameOf } from '../../pieces/names.ts'
import { FaultNote, Loading } from '../../pieces/Panel.tsx'
import { callBack, sayReach } from '../../pieces/reach-out.ts'
import { timeText } from '../../pieces/time.ts'
import { Time } from '../../pieces/Time.tsx'
import { workOf } from '../../pieces/work.ts'
import { WorkBox } from '../../pieces/WorkBox.tsx'
import { mostParts, partsOf, type Parts } from './parts.ts'
import { lift, stopPath } from './StopList.tsx'
import { say } from './words.ts'

interface Texts {
  readonly number: string
  readonly stopped: ConversationView['stopped']
  readonly items: readonly SaidView[]
  readonly nextBefore: number | null
}

const addressOf = (number: string): string => `/api/texts/conversations/${encodeURIComponent(number)}`

export interface ThreadProps {
  readonly number: string
  /** The person came to write: the field has the focus. */
  readonly writes: boolean
}

export function Thread({ number, writes }: ThreadProps) {
  const texts = thing<Texts>(`${addressOf(number)}?limit=50`, ['texts', 'inbox'])
  const older = useSignal<readonly SaidView[]>([])
  const next = useSignal<number | null | undefined>(undefined)
  const data = texts.data.value
  const before = next.value === undefined ? (data?.nextBefore ?? null) : next.value
  const name = nameOf(number)
  const work = workOf('text').open.data.value?.items.filter((item) => item.number === number) ?? []
  const more = async (): Promise<void> => {
    const page = await get<Texts>(`${addressOf(number)}?limit=50&before=${before}`).catch(() => undefined)
    if (page === undefined) return
    older.value = [...older.value, ...page.items]
    next.value = page.nextBefore
  }
  const all = [...(data?.items ?? []), ...older.value].toReversed()
  return (
    <section class="panel thread" aria-label={say('withNumber', { number: foreign(name === '' ? numberText(number) : name) })}>
      <header>
        <h2>
          <Person name={name} number={number} />
        </h2>
        <span class="grow" />
        <button type="button" class="btn small" onClick={() => void callBack(number)}>
          <Icon name="callBack" />
          {sayReach('callBack')}
        </button>
        {may('calls') && data?.stopped === null ? (
          <Menu items={[{ text: say('stop'), icon: 'stop', run: () => void stop(number, texts) }]} />
        ) : null}
      </header>
      <div class="body" tabIndex={0}>
        {texts.fault.value === undefined ? null : (
          <FaultNote fault={texts.fault.value} again={() => texts.reload()} asOf={texts.asOf.value} />
        )}
        {data === undefined && texts.fault.value === undefined ? <Loading /> : null}
        {before === null ? null : (
          <p class="acts">
            <button type="button" class="btn small quiet" onClick={() => void more()}>
              {say('older')}
            </button>
          </p>
        )}
        <ol class="bubbles">
          {all.map((said) => (
            <li key={said.id} class={said.direction}>
              <Bubble said={said} changed={() => texts.reload()} />
            </li>
          ))}
        </ol>
      </div>
      {data?.stopped === null || data?.stopped === undefined ? null : <Stopped stopped={data.stopped} lift={() => lift(number, texts)} />}
      {may('calls') ? (
        <>
          <NoLine />
          <Composer
            writes={writes}
            number={number}
            stopped={isWithoutLine() || (data !== undefined && data.stopped !== null)}
            onSent={() => void texts.reload()}
          />
        </>
      ) : null}
      {work.map((item) => (
        <WorkBox key={item.id} item={item} />
      ))}
    </section>
  )
}

/** Said before somebody writes. */
const isWithoutLine = (): boolean => house.data.value?.box.texts === false

function NoLine() {
  if (!isWithoutLine()) return null
  return (
    <p class="note red" role="status">
      <Icon name="stop" />
      <span>{sayFault('no_sms_trunk')}</span>
    </p>
  )
}

const stop = async (number: string, texts: Thing<Texts>): Promise<void> => {
  const question = { title: say('stopTitle'), lost: say('stopLost'), button: say('stop') }
  await afterAsking(question, () => send('POST', stopPath(number)), say('stopDone'))
  await texts.reload()
}

interface StoppedProps {
  readonly stopped: NonNullable<ConversationView['stopped']>
  readonly lift: () => Promise<void>
}

function Stopped({ stopped, lift: liftIt }: StoppedProps) {
  const time = timeText(stopped.since)
  return (
    <div class="note red" role="status">
      <Icon name="stop" />
      <p>
        {stopped.by === 'command' ? say('stoppedByHand', { time }) : say('stopped', { time, by: foreign(stopped.by) })} {say('startAgain')}
      </p>
      {may('liftStops') ? (
        <button type="button" class="btn small" onClick={() => void liftIt()}>
          {say('lift')}
        </button>
      ) : null}
    </div>
  )
}

/** A text has ten parts at most; it is read to its end, and its lines stay lines. */
const mostLetters = 2_000
const whole = (text: string): string =>
  text
    .slice(0, mostLetters)
    .split(/\r?\n/)
    .map((line) => foreign(line, mostLetters))
    .join('\n')

interface BubbleProps {
  readonly said: SaidView
  readonly changed: () => unknown
}

function Bubble({ said, changed }: BubbleProps) {
  const { keyword, mayOptOut, media = [] } = said
  return (
    <>
      <p class="bubble">
        <bdi>{whole(said.text)}</bdi>
      </p>
      {media.map(({ id, contentType, mediaUrl, state }) => (
        <p key={id} class="small">
          {state === 'stored' ? (
            <a href={mediaUrl} download="">
              {say('attachment', { type: foreign(contentType) })}
            </a>
          ) : (
            say('attachment', { type: foreign(contentType) })
          )}
        </p>
      ))}
      {keyword === 'CANCEL' || keyword === 'END' ? <p class="small amber">{say(keyword === 'CANCEL' ? 'cancelWord' : 'endWord')}</p> : null}
      {mayOptOut === true ? <p class="small amber">{say('mayOptOut')}</p> : null}
      <p class="small muted">
        <Time at={said.at} /> {said.direction === 'out' ? <Standing said={said} /> : null}
        {may('erase') ? <Erase said={said} changed={changed} /> : null}
      </p>
    </>
  )
}

function Erase({ said: { direction, id }, changed }: BubbleProps) {
  const path = `/api/${direction === 'in' ? 'inbox/sms' : 'sms'}/${encodeURIComponent(id)}`
  const question = { title: say('deleteTitle'), lost: say('deleteLost'), button: say('delete') }
  return (
    <button
      type="button"
      class="btn icon quiet"
      aria-label={say('delete')}
      onClick={() => void afterAsking(question, () => send('DELETE', path), say('deleted')).then(changed)}
    >
      <Icon name="trash" />
    </button>
  )
}

function Standing({ said }: { readonly said: SaidView }) {
  const status = said.status ?? 'sent'
  const colour = status === 'failed' ? 'red' : status === 'unknown' ? 'amber' : status === 'delivered' ? 'green' : ''
  return <span class={colour}>· {status === 'failed' && said.error !== undefined ? notSent(said) : say(status)}</span>
}

const ofNetwork = ['expired', 'refused', 'undelivered'] as const

/** Why a text was not sent. The box says it in English; in another language the code does, and a trunk may have codes of its own. */
function notSent({ code = '', error = '' }: { readonly code?: string | undefined; readonly error?: string | undefined }): string {
  if (language.value === 'en' && error !== '') return why(error)
  return isFault(code) ? why(sayFault(code)) : say(ofNetwork.find((one) => one === code) ?? 'refused')
}

const why = (reason: string): string => say('failedWhy', { reason: foreign(reason) })

const templates = ['Call', 'Confirm', 'Late', 'Ready'] as const

interface ComposerProps {
  readonly number: string
  readonly writes: boolean
  readonly stopped: boolean
  readonly onSent: () => void
}

function Composer({ number, writes, stopped, onSent }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (writes) field.current?.focus()
  }, [writes, stopped])
  const key = `text:${number}`
  const countId = useId()
  const text = draft(key, '')
  const fault = useSignal<Fault | undefined>(undefined)
  const refused = useSignal('')
  const busy = useSignal(false)
  const parts = partsOf(text.value)
  const tooLong = parts.count > mostParts
  const submit = async (): Promise<void> => {
    busy.value = true
    fault.value = undefined
    refused.value = ''
    try {
      const answer = await send<SmsAnswer>('POST', '/api/sms', { to: number, message: text.value })
      const bad = answer.messages.find(({ status }) => status === 'failed')
      if (bad === undefined) {
        text.value = ''
        drop(key)
        done(say('accepted'))
      } else refused.value = notSent(bad)
      onSent()
    } catch (error) {
      fault.value = error instanceof Fault ? error : new Fault(0, {})
    } finally {
      busy.value = false
    }
  }
  return (
    <form
      class="form composer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="field">
        <span>{say('text')}</span>
        <textarea
          ref={field}
          class="box"
          disabled={stopped}
          aria-describedby={countId}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <p id={countId} class="small muted" aria-live="polite">
        {text.value === '' ? '' : tooLong ? say('tooLong') : partsText(parts)}
      </p>
      <p class="red" role="alert">
        {fault.value === undefined ? refused.value : sentence(fault.value)}
      </p>
      <div class="acts">
        <button type="submit" class="btn main" disabled={stopped || busy.value || tooLong || text.value.trim() === ''}>
          <Icon name="send" />
          {say('send')}
        </button>
        <Templates disabled={stopped} onPick={(chosen) => (text.value = chosen)} />
      </div>
    </form>
  )
}

function Templates({ disabled, onPick }: { readonly disabled: boolean; readonly onPick: (text: string) => void }) {
  return (
    <label class="small">
      {say('template')}{' '}
      <select
        class="pick"
        value=""
        disabled={disabled}
        onChange={(event) => {
          const chosen = templates.find((one) => one === event.currentTarget.value)
          if (chosen !== undefined) onPick(say(`template${chosen}`, { clinic: site.name }))
        }}
      >
        <option value="">{say('templateChoose')}</option>
        {templates.map((one) => (
          <option key={one} value={one}>
            {say(`template${one}Name`)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** How many parts it makes, and what is left in the last. */
function partsText({ encoding, count, left }: Parts): string {
  return say(encoding === 'GSM-7' ? 'parts' : 'partsUnicode', { n: count, left })
}

export function NewText({ onSent }: { readonly onSent: (number: string) => void }) {
  const to = useSignal('')
  const number = useSignal<string | undefined>(undefined)
  const fault = useSignal('')
  const look = async (): Promise<void> => {
    try {
      number.value = (await get<Texts>(addressOf(to.value.trim()))).number
      onSent(number.value)
    } catch (error) {
      fault.value = error instanceof Fault ? sentence(error) : String(error)
    }
  }
  return (
    <section class="panel" aria-label={say('begin')}>
      <header>
        <h2>{say('begin')}</h2>
      </header>
      <NoLine />
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void look()
        }}
      >
        <label class="field">
          <span>{say('to')}</span>
          <input
            class="box"
            type="tel"
            autocomplete="off"
            required
            value={to.value}
            onInput={(event) => (to.value = event.currentTarget.value)}
          />
          <small>{say('toHint')}</small>
        </label>
        <p class="red" role="alert">
          {fault.value}
        </p>
        <div class="acts">
          <button type="submit" class="btn main" disabled={isWithoutLine()}>
            {say('text')}
          </button>
        </div>
      </form>
    </section>
  )
}
