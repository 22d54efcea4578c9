/**
 * Reminder calls on the simulated line: real calls, sessions, store and outbox, with a clock that runs ten times as fast as
 * that of the wall. Only the voice is played: it needs 4 ms for a letter.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { createSimDriver, type SimAnswer, type SimDriver, type SimNotice } from '../../drivers/sim/driver.ts'
import type { DialRequest } from '../../drivers/line.ts'
import type { Synthesiser } from '../../drivers/speech.ts'
import { Calls } from '../../daemon/calls/calls.ts'
import type { Clock } from '../../daemon/base/clock.ts'
import { defaultConfig } from '../../daemon/config/default.ts'
import { newCallId } from '../../daemon/base/ids.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createOutbox, type Outbox } from '../../daemon/outbox/outbox.ts'
import { checkUrl } from '../../daemon/outbox/address.ts'
import { createReminderCaller } from '../../daemon/reminders/call/caller.ts'
import type { ReminderCaller, ReminderCallRequest, ReminderCallResult, ReminderLine } from '../../daemon/reminders/caller.ts'
import type { Config } from '../../daemon/schema/config.ts'
import type { Routing } from '../../daemon/routing/routing.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import { LiveCalls } from '../../daemon/voice/live.ts'
import { Recordings } from '../../daemon/voice/recordings.ts'
import { Transcripts } from '../../daemon/voice/transcripts.ts'
import { Voice } from '../../daemon/voice/voice.ts'
import '../harness/events-fit.ts'
import { routingOver } from '../harness/routing.ts'
import { found } from '../harness/waiting.ts'
import { voiceOver } from '../voice/voice-over.ts'

const speed = 10
const began = Date.now()
export const fastClock: Clock = {
  now: () => began + (Date.now() - began) * speed,
  elapsed: () => performance.now() * speed,
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms / speed)
    return { cancel: () => clearTimeout(timer) }
  },
}

const voiceOf = (msPerLetter: number): Synthesiser => ({
  id: 'quick',
  check: async () => ({ ok: true, reason: '' }),
  speaks: () => true,
  voices: () => [],
  synthesise: async ({ text }) => new Int16Array(text.length * msPerLetter * 8).fill(1000),
})

export interface StageOptions {
  readonly reminders?: Partial<Config['reminders']>
  readonly channels?: number
  /** How the far end behaves. */
  readonly answer?: (request: DialRequest) => SimAnswer
  readonly dir?: string
  /** What the voice needs for a letter; 4 unless given. */
  readonly msPerLetter?: number
}

export interface Placed {
  readonly result: ReminderCallResult
  readonly callId: string
  /** `in-call` and `decided ...` in their order, with what the callee had heard by then. */
  readonly told: readonly string[]
}

export class Stage {
  readonly heard: SimNotice[] = []
  readonly alerts: string[] = []
  store!: Store
  calls!: Calls
  live!: LiveCalls
  voice!: Voice
  outbox!: Outbox
  routing!: Routing
  originator!: Routing['originator']
  driver!: SimDriver
  config!: Config
  caller!: ReminderCaller
  dials = 0
  /** What keeps a decision; a test may put its own here. */
  keep: (outcome: string) => Promise<void> = async () => undefined
  #close: (() => unknown)[] = []

  static async open(t: { teardown(fn: () => unknown): void }, options: StageOptions = {}): Promise<Stage> {
    const stage = new Stage()
    const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'pbx-reminder-'))
    t.teardown(async () => {
      await stage.close()
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true })
    })
    await stage.#daemon(dir, options)
    return stage
  }

  async #daemon(dir: string, options: StageOptions): Promise<void> {
    const log = createLog({ level: 'silent' })
    const clock = fastClock
    const base = defaultConfig(dir)
    const trunk = { id: 'main', numbers: ['+15550001000'], channels: options.channels ?? 3, default: true }
    const config = (this.config = {
      ...base,
      site: { ...base.site, name: 'Riverside Clinic', number: '+15550001000' },
      trunks: [trunk as Config['trunks'][number]],
      reminders: { ...base.reminders, ...options.reminders },
    })
    const store = (this.store = await openStore(join(dir, 'store'), log))
    const outbox = (this.outbox = createOutbox({
      store,
      clock,
      log,
      policy: { allowLoopback: true, ownPorts: [] },
      secret: () => 'whsec_callbacks',
      version: '0',
    }))
    const driver = (this.driver = createSimDriver({
      clock,
      observer: (_leg, notice) => this.heard.push(notice),
      answer: (request) => {
        this.dials += 1
        return options.answer?.(request) ?? { kind: 'no-answer' }
      },
    }))
    const calls = (this.calls = new Calls({ config, store, outbox, clock, log, apologise: (call) => this.voice.apologise(call) }))
    const routing = (this.routing = routingOver({ config, calls, store, clock, log }, driver, () => this.voice))
    const recordings = new Recordings({ dir: join(dir, 'recordings'), store, clock, log, keepDays: 7 })
    const nobody = { available: () => ({ ok: false, reason: 'none' }) } as never
    const agent = new Agent()
    const { voice } = voiceOver({
      config,
      store,
      outbox,
      calls,
      recordings,
      clock,
      log,
      engines: [voiceOf(options.msPerLetter ?? 4)],
      dispatcher: agent,
      checkUrl: (url) => checkUrl(url, { allowLoopback: true, ownPorts: [] }),
      promptSource: { prepare: ({ prompt }) => ({ parts: [silentPart(String(prompt))], warnings: [], late: Promise.resolve([]) }) },
      ear: null,
      transcripts: new Transcripts({ transcriber: nobody, store, outbox, recordings, call: (id) => calls.get(id), clock, log }),
      alert: (code, text) => void this.alerts.push(`${code}: ${text}`),
      destinations: routing.destinations,
    })
    this.voice = voice
    this.originator = routing.originator
    this.live = new LiveCalls(calls, voice, store)
    this.caller = createReminderCaller({ config, store, calls, trunks: routing.trunks, voice, clock, log })
    await driver.start({ inbound: () => undefined, statusChanged: () => undefined })
    this.#close.push(
      () => this.originator.stop(),
      () => driver.stop(),
      () => calls.drain(1000),
      () => agent.destroy(),
      () => outbox.stop(),
      () => store.close(),
    )
  }

  request(more: Partial<ReminderCallRequest> = {}): ReminderCallRequest {
    return {
      reminderId: 'r-1',
      callId: newCallId(),
      number: '+15559870000',
      language: 'en-US',
      timeZone: 'America/New_York',
      customerName: 'Maria Lopez',
      appointmentAt: Date.parse('2026-03-09T18:30:00Z'),
      serviceName: 'Teeth cleaning',
      staffName: 'Dr. Wu',
      ringSeconds: 5,
      attempt: 1,
      token: '',
      ...more,
    }
  }

  claim(number = '+15559870000'): ReminderLine {
    const line = this.caller.claim(number)
    if (line === null) throw new Error('no line is free')
    return line
  }

  /** One call as the planner places it, to its end. */
  async place(more: Partial<ReminderCallRequest> = {}, signal = new AbortController().signal): Promise<Placed> {
    const request = this.request(more)
    const line = this.claim(request.number)
    await this.store.transaction(() => line.prepare(request))
    const told: string[] = []
    const events = {
      inCall: () => void told.push('in-call'),
      decided: async (outcome: string, reason: string) => {
        await this.keep(outcome)
        told.push(`decided ${outcome} ${reason} after: ${this.words().at(-1) ?? ''}`)
      },
    }
    const result = await line.call(request, events, signal)
    return { result, callId: request.callId, told }
  }

  /** Sentences that were heard, those that were cut too. */
  words(): string[] {
    return this.heard.flatMap((notice) => (notice.type === 'heard' && notice.text !== '' ? [notice.text] : []))
  }

  said(): string {
    return this.words().join(' ')
  }

  trace(callId: string): string {
    return JSON.stringify(this.live.trace(callId).entries)
  }

  async until<T>(what: string, get: () => T | undefined | false, ms = 4000): Promise<T> {
    return found(() => `${what}; heard: ${this.said()}`, get, ms, 5)
  }

  async close(): Promise<void> {
    for (const close of this.#close.splice(0)) await close()
  }
}

const silentPart = async (text: string) => ({ key: text, text, samples: new Int16Array(800) })
