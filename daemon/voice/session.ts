/**
 * One call under programmable voice: asks the application, runs the document it answers, and asks again, until the call has ended. Whatever
 * the application does, the caller is never left in silence: the failure policy ends in a fallback destination or in a spoken apology. Each
 * step is a turn that can be cut at once; what a caller has entered is reported whatever becomes of the turn and of the call.
 */
import type { Call } from '../calls/call.ts'
import type { OwnEnd } from '../calls/state.ts'
import type { Destinations } from '../routing/destinations.ts'
import { ControlEvents, isInput, type AskOptions } from './ask.ts'
import { CallGuards, type GuardLimits } from './guards.ts'
import { runDocument, type ControlDocument, type DocumentOutcome, type VerbServices } from './run-document.ts'
import { type Application, type Question, TypedKeys, type PromptSource } from './session-types.ts'
import { Turn } from './turn.ts'
import type { Apology } from '../calls/calls.ts'
import { PromptPlayer } from './prompts.ts'

// What a caller hears when nothing else can be done, before the call ends: something went wrong, or nobody is there.

/** Silence after the last word, so that the far end's jitter buffer is empty when the BYE arrives. */
const tailMs = 100

export async function apologise(call: Call, promptSource: PromptSource, turn: Turn, prompt: Apology = 'apology'): Promise<void> {
  if (!(await turn.within(call.answer(), false))) return
  const { parts } = promptSource.prepare({ prompt, callId: call.id })
  await new PromptPlayer(call, parts, turn.signal).play()
  if (!turn.over) await call.play({ kind: 'silence', ms: tailMs })
}

export interface SessionOptions extends AskOptions, VerbServices {
  readonly guards: GuardLimits
  /** Where a caller goes whom the application fails. */
  readonly destinations: Pick<Destinations, 'send'>
}

export type Step =
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'redirect'; readonly url: string }
  | ({ readonly kind: 'run' } & ControlDocument)
  | { readonly kind: 'fail'; readonly message: string }
  /** The call goes on without an application. */
  | { readonly kind: 'leave'; readonly why: string }
  | { readonly kind: 'end'; readonly own: OwnEnd; readonly sipCode?: number; readonly cause?: number }

const documentEnd = { kind: 'end', own: { reason: 'document-end', by: 'app' } } as const
const appError = { kind: 'end', own: { reason: 'app-error', by: 'system' }, sipCode: 500, cause: 41 } as const

export class Session {
  readonly #options: SessionOptions
  readonly #call: Call
  readonly #application: Application
  readonly #language: string
  readonly #guards: CallGuards
  readonly #events: ControlEvents
  readonly #keys: TypedKeys
  #turn: Turn | null = null
  #replacement: Step | null = null

  constructor(options: SessionOptions, call: Call, application: Application, language: string) {
    this.#options = options
    this.#language = language
    this.#call = call
    this.#application = application
    this.#guards = new CallGuards(options.guards)
    this.#events = new ControlEvents(options, call, application)
    this.#keys = new TypedKeys(call)
  }

  /** Runs until the application has no part in the call any more. Events that are still on their way hold the end of the call. */
  async run(first: Step): Promise<void> {
    const call = this.#call
    call.activity('app')
    let step: Step | null = first
    while (step !== null && !call.over.aborted && !call.ending) {
      const turn: Turn = (this.#turn = new Turn(call))
      const next: Step | null = await this.#perform(step, turn).catch((error: unknown) => this.#fault(error, step!, turn))
      step = this.#replacement ?? next
      if (this.#replacement !== null) this.#tell(next)
      this.#replacement = null
      this.#turn = null
      turn.end()
    }
    this.#tell(step)
    this.#keys.stop()
  }

  /**
   * Cuts what runs and goes on with `step`; the event of an input that was not finished is not sent. Resolves when nothing of
   * what ran is left. null: not taken, as the call ends already or no application drives it any more.
   */
  replace(step: Step): Promise<void> | null {
    const call = this.#call
    const turn = this.#turn
    if (turn === null || call.over.aborted || call.ending || this.#replacement?.kind === 'leave') return null
    if (step.kind === 'leave') call.note('state', step.why)
    else call.note('document', step.kind === 'end' ? 'ended through the API' : 'replaced through the API')
    turn.cut()
    if (step.kind === 'end') call.end(step.own, step)
    else this.#replacement = step
    return turn.gone
  }

  /** What a caller has entered is reported although something else comes next, or nothing. */
  #tell(step: Step | null): void {
    if (step?.kind === 'ask' && isInput(step.question)) this.#events.deliver(step.question)
  }

  async #perform(step: Step, turn: Turn): Promise<Step | null> {
    switch (step.kind) {
      case 'end':
        this.#call.end(step.own, step)
        return null
      case 'leave':
        return null
      case 'fail':
        return this.#fail(step.message, turn)
      case 'run': {
        const on = {
          call: this.#call,
          application: this.#application,
          language: this.#language,
          guards: this.#guards,
          keys: this.#keys,
          events: this.#events,
        }
        return this.#after(await runDocument(this.#options, on, step, turn), turn)
      }
      case 'ask':
        return this.#ask(step.question, turn)
      case 'redirect':
        return this.#redirect(step.url, turn)
    }
  }

  #redirect(url: string, turn: Turn): Promise<Step | null> {
    const refused = this.#guards.redirect()
    if (refused !== null) return Promise.resolve(this.#guardFailed(refused, url))
    return this.#ask({ event: 'call.redirected', url, fields: { url, redirectCount: this.#guards.redirects } }, turn)
  }

  async #ask(question: Question, turn: Turn): Promise<Step | null> {
    const answer = await this.#events.ask(question, turn)
    if (answer.kind === 'aborted') return null
    if (answer.kind === 'failed') return { kind: 'fail', message: answer.message }
    const refused = this.#guards.document()
    if (refused !== null) return this.#guardFailed(refused, question.url)
    return { kind: 'run', url: answer.url, verbs: answer.verbs }
  }

  #guardFailed(message: string, url: string): Step {
    this.#call.note('error', message)
    this.#options.alert('application-loop', message, { callId: this.#call.id, url })
    return { kind: 'fail', message }
  }

  async #after(outcome: DocumentOutcome, turn: Turn): Promise<Step | null> {
    switch (outcome.kind) {
      case 'stop':
        return null
      case 'finished':
        return this.#application.givesBack === true ? null : documentEnd
      case 'fail':
        return outcome
      case 'hangup':
        if (this.#call.answered && !turn.over) await this.#call.play({ kind: 'silence', ms: tailMs })
        return { kind: 'end', own: outcome.own, ...(outcome.sipCode === undefined ? {} : { sipCode: outcome.sipCode }) }
      case 'redirect':
        return outcome
      case 'ask': {
        const { question } = outcome
        if (question.event === 'record.completed' || question.event === 'stream.completed') this.#guards.mediaOrInput()
        const refused = question.event === 'gather.completed' ? this.#guards.gathered(question.fields.reason) : null
        return refused === null ? outcome : this.#guardFailed(refused, question.url)
      }
    }
  }

  /** Steps 2 and 3 of the failure policy: the fallback destinations, else an apology. Step 1, the fallback URL, is part of `ask`. */
  async #fail(message: string, turn: Turn): Promise<Step | null> {
    const call = this.#call
    const { destinations: house, promptSource, log } = this.#options
    const destinations = call.row.direction === 'inbound' ? this.#application.fallbackDestinations : []
    for (const destination of destinations) {
      call.note('state', `fallback to ${destination}: ${message}`)
      log.warn({ callId: call.id, destination }, 'the application failed; the caller goes to the fallback destination')
      const { outcome } = await house.send(call, destination, { signal: turn.signal })
      if (outcome === 'answered' || call.over.aborted || turn.over) return null
    }
    await apologise(call, promptSource, turn)
    return turn.over ? null : appError
  }

  /** A fault of this program is met as one of the application: nobody is left on a dead line. */
  #fault(error: unknown, step: Step, turn: Turn): Step | null {
    this.#options.log.error({ err: error, callId: this.#call.id, step: step.kind }, 'a step of a call failed')
    this.#call.note('error', 'an internal fault')
    if (turn.over) return null
    return step.kind === 'fail' ? appError : { kind: 'fail', message: 'an internal fault' }
  }
}
