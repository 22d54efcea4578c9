/** The locked page: the clinic, the time, how many callers wait. The password or the PIN opens it, and the person goes on where the page was. */
import { useEffect, useState } from 'preact/hooks'
import type { SessionView } from '../../schema/people.ts'
import { send } from '../frame/api.ts'
import { ask, session, signOut, take } from '../frame/session.ts'
import { Time, nowMs } from '../pieces/Time.tsx'
import { Entry, Field, Form, useSubmit } from './Entry.tsx'
import { say } from './words.ts'

const lookMs = 15_000

export default function Locked() {
  const view = session.value
  const [byPin, setByPin] = useState(view?.pin === true)
  const [secret, setSecret] = useState('')
  const state = useSubmit()
  useEffect(() => {
    const timer = setInterval(() => void ask(), lookMs)
    return () => clearInterval(timer)
  }, [])
  const unlock = async (): Promise<void> => {
    const given = secret
    setSecret('')
    take(await send<SessionView>('POST', '/api/session/unlock', byPin ? { pin: given } : { password: given }))
  }
  return (
    <Entry title={say('locked')}>
      <Form
        state={state}
        button={say('unlock')}
        onSubmit={unlock}
        more={
          <>
            {view?.pin === true ? (
              <button type="button" class="btn quiet" onClick={() => (setByPin(!byPin), setSecret(''))}>
                {say(byPin ? 'usePassword' : 'usePin')}
              </button>
            ) : null}
            <button type="button" class="btn quiet" onClick={() => void signOut()}>
              {say('other')}
            </button>
          </>
        }
      >
        <p class="clock">
          <Time at={nowMs.value} />
        </p>
        {view === undefined ? null : (
          <p>
            <b>{view.waiting === 0 ? say('waitingNone') : say('waiting', { n: view.waiting })}</b>
          </p>
        )}
        <p class="muted">{say('lockedFor', { name: view?.person.name ?? '' })}</p>
        <Field
          key={byPin ? 'pin' : 'password'}
          label={say(byPin ? 'pin' : 'password')}
          value={secret}
          onValue={setSecret}
          type="password"
          {...(byPin ? { inputMode: 'numeric' as const, maxLength: 12 } : {})}
          autocomplete={byPin ? 'off' : 'current-password'}
          autofocus
        />
      </Form>
    </Entry>
  )
}
