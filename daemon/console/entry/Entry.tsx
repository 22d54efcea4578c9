/** A page of the way in: one card with a heading and a form. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Fault } from '../frame/api.ts'
import { sentence } from '../frame/faults.ts'
import { site } from '../frame/site.ts'
import { Icon } from '../pieces/Icon.tsx'
import { say } from './words.ts'

export function Entry({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} – ${site.name}`
  }, [title])
  return (
    <main class="entry">
      <p class="brand">
        <span class="mark">
          <Icon name="phone" />
        </span>
        {site.name}
      </p>
      <section class="panel">
        <header>
          <h1>{title}</h1>
        </header>
        {children}
      </section>
      <p class="small muted">
        {site.help === '' ? null : say('help', { help: site.help })} <a href="/docs">{say('documentation')}</a>
      </p>
    </main>
  )
}

export interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly hint?: string
  readonly type?: 'text' | 'password'
  readonly autocomplete?: string
  readonly inputMode?: 'text' | 'numeric'
  readonly autofocus?: boolean
  readonly maxLength?: number
  readonly optional?: boolean
}

export function Field({ label, value, onValue, hint, type = 'text', autofocus = false, optional = false, ...more }: FieldProps) {
  const { autocomplete, inputMode, maxLength } = more
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (autofocus) input.current?.focus()
  }, [])
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        class="box"
        type={type as 'text'}
        value={value}
        autocomplete={autocomplete as 'off'}
        inputMode={inputMode}
        maxLength={maxLength}
        autocapitalize="none"
        spellcheck={false}
        required={!optional}
        aria-describedby={hint === undefined ? undefined : `${id}h`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hint === undefined ? null : <small id={`${id}h`}>{hint}</small>}
    </div>
  )
}

export interface SubmitState {
  readonly busy: boolean
  /** The sentence of what was refused. */
  readonly fault: string
  /** Its code. */
  readonly code: string
  submit(run: () => Promise<unknown>): void
}

export function useSubmit(): SubmitState {
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const submit = (run: () => Promise<unknown>): void => {
    setBusy(true)
    setFault(undefined)
    run().then(
      () => (setBusy(false), setFault(undefined)),
      (error: unknown) => (setBusy(false), setFault(error instanceof Fault ? error : new Fault(0, { error: String(error) }))),
    )
  }
  return { busy, fault: fault === undefined ? '' : sentence(fault), code: fault?.code ?? '', submit }
}

export interface FormProps {
  readonly state: SubmitState
  readonly button: string
  readonly onSubmit: () => Promise<unknown>
  readonly children: ComponentChildren
  /** Next to the button. */
  readonly more?: ComponentChildren
  /** Not shown as a fault: the code of an answer that asks for more. */
  readonly silent?: string
}

export function Form({ state, button, onSubmit, children, more, silent }: FormProps) {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!state.busy) state.submit(onSubmit)
      }}
    >
      {children}
      <p class="red" role="alert">
        {state.code === silent ? '' : state.fault}
      </p>
      <div class="acts">
        <button type="submit" class="btn main" disabled={state.busy}>
          {button}
        </button>
        {more}
      </div>
    </form>
  )
}
