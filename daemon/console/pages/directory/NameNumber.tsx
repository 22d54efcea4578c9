/** A name for a number. That of a customer whom the CRM owns is proposed to the CRM, and what it answers is so. */
import { useSignal } from '@preact/signals'
import type { PartyView, TypedNameView } from '../../../schema/crm.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { numberText } from '../../pieces/Number.tsx'
import { say } from './words.ts'

export interface NameNumberProps {
  /** '' where the person types it. */
  readonly number: string
  /** Who has it. */
  readonly party?: PartyView
  readonly changed: () => void
  readonly close: () => void
}

const put = (number: string, name: string): Promise<TypedNameView> =>
  send<TypedNameView>('POST', `/api/crm/names/${encodeURIComponent(number)}`, { name })

export function NameNumber({ number: given, party, changed, close }: NameNumberProps) {
  const number = useSignal(given)
  const name = useSignal(party?.name ?? '')
  const state = useSubmit()
  const named = async (to: string): Promise<void> => {
    const answer = await put(number.value.trim(), to)
    const values = { number: numberText(answer.number), name: answer.name }
    const back = async (): Promise<void> => {
      await put(answer.number, party?.name ?? '')
      changed()
    }
    if (answer.result === 'proposed') done(say('isProposed', values))
    else if (answer.result === 'unchanged') done(say('isUnchanged', values))
    // Who had a number that was typed is not known here.
    else
      done(
        say(answer.result === 'deleted' ? 'isRemoved' : 'isNamed', values),
        party !== undefined || answer.result === 'created' ? back : undefined,
      )
    changed()
    close()
  }
  const remove = (
    <button type="button" class="btn danger" onClick={() => state.submit(() => named(''))}>
      {say('removeName')}
    </button>
  )
  return (
    <Dialog
      title={party === undefined ? say('nameANumber') : say('nameOf', { number: numberText(given) })}
      class="small-dialog"
      onClose={close}
    >
      <Form
        state={state}
        button={say(party?.source === 'crm' ? 'propose' : 'save')}
        onSubmit={() => named(name.value.trim())}
        more={party?.source === 'local' ? remove : undefined}
      >
        <p class="muted">
          {say(
            party === undefined ? 'nameMeans' : party.source === 'crm' ? 'crmOwns' : party.source === 'import' ? 'importOwns' : 'nameMeans',
          )}
        </p>
        {party === undefined ? (
          <Field
            label={say('number')}
            value={number.value}
            onValue={(text) => (number.value = text)}
            maxLength={64}
            autocomplete="off"
            autofocus
          />
        ) : null}
        <Field label={say('name')} value={name.value} onValue={(text) => (name.value = text)} maxLength={200} autocomplete="off" />
      </Form>
    </Dialog>
  )
}
