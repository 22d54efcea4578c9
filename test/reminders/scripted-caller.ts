/** A caller whose people the test plays: each call waits until the test says what it came to. */
import type {
  ReminderCallEvents,
  ReminderCaller,
  ReminderCallRequest,
  ReminderCallResult,
  ReminderLine,
} from '../../daemon/reminders/caller.ts'

export interface ScriptedCall {
  readonly request: ReminderCallRequest
  readonly events: ReminderCallEvents
  readonly signal: AbortSignal
  end(result: ReminderCallResult): void
  ended: boolean
}

export class ScriptedCaller implements ReminderCaller {
  readonly prepared: ReminderCallRequest[] = []
  readonly calls: ScriptedCall[] = []
  channels = 10
  /** Channels that are claimed and not used yet. */
  held = 0
  /** What is known of earlier calls, by callId. */
  readonly fates = new Map<string, 'never-dialed' | 'dialed' | 'answered'>()
  /** What every call comes to at once; null: the test ends them. */
  auto: ((request: ReminderCallRequest, events: ReminderCallEvents) => Promise<ReminderCallResult>) | null = null
  /** Most calls at once, and numbers called twice at the same time. */
  most = 0
  clashes = 0

  claim(): ReminderLine | null {
    if (this.live().length + this.held >= this.channels) return null
    let held = 1
    this.held += 1
    const release = (): void => {
      this.held -= held
      held = 0
    }
    return {
      prepare: (request) => void this.prepared.push(request),
      release,
      call: (request, events, signal) => {
        release()
        return this.#call(request, events, signal)
      },
    }
  }

  async #call(request: ReminderCallRequest, events: ReminderCallEvents, signal: AbortSignal): Promise<ReminderCallResult> {
    const { promise, resolve } = Promise.withResolvers<ReminderCallResult>()
    const call: ScriptedCall = {
      request,
      events,
      signal,
      ended: false,
      end: (result) => {
        call.ended = true
        resolve(result)
      },
    }
    const live = this.live()
    if (live.some((other) => other.request.number === request.number || other.request.reminderId === request.reminderId)) this.clashes += 1
    this.calls.push(call)
    this.most = Math.max(this.most, live.length + 1)
    if (this.auto !== null) call.end(await this.auto(request, events))
    return promise
  }

  fate(callId: string): 'never-dialed' | 'dialed' | 'answered' {
    return this.fates.get(callId) ?? 'never-dialed'
  }

  live(): ScriptedCall[] {
    return this.calls.filter((call) => !call.ended)
  }
}
