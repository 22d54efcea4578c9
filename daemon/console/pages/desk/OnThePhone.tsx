/** Who is on the phone now: rings here, waits, is parked, talks. */
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { DeskView } from '../../../schema/desk.ts'
import { done } from '../../frame/deeds.ts'
import { useKeys } from '../../frame/keys.ts'
import { me, onLeave } from '../../frame/session.ts'
import { isStale } from '../../frame/presence.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Menu, type MenuItem } from '../../pieces/Menu.tsx'
import { foreign, numberText, Person } from '../../pieces/Number.tsx'
import { nameOf as directoryName } from '../../pieces/names.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { Take } from '../../pieces/Queue.tsx'
import { patience } from '../../pieces/queues.ts'
import { takeCall } from '../../pieces/reach-out.ts'
import { nowMs, Since } from '../../pieces/Time.tsx'
import { end, park, sending } from './calls.ts'
import { Card } from './Card.tsx'
import { deedsOf, nameOutside, outsideOf, partnersOf, placeOf, sorted, type Call, type Deed, type Parked, type Waiting } from './model.ts'
import { ringingAt } from '../../frame/ringing.ts'
import { say } from './words.ts'

/** Calls that the own phone talked in, until their note is saved or closed. */
const talked = signal<ReadonlyMap<string, Call>>(new Map())
onLeave((standing) => {
  if (standing === 'out') talked.value = new Map()
})

const mostRows = 12

export function OnThePhone({ desk, waitSeconds }: { readonly desk: DeskView; readonly waitSeconds: number }) {
  const own = me.value?.extension ?? null
  const now = sorted(desk, own)
  const { talk, waiting, elsewhere, parked, talking, others, count } = now
  // What rang before this tab slept may ring no more.
  const mine = isStale.value ? [] : now.mine
  const ended = [...talked.value.values()].filter(
    ({ callId }) => !desk.calls.some((call) => call.callId === callId && call.state !== 'ended'),
  )
  useEffect(() => {
    if (talk !== undefined && talked.value.get(talk.callId) === undefined) talked.value = new Map([...talked.value, [talk.callId, talk]])
  }, [talk?.callId])
  const current = mine[0] ?? talk
  const longest = waiting.find(({ absent }) => !absent)
  useKeys({
    t: {
      does: say('takeLongest'),
      run: () => (mine.length > 0 ? done(say('pickUp')) : longest !== undefined && void takeCall(longest.callId)),
    },
    s: {
      does: say('sendTo'),
      run: () => current?.deeds?.includes('move') === true && (sending.value = { callId: current.callId, name: nameOf(current) }),
    },
  })
  const queueOf = (call: Call): string => desk.queues.find(({ id }) => id === call.queue)?.name ?? ''
  const dismiss = (callId: string): void => void (talked.value = new Map([...talked.value].filter(([id]) => id !== callId)))
  const phone = own === null ? say('yourPhoneNone') : say('yourPhone', { extension: own })
  const nobody = count === 0 && waiting.length === 0 && ended.length === 0
  return (
    <Panel title={say('onPhone')} count={count} class="on-phone" aside={<span class="small muted">{phone}</span>}>
      {nobody ? <p class="empty">{say('emptyPhone')}</p> : null}
      {mine.map((call) => (
        <Card key={call.callId} kind="rings" call={call} desk={desk} head={say('ringsHere')} queue={queueOf(call)} />
      ))}
      {talk === undefined ? null : <Card key={talk.callId} kind="talks" call={talk} desk={desk} head={say('yours')} queue="" />}
      {ended.map((call) => (
        <Card key={call.callId} kind="ended" call={call} desk={desk} head={say('ended')} queue="" onDismiss={() => dismiss(call.callId)} />
      ))}
      <Rows title={say('waiting')} hint={say('waitingIn', { n: waiting.length })} of={waiting}>
        {(one) => <WaitingRow key={one.callId} one={one} desk={desk} waitSeconds={waitSeconds} />}
      </Rows>
      <Rows title={say('ringsElsewhere')} hint="" of={elsewhere}>
        {(call) => (
          <CallRow
            key={call.callId}
            call={call}
            desk={desk}
            words={say('ringsAt', { where: placesOf(ringingAt(call), desk) })}
            since={call.startedAt}
            ringing
          />
        )}
      </Rows>
      <Rows title={say('parked')} hint={say('anybody')} of={parked}>
        {(one) => <ParkedRow key={one.slot} one={one} desk={desk} />}
      </Rows>
      <Rows title={say('talking')} hint={String(talking.length)} of={talking}>
        {(call) => (
          <CallRow
            key={call.callId}
            call={call}
            desk={desk}
            words={`${say('withWhom', { name: placesOf(partnersOf(call), desk) })}${call.state === 'held' ? `, ${say('onHold')}` : ''}`}
            since={call.answeredAt ?? call.startedAt}
          />
        )}
      </Rows>
      <Rows title={say('otherCalls')} hint="" of={others}>
        {(call) => <CallRow key={call.callId} call={call} desk={desk} words={wordsOf(call, desk)} since={call.startedAt} />}
      </Rows>
    </Panel>
  )
}

function Rows<T>({
  title,
  hint,
  of,
  children,
}: {
  readonly title: string
  readonly hint: string
  readonly of: readonly T[]
  readonly children: (one: T) => ComponentChildren
}) {
  const [all, setAll] = useState(false)
  if (of.length === 0) return null
  const shown = all ? of : of.slice(0, mostRows)
  return (
    <>
      <h3 class="sub">
        {title} <span>{hint}</span>
      </h3>
      <ul>{shown.map(children)}</ul>
      {shown.length === of.length ? null : (
        <p class="row">
          <button type="button" class="btn small" onClick={() => setAll(true)}>
            {say('many', { n: of.length - shown.length })}
          </button>
        </p>
      )}
    </>
  )
}

interface WaitingRowProps {
  readonly one: Waiting
  readonly desk: DeskView
  readonly waitSeconds: number
}

function WaitingRow({ one, desk, waitSeconds }: WaitingRowProps) {
  const { call, callId, name, number, queue, since, absent } = one
  const colour = absent ? 'calm' : patience(since, nowMs.value, waitSeconds)
  return (
    <li class="row" data-call={callId}>
      <span class={colour === 'calm' ? 'faint' : colour}>
        <Icon name="clock" />
      </span>
      <span class="grow">
        <Person name={name} number={number} /> <span class="faint">{absent ? say('waitsForBox') : foreign(queue)}</span>
      </span>
      <b class={colour === 'calm' ? 'muted' : colour}>
        <Since at={since} />
      </b>
      <CallDeeds callId={callId} name={name || number} deeds={deedsOf(call, desk)} />
    </li>
  )
}

function ParkedRow({ one, desk }: { readonly one: Parked; readonly desk: DeskView }) {
  const { slot, call, callId, name, number, since, by } = one
  return (
    <li class="row" data-call={callId}>
      <span class="tag accent num">{slot}</span>
      <span class="grow">
        <Person name={name} number={number} />{' '}
        {by === '' ? null : <span class="faint">{say('byWhom', { name: placesOf([by], desk) })}</span>}
      </span>
      <b class="muted">
        <Since at={since} />
      </b>
      <CallDeeds callId={callId} name={name || number} deeds={deedsOf(call, desk)} />
    </li>
  )
}

interface CallRowProps {
  readonly call: Call
  readonly desk: DeskView
  readonly words: string
  readonly since: string
  readonly ringing?: boolean
}

function CallRow({ call, desk, words, since, ringing = false }: CallRowProps) {
  const number = outsideOf(call)
  return (
    <li class="row" data-call={call.callId}>
      <span class={ringing ? 'amber' : 'blue'}>
        <Icon name={call.direction === 'outbound' ? 'callBack' : 'callIn'} />
      </span>
      <span class="grow">
        <Person name={call.direction === 'outbound' ? directoryName(number) : nameOutside(call)} number={number} />{' '}
        <span class="faint">{words}</span>
      </span>
      <Since at={since} class="muted" />
      <CallDeeds callId={call.callId} name={nameOf(call)} deeds={deedsOf(call, desk)} />
    </li>
  )
}

interface CallDeedsProps {
  readonly callId: string
  /** '' where it is withheld. */
  readonly name: string
  readonly deeds: readonly Deed[]
}

function CallDeeds({ callId, name, deeds }: CallDeedsProps) {
  const shown = foreign(name === '' ? say('withheld') : name)
  const all: readonly (MenuItem & { readonly deed: Deed })[] = [
    { deed: 'move', text: say('move'), icon: 'send', run: () => (sending.value = { callId, name: shown }) },
    { deed: 'park', text: say('park'), icon: 'clock', run: () => park(callId) },
    { deed: 'end', text: say('end'), icon: 'close', danger: true, run: () => void end(callId, shown) },
  ]
  const items = all.filter(({ deed }) => deeds.includes(deed))
  return (
    <>
      {deeds.includes('take') && (me.value?.extension ?? null) !== null ? <Take callId={callId} name={shown} /> : null}
      {items.length === 0 ? null : <Menu items={items} />}
    </>
  )
}

const nameOf = (call: Call): string => nameOutside(call) || numberText(outsideOf(call))

/** Of a call that is with nobody. */
function wordsOf(call: Call, desk: DeskView): string {
  const place = placeOf(call)
  return place === 'byWhom' ? say(place, { name: placesOf([call.extension ?? ''], desk) }) : say(place)
}

/** Names of extensions; the number of one that has none. */
function placesOf(numbers: readonly string[], { extensions }: DeskView): string {
  return numbers.map((number) => foreign(extensions.find((one) => one.number === number)?.name || number)).join(', ')
}
