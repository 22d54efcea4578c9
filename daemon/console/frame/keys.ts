/** Keys of the pages: single ones, Shift with one, and two in a row such as `g d`. None acts in a field, and each can be switched off (WCAG 2.1.4). */
import { computed, signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { me } from './session.ts'

export interface Key {
  /** For the list of keys. */
  readonly does: string
  readonly run: () => void
}
export type KeyMap = Readonly<Record<string, Key>>

const maps = signal<readonly { readonly current: KeyMap }[]>([])
/** All that act now, the newest first. */
export const keysNow = computed(() => {
  const all = new Map<string, Key>()
  for (const { current } of maps.value) for (const [key, one] of Object.entries(current)) all.set(key, one)
  return [...all]
})

const togetherMs = 1_500
let before = { key: '', at: 0 }

/** Keys that act while the component is shown: `{ 'g d': …, 'j': …, 'Shift+L': … }`. */
export function useKeys(map: KeyMap): void {
  const kept = useRef(map)
  kept.current = map
  // With what is shown, not a moment later: a key that is pressed at once is heard.
  useLayoutEffect(() => {
    maps.value = [...maps.peek(), kept]
    return () => (maps.value = maps.peek().filter((one) => one !== kept))
  }, [])
}

export function followKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTaken(event)) return
    const name = event.shiftKey && /^[A-Z]$/i.test(event.key) ? `Shift+${event.key.toUpperCase()}` : event.key
    const now = performance.now()
    const both = now - before.at < togetherMs ? `${before.key} ${name}` : ''
    before = { key: name, at: now }
    const found = keyNamed(both) ?? keyNamed(name)
    if (found === undefined) return
    before = { key: '', at: 0 }
    event.preventDefault()
    found.run()
  })
}

function keyNamed(name: string): Key | undefined {
  if (name === '' || (me.value?.keysOff ?? []).includes(name)) return undefined
  return maps.value.findLast(({ current }) => Object.hasOwn(current, name))?.current[name]
}

/** A field takes letters itself, a button and a link take Enter, and what is below an open dialog is not there. */
function isTaken(event: KeyboardEvent): boolean {
  const { key } = event
  // Within a shadow root the event names the element around it alone.
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  if (key === 'Enter' && target.closest('button, a, summary') !== null) return true
  if (target.isContentEditable || target.closest('input, textarea, select, [role="menu"], [role="listbox"]') !== null) return true
  return document.querySelector('dialog[open]') !== null
}
