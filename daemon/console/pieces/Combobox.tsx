/** A field that offers what fits to what is typed (ARIA Authoring Practices, Editable Combobox With List Autocomplete). */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { say } from './words.ts'

export interface Option {
  readonly id: string
  readonly text: string
  /** After the text, paler. */
  readonly detail?: ComponentChildren
  /** Options that follow each other under one heading. */
  readonly group?: string
}

export interface ComboboxProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly options: readonly Option[]
  /** `event`: of the key or the pointer that chose it. */
  readonly onPick: (option: Option, event: KeyboardEvent | MouseEvent) => void
  /** Enter without a chosen option. */
  readonly onEnter?: (event: KeyboardEvent) => void
  readonly placeholder?: string
  readonly inputMode?: 'text' | 'tel' | 'search'
  /** Shown where nothing fits. */
  readonly none?: string
  /** The label is for assistive technology alone. */
  readonly hidesLabel?: boolean
  readonly inputId?: string
  readonly before?: ComponentChildren
  readonly after?: ComponentChildren
}

export function Combobox(props: ComboboxProps) {
  const {
    label,
    value,
    onValue,
    options,
    onPick,
    onEnter,
    placeholder,
    inputMode = 'text',
    none = say('noMatch'),
    hidesLabel = false,
  } = props
  const id = useId()
  const inputId = props.inputId ?? `${id}i`
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(-1)
  const shown = open && value.trim() !== ''
  const pick = (option: Option | undefined, event: KeyboardEvent | MouseEvent): void => {
    if (option === undefined) return
    setOpen(false)
    setAt(-1)
    onPick(option, event)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setOpen(true)
      const n = options.length
      if (n > 0) setAt(event.key === 'ArrowDown' ? (at + 1) % n : (at <= 0 ? n : at) - 1)
    } else if (event.key === 'Enter' && shown && options[at] !== undefined) pick(options[at], event)
    else if (event.key === 'Enter' && onEnter !== undefined) onEnter(event)
    else if (event.key === 'Escape' && (shown || value !== '')) {
      if (shown) setOpen(false)
      else onValue('')
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="combobox" onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOpen(false)}>
      <label for={inputId} class={hidesLabel ? 'vh' : ''}>
        {label}
      </label>
      <div class="box">
        {props.before}
        <input
          id={inputId}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          inputMode={inputMode}
          placeholder={placeholder}
          value={value}
          aria-autocomplete="list"
          aria-expanded={shown}
          aria-controls={shown ? id : undefined}
          aria-activedescendant={shown && at >= 0 ? `${id}-${at}` : undefined}
          onInput={(event) => {
            onValue(event.currentTarget.value)
            setOpen(true)
            setAt(-1)
          }}
          onKeyDown={onKey}
        />
        {props.after}
      </div>
      {shown ? <Options id={id} label={label} options={options} at={at} none={none} pick={pick} /> : null}
    </div>
  )
}

interface OptionsProps extends Pick<ComboboxProps, 'label' | 'options'> {
  readonly id: string
  /** Which one is chosen. */
  readonly at: number
  readonly none: string
  readonly pick: (option: Option, event: MouseEvent) => void
}

function Options({ id, label, options, at, none, pick }: OptionsProps) {
  return (
    <div class="options">
      <ul role="listbox" id={id} aria-label={label}>
        {options.map((option, n) => (
          <>
            {option.group !== undefined && option.group !== options[n - 1]?.group ? (
              <li class="sub" role="presentation" key={`g${option.group}`}>
                {option.group}
              </li>
            ) : null}
            <li
              key={option.id}
              id={`${id}-${n}`}
              role="option"
              aria-selected={n === at}
              onPointerDown={(event) => event.preventDefault()}
              onClick={(event) => pick(option, event)}
            >
              <span class="grow">{option.text}</span>
              <span class="faint nowrap">{option.detail}</span>
            </li>
          </>
        ))}
      </ul>
      {options.length === 0 ? (
        <p class="empty" role="status">
          {none}
        </p>
      ) : null}
    </div>
  )
}
