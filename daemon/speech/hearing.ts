/** What the voice part sees of speech recognition: an ear for the calls, a transcriber for recordings. */

export interface ListenRequest {
  readonly callId: string
  /** BCP 47. */
  readonly language: string
  readonly hints: readonly string[]
  /** So many spoken digits are expected; null when none in particular are. */
  readonly digits: number | null
  /** Silence that ends the speech. */
  readonly endSilenceMs: number
  /** Whether `speech-partial` is wanted: it costs decodes. */
  readonly partials: boolean
}

export type Heard =
  /** Somebody may be speaking (60 ms of voice). */
  | { readonly type: 'voice' }
  /** Somebody is speaking (200 ms of voice). */
  | { readonly type: 'speech-onset' }
  /** `stable`: the caller has paused, and these are the words unless more follow. */
  | { readonly type: 'speech-partial'; readonly text: string; readonly stable: boolean }
  /** The end of the speech and what was understood, '' for nothing. `engine`: the recogniser's id. */
  | {
      readonly type: 'speech-final'
      readonly text: string
      readonly confidence?: number
      readonly language?: string
      readonly engine: string
    }
  /** What began as voice was none: under 300 ms of it, and no words. */
  | { readonly type: 'speech-false-alarm' }
  /** Nothing more will be heard: no recogniser for the language, or its process died. */
  | { readonly type: 'recogniser-error'; readonly reason: string }

/** One gather's listening. Nothing is heard after `stop`. */
export interface Hearing {
  /** The caller's audio, 20 ms a frame, without gaps. */
  audio(samples: Int16Array): void
  /** While a prompt plays its echo comes back: quiet sounds are not taken for speech. */
  prompting(on: boolean): void
  /** Asks for `speech-final` of what was said so far, at once. */
  finish(): void
  stop(): void
}

export interface Ear {
  /** Never throws; what goes wrong is heard as `recogniser-error`, not before the call to `listen` has returned. */
  listen(request: ListenRequest, heard: (what: Heard) => void): Hearing
}

/** `off`: no model for recordings is installed (reason `model-missing`) or can be loaded (`model-unusable`), or transcription is switched off. */
export interface Transcript {
  readonly status: 'done' | 'empty' | 'off' | 'failed'
  readonly text: string
  /** '' when done; `model-missing`, `switched-off`, `language-unsupported`, `engine-failed`, ... */
  readonly reason: string
  /** The recogniser's id; '' when none worked. */
  readonly engine: string
}

export interface TranscriptRequest {
  readonly language: string
  readonly hints: readonly string[]
  readonly signal?: AbortSignal
}

/** The transcript of a recording that is being made. */
export interface LiveTranscript {
  audio(samples: Int16Array): void
  /** The recording has ended: resolves with the whole text. Never rejects. */
  end(): Promise<Transcript>
  /** It is not wanted any more. */
  abandon(): void
}

export interface Transcriber {
  /** Whether recordings can be transcribed in this language now; the reason otherwise. */
  available(language: string): { readonly ok: boolean; readonly reason: string }
  live(request: TranscriptRequest): LiveTranscript
  /** The whole of a WAV file (any usual PCM form). Never rejects. `progress`: milliseconds of audio done, of how many. */
  file(path: string, request: TranscriptRequest, progress?: (doneMs: number, totalMs: number) => void): Promise<Transcript>
}

/** What speech engines can do, by language. */
export interface Abilities {
  /** How callers are understood in a language (BCP 47): any words, those of a closed list, or not at all. */
  understands(language: string): 'any' | 'listed' | 'nothing'
  /** Whether recordings in a language get a transcript; otherwise why not: `model-missing`, `switched-off`, ... */
  transcribes(language: string): { readonly ok: boolean; readonly reason: string }
}
