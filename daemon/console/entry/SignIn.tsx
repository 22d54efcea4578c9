/** Sign-in: login and password, then the code where one is asked for. On a fresh box: how the first person is made. */
import { useState } from 'preact/hooks'
import type { SessionView } from '../../schema/people.ts'
import { Fault, send } from '../frame/api.ts'
import { take } from '../frame/session.ts'
import { site } from '../frame/site.ts'
import { Entry, Field, Form, useSubmit } from './Entry.tsx'
import { say } from './words.ts'

export default function SignIn() {
  const [login, setLogin] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [asksCode, setAsksCode] = useState(false)
  const state = useSubmit()
  const signIn = async (): Promise<void> => {
    try {
      take(await send<SessionView>('POST', '/api/session', { login: login.trim(), password, ...(asksCode ? { code: code.trim() } : {}) }))
    } catch (error) {
      if (error instanceof Fault && error.code === 'code_needed') setAsksCode(true)
      // A wrong code is not sent again with the next password.
      if (error instanceof Fault && error.code === 'sign_in_failed') setCode('')
      throw error
    }
  }
  if (!site.anybody) return <Nobody />
  return (
    <Entry title={say('signIn')}>
      <Form
        state={state}
        button={say('signIn')}
        onSubmit={signIn}
        silent="code_needed"
        more={
          asksCode ? (
            <button type="button" class="btn quiet" onClick={() => (setAsksCode(false), setCode(''), setPassword(''))}>
              {say('back')}
            </button>
          ) : null
        }
      >
        {asksCode ? (
          <Field
            key="code"
            label={say('code')}
            hint={say('codeHint')}
            value={code}
            onValue={setCode}
            autocomplete="one-time-code"
            autofocus
          />
        ) : (
          <>
            <Field key="login" label={say('login')} value={login} onValue={setLogin} autocomplete="username" autofocus />
            <Field
              key="password"
              label={say('password')}
              value={password}
              onValue={setPassword}
              type="password"
              autocomplete="current-password"
            />
          </>
        )}
        <p class="small muted">{say('forgot')}</p>
      </Form>
    </Entry>
  )
}

function Nobody() {
  return (
    <Entry title={say('nobody')}>
      <div class="form">
        <p>{say('nobodyHow')}</p>
        <pre class="box">
          <code>pbx console invite</code>
        </pre>
      </div>
    </Entry>
  )
}
