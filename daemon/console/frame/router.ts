/** Which page is shown: the path of the address. Identifiers may stand in it, names and numbers of patients never do. */
import { computed, signal } from '@preact/signals'

const at = signal(here())

function here(): { readonly path: string; readonly query: string } {
  return { path: location.pathname.replace(/(.)\/$/, '$1'), query: location.search }
}

export const path = computed(() => at.value.path)
export const query = computed(() => new URLSearchParams(at.value.query))

/** The page that is nobody's: a screen on the wall. */
export const wallPath = '/wall'

/** `to`: path, with a query where one is needed. */
export function go(to: string, { replace = false } = {}): void {
  if (to === `${location.pathname}${location.search}`) return
  history[replace ? 'replaceState' : 'pushState'](null, '', to)
  at.value = here()
  scrollTo(0, 0)
}

export function followLinks(): void {
  addEventListener('popstate', () => (at.value = here()))
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return
    // What the box has besides pages is no page of this document.
    if (/^\/(api|docs|openapi\.json|readyz|console|authority\.crt)(\/|$)/.test(link.pathname)) return
    event.preventDefault()
    go(`${link.pathname}${link.search}`)
  })
}
