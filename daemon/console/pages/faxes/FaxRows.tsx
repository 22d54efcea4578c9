/** The list of faxes of a pane, some at a time: one is shown, by a click, by the keys, or the first by itself. */
import { useSignal, type Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Fault } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { useChosen } from '../../pieces/chosen.ts'
import { say } from './words.ts'

export interface FaxRowsProps<T> {
  readonly faxes: readonly T[]
  readonly idOf: (fax: T) => string
  readonly shown: T | undefined
  readonly shownId: Signal<string | undefined>
  readonly row: (fax: T) => ComponentChildren
  /** Reads older ones; undefined where all are there. */
  readonly more?: (() => Promise<void>) | undefined
}

const rowsAtOnce = 60

/** What is older than the newest `first` holds. `read`: the page after `next`, null at the end. */
export function useOlder<T, N>(
  first: { readonly next: N | null } | undefined,
  read: (next: N) => Promise<{ readonly items: readonly T[]; readonly next: N | null }>,
): { readonly older: readonly T[]; readonly more: (() => Promise<void>) | undefined } {
  const older = useSignal<readonly T[]>([])
  const after = useSignal<N | null | undefined>(undefined)
  const next = after.value === undefined ? (first?.next ?? null) : after.value
  if (next === null) return { older: older.value, more: undefined }
  const more = async (): Promise<void> => {
    const page = await read(next)
    older.value = [...older.value, ...page.items]
    after.value = page.next
  }
  return { older: older.value, more }
}

export function FaxRows<T>({ faxes: all, idOf, shown, shownId, row, more }: FaxRowsProps<T>) {
  const most = useSignal(rowsAtOnce)
  const faxes = all.slice(0, most.value)
  const further = (): void => {
    most.value += rowsAtOnce
    if (most.value > all.length) void more?.().catch((error: unknown) => done(error instanceof Fault ? sentence(error) : String(error)))
  }
  const chosen = useChosen(faxes.map(idOf), (id) => (shownId.value = id), {
    ...{ next: say('next'), previous: say('previous'), open: say('openIt') },
  })
  return (
    <>
      <ol>
        {faxes.map((fax) => {
          const id = idOf(fax)
          return (
            <li key={id} {...chosen.row(id)}>
              <button
                type="button"
                class="faxrow"
                aria-pressed={shown !== undefined && id === idOf(shown)}
                onClick={() => ((chosen.id.value = id), (shownId.value = id))}
              >
                {row(fax)}
              </button>
            </li>
          )
        })}
      </ol>
      {faxes.length === all.length && more === undefined ? null : (
        <p class="row">
          <button type="button" class="btn small quiet" onClick={further}>
            {say('older')}
          </button>
        </p>
      )}
    </>
  )
}
