/** Numbers whose owners asked for no reminder calls; a manager takes one off, with the reason. */
import { useSignal } from '@preact/signals'
import type { OptOutView } from '../../../schema/reminders.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { may } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { nameOf } from '../../pieces/names.ts'
import { numberText, Person } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Time } from '../../pieces/Time.tsx'
import { say } from './words.ts'

const optOuts = thing<readonly OptOutView[]>('/api/reminders/opt-outs', ['reminders'])
/** Rows in the document; a part of the number finds the others. */
const most = 40
const fewEnough = 8

export function StopList() {
  const part = useSignal('')
  const lifted = useSignal<OptOutView | undefined>(undefined)
  const all = optOuts.data.value ?? []
  const digits = part.value.replaceAll(/\D/g, '')
  const found = all.filter(({ number }) => number.replaceAll(/\D/g, '').includes(digits)).toSorted((a, b) => b.since - a.since)
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
          <ul class="tight">
            {found.slice(0, most).map((one) => (
              <li key={one.number} class="row">
                <span class="grow">
                  <Person name={nameOf(one.number)} number={one.number} />{' '}
                  <span class="small faint nowrap">
                    {say('since')} <Time at={one.since} />
                  </span>
                </span>
                {may('liftStops') ? (
                  <button
                    type="button"
                    class="btn small"
                    aria-label={say('liftOf', { number: numberText(one.number) })}
                    onClick={() => (lifted.value = one)}
                  >
                    {say('lift')}
                  </button>
                ) : null}
              </li>
            ))}
          </ul>
          {found.length > most ? <p class="empty">{say('moreNumbers', { n: found.length - most })}</p> : null}
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
