/**
 * The one place that loads `sherpa-onnx-node`, and only when an engine is made: its native library brings ONNX Runtime and
 * 30 MB into the process, and a bad model file ends the process by `exit`. It belongs into the speech processes alone.
 */
import { createRequire } from 'node:module'
import { SpeechError } from '../speech.ts'

export interface SherpaResult {
  readonly text: string
  /** Two letters, '' when the model does not say. */
  readonly lang?: string
}

export interface SherpaStream {
  acceptWaveform(wave: { readonly samples: Float32Array; readonly sampleRate: number }): void
}

export interface SherpaRecogniser {
  createStream(): SherpaStream
  setConfig(config: object): void
  decodeAsync(stream: SherpaStream): Promise<SherpaResult>
}

export interface SherpaAudio {
  readonly samples: Float32Array
  readonly sampleRate: number
}

export interface SherpaVoice {
  readonly sampleRate: number
  generateAsync(request: {
    readonly text: string
    readonly sid: number
    readonly speed: number
    readonly enableExternalBuffer: boolean
    /** Called after each sentence; 0 ends the work. */
    readonly onProgress: () => number
  }): Promise<SherpaAudio>
}

export interface SherpaVad {
  acceptWaveform(samples: Float32Array): void
  isDetected(): boolean
  flush(): void
  clear(): void
  reset(): void
}

export interface Sherpa {
  readonly version: string
  readonly OfflineRecognizer: { createAsync(config: object): Promise<SherpaRecogniser> }
  readonly OfflineTts: { createAsync(config: object): Promise<SherpaVoice> }
  readonly Vad: new (config: object, bufferSeconds: number) => SherpaVad
}

let loaded: Sherpa | undefined

/** Throws SpeechError `engine-missing`. */
export function loadSherpa(): Sherpa {
  if (loaded !== undefined) return loaded
  try {
    loaded = createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa
    return loaded
  } catch (error) {
    const platform = `sherpa-onnx-${process.platform}-${process.arch}`
    const cause = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
    throw new SpeechError(
      'engine-missing',
      `The neural speech engine does not load: the packages sherpa-onnx-node and ${platform} must both be installed (${cause})`,
    )
  }
}
