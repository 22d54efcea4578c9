/** Reports to the box that somebody is there, and knows when the session will lock: by the clock of the box, which this page cannot stop. */
import { effect, signal } from '@preact/signals'
import type { SessionView } from '../../schema/people.ts'
import { send } from './api.ts'
import { boxNow } from './clock.ts'
import { ask, session, standing, take } from './session.ts'
import { reloadAll } from './state.ts'

/** A tab that slept, or was frozen, shows what it had then: it reads first, and shows afterwards. */
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

const everyMs = 60_000
const warnMs = 60_000
/** Seconds until the session locks, in its last minute; undefined before. */
export const locksIn = signal<number | undefined>(undefined)

let saidAt = 0
let asked = 0

export function watchPresence(): void {
  for (const kind of ['keydown', 'pointerdown', 'pointermove', 'wheel', 'touchstart'])
    addEventListener(kind, somebody, { passive: true, capture: true })
  setInterval(look, 1_000)
  effect(() => {
    if (standing.value === 'in') saidAt = Date.now()
  })
}

function somebody(): void {
  if (standing.value !== 'in') return
  const pressing = locksIn.value !== undefined
  if (Date.now() - saidAt < (pressing ? 2_000 : everyMs)) return
  saidAt = Date.now()
  void send<SessionView>('POST', '/api/session/alive').then(take, () => undefined)
}

function look(): void {
  const view = session.value
  if (view === undefined || standing.value !== 'in') {
    locksIn.value = undefined
    return
  }
  const left = Date.parse(view.locksAt) - boxNow()
  locksIn.value = left > warnMs ? undefined : Math.max(0, Math.ceil(left / 1_000))
  // The box decides.
  const glassEnds = view.glass === null ? Infinity : Date.parse(view.glass.until)
  if ((left <= 0 || Math.min(Date.parse(view.endsAt), glassEnds) <= boxNow()) && Date.now() - asked > 2_000) {
    asked = Date.now()
    void ask()
  }
}
