/** The second step: a secret for the app as a QR code, its first code, and the recovery codes, which are shown once. */
import { useState } from 'preact/hooks'
import type { TotpAnswer } from '../../schema/people.ts'
import { send } from '../frame/api.ts'
import { Field, Form, useSubmit } from './Entry.tsx'
import { Qr } from './Qr.tsx'
import { say } from './words.ts'

export interface TotpProps {
  readonly begun: { readonly secret: string; readonly uri: string }
  readonly onDone: () => void
}

export function Totp({ begun, onDone }: TotpProps) {
  const [code, setCode] = useState('')
  const [codes, setCodes] = useState<readonly string[]>()
  const state = useSubmit()
  const finish = async (): Promise<void> =>
    setCodes((await send<TotpAnswer>('PUT', '/api/people/me/totp', { code: code.trim() })).recoveryCodes)
  if (codes !== undefined)
    return (
      <div class="form">
        <h2>{say('recovery')}</h2>
        <p>{say('recoveryHint')}</p>
        <ul class="codes">
          {codes.map((one) => (
            <li key={one}>
              <code>{one}</code>
            </li>
          ))}
        </ul>
        <div class="acts">
          <button type="button" class="btn main" onClick={onDone}>
            {say('recoveryKept')}
          </button>
          <button type="button" class="btn" onClick={() => print()}>
            {say('print')}
          </button>
        </div>
      </div>
    )
  return (
    <Form state={state} button={say('takesEffect')} onSubmit={finish}>
      <p>{say('scan')}</p>
      <Qr text={begun.uri} label={say('qr')} />
      <p>
        <span class="small muted">{say('secret')}</span> <code class="secret">{begun.secret.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
      <Field label={say('code')} value={code} onValue={setCode} autocomplete="one-time-code" inputMode="numeric" maxLength={6} />
    </Form>
  )
}
