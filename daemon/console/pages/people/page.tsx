/** People who may use the console: who there is, what they may, and the slips by which they come in. */
import { useSignal } from '@preact/signals'
import type { InvitationView, PersonView } from '../../../schema/people.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Qr } from '../../entry/Qr.tsx'
import { Fault, send } from '../../frame/api.ts'
import { ask, done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { thing } from '../../frame/state.ts'
import { AtTheBox } from '../../pieces/AtTheBox.tsx'
import { Menu } from '../../pieces/Menu.tsx'
import { foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { timeText } from '../../pieces/time.ts'
import { Change } from './Change.tsx'
import { bodyOf, Fields, mayChange, nobody, roleText } from './Fields.tsx'
import { say } from './words.ts'

const list = thing<readonly PersonView[]>('/api/people', ['session'])

interface Slip {
  readonly name: string
  readonly invitation: InvitationView
}

export default function People() {
  const slip = useSignal<Slip | undefined>(undefined)
  const changing = useSignal<PersonView | undefined>(undefined)
  const invite = async ({ personId, name }: PersonView): Promise<void> => {
    slip.value = { name, invitation: await send<InvitationView>('POST', `/api/people/${personId}/invite`) }
    await list.reload()
  }
  const deeds = {
    invite: (person: PersonView) => tried(invite(person)),
    change: (person: PersonView) => void (changing.value = person),
  }
  return (
    <div class="columns wide">
      {slip.value === undefined ? null : <SlipPanel slip={slip.value} />}
      <Panel title={say('people')} thing={list}>
        {(people) => (
          <Table
            caption={say('people')}
            rows={people}
            keyOf={({ personId }) => personId}
            columns={[
              { head: say('name'), cell: ({ name }) => <bdi>{name}</bdi>, isHead: true },
              { head: say('login'), cell: ({ login }) => login },
              { head: say('roles'), cell: ({ roles }) => roles.map(roleText).join(', ') },
              { head: say('extension'), cell: ({ extension }) => extension ?? '' },
              { head: say('state'), cell: ({ state }) => say(state) },
              { head: say('secondStep'), cell: ({ secondStep }) => (secondStep ? say('yes') : '') },
              { head: '', cell: (person) => <Deeds person={person} {...deeds} />, class: 'r' },
            ]}
          />
        )}
      </Panel>
      <Add invite={invite} />
      <AtTheBox page="people" />
      {changing.value === undefined ? null : (
        <Change person={changing.value} onClose={() => (changing.value = undefined)} changed={() => list.reload()} invite={invite} />
      )}
    </div>
  )
}

function tried(deed: Promise<unknown>): void {
  deed.catch((error: unknown) => done(error instanceof Fault ? sentence(error) : String(error)))
}

interface DeedsProps {
  readonly person: PersonView
  readonly invite: (person: PersonView) => void
  readonly change: (person: PersonView) => void
}

function Deeds({ person, invite, change }: DeedsProps) {
  const path = `/api/people/${person.personId}`
  const isOff = person.state === 'disabled'
  const setDisabled = async (disabled: boolean): Promise<void> => {
    await send('PATCH', path, { disabled })
    await list.reload()
  }
  const remove = async (): Promise<void> => {
    const question = { title: say('removeTitle', { name: person.name }), lost: say('removeLost'), button: say('remove') }
    if (!(await ask(question))) return
    await send('DELETE', path)
    done(say('removed', { name: person.name }))
    await list.reload()
  }
  // Of a technician, a manager may change nothing.
  if (!mayChange(person)) return null
  return (
    <Menu
      label={say('deedsOf', { name: foreign(person.name) })}
      items={[
        { text: say('change'), icon: 'settings', run: () => change(person) },
        { text: say('invite'), icon: 'key', run: () => invite(person) },
        { text: say(isOff ? 'enable' : 'disable'), icon: isOff ? 'check' : 'stop', run: () => tried(setDisabled(!isOff)) },
        { text: say('remove'), icon: 'trash', danger: true, run: () => tried(remove()) },
      ]}
    />
  )
}

function SlipPanel({ slip: { name, invitation } }: { readonly slip: Slip }) {
  return (
    <Panel title={say('slip', { name })}>
      <div class="form">
        <p>{say('slipHow', { time: timeText(invitation.until) })}</p>
        <Qr text={invitation.url} label={say('slipQr')} />
        <p>
          <code class="secret">{invitation.url}</code>
        </p>
      </div>
    </Panel>
  )
}

function Add({ invite }: { readonly invite: (person: PersonView) => Promise<void> }) {
  const login = useSignal('')
  const member = useSignal(nobody)
  const state = useSubmit()
  const add = async (): Promise<void> => {
    const person = await send<PersonView>('POST', '/api/people', { login: login.value, ...bodyOf(member.value) })
    login.value = ''
    member.value = nobody
    done(say('added', { name: person.name }))
    await invite(person)
  }
  return (
    <Panel title={say('add')}>
      <Form state={state} button={say('add')} onSubmit={add}>
        <Field
          label={say('login')}
          hint={say('loginHint')}
          value={login.value}
          onValue={(text) => (login.value = text)}
          autocomplete="off"
          maxLength={32}
        />
        <Fields of={member} />
      </Form>
    </Panel>
  )
}
