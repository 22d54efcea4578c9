/** A tab that slept, or was frozen, shows what it had then: it reads first, and shows afterwards. */
import { signal } from '@preact/signals'
import { ask } from './session.ts'
import { reloadAll } from './state.ts'

const tickMs = 1_000
const sleptMs = 20_000
/** While what is shown is from before the sleep. */
export const isStale = signal(false)

let last = Date.now()

export function watchSleep(): void {
  setInterval(() => {
    const slept = Date.now() - last > sleptMs
    if (document.visibilityState === 'visible') {
      last = Date.now()
      if (slept) void wake()
    }
  }, tickMs)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && Date.now() - last > sleptMs) void wake()
  })
  document.addEventListener('resume', () => void wake())
}

async function wake(): Promise<void> {
  last = Date.now()
  isStale.value = true
  await ask()
  await reloadAll()
  isStale.value = false
}
