/**
 * Listens to the caller while a gather with speech runs. This version has no recogniser: it knows when somebody speaks,
 * not what is said, and says so (`recogniser-error`) once the caller has finished, so that nobody is cut off.
 */
import type { Call } from '../calls/call.ts'
import type { Clock, Timer } from '../clock.ts'

export type Heard =
  | { readonly type: 'speech-onset' }
  | { readonly type: 'speech-final'; readonly text: string; readonly confidence: number }
  | { readonly type: 'recogniser-error' }

export interface Listener {
  /** Asks for what was understood so far. */
  finish(): void
  stop(): void
}

export function listenToCaller(call: Call, clock: Clock, endSilenceMs: number, heard: (what: Heard) => void): Listener {
  let end: Timer | null = null
  const unlisten = call.listen((signal) => {
    if (signal.type !== 'voice') return
    end?.cancel()
    end = null
    if (signal.active) heard({ type: 'speech-onset' })
    else end = clock.after(endSilenceMs, () => heard({ type: 'recogniser-error' }))
  })
  call.leg?.listen(true)
  return {
    finish: () => heard({ type: 'recogniser-error' }),
    stop: () => {
      end?.cancel()
      unlisten()
      call.leg?.listen(false)
    },
  }
}
