/** Numbers that get no texts: a part of one finds it; anybody of the house adds one, and a manager takes one off. */
import { useSignal } from '@preact/signals'
import type { SuppressedView } from '../../../schema/sms.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { afterAsking, done } from '../../frame/deeds.ts'
import { may } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { nameOf } from '../../pieces/names.ts'
import { foreign, numberText, Person } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Time } from '../../pieces/Time.tsx'
import { say } from './words.ts'

const stopped = thing<readonly SuppressedView[]>('/api/sms/stop-list', ['texts'])
/** Rows in the document; a part of the number finds the others. */
const most = 40

export const stopPath = (number: string): string => `/api/sms/stop-list/${encodeURIComponent(number)}`

export function StopList({ onClose }: { readonly onClose: () => void }) {
  const typed = useSignal('')
  const state = useSubmit()
  const add = async (): Promise<void> => {
    await send('POST', stopPath(typed.value.trim()))
    typed.value = ''
    done(say('stopDone'))
    await stopped.reload()
  }
  const lift = async (number: string): Promise<void> => {
    const question = { title: say('liftTitle'), lost: say('liftLost'), button: say('lift') }
    await afterAsking(question, () => send('DELETE', stopPath(number)), say('lifted'))
    await stopped.reload()
  }
  const digits = typed.value.replaceAll(/\D/g, '')
  const found = (stopped.data.value ?? []).filter(({ number }) => number.includes(digits)).toSorted((a, b) => (a.since < b.since ? 1 : -1))
  return (
    <Dialog title={say('stopList')} onClose={onClose}>
      {may('calls') ? (
        <Form state={state} button={say('stop')} onSubmit={add}>
          <Field
            label={say('to')}
            hint={say('stopListHint')}
            value={typed.value}
            onValue={(text) => (typed.value = text)}
            autocomplete="off"
            maxLength={40}
          />
        </Form>
      ) : null}
      <Panel
        title={say('stoppedNumbers')}
        count={stopped.data.value?.length ?? ''}
        thing={stopped}
        isEmpty={(all) => all.length === 0}
        empty={say('stopListEmpty')}
      >
        {() => (
          <>
            <ul class="tight">
              {found.slice(0, most).map(({ number, since, by }) => (
                <li key={number} class="row">
                  <span class="grow">
                    <Person name={nameOf(number)} number={number} />{' '}
                    <span class="small faint">
                      <Time at={since} /> {by === 'command' ? say('byClinic') : say('byWord', { by: foreign(by) })}
                    </span>
                  </span>
                  {may('liftStops') ? (
                    <button
                      type="button"
                      class="btn small"
                      aria-label={say('liftOf', { number: numberText(number) })}
                      onClick={() => void lift(number)}
                    >
                      {say('lift')}
                    </button>
                  ) : null}
                </li>
              ))}
            </ul>
            {found.length > most ? <p class="empty">{say('moreNumbers', { n: found.length - most })}</p> : null}
          </>
        )}
      </Panel>
    </Dialog>
  )
}
