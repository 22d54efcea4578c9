/** A person who is there: what the person may is changed, sessions are ended, and somebody who is locked out gets a new way in. */
import { useSignal } from '@preact/signals'
import type { PersonView } from '../../../schema/people.ts'
import { Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { ask, done } from '../../frame/deeds.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { foreign } from '../../pieces/Number.tsx'
import { Sessions } from '../../pieces/Sessions.tsx'
import { bodyOf, Fields, memberOf } from './Fields.tsx'
import { say } from './words.ts'

export interface ChangeProps {
  readonly person: PersonView
  readonly onClose: () => void
  readonly changed: () => Promise<void>
  /** Shows the new invitation of somebody who was locked out. */
  readonly invite: (person: PersonView) => Promise<void>
}

export function Change({ person, onClose, changed, invite }: ChangeProps) {
  const member = useSignal(memberOf(person))
  const state = useSubmit()
  const path = `/api/people/${person.personId}`
  const save = async (): Promise<void> => {
    const { name } = await send<PersonView>('PATCH', path, bodyOf(member.value))
    await changed()
    done(say('saved', { name: foreign(name) }))
    onClose()
  }
  const forget = async (): Promise<void> => {
    const question = { title: say('forgetTitle', { name: foreign(person.name) }), lost: say('forgetLost'), button: say('forget') }
    if (!(await ask(question))) return
    await send('PATCH', path, { disabled: false, password: null, secondStep: false })
    await invite(person)
    onClose()
  }
  return (
    <Dialog title={say('changeOf', { name: foreign(person.name) })} onClose={onClose}>
      <Form
        state={state}
        button={say('save')}
        onSubmit={save}
        more={
          <button type="button" class="btn" disabled={state.busy} onClick={() => state.submit(forget)}>
            {say('forget')}
          </button>
        }
      >
        <Fields of={member} />
      </Form>
      <Sessions personId={person.personId} />
    </Dialog>
  )
}
