/** A button with a menu of deeds (ARIA Authoring Practices, Menu Button). */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './Icon.tsx'
import type { IconName } from './icons.ts'
import { say } from './words.ts'

export interface MenuItem {
  readonly text: string
  readonly run: () => void
  readonly icon?: IconName
  /** It cannot be taken back. */
  readonly danger?: boolean
  readonly disabled?: boolean
}

/** Between the button and its menu, and to the edge of the window, CSS pixels. */
const gap = 4

export interface MenuProps {
  readonly items: readonly MenuItem[]
  /** What the button says; "More" without it. */
  readonly label?: string
  /** What the button shows; three dots without it. */
  readonly children?: ComponentChildren
  readonly class?: string
}

/** Below the button, or above it where the window ends: on the window, for a panel that scrolls would cut it off. */
function place(button: HTMLElement, list: HTMLElement): void {
  const { top, bottom, right } = button.getBoundingClientRect()
  const { width, height } = list.getBoundingClientRect()
  const below = bottom + gap + height <= innerHeight
  list.style.top = `${below ? bottom + gap : Math.max(gap, top - gap - height)}px`
  list.style.left = `${Math.max(gap, right - width)}px`
}

export function Menu({ items, label = say('more'), children, class: kind = 'btn small icon' }: MenuProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const options = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
  useLayoutEffect(() => {
    if (!open) return
    // What was scrolled to reach the button is reported after the click: the menu goes with its button.
    const moved = (): void => place(button.current!, list.current!)
    moved()
    options()[0]?.focus({ preventScroll: true })
    addEventListener('scroll', moved, true)
    addEventListener('resize', moved)
    return () => {
      removeEventListener('scroll', moved, true)
      removeEventListener('resize', moved)
    }
  }, [open])
  const close = (back: boolean): void => {
    setOpen(false)
    if (back) button.current?.focus()
  }
  const onKey = (event: KeyboardEvent): void => {
    const all = options()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key]
    if (event.key === 'Escape') close(true)
    else if (event.key === 'Tab') return close(false)
    else if (to !== undefined) all[to % all.length]?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const left = (event: FocusEvent): void => {
    if (!(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null)) setOpen(false)
  }
  return (
    <span class="menu" onFocusOut={left}>
      <button
        ref={button}
        type="button"
        class={kind}
        aria-label={children === undefined ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {children ?? <Icon name="more" />}
      </button>
      {open ? (
        <div ref={list} id={id} role="menu" aria-label={label} onKeyDown={onKey}>
          {items.map(({ text, run, icon, danger, disabled }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={danger === true ? 'red' : ''}
              aria-disabled={disabled === true}
              onClick={() => {
                if (disabled === true) return
                close(true)
                run()
              }}
            >
              {icon === undefined ? null : <Icon name={icon} />}
              {text}
            </button>
          ))}
        </div>
      ) : null}
    </span>
  )
}
