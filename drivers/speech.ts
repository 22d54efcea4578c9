/**
 * The contract of the speech engines: recogniser, endpoint detector, synthesiser. Audio at this seam is 8 kHz mono signed
 * 16-bit PCM. Engines run in the speech processes (`daemon/speech/process`), except the embedded voices, each of whose
 * phrases is a process of its own.
 */

/** Why an engine gave no result. */
export class SpeechError extends Error {
  readonly code: 'language-unsupported' | 'engine-missing' | 'engine-failed' | 'aborted'
  constructor(code: SpeechError['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface SynthesisRequest {
  /** Plain text, one sentence or phrase; markup is already gone and numbers are already written as words where it matters. */
  readonly text: string
  /** BCP 47, such as `en-US`. */
  readonly language: string
  /** Engine's own voice name; '' for the engine's default in that language. */
  readonly voice: string
  /** 1 = normal speed. */
  readonly rate: number
  readonly signal?: AbortSignal
}

export interface Synthesiser {
  /** Name and version of engine and voice: part of the cache key. */
  readonly id: string
  /** A long sentence takes it longer than a caller likes to wait: the first one is cut at a comma. */
  readonly slow?: boolean
  /** Whether it is there and works; the reason says which package is missing. */
  check(): Promise<{ readonly ok: boolean; readonly reason: string }>
  speaks(language: string): boolean
  voices(): readonly { readonly name: string; readonly language: string }[]
  /** Resolves with the whole phrase. Throws SpeechError. */
  synthesise(request: SynthesisRequest): Promise<Int16Array>
}

/** What is known of the words to come. An open recogniser may use it as a hint; a closed one makes its grammar of it. */
export interface Expectation {
  /** BCP 47. */
  readonly language: string
  /** Words and phrases the caller is likely to say. */
  readonly hints: readonly string[]
  /** So many spoken digits are expected; null when none in particular are. */
  readonly digits: number | null
}

export interface RecognitionRequest extends Expectation {
  readonly signal?: AbortSignal
}

export interface Recognition {
  /** Words as they were spoken (numbers stay words), '' when nothing was understood or what was said fits no grammar. */
  readonly text: string
  /** 0 to 1, where the engine knows. */
  readonly confidence?: number
  /** BCP 47, where the engine finds out. */
  readonly language?: string
}

/** Turns one utterance into text. Decodes that cannot run at once wait in order of asking. */
export interface Recogniser {
  /** Model's name in the manifest, or `embedded-grammar`. */
  readonly id: string
  /** `closed`: understands only what the expectation names, and never serves for a transcript. */
  readonly vocabulary: 'open' | 'closed'
  /** So many decodes run at a time; one where it does not say. */
  readonly atOnce?: number
  recognises(language: string): boolean
  /**
   * Resolves with '' for noise and silence. An aborted request that waits is not begun; the result of one that runs is
   * dropped. Throws SpeechError.
   */
  recognise(samples: Int16Array, request: RecognitionRequest): Promise<Recognition>
  /** Of a closed one: the text in its own spelling, when it is one of the answers that the expectation names; null otherwise. */
  expected?(text: string, expectation: Expectation): string | null
  close(): Promise<void>
}

/** Detects voice, as against everything else, on one line. */
export interface EndpointDetector {
  /** Takes audio as it comes, in pieces of any length; true while somebody speaks, as of the last whole window. */
  push(samples: Int16Array): boolean
  /** Forgets the line: the next audio is of another call. */
  reset(): void
}

/** Makes detectors; `take` gives one of a pool, `give` puts it back. */
export interface EndpointDetectors {
  /** `silero` or `webrtc`. */
  readonly id: string
  /** How long after its beginning voice is reported, and how long after its end the loss of it, in milliseconds. */
  readonly onsetDelayMs: number
  readonly releaseDelayMs: number
  take(): EndpointDetector
  give(detector: EndpointDetector): void
  close(): void
}

/** Files of one installed model, as the engines need them. */
export interface ModelFiles {
  /** Name in the manifest. */
  readonly id: string
  /** `nemo-ctc`, `whisper`, `moonshine`, `piper`, `silero`. */
  readonly kind: string
  /** Folder of the model. */
  readonly directory: string
  /** Role of a file -> its name in the folder, such as `{ model: 'model.int8.onnx', tokens: 'tokens.txt' }`. */
  readonly files: Readonly<Record<string, string>>
  /** BCP 47 tags it understands or speaks; `*` for any. */
  readonly languages: readonly string[]
}
