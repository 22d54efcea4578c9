/** What a person is and may, as it is written in a form: of a new one, and of one who is there. */
import type { Signal } from '@preact/signals'
import type { PersonView, Role } from '../../../schema/people.ts'
import { Field } from '../../entry/Entry.tsx'
import { me } from '../../frame/session.ts'
import { say } from './words.ts'

export interface Member {
  readonly name: string
  readonly roles: readonly Role[]
  readonly extension: string
  readonly mailboxes: string
  readonly queues: string
}

export const nobody: Member = { name: '', roles: ['desk'], extension: '', mailboxes: '', queues: '' }

export function memberOf({ name, roles, extension, mailboxes, queues }: PersonView): Member {
  return { name, roles, extension: extension ?? '', mailboxes: mailboxes.join(', '), queues: queues.join(', ') }
}

const listOf = (text: string): string[] => text.split(/[,\s]+/).filter((one) => one !== '')

/** As the routes take it. */
export function bodyOf({ name, roles, extension, mailboxes, queues }: Member) {
  const number = extension.trim()
  return { name, roles, extension: number === '' ? null : number, mailboxes: listOf(mailboxes), queues: listOf(queues) }
}

export const roleText = (role: Role): string =>
  say(({ desk: 'roleDesk', manager: 'roleManager', technician: 'roleTechnician' } as const)[role])

/** A manager makes no technician, and changes none. */
const given = (): readonly Role[] =>
  me.value?.roles.includes('technician') === true ? ['desk', 'manager', 'technician'] : ['desk', 'manager']

export const mayChange = ({ roles }: PersonView): boolean => roles.every((role) => given().includes(role))

export function Fields({ of }: { readonly of: Signal<Member> }) {
  const now = of.value
  const text = (name: Exclude<keyof Member, 'roles'>) => ({
    value: now[name],
    onValue: (value: string) => void (of.value = { ...of.value, [name]: value }),
    autocomplete: 'off',
  })
  return (
    <>
      <Field label={say('name')} {...text('name')} maxLength={100} />
      <fieldset>
        <legend>{say('roles')}</legend>
        {given().map((role) => (
          <label key={role}>
            <input
              type="checkbox"
              checked={now.roles.includes(role)}
              onChange={({ currentTarget: { checked } }) => {
                of.value = { ...of.value, roles: checked ? [...now.roles, role] : now.roles.filter((one) => one !== role) }
              }}
            />
            {roleText(role)}
          </label>
        ))}
      </fieldset>
      <Field label={say('extension')} hint={say('extensionHint')} {...text('extension')} optional />
      <Field label={say('mailboxes')} hint={say('mailboxesHint')} {...text('mailboxes')} optional />
      <Field label={say('queues')} hint={say('queuesHint')} {...text('queues')} optional />
    </>
  )
}
