/** The beginning of the console in a browser. */
import { render } from 'preact'
import { App } from './App.tsx'
import { followKeys } from './keys.ts'
import { followLive } from './live.ts'
import { watchPresence, watchSleep } from './presence.ts'
import { announceRings } from './ring.ts'
import { followLinks, path, wallPath } from './router.ts'
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

/** A screen on the wall asks for nobody's session, even where somebody has one in its browser. */
async function begin(): Promise<void> {
  if (path.value === wallPath) return
  await ask()
  if (standing.value === 'unreachable') setTimeout(() => void begin(), retryMs)
}
