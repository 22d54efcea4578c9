/** Whose number it is, as the directory of the house knows it: asked for once, a few at a time. */
import { signal, type Signal } from '@preact/signals'
import { get } from '../frame/api.ts'
import { onLeave } from '../frame/session.ts'

interface Looked {
  readonly found: boolean
  readonly customer?: { readonly name: string } | null
}

const known = new Map<string, Signal<string>>()
const waiting: string[] = []
const mostAtOnce = 3
let asking = 0

/** '' while it is not known, and where nobody is. */
export function nameOf(number: string): string {
  if (number === '') return ''
  let name = known.get(number)
  if (name === undefined) {
    known.set(number, (name = signal('')))
    waiting.push(number)
    ask()
  }
  return name.value
}

function ask(): void {
  while (asking < mostAtOnce) {
    const number = waiting.shift()
    if (number === undefined) return
    asking += 1
    get<Looked>(`/api/pbx/lookup/caller/${encodeURIComponent(number)}`)
      .then(({ customer }) => {
        const name = known.get(number)
        if (name !== undefined) name.value = customer?.name ?? ''
      })
      // The number alone says enough.
      .catch(() => undefined)
      .finally(() => {
        asking -= 1
        ask()
      })
  }
}

onLeave(() => {
  known.clear()
  waiting.length = 0
})
