/**
 * One call in the hand of a test: real calls, sessions, requests, speech and store on a clock that stands still. Played are the line (what
 * a driver would report), the wire of the application, and the voice; so things happen within one tick, in any order.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import type { Synthesiser } from '../../drivers/speech.ts'
import type { DialRequest, LineDriver, LineDriverHandlers } from '../../drivers/line.ts'
import { Calls } from '../../daemon/calls/calls.ts'
import type { Call } from '../../daemon/calls/call.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { defaultConfig } from '../../daemon/config/default.ts'
import { ApiError } from '../../daemon/base/errors.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createOutbox, type Outbox } from '../../daemon/outbox/outbox.ts'
import type { Routing } from '../../daemon/routing/routing.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { TraceEntry } from '../../daemon/store/tables.ts'
import { parseDocument } from '../../daemon/voice/document.ts'
import { LiveCalls } from '../../daemon/voice/live.ts'
import { FinishedInputs } from '../../daemon/voice/inputs.ts'
import { Recordings } from '../../daemon/voice/recordings.ts'
import { Transcripts } from '../../daemon/voice/transcripts.ts'
import { Voice } from '../../daemon/voice/voice.ts'
import '../harness/events-fit.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { TestTranscriber } from './speech-stage.ts'
import { Attempt, WireLeg } from './wire.ts'
import { routingOver } from '../harness/routing.ts'
import { patience } from '../harness/waiting.ts'
import { voiceOver } from './voice-over.ts'

/** A second of a tone. */
const sound = Int16Array.from({ length: 8000 }, (_, at) => 3000 * Math.sin(at / 3))
const log = createLog({ level: 'silent' })
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The store and the outbox that the calls of a test file share. */
export class Ground {
  readonly dir: string
  readonly store: Store
  readonly outbox: Outbox
  /** Resolves when the disk has what it was given, whether that was reported or not. */
  readonly written: () => Promise<void>
  /** The disk takes nothing more. */
  full = false
  /** Resolves when the disk has what it was given: at once, unless it hangs. */
  #disk: Promise<void> = Promise.resolve()

  private constructor(dir: string, store: Store) {
    this.dir = dir
    this.written = () => store.transaction(() => undefined)
    this.store = {
      ...store,
      transaction: async (work) => {
        if (this.full) throw new ApiError('storage_full', 'The storage is full.')
        const written = await store.transaction(work)
        await this.#disk
        return written
      },
    }
    // Not started: what is in it stays there.
    this.outbox = createOutbox({
      store: this.store,
      clock: systemClock,
      log,
      policy: { allowLoopback: true, ownPorts: [] },
      secret: () => undefined,
      version: '0',
    })
  }

  /** Until the returned function is called nothing is reported as being on the disk. */
  hang(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#disk = promise
    return resolve
  }

  static async open(t: { teardown(fn: () => unknown): void }): Promise<Ground> {
    const dir = mkdtempSync(join(tmpdir(), 'pbx-session-'))
    const store = await openStore(join(dir, 'store'), log)
    t.teardown(async () => {
      await store.close()
      rmSync(dir, { recursive: true, force: true })
    })
    return new Ground(dir, store)
  }
}

export interface StageOptions {
  readonly fallbackUrl?: boolean
  readonly fallbackDestination?: boolean
  /** Each phrase waits for `speak`. */
  readonly slowVoice?: boolean
}

export class SessionStage {
  readonly clock = new FakeClock()
  readonly leg = new WireLeg('caller', 'inbound')
  readonly phones: WireLeg[] = []
  /** What the phones were dialled with. */
  readonly dials: DialRequest[] = []
  readonly attempts: Attempt[] = []
  readonly transcriber = new TestTranscriber()
  readonly alerts: string[] = []
  readonly trace: TraceEntry[] = []
  /** Phrases that the voice was asked for and has not spoken yet. */
  readonly phrases: { readonly text: string; readonly done: (samples: Int16Array) => void }[] = []
  spoken = 0
  readonly call: Call
  readonly voice: Voice
  readonly live: LiveCalls
  readonly calls: Calls
  readonly routing: Routing
  readonly recordings: Recordings
  readonly inputs: FinishedInputs
  /** Recordings whose transcript was ordered after the disk had taken them. */
  readonly transcribed: string[] = []

  readonly #ground: Ground

  constructor(ground: Ground, options: StageOptions = {}) {
    this.#ground = ground
    const { clock } = this
    const base = defaultConfig(ground.dir)
    const endpoint = {
      ...base.voice.endpoints[0]!,
      id: 'app',
      controlUrl: 'http://app.test/voice',
      secret: 'whsec_voice_0123456789abcdef',
      waitAudio: 'none' as const,
      ...(options.fallbackUrl === true ? { fallbackUrl: 'http://app.test/fallback' } : {}),
      ...(options.fallbackDestination === true ? { fallbackDestination: '101' } : {}),
    }
    const config = {
      ...base,
      voice: { ...base.voice, endpoints: [endpoint], trace: 'full' as const },
      inbound: [{ trunk: '*', to: '*', destination: 'endpoint:app' }],
    } as typeof base
    const driver: LineDriver = {
      kind: 'wire',
      start: async (_handlers: LineDriverHandlers) => undefined,
      stop: async () => undefined,
      dial: (request: DialRequest) => {
        this.dials.push(request)
        const phone = new WireLeg(`phone-${this.phones.length}`, 'outbound')
        this.phones.push(phone)
        return phone
      },
      lines: () => [],
      isUp: true,
      health: () => ({ ok: true, reason: '', facts: {} }),
    }
    const { store, outbox } = ground
    const calls = (this.calls = new Calls({ config, store, outbox, clock, log, apologise: (call) => this.voice.apologise(call) }))
    const routing = (this.routing = routingOver({ config, calls, store, clock, log }, driver, () => this.voice))
    const recordings = (this.recordings = new Recordings({ dir: join(ground.dir, 'recordings'), store, clock, log, keepDays: 7 }))
    recordings.onStoredLate(({ recordingId }) => void this.transcribed.push(recordingId))
    const transcripts = new Transcripts({
      transcriber: this.transcriber,
      store,
      outbox,
      recordings,
      call: (id) => calls.get(id),
      clock,
      log,
    })
    const wire: Synthesiser = {
      id: 'wire',
      check: async () => ({ ok: true, reason: '' }),
      speaks: () => true,
      voices: () => [],
      synthesise: ({ text }) => this.#synthesise(text, options.slowVoice === true),
    }
    const { voice, inputs } = voiceOver({
      config,
      store,
      outbox,
      calls,
      recordings,
      clock,
      log,
      engines: [wire],
      dispatcher: { request: (request: Dispatcher.RequestOptions) => this.#request(request) } as unknown as Dispatcher,
      checkUrl: (url) => (url.includes('refused') ? { ok: false, reason: 'not this one' } : { ok: true, url: new URL(url) }),
      promptSource: {
        prepare: ({ prompt }) => ({
          parts: [Promise.resolve({ key: `prompt-${prompt}`, samples: new Int16Array(80), text: `the ${prompt}` })],
          warnings: [],
          late: Promise.resolve([]),
        }),
      },
      ear: null,
      transcripts,
      alert: (code, text) => void this.alerts.push(`${code}: ${text}`),
      destinations: routing.destinations,
    })
    this.voice = voice
    this.inputs = inputs
    this.live = new LiveCalls(calls, this.voice, store)
    this.call = routing.inbound.take({
      leg: this.leg,
      trunkId: 'main',
      extension: '',
      from: '+15551230001',
      to: '+15559870000',
      callerName: '',
      calledName: '',
      diversion: '',
      source: '',
      headers: {},
    })
    this.trace.push(...this.call.trace.entries())
    this.call.trace.observe((entry) => void this.trace.push(entry))
  }

  #request(options: Dispatcher.RequestOptions): Promise<unknown> {
    const attempt = new Attempt(options)
    this.attempts.push(attempt)
    return attempt.response
  }

  async #synthesise(text: string, slow: boolean): Promise<Int16Array> {
    this.spoken += 1
    if (!slow) return sound
    return new Promise((done) => this.phrases.push({ text, done }))
  }

  /** The voice finishes the phrase it works on. */
  speak(): void {
    this.phrases.shift()?.done(sound)
  }

  get open(): Attempt | undefined {
    return this.attempts.find((attempt) => attempt.outcome === 'open')
  }

  /** Distinct events the application saw, in the order of their first attempts. */
  get events(): Record<string, any>[] {
    return [...new Map(this.attempts.map(({ event }) => [event.eventId as string, event])).values()]
  }

  named(name: string): Record<string, any>[] {
    return this.events.filter(({ event }) => event === name)
  }

  /** Lets everything happen that happens by itself, the line included. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn()
      // An event leaves when it is on the disk that it does.
      await this.#ground.store.transaction(() => undefined).catch(() => undefined)
      for (const leg of [this.leg, ...this.phones]) leg.pump()
    }
    await nextTurn()
  }

  async until(what: string, done: () => boolean): Promise<void> {
    for (const deadline = Date.now() + 4000 * patience; !done(); await this.quiet())
      if (Date.now() > deadline)
        throw new Error(`${what}: not within 4 s\n${this.trace.map(({ ms, kind, text }) => `${ms} ${kind} ${text}`).join('\n')}`)
  }

  async attempt(count: number): Promise<Attempt> {
    await this.until(`attempt ${count}`, () => this.attempts.length >= count)
    return this.attempts[count - 1]!
  }

  /** Answers the first event with `document` and waits until its verb `name` runs. */
  async begin(document: readonly unknown[], name?: string): Promise<void> {
    ;(await this.attempt(1)).answer(200, document)
    if (name !== undefined) await this.until(name, () => this.runs(name))
    if (name === 'record') await this.until('the recorder', () => this.call.row.activity === 'recording')
  }

  runs(name: string): boolean {
    return this.trace.some(({ kind, text }) => kind === 'verb' && text === name)
  }

  /** An order through the API. Resolves when it is answered; `false` when it was refused. */
  order(what: 'end' | 'redirect' | readonly unknown[]): Promise<boolean> {
    const attempt = async (): Promise<boolean> => {
      try {
        if (what === 'end') await this.live.end(this.call.id, 'completed')
        else if (what === 'redirect') await this.live.redirect(this.call.id, 'http://app.test/elsewhere')
        else await this.live.run(this.call.id, this.verbs(what), 'http://app.test/voice')
        return true
      } catch {
        return false
      }
    }
    return attempt()
  }

  verbs(document: readonly unknown[]) {
    const parsed = parseDocument([...document], { destinations: new Set() })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
    return parsed.verbs
  }

  /** Ends what is left of the call, with an application that answers. */
  async finish(): Promise<void> {
    let settled = false
    void this.call.settled.then(() => (settled = true))
    this.leg.hangUp()
    await this.until('settled', () => {
      for (const attempt of this.attempts) attempt.answer(200)
      for (const phone of this.phones) phone.hangUp()
      this.phrases.splice(0).forEach(({ done }) => done(sound))
      this.transcriber.live_.resolve({ status: 'done', text: 'words', reason: '', engine: 'test' })
      this.clock.advance(500)
      return settled
    })
  }
}
