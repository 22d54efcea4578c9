/** The questions, one form a step. Each keeps its answers on the box when it goes on; passwords are kept in this page alone. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { SetupLine, SetupView } from '../../../schema/setup.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { OpeningForm } from '../../pieces/OpeningForm.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { answers, next, step, steps, view, type Answers, type Phone } from './state.ts'
import { say } from './words.ts'

interface StepProps {
  readonly children: ComponentChildren
  readonly given: () => Partial<Answers>
}

/** Around the questions of a step: what it is about, the way on and the way back. */
export function StepForm({ children, given }: StepProps) {
  const state = useSubmit()
  const before = steps[steps.indexOf(step.value) - 1]
  const back =
    before === undefined ? null : (
      <button type="button" class="btn quiet" onClick={() => (step.value = before)}>
        {say('back')}
      </button>
    )
  return (
    <Panel title={say(step.value)}>
      <Form state={state} button={say('next')} onSubmit={() => next(given())} more={back}>
        {children}
      </Form>
    </Panel>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly choices: readonly (readonly [T, string])[]
  readonly onValue: (value: T) => void
}

export function Choose<T extends string>({ label, value, choices, onValue }: ChoiceProps<T>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} class="box" value={value} onChange={({ currentTarget }) => onValue(currentTarget.value as T)}>
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

const words = (text: string): readonly string[] => text.split(/[\s,]+/).filter((one) => one !== '')

/** That of the box, unless nobody has set it there. */
function usualZone(): string {
  const box = view.value?.timeZone ?? 'UTC'
  return box === 'UTC' ? Intl.DateTimeFormat().resolvedOptions().timeZone : box
}

export function Site() {
  const { site } = answers.value
  const name = useSignal(site?.name ?? '')
  const country = useSignal(site?.country ?? 'US')
  const timeZone = useSignal(site?.timeZone ?? usualZone())
  const address = useSignal(site?.address ?? '')
  const given = (): Partial<Answers> => ({
    site: {
      ...{ name: name.value.trim(), country: country.value.trim().toUpperCase(), timeZone: timeZone.value.trim() },
      ...(address.value.trim() === '' ? {} : { address: address.value.trim() }),
    },
  })
  return (
    <StepForm given={given}>
      <Field label={say('siteName')} value={name.value} onValue={(now) => (name.value = now)} maxLength={200} autofocus />
      <Field
        label={say('country')}
        hint={say('countryHint')}
        value={country.value}
        onValue={(now) => (country.value = now)}
        maxLength={2}
      />
      <Field label={say('timeZone')} hint={say('timeZoneHint')} value={timeZone.value} onValue={(now) => (timeZone.value = now)} />
      <Field
        label={say('address')}
        hint={say('addressHint')}
        value={address.value}
        onValue={(now) => (address.value = now)}
        maxLength={200}
        optional
      />
    </StepForm>
  )
}

export function Network() {
  const own = view.value?.addresses ?? []
  const network = useSignal(answers.value.network ?? own[0] ?? 'none')
  const choices = [...own.map((one) => [one, one] as const), ['all', say('allNetworks')] as const, ['none', say('noNetwork')] as const]
  return (
    <StepForm given={() => ({ network: network.value })}>
      <Choose label={say('networkQuestion')} value={network.value} choices={choices} onValue={(now) => (network.value = now)} />
      <p class="muted small">{say('networkHint')}</p>
    </StepForm>
  )
}

const kinds = ['account', 'address', 'sipgate', 'telnyx', 'voipms'] as const

function titleOf({ kind, title }: SetupView['providers'][number]): string {
  const known = kinds.find((one) => one === kind)
  return known === undefined ? title : say(`kind_${known}`)
}

export function ProviderStep() {
  const before = answers.value.provider
  const providers = view.value?.providers ?? []
  const kind = useSignal(before?.kind ?? 'account')
  const fields = useSignal({
    server: before?.server ?? '',
    transport: before?.transport ?? 'udp',
    username: before?.username ?? '',
    password: before?.password ?? '',
    numbers: before?.numbers.join(' ') ?? '',
  })
  const set = (name: keyof typeof fields.value) => (value: string) => {
    fields.value = { ...fields.value, [name]: value }
  }
  const { server, transport, username, password, numbers } = fields.value
  const template = providers.find((one) => one.kind === kind.value)
  const given = (): Partial<Answers> => {
    if (kind.value === 'none') return { provider: undefined as never }
    const place = template?.server === null ? { server: server.trim(), transport } : {}
    const account = template?.register === true ? { username: username.trim(), password } : {}
    return { provider: { kind: kind.value, ...place, ...account, numbers: words(numbers) } }
  }
  return (
    <StepForm given={given}>
      <Choose
        label={say('providerKind')}
        value={kind.value}
        choices={[...providers.map((one) => [one.kind, titleOf(one)] as const), ['none', say('noProvider')]]}
        onValue={(now) => (kind.value = now)}
      />
      {kind.value === 'none' ? null : (
        <>
          {template?.server === null ? (
            <>
              <Field label={say('server')} value={server} onValue={set('server')} maxLength={200} />
              <Choose
                label={say('transport')}
                value={transport}
                choices={(['udp', 'tcp', 'tls'] as const).map((one) => [one, one.toUpperCase()])}
                onValue={set('transport')}
              />
            </>
          ) : null}
          {template?.register === true ? <Account label={say('account')} {...{ username, password, set }} /> : null}
          <Field label={say('numbers')} hint={say('numbersHint')} value={numbers} onValue={set('numbers')} />
        </>
      )}
    </StepForm>
  )
}

interface AccountProps {
  readonly label: string
  readonly username: string
  readonly password: string
  readonly set: (name: 'username' | 'password') => (value: string) => void
  /** No name: no account, and no password is asked. */
  readonly optional?: boolean
}

interface PasswordProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A password that somebody else made, such as a provider: no browser offers to keep it. */
export function PasswordField(props: PasswordProps) {
  return <Field {...props} hint={say('passwordHint')} type="password" autocomplete="off" maxLength={200} />
}

function Account({ label, username, password, set, optional = false }: AccountProps) {
  return (
    <>
      <Field label={label} value={username} onValue={set('username')} autocomplete="off" maxLength={200} optional={optional} />
      {optional && username.trim() === '' ? null : <PasswordField label={say('password')} value={password} onValue={set('password')} />}
    </>
  )
}

const usualPhones = (): readonly Phone[] => [
  { number: '101', name: say('frontDesk') },
  ...['102', '103', '104'].map((number) => ({ number, name: say('phoneNumber', { number }) })),
]

export function Phones() {
  const list = useSignal<readonly Phone[]>(answers.value.extensions ?? usualPhones())
  const set = (n: number, change: Partial<Phone>): void => {
    list.value = list.value.with(n, { ...list.value[n]!, ...change })
  }
  const add = (): void => {
    const number = String(Math.max(100, ...list.value.map((one) => Number(one.number) || 0)) + 1)
    list.value = [...list.value, { number, name: say('phoneNumber', { number }) }]
  }
  return (
    <StepForm given={() => ({ extensions: list.value })}>
      <p class="muted small">{say('phonesHint')}</p>
      {list.value.map(({ number, name }, n) => (
        <div key={n} class="setup-phone" role="group" aria-label={say('phoneNumber', { number })}>
          <Field label={say('number')} value={number} onValue={(now) => set(n, { number: now.trim() })} inputMode="numeric" maxLength={6} />
          <Field label={say('name')} value={name} onValue={(now) => set(n, { name: now })} maxLength={200} />
          <button
            type="button"
            class="btn icon quiet"
            aria-label={say('removePhone', { number })}
            onClick={() => (list.value = list.value.filter((_, index) => index !== n))}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      <div class="acts">
        <button type="button" class="btn small" onClick={add}>
          <Icon name="plus" />
          {say('addPhone')}
        </button>
      </div>
    </StepForm>
  )
}

export function Lines() {
  const found = useSignal<readonly SetupLine[] | undefined>(undefined)
  const looking = useSignal(false)
  const numbers = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries((answers.value.lines ?? []).map(({ device, number }) => [device, number])),
  )
  const look = async (): Promise<void> => {
    looking.value = true
    found.value = await send<SetupLine[]>('POST', '/api/setup/lines').catch(() => [])
    looking.value = false
  }
  const given = (): Partial<Answers> => {
    const known = (found.value ?? answers.value.lines ?? []) as readonly { device: string; roles: readonly string[] }[]
    const lines = known.flatMap(({ device, roles }) => {
      const number = numbers.value[device]?.trim() ?? ''
      return number === '' ? [] : [{ device, number, roles }]
    })
    return { lines: lines.length === 0 ? (undefined as never) : lines }
  }
  return (
    <StepForm given={given}>
      <p class="muted">{say('linesHow')}</p>
      <div class="acts">
        <button type="button" class="btn" disabled={looking.value} onClick={() => void look()}>
          {say('findLines')}
        </button>
        <span role="status">
          {looking.value ? say('lookingLines') : found.value === undefined ? '' : say('foundLines', { n: found.value.length })}
        </span>
      </div>
      {(found.value ?? []).map(({ device, identification, dialTone }) => (
        <div key={device}>
          <p>
            <code>{device}</code> {identification}{' '}
            {dialTone === 'unknown' ? null : <span class={`tag ${dialTone === 'heard' ? 'green' : 'amber'}`}>{say(dialTone)}</span>}
          </p>
          <Field
            label={say('lineNumber')}
            hint={say('lineNumberHint')}
            value={numbers.value[device] ?? ''}
            onValue={(now) => (numbers.value = { ...numbers.value, [device]: now })}
            optional
          />
        </div>
      ))}
    </StepForm>
  )
}

export function Office() {
  const before = answers.value
  const has = useSignal(before.hours !== undefined || before.phoneOff === undefined)
  const times = useSignal({ open: { 'mon-fri': ['08:30-17:00'] }, closedOn: [], special: {}, ...before.hours } as {
    open: Record<string, string[]>
    closedOn: string[]
    special: Record<string, string[]>
  })
  const fax = useSignal(before.fax?.number ?? '')
  const off = useSignal<'mailbox' | 'group'>(before.phoneOff ?? 'mailbox')
  const numbers = before.provider?.numbers ?? []
  const given = (): Partial<Answers> => {
    const { open, closedOn, special } = times.value
    const hours = {
      open,
      ...(closedOn.length === 0 ? {} : { closedOn }),
      ...(Object.keys(special).length === 0 ? {} : { special }),
    }
    return {
      ...{ phoneOff: off.value, hours: has.value ? hours : (undefined as never) },
      fax: fax.value === '' ? (undefined as never) : { ...before.fax, number: fax.value },
    }
  }
  return (
    <StepForm given={given}>
      <label>
        <input type="checkbox" checked={has.value} onChange={({ currentTarget }) => (has.value = currentTarget.checked)} />{' '}
        {say('hasHours')}
      </label>
      {has.value ? <OpeningForm times={times.value} onTimes={(now) => (times.value = now as typeof times.value)} /> : null}
      {numbers.length < 2 ? null : (
        <Choose
          label={say('faxNumber')}
          value={fax.value}
          choices={[['', say('none')], ...numbers.map((one) => [one, one] as const)]}
          onValue={(now) => (fax.value = now)}
        />
      )}
      <Choose
        label={say('phoneOff')}
        value={off.value}
        choices={[
          ['mailbox', say('toMailbox')],
          ['group', say('toGroup')],
        ]}
        onValue={(now) => (off.value = now)}
      />
    </StepForm>
  )
}

export function Mail() {
  const before = answers.value
  const fields = useSignal({
    server: before.mail?.server ?? '',
    from: before.mail?.from ?? '',
    username: before.mail?.username ?? '',
    password: before.mail?.password ?? '',
    alarms: before.alarms?.join(' ') ?? '',
    notices: before.notices?.mail ?? '',
  })
  const attach = useSignal(before.notices?.attach === true)
  const set = (name: keyof typeof fields.value) => (value: string) => {
    fields.value = { ...fields.value, [name]: value }
  }
  const { server, from, username, password, alarms, notices } = fields.value
  const wants = server.trim() !== ''
  const given = (): Partial<Answers> => {
    const none = undefined as never
    if (!wants) return { mail: none, alarms: none, notices: none }
    const account = username.trim() === '' ? {} : { username: username.trim(), password }
    return {
      mail: { server: server.trim(), from: from.trim(), ...account },
      alarms: words(alarms).length === 0 ? none : words(alarms),
      notices: notices.trim() === '' ? none : { mail: notices.trim(), ...(attach.value ? { attach: true } : {}) },
    }
  }
  return (
    <StepForm given={given}>
      <Field label={say('mailServer')} hint={say('mailServerHint')} value={server} onValue={set('server')} maxLength={200} optional />
      {wants ? (
        <>
          <Field label={say('from')} value={from} onValue={set('from')} maxLength={200} />
          <Account label={say('mailAccount')} {...{ username, password, set }} optional />
          <Field label={say('alarms')} hint={say('alarmsHint')} value={alarms} onValue={set('alarms')} optional />
          <Field label={say('notices')} hint={say('noticesHint')} value={notices} onValue={set('notices')} optional />
          {notices.trim() === '' ? null : (
            <label>
              <input type="checkbox" checked={attach.value} onChange={({ currentTarget }) => (attach.value = currentTarget.checked)} />{' '}
              {say('attach')}
            </label>
          )}
        </>
      ) : null}
    </StepForm>
  )
}
