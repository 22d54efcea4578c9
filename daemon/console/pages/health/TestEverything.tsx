/** Everything that the box can try by itself, as live rows; what needs a person has its button, or says how it is done. */
import { useState } from 'preact/hooks'
import type { AlarmTestView } from '../../../schema/alarms.ts'
import type { EmergencyTestView } from '../../../schema/extensions.ts'
import type { MailTestView } from '../../../schema/mail.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { ask } from '../../frame/deeds.ts'
import { Steps, type HandDeeds } from '../../pieces/Steps.tsx'
import { say } from './words.ts'

const byHand: HandDeeds = {
  'POST /api/alarms/test': () => <TestAlarm />,
  'POST /api/emergency/test': () => <TestEmergency />,
  'POST /api/email/test': () => <TestMail />,
}

export function TestEverything({ onClose }: { readonly onClose: () => void }) {
  return <Steps title={say('testEverything')} path="/api/test" onClose={onClose} byHand={byHand} />
}

/** What came of a deed that was pressed; the text is the box's own where it is not of the page. */
function Result({ ok, text }: { readonly ok: boolean; readonly text: string }) {
  return (
    <p class={`small ${ok ? 'green' : 'red'}`} role="status">
      <bdi>{text}</bdi>
    </p>
  )
}

function TestAlarm() {
  const state = useSubmit()
  const [sent, setSent] = useState<AlarmTestView>()
  const run = async (): Promise<void> => setSent(await send<AlarmTestView>('POST', '/api/alarms/test', {}))
  return (
    <>
      {sent === undefined ? <p class="small muted">{say('alarmSent')}</p> : null}
      {sent?.map(({ way, to, ok, error }) => (
        <Result key={`${way} ${to}`} ok={ok} text={`${to} ${error}`} />
      ))}
      <Press text={say('testAlarm')} state={state} run={run} />
    </>
  )
}

function TestEmergency() {
  const state = useSubmit()
  const [seen, setSeen] = useState<EmergencyTestView>()
  const run = async (): Promise<void> => {
    if (!(await ask({ title: say('emergencyAsk'), lost: say('emergencyLost'), button: say('emergencyCall') }))) return
    setSeen(await send<EmergencyTestView>('POST', '/api/emergency/test', {}))
  }
  return (
    <>
      {seen === undefined ? null : <Result ok={seen.answered} text={resultOf(seen)} />}
      <Press text={say('testEmergency')} state={state} run={run} />
    </>
  )
}

const resultOf = ({ answered, number, callerId, location, sipCode }: EmergencyTestView): string =>
  answered ? say('emergencyDone', { number, callerId, location }) : say('emergencyFailed', { number, code: sipCode })

function TestMail() {
  const state = useSubmit()
  const [to, setTo] = useState('')
  const [seen, setSeen] = useState<MailTestView>()
  return (
    <Form
      state={state}
      button={say('testMail')}
      onSubmit={async () => setSeen(await send<MailTestView>('POST', '/api/email/test', to === '' ? {} : { to }))}
    >
      <Field label={say('testAddress')} value={to} onValue={setTo} optional autocomplete="email" />
      {seen === undefined ? null : <Result ok={seen.ok} text={`${seen.server} ${seen.reason}`} />}
    </Form>
  )
}

interface PressProps {
  readonly text: string
  readonly state: ReturnType<typeof useSubmit>
  readonly run: () => Promise<void>
}

function Press({ text, state, run }: PressProps) {
  return (
    <p class="acts">
      <button type="button" class="btn small" disabled={state.busy} onClick={() => state.submit(run)}>
        {text}
      </button>
      <span class="small red" role="alert">
        {state.fault}
      </span>
    </p>
  )
}
