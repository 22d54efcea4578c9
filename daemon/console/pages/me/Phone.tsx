/** Do not disturb and forwards of the own phone; a manager sets those of each. What its people set with codes at the phone is the same. */
import { useSignal } from '@preact/signals'
import type { ExtensionChange, ExtensionView } from '../../../schema/extensions.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { house } from '../../frame/house.ts'
import { me, roles } from '../../frame/session.ts'
import { foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { say } from './words.ts'

const forwards = ['forwardAll', 'forwardBusy', 'forwardNoAnswer'] as const

export function Phone() {
  const own = me.value?.extension ?? ''
  const number = useSignal(own)
  const isManager = roles.value.includes('manager')
  const all = house.data.value?.extensions ?? []
  const chosen = all.find((one) => one.number === number.value) ?? (isManager ? all[0] : undefined)
  if (chosen === undefined) return null
  return (
    <Panel title={say('phone')} aside={<span class="small muted">{`${chosen.number} ${foreign(chosen.name)}`}</span>}>
      {isManager ? (
        <div class="form">
          <label class="field">
            <span>{say('whosePhone')}</span>
            <select class="box" value={chosen.number} onChange={({ currentTarget }) => (number.value = currentTarget.value)}>
              {all.map((one) => (
                <option key={one.number} value={one.number}>
                  {one.number} {foreign(one.name)}
                </option>
              ))}
            </select>
          </label>
        </div>
      ) : null}
      <Settings key={`${chosen.number} ${forwards.map((name) => chosen[name] ?? '').join(' ')}`} of={chosen} />
    </Panel>
  )
}

const digits = (text: string): string => text.replaceAll(/[\s().-]/g, '')

function Settings({ of }: { readonly of: Pick<ExtensionView, 'number' | 'doNotDisturb' | (typeof forwards)[number]> }) {
  const state = useSubmit()
  /** Until the box has it. */
  const wanted = useSignal<boolean | undefined>(undefined)
  const typed = useSignal<Readonly<Record<(typeof forwards)[number], string>>>({
    ...{ forwardAll: of.forwardAll ?? '', forwardBusy: of.forwardBusy ?? '', forwardNoAnswer: of.forwardNoAnswer ?? '' },
  })
  const set = async (change: ExtensionChange): Promise<void> => {
    await send('POST', `/api/extensions/${encodeURIComponent(of.number)}`, change)
    await house.reload()
    done(say('phoneSaved'))
  }
  const save = (): Promise<void> =>
    set(Object.fromEntries(forwards.map((name) => [name, digits(typed.value[name]) === '' ? null : digits(typed.value[name])])))
  return (
    <Form state={state} button={say('savePhone')} onSubmit={save}>
      <label>
        <input
          type="checkbox"
          checked={wanted.value ?? of.doNotDisturb}
          onChange={({ currentTarget }) => {
            const { checked } = currentTarget
            wanted.value = checked
            state.submit(() => set({ doNotDisturb: checked }).finally(() => (wanted.value = undefined)))
          }}
        />{' '}
        {say('doNotDisturb')}
      </label>
      {forwards.map((name) => (
        <Field
          key={name}
          label={say(name)}
          value={typed.value[name]}
          onValue={(text) => (typed.value = { ...typed.value, [name]: text })}
          autocomplete="off"
          maxLength={40}
          optional
        />
      ))}
      <p class="small muted">{say('forwardHint')}</p>
    </Form>
  )
}
