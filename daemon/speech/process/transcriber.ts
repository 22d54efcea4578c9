/** Transcripts of recordings, as sessions in the speech process for recordings. */
import type { LiveTranscript, Transcriber, Transcript, TranscriptRequest } from '../hearing.ts'
import { coversLanguage, type SessionOrder } from './protocol.ts'
import type { SpeechSupervisor } from './supervisor.ts'

/** Nobody waits on the line: the process and its models may take their time to start. */
const waitMs = 60_000

export interface TranscriberOptions {
  readonly process: SpeechSupervisor
  /** The configuration says that recordings are not transcribed. */
  readonly switchedOff?: () => boolean
}

export function createTranscriber(options: TranscriberOptions): Transcriber {
  /** Why no model serves: there is none, or there is one that could not be loaded. */
  const without = (): string => (options.process.state().leftOut.length > 0 ? 'model-unusable' : 'model-missing')
  const available = (language: string): { ok: boolean; reason: string } => {
    if (options.switchedOff?.() === true) return { ok: false, reason: 'switched-off' }
    const models = options.process.plan.recognisers.filter((model) => typeof model !== 'string')
    if (models.length === 0) return { ok: false, reason: without() }
    return models.some((model) => coversLanguage(model.languages, language))
      ? { ok: true, reason: '' }
      : { ok: false, reason: 'language-unsupported' }
  }

  /** Resolves with the transcript, whatever happens. */
  const begin = (
    request: TranscriptRequest,
    first: SessionOrder,
    progress?: (doneMs: number, totalMs: number) => void,
  ): { send(order: SessionOrder): void; abandon(): void; readonly transcript: Promise<Transcript> } => {
    const { ok, reason } = available(request.language)
    if (!ok) return { send: () => undefined, abandon: () => undefined, transcript: Promise.resolve(noText('off', reason)) }
    const { promise, resolve } = Promise.withResolvers<Transcript>()
    const session = options.process.open(waitMs, {
      report(report) {
        if (report.t === 'progress') progress?.(report.doneMs, report.totalMs)
        if (report.t !== 'transcript') return
        request.signal?.removeEventListener('abort', abandon)
        session.close()
        const { reason } = report.transcript
        resolve(reason === 'engine-missing' ? noText('off', without()) : report.transcript)
      },
      lost: (why) => {
        request.signal?.removeEventListener('abort', abandon)
        resolve(why === 'engine-missing' ? noText('off', without()) : noText('failed', why))
      },
    })
    const abandon = (): void => {
      session.close()
      resolve(noText('failed', 'aborted'))
    }
    session.send(first)
    if (request.signal?.aborted === true) abandon()
    else request.signal?.addEventListener('abort', abandon, { once: true })
    return { send: (order) => session.send(order), abandon, transcript: promise }
  }

  return {
    available,
    live(request): LiveTranscript {
      const { send, abandon, transcript } = begin(request, { t: 'transcribe', request: plain(request) })
      return {
        audio: (samples) => send({ t: 'audio', samples: samples.slice() }),
        end() {
          send({ t: 'finish' })
          return transcript
        },
        abandon,
      }
    },
    file: (path, request, progress) => begin(request, { t: 'transcribe-file', path, request: plain(request) }, progress).transcript,
  }
}

function plain({ language, hints }: TranscriptRequest): { language: string; hints: readonly string[] } {
  return { language, hints: [...hints] }
}

function noText(status: Transcript['status'], reason: string): Transcript {
  return { status, text: '', reason, engine: '' }
}
