/** The beginning of the console in a browser. */
import { render } from 'preact'
import { App } from './App.tsx'
import { followKeys } from './keys.ts'
import { followLive } from './live.ts'
import { watchPresence, watchSleep } from './presence.ts'
import { announceRings } from './ring.ts'
import { followLinks } from './router.ts'
import { ask, standing } from './session.ts'
import { applyStyle } from './style.ts'

const retryMs = 3_000

applyStyle()
followLinks()
followKeys()
followLive()
watchPresence()
watchSleep()
announceRings()
render(<App />, document.body)
void begin()

async function begin(): Promise<void> {
  await ask()
  if (standing.value === 'unreachable') setTimeout(() => void begin(), retryMs)
}
