/** The number to fax to: with its name and what is known of it; one at which no fax machine ever answered is typed twice. */
import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { FaxNumberView } from '../../../schema/fax-preview.ts'
import { Fault, get } from '../../frame/api.ts'
import { sentence } from '../../frame/faults.ts'
import { Combobox, type Option } from '../../pieces/Combobox.tsx'
import { foreign, numberText } from '../../pieces/Number.tsx'
import { nameOf } from '../../pieces/names.ts'
import { say } from './words.ts'

export interface Destination {
  /** As it was typed. */
  readonly to: string
  readonly toAgain: string
  /** Undefined while the box has not been asked, or refuses it. */
  readonly known: FaxNumberView | undefined
}

/** Whether a fax may go there as far as the page can say; the box looks once more. */
export function isConfirmed({ known, toAgain }: Destination): boolean {
  return known !== undefined && (known.answers > 0 || sameNumber(toAgain, known.number))
}

const digits = (text: string): string => text.replaceAll(/\D/g, '')
/** The second time it may be written otherwise, not be another number. */
function sameNumber(typed: string, number: string): boolean {
  const given = digits(typed)
  return given.length > 2 && digits(number).endsWith(given) && digits(number).length - given.length <= 3
}

const waitMs = 300
const justNowMs = 1_500

interface Hit {
  readonly parties: readonly { readonly id: string; readonly name: string; readonly number: string }[]
}

export function NumberField({ value }: { readonly value: Signal<Destination> }) {
  const fault = useSignal<Fault | undefined>(undefined)
  const options = useSignal<readonly Option[]>([])
  const turn = useRef(0)
  const leftAt = useRef(-Infinity)
  const { to, toAgain, known } = value.value
  const isNew = known !== undefined && known.answers === 0
  useEffect(() => {
    const mine = ++turn.current
    fault.value = undefined
    options.value = []
    if (to.trim() === '') return
    const isName = /[^\d\s().+/-]/.test(to)
    const timer = setTimeout(() => {
      const text = encodeURIComponent(to.trim())
      const mayTake = (): boolean => mine === turn.current
      void get<Hit>(`/api/search?q=${text}`).then(
        ({ parties }) =>
          mayTake() &&
          (options.value = parties.map(({ id, name, number }) => ({
            id: `${id} ${number}`,
            text: foreign(name),
            detail: numberText(number),
          }))),
        () => undefined,
      )
      if (isName || digits(to).length < 3) return
      void get<FaxNumberView>(`/api/fax/numbers/${text}`).then(
        (answer) => mayTake() && (value.value = { ...value.value, known: answer }),
        (error: unknown) => mayTake() && error instanceof Fault && (fault.value = error),
      )
    }, waitMs)
    return () => clearTimeout(timer)
  }, [to])
  const differs = isNew && toAgain !== '' && !sameNumber(toAgain, known.number)
  return (
    <>
      <div onKeyDown={({ key, shiftKey }) => key === 'Tab' && !shiftKey && known === undefined && (leftAt.current = performance.now())}>
        <Combobox
          label={say('to')}
          value={to}
          inputMode="tel"
          options={options.value}
          none={say('typeNumber')}
          onValue={(text) => (value.value = { to: text, toAgain: '', known: undefined })}
          onPick={({ id }) => (value.value = { to: id.slice(id.lastIndexOf(' ') + 1), toAgain: '', known: undefined })}
        />
      </div>
      {fault.value === undefined ? null : (
        <p class="red small" role="alert">
          {sentence(fault.value)}
        </p>
      )}
      {known === undefined ? null : <Known known={known} />}
      {isNew ? <Again value={value} differs={differs} leftAt={leftAt.current} /> : null}
      <p class="red small" role="alert">
        {differs ? say('differs') : ''}
      </p>
    </>
  )
}

interface AgainProps {
  readonly value: Signal<Destination>
  readonly differs: boolean
  /** When Tab left the number. */
  readonly leftAt: number
}

function Again({ value, differs, leftAt }: AgainProps) {
  const field = useRef<HTMLInputElement>(null)
  // The box answers a moment after Tab has left the number: the field that comes is the next one then.
  useEffect(() => {
    if (performance.now() - leftAt < justNowMs) field.current?.focus()
  }, [])
  return (
    <label class="field">
      <span>{say('toAgain')}</span>
      <input
        ref={field}
        class="box"
        type="text"
        inputMode="tel"
        autocomplete="off"
        value={value.value.toAgain}
        aria-invalid={differs}
        onPaste={(event) => event.preventDefault()}
        onInput={(event) => (value.value = { ...value.value, toAgain: event.currentTarget.value })}
      />
      <small>{say('toAgainWhy')}</small>
    </label>
  )
}

function Known({ known }: { readonly known: FaxNumberView }) {
  const name = nameOf(known.number)
  return (
    <p class="small" role="status">
      <span class={`tag ${known.answers > 0 ? 'green' : 'amber'}`}>
        {known.answers > 0
          ? say(name === '' ? 'knownNumber' : 'knownName', { name: foreign(name), n: known.answers })
          : say(name === '' ? 'newNumber' : 'newName', { name: foreign(name) })}
      </span>{' '}
      <bdi class="num">{numberText(known.number)}</bdi>
      {known.warning === '' ? null : <span class="muted"> {say('notInPlan')}</span>}
    </p>
  )
}
