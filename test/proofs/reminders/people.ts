/**
 * People who are called in simulated time: they ring out, are busy, listen, press keys, as chance has it. What happens on the line goes
 * into a journal, one write a line, so that it is known after the process was killed: `D` a phone rang, `A` it was answered, `K` the person
 * heard that a key is taken, `E` the call ended.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../../daemon/base/clock.ts'
import type {
  ReminderCallEvents,
  ReminderCaller,
  ReminderCallRequest,
  ReminderCallResult,
  ReminderLine,
} from '../../../daemon/reminders/caller.ts'

export interface PeopleOptions {
  readonly clock: Clock
  readonly seed: number
  readonly channels: number
  /** One line of the journal. */
  readonly tell: (line: string) => void
  /** Lines of earlier runs. */
  readonly before: readonly string[]
}

type End = { readonly ringSeconds: number; readonly result: ReminderCallResult; readonly listenSeconds: number }

export class People implements ReminderCaller {
  readonly #options: PeopleOptions
  readonly #fates = new Map<string, 'dialed' | 'answered'>()
  /** Attempts that found no free line once; the next time there is one. */
  readonly #withoutLine = new Set<string>()
  calls = 0
  live = 0
  mostLive = 0
  /** Channels that are claimed and not used yet. */
  #held = 0

  constructor(options: PeopleOptions) {
    this.#options = options
    for (const line of options.before) {
      const [kind = '', callId = ''] = line.split(' ')
      if (kind === 'D') this.#fates.set(callId, 'dialed')
      if (kind === 'A') this.#fates.set(callId, 'answered')
    }
  }

  fate(callId: string): 'never-dialed' | 'dialed' | 'answered' {
    return this.#fates.get(callId) ?? 'never-dialed'
  }

  claim(): ReminderLine | null {
    if (this.live + this.#held >= this.#options.channels - 1) return null
    let held = 1
    this.#held += 1
    const release = (): void => {
      this.#held -= held
      held = 0
    }
    // There are no rows of calls here: the journal says what left the house.
    const prepare = (): void => undefined
    return {
      prepare,
      release,
      call: (request, events) => {
        release()
        return this.#call(request, events)
      },
    }
  }

  async #call(request: ReminderCallRequest, events: ReminderCallEvents): Promise<ReminderCallResult> {
    const { clock, tell } = this.#options
    const { callId, reminderId, number } = request
    const { ringSeconds, listenSeconds, result } = this.#fortune(request)
    this.calls += 1
    this.live += 1
    this.mostLive = Math.max(this.mostLive, this.live)
    tell(`D ${callId} ${clock.now()} ${reminderId} ${number}`)
    await this.#wait(ringSeconds)
    if (listenSeconds > 0) {
      tell(`A ${callId} ${clock.now()}`)
      events.inCall(clock.now())
      await this.#wait(listenSeconds)
      if (result.kind === 'answer') {
        await events.decided(result.outcome, result.reason)
        tell(`K ${callId} ${clock.now()} ${result.outcome}`)
        await this.#wait(4)
      }
    }
    this.live -= 1
    tell(`E ${callId} ${clock.now()} ${result.kind}`)
    return result
  }

  #wait(seconds: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(seconds * 1000, resolve))
  }

  /** Chance, but the same for the same seed and attempt. */
  #fortune({ reminderId, attempt }: ReminderCallRequest): End {
    const bytes = createHash('sha256').update(`${this.#options.seed} ${reminderId} ${attempt}`).digest()
    const chance = bytes.readUInt16BE(0) / 65_536
    const ringSeconds = 4 + (bytes[2]! % 20)
    const listenSeconds = 15 + (bytes[3]! % 25)
    const answer = (outcome: 'confirmed' | 'canceled' | 'reschedule' | 'opted-out', reason: 'keypad' | 'speech' = 'keypad'): End => ({
      ringSeconds,
      listenSeconds,
      result: { kind: 'answer', outcome, reason },
    })
    if (chance < 0.42) return answer('confirmed')
    if (chance < 0.46) return answer('confirmed', 'speech')
    if (chance < 0.49) return answer('canceled')
    if (chance < 0.52) return answer('reschedule')
    if (chance < 0.525) return answer('opted-out')
    if (chance < 0.54) return { ringSeconds, listenSeconds, result: { kind: 'reception' } }
    if (chance < 0.59) return { ringSeconds, listenSeconds, result: { kind: 'no-input' } }
    if (chance < 0.74) return { ringSeconds: 22, listenSeconds: 30, result: { kind: 'voicemail' } }
    if (chance < 0.91) return { ringSeconds: 30, listenSeconds: 0, result: { kind: 'no-answer' } }
    if (chance < 0.97) return { ringSeconds: 2, listenSeconds: 0, result: { kind: 'busy' } }
    if (chance < 0.99) return { ringSeconds: 3, listenSeconds: 0, result: { kind: 'failed', text: 'the network is congested' } }
    const key = `${reminderId} ${attempt}`
    if (this.#withoutLine.has(key)) return { ringSeconds: 30, listenSeconds: 0, result: { kind: 'no-answer' } }
    this.#withoutLine.add(key)
    return { ringSeconds: 0, listenSeconds: 0, result: { kind: 'not-placed', text: 'no line' } }
  }
}
