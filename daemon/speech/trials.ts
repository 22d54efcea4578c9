/** Speaking and transcribing without a call. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { SaidView, SayRequest, TranscriptView } from '../schema/speech.ts'
import type { Transcriber } from './hearing.ts'
import type { Speaker } from './speaker.ts'
import { failureTone } from './prompts.ts'
import { wavBytes } from '../../drivers/wav.ts'

export interface SpeechTrials {
  /** Rejects with ApiError when nobody can speak. */
  say(request: SayRequest): Promise<SaidView>
  /** Whether a file would be transcribed now: asked before it is sent. */
  transcribes(language: string | undefined): { readonly ok: boolean; readonly reason: string }
  /** Folder for the files of `transcribe`. */
  readonly uploads: string
  /** `language`: that of the box when absent. Never rejects. `onProgress`: milliseconds of audio done, of how many. */
  transcribe(
    file: string,
    options: { readonly language?: string; readonly hints: readonly string[] },
    onProgress: (doneMs: number, totalMs: number) => void,
    signal: AbortSignal,
  ): Promise<TranscriptView>
}

export interface SpeechTrialOptions {
  readonly speaker: Speaker
  readonly transcriber: Transcriber
  /** Language of the box, BCP 47. */
  readonly language: string
  /** `storage.dir`. */
  readonly storageDir: string
  readonly log: Log
}

export function speechTrials(options: SpeechTrialOptions): SpeechTrials {
  const { speaker, transcriber, language } = options
  const uploads = join(options.storageDir, 'transcribing')
  try {
    // What a daemon that was killed has left: nobody waits for it any more.
    rmSync(uploads, { recursive: true, force: true })
    mkdirSync(uploads, { recursive: true, mode: 0o700 })
  } catch (error) {
    options.log.warn({ err: error }, `${uploads} cannot be emptied`)
  }
  return {
    say: (request) => say(speaker, request),
    transcribes: (wanted) => transcriber.available(wanted ?? language),
    uploads,
    async transcribe(file, { hints, language: wanted }, onProgress, signal) {
      const began = performance.now()
      const transcript = await transcriber.file(file, { language: wanted ?? language, hints, signal }, onProgress)
      return { ...transcript, ms: Math.round(performance.now() - began) }
    },
  }
}

/** The text may be anything: it is kept in no cache on disk. */
async function say(speaker: Speaker, { text, voice, language, rate }: SayRequest): Promise<SaidView> {
  const began = performance.now()
  const since = () => Math.round(performance.now() - began)
  const utterance = speaker.prepare({
    text,
    callId: 'pbx say',
    sensitive: true,
    ...(voice === undefined ? {} : { voice }),
    ...(language === undefined ? {} : { language }),
    ...(rate === undefined ? {} : { rate }),
  })
  await utterance.parts[0]
  const firstMs = since()
  const parts = await Promise.all(utterance.parts)
  const ms = since()
  const warnings = [...utterance.warnings, ...(await utterance.late)]
  if (parts.some((part) => 'key' in part && part.key === failureTone.key))
    throw new ApiError('not_supported', `No voice could speak it: ${warnings.join('; ')}`)
  const samples = joined(parts.map((part) => ('silenceMs' in part ? new Int16Array(part.silenceMs * 8) : part.samples)))
  const engines = new Set(parts.flatMap((part) => ('engine' in part && part.engine !== undefined ? part.engine : [])))
  return {
    wav: wavBytes(samples).toString('base64'),
    engine: [...engines].join(', '),
    firstMs,
    ms,
    seconds: samples.length / 8000,
    warnings,
  }
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
