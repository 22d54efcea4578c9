/** What the box has to report to the addresses of applications: what waits, what was given up, and to send it again. */
import { useSignal } from '@preact/signals'
import type { CallbackView } from '../../../schema/applications.ts'
import type { CallbackState } from '../../../schema/states.ts'
import { Fault, send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { thing } from '../../frame/state.ts'
import { Foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { failureText } from './sentences.ts'
import { say } from './words.ts'

const states = ['dead', 'pending', 'delivered'] as const satisfies readonly CallbackState[]

const of = (state: CallbackState) =>
  thing<readonly CallbackView[]>(`/api/callbacks?state=${state}&limit=50`, ['calls', 'faxes', 'reminders'])

export function Callbacks() {
  const shown = useSignal<CallbackState>('dead')
  const list = of(shown.value)
  const counted = of('dead').data.value?.length ?? 0
  const again = async ({ eventId }: CallbackView): Promise<void> => {
    try {
      await send('POST', `/api/callbacks/${encodeURIComponent(eventId)}/retry`)
      done(say('goesAgain'))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
    await Promise.all(states.map((state) => of(state).reload()))
  }
  const which = (
    <span class="seg" role="group" aria-label={say('callbacks')}>
      {states.map((state) => (
        <button key={state} type="button" aria-pressed={shown.value === state} onClick={() => (shown.value = state)}>
          {state === 'dead' && counted > 0 ? `${say('dead')} ${counted}` : say(state)}
        </button>
      ))}
    </span>
  )
  const reload = (
    <button type="button" class="btn small quiet" onClick={() => void list.reload()}>
      {say('look')}
    </button>
  )
  return (
    <Panel
      title={say('callbacks')}
      thing={list}
      aside={
        <>
          {which}
          {reload}
        </>
      }
      isEmpty={(all) => all.length === 0}
      empty={say(({ dead: 'emptyDead', pending: 'emptyPending', delivered: 'emptyDelivered' } as const)[shown.value])}
    >
      {(all) => (
        <Table
          caption={say('callbacks')}
          rows={all}
          keyOf={({ eventId }) => eventId}
          columns={[
            { head: say('what'), cell: ({ kind }) => kind, isHead: true },
            { head: say('to'), cell: ({ url }) => <Foreign text={url} /> },
            { head: say('created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
            { head: say('tries'), cell: ({ attempts }) => attempts, class: 'num' },
            { head: say('result'), cell: ({ lastResult }) => <Foreign text={failureText(lastResult)} /> },
            { head: say('next'), cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? '–' : <Time at={nextAttemptAt} />) },
            { head: say('deed'), cell: (one) => <Again one={one} again={() => void again(one)} />, class: 'r' },
          ]}
        />
      )}
    </Panel>
  )
}

function Again({ one: { state, kind }, again }: { readonly one: CallbackView; readonly again: () => void }) {
  if (state === 'delivered') return null
  const text = say(state === 'dead' ? 'again' : 'now')
  return (
    <button type="button" class="btn small" aria-label={`${text}: ${kind}`} onClick={again}>
      {text}
    </button>
  )
}
