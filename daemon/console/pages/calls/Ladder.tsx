/** The way of a call through the house: a rung for each place and each phone, with how long after the beginning, and how long there. */
import { queueName } from '../../frame/house.ts'
import { Icon } from '../../pieces/Icon.tsx'
import type { IconName } from '../../pieces/icons.ts'
import { foreign, numberText } from '../../pieces/Number.tsx'
import { fullTime, lengthText } from '../../pieces/time.ts'
import { phoneText, type Call } from './cells.tsx'
import { ladderOf, type Place, type Rung } from './ladder.ts'
import { sayWay } from './words.ts'

export function Ladder({ call }: { readonly call: Call }) {
  const rungs = ladderOf(call)
  const began = Date.parse(call.startedAt)
  return (
    <ol class="ladder">
      {rungs.map((rung, n) => (
        <li key={n} class={`${rung.kind} ${rung.inner ? 'inner' : ''}`}>
          <time class="num faint" dateTime={rung.at} title={fullTime(rung.at)}>
            {lengthText(Date.parse(rung.at) - began)}
          </time>
          <span class="knot">
            <Icon name={iconOf(rung)} />
          </span>
          <span>
            {textOf(rung, call)}
            {outcomeOf(rung)}
          </span>
          <span class="num muted">{rung.ms === null || rung.ms < 1_000 ? '' : lengthText(rung.ms)}</span>
        </li>
      ))}
    </ol>
  )
}

const icons: Readonly<Partial<Record<Place['kind'], IconName>>> = {
  ...({ caller: 'callIn', extension: 'phone', outside: 'callBack', queue: 'people', menu: 'calls', hours: 'clock' } as const),
  ...({ group: 'people', voicemail: 'voicemail', endpoint: 'cpu', fax: 'fax', hangup: 'stop' } as const),
}

function iconOf({ kind, place }: Rung): IconName {
  if (kind === 'end') return 'stop'
  if (kind === 'sent') return 'send'
  return icons[place.kind] ?? 'right'
}

function placeText({ kind, name }: Place): string {
  if (kind === 'extension') return phoneText(name)
  if (kind === 'queue') return foreign(queueName(name))
  if (kind === 'outside' || kind === 'caller') return foreign(numberText(name))
  return foreign(name)
}

function textOf({ kind, place, outcome }: Rung, call: Call): string {
  const values = { place: placeText(place) }
  switch (kind) {
    case 'begins':
      return place.kind === 'caller' ? sayWay('caller', { place: numberText(call.to) }) : sayWay('phone', values)
    case 'rang':
      return sayWay('rings', values)
    case 'talk':
      return sayWay('talks', values)
    case 'sent':
      return sayWay(outcome as 'blind' | 'attended' | 'route' | 'forward', values)
    case 'end':
      return sayWay(({ caller: 'byCaller', callee: 'byCallee', system: 'bySystem' } as const)[outcome as 'caller'] ?? 'ends')
    case 'step':
      return place.kind === 'caller' || place.kind === 'other'
        ? values.place
        : sayWay(place.kind === 'fax' ? 'faxPlace' : place.kind, values)
  }
}

const outcomes = ['answered', 'no-answer', 'busy', 'refused', 'unreachable', 'canceled', 'failed'] as const

/** What became of it there. That a phone which then talks was answered need not be said. */
function outcomeOf({ kind, outcome }: Rung): preact.ComponentChildren {
  const known = outcomes.find((one) => one === outcome)
  if (known === undefined || kind === 'begins' || kind === 'sent' || kind === 'end' || (kind === 'rang' && known === 'answered'))
    return null
  return <span class={`outcome-word ${known === 'answered' ? 'green' : 'amber'}`}>{sayWay(known)}</span>
}
