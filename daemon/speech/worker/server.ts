/**
 * The inside of a speech process: loads the plan it is given, then serves sessions (hearings, transcripts, phrases) until
 * the daemon goes away.
 */
import { SpeechError, type EndpointDetector, type EndpointDetectors } from '../../../drivers/speech.ts'
import type { Order, Report, SessionOrder, SessionReport, SpeakOrder, TranscribeOrder } from '../process/protocol.ts'
import { PriorityQueue } from '../queue.ts'
import { AnswerDecoder } from './answer.ts'
import type { Decoder } from './decoder.ts'
import { loadEngines, type EngineTable, type LoadedEngines } from './engines.ts'
import { transcribeFile } from './file-transcript.ts'
import { RecordingSession } from './recording.ts'
import { UtteranceSession } from './utterance.ts'

/** The line to the daemon. `report` resolves when it has left the process. */
export interface Channel {
  report(report: Report): Promise<void>
}

type Tell = (report: SessionReport) => void

/** One session; `handle` is not called after `close`. */
interface Session {
  handle(order: SessionOrder): void
  close(): void
}

const spokenMsPerCharacter = 80

export class SpeechServer {
  readonly #table: EngineTable
  readonly #channel: Channel
  readonly #sessions = new Map<number, Session>()
  readonly #speaking = new PriorityQueue(1)
  #engines: LoadedEngines = { decoders: [], detectors: null, voices: new Map() }
  #work = 0

  constructor(table: EngineTable, channel: Channel) {
    this.#table = table
    this.#channel = channel
  }

  /** Orders of one message. */
  async take(orders: readonly Order[]): Promise<void> {
    for (const order of orders) {
      if (order.t === 'load') await this.#load(order)
      else if (order.t === 'ping') await this.#channel.report({ t: 'pong', n: order.n })
      else this.#session(order.session, order)
    }
  }

  async #load({ plan }: Order & { t: 'load' }): Promise<void> {
    this.#engines = await loadEngines(plan, this.#table, (audioMs) => this.#begun(audioMs), {
      loading: (id) => this.#channel.report({ t: 'loading', id }),
      leftOut: (id, reason) => void this.#channel.report({ t: 'left-out', id, reason }),
    })
    const { decoders, detectors, voices } = this.#engines
    const recognisers = decoders.map(({ id }) => id)
    await this.#channel.report({ t: 'ready', recognisers, detector: detectors?.id ?? '', voices: [...voices.keys()] })
  }

  #session(id: number, order: SessionOrder): void {
    const known = this.#sessions.get(id)
    if (order.t === 'stop') {
      known?.close()
      this.#sessions.delete(id)
    } else if (known !== undefined) {
      known.handle(order)
    } else {
      const tell: Tell = (report) => {
        if (this.#sessions.has(id)) void this.#channel.report({ session: id, ...report })
      }
      const begun = this.#begin(order, tell)
      if (begun !== null) this.#sessions.set(id, begun)
    }
  }

  /** Audio of an ended session may still be under way: only the first order of one opens it. */
  #begin(order: SessionOrder, tell: Tell): Session | null {
    // What it says on opening is said after it is known.
    const later: Tell = (report) => setImmediate(tell, report)
    if (order.t === 'listen') return this.#listen(order, tell, later)
    if (order.t === 'transcribe') return this.#transcribe(order.request, tell, later)
    if (order.t === 'transcribe-file') return this.#transcribeFile(order, tell, later)
    if (order.t === 'speak') return this.#speak(order.request, tell)
    return null
  }

  #listen({ request }: SessionOrder & { t: 'listen' }, tell: Tell, later: Tell): Session {
    const ready = this.#ears(request.language)
    if (typeof ready === 'string') {
      later({ t: 'heard', what: { type: 'recogniser-error', reason: ready } })
      return deaf
    }
    const { decoder, detectors, detector } = ready
    const { onsetDelayMs, releaseDelayMs } = detectors
    const closed = this.#engines.decoders.find((other) => other.vocabulary === 'closed' && other.recognises(request.language))
    const hearing = new UtteranceSession({
      request,
      detector,
      onsetDelayMs,
      releaseDelayMs,
      decoder: closed === decoder ? decoder : new AnswerDecoder(decoder, closed ?? null),
      heard: (what) => tell({ t: 'heard', what }),
    })
    return {
      handle(order) {
        if (order.t === 'audio') hearing.audio(order.samples)
        else if (order.t === 'prompting') hearing.prompting(order.on)
        else if (order.t === 'finish') hearing.finish()
      },
      close() {
        hearing.stop()
        detectors.give(detector)
      },
    }
  }

  #transcribe(request: TranscribeOrder, tell: Tell, later: Tell): Session {
    const ready = this.#ears(request.language, 'open')
    if (typeof ready === 'string') return refuse(ready, later)
    const { decoder, detectors, detector } = ready
    const { onsetDelayMs, releaseDelayMs } = detectors
    const recording = new RecordingSession({ request, detector, onsetDelayMs, releaseDelayMs, decoder })
    return {
      handle(order) {
        if (order.t === 'audio') recording.audio(order.samples)
        else if (order.t === 'finish') void recording.end().then((transcript) => tell({ t: 'transcript', transcript }))
      },
      close() {
        recording.stop()
        detectors.give(detector)
      },
    }
  }

  #transcribeFile({ path, request }: SessionOrder & { t: 'transcribe-file' }, tell: Tell, later: Tell): Session {
    const ready = this.#ears(request.language, 'open')
    if (typeof ready === 'string') return refuse(ready, later)
    const { decoder, detectors, detector } = ready
    const { onsetDelayMs, releaseDelayMs } = detectors
    const job = transcribeFile(path, { request, detector, onsetDelayMs, releaseDelayMs, decoder }, (doneMs, totalMs) =>
      tell({ t: 'progress', doneMs, totalMs }),
    )
    // The detector is given back when the file is not read any more, which may be after the session was closed.
    void job.transcript.then((transcript) => {
      detectors.give(detector)
      tell({ t: 'transcript', transcript })
    })
    return { handle: () => undefined, close: () => job.stop() }
  }

  #speak(request: SpeakOrder, tell: Tell): Session {
    const abort = new AbortController()
    const { text, language, name, rate } = request
    const spoken = this.#speaking.add(0, async () => {
      if (abort.signal.aborted) throw new SpeechError('aborted', 'The phrase is not wanted any more')
      const voice = this.#engines.voices.get(request.voice)
      if (voice === undefined) throw new SpeechError('engine-missing', `The voice ${request.voice} is not loaded`)
      const done = this.#begun(text.length * spokenMsPerCharacter)
      try {
        return await voice.synthesise({ text, language, voice: name, rate, signal: abort.signal })
      } finally {
        done()
      }
    })
    spoken.then(
      (samples) => tell({ t: 'spoken', samples }),
      (error: unknown) => tell({ t: 'unspoken', code: codeOf(error), message: error instanceof Error ? error.message : String(error) }),
    )
    return { handle: () => undefined, close: () => abort.abort() }
  }

  /** A recogniser of the language and a detector, or why there is none. */
  #ears(
    language: string,
    vocabulary?: Decoder['vocabulary'],
  ): { decoder: Decoder; detectors: EndpointDetectors; detector: EndpointDetector } | SpeechError['code'] {
    const { decoders, detectors } = this.#engines
    const fitting = decoders.filter((decoder) => vocabulary === undefined || decoder.vocabulary === vocabulary)
    if (fitting.length === 0 || detectors === null) return 'engine-missing'
    const decoder = fitting.find((candidate) => candidate.recognises(language))
    if (decoder === undefined) return 'language-unsupported'
    try {
      return { decoder, detectors, detector: detectors.take() }
    } catch {
      return 'engine-failed'
    }
  }

  #begun(audioMs: number): () => void {
    this.#work += 1
    const work = this.#work
    void this.#channel.report({ t: 'work', work, audioMs: Math.round(audioMs) })
    return () => void this.#channel.report({ t: 'worked', work })
  }
}

/** A session that cannot be served: it has said so and only waits to be closed. */
const deaf: Session = { handle: () => undefined, close: () => undefined }

function refuse(reason: SpeechError['code'], tell: Tell): Session {
  tell({ t: 'transcript', transcript: { status: reason === 'engine-failed' ? 'failed' : 'off', text: '', reason, engine: '' } })
  return deaf
}

function codeOf(error: unknown): SpeechError['code'] {
  return error instanceof SpeechError ? error.code : 'engine-failed'
}
