/** A picture next to its words; it says nothing by itself. */
import { icons, type IconName } from './icons.ts'

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
      <path d={icons[name]} />
    </svg>
  )
}
