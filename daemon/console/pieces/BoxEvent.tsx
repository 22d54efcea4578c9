/** Something about the box that began and, perhaps, ended: since when, why, what repairs it, who was notified, and what can be done. */
import { useState } from 'preact/hooks'
import type { BoxEventView } from '../../schema/box-events.ts'
import { Fault, send } from '../frame/api.ts'
import { done } from '../frame/deeds.ts'
import { sentence } from '../frame/faults.ts'
import { may } from '../frame/session.ts'
import { thing } from '../frame/state.ts'
import { sayBox } from './box-words.ts'
import { Dialog } from './Dialog.tsx'
import { eventText } from './event-words.ts'
import { Icon } from './Icon.tsx'
import { Foreign } from './Number.tsx'
import { FaultNote, Loading } from './Panel.tsx'
import { BackupNow, Remedy, Steps } from './Steps.tsx'
import { nowMs, Time } from './Time.tsx'
import { lastsText, timeText } from './time.ts'

export type BoxEventPage = { readonly items: readonly BoxEventView[]; readonly nextCursor: string | null }

const looks = { error: ['red', 'stop'], warning: ['amber', 'alert'], notice: ['faint', 'note'] } as const

/** The icon says in its shape, and in a word, how bad it is. */
export function Severity({ severity, ended = false }: { readonly severity: BoxEventView['severity']; readonly ended?: boolean }) {
  const [colour, icon] = ended ? (['green', 'check'] as const) : looks[severity]
  return (
    <span class={colour}>
      <Icon name={icon} />
      <span class="vh">{sayBox(ended ? 'ok' : severity)}</span>
    </span>
  )
}

/** `lines`: ids of those that can be tested. `changed`: called after a deed. */
export interface BoxEventProps {
  readonly event: BoxEventView
  readonly lines?: readonly string[]
  readonly changed: () => unknown
}

export function BoxEvent({ event, lines = [], changed }: BoxEventProps) {
  const { severity, since, text, fix, acknowledgedAt, acknowledgedBy } = event
  return (
    <article class={`issue ${severity}`}>
      <Severity severity={severity} />
      <div class="grow">
        <p>
          <b>
            <EventText text={text} />
          </b>{' '}
          <span class="muted">{sayBox('since', { time: timeText(since), lasted: lastsText(nowMs.value - Date.parse(since)) })}</span>
        </p>
        {fix === '' ? null : <Remedy fix={fix} />}
        <p class="small muted">
          <Notified event={event} />
        </p>
        {acknowledgedAt === null ? null : (
          <p class="small green">
            <Foreign text={sayBox('inHand', { name: acknowledgedBy, time: timeText(acknowledgedAt) })} />
          </p>
        )}
      </div>
      <EventDeeds event={event} lines={lines} changed={changed} />
    </article>
  )
}

/** In the language of the person, or marked as English. */
export function EventText({ text }: { readonly text: string }) {
  const said = eventText(text)
  return said === text ? <bdi lang="en">{text}</bdi> : <bdi>{said}</bdi>
}

const ways = { mail: 'toldMail', sms: 'toldSms', call: 'toldCall', webhook: 'toldWebhook' } as const

/** Each addressee once, with the last time. */
export function Notified({ event: { told } }: { readonly event: Pick<BoxEventView, 'told'> }) {
  const last = new Map(told.map((one) => [`${one.way} ${one.to}`, one]))
  if (last.size === 0) return <>{sayBox('notifiedNobody')}</>
  const who = [...last.values()].map(({ way, to, at }) => sayBox(ways[way as keyof typeof ways], { to, time: timeText(at) })).join('; ')
  return <Foreign text={sayBox('notified', { who })} />
}

type Opened = 'test' | 'history' | 'backup'

export function EventDeeds({ event, lines = [], changed }: BoxEventProps) {
  const [opened, setOpened] = useState<Opened>()
  const close = (): void => {
    setOpened(undefined)
    void changed()
  }
  const take = async (): Promise<void> => {
    try {
      await send('POST', '/api/alarms/acknowledge', { eventId: event.eventId })
      done(sayBox('acknowledged'))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
    await changed()
  }
  const line = lineOf(event)
  const mayTake = may('alarms') && event.acknowledgedAt === null && event.until === null
  return (
    <div class="acts">
      {mayTake ? (
        <button type="button" class={`btn small ${event.severity === 'error' ? 'main' : ''}`} onClick={() => void take()}>
          {sayBox('take')}
        </button>
      ) : null}
      {may('box') && lines.includes(line) ? (
        <button type="button" class="btn small" onClick={() => setOpened('test')}>
          {sayBox('test')}
        </button>
      ) : null}
      {may('box') && event.code.startsWith('backup-') ? (
        <button type="button" class="btn small" onClick={() => setOpened('backup')}>
          {sayBox('backUp')}
        </button>
      ) : null}
      {may('box') && event.code.startsWith('config-') && event.until === null ? (
        <a class="btn small" href="/config">
          {sayBox('toConfig')}
        </a>
      ) : null}
      <button type="button" class="btn small quiet" onClick={() => setOpened('history')}>
        {sayBox('history')}
      </button>
      {opened === 'test' ? (
        <Steps title={sayBox('testOf', { name: line })} path={`/api/lines/${encodeURIComponent(line)}/test`} onClose={close} />
      ) : null}
      {opened === 'backup' ? <BackupNow onClose={close} /> : null}
      {opened === 'history' ? <EventHistory code={event.code} onClose={() => setOpened(undefined)} /> : null}
    </div>
  )
}

/** '' where it is about no line. */
const lineOf = ({ kind, code }: BoxEventView): string => (kind === 'line' ? code.replace(/^(line|phone|sms)-/, '') : '')

export function EventHistory({ code, onClose }: { readonly code: string; readonly onClose: () => void }) {
  const list = thing<BoxEventPage>(`/api/box/events?limit=200&code=${encodeURIComponent(code)}`, ['box'])
  const items = list.data.value?.items
  const fault = list.fault.value
  return (
    <Dialog title={sayBox('historyOf', { code })} onClose={onClose} class="rows-dialog">
      {fault === undefined ? null : <FaultNote fault={fault} again={() => list.reload()} />}
      {items === undefined && fault === undefined ? <Loading /> : null}
      {items?.length === 1 ? <p class="empty">{sayBox('historyEmpty')}</p> : null}
      <ol>
        {items?.map((event) => (
          <li key={event.eventId} class="row">
            <Severity severity={event.severity} ended={event.until !== null} />
            <span class="grow">
              <Time at={event.since} /> <span class="muted">{endText(event)}</span>
              <p class="small">
                <EventText text={event.text} />
              </p>
              <p class="small muted">
                <Notified event={event} />
              </p>
            </span>
          </li>
        ))}
      </ol>
    </Dialog>
  )
}

/** How it ended; '' while it lasts. */
export function endText({ since, until }: Pick<BoxEventView, 'since' | 'until'>): string {
  if (until === null) return ''
  const ms = Date.parse(until) - Date.parse(since)
  return ms === 0 ? '' : sayBox('ended', { time: timeText(until), lasted: lastsText(ms) })
}
