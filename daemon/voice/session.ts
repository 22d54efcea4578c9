/**
 * One call under programmable voice: asks the application, runs the document it answers, and asks again, until the call
 * is over. Whatever the application does, the caller is never left in silence: the failure policy ends in a fallback
 * destination or in a spoken apology.
 */
import type { Call } from '../calls/call.ts'
import type { OwnEnd } from '../calls/state.ts'
import type { Ear } from '../speech/hearing.ts'
import type { Speaker } from '../speech/speaker.ts'
import { ask, startFiller, tell } from './ask.ts'
import type { Alert, AskOptions, Question } from './ask.ts'
import { CallGuards } from './guards.ts'
import type { GuardLimits } from './guards.ts'
import { PromptPlayer } from './prompts.ts'
import type { PromptPart } from './prompts.ts'
import type { Application, PromptSource, RecordingStore, VerbCall, VerbOutcome } from './session-types.ts'
import type { Transcripts } from './transcripts.ts'
import type { DocumentVerb } from './verb.ts'
import { verbs as table } from './verbs/index.ts'

export interface SessionOptions extends AskOptions {
  readonly speaker: Speaker
  readonly promptSource: PromptSource
  readonly recordings: RecordingStore
  /** null where nobody understands speech. */
  readonly ear: Ear | null
  readonly transcripts: Transcripts
  readonly guards: GuardLimits
  readonly alert: Alert
  /** Connects the call to an internal destination; true when the call was taken there. */
  readonly connect: (call: Call, destination: string) => Promise<boolean>
}

export type Step =
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'run'; readonly url: string; readonly verbs: readonly DocumentVerb[] }
  | { readonly kind: 'fail'; readonly message: string }
  /** The call goes on without an application. */
  | { readonly kind: 'leave'; readonly why: string }
  | { readonly kind: 'end'; readonly own: OwnEnd; readonly sipCode?: number; readonly cause?: number }

/** Silence after the last word, so that the far end's jitter buffer is empty when the BYE arrives. */
const tailMs = 100

export class Session {
  readonly #options: SessionOptions
  readonly #call: Call
  readonly #application: Application
  readonly #language: string
  readonly #guards: CallGuards
  readonly #typed: string[] = []
  #turn = new AbortController()
  #replacement: Step | null = null
  #gathering = false

  constructor(options: SessionOptions, call: Call, application: Application, language: string) {
    this.#options = options
    this.#language = language
    this.#call = call
    this.#application = application
    this.#guards = new CallGuards(options.guards)
  }

  /** Runs until the call is over and every event of its end has been sent. */
  async run(first: Step): Promise<void> {
    const call = this.#call
    call.activity('app')
    call.over.addEventListener('abort', () => this.#turn.abort())
    const unlisten = call.listen((signal) => {
      if (signal.type === 'digit' && !this.#gathering) this.#typed.push(signal.digit)
    })
    let step: Step | null = first
    while (step !== null && !call.over.aborted) {
      this.#turn = new AbortController()
      const next: Step | null = await this.#perform(step)
      step = this.#replacement ?? next
      this.#replacement = null
    }
    // The last input of a caller who hung up: the application hears of it, and its answer no longer matters.
    if (step?.kind === 'ask' && step.question.fields.reason === 'hangup') {
      await tell(this.#options, call, this.#application, step.question)
    }
    unlisten()
  }

  /** Cuts what runs and goes on with `step`; the event of the verb that was cut is not sent. */
  replace(step: Step): void {
    this.#replacement = step
    if (step.kind === 'leave') this.#call.note('state', step.why)
    else this.#call.note('document', 'replaced through the API')
    this.#call.clear()
    this.#turn.abort()
  }

  async #perform(step: Step): Promise<Step | null> {
    const call = this.#call
    switch (step.kind) {
      case 'end':
        call.end(step.own, step)
        return null
      case 'leave':
        return null
      case 'fail':
        return this.#fail(step.message)
      case 'run':
        return this.#run(step.url, step.verbs)
      case 'ask': {
        if (step.question.event === 'call.redirected') {
          const refused = this.#guards.redirect()
          if (refused !== null) return this.#guardFailed(refused, step.question.url)
        }
        const answer = await ask(this.#options, call, this.#application, step.question, this.#turn.signal)
        if (answer.kind === 'aborted') return null
        if (answer.kind === 'failed') return { kind: 'fail', message: answer.message }
        const refused = this.#guards.document()
        if (refused !== null) return this.#guardFailed(refused, step.question.url)
        return { kind: 'run', url: answer.url, verbs: answer.verbs }
      }
    }
  }

  #guardFailed(message: string, url: string): Step {
    this.#call.note('error', message)
    this.#options.alert('application-loop', `${url}: ${message}`, { callId: this.#call.id, url })
    return { kind: 'fail', message }
  }

  async #run(url: string, verbs: readonly DocumentVerb[]): Promise<Step | null> {
    const call = this.#call
    const signal = this.#turn.signal
    // All that will be said is synthesised now, in parallel and in the order of speaking, while the call is answered.
    const prepared = verbs.map((verb) => this.#prepare(verb))
    let pending: PromptPart[] = []
    for (const [index, verb] of verbs.entries()) {
      const definition = table.get(verb.name)!
      if (definition.needs === 'answered' && !(await call.answer())) return null
      const parts = prepared[index]
      if (parts) {
        pending.push(...parts)
        continue
      }
      const outcome = await this.#runVerb(verb, url, signal, pending)
      pending = []
      if (outcome !== null) return this.#after(outcome)
    }
    if (!call.answered) return { kind: 'end', own: { reason: 'document-end', by: 'app' } }
    if (!(await this.#playToEnd(pending, signal))) return null
    return { kind: 'end', own: { reason: 'document-end', by: 'app' } }
  }

  #prepare(verb: DocumentVerb): readonly PromptPart[] | null {
    const definition = table.get(verb.name)!
    if (definition.prompt === undefined) return null
    const { parts, warnings, late } = definition.prompt(verb.params as never, {
      callId: this.#call.id,
      speaker: this.#options.speaker,
      promptSource: this.#options.promptSource,
    })
    const warn = (warning: string) => this.#call.note('warning', `${verb.name}: ${warning}`)
    warnings.forEach(warn)
    void late?.then((found) => found.forEach(warn))
    return parts
  }

  async #runVerb(verb: DocumentVerb, url: string, signal: AbortSignal, pending: readonly PromptPart[]): Promise<VerbOutcome> {
    const definition = table.get(verb.name)!
    const prompts = new PromptPlayer(this.#call, pending)
    const view: VerbCall = {
      call: this.#call,
      clock: this.#options.clock,
      log: this.#options.log,
      documentUrl: url,
      signal,
      prompts,
      playPrompts: () => this.#playToEnd(pending, signal),
      takeTypedKeys: () => this.#typed.splice(0),
      keepTypedKeys: (keys) => this.#typed.unshift(...keys),
      gathering: (on) => {
        this.#gathering = on
      },
      recordings: this.#options.recordings,
      ear: this.#options.ear,
      language: this.#language,
      transcript: (order) => this.#options.transcripts.begin({ ...order, callId: this.#call.id, endpointId: this.#call.row.endpointId }),
      tell: (event) => tell(this.#options, this.#call, this.#application, event, `${this.#application.id || originOf(event.url)} partials`),
      keepCompany: () => startFiller(this.#options, this.#call, this.#application, signal, 'the transcript is not ready'),
      connect: (destination) => this.#options.connect(this.#call, destination),
      guards: this.#guards,
    }
    if (definition.run === undefined) throw new Error(`the verb ${verb.name} has neither a prompt nor a way to run`)
    this.#call.note('verb', verb.name)
    return definition.run(verb.params as never, view)
  }

  async #playToEnd(parts: readonly PromptPart[], signal: AbortSignal): Promise<boolean> {
    if (parts.length === 0) return !signal.aborted
    this.#guards.mediaOrInput()
    const finished = await new PromptPlayer(this.#call, parts).play()
    return finished && !signal.aborted
  }

  async #after(outcome: VerbOutcome): Promise<Step | null> {
    switch (outcome.kind) {
      case 'stop':
        return null
      case 'hangup':
        if (this.#call.answered) await this.#call.play({ kind: 'silence', ms: tailMs })
        return { kind: 'end', own: outcome.own, ...(outcome.sipCode === undefined ? {} : { sipCode: outcome.sipCode }) }
      case 'fetch': {
        if (outcome.event !== 'gather.completed') {
          if (outcome.event === 'record.completed') this.#guards.mediaOrInput()
          return { kind: 'ask', question: outcome }
        }
        const refused = this.#guards.gathered(outcome.fields.reason)
        if (refused !== null) return this.#guardFailed(refused, outcome.url)
        return { kind: 'ask', question: outcome }
      }
    }
  }

  /** Steps 2 and 3 of the failure policy: the fallback destination, else an apology. Step 1, the fallback URL, is part of `ask`. */
  async #fail(message: string): Promise<Step | null> {
    const call = this.#call
    const destination = this.#application.fallbackDestination
    if (call.row.direction === 'inbound' && destination !== null) {
      call.note('state', `fallback to ${destination}: ${message}`)
      this.#options.log.warn({ callId: call.id, destination }, 'the application failed; the caller goes to the fallback destination')
      if (await this.#options.connect(call, destination)) return null
      if (call.over.aborted) return null
    }
    await this.apologise()
    return { kind: 'end', own: { reason: 'app-error', by: 'system' }, sipCode: 500, cause: 41 }
  }

  async apologise(): Promise<void> {
    const call = this.#call
    if (!(await call.answer())) return
    const { parts } = this.#options.promptSource.prepare({ prompt: 'apology', callId: call.id })
    await new PromptPlayer(call, parts).play()
    await call.play({ kind: 'silence', ms: tailMs })
  }
}

/** What is told on the side has a circuit breaker and a queue of its own: it never holds up the events of the call. */
function originOf(url: string): string {
  return new URL(url).origin
}
