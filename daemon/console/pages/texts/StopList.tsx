/** Numbers that get no texts: a part of one finds it; anybody of the house adds one, and a manager takes one off. */
import { useSignal } from '@preact/signals'
import type { SuppressedView } from '../../../schema/sms.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { afterAsking, done } from '../../frame/deeds.ts'
import { may } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { StoppedNumbers } from '../../pieces/StoppedNumbers.tsx'
import { Time } from '../../pieces/Time.tsx'
import { say } from './words.ts'

const stopped = thing<readonly SuppressedView[]>('/api/sms/stop-list', ['texts'])

export const stopPath = (number: string): string => `/api/sms/stop-list/${encodeURIComponent(number)}`

/** Asks first; then `shown` is read again. */
export const lift = async (number: string, shown: { readonly reload: () => Promise<unknown> }): Promise<void> => {
  const question = { title: say('liftTitle'), lost: say('liftLost'), button: say('lift') }
  await afterAsking(question, () => send('DELETE', stopPath(number)), say('lifted'))
  await shown.reload()
}

export function StopList({ onClose }: { readonly onClose: () => void }) {
  const typed = useSignal('')
  const state = useSubmit()
  const add = async (): Promise<void> => {
    await send('POST', stopPath(typed.value.trim()))
    typed.value = ''
    done(say('stopDone'))
    await stopped.reload()
  }
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
        {(all) => (
          <StoppedNumbers
            all={all}
            part={typed.value}
            note={({ since, by }) => (
              <span class="small faint">
                <Time at={since} /> {by === 'command' ? say('byClinic') : say('byWord', { by: foreign(by) })}
              </span>
            )}
            lift={say('lift')}
            liftOf={(number) => say('liftOf', { number })}
            onLift={({ number }) => void lift(number, stopped)}
          />
        )}
      </Panel>
    </Dialog>
  )
}
