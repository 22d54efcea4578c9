/** The same call again, through the whole box but without a line: what is pressed and said, and its trace as it happens. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SimulateEvent, SimulateOptions } from '../../../schema/simulate.ts'
import type { CallView, TraceEntryView } from '../../../schema/voice-api.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { follow } from '../../frame/api.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { reasonOfEnd } from './ends.ts'
import { Entry } from './Entries.tsx'
import { stepsOf } from './model.ts'
import { say } from './words.ts'

/** As `pbx simulate` has it. */
const speed = 20
/** More lie in the trace of the simulated call. */
const mostShown = 80

interface Run {
  readonly callId: string
  readonly entries: readonly TraceEntryView[]
  readonly ended: { readonly reason: string; readonly seconds: number } | undefined
}

const nothing: Run = { callId: '', entries: [], ended: undefined }

const after = (run: Run, event: SimulateEvent): Run => {
  if (event.type === 'started') return { ...run, callId: event.callId }
  if (event.type === 'trace') return { ...run, entries: [...run.entries, event.entry] }
  return event.type === 'ended' ? { ...run, ended: { reason: event.endReason, seconds: event.talkSeconds } } : run
}

/** A number that is hidden from the reader is no number to call from. */
const shownNumber = (number: string): string => (/^\+?\d+$/.test(number) ? number : '')

export function Again({ call, onClose }: { readonly call: CallView; readonly onClose: () => void }) {
  const [from, setFrom] = useState(shownNumber(call.from))
  const [to, setTo] = useState(shownNumber(call.to))
  const [keys, setKeys] = useState('')
  const [words, setWords] = useState('')
  const [run, setRun] = useState<Run>()
  const stop = useRef(new AbortController())
  const state = useSubmit()
  useEffect(() => () => stop.current.abort(), [])
  const place = async (): Promise<void> => {
    const pressed = keys.split(/[\s,]+/).filter((group) => group !== '')
    const options: SimulateOptions = { from, to, keys: pressed, say: words, speed }
    stop.current = new AbortController()
    setRun(nothing)
    await follow<SimulateEvent>(
      'POST',
      '/api/simulate',
      options,
      (event) => setRun((now) => after(now ?? nothing, event)),
      stop.current.signal,
    )
  }
  return (
    <Dialog title={say('again')} onClose={onClose} class="again">
      <Form
        state={state}
        button={say('againDo')}
        onSubmit={place}
        more={
          state.busy ? (
            <button type="button" class="btn" onClick={() => stop.current.abort()}>
              {say('stop')}
            </button>
          ) : null
        }
      >
        <p class="small muted">{say('againHow')}</p>
        <Field label={say('againTo')} value={to} onValue={setTo} autocomplete="off" maxLength={64} />
        <Field label={say('againFrom')} hint={say('againFromHint')} value={from} onValue={setFrom} autocomplete="off" maxLength={64} />
        <Field label={say('againKeys')} hint={say('againKeysHint')} value={keys} onValue={setKeys} optional autocomplete="off" />
        <Field label={say('againSay')} hint={say('againSayHint')} value={words} onValue={setWords} optional autocomplete="off" />
      </Form>
      {run === undefined ? null : <Simulated run={run} />}
    </Dialog>
  )
}

function Simulated({ run: { callId, entries, ended } }: { readonly run: Run }) {
  const steps = stepsOf(entries, ended === undefined)
  return (
    <section aria-label={say('simulated')}>
      <ol class="traced-list">
        {steps.slice(-mostShown).map((step) => (
          <Entry key={step.n} step={step} />
        ))}
      </ol>
      <p class="row" role="status">
        {ended === undefined ? say('simulatedRuns') : say('simulatedEnd', { reason: reasonOfEnd(ended.reason), seconds: ended.seconds })}
        {callId === '' ? null : <a href={`/calls/${callId}`}>{say('againWhole')}</a>}
      </p>
    </section>
  )
}
