/** The way of an invitation: its code, a password, and the second step where the role has one. The code stands behind `#` and is sent to no server by itself. */
import { useState } from 'preact/hooks'
import type { SessionView } from '../../schema/people.ts'
import { send } from '../frame/api.ts'
import { go } from '../frame/router.ts'
import { take } from '../frame/session.ts'
import { Entry, Field, Form, useSubmit } from './Entry.tsx'
import { say } from './words.ts'

export default function SetUp() {
  const [code, setCode] = useState(() => decodeURIComponent(location.hash.slice(1)))
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [differs, setDiffers] = useState(false)
  const state = useSubmit()
  const accept = async (): Promise<void> => {
    setDiffers(password !== again)
    if (password !== again) return
    const view = await send<SessionView>('POST', '/api/session/setup', { code: code.trim(), password })
    // Not in the history of the browser any more.
    go(view.person.roles.includes('technician') ? '/setup?first' : '/', { replace: true })
    take(view)
  }
  return (
    <Entry title={say('setUp')}>
      <Form state={state} button={say('setPassword')} onSubmit={accept}>
        <Field
          label={say('invitation')}
          hint={say('invitationHint')}
          value={code}
          onValue={setCode}
          autocomplete="off"
          autofocus={code === ''}
        />
        <Field
          label={say('password')}
          hint={say('passwordHint')}
          value={password}
          onValue={setPassword}
          type="password"
          autocomplete="new-password"
          maxLength={128}
          autofocus={code !== ''}
        />
        <Field label={say('passwordAgain')} value={again} onValue={setAgain} type="password" autocomplete="new-password" maxLength={128} />
        {differs ? (
          <p class="red" role="alert">
            {say('passwordsDiffer')}
          </p>
        ) : null}
      </Form>
    </Entry>
  )
}
