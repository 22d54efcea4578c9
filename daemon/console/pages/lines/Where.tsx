/** Where a call would go, step by step, without a call; and the addresses that the box ignores after wrong passwords. */
import { useState } from 'preact/hooks'
import type { WhereStep } from '../../../schema/extensions.ts'
import type { BanView } from '../../../schema/operation.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Fault, get, send } from '../../frame/api.ts'
import { boxNow } from '../../frame/clock.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { thing } from '../../frame/state.ts'
import { Panel } from '../../pieces/Panel.tsx'
import { lastsText, momentAt } from '../../pieces/time.ts'
import { wayText } from './sentences.ts'
import { say } from './words.ts'

/** A deeper step is shown no further to the right. */
const mostDeep = 6

export function Where() {
  const [to, setTo] = useState('')
  const [from, setFrom] = useState('')
  const [at, setAt] = useState('')
  const [steps, setSteps] = useState<readonly WhereStep[]>()
  const state = useSubmit()
  const look = async (): Promise<void> => {
    const query = new URLSearchParams({
      to,
      ...(from === '' ? {} : { from }),
      ...(at === '' ? {} : { at: new Date(momentAt(at)).toISOString() }),
    })
    setSteps(await get<readonly WhereStep[]>(`/api/where?${query.toString()}`))
  }
  return (
    <Panel title={say('where')}>
      <Form state={state} button={say('whereAsk')} onSubmit={look}>
        <Field label={say('whereTo')} hint={say('toHint')} value={to} onValue={setTo} autocomplete="off" maxLength={64} />
        <Field label={say('whereFrom')} hint={say('fromHint')} value={from} onValue={setFrom} autocomplete="off" maxLength={64} optional />
        <label class="field">
          <span>{say('at')}</span>
          <input class="box" type="datetime-local" value={at} onInput={(event) => setAt(event.currentTarget.value)} />
          <small>{say('atHint')}</small>
        </label>
      </Form>
      {steps === undefined ? null : (
        <div role="status">
          <ol class="way">
            {steps.map(({ depth, text }, n) => (
              <li key={n} class={`d${Math.min(depth, mostDeep)}`}>
                <bdi>{wayText(text)}</bdi>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Panel>
  )
}

const bans = thing<readonly BanView[]>('/api/bans', ['box'])

export function Bans() {
  const lift = async (address: string): Promise<void> => {
    try {
      await send('DELETE', `/api/bans/${encodeURIComponent(address)}`)
      done(say('banLifted', { address }))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
    await bans.reload()
  }
  const readAt = bans.asOf.value ?? boxNow()
  return (
    <Panel title={say('bans')} thing={bans} isEmpty={(list) => list.length === 0} empty={say('bansEmpty')}>
      {(list) => (
        <ul>
          {list.map(({ address, seconds, failures }) => (
            <li key={address} class="row">
              <span class="grow">
                <b class="num">{address}</b> <span class="muted">{say('banFailures', { n: failures })}</span>
                <br />
                <span class="small muted">{say('banLeft', { time: lastsText(seconds * 1_000 - (boxNow() - readAt)) })}</span>
              </span>
              <button type="button" class="btn small" onClick={() => void lift(address)}>
                {say('banLift')}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
