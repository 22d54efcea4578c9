/** The list of faxes of a pane: one is shown, by a click, by the keys, or the first by itself. */
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useChosen } from '../../pieces/chosen.ts'
import { say } from './words.ts'

export interface FaxRowsProps<T> {
  readonly faxes: readonly T[]
  readonly idOf: (fax: T) => string
  readonly shown: T | undefined
  readonly shownId: Signal<string | undefined>
  readonly row: (fax: T) => ComponentChildren
}

export function FaxRows<T>({ faxes, idOf, shown, shownId, row }: FaxRowsProps<T>) {
  const chosen = useChosen(faxes.map(idOf), (id) => (shownId.value = id), {
    ...{ next: say('next'), previous: say('previous'), open: say('openIt') },
  })
  return (
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
  )
}
