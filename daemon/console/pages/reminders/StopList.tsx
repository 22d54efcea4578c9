/** Numbers whose owners asked for no reminder calls; a manager takes one off, with the reason. */
import { useSignal } from '@preact/signals'
import type { OptOutView } from '../../../schema/reminders.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { thing } from '../../frame/state.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { numberText } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { StoppedNumbers } from '../../pieces/StoppedNumbers.tsx'
import { Time } from '../../pieces/Time.tsx'
import { say } from './words.ts'

const optOuts = thing<readonly OptOutView[]>('/api/reminders/opt-outs', ['reminders'])
const fewEnough = 8

export function StopList() {
  const part = useSignal('')
  const lifted = useSignal<OptOutView | undefined>(undefined)
  const all = optOuts.data.value ?? []
  return (
    <Panel title={say('stopList')} count={all.length} thing={optOuts} isEmpty={(list) => list.length === 0} empty={say('stopListEmpty')}>
      {() => (
        <>
          {all.length <= fewEnough ? null : (
            <div class="form">
              <Field
                label={say('findNumber')}
                value={part.value}
                onValue={(text) => (part.value = text)}
                inputMode="numeric"
                autocomplete="off"
                optional
              />
            </div>
          )}
          <StoppedNumbers
            all={all}
            part={part.value}
            note={({ since }) => (
              <span class="small faint nowrap">
                {say('since')} <Time at={since} />
              </span>
            )}
            lift={say('lift')}
            liftOf={(number) => say('liftOf', { number })}
            onLift={(one) => (lifted.value = one)}
          />
          {lifted.value === undefined ? null : <Lift optOut={lifted.value} close={() => (lifted.value = undefined)} />}
        </>
      )}
    </Panel>
  )
}

function Lift({ optOut: { number }, close }: { readonly optOut: OptOutView; readonly close: () => void }) {
  const reason = useSignal('')
  const state = useSubmit()
  const lift = async (): Promise<void> => {
    await send('DELETE', `/api/reminders/opt-outs/${encodeURIComponent(number)}`, { reason: reason.value.trim() })
    optOuts.set((now) => now.filter((one) => one.number !== number))
    done(say('lifted', { number: numberText(number) }))
    close()
  }
  return (
    <Dialog title={say('liftTitle', { number: numberText(number) })} class="small-dialog" onClose={close}>
      <Form state={state} button={say('lift')} onSubmit={lift}>
        <p class="muted">{say('liftMeans')}</p>
        <Field
          label={say('reason')}
          hint={say('reasonHint')}
          value={reason.value}
          onValue={(text) => (reason.value = text)}
          maxLength={200}
          autocomplete="off"
        />
      </Form>
    </Dialog>
  )
}
