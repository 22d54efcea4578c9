/**
 * Applications that live in the daemon, such as the reminder call: the same sessions, verbs, guards and prompts as any
 * other, only that their documents come from a function instead of a POST. Nothing from outside leads here: their control
 * URL has a scheme of its own, which no document, no request and no configuration may name.
 */
import { internalPrefix } from '../calls/new-call.ts'
import type { Clock } from '../base/clock.ts'
import type { CallEvent } from '../schema/events.ts'
import type { ControlRequest, RequestOutcome } from './requestor.ts'

export interface InternalApplication {
  /** Lower-case letters. Its calls have the endpoint id and the control URL `internal:<name>`. */
  readonly name: string
  /** Internal destinations to which its documents may route. */
  readonly destinations: readonly string[]
  /** At the end of its documents the call goes on without it; by default it ends. */
  readonly givesBack?: boolean
  /** Answers an event, which is what an application over HTTP would receive, with a control document; a rejection is a failure of the application, and the caller hears the apology. */
  respond(event: CallEvent): Promise<readonly unknown[]>
}

export function isInternal(text: string): boolean {
  return text.trimStart().toLowerCase().startsWith(internalPrefix)
}

export class InternalApplications {
  readonly #clock: Clock
  readonly #byUrl = new Map<string, InternalApplication>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(application: InternalApplication): void {
    this.#byUrl.set(internalPrefix + application.name, application)
  }

  get(url: string): InternalApplication | undefined {
    return this.#byUrl.get(url)
  }

  /**
   * What the requestor does for the others. A hang-up does not cut it short: what the function has begun, such as keeping an
   * answer, is waited for.
   */
  async request(request: ControlRequest): Promise<RequestOutcome> {
    const application = this.#byUrl.get(request.url)
    const startedAt = this.#clock.elapsed()
    const failed = (failure: 'status' | 'timeout', message: string): RequestOutcome => {
      return { ok: false, failure, attempts: 1, ms: this.#clock.elapsed() - startedAt, message }
    }
    if (application === undefined) return failed('status', 'there is no such application in this program')
    const late = Promise.withResolvers<null>()
    const timer = this.#clock.after(request.timeoutMs, () => late.resolve(null))
    try {
      const document = await Promise.race([application.respond(request.event()), late.promise])
      if (document === null) return failed('timeout', `no answer within ${request.timeoutMs} ms`)
      const ms = this.#clock.elapsed() - startedAt
      return { ok: true, status: 200, text: JSON.stringify(document), contentType: 'application/json', attempts: 1, ms }
    } catch (error) {
      return failed('status', `the application failed: ${(error as Error).message}`)
    } finally {
      timer.cancel()
    }
  }
}
