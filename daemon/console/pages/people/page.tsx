/** People who may use the console: who there is, what they may, and the slips by which they come in. */
import { useSignal } from '@preact/signals'
import type { InvitationView, PersonView, Role } from '../../../schema/people.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Qr } from '../../entry/Qr.tsx'
import { Fault, send } from '../../frame/api.ts'
import { ask, done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { me } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { Menu } from '../../pieces/Menu.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { timeText } from '../../pieces/time.ts'
import { say } from './words.ts'

const list = thing<readonly PersonView[]>('/api/people', ['session'])

interface Slip {
  readonly name: string
  readonly invitation: InvitationView
}

export default function People() {
  const slip = useSignal<Slip | undefined>(undefined)
  const invite = async ({ personId, name }: PersonView): Promise<void> => {
    slip.value = { name, invitation: await send<InvitationView>('POST', `/api/people/${personId}/invite`) }
    await list.reload()
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
              { head: '', cell: (person) => <Deeds person={person} invite={() => tried(invite(person))} />, class: 'r' },
            ]}
          />
        )}
      </Panel>
      <Add invite={invite} />
    </div>
  )
}

const roleText = (role: Role): string => say(({ desk: 'roleDesk', manager: 'roleManager', technician: 'roleTechnician' } as const)[role])

function tried(deed: Promise<unknown>): void {
  deed.catch((error: unknown) => done(error instanceof Fault ? sentence(error) : String(error)))
}

function Deeds({ person, invite }: { readonly person: PersonView; readonly invite: () => void }) {
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
  return (
    <Menu
      items={[
        { text: say('invite'), icon: 'key', run: invite },
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

const empty = { login: '', name: '', extension: '', mailboxes: '' }

function Add({ invite }: { readonly invite: (person: PersonView) => Promise<void> }) {
  const fields = useSignal(empty)
  const roles = useSignal<readonly Role[]>(['desk'])
  const state = useSubmit()
  const set = (name: keyof typeof empty) => (value: string) => {
    fields.value = { ...fields.value, [name]: value }
  }
  const add = async (): Promise<void> => {
    const { login, name, extension, mailboxes } = fields.value
    const numbers = mailboxes.split(/[,\s]+/).filter((one) => one !== '')
    const body = { login, name, roles: roles.value, mailboxes: numbers, ...(extension === '' ? {} : { extension }) }
    const person = await send<PersonView>('POST', '/api/people', body)
    fields.value = empty
    done(say('added', { name: person.name }))
    await invite(person)
  }
  const mayGive: readonly Role[] = me.value?.roles.includes('technician') === true ? ['desk', 'manager', 'technician'] : ['desk', 'manager']
  return (
    <Panel title={say('add')}>
      <Form state={state} button={say('add')} onSubmit={add}>
        <Field label={say('name')} value={fields.value.name} onValue={set('name')} autocomplete="off" maxLength={100} />
        <Field
          label={say('login')}
          hint={say('loginHint')}
          value={fields.value.login}
          onValue={set('login')}
          autocomplete="off"
          maxLength={32}
        />
        <fieldset>
          <legend>{say('roles')}</legend>
          {mayGive.map((role) => (
            <label key={role}>
              <input
                type="checkbox"
                checked={roles.value.includes(role)}
                onChange={({ currentTarget: { checked } }) => {
                  roles.value = checked ? [...roles.value, role] : roles.value.filter((one) => one !== role)
                }}
              />
              {roleText(role)}
            </label>
          ))}
        </fieldset>
        <Field label={say('extension')} hint={say('extensionHint')} value={fields.value.extension} onValue={set('extension')} optional />
        <Field label={say('mailboxes')} hint={say('mailboxesHint')} value={fields.value.mailboxes} onValue={set('mailboxes')} optional />
      </Form>
    </Panel>
  )
}
