/** What the Desk does with a call: each deed is done by the box, and what it refuses is said. */
import { signal } from '@preact/signals'
import { Fault, send } from '../../frame/api.ts'
import { ask, done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { say } from './words.ts'

/** The call that is about to be sent on. */
export const sending = signal<{ readonly callId: string; readonly name: string } | undefined>(undefined)

async function deed(callId: string, what: 'move' | 'park' | 'end', body: object | undefined, said: string): Promise<void> {
  try {
    await send('POST', `/api/pbx/calls/${callId}/${what}`, body)
    done(said)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    done(sentence(error))
  }
}

export const move = (callId: string, to: string, shown = to): void => void deed(callId, 'move', { to }, say('moved', { to: shown }))
export const park = (callId: string): void => void deed(callId, 'park', undefined, say('parkedDone'))

export async function end(callId: string, name: string): Promise<void> {
  if (await ask({ title: say('endTitle', { name }), lost: say('endLost'), button: say('end') }))
    await deed(callId, 'end', undefined, say('endedDone'))
}
