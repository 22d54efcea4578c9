/** A simulated caller reaches the application, and what happens is shown as it happens: no phone rings and nothing is charged. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ApplicationView } from '../../../schema/applications.ts'
import type { SimulateEvent } from '../../../schema/simulate.ts'
import type { TraceEntryView } from '../../../schema/voice-api.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { follow } from '../../frame/api.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { foreign, Foreign } from '../../pieces/Number.tsx'
import { lengthText } from '../../pieces/time.ts'
import { say } from './words.ts'

/** Of nobody: the plan of North America keeps it for examples. */
const caller = '+12025550100'
/** Times as fast as a telephone: what is spoken need not be waited for. */
const speed = 20

const groupsOf = (text: string): string[] =>
  text
    .toUpperCase()
    .split(/[,\s]+/)
    .filter((keys) => keys !== '')

export function TestCall({
  application: { id, name, numbers },
  close,
}: {
  readonly application: ApplicationView
  readonly close: () => void
}) {
  const to = useSignal(numbers[0] ?? '')
  const keys = useSignal('')
  const entries = useSignal<readonly TraceEntryView[]>([])
  const ended = useSignal<Extract<SimulateEvent, { type: 'ended' }> | undefined>(undefined)
  const state = useSubmit()
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const take = (event: SimulateEvent): void => {
    if (event.type === 'trace') entries.value = [...entries.value, event.entry]
    if (event.type === 'ended') ended.value = event
  }
  const run = async (): Promise<void> => {
    entries.value = []
    ended.value = undefined
    const body = { from: caller, to: to.value.trim(), keys: groupsOf(keys.value), say: '', speed }
    await follow<SimulateEvent>('POST', '/api/simulate', body, take, stop.current.signal)
  }
  const faults = entries.value.filter(({ kind }) => kind === 'error' || kind === 'warning').length
  return (
    <Dialog title={say('testOf', { name: foreign(name === '' ? id : name) })} onClose={close}>
      <Form state={state} button={say('call')} onSubmit={run}>
        <p class="muted">{say('testWhat')}</p>
        <Field
          label={say('testNumber')}
          hint={numbers.length === 0 ? say('testNoNumber') : say('testNumberHint')}
          value={to.value}
          onValue={(text) => (to.value = text)}
          autocomplete="off"
        />
        <Field label={say('testKeys')} hint={say('testKeysHint')} value={keys.value} onValue={(text) => (keys.value = text)} optional />
      </Form>
      <ol class="steps" aria-label={say('steps')}>
        {entries.value.map(({ ms, kind, text }, n) => (
          <li key={n} class={kind === 'error' ? 'red' : kind === 'warning' ? 'amber' : ''}>
            <span class="num faint">{say('took', { ms })}</span> <span class="tag">{kind}</span> <Foreign text={text} />
          </li>
        ))}
      </ol>
      <p class={`form ${faults > 0 ? 'amber' : 'green'}`} role="status">
        {ended.value === undefined
          ? ''
          : say(faults > 0 ? 'endedFaults' : 'endedWell', { length: lengthText(ended.value.talkSeconds * 1_000), n: faults })}
      </p>
    </Dialog>
  )
}
