/** What a call's line reports only on demand: several parts may want the same at once, such as a recording and a stream. */
import type { Fork } from '../../drivers/line.ts'
import type { Call } from './call.ts'

type Heard = 'audio' | 'voice'

const wanted = new WeakMap<Call, Record<Heard | keyof Fork, number>>()

/** Counts one more that wants it, until the returned function is called; `changed` where it is the first or the last. */
function want(call: Call, what: Heard | keyof Fork, changed: (on: boolean) => void): () => void {
  const counts = wanted.get(call) ?? { audio: 0, voice: 0, heard: 0, said: 0, heardWide: 0, saidWide: 0 }
  wanted.set(call, counts)
  if (counts[what]++ === 0) changed(true)
  let stopped = false
  return () => {
    if (stopped) return
    stopped = true
    if (--counts[what] === 0 && !call.over.aborted) changed(false)
  }
}

/** Has the line report `audio` (every 20 ms) or `voice` until the returned function is called. */
export function hear(call: Call, what: Heard): () => void {
  return want(call, what, (on) => {
    if (what === 'audio') call.leg?.audio?.tap(on)
    else call.leg?.audio?.listen(on)
  })
}

/** The same of one way of the call's audio at one rate, as `fork` events. */
export function fork(call: Call, what: keyof Fork): () => void {
  return want(call, what, () => orderFork(call))
}

function orderFork(call: Call): void {
  const { heard, said, heardWide, saidWide } = wanted.get(call)!
  call.leg?.audio?.fork({ heard: heard > 0, said: said > 0, heardWide: heardWide > 0, saidWide: saidWide > 0 })
}

/** The call has another leg as its own now, which reports what the former one did. */
export function hearOn(call: Call): void {
  const counts = wanted.get(call)
  if (counts === undefined) return
  if (counts.audio > 0) call.leg?.audio?.tap(true)
  if (counts.voice > 0) call.leg?.audio?.listen(true)
  orderFork(call)
}
