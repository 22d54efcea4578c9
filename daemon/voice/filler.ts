/** What a waiting caller hears: from 3 s on a phrase or a tone, again every 8 s, silenced as soon as the wait has ended. */
import type { Call } from '../calls/call.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { PromptPlayer } from './prompts.ts'
import type { Application, PromptSource } from './session-types.ts'
import { abortReason } from '../base/errors.ts'

export interface FillerOptions {
  readonly promptSource: PromptSource
  readonly clock: Clock
}

const fillerAfterMs = 3000
const fillerEveryMs = 8000
/** 425 Hz for 200 ms: unlike any tone that means "busy" or "gone". */
const waitTone = { kind: 'tone', hz: [425], ms: 200, dbm0: -24 } as const

/** `stop` silences at once and resolves when nothing of it plays. */
export function startFiller(
  options: FillerOptions,
  call: Call,
  application: Application,
  signal: AbortSignal,
  what = 'the application is slow',
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const ended = AbortSignal.any([signal, stopping.signal])
  let timer: Timer | null = null
  let playing: Promise<unknown> | null = null
  const turn = () => {
    if (ended.aborted) return
    if (call.answered) {
      call.note('prompt', `${what}: wait audio`)
      playing =
        application.waitAudio === 'tone'
          ? call.play(waitTone)
          : new PromptPlayer(call, options.promptSource.prepare({ prompt: 'one-moment', callId: call.id }).parts, ended).play()
    }
    timer = options.clock.after(fillerEveryMs, turn)
  }
  if (application.waitAudio !== 'none') timer = options.clock.after(fillerAfterMs, turn)
  return {
    stop: async () => {
      timer?.cancel()
      if (stopping.signal.aborted) return
      stopping.abort(abortReason)
      if (playing === null) return
      // Where the turn was cut the line is silent already, and may play for the next one.
      if (!signal.aborted) call.clear()
      await playing
    },
  }
}
