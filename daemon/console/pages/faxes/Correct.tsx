/** A fax that failed goes once more, to the number as it should have been. */
import { useSignal } from '@preact/signals'
import type { FaxSummary } from '../../../schema/fax.ts'
import { Fault } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { numberText } from '../../pieces/Number.tsx'
import { correct } from './data.ts'
import { isConfirmed, NumberField, type Destination } from './NumberField.tsx'
import { say } from './words.ts'

export function Correct({ fax, close }: { readonly fax: FaxSummary; readonly close: () => void }) {
  const destination = useSignal<Destination>({ to: numberText(fax.to), toAgain: '', known: undefined })
  const fault = useSignal('')
  const busy = useSignal(false)
  const submit = async (): Promise<void> => {
    const { to, toAgain } = destination.value
    busy.value = true
    try {
      await correct(fax, to, toAgain)
      done(say('goesAgain'))
      close()
    } catch (error) {
      fault.value = error instanceof Fault ? sentence(error) : String(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <Dialog title={say('correct')} onClose={close} class="small-dialog">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <p class="muted">{say('wrongNumber', { number: numberText(fax.to) })}</p>
        <NumberField value={destination} />
        <p class="red" role="alert">
          {fault.value}
        </p>
        <div class="acts">
          <button type="submit" class="btn main" disabled={busy.value || !isConfirmed(destination.value)}>
            {say('sendPages', { n: fax.pages })}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
