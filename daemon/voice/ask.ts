/**
 * The control events of one call and the documents they are answered with. They go out strictly one after the other, with
 * the failure policy as far as the fallback URL. What a caller has entered is delivered whatever happens to the call
 * meanwhile; its answer is of use only while the turn lasts that asked.
 */
import type { Call } from '../calls/call.ts'
import { laterEvent, type LaterEvent } from '../calls/envelope.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { InputEventName } from '../schema/events.ts'
import { knownPath, parseDocument } from './document.ts'
import { startFiller } from './filler.ts'
import { inputId, type FinishedInputs, type KeptInput } from './inputs.ts'
import type { InternalApplications } from './internal.ts'
import type { ControlRequest, Requestor, RequestOutcome } from './requestor.ts'
import type { Application, PromptSource, Question } from './session-types.ts'
import type { Turn } from './turn.ts'
import type { DocumentVerb, Problem } from './verb.ts'
import type { TSchema } from '@sinclair/typebox'
import { ours } from '../base/for-log.ts'
import { verbs } from './verbs/index.ts'

/** A control document as a trace shows it: words that its schema lists are names of ours, such as callerId: trunk; everything else is a value. */
interface ShownVerb {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
}

function shownDocument(document: readonly ShownVerb[]): Record<string, unknown>[] {
  return document.map(({ name, params }) => {
    const properties = verbs.get(name)?.parameters.properties ?? {}
    const shown = Object.entries(params).map(([key, value]) => [
      key,
      properties[key] === undefined ? value : shownValue(value, properties[key]),
    ])
    return { [name]: Object.fromEntries(shown) as Record<string, unknown> }
  })
}

function shownValue(value: unknown, schema: TSchema): unknown {
  if (typeof value === 'string') return listed(schema, value) ? ours(value) : value
  return Array.isArray(value) ? value.map((item) => shownValue(item, schema)) : value
}

function listed(schema: TSchema, value: string): boolean {
  const {
    const: only,
    enum: several,
    anyOf,
    items,
  } = schema as TSchema & { const?: unknown; enum?: readonly unknown[]; anyOf?: readonly TSchema[]; items?: TSchema }
  if (only === value || several?.includes(value) === true) return true
  return [...(anyOf ?? []), ...(items === undefined ? [] : [items])].some((one) => listed(one, value))
}

export type Answer =
  | { readonly kind: 'document'; readonly url: string; readonly verbs: readonly DocumentVerb[] }
  /** Neither the application nor its fallback URL gave a document that can run. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The turn ended first. */
  | { readonly kind: 'aborted' }

/** Something an administrator must know: which application, which URL, what was wrong. */
export const applicationAlerts = ['signature-rejected', 'application-failed', 'document-invalid', 'application-loop'] as const

export interface AlertFacts {
  readonly callId: string
  /** As it was asked, with what it carries for the call: not to be shown as it is. */
  readonly url: string
  readonly [name: string]: unknown
}

/** `text`: what was wrong, without the URL and without words of the application. */
export type Alert = (code: (typeof applicationAlerts)[number], text: string, facts: AlertFacts) => void

export interface AskOptions {
  readonly requestor: Requestor
  readonly internal: InternalApplications
  readonly promptSource: PromptSource
  readonly inputs: Pick<FinishedInputs, 'keep'>
  readonly clock: Clock
  readonly log: Log
  readonly alert: Alert
  /** A URL of which there may be alerts answered with a document that can run. */
  readonly recovered: (url: string) => void
}

/** Once the caller is gone. */
const lateTimeoutMs = 5000
const never = new AbortController().signal

const inputEvents: ReadonlySet<string> = new Set<InputEventName>(['gather.completed', 'record.completed', 'stream.completed'])

/** The event of something a caller has done, which is sent although the caller is gone. */
export function isInput(question: Question): question is Question<InputEventName> {
  return inputEvents.has(question.event)
}

export class ControlEvents {
  readonly #options: AskOptions
  readonly #call: Call
  readonly #application: Application
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: AskOptions, call: Call, application: Application) {
    this.#options = options
    this.#call = call
    this.#application = application
  }

  /** Asks for the next document and keeps the caller company meanwhile. */
  async ask(question: Question, turn: Turn): Promise<Answer> {
    const filler = startFiller(this.#options, this.#call, this.#application, turn.signal)
    try {
      return await turn.within(this.#send(question, turn), { kind: 'aborted' })
    } finally {
      await filler.stop()
    }
  }

  /** Reports an input although no answer is needed any more. */
  deliver(question: Question): void {
    void this.#send(question, null)
  }

  /** Sends an event on the side whose answer does not matter; true when it was taken within 5 s. */
  async tell(question: Question, circuit: string): Promise<boolean> {
    const { clock } = this.#options
    const call = this.#call
    call.note('event', `${question.event} -> ${question.url}`, shown(question))
    const event = laterEvent(call, clock, question)
    const outcome = await this.#post(event, question.url, circuit, lateTimeoutMs, never)
    if (!outcome.ok) call.note('warning', `${question.event} was not accepted: ${outcome.message}`)
    return outcome.ok
  }

  /** In its turn; the end of the call waits for it. */
  #send(question: Question, turn: Turn | null): Promise<Answer> {
    const { clock, inputs } = this.#options
    let kept: KeptInput | null = null
    const leaves = (sequence: number) => kept?.leaves(sequence)
    const numbered = !this.#isOwn(question.url)
    const event = laterEvent(this.#call, clock, question, { eventId: inputId(question), numbered, leaves })
    if (isInput(question)) kept = inputs.keep(this.#call, event.eventId, question)
    const sent = this.#last.then(() => this.#deliver(question, event, turn)).finally(() => kept?.done())
    this.#last = sent.catch(() => undefined)
    this.#call.holdEnd(sent)
    return sent
  }

  async #deliver(question: Question, event: LaterEvent, turn: Turn | null): Promise<Answer> {
    const { log } = this.#options
    const application = this.#application
    const input = isInput(question)
    const needed = () => input || turn?.over === false
    if (!needed()) return { kind: 'aborted' }
    const first = await this.#attempt(question, event, question.url, application.id, turn)
    if (first.kind !== 'failed') return first
    const { fallbackUrl } = application
    if (fallbackUrl !== null && fallbackUrl !== question.url && needed()) {
      this.#call.note('event', `${question.event} -> fallback ${fallbackUrl}`)
      const second = await this.#attempt(question, event, fallbackUrl, `${application.id} fallback`, turn)
      if (second.kind !== 'failed') return second
    }
    if (input) log.error({ callId: this.#call.id, event: question.event }, 'the input of a caller could not be sent to the application')
    return first
  }

  async #attempt(question: Question, event: LaterEvent, url: string, circuit: string, turn: Turn | null): Promise<Answer> {
    const call = this.#call
    const options = this.#options
    call.note('event', `${question.event} -> ${url}`, shown(question))
    const outcome = await this.#post(event, url, circuit, this.#application.timeoutMs, abortedBy(question, turn))
    if (!outcome.ok) {
      if (outcome.failure === 'aborted') return { kind: 'aborted' }
      const refused = outcome.status === 401 || outcome.status === 403
      const why = refused ? ': the secrets differ, or its clock is more than 300 s off' : ''
      call.note('error', outcome.message + why, { url, attempts: outcome.attempts })
      options.alert(
        refused ? 'signature-rejected' : 'application-failed',
        refused ? `answered ${outcome.status}: signature rejected: secrets differ` : outcome.message,
        { callId: call.id, url, event: question.event, status: outcome.status },
      )
      return { kind: 'failed', message: outcome.message }
    }
    if (turn?.over !== false) {
      if (turn !== null) call.note('warning', 'the answer came too late and was discarded')
      return { kind: 'aborted' }
    }
    return this.#judge(question, url, outcome)
  }

  #judge(question: Question, url: string, outcome: RequestOutcome & { ok: true }): Answer {
    const call = this.#call
    const options = this.#options
    const { destinations } = this.#application
    if (outcome.warning !== undefined) call.note('warning', outcome.warning)
    const parsed = parseDocument(outcome.text, { destinations: new Set(destinations) })
    for (const warning of parsed.warnings) call.note('warning', `${warning.path} ${warning.message}`)
    if (!parsed.ok) {
      const message = `the control document cannot run: ${describe(parsed.errors)}`
      call.note('error', message, { url, errors: parsed.errors })
      const at = parsed.errors.slice(0, 5).map(({ path }) => knownPath(path))
      const where = at[0] === undefined || at[0] === '' ? '' : `; the first is at ${at[0]}`
      const text = `the control document cannot run: ${parsed.errors.length} errors${where}`
      options.alert('document-invalid', text, { callId: call.id, url, event: question.event, at })
      return { kind: 'failed', message }
    }
    options.recovered(url)
    call.row.documents += 1
    call.note('document', parsed.verbs.length === 0 ? '[]' : parsed.verbs.map((verb) => verb.name).join(', '), {
      ms: outcome.ms,
      verbs: shownDocument(parsed.verbs),
    })
    return { kind: 'document', url, verbs: parsed.verbs }
  }

  /** The functions of the daemon answer their own calls alone; everything else goes out, where their URLs are refused. */
  #post(event: LaterEvent, url: string, circuit: string, timeoutMs: number, signal: AbortSignal): Promise<RequestOutcome> {
    const { internal, requestor } = this.#options
    const { id: callId, over } = this.#call
    const application = this.#application
    const request: ControlRequest = {
      endpointId: circuit,
      url,
      secret: application.secret,
      event: event.made,
      stored: event.stored,
      eventId: event.eventId,
      callId,
      timeoutMs: over.aborted ? Math.min(lateTimeoutMs, timeoutMs) : timeoutMs,
      signal,
    }
    return this.#isOwn(url) ? internal.request(request) : requestor.request(request)
  }

  /** Whether a function of this program answers there. */
  #isOwn(url: string): boolean {
    return this.#application.internal && url === this.#application.controlUrl
  }
}

/** What ends a request: nothing ends that of an input, and the hang-up only the one that asks what to do with the caller. */
function abortedBy(question: Question, turn: Turn | null): AbortSignal {
  if (turn === null || isInput(question)) return never
  return question.event === 'call.inbound.pre_route' ? turn.signal : turn.replaced
}

/** The first is seldom the one that somebody looks for: a verb that is misspelt often comes after what it left out. */
const mostTold = 4

export function describe(errors: readonly Problem[]): string {
  if (errors.length === 0) return 'no reason given'
  const shown = errors.slice(0, mostTold).map(({ path, message }) => `${path === '' ? '' : `${path} `}${message}`)
  return `${shown.join('; ')}${errors.length > mostTold ? ` (and ${errors.length - mostTold} more)` : ''}`
}

const masked = ['digits', 'speech', 'finishKey', 'transcript']

function shown(question: Question): unknown {
  if (question.sensitive !== true) return question.fields
  return Object.fromEntries(
    Object.entries(question.fields).map(([name, value]) => [name, masked.includes(name) && value !== '' ? '***' : value]),
  )
}
