/**
 * Places reminder calls: an application inside the daemon on the same calls, sessions and verbs as any other. Its rows tell
 * after a crash whether a person may have been rung, so that nobody is rung twice: the row is durable as dialled before
 * the first packet leaves, and nothing but the planner dials it again.
 */
import type { DialRequest, Leg, LineStatus } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import type { ApplicationRunner, Calls } from '../../calls/calls.ts'
import { putCall } from '../../calls/live-index.ts'
import { internalPrefix, newCallRow } from '../../calls/new-call.ts'
import { chooseTrunk } from '../../calls/originate.ts'
import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { createReach, type Reach } from '../../reach.ts'
import type { Config, TrunkConfig } from '../../schema/config.ts'
import type { Store } from '../../store/store.ts'
import type { CallRow } from '../../store/tables.ts'
import type { Voice } from '../../voice/voice.ts'
import type { ReminderCallEvents, ReminderCaller, ReminderCallRequest, ReminderCallResult } from '../caller.ts'
import { Conversation } from './conversation.ts'
import { receptionOf, scriptFacts } from './facts.ts'
import { hearGreeting, hearLateBeep } from './hear.ts'

export interface ReminderCallerOptions {
  readonly config: Config
  readonly store: Store
  readonly calls: Calls
  readonly driver: { dial(request: DialRequest): Leg; lines(): readonly LineStatus[] }
  readonly voice: Voice
  readonly clock: Clock
  readonly log: Log
}

const applicationName = 'reminders'
const endpointId = internalPrefix + applicationName
const longestSeconds = 300
/** The longest call that the rules for health care calls without consent allow. */
const longestExemptSeconds = 60
/** A row whose transaction came to nothing does not hold a channel for ever. */
const preparedMs = 30_000

/** Registers the application with `voice`: one caller for a daemon. */
export function createReminderCaller(options: ReminderCallerOptions): ReminderCaller {
  return new Caller(options)
}

class Caller implements ReminderCaller {
  readonly #options: ReminderCallerOptions
  readonly #reach: Reach
  readonly #conversations = new Map<string, Conversation>()
  readonly #prepared = new Map<string, CallRow>()

  constructor(options: ReminderCallerOptions) {
    this.#options = options
    this.#reach = createReach(options.config)
    const reception = receptionOf(options.config)
    options.voice.serve({
      name: applicationName,
      destinations: reception === null ? [] : [reception],
      respond: async (event) => (await this.#conversations.get(event.callId)?.respond(event)) ?? [],
    })
  }

  prepare(request: ReminderCallRequest): void {
    const { config, store, clock } = this.#options
    const trunk = this.#trunk(request.trunkId)
    const row = newCallRow(clock.now(), 'outbound')
    Object.assign(row, {
      callId: request.callId,
      to: request.number,
      from: trunk?.numbers[0] ?? config.site.number ?? '',
      callerName: config.site.name,
      trunkId: trunk?.id ?? '',
      endpointId,
      params: { reminderId: request.reminderId, attempt: String(request.attempt) },
      timeoutSeconds: request.ringSeconds,
      maxSeconds: config.reminders.preset === 'us-health-exempt' ? longestExemptSeconds : longestSeconds,
      startedAt: null,
    } satisfies Partial<CallRow>)
    if (request.token !== '') row.token = request.token
    putCall(store.tables, row)
    this.#prepared.set(row.callId, row)
  }

  async call(request: ReminderCallRequest, events: ReminderCallEvents, signal: AbortSignal): Promise<ReminderCallResult> {
    const { log } = this.#options
    try {
      return await this.#call(request, events, signal)
    } catch (error) {
      log.error({ err: error, callId: request.callId }, 'a reminder call failed')
      return { kind: 'failed', text: (error as Error).message }
    } finally {
      this.#prepared.delete(request.callId)
      this.#conversations.delete(request.callId)
    }
  }

  fate(callId: string): ReturnType<ReminderCaller['fate']> {
    const row = this.#options.store.tables.calls.get(callId)
    if (row === undefined || row.startedAt === null) return 'never-dialed'
    return row.answeredAt === null ? 'dialed' : 'answered'
  }

  free(): number {
    const { clock } = this.#options
    for (const [callId, row] of this.#prepared) if (row.createdAt + preparedMs < clock.now()) this.#prepared.delete(callId)
    const trunk = this.#trunk(null)
    if (trunk === undefined || this.#down(trunk) !== null) return 0
    if (this.#options.calls.minutes.refusal({ to: '' }) !== null) return 0
    const coming = [...this.#prepared.values()].filter((row) => row.trunkId === trunk.id).length
    const kept = trunk.channels > 1 ? 1 : 0
    return Math.max(0, trunk.channels - kept - coming - this.#options.calls.onTrunk(trunk.id))
  }

  #trunk(id: string | null): TrunkConfig | undefined {
    const { config } = this.#options
    return chooseTrunk(config, id ?? config.reminders.trunk, undefined)
  }

  #down(trunk: TrunkConfig): string | null {
    const state = this.#options.driver.lines().find((line) => line.id === trunk.id)
    return state?.ok === false ? `${trunk.id}: ${state.reason || state.state}` : null
  }

  /** Why the call cannot be placed now, or null. */
  #obstacle(row: CallRow, signal: AbortSignal): string | null {
    const trunk = this.#options.config.trunks.find(({ id }) => id === row.trunkId)
    if (signal.aborted) return 'the call is no longer wanted'
    if (trunk === undefined) return 'there is no trunk for reminder calls'
    if (this.#options.calls.onTrunk(trunk.id) >= trunk.channels) return `all channels of ${trunk.id} are in use`
    return this.#down(trunk)
  }

  async #call(request: ReminderCallRequest, events: ReminderCallEvents, signal: AbortSignal): Promise<ReminderCallResult> {
    const { config, store, calls, driver, clock } = this.#options
    const stored = this.#prepared.get(request.callId) ?? store.tables.calls.get(request.callId)
    if (stored === undefined) throw new Error('the call was not prepared')
    const { allowed, reason } = this.#reach.mayDial(request.number, 'reminder')
    const facts = scriptFacts(config, request, config.site.number ?? stored.from)
    const call = calls.add({ ...stored })
    const { row } = call
    call.note('state', `reminder ${request.reminderId}, attempt ${request.attempt}`)
    // Another time would be no better.
    if (!allowed) return this.#giveUp(call, { kind: 'failed', text: reason })
    let obstacle = this.#obstacle(row, signal) ?? calls.minutes.refusal(row, call)?.message ?? null
    if (obstacle === null) {
      obstacle = (await this.#markDialled(row)) ?? this.#obstacle(row, signal)
      if (obstacle !== null) row.startedAt = null
    }
    if (obstacle !== null) return this.#giveUp(call, { kind: 'not-placed', text: obstacle })
    const { to, from, callerName, trunkId, timeoutSeconds } = row
    const leg = driver.dial({ via: { kind: 'trunk', trunkId }, to, from, callerName, timeoutSeconds })
    calls.dial(call, leg)
    this.#prepared.delete(row.callId)
    const conversation = new Conversation(call, clock, facts, events)
    this.#conversations.set(call.id, conversation)
    const unwanted = () => call.end({ reason: 'canceled', by: 'app' })
    signal.addEventListener('abort', unwanted)
    calls.drive(call, (runner) => this.#talk(call, conversation, events, runner))
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
      return 'the disk takes nothing'
    }
  }

  async #talk(call: Call, conversation: Conversation, events: ReminderCallEvents, runner: ApplicationRunner): Promise<void> {
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
      call.note('state', 'a beep: it is a machine after all')
      const fields = { answeredBy: row.answeredBy, ringSeconds: row.ringSeconds }
      void voice.replace(call.id, { kind: 'ask', question: { event: 'call.answered', url: endpointId, fields } })
    }
    await runner.answered(call)
    stop()
  }
}
