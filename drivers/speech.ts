/**
 * The contract of the speech engines. Audio at this seam is 8 kHz mono signed 16-bit PCM. A recogniser and an endpoint
 * detector join this file with the speech capability.
 */

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

/** Why a synthesiser gave no audio. */
export class SpeechError extends Error {
  readonly code: 'language-unsupported' | 'engine-missing' | 'engine-failed' | 'aborted'
  constructor(code: SpeechError['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface Synthesiser {
  /** Name and version of engine and voice: part of the cache key. */
  readonly id: string
  /** Whether it is there and works; the reason says which package is missing. */
  check(): Promise<{ readonly ok: boolean; readonly reason: string }>
  speaks(language: string): boolean
  voices(): readonly { readonly name: string; readonly language: string }[]
  /** Resolves with the whole phrase. Throws SpeechError. */
  synthesise(request: SynthesisRequest): Promise<Int16Array>
}
