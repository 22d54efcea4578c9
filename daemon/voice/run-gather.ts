/** Runs the gather machine on a call: prompts, keys, voice and time go in, its effects come out. */
import type { Timer } from '../base/clock.ts'
import {
  collectStart,
  collectStep,
  type CollectInput,
  type CollectParams,
  type CollectResult,
  type CollectState,
  type CollectStep,
} from './collect.ts'
import { listenToCaller, type Listener, type ListenerOptions } from './listener.ts'
import type { VerbCall } from './session-types.ts'

/**
 * Sends the application what the caller has said so far, while the caller still speaks. One post at a time: what becomes known during one
 * is sent after it, and only the newest. An application that does not take them gets no more.
 */
interface PartialSpeech {
  readonly speech: string
  /** The caller has paused: these are the words unless more follow. */
  readonly stable: boolean
}

class PartialPosts {
  /** Resolves false when it was not taken. */
  readonly #post: (partial: PartialSpeech) => Promise<boolean>
  #sent: PartialSpeech = { speech: '', stable: false }
  #next: PartialSpeech | null = null
  #busy = false
  #closed = false

  constructor(post: (partial: PartialSpeech) => Promise<boolean>) {
    this.#post = post
  }

  offer(partial: PartialSpeech): void {
    this.#next = partial
    if (!this.#busy) void this.#run()
  }

  /** Nothing more is sent. A post under way is not waited for and not cut off. */
  close(): void {
    this.#closed = true
  }

  async #run(): Promise<void> {
    this.#busy = true
    while (this.#next !== null && !this.#closed) {
      const next = this.#next
      this.#next = null
      if (next.speech === this.#sent.speech && next.stable === this.#sent.stable) continue
      this.#sent = next
      if (!(await this.#post(next))) this.#closed = true
    }
    this.#busy = false
  }
}

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
  return new GatherRun(view, options).run()
}

class GatherRun {
  readonly #view: VerbCall
  readonly #options: GatherOptions
  readonly #partials: PartialPosts | null
  readonly #done = Promise.withResolvers<CollectResult | null>()
  #state: CollectState | null = null
  #timer: Timer | null = null
  #listener: Listener | null = null
  #over = false
  /** Whether prompts are to play, and the end of the last cut: they go on only when its place is known. */
  #playing = false
  #turn = 0
  #cut: Promise<void> = Promise.resolve()
  #letGo = (): void => undefined

  constructor(view: VerbCall, options: GatherOptions) {
    const { partialUrl: url, sensitive } = options
    this.#view = view
    this.#options = options
    this.#partials =
      url === null
        ? null
        : new PartialPosts(({ speech, stable }) => view.tell({ event: 'gather.partial', url, fields: { speech, stable }, sensitive }))
  }

  run(): Promise<CollectResult | null> {
    const { call, clock, prompts, keys, guards, signal, replaced } = this.#view
    const { params, sensitive } = this.#options
    if (params.speechInterrupts && call.leg?.audio?.halfDuplex === true) {
      call.note('warning', 'this line hears nothing while it speaks: callers interrupt by keys alone')
    }
    // Hang-up delivers what was collected; a replaced document delivers nothing.
    const onAbort = (): void => (replaced.aborted ? this.#close(null) : this.#input({ type: 'hangup' }))
    const unlisten = call.listen((happened) => {
      if (happened.type !== 'digit') return
      call.note('key', sensitive ? '*' : happened.digit, { method: happened.method })
      this.#input({ type: 'key', key: happened.digit })
    })
    const release = keys.claim(() => true)
    signal.addEventListener('abort', onAbort)
    this.#letGo = () => {
      unlisten()
      release()
      signal.removeEventListener('abort', onAbort)
    }
    if (!prompts.empty) guards.mediaOrInput()
    this.#apply(collectStart(params, { at: clock.elapsed(), prompts: !prompts.empty, keysBefore: keys.take().join('') }))
    if (signal.aborted) onAbort()
    return this.#done.promise
  }

  #close(result: CollectResult | null): void {
    if (this.#over) return
    this.#over = true
    this.#timer?.cancel()
    this.#partials?.close()
    this.#listener?.stop()
    this.#letGo()
    this.#done.resolve(result)
  }

  #input(what: Happening, notBefore = 0): void {
    const at = Math.max(this.#view.clock.elapsed(), notBefore)
    if (!this.#over && this.#state !== null) this.#apply(collectStep(this.#state, { ...what, at }))
  }

  #prompting(on: boolean): void {
    this.#playing = on
    this.#turn += 1
    this.#listener?.prompting(on)
  }

  async #startPrompts(): Promise<void> {
    this.#prompting(true)
    const mine = this.#turn
    await this.#cut
    if (this.#over || mine !== this.#turn || !(await this.#view.prompts.play())) return
    this.#prompting(false)
    this.#input({ type: 'prompts-finished' })
  }

  #startListening(): void {
    const { call, clock, ear } = this.#view
    const { listen, sensitive } = this.#options
    this.#listener = listenToCaller({
      call,
      clock,
      ear,
      request: { ...listen, partials: this.#partials !== null },
      sensitive,
      heard: (what) => {
        if (what.type === 'speech-partial') this.#partials?.offer({ speech: what.text, stable: what.stable })
        // Prompts have no volume: they stop at the onset, not before.
        if (what.type !== 'voice') this.#input(what)
      },
    })
    this.#listener.prompting(this.#playing)
  }

  #apply(step: CollectStep): void {
    const { call, clock, prompts } = this.#view
    this.#state = step.state
    for (const effect of step.effects) {
      switch (effect.type) {
        case 'resume-prompts':
          call.note('speech', 'the prompts go on')
          void this.#startPrompts()
          break
        case 'start-prompts':
          void this.#startPrompts()
          break
        case 'stop-prompts':
          this.#prompting(false)
          this.#cut = prompts.stop()
          break
        case 'start-recogniser':
          this.#startListening()
          break
        case 'finish-recogniser':
          this.#listener?.finish()
          break
        case 'stop-recogniser':
          this.#listener?.stop()
          this.#listener = null
          break
        case 'set-deadline': {
          this.#timer?.cancel()
          // Timers and `elapsed` are read apart: a timer may fire a moment before its deadline is read as reached.
          this.#timer = clock.after(Math.max(0, effect.at - clock.elapsed()), () => this.#input({ type: 'timer' }, effect.at))
          break
        }
        case 'clear-deadline':
          this.#timer?.cancel()
          this.#timer = null
          break
        case 'done':
          this.#close(effect.result)
          return
      }
    }
  }
}
