/** What a call's line tells only while somebody wants it: several may want the same at once, such as a recording and a stream. */
import type { Call } from './call.ts'

type Heard = 'audio' | 'voice'

const wanted = new WeakMap<Call, Record<Heard, number>>()

/** Has the line tell `audio` (every 20 ms) or `voice` until the returned function is called. */
export function hear(call: Call, what: Heard): () => void {
  const counts = wanted.get(call) ?? { audio: 0, voice: 0 }
  wanted.set(call, counts)
  const tell = (on: boolean): void => {
    if (what === 'audio') call.leg?.audio?.tap(on)
    else call.leg?.audio?.listen(on)
  }
  if (counts[what]++ === 0) tell(true)
  let stopped = false
  return () => {
    if (stopped) return
    stopped = true
    if (--counts[what] === 0 && !call.over.aborted) tell(false)
  }
}
