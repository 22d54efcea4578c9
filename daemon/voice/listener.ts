/**
 * Listens to the caller while a gather with speech runs: the caller's own audio, and nothing else, goes to the ear, and what the ear hears
 * comes back. Where there is no ear, or it fails, the line's energy detector decides when somebody has finished speaking, so that nobody is
 * cut off before `recogniser-error` says that it was not understood.
 */
import type { Call } from '../calls/call.ts'
import { hear } from '../calls/hearing.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { Ear, Heard, ListenRequest } from '../speech/hearing.ts'

/**
 * When the caller fell silent, as near as the loudness of 20 ms frames shows it: for the trace alone, which shows how long after the last
 * word an answer came.
 */

/** 20 dB below the loudest frame. */
const silentShare = 0.01
/** Mean square of a frame at -50 dBFS: what is quieter is line noise. */
const faintest = (32_768 * 10 ** (-50 / 20)) ** 2

class SpeechEnd {
  #loudest = 0
  #at: number | null = null

  audio(samples: Int16Array, now: number): void {
    let sum = 0
    for (const sample of samples) sum += sample * sample
    const power = samples.length === 0 ? 0 : sum / samples.length
    this.#loudest = Math.max(this.#loudest, power)
    if (power > faintest && power > this.#loudest * silentShare) this.#at = now
  }

  /** Milliseconds since the last sound; nothing when there was none. */
  ago(now: number): { readonly msAfterSpeech?: number } {
    return this.#at === null ? {} : { msAfterSpeech: Math.max(0, Math.round(now - this.#at)) }
  }
}

export interface Listener {
  /** Whether prompts play at the moment. */
  prompting(on: boolean): void
  /** Asks for what was understood so far. */
  finish(): void
  /** Nothing is heard after it. */
  stop(): void
}

export interface ListenerOptions {
  readonly call: Call
  readonly clock: Clock
  readonly ear: Ear | null
  readonly request: Omit<ListenRequest, 'callId'>
  /** What was said stays out of the trace. */
  readonly sensitive: boolean
  /** Never called before `listenToCaller` has returned. */
  readonly heard: (what: Heard) => void
}

export function listenToCaller(options: ListenerOptions): Listener {
  const { ear } = options
  if (ear === null) {
    options.call.note('speech', 'no recogniser is available')
    return untilSilence(options, false)
  }
  let failed = false
  let listener = withEar(options, ear, (reason, { speaking, finishing }) => {
    failed = true
    options.call.note('warning', `speech is not recognised: ${reason}`)
    listener.stop()
    listener = untilSilence(options, speaking)
    if (finishing || options.call.over.aborted) listener.finish()
  })
  return {
    prompting: (on) => (failed ? undefined : listener.prompting(on)),
    finish: () => listener.finish(),
    stop: () => listener.stop(),
  }
}

function withEar(
  { call, clock, request, sensitive, heard }: ListenerOptions,
  ear: Ear,
  fail: (reason: string, state: { speaking: boolean; finishing: boolean }) => void,
): Listener {
  const end = new SpeechEnd()
  let speaking = false
  let finishing = false
  let stopped = false
  const { language, hints, digits } = request
  call.note('speech', `listening (${language})`, {
    ...(digits === null ? {} : { digits }),
    ...(hints.length === 0 ? {} : { hints: hints.length }),
  })
  const hearing = ear.listen({ ...request, callId: call.id }, (what) => {
    if (stopped) return
    switch (what.type) {
      case 'speech-onset':
        speaking = true
        call.note('speech', 'the caller speaks')
        break
      case 'speech-false-alarm':
        speaking = false
        call.note('speech', 'that was not speech')
        break
      case 'speech-final': {
        speaking = false
        const text = what.text.trim()
        call.note('speech', text === '' ? 'nothing was recognised' : `heard: "${sensitive ? '***' : text.replaceAll('"', "'")}"`, {
          engine: what.engine,
          ...(what.confidence === undefined ? {} : { confidence: Math.round(what.confidence * 1000) / 1000 }),
          ...(what.language === undefined ? {} : { language: what.language }),
          ...end.ago(clock.elapsed()),
        })
        break
      }
      case 'recogniser-error':
        return fail(what.reason, { speaking, finishing })
    }
    heard(what)
  })
  const unlisten = call.listen((signal) => {
    if (signal.type !== 'audio') return
    end.audio(signal.samples, clock.elapsed())
    hearing.audio(signal.samples)
  })
  const deafen = hear(call, 'audio')
  return {
    prompting: (on) => hearing.prompting(on),
    finish: () => {
      finishing = true
      hearing.finish()
    },
    stop: () => {
      if (stopped) return
      stopped = true
      deafen()
      unlisten()
      hearing.stop()
    },
  }
}

/** Knows when somebody speaks, not what is said. `speaking`: somebody does already. */
function untilSilence({ call, clock, request, heard }: ListenerOptions, speaking: boolean): Listener {
  let stopped = false
  let end: Timer | null = null
  const notUnderstood = () => {
    if (!stopped) heard({ type: 'recogniser-error', reason: 'no recogniser' })
  }
  const armEnd = () => (end = clock.after(request.endSilenceMs, notUnderstood))
  const unlisten = call.listen((signal) => {
    if (signal.type !== 'voice') return
    end?.cancel()
    end = null
    if (signal.active) heard({ type: 'speech-onset' })
    else armEnd()
  })
  if (speaking) armEnd()
  const deafen = hear(call, 'voice')
  return {
    prompting: () => undefined,
    finish: () => queueMicrotask(notUnderstood),
    stop: () => {
      if (stopped) return
      stopped = true
      end?.cancel()
      unlisten()
      deafen()
    },
  }
}
