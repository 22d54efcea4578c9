/** What the house and its CRM know of a number: next appointment, open affairs, last call, where that is from, and the way to the record. */
import type { ComponentChildren } from 'preact'
import type { ScreenPopView } from '../../schema/crm.ts'
import { words } from '../frame/words.ts'
import { Icon } from './Icon.tsx'
import { Foreign, foreign } from './Number.tsx'
import { Time } from './Time.tsx'
import { lengthText, timeText } from './time.ts'

export const sayParty = words({
  en: {
    active: 'active',
    alert: 'Note',
    blocked: 'blocked',
    away: 'CRM away: our own list, {time}',
    box: 'our own list',
    crm: 'CRM',
    from: 'Source',
    inactive: 'inactive',
    justNow: 'just now',
    lastCall: 'Last call',
    newCaller: 'Nobody known',
    next: 'Next',
    open: 'Open',
    openRecord: 'Open record',
    prospect: 'prospect',
    probably: 'One of: {names}',
    since: 'since {time}',
  },
  es: {
    active: 'activo',
    alert: 'Aviso',
    blocked: 'bloqueado',
    away: 'CRM sin conexión: lista propia, {time}',
    box: 'lista propia',
    crm: 'CRM',
    from: 'Fuente',
    inactive: 'inactivo',
    justNow: 'ahora mismo',
    lastCall: 'Última llamada',
    newCaller: 'Desconocido',
    next: 'Próxima',
    open: 'Pendiente',
    openRecord: 'Abrir ficha',
    prospect: 'posible cliente',
    probably: 'Uno de: {names}',
    since: 'desde {time}',
  },
})

const statuses = ['active', 'inactive', 'prospect', 'blocked'] as const

/** What is special about a party: nothing is said of an active one. A CRM may have words of its own. */
export function Status({ status }: { readonly status: string }) {
  const known = statuses.find((one) => one === status)
  if (status === '' || known === 'active') return null
  return <span class="tag">{known === undefined ? <Foreign text={status} /> : sayParty(known)}</span>
}

/** `except`: callId of the call that is shown already. */
export function PartyFacts({ card, except }: { readonly card: ScreenPopView; readonly except?: string }) {
  const [next] = card.commitments
  const [ticket] = card.openTickets
  const last = card.recentCalls.find(({ callId }) => callId !== except)
  const record = recordUrl(card)
  return (
    <>
      <dl class="facts">
        {card.candidates === undefined || card.candidates.length === 0 ? null : (
          <dd class="all">{sayParty('probably', { names: card.candidates.map((one) => foreign(one.name)).join(', ') })}</dd>
        )}
        {(card.alerts ?? []).map(({ text, level }) => (
          <Fact key={text} name={sayParty('alert')} class={level === 'stop' ? 'red' : 'amber'}>
            <Foreign text={text} />
          </Fact>
        ))}
        {next === undefined ? null : (
          <Fact name={sayParty('next')}>
            {isTime(next.dueAt) ? timeText(next.dueAt) : ''} <Foreign text={next.title} />
          </Fact>
        )}
        {ticket === undefined ? null : (
          <Fact name={sayParty('open')}>
            <Foreign text={ticket.title} /> {isTime(ticket.openedAt) ? sayParty('since', { time: timeText(ticket.openedAt) }) : ''}
          </Fact>
        )}
        {last === undefined ? null : (
          <Fact name={sayParty('lastCall')}>
            <Time at={last.startedAt} />
            {last.extension === undefined ? '' : `, ${last.extension}`}, {lengthText(last.talkSeconds * 1000)}
            {card.notes.map(({ noteId, text }) => (
              <p key={noteId} class="noted">
                “<Foreign text={text} />”
              </p>
            ))}
          </Fact>
        )}
        <Fact name={sayParty('from')} class="faint">
          {card.source === 'crm' && !card.stale
            ? `${sayParty('crm')}, ${sayParty('justNow')}`
            : card.stale
              ? sayParty('away', { time: timeText(card.asOf) })
              : sayParty('box')}
        </Fact>
      </dl>
      {record === undefined ? null : (
        <p class="acts">
          <a class="btn quiet" href={record} target="_blank" rel="noopener noreferrer">
            <Icon name="book" />
            {sayParty('openRecord')}
          </a>
        </p>
      )}
    </>
  )
}

const isTime = (text: string | undefined): text is string => text !== undefined && !Number.isNaN(Date.parse(text))

/** https, or http within the house. */
function recordUrl({ links }: ScreenPopView): string | undefined {
  const given = links?.[0]?.url
  const url = given === undefined ? null : URL.parse(given)
  if (url === null) return undefined
  const isHouse = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|[^.]+$)|\.(lan|local)$/.test(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHouse) ? url.href : undefined
}

interface FactProps {
  readonly name: string
  readonly children: ComponentChildren
  readonly class?: string
}

export function Fact({ name, children, class: kind = '' }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd class={kind}>{children}</dd>
    </>
  )
}
