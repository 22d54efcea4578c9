/** Runs the gather machine on a call: prompts, keys, voice and time go in, its effects come out. */
import type { Timer } from '../clock.ts'
import { collectStart, collectStep } from './collect.ts'
import type { CollectInput, CollectParams, CollectResult, CollectState, CollectStep } from './collect.ts'
import { listenToCaller } from './listener.ts'
import type { Listener, ListenerOptions } from './listener.ts'
import { PartialPosts } from './partials.ts'
import type { VerbCall } from './session-types.ts'

export interface GatherOptions {
  readonly params: CollectParams
  readonly listen: Omit<ListenerOptions['request'], 'partials'>
  /** Hears what the caller has said so far; null for nobody. */
  readonly partialUrl: string | null
  readonly sensitive: boolean
}

/** `CollectInput` without its time, which is read when the input arrives. */
type Happening = CollectInput extends infer Input ? (Input extends CollectInput ? Omit<Input, 'at'> : never) : never

/** Resolves with the one result of the gather, or null when the document was replaced meanwhile. */
export function runGather(view: VerbCall, options: GatherOptions): Promise<CollectResult | null> {
  const { call, clock, prompts } = view
  const { partialUrl, sensitive } = options
  return new Promise((resolve) => {
    let state: CollectState | null = null
    let timer: Timer | null = null
    let listener: Listener | null = null
    let over = false
    /** Whether prompts are to play, and the end of the last cut: they go on only when its place is known. */
    let playing = false
    let turn = 0
    let cut: Promise<void> = Promise.resolve()
    const partials =
      partialUrl === null
        ? null
        : new PartialPosts(({ speech, stable }) =>
            view.tell({ event: 'gather.partial', url: partialUrl, fields: { speech, stable }, sensitive }),
          )

    const close = (result: CollectResult | null) => {
      if (over) return
      over = true
      timer?.cancel()
      partials?.close()
      listener?.stop()
      unlisten()
      release()
      view.signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
    const input = (what: Happening, notBefore = 0) => {
      if (!over && state !== null) apply(collectStep(state, { ...what, at: Math.max(clock.elapsed(), notBefore) }))
    }
    const prompting = (on: boolean) => {
      playing = on
      turn += 1
      listener?.prompting(on)
    }
    const startPrompts = async () => {
      prompting(true)
      const mine = turn
      await cut
      if (over || mine !== turn || !(await prompts.play())) return
      prompting(false)
      input({ type: 'prompts-finished' })
    }
    const startListening = () => {
      listener = listenToCaller({
        call,
        clock,
        ear: view.ear,
        request: { ...options.listen, partials: partials !== null },
        sensitive,
        heard: (what) => {
          if (what.type === 'speech-partial') partials?.offer({ speech: what.text, stable: what.stable })
          // Prompts have no volume: they stop at the onset, not before.
          if (what.type !== 'voice') input(what)
        },
      })
      listener.prompting(playing)
    }
    const apply = (step: CollectStep) => {
      state = step.state
      for (const effect of step.effects) {
        switch (effect.type) {
          case 'resume-prompts':
            call.note('speech', 'the prompts go on')
            void startPrompts()
            break
          case 'start-prompts':
            void startPrompts()
            break
          case 'stop-prompts':
            prompting(false)
            cut = prompts.stop()
            break
          case 'start-recogniser':
            startListening()
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
            // Timers and `elapsed` are read apart: a timer may fire a moment before its deadline is read as reached.
            timer = clock.after(Math.max(0, effect.at - clock.elapsed()), () => input({ type: 'timer' }, effect.at))
            break
          }
          case 'clear-deadline':
            timer?.cancel()
            timer = null
            break
          case 'done':
            close(effect.result)
            return
        }
      }
    }
    // Hang-up delivers what was collected; a replaced document delivers nothing.
    const onAbort = () => (view.replaced.aborted ? close(null) : input({ type: 'hangup' }))
    const unlisten = call.listen((signal) => {
      if (signal.type !== 'digit') return
      call.note('key', sensitive ? '*' : signal.digit, { method: signal.method })
      input({ type: 'key', key: signal.digit })
    })
    const release = view.keys.claim(() => true)
    view.signal.addEventListener('abort', onAbort)
    if (!prompts.empty) view.guards.mediaOrInput()
    apply(collectStart(options.params, { at: clock.elapsed(), prompts: !prompts.empty, keysBefore: view.keys.take().join('') }))
    if (view.signal.aborted) onAbort()
  })
}
