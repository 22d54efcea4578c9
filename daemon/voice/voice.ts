/** Programmable voice: runs a session for every call that an application drives, and lets the API reach into it. */
import type { Call } from '../calls/call.ts'
import type { Apology } from '../calls/calls.ts'
import type { ApplicationRunner, InboundFields } from '../routing/application.ts'
import type { Config } from '../schema/config.ts'
import { internalPrefix } from '../calls/new-call.ts'
import { applicationOf, internalApplication } from './applications.ts'
import { parseDocument } from './document.ts'
import { InternalApplications, type InternalApplication } from './internal.ts'
import { Session, type SessionOptions, type Step, apologise } from './session.ts'
import type { Application } from './session-types.ts'
import { Turn } from './turn.ts'

export class Voice implements ApplicationRunner {
  readonly #config: Config
  readonly #options: SessionOptions
  readonly #internal: InternalApplications
  readonly #sessions = new Map<string, Session>()

  constructor(config: Config, options: Omit<SessionOptions, 'internal'>) {
    this.#config = config
    this.#internal = new InternalApplications(options.clock)
    this.#options = { ...options, internal: this.#internal }
  }

  /** A part of this program answers the events of the calls whose endpoint id is `internal:<name>`. */
  serve(application: InternalApplication): void {
    this.#internal.add(application)
  }

  async inbound(call: Call, endpointId: string, extra: InboundFields): Promise<void> {
    const application = this.#applicationOf(call)
    call.progress(180)
    call.limit(application.maxCallSeconds)
    call.note('state', `application ${endpointId}`)
    await this.#run(call, { kind: 'ask', question: { event: 'call.inbound.pre_route', url: application.controlUrl, fields: extra } })
  }

  /**
   * An application of this program takes a call over: one that has just come in, or one that another application sends on. Resolves when
   * it has no part in the call any more, at the latest when `signal` aborts.
   */
  async takeOver(call: Call, name: string, signal: AbortSignal): Promise<void> {
    const url = internalPrefix + name
    const { destinations = [], givesBack = false } = this.#internal.get(url) ?? {}
    const application = { ...internalApplication(this.#config, url, destinations, call.row.maxSeconds), givesBack }
    const session = new Session(this.#options, call, application, this.#config.site.language)
    // Orders of the API are for the application that sent the call on, whose end is the end of this one.
    const first = !this.#sessions.has(call.id)
    if (first) this.#sessions.set(call.id, session)
    const leave = () => void session.replace({ kind: 'leave', why: `${name} gives the call back` })
    signal.addEventListener('abort', leave, { once: true })
    call.note('state', `application ${name}`)
    try {
      if (!signal.aborted) await session.run({ kind: 'ask', question: { event: 'call.inbound.pre_route', url, fields: {} } })
    } finally {
      signal.removeEventListener('abort', leave)
      if (first) this.#sessions.delete(call.id)
    }
  }

  async answered(call: Call): Promise<void> {
    if (!(await call.answer())) return
    const { row } = call
    const application = this.#applicationOf(call)
    call.limit(application.maxCallSeconds - call.talkSeconds)
    if (application.internal) call.note('state', `application ${application.id.slice(application.id.indexOf(':') + 1)}`)
    if (row.source?.kind !== 'document') {
      const fields = { answeredBy: row.answeredBy, ringSeconds: row.ringSeconds }
      return this.#run(call, { kind: 'ask', question: { event: 'call.answered', url: application.controlUrl, fields } })
    }
    const parsed = parseDocument(row.source.document, { destinations: new Set(application.destinations) })
    row.documents += 1
    await this.#run(
      call,
      parsed.ok ? { kind: 'run', url: '', verbs: parsed.verbs } : { kind: 'fail', message: 'the stored document cannot run' },
    )
  }

  async apologise(call: Call, why: Apology = 'apology'): Promise<void> {
    const turn = new Turn(call)
    await apologise(call, this.#options.promptSource, turn, why)
    turn.end()
    if (why === 'not-in-service') call.end({ reason: 'no-route', by: 'system' }, { sipCode: 404 })
    else if (why === 'nobody') call.end({ reason: 'no-answer', by: 'system' })
    else call.end({ reason: 'app-error', by: 'system' }, { cause: 41 })
  }

  /**
   * Cuts what runs on a call and goes on with `step`; resolves when nothing is left of what ran. null when no application
   * drives that call, or the call ends already.
   */
  replace(callId: string, step: Step): Promise<void> | null {
    return this.#sessions.get(callId)?.replace(step) ?? null
  }

  /** Ends the part of the application in a call; what runs is cut and its event is not sent. False when it has none. */
  leave(callId: string, why: string): boolean {
    return this.replace(callId, { kind: 'leave', why }) !== null
  }

  #applicationOf(call: Call): Application {
    return applicationOf(this.#config, call.row, this.#internal)
  }

  async #run(call: Call, first: Step): Promise<void> {
    const session = new Session(this.#options, call, this.#applicationOf(call), this.#config.site.language)
    this.#sessions.set(call.id, session)
    try {
      await session.run(first)
    } finally {
      this.#sessions.delete(call.id)
    }
  }
}
