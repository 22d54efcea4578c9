/** What was done, for 8 s, with Undo; the question before what cannot be taken back; and what is said aloud. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../pieces/Dialog.tsx'
import { Icon } from '../pieces/Icon.tsx'
import { say as pieceSays } from '../pieces/words.ts'
import { Fault } from './api.ts'
import { dismiss, done, dones, question, spoken, type Done } from './deeds.ts'
import { sentence } from './faults.ts'
import { useKeys } from './keys.ts'
import { say } from './wording.ts'

const shownMs = 8_000

function undo(one: Done): void {
  dismiss(one.id)
  one.undo!().then(
    () => done(say('undone')),
    (error: unknown) => done(error instanceof Fault ? sentence(error) : String(error)),
  )
}

export function Toasts() {
  // The toasts are the last on the page: with Tab alone they are gone before somebody has come to them.
  useKeys({
    u: {
      does: say('undo'),
      run: () => {
        const last = dones.value.findLast((one) => one.undo !== undefined)
        if (last !== undefined) undo(last)
      },
    },
  })
  return (
    <>
      <div class="toasts" role="status">
        {dones.value.map((one) => (
          <Toast key={one.id} one={one} isLast={one.id === dones.value.findLast((each) => each.undo !== undefined)?.id} />
        ))}
      </div>
      <p class="vh" aria-live="polite">
        {spoken.value}
      </p>
      <Asked />
    </>
  )
}

/** It stays while somebody points at it or has the focus there. */
function Toast({ one, isLast }: { readonly one: Done; readonly isLast: boolean }) {
  const [held, setHeld] = useState(false)
  const left = useRef(shownMs)
  useEffect(() => {
    if (held) return
    const began = performance.now()
    const timer = setTimeout(() => dismiss(one.id), left.current)
    return () => {
      clearTimeout(timer)
      left.current = Math.max(1_000, left.current - (performance.now() - began))
    }
  }, [held])
  const hold = (is: boolean) => () => setHeld(is)
  return (
    <div class="toast" onPointerEnter={hold(true)} onPointerLeave={hold(false)} onFocusIn={hold(true)} onFocusOut={hold(false)}>
      <span class="grow">{one.text}</span>
      {one.undo === undefined ? null : (
        <button type="button" class="btn small" onClick={() => undo(one)}>
          {say('undo')} {isLast ? <kbd aria-hidden="true">U</kbd> : null}
        </button>
      )}
      <button type="button" class="btn icon quiet" aria-label={pieceSays('close')} onClick={() => dismiss(one.id)}>
        <Icon name="close" />
      </button>
    </div>
  )
}

function Asked() {
  const now = question.value
  if (now === undefined) return null
  return (
    <Dialog title={now.title} class="small-dialog" onClose={() => now.answer(false)}>
      <div class="form">
        <p>{now.lost}</p>
        <div class="acts end">
          <button type="button" class="btn" onClick={() => now.answer(false)}>
            {pieceSays('cancel')}
          </button>
          <button type="button" class="btn danger" onClick={() => now.answer(true)}>
            {now.button}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
