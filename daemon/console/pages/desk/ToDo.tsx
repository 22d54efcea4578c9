/** What is left undone, the oldest first, with the next action in the row. */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { DeskView } from '../../../schema/desk.ts'
import type { WorkItemView, WorkKind } from '../../../schema/work.ts'
import { draft, drop } from '../../frame/drafts.ts'
import { useKeys } from '../../frame/keys.ts'
import { go } from '../../frame/router.ts'
import { me } from '../../frame/session.ts'
import { Icon } from '../../pieces/Icon.tsx'
import type { IconName } from '../../pieces/icons.ts'
import { Menu } from '../../pieces/Menu.tsx'
import { Foreign, foreign, PhoneNumber } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Player } from '../../pieces/Player.tsx'
import { callBack, writeText } from '../../pieces/reach-out.ts'
import { Time } from '../../pieces/Time.tsx'
import { lengthText } from '../../pieces/time.ts'
import { focusRow } from '../../pieces/chosen.ts'
import { changeWork, takers } from '../../pieces/work.ts'
import { wordlessBy } from './model.ts'
import { say } from './words.ts'

type Show = 'all' | 'calls' | 'voicemail' | 'fax' | 'text'
const show = signal<Show>('all')
/** kind/id of the item whose row is open. */
const chosen = signal('')

const kindsOf: Readonly<Record<Show, readonly WorkKind[]>> = {
  ...{ all: ['missed', 'callback', 'voicemail', 'fax', 'text'], calls: ['missed', 'callback'] },
  ...{ voicemail: ['voicemail'], fax: ['fax'], text: ['text'] },
}
const pictures: Readonly<Record<WorkKind, IconName>> = {
  ...{ missed: 'callMissed', callback: 'callBack', voicemail: 'voicemail', fax: 'fax', text: 'text' },
}
const nameOf = ({ kind, id }: WorkItemView): string => `${kind}/${id}`

export function ToDo({ desk }: { readonly desk: DeskView }) {
  const { counts, items } = desk.work
  const all = counts.missed + counts.callback + counts.voicemail + counts.fax + counts.text
  const shown = items.filter(({ kind }) => kindsOf[show.value].includes(kind))
  const at = shown.findIndex((item) => nameOf(item) === chosen.value)
  const current = shown[at] ?? shown[0]
  const step = (by: number): void => {
    const next = shown[Math.max(0, Math.min(shown.length - 1, (at === -1 ? -1 : at) + by))]
    if (next === undefined) return
    chosen.value = nameOf(next)
    focusRow(`[data-item="${CSS.escape(nameOf(next))}"]`)
  }
  const withCurrent = (run: (item: WorkItemView) => void) => (): void => void (current !== undefined && run(current))
  useKeys({
    j: { does: say('todoNext'), run: () => step(1) },
    k: { does: say('todoBefore'), run: () => step(-1) },
    d: { does: say('done'), run: withCurrent((item) => void changeWork(item, { state: 'done' })) },
    o: {
      does: say('giveTo'),
      run: withCurrent((item) => void changeWork(item, { owner: item.owner === null ? (me.value?.personId ?? null) : null })),
    },
    c: { does: say('callBack'), run: withCurrent(({ number }) => void (number !== '' && callBack(number))) },
    n: {
      does: say('note'),
      run: withCurrent((item) => {
        chosen.value = nameOf(item)
        setTimeout(() => document.getElementById(`note-${item.id}`)?.focus(), 0)
      }),
    },
  })
  const tabs: readonly [Show, string, number][] = [
    ['all', say('all'), all],
    ['calls', say('calls'), counts.missed + counts.callback],
    ['voicemail', say('voicemail'), counts.voicemail],
    ['fax', say('fax'), counts.fax],
    ['text', say('texts'), counts.text],
  ]
  return (
    <Panel
      title={say('todo')}
      count={all}
      class="to-do"
      aside={
        <span class="seg" role="group" aria-label={say('todo')}>
          {tabs.map(([name, text, n]) => (
            <button key={name} type="button" aria-pressed={show.value === name} onClick={() => (show.value = name)}>
              {name === 'all' ? text : `${text} ${n}`}
            </button>
          ))}
        </span>
      }
    >
      {shown.length === 0 ? <p class="empty">{say('emptyTodo')}</p> : null}
      <ol>
        {shown.map((item) => (
          <Row key={nameOf(item)} item={item} desk={desk} isOpen={nameOf(item) === chosen.value} />
        ))}
      </ol>
    </Panel>
  )
}

function Row({ item, desk, isOpen }: { readonly item: WorkItemView; readonly desk: DeskView; readonly isOpen: boolean }) {
  const { kind, id, number, callerName, at, times, owner, ownerName, note } = item
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const hasNext = isOpen || kind === 'missed' || kind === 'callback'
  return (
    <li ref={row} class={`todo ${isOpen ? 'on' : ''}`} data-item={`${kind}/${id}`}>
      <span class="kind" data-kind={kind}>
        <Icon name={pictures[kind]} />
      </span>
      <div class="l1">
        <button type="button" class="who plain" aria-expanded={isOpen} onClick={() => (chosen.value = isOpen ? '' : `${kind}/${id}`)}>
          {callerName === '' ? <PhoneNumber number={number} /> : <Foreign text={callerName} />}
        </button>
        {kind === 'missed' && times > 1 ? <span class="tag red">{say('calledTimes', { n: times })}</span> : null}
        {kind === 'callback' ? <span class="tag blue">{say('asked')}</span> : null}
        <KindTag item={item} />
        {owner === null ? null : <span class="tag accent">{say('has', { name: foreign(ownerName ?? '') })}</span>}
      </div>
      <span class="at">
        <Time at={at} />
      </span>
      <p class="l2">
        <Sentence item={item} desk={desk} whole={isOpen} />
        {note === '' ? null : <span class="noted"> “{foreign(note)}”</span>}
      </p>
      {isOpen && kind === 'voicemail' ? (
        <div class="more">
          <Player
            src={`/api/inbox/voicemails/${id}.wav`}
            peaks={`/api/inbox/voicemails/${id}/peaks`}
            label={callerName || number}
            words={false}
          />
        </div>
      ) : null}
      {isOpen ? <NoteField item={item} /> : null}
      {hasNext ? <Next item={item} isOpen={isOpen} /> : null}
    </li>
  )
}

/** What is next: to call back, to look at it, that it is done. */
function Next({ item, isOpen }: { readonly item: WorkItemView; readonly isOpen: boolean }) {
  const { kind, id, number } = item
  const pages: Partial<Record<WorkKind, string>> = { fax: '/faxes', text: '/texts', voicemail: '/voicemail' }
  const page = pages[kind]
  const mark = (key: string) => (isOpen ? <kbd aria-hidden="true">{key}</kbd> : null)
  return (
    <div class="more acts">
      {number === '' || kind === 'fax' ? null : (
        <button type="button" class={`btn small ${isOpen ? 'main' : ''}`} onClick={() => void callBack(number)}>
          <Icon name="callBack" />
          {say('callBack')} {mark('C')}
        </button>
      )}
      {page === undefined ? null : (
        <button type="button" class="btn small" onClick={() => go(`${page}?id=${encodeURIComponent(id)}`)}>
          {say('open')}
        </button>
      )}
      {number === '' || kind === 'fax' ? null : (
        <button type="button" class="btn small quiet" onClick={() => writeText(number)}>
          <Icon name="text" />
          {say('text')}
        </button>
      )}
      <button type="button" class="btn small quiet" onClick={() => void changeWork(item, { state: 'done' })}>
        <Icon name="check" />
        {say('done')} {mark('D')}
      </button>
      {isOpen ? <GiveTo item={item} /> : null}
    </div>
  )
}

function GiveTo({ item }: { readonly item: WorkItemView }) {
  return (
    <Menu
      class="btn small quiet"
      label={say('giveTo')}
      items={takers()
        .filter(({ personId }) => personId !== item.owner)
        .map(({ personId, name }) => ({ text: foreign(name), run: () => void changeWork(item, { owner: personId }) }))}
    >
      {say('giveTo')}
    </Menu>
  )
}

function NoteField({ item }: { readonly item: WorkItemView }) {
  const key = `note:${item.kind}:${item.id}`
  const text = draft(key, item.note)
  const save = async (): Promise<void> => {
    await changeWork(item, { note: text.value })
    drop(key)
  }
  return (
    <form class="more call-note" onSubmit={(event) => (event.preventDefault(), void save())}>
      <label class="field">
        <span>{say('note')}</span>
        <textarea
          id={`note-${item.id}`}
          class="box"
          maxLength={500}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      {text.value === item.note ? null : (
        <button type="submit" class="btn small">
          {say('save')}
        </button>
      )}
    </form>
  )
}

interface Known {
  readonly queue?: string
  readonly rang?: readonly string[]
  readonly ringSeconds?: number
  readonly givenUp?: boolean
  readonly ext?: string
  readonly transcript?: string
  readonly transcriptStatus?: string
  readonly durationSeconds?: number
  readonly pages?: number
  readonly status?: string
  readonly body?: string
}

function KindTag({ item }: { readonly item: WorkItemView }) {
  const { ext, pages, status } = item.item as Known
  if (item.kind === 'voicemail') return <span class="faint small nowrap">{say('mailbox', { ext: ext ?? '' })}</span>
  if (item.kind !== 'fax') return null
  return status === 'partial' ? <span class="tag amber">{say('partial')}</span> : <span class="tag">{say('pages', { n: pages ?? 0 })}</span>
}

function Sentence({ item, desk, whole }: { readonly item: WorkItemView; readonly desk: DeskView; readonly whole: boolean }) {
  const known = item.item as Known
  const {
    queue = '',
    rang = [],
    ringSeconds = 0,
    givenUp,
    transcript = '',
    transcriptStatus,
    durationSeconds = 0,
    status,
    body = '',
  } = known
  const queueName = desk.queues.find(({ id }) => id === queue)?.name ?? queue
  const length = lengthText(ringSeconds * 1000)
  switch (item.kind) {
    case 'missed': {
      if (queue !== '') return <>{say('gaveUp', { length, queue: foreign(queueName) })}</>
      const where = rang.map((number) => desk.extensions.find((one) => one.number === number)?.name || number).join(', ')
      return <>{where === '' ? say('missedPlain', { length }) : say('missedRang', { where: foreign(where), length })}</>
    }
    case 'callback':
      return <>{givenUp === true ? say('cannotReach') : say('keepsPlace', { queue: foreign(queueName) })}</>
    case 'voicemail':
      if (transcriptStatus === 'pending') return <>{say('transcriptRuns')}</>
      if (transcript === '') return <>{say(wordlessBy(transcriptStatus), { length: lengthText(durationSeconds * 1000) })}</>
      return <Quoted text={transcript} whole={whole} />
    case 'fax':
      return <>{say(status === 'partial' ? 'faxPartial' : 'faxComplete')}</>
    case 'text':
      return <Quoted text={body} whole={whole} />
  }
}

const briefly = 120

function Quoted({ text, whole }: { readonly text: string; readonly whole: boolean }) {
  return <>“{whole || text.length <= briefly ? <Foreign text={text} /> : <Foreign text={`${text.slice(0, briefly)}…`} />}”</>
}
