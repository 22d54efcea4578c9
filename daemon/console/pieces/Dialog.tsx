/** A dialog over the page: the browser keeps the focus inside and gives it back. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './Icon.tsx'
import { say } from './words.ts'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly class?: string
}

/** It is open while it is there. Escape and the button close it. */
export function Dialog({ title, onClose, children, class: kind = '' }: DialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      dialog.current?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class={`panel dialog ${kind}`} aria-labelledby={id} onCancel={(event) => (event.preventDefault(), onClose())}>
      <header>
        <h2 id={id} tabIndex={-1} autofocus>
          {title}
        </h2>
        <span class="grow" />
        <button type="button" class="btn icon quiet" aria-label={say('close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="body">{children}</div>
    </dialog>
  )
}
