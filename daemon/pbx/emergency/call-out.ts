/** Rings phones of the house that are to hear something, such as of a call for help: an application inside the daemon, as menus are. */
import { internalPrefix, newCallRow } from '../../calls/new-call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Originator } from '../../routing/originate.ts'
import type { CallEvent } from '../../schema/events.ts'
import type { InternalApplication } from '../../voice/internal.ts'
import type { Said } from '../../words/words.ts'

export interface CallOutOptions {
  readonly originator: Pick<Originator, 'accept'>
  readonly clock: Clock
  /** Of the application: lower-case letters and hyphens. */
  readonly name: string
  readonly ringSeconds: number
}

export interface Announcement {
  /** Whose number the phone shows. */
  readonly from: string
  /** The name it shows next to it. */
  readonly shown: string
  readonly said: Said
}

const longestSeconds = 180
/** A person who lifts a receiver in surprise has not listened to the beginning. */
const times = 3

export class CallOut implements InternalApplication {
  readonly name: string
  readonly destinations: readonly string[] = []
  readonly #options: CallOutOptions
  readonly #said = new Map<string, Announcement['said']>()

  constructor(options: CallOutOptions) {
    this.#options = options
    this.name = options.name
  }

  /** Resolves when the call is durable. Throws ApiError where it cannot be placed. */
  async ring(extension: string, { from, shown, said }: Announcement): Promise<void> {
    const { originator, clock, name, ringSeconds } = this.#options
    const row = newCallRow(clock.now(), 'outbound')
    Object.assign(row, {
      to: extension,
      extension,
      from,
      callerName: shown,
      endpointId: internalPrefix + name,
      timeoutSeconds: ringSeconds,
      maxSeconds: longestSeconds,
      startedAt: null,
    } satisfies Partial<typeof row>)
    this.#said.set(row.callId, said)
    try {
      const call = await originator.accept(row)
      void call.settled.then(() => this.#said.delete(row.callId))
    } catch (error) {
      this.#said.delete(row.callId)
      throw error
    }
  }

  async respond(event: CallEvent): Promise<readonly unknown[]> {
    const say = this.#said.get(event.callId)
    if (event.event !== 'call.answered' || say === undefined) return []
    return Array.from({ length: times }, () => ({ say }))
  }
}
