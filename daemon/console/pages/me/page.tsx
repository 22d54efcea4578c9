/** The own account: password, PIN, second step, sessions, language and keys. */
import { useState } from 'preact/hooks'
import type { PersonView, SessionView, TotpAnswer } from '../../../schema/people.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Totp } from '../../entry/Totp.tsx'
import { send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { KeyList } from '../../frame/KeyHelp.tsx'
import { ask, me, session, take, withPerson } from '../../frame/session.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { Sessions } from '../../pieces/Sessions.tsx'
import { Phone } from './Phone.tsx'
import { say } from './words.ts'

export default function Me() {
  if (me.value === undefined) return null
  return (
    <div class="columns">
      <Phone />
      <Password />
      <Pin />
      <SecondStep />
      <Language />
      <Notices />
      <Sessions personId={me.value.personId} />
      <Panel title={say('keys')}>
        <KeyList />
      </Panel>
    </div>
  )
}

function PasswordNow(typed: { readonly value: string; readonly onValue: (value: string) => void }) {
  return <Field label={say('passwordNow')} type="password" autocomplete="current-password" {...typed} />
}

function Password() {
  const [before, setBefore] = useState('')
  const [wanted, setWanted] = useState('')
  const state = useSubmit()
  const change = async (): Promise<void> => {
    await send('PUT', '/api/people/me/password', { password: before, newPassword: wanted })
    setBefore('')
    setWanted('')
    done(say('changed'))
  }
  return (
    <Panel title={say('password')} aside={<span class="small muted">{say('loginIs', { login: me.value?.login ?? '' })}</span>}>
      <Form state={state} button={say('change')} onSubmit={change}>
        <PasswordNow value={before} onValue={setBefore} />
        <Field
          label={say('newPassword')}
          hint={say('newPasswordHint')}
          value={wanted}
          onValue={setWanted}
          type="password"
          autocomplete="new-password"
          maxLength={128}
        />
      </Form>
    </Panel>
  )
}

function Pin() {
  const [password, setPassword] = useState('')
  const [pin, setPin] = useState('')
  const state = useSubmit()
  const has = session.value?.pin === true
  const set = async (wanted: string | null): Promise<void> => {
    await send('PUT', '/api/people/me/pin', { password, pin: wanted })
    setPassword('')
    setPin('')
    if (session.value !== undefined) take({ ...session.value, pin: wanted !== null })
    done(say(wanted === null ? 'pinRemoved' : 'pinSet'))
  }
  return (
    <Panel title={say('pin')}>
      <Form
        state={state}
        button={say('setPin')}
        onSubmit={() => set(pin)}
        more={
          has ? (
            <button type="button" class="btn quiet" onClick={() => state.submit(() => set(null))}>
              {say('removePin')}
            </button>
          ) : null
        }
      >
        {has ? null : <p class="small muted">{say('pinNone')}</p>}
        <PasswordNow value={password} onValue={setPassword} />
        <Field
          label={say('pin')}
          hint={say('pinHint')}
          value={pin}
          onValue={setPin}
          type="password"
          inputMode="numeric"
          autocomplete="off"
          maxLength={12}
        />
      </Form>
    </Panel>
  )
}

function SecondStep() {
  const [password, setPassword] = useState('')
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string }>()
  const state = useSubmit()
  const has = me.value?.secondStep === true
  const begin = async (): Promise<void> => {
    const { secret = '', uri = '' } = await send<TotpAnswer>('PUT', '/api/people/me/totp', { password })
    setPassword('')
    setBegun({ secret, uri })
  }
  const finished = (): void => {
    setBegun(undefined)
    done(say('secondStepSet'))
    void ask()
  }
  return (
    <Panel title={say('secondStep')}>
      {begun !== undefined ? (
        <Totp begun={begun} onDone={finished} />
      ) : (
        <Form state={state} button={say(has ? 'renew' : 'begin')} onSubmit={begin}>
          <p>{say(has ? 'secondStepOn' : 'secondStepOff')}</p>
          <PasswordNow value={password} onValue={setPassword} />
        </Form>
      )}
    </Panel>
  )
}

/** Each in its own words. */
const languages = { en: 'English', es: 'Español' }

function Language() {
  const change = async (language: string): Promise<void> => {
    withPerson(await send<PersonView>('PATCH', '/api/people/me', { language }))
    done(say('saved'))
  }
  return (
    <Panel title={say('language')}>
      <div class="form">
        <div class="field">
          <label for="language">{say('language')}</label>
          <select id="language" class="box" value={me.value?.language ?? ''} onChange={(event) => void change(event.currentTarget.value)}>
            <option value="">{say('languageSite')}</option>
            {Object.entries(languages).map(([tag, name]) => (
              <option key={tag} value={tag} lang={tag}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
    </Panel>
  )
}

type Alert = PersonView['alerts'][number]
const alerts = { notification: 'alertNotification', names: 'alertNames', sound: 'alertSound' } as const satisfies Record<Alert, string>

function Notices() {
  const wanted = me.value?.alerts ?? []
  const change = async (alert: Alert, on: boolean): Promise<void> => {
    if (on && alert === 'notification' && (await Notification.requestPermission()) !== 'granted') return done(say('alertRefused'))
    const next = on ? [...wanted, alert] : wanted.filter((one) => one !== alert)
    withPerson(await send<PersonView>('PATCH', '/api/people/me', { alerts: next }))
    done(say('saved'))
  }
  return (
    <Panel title={say('alerts')}>
      <ul class="form keys">
        {(Object.keys(alerts) as Alert[]).map((alert) => (
          <li key={alert}>
            <label>
              <input
                type="checkbox"
                checked={wanted.includes(alert)}
                disabled={alert === 'names' && !wanted.includes('notification')}
                onChange={(event) => void change(alert, event.currentTarget.checked)}
              />
              <span>{say(alerts[alert])}</span>
            </label>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
