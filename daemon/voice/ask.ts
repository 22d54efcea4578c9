/**
 * Asks an application for the next control document: makes the event, sends it, keeps the caller company while the
 * application thinks, checks the answer, and follows the failure policy as far as the fallback URL.
 */
import type { Call } from '../calls/call.ts'
import { callEvent } from '../calls/envelope.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Log } from '../log.ts'
import { parseDocument } from './document.ts'
import { PromptPlayer } from './prompts.ts'
import type { InternalApplications } from './internal.ts'
import type { ControlRequest, Requestor, RequestOutcome } from './requestor.ts'
import type { Application, PromptSource } from './session-types.ts'
import type { DocumentVerb, Problem } from './verb.ts'

export interface Question {
  readonly event: string
  readonly url: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Values of keys and speech stay out of the trace. */
  readonly sensitive?: boolean
}

export type Answer =
  | { readonly kind: 'document'; readonly url: string; readonly verbs: readonly DocumentVerb[] }
  /** Neither the application nor its fallback URL gave a document that can run. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'aborted' }

/** Something an administrator must know: which application, which URL, what was wrong. */
export const applicationAlerts = ['signature-rejected', 'application-failed', 'document-invalid', 'application-loop'] as const

export type Alert = (code: (typeof applicationAlerts)[number], text: string, facts: Readonly<Record<string, unknown>>) => void

export interface AskOptions {
  readonly requestor: Requestor
  readonly internal: InternalApplications
  readonly promptSource: PromptSource
  readonly clock: Clock
  readonly log: Log
  readonly alert: Alert
  /** A URL of which there may be alerts answered with a document that can run. */
  readonly recovered: (url: string) => void
}

const fillerAfterMs = 3000
const fillerEveryMs = 8000
/** 425 Hz for 200 ms: unlike any tone that means "busy" or "gone". */
const waitTone = { kind: 'tone', hz: [425], ms: 200, dbm0: -24 } as const

export async function ask(
  options: AskOptions,
  call: Call,
  application: Application,
  question: Question,
  signal: AbortSignal,
): Promise<Answer> {
  const event = callEvent(call, options.clock, question.event, question.fields)
  const filler = startFiller(options, call, application, signal)
  try {
    const first = await attempt(options, call, application, question, event, question.url, application.id, signal)
    if (first.kind !== 'failed' || application.fallbackUrl === null || application.fallbackUrl === question.url) return first
    call.note('event', `${question.event} -> fallback ${application.fallbackUrl}`)
    return await attempt(options, call, application, question, event, application.fallbackUrl, `${application.id} fallback`, signal)
  } finally {
    await filler.stop()
  }
}

/**
 * Sends an event whose answer does not matter, such as the last one of a caller who has hung up. Waits at most 5 s; true
 * when it was taken.
 */
export async function tell(
  options: AskOptions,
  call: Call,
  application: Application,
  question: Question,
  circuit: string = application.id,
): Promise<boolean> {
  const event = callEvent(call, options.clock, question.event, question.fields)
  call.note('event', `${question.event} -> ${question.url}`, shown(question))
  const outcome = await send(options, application, {
    endpointId: circuit,
    url: question.url,
    secret: application.secret,
    eventBody: event.body,
    eventId: event.eventId,
    callId: call.id,
    timeoutMs: Math.min(5000, application.timeoutMs),
    signal: new AbortController().signal,
  })
  if (!outcome.ok) call.note('warning', `${question.event} was not taken: ${outcome.message}`)
  return outcome.ok
}

/** The functions of the daemon answer their own calls alone; everything else goes out, where their URLs are refused. */
function send({ internal, requestor }: AskOptions, application: Application, request: ControlRequest): Promise<RequestOutcome> {
  const own = application.internal && request.url === application.controlUrl
  return own ? internal.request(request) : requestor.request(request)
}

async function attempt(
  options: AskOptions,
  call: Call,
  application: Application,
  question: Question,
  event: { eventId: string; body: string },
  url: string,
  circuit: string,
  signal: AbortSignal,
): Promise<Answer> {
  call.note('event', `${question.event} -> ${url}`, shown(question))
  const outcome = await send(options, application, {
    endpointId: circuit,
    url,
    secret: application.secret,
    eventBody: event.body,
    eventId: event.eventId,
    callId: call.id,
    timeoutMs: application.timeoutMs,
    signal,
  })
  if (signal.aborted) {
    call.note('warning', 'the answer came too late and was discarded')
    return { kind: 'aborted' }
  }
  if (!outcome.ok) {
    if (outcome.failure === 'aborted') return { kind: 'aborted' }
    call.note('error', outcome.message, { url, attempts: outcome.attempts })
    const refused = outcome.status === 401 || outcome.status === 403
    options.alert(
      refused ? 'signature-rejected' : 'application-failed',
      refused ? `${url} answered ${outcome.status}: signature rejected: secrets differ` : `${url}: ${outcome.message}`,
      { callId: call.id, url, event: question.event, status: outcome.status },
    )
    return { kind: 'failed', message: outcome.message }
  }
  if (outcome.warning !== undefined) call.note('warning', outcome.warning)
  const parsed = parseDocument(outcome.text, { destinations: new Set(application.destinations), internal: application.internal })
  for (const warning of parsed.warnings) call.note('warning', `${warning.path} ${warning.message}`)
  if (!parsed.ok) {
    const message = `the control document cannot run: ${describe(parsed.errors)}`
    call.note('error', message, { url, errors: parsed.errors })
    options.alert('document-invalid', `${url}: ${message}`, {
      callId: call.id,
      url,
      event: question.event,
      errors: parsed.errors.slice(0, 5),
    })
    return { kind: 'failed', message }
  }
  options.recovered(url)
  call.row.documents += 1
  call.note('document', parsed.verbs.length === 0 ? '[]' : parsed.verbs.map((verb) => verb.name).join(', '), {
    ms: outcome.ms,
    verbs: parsed.verbs.map((verb) => ({ [verb.name]: verb.params })),
  })
  return { kind: 'document', url, verbs: parsed.verbs }
}

export function describe(errors: readonly Problem[]): string {
  const [first] = errors
  if (first === undefined) return 'no reason given'
  return `${first.path === '' ? '' : `${first.path} `}${first.message}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`
}

const masked = ['digits', 'speech', 'finishKey', 'transcript']

function shown(question: Question): unknown {
  if (question.sensitive !== true) return question.fields
  return Object.fromEntries(
    Object.entries(question.fields).map(([name, value]) => [name, masked.includes(name) && value !== '' ? '***' : value]),
  )
}

/** What the caller hears from 3 s of waiting on: a phrase or a tone, again every 8 s, silenced as soon as the answer is there. */
export function startFiller(
  options: AskOptions,
  call: Call,
  application: Application,
  signal: AbortSignal,
  what = 'the application is slow',
): { stop(): Promise<void> } {
  let timer: Timer | null = null
  let stopped = application.waitAudio === 'none'
  let playing: Promise<unknown> | null = null
  const turn = () => {
    if (stopped || signal.aborted) return
    if (call.answered) {
      call.note('prompt', `${what}: wait audio`)
      playing =
        application.waitAudio === 'tone'
          ? call.play(waitTone)
          : new PromptPlayer(call, options.promptSource.prepare({ prompt: 'one-moment', callId: call.id }).parts).play()
    }
    timer = options.clock.after(fillerEveryMs, turn)
  }
  if (!stopped) timer = options.clock.after(fillerAfterMs, turn)
  return {
    stop: async () => {
      if (stopped) return
      stopped = true
      timer?.cancel()
      if (playing === null) return
      call.clear()
      await playing
    },
  }
}
