/** Runs the gather machine on a call: prompts, keys, voice and time go in, its effects come out. */
import type { Timer } from '../clock.ts'
import { collectStart, collectStep } from './collect.ts'
import type { CollectInput, CollectParams, CollectResult, CollectState, CollectStep } from './collect.ts'
import { listenToCaller } from './listener.ts'
import type { Listener } from './listener.ts'
import type { VerbCall } from './session-types.ts'

export interface GatherOptions {
  readonly params: CollectParams
  readonly endSilenceMs: number
  readonly sensitive: boolean
}

/** `CollectInput` without its time, which is read when the input arrives. */
type Happening = CollectInput extends infer Input ? (Input extends CollectInput ? Omit<Input, 'at'> : never) : never

/** Resolves with the one result of the gather, or null when the document was replaced meanwhile. */
export function runGather(view: VerbCall, options: GatherOptions): Promise<CollectResult | null> {
  const { call, clock, prompts } = view
  return new Promise((resolve) => {
    let state: CollectState | null = null
    let timer: Timer | null = null
    let listener: Listener | null = null
    let over = false

    const close = (result: CollectResult | null) => {
      if (over) return
      over = true
      timer?.cancel()
      listener?.stop()
      unlisten()
      view.gathering(false)
      view.signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
    const input = (what: Happening, notBefore = 0) => {
      if (!over && state !== null) apply(collectStep(state, { ...what, at: Math.max(clock.now(), notBefore) }))
    }
    const startPrompts = () => {
      void prompts.play().then((finished) => {
        if (finished) input({ type: 'prompts-finished' })
      })
    }
    const apply = (step: CollectStep) => {
      state = step.state
      for (const effect of step.effects) {
        switch (effect.type) {
          case 'start-prompts':
          case 'resume-prompts':
            startPrompts()
            break
          case 'stop-prompts':
            void prompts.stop()
            break
          case 'start-recogniser':
            listener = listenToCaller(call, clock, options.endSilenceMs, input)
            break
          case 'finish-recogniser':
            listener?.finish()
            break
          case 'stop-recogniser':
            listener?.stop()
            listener = null
            break
          case 'set-deadline': {
            timer?.cancel()
            // Timers and the time of day are two clocks: a timer may fire a moment before its deadline is read as reached.
            timer = clock.after(Math.max(0, effect.at - clock.now()), () => input({ type: 'timer' }, effect.at))
            break
          }
          case 'clear-deadline':
            timer?.cancel()
            timer = null
            break
          case 'duck-prompts':
            // A line has no volume for its prompts: they are cut at the onset, 140 ms later.
            break
          case 'done':
            close(effect.result)
            return
        }
      }
    }
    // Hang-up delivers what was collected; a replaced document delivers nothing.
    const onAbort = () => (call.over.aborted ? input({ type: 'hangup' }) : close(null))
    const unlisten = call.listen((signal) => {
      if (signal.type !== 'digit') return
      call.note('key', options.sensitive ? '*' : signal.digit, { method: signal.method })
      input({ type: 'key', key: signal.digit })
    })
    view.gathering(true)
    view.signal.addEventListener('abort', onAbort)
    if (!prompts.empty) view.guards.mediaOrInput()
    apply(collectStart(options.params, { at: clock.now(), prompts: !prompts.empty, keysBefore: view.takeTypedKeys().join('') }))
    if (view.signal.aborted) onAbort()
  })
}
