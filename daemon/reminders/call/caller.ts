/**
 * Places reminder calls: an application inside the daemon on the same calls, sessions and verbs as any other. Its rows show after a crash
 * whether a person may have been rung, so that nobody is rung twice: the row is durable as dialled before the first packet leaves, and only
 * the planner dials it again.
 */
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import { putCall } from '../../calls/live-index.ts'
import { internalPrefix, newCallRow } from '../../calls/new-call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { type Claim, type Trunks, chooseTrunk } from '../../routing/trunks.ts'
import type { Config } from '../../schema/config.ts'
import type { Store } from '../../store/store.ts'
import type { CallRow } from '../../store/tables.ts'
import type { Voice } from '../../voice/voice.ts'
import type { ReminderCallEvents, ReminderCaller, ReminderCallRequest, ReminderCallResult, ReminderLine } from '../caller.ts'
import { Conversation } from './conversation.ts'
import { receptionOf, scriptFacts } from './facts.ts'
import { hearGreeting, hearLateBeep } from './hear.ts'

export interface ReminderCallerOptions {
  readonly config: Config
  readonly store: Store
  readonly calls: Calls
  readonly trunks: Trunks
  readonly voice: Voice
  readonly clock: Clock
  readonly log: Log
}

const applicationName = 'reminders'
const endpointId = internalPrefix + applicationName
const longestSeconds = 300
/** The longest call that the rules for health care calls without consent allow. */
const longestExemptSeconds = 60

/** Registers the application with `voice`: one caller for a daemon. */
export function createReminderCaller(options: ReminderCallerOptions): ReminderCaller {
  return new Caller(options)
}

/** What is held for one call. */
interface Held {
  readonly claim: Claim | null
  /** Why the number may not be called, now or later; '' where it may. */
  readonly denied: string
  readonly trunkId: string
  readonly from: string
}

class Caller implements ReminderCaller {
  readonly #options: ReminderCallerOptions
  readonly #conversations = new Map<string, Conversation>()

  constructor(options: ReminderCallerOptions) {
    this.#options = options
    const reception = receptionOf(options.config)
    options.voice.serve({
      name: applicationName,
      destinations: reception === null ? [] : [reception],
      respond: async (event) => (await this.#conversations.get(event.callId)?.respond(event)) ?? [],
    })
  }

  claim(number: string): ReminderLine | null {
    const { config, trunks, calls } = this.#options
    const trunk = chooseTrunk(config, config.reminders.trunk, undefined)
    if (trunk === undefined || calls.minutes.refusal({ to: '' }) !== null) return null
    const answer = trunks.claim({ purpose: 'reminder', trunkId: trunk.id, to: number })
    if (answer.claim === null && answer.obstacle !== 'denied') return null
    const { claim } = answer
    const denied = answer.claim === null ? answer.reason : ''
    const held: Held = { claim, denied, trunkId: trunk.id, from: trunk.numbers[0] ?? config.site.number ?? '' }
    let row: CallRow | null = null
    return {
      prepare: (request) => void (row = this.#prepare(request, held)),
      call: (request, events, signal) => this.#safely(request, row, held, events, signal),
      release: () => claim?.release(),
    }
  }

  #prepare(request: ReminderCallRequest, { trunkId, from }: Held): CallRow {
    const { config, store, clock } = this.#options
    const row = newCallRow(clock.now(), 'outbound')
    Object.assign(row, {
      callId: request.callId,
      to: request.number,
      from,
      callerName: config.site.name,
      trunkId,
      endpointId,
      params: { reminderId: request.reminderId, attempt: String(request.attempt) },
      timeoutSeconds: request.ringSeconds,
      maxSeconds: config.reminders.preset === 'us-health-exempt' ? longestExemptSeconds : longestSeconds,
      startedAt: null,
    } satisfies Partial<CallRow>)
    if (request.token !== '') row.token = request.token
    putCall(store.tables, row)
    return row
  }

  async #safely(
    request: ReminderCallRequest,
    row: CallRow | null,
    held: Held,
    events: ReminderCallEvents,
    signal: AbortSignal,
  ): Promise<ReminderCallResult> {
    try {
      if (row === null) throw new Error('the call was not prepared')
      return await this.#call(request, row, held, events, signal)
    } catch (error) {
      this.#options.log.error({ err: error, callId: request.callId }, 'a reminder call failed')
      return { kind: 'failed', text: (error as Error).message }
    } finally {
      held.claim?.release()
      this.#conversations.delete(request.callId)
    }
  }

  fate(callId: string): ReturnType<ReminderCaller['fate']> {
    const row = this.#options.store.tables.calls.get(callId)
    if (row === undefined || row.startedAt === null) return 'never-dialed'
    return row.answeredAt === null ? 'dialed' : 'answered'
  }

  /** Why the call cannot be placed now, or null. */
  #obstacle({ trunkId }: CallRow, signal: AbortSignal): string | null {
    if (signal.aborted) return 'the call is no longer wanted'
    const fault = this.#options.trunks.fault(trunkId)
    return fault === null ? null : `${trunkId}: ${fault}`
  }

  async #call(
    request: ReminderCallRequest,
    prepared: CallRow,
    { claim, denied }: Held,
    events: ReminderCallEvents,
    signal: AbortSignal,
  ): Promise<ReminderCallResult> {
    const { config, calls, clock } = this.#options
    const facts = scriptFacts(config, request, config.site.number ?? prepared.from)
    const call = calls.add({ ...prepared })
    const { row } = call
    call.note('state', `reminder ${request.reminderId}, attempt ${request.attempt}`)
    // Another time would be no better.
    if (claim === null) return this.#giveUp(call, { kind: 'failed', text: denied })
    let obstacle = this.#obstacle(row, signal) ?? calls.minutes.refusal(row, call)?.message ?? null
    if (obstacle === null) {
      obstacle = (await this.#markDialled(row)) ?? this.#obstacle(row, signal)
      if (obstacle !== null) row.startedAt = null
    }
    if (obstacle !== null) return this.#giveUp(call, { kind: 'not-placed', text: obstacle })
    const { to, from, callerName, timeoutSeconds } = row
    calls.dial(call, claim.dial({ to, from, callerName, timeoutSeconds }, call.over))
    const conversation = new Conversation(call, clock, facts, events)
    this.#conversations.set(call.id, conversation)
    const unwanted = () => call.end({ reason: 'canceled', by: 'app' })
    signal.addEventListener('abort', unwanted)
    calls.drive(call, () => this.#talk(call, conversation, events))
    await call.settled
    signal.removeEventListener('abort', unwanted)
    return conversation.result()
  }

  async #giveUp(call: Call, result: ReminderCallResult & { readonly text: string }): Promise<ReminderCallResult> {
    call.note('state', `not placed: ${result.text}`)
    call.end({ reason: 'failed', by: 'system' })
    await call.settled
    return result
  }

  /** Durable before the first packet: after a crash nobody who may have been rung counts as not called. */
  async #markDialled(row: CallRow): Promise<string | null> {
    const { store, clock, log } = this.#options
    row.startedAt = clock.now()
    try {
      await store.transaction(() => putCall(store.tables, { ...row, state: 'dialing' }))
      return null
    } catch (error) {
      log.error({ err: error, callId: row.callId }, 'a reminder call was not placed: its state could not be stored')
      return 'the disk cannot be written'
    }
  }

  async #talk(call: Call, conversation: Conversation, events: ReminderCallEvents): Promise<void> {
    const { clock, voice } = this.#options
    if (!(await call.answer())) return
    const { row } = call
    events.inCall(row.answeredAt ?? clock.now())
    conversation.limit(row.maxSeconds)
    call.activity('app')
    row.answeredBy = await hearGreeting(call, clock)
    if (call.over.aborted) return
    call.note('state', `answered by a ${row.answeredBy}`)
    const stop = row.answeredBy === 'machine' ? () => undefined : hearLateBeep(call, () => leaveMessage())
    const leaveMessage = () => {
      row.answeredBy = 'machine'
      call.note('state', 'a beep: an answering machine')
      const fields = { answeredBy: row.answeredBy, ringSeconds: row.ringSeconds }
      void voice.replace(call.id, { kind: 'ask', question: { event: 'call.answered', url: endpointId, fields } })
    }
    await voice.answered(call)
    stop()
  }
}
