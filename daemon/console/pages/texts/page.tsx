/** Texts: conversations by number, the newest first, and one of them. */
import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ConversationView } from '../../../schema/sms.ts'
import { query } from '../../frame/router.ts'
import { may } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { useChosen } from '../../pieces/chosen.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Foreign, foreign, PhoneNumber } from '../../pieces/Number.tsx'
import { nameOf } from '../../pieces/names.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { textTo } from '../../pieces/reach-out.ts'
import { Time } from '../../pieces/Time.tsx'
import { findWork, workOf } from '../../pieces/work.ts'
import { StopList } from './StopList.tsx'
import { NewText, Thread } from './Thread.tsx'
import { say } from './words.ts'

interface ConversationList {
  readonly items: readonly ConversationView[]
  readonly nextBefore: number | null
}

const conversations = thing<ConversationList>('/api/texts/conversations?limit=100', ['texts', 'inbox'])

export default function Texts() {
  const chosenNumber = useSignal<string | undefined>(undefined)
  const writing = useSignal(false)
  /** With whom a text was begun. */
  const begun = useSignal('')
  useEffect(() => {
    // Another page began a text to this number.
    const to = textTo().value
    if (to === '') return
    textTo().value = ''
    chosenNumber.value = begun.value = to
  }, [])
  useSignalEffect(() => {
    // The Desk, or the search, leads to one text.
    const number = findWork('text', query.value.get('id') ?? '')?.number
    if (number !== undefined) chosenNumber.value = number
  })
  const list = conversations.data.value?.items ?? []
  const open = (number: string): void => {
    writing.value = false
    chosenNumber.value = number
  }
  const chosen = useChosen(
    list.map(({ number }) => number),
    open,
    { next: say('next'), previous: say('previous'), open: say('openIt') },
  )
  return (
    <div class="texts">
      <Panel
        title={say('conversations')}
        thing={conversations}
        aside={<Deeds begin={() => (writing.value = true)} />}
        isEmpty={({ items }) => items.length === 0}
        empty={say('empty')}
      >
        {({ items }) => (
          <ul>
            {items.map((conversation) => (
              <li key={conversation.number} {...chosen.row(conversation.number)}>
                <button
                  type="button"
                  class="item"
                  aria-pressed={conversation.number === chosenNumber.value}
                  onClick={() => ((chosen.id.value = conversation.number), open(conversation.number))}
                >
                  <Row conversation={conversation} />
                </button>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {writing.value ? (
        <NewText
          onSent={(number) => {
            begun.value = number
            open(number)
          }}
        />
      ) : chosenNumber.value === undefined || !may('patients') ? (
        <section class="panel" aria-label={say('text')}>
          <p class="empty">{say('noneChosen')}</p>
        </section>
      ) : (
        <Thread key={chosenNumber.value} number={chosenNumber.value} writes={chosenNumber.value === begun.value} />
      )}
    </div>
  )
}

function Deeds({ begin }: { readonly begin: () => void }) {
  const isOpen = useSignal(false)
  return (
    <>
      <button type="button" class="btn small" onClick={() => (isOpen.value = true)}>
        {say('stopList')}
      </button>
      {may('calls') ? (
        <button type="button" class="btn small main" onClick={begin}>
          <Icon name="plus" />
          {say('begin')}
        </button>
      ) : null}
      {isOpen.value ? <StopList onClose={() => (isOpen.value = false)} /> : null}
    </>
  )
}

function Row({ conversation: { number, last, stopped } }: { readonly conversation: ConversationView }) {
  const name = nameOf(number)
  const isOpen = workOf('text').open.data.value?.items.some((item) => item.number === number) === true
  const flag = last.keyword === 'CANCEL' ? 'cancelTag' : last.keyword === 'END' ? 'endTag' : undefined
  return (
    <>
      <span class="first">
        {name === '' ? <PhoneNumber number={number} class="who" /> : <Foreign text={name} class="who" />}
        {stopped === null ? null : <span class="tag red">{say('stoppedTag')}</span>}
        {flag === undefined ? null : <span class="tag amber">{say(flag)}</span>}
        {isOpen ? <span class="tag blue">{say('openWork')}</span> : null}
        <span class="grow" />
        <span class="at">
          <Time at={last.at} />
        </span>
      </span>
      <span class="said">
        {last.direction === 'out' ? say('youWrote') : ''}
        <bdi>{foreign(last.text ?? '')}</bdi>
      </span>
      {last.status === 'failed' || last.status === 'unknown' ? <span class="said red">{say(last.status)}</span> : null}
    </>
  )
}
