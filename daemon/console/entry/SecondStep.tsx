/** A person whose role has a second step and who has none yet: nothing else is served before. */
import { useEffect, useState } from 'preact/hooks'
import type { TotpAnswer } from '../../schema/people.ts'
import { send } from '../frame/api.ts'
import { ask, signOut } from '../frame/session.ts'
import { Entry, useSubmit } from './Entry.tsx'
import { Totp } from './Totp.tsx'
import { say } from './words.ts'

export default function SecondStep() {
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string }>()
  const state = useSubmit()
  useEffect(() => {
    state.submit(async () => {
      const { secret = '', uri = '' } = await send<TotpAnswer>('PUT', '/api/people/me/totp', {})
      setBegun({ secret, uri })
    })
  }, [])
  return (
    <Entry title={say('secondStep')}>
      <div class="form">
        <p>{say('secondStepWhy')}</p>
        <p class="red" role="alert">
          {state.fault}
        </p>
      </div>
      {begun === undefined ? null : <Totp begun={begun} onDone={() => void ask()} />}
      <div class="form">
        <button type="button" class="btn quiet" onClick={() => void signOut()}>
          {say('signOut')}
        </button>
      </div>
    </Entry>
  )
}
