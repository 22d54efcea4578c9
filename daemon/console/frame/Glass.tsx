/** Break glass: a technician reads as a manager for a while, with a reason that managers see. */
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { SessionView } from '../../schema/people.ts'
import { Dialog } from '../pieces/Dialog.tsx'
import { Fault, send } from './api.ts'
import { sentence } from './faults.ts'
import { take } from './session.ts'
import { say } from './wording.ts'

const leastReason = 10
const minutes = [5, 15, 30]

export function Glass({ onClose }: { readonly onClose: () => void }) {
  const id = useId()
  const wanted = useSignal(15)
  const reason = useSignal('')
  const fault = useSignal('')
  const submit = async (): Promise<void> => {
    try {
      take(await send<SessionView>('POST', '/api/session/glass', { minutes: wanted.value, reason: reason.value.trim() }))
      onClose()
    } catch (error) {
      fault.value = error instanceof Fault ? sentence(error) : String(error)
    }
  }
  return (
    <Dialog title={say('glassBreak')} class="small-dialog" onClose={onClose}>
      <form class="form" onSubmit={(event) => (event.preventDefault(), void submit())}>
        <p>{say('glassWhat')}</p>
        <div class="field">
          <label for={`${id}m`}>{say('glassMinutes')}</label>
          <select id={`${id}m`} class="box" onChange={(event) => (wanted.value = Number(event.currentTarget.value))}>
            {minutes.map((n) => (
              <option key={n} value={n} selected={n === wanted.value}>
                {n}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={id}>{say('glassReason')}</label>
          <textarea
            id={id}
            class="box"
            required
            minLength={leastReason}
            maxLength={500}
            value={reason.value}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        </div>
        <p class="red" role="alert">
          {fault.value}
        </p>
        <div class="acts">
          <button type="submit" class="btn danger">
            {say('glassBreak')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
