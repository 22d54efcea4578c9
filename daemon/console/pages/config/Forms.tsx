/** Forms over the text: what offices change. Each change is written into the text at once, whose comments stay; it counts when it is applied. */
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { OpeningTimes } from '../../../schema/extensions.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Menu } from '../../pieces/Menu.tsx'
import { OpeningForm } from '../../pieces/OpeningForm.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { setSection, values } from './state.ts'
import { say } from './words.ts'

export const forms = ['hours', 'extensions', 'mailboxes'] as const
export type FormName = (typeof forms)[number]

interface Hours extends Partial<OpeningTimes> {
  readonly id: string
}
interface Extension {
  readonly number: string
  readonly name?: string
  readonly password?: unknown
}
interface Mailbox {
  readonly ext: string
  readonly greeting?: string | { readonly file: string }
  readonly pin?: unknown
}

export function FormOf({ name }: { readonly name: FormName }) {
  if (values.value === undefined) return null
  const list = values.value?.[name] ?? []
  if (values.value === null || !Array.isArray(list) || list.some((item) => item === null || typeof item !== 'object'))
    return (
      <Panel title={say(name)}>
        <p class="empty">{say('formsNeedYaml')}</p>
      </Panel>
    )
  if (name === 'hours') return <HoursForms list={list as readonly Hours[]} />
  return name === 'extensions' ? <Extensions list={list as readonly Extension[]} /> : <Mailboxes list={list as readonly Mailbox[]} />
}

/** In the list as the text has it by then. */
function setItem<T>(section: FormName, isIt: (item: T) => boolean, change: (item: T) => T): void {
  setSection(section, (list: readonly T[] = []) => list.map((item) => (isIt(item) ? change(item) : item)))
}

const remove = <T,>(section: FormName, isIt: (item: T) => boolean): void =>
  setSection(section, (list: readonly T[] = []) => list.filter((item) => !isIt(item)))
const add = (section: FormName, item: object): void => setSection(section, (list: readonly object[] = []) => [...list, item])

function HoursForms({ list }: { readonly list: readonly Hours[] }) {
  const extensions = (values.value?.['extensions'] ?? []) as readonly Extension[]
  const first = extensions[0]?.number
  const fresh = { id: 'office', open: { 'mon-fri': ['08:30-17:00'] }, whenOpen: String(first), whenClosed: `voicemail:${first}` }
  if (list.length === 0)
    return (
      <Panel title={say('hours')}>
        <p class="empty">{say('noHours')}</p>
        {first === undefined ? null : (
          <div class="form">
            <div class="acts">
              <button type="button" class="btn" onClick={() => add('hours', fresh)}>
                {say('addHours')}
              </button>
            </div>
          </div>
        )}
      </Panel>
    )
  return (
    <>
      {list.map((hours) => {
        const { id, open = {}, closedOn = [], special = {} } = hours
        const times = { open, closedOn, special }
        const set = (next: OpeningTimes): void =>
          setItem<Hours>(
            'hours',
            (one) => one.id === id,
            (one) => withTimes(one, next),
          )
        return (
          <Panel key={id} title={say('hoursOf', { name: id })}>
            <OpeningForm times={times} onTimes={set} />
          </Panel>
        )
      })}
    </>
  )
}

/** What was not written and is empty is not written now. */
function withTimes(hours: Hours, next: OpeningTimes): Hours {
  const written = Object.entries(next).filter(([name, value]) => name in hours || Object.keys(value).length > 0)
  return { ...hours, ...Object.fromEntries(written) }
}

interface WrittenProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A cell that is written when it is left. */
function Written({ label, value, onValue }: WrittenProps) {
  const id = useId()
  return (
    <>
      <label for={id} class="vh">
        {label}
      </label>
      <input
        id={id}
        class="box"
        type="text"
        value={value}
        onChange={({ currentTarget: { value: now } }) => now.trim() !== '' && now !== value && onValue(now.trim())}
      />
    </>
  )
}

const secretText = (secret: unknown): string => {
  if (secret === undefined) return say('none')
  if (typeof secret === 'string') return /^\(kept /.test(secret) ? say('kept') : say('newInText')
  return say('elsewhere')
}

/** As `pbx setup` makes them. */
function newPassword(): string {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'
  return Array.from(crypto.getRandomValues(new Uint32Array(16)), (n) => letters[n % letters.length]).join('')
}

function Extensions({ list }: { readonly list: readonly Extension[] }) {
  const number = useSignal('')
  const name = useSignal('')
  const state = useSubmit()
  const of =
    (wanted: string) =>
    (one: Extension): boolean =>
      String(one.number) === wanted
  const submit = async (): Promise<void> => {
    add('extensions', { number: number.value.trim(), name: name.value.trim(), password: newPassword() })
    number.value = name.value = ''
  }
  return (
    <>
      <Panel title={say('extensions')} count={list.length}>
        <Table
          caption={say('extensions')}
          rows={list.map((one) => ({ ...one, number: String(one.number) }))}
          keyOf={(one) => one.number}
          columns={[
            { head: say('number'), cell: (one) => one.number, isHead: true, class: 'num' },
            {
              head: say('name'),
              cell: (one) => (
                <Written
                  label={say('nameOf', { number: one.number })}
                  value={one.name ?? ''}
                  onValue={(now) => setItem<Extension>('extensions', of(one.number), (item) => ({ ...item, name: now }))}
                />
              ),
            },
            { head: say('password'), cell: (one) => <span class="muted">{secretText(one.password)}</span> },
            {
              head: '',
              class: 'r',
              cell: (one) => (
                <Menu
                  label={say('deedsOfExtension', { number: one.number })}
                  items={[
                    {
                      text: say('renewPassword'),
                      icon: 'key',
                      run: () => setItem<Extension>('extensions', of(one.number), (item) => ({ ...item, password: newPassword() })),
                    },
                    { text: say('remove'), icon: 'trash', danger: true, run: () => remove<Extension>('extensions', of(one.number)) },
                  ]}
                />
              ),
            },
          ]}
        />
      </Panel>
      <Panel title={say('addExtension')}>
        <Form state={state} button={say('add')} onSubmit={submit}>
          <Field label={say('number')} value={number.value} onValue={(now) => (number.value = now)} inputMode="numeric" maxLength={6} />
          <Field label={say('name')} value={name.value} onValue={(now) => (name.value = now)} maxLength={64} hint={say('passwordMade')} />
        </Form>
      </Panel>
    </>
  )
}

function Mailboxes({ list }: { readonly list: readonly Mailbox[] }) {
  const ext = useSignal('')
  const greeting = useSignal('')
  const pin = useSignal('')
  const state = useSubmit()
  const of =
    (wanted: string) =>
    (one: Mailbox): boolean =>
      String(one.ext) === wanted
  const submit = async (): Promise<void> => {
    const more = { ...(greeting.value === '' ? {} : { greeting: greeting.value }), ...(pin.value === '' ? {} : { pin: pin.value }) }
    add('mailboxes', { ext: ext.value.trim(), ...more })
    ext.value = greeting.value = pin.value = ''
  }
  const greetingOf = (one: Mailbox) =>
    typeof one.greeting === 'object' ? (
      <span class="muted">{one.greeting.file}</span>
    ) : (
      <Written
        label={say('greetingOf', { number: one.ext })}
        value={one.greeting ?? ''}
        onValue={(now) => setItem<Mailbox>('mailboxes', of(one.ext), (item) => ({ ...item, greeting: now }))}
      />
    )
  return (
    <>
      <Panel title={say('mailboxes')} count={list.length} aside={<span class="small muted">{say('mailboxesHint')}</span>}>
        {list.length === 0 ? (
          <p class="empty">{say('noMailboxes')}</p>
        ) : (
          <Table
            caption={say('mailboxes')}
            rows={list.map((one) => ({ ...one, ext: String(one.ext) }))}
            keyOf={(one) => one.ext}
            columns={[
              { head: say('number'), cell: (one) => one.ext, isHead: true, class: 'num' },
              { head: say('greeting'), cell: greetingOf },
              { head: say('pin'), cell: (one) => <span class="muted">{secretText(one.pin)}</span> },
              {
                head: '',
                class: 'r',
                cell: (one) => (
                  <Menu
                    label={say('deedsOfMailbox', { number: one.ext })}
                    items={[{ text: say('remove'), icon: 'trash', danger: true, run: () => remove<Mailbox>('mailboxes', of(one.ext)) }]}
                  />
                ),
              },
            ]}
          />
        )}
      </Panel>
      <Panel title={say('addMailbox')}>
        <Form state={state} button={say('add')} onSubmit={submit}>
          <Field label={say('number')} value={ext.value} onValue={(now) => (ext.value = now)} inputMode="numeric" maxLength={15} />
          <Field label={say('greeting')} value={greeting.value} onValue={(now) => (greeting.value = now)} maxLength={1000} optional />
          <Field
            label={say('pin')}
            hint={say('pinHint')}
            value={pin.value}
            onValue={(now) => (pin.value = now)}
            inputMode="numeric"
            maxLength={10}
            optional
          />
        </Form>
      </Panel>
    </>
  )
}
