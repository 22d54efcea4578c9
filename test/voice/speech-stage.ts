/**
 * Calls with speech on the simulated line: the real sessions, store, outbox and a real HTTP application. The speech process alone is
 * played: an ear and a transcriber that hear what the test gives them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { createSimDriver, type SimCall, type SimNotice } from '../../drivers/sim/driver.ts'
import type { Synthesiser } from '../../drivers/speech.ts'
import { Calls } from '../../daemon/calls/calls.ts'
import type { Call } from '../../daemon/calls/call.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { defaultConfig } from '../../daemon/config/default.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createOutbox, type Outbox } from '../../daemon/outbox/outbox.ts'
import type { Ear, Heard, ListenRequest, LiveTranscript, Transcriber, Transcript } from '../../daemon/speech/hearing.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import { Recordings } from '../../daemon/voice/recordings.ts'
import { Transcripts } from '../../daemon/voice/transcripts.ts'
import { Voice } from '../../daemon/voice/voice.ts'
import '../harness/events-fit.ts'
import { routingOver } from '../harness/routing.ts'
import { found } from '../harness/waiting.ts'
import { voiceOver } from './voice-over.ts'

/** Takes a second to say anything. */
const oneSecond: Synthesiser = {
  id: 'second',
  check: async () => ({ ok: true, reason: '' }),
  speaks: () => true,
  voices: () => [],
  synthesise: async () => Int16Array.from({ length: 8000 }, (_, at) => 3000 * Math.sin(at / 3)),
}

/** One listening, in the hand of the test. */
export class TestHearing {
  readonly request: ListenRequest
  readonly say: (what: Heard) => void
  frames = 0
  asked = 0
  stopped = false
  readonly prompting: boolean[] = []
  onFinish: () => void = () => undefined

  constructor(request: ListenRequest, say: (what: Heard) => void) {
    this.request = request
    this.say = say
  }
}

export class TestEar implements Ear {
  readonly hearings: TestHearing[] = []

  listen(request: ListenRequest, heard: (what: Heard) => void) {
    const hearing = new TestHearing(request, heard)
    this.hearings.push(hearing)
    return {
      audio: () => void (hearing.frames += 1),
      prompting: (on: boolean) => void hearing.prompting.push(on),
      finish: () => {
        hearing.asked += 1
        hearing.onFinish()
      },
      stop: () => void (hearing.stopped = true),
    }
  }
}

export const words = (text: string): Transcript => ({ status: 'done', text, reason: '', engine: 'test' })

export class TestTranscriber implements Transcriber {
  state = { ok: true, reason: '' }
  live_ = Promise.withResolvers<Transcript>()
  file_ = Promise.withResolvers<Transcript>()
  frames = 0
  abandoned = 0
  readonly files: string[] = []

  available() {
    return this.state
  }

  live(): LiveTranscript {
    return { audio: () => void (this.frames += 1), end: () => this.live_.promise, abandon: () => void (this.abandoned += 1) }
  }

  file(path: string): Promise<Transcript> {
    this.files.push(path)
    return this.file_.promise
  }
}

export class SpeechStage {
  readonly ear = new TestEar()
  readonly transcriber = new TestTranscriber()
  readonly events: any[] = []
  readonly heard: SimNotice[] = []
  /** Answers every event but the first, which is answered with the document of the call. */
  document: unknown[] = []
  url = ''
  store!: Store
  recordings!: Recordings
  transcripts!: Transcripts
  call!: Call
  voice!: Voice
  far!: SimCall
  #close: (() => unknown)[] = []
  #outbox!: Outbox

  static async open(t: { teardown(fn: () => unknown): void }, options: { ear?: boolean; waitMs?: number } = {}): Promise<SpeechStage> {
    const stage = new SpeechStage()
    const dir = mkdtempSync(join(tmpdir(), 'pbx-speech-'))
    t.teardown(async () => {
      await stage.close()
      rmSync(dir, { recursive: true, force: true })
    })
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => (text += chunk))
      request.on('end', () => {
        const event = JSON.parse(text)
        stage.events.push(event)
        const document = event.event === 'call.inbound.pre_route' ? stage.document : []
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stage.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/voice`
    stage.#close.push(
      () => server.closeAllConnections(),
      () => new Promise((done) => server.close(done)),
    )
    await stage.#daemon(dir, options)
    return stage
  }

  async #daemon(dir: string, options: { ear?: boolean; waitMs?: number }): Promise<void> {
    const log = createLog({ level: 'silent' })
    const clock = systemClock
    const base = defaultConfig(dir)
    const endpoint = {
      ...base.voice.endpoints[0]!,
      id: 'app',
      controlUrl: this.url,
      secret: 'whsec_voice_0123456789abcdef',
      waitAudio: 'none' as const,
    }
    const config = {
      ...base,
      voice: { ...base.voice, endpoints: [endpoint], trace: 'full' as const },
      inbound: [{ trunk: '*', to: '*', destination: 'endpoint:app' }],
    } as typeof base
    const store = (this.store = await openStore(join(dir, 'store'), log))
    const outbox = (this.#outbox = createOutbox({
      store,
      clock,
      log,
      policy: { allowLoopback: true, ownPorts: [] },
      secret: () => 'whsec_voice_0123456789abcdef',
      version: '0',
    }))
    outbox.start()
    // Nobody whom the box calls has time.
    const driver = createSimDriver({ answer: () => ({ kind: 'busy' }) })
    const calls = new Calls({ config, store, outbox, clock, log, apologise: (call) => voice.apologise(call) })
    const { inbound, destinations } = routingOver({ config, calls, store, clock, log }, driver, () => voice)
    const recordings = (this.recordings = new Recordings({ dir: join(dir, 'recordings'), store, clock, log, keepDays: 7 }))
    this.transcripts = this.newTranscripts(options.waitMs ?? 400, (id) => calls.get(id))
    const agent = new Agent()
    const { voice } = voiceOver({
      config,
      store,
      outbox,
      calls,
      recordings: this.recordings,
      clock,
      log,
      engines: [oneSecond],
      dispatcher: agent,
      checkUrl: (url) => ({ ok: true, url: new URL(url) }),
      promptSource: { prepare: () => ({ parts: [], warnings: [], late: Promise.resolve([]) }) },
      ear: options.ear === false ? null : this.ear,
      transcripts: this.transcripts,
      alert: () => undefined,
      destinations,
    })
    this.voice = voice
    await driver.start({ inbound: (info) => void (this.call = inbound.take(info)), statusChanged: () => undefined })
    this.dial = () =>
      (this.far = driver.call({
        trunkId: 'main',
        from: '+15551230001',
        to: '+15559870000',
        observer: (notice) => void this.heard.push(notice),
      }))
    this.#close.push(
      () => driver.stop(),
      () => (this.call as Call | undefined)?.settled,
      () => this.transcripts.stop(),
      () => agent.destroy(),
      () => outbox.stop(),
      () => store.close(),
    )
  }

  newTranscripts(waitMs: number, call: (id: string) => Call | undefined = () => undefined): Transcripts {
    const { transcriber, store, recordings } = this
    return new Transcripts({
      transcriber,
      store,
      outbox: this.#outbox,
      recordings,
      call,
      clock: systemClock,
      log: createLog({ level: 'silent' }),
      waitMs,
    })
  }

  dial: () => SimCall = () => {
    throw new Error('not open')
  }

  start(document: unknown[]): void {
    this.document = document
    this.dial()
  }

  async until<T>(what: string, get: () => T | undefined | false, ms = 4000): Promise<T> {
    return found(() => `${what}; events: ${this.events.map((e) => e.event).join(', ')}`, get, ms, 10)
  }

  event(name: string): Promise<any> {
    return this.until(name, () => this.events.find((event) => event.event === name))
  }

  hearing(): Promise<TestHearing> {
    return this.until('listening', () => this.ear.hearings[0])
  }

  trace(): string {
    return JSON.stringify(this.call.trace.entries())
  }

  async close(): Promise<void> {
    for (const close of this.#close) await close()
  }
}
