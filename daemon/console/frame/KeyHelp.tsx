/** All keys of the page that is shown, in a dialog: `?`. Each can be switched off there. */
import { useState } from 'preact/hooks'
import type { PersonView } from '../../schema/people.ts'
import { Dialog } from '../pieces/Dialog.tsx'
import { send } from './api.ts'
import { keysNow, useKeys } from './keys.ts'
import { me, withPerson } from './session.ts'
import { say } from './wording.ts'

export function KeyHelp() {
  const [open, setOpen] = useState(false)
  useKeys({ '?': { does: say('allKeys'), run: () => setOpen(true) } })
  if (!open) return null
  return (
    <Dialog title={say('allKeys')} onClose={() => setOpen(false)}>
      <KeyList />
    </Dialog>
  )
}

export function KeyList() {
  const off = me.value?.keysOff ?? []
  const change = (key: string, on: boolean): void => {
    const keysOff = on ? off.filter((one) => one !== key) : [...off, key]
    void send<PersonView>('PATCH', '/api/people/me', { keysOff }).then(withPerson)
  }
  return (
    <div class="form">
      <p class="small muted">{say('keysHelp')}</p>
      <ul class="keys">
        {keysNow.value.map(([key, { does }]) => (
          <li key={key}>
            <label>
              <input type="checkbox" checked={!off.includes(key)} onChange={(event) => change(key, event.currentTarget.checked)} />
              <span class="grow">{does}</span>
              <span class="nowrap">
                {key.split(' ').map((one) => (
                  <kbd key={one}>{one}</kbd>
                ))}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </div>
  )
}
