/** The row of a list that is chosen by `j` and `k`, and opened by Enter. */
import { useSignal, type Signal } from '@preact/signals'
import { useKeys } from '../frame/keys.ts'

export interface Chosen {
  readonly id: Signal<string | undefined>
  /** For the row's element: how the keys find it. */
  readonly row: (id: string) => { readonly 'data-row': string; readonly class: string; readonly 'aria-current': 'true' | undefined }
}

/** `ids`: in the order of the list. `says`: what the keys do, in the person's language. */
export function useChosen(
  ids: readonly string[],
  open: (id: string) => void,
  says: { readonly next: string; readonly previous: string; readonly open: string },
): Chosen {
  const id = useSignal<string | undefined>(undefined)
  const move = (by: number): void => {
    const at = id.value === undefined ? -1 : ids.indexOf(id.value)
    const to = ids[Math.max(0, Math.min(ids.length - 1, at === -1 ? (by > 0 ? 0 : ids.length - 1) : at + by))]
    id.value = to
    if (to !== undefined) focusRow(`[data-row="${CSS.escape(to)}"]`)
  }
  useKeys({
    j: { does: says.next, run: () => move(1) },
    k: { does: says.previous, run: () => move(-1) },
    Enter: { does: says.open, run: () => id.value !== undefined && open(id.value) },
  })
  return {
    id,
    row: (one) => ({ 'data-row': one, class: one === id.value ? 'on' : '', 'aria-current': one === id.value ? 'true' : undefined }),
  }
}

/** From the row that a key chose, Tab leads to its deeds. */
export function focusRow(selector: string): void {
  const row = document.querySelector<HTMLElement>(selector)
  row?.querySelector<HTMLElement>('button, a')?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
}
