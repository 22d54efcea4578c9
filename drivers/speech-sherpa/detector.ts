/**
 * Detects voice, as against noise and tones, by the Silero model. sherpa's own rules about how long speech and pauses must last are set as
 * short as they go: the calling code decides when somebody has begun and finished.
 */
import { SpeechError, type EndpointDetector, type EndpointDetectors } from '../speech.ts'
import { loadSherpa, type Sherpa, type SherpaVad } from './load.ts'
import { readOnnxFile } from './onnx-file.ts'
import { Upsampler } from '../upsample.ts'

export interface SileroOptions {
  /** Detectors made at once, each 10 MB and a tenth of a second of work; standard 4. More are made when they run out. */
  readonly size?: number
  /** Probability of voice from which it counts; standard 0.5. */
  readonly threshold?: number
}

/** Samples at 16 kHz the model takes at a time: 32 ms. */
const windowSize = 512
/** Windows of unbroken voice after which the engine's copy of it is thrown away: 5 s. */
const mostWindows = 156
const shortestSeconds = 0.01
/** Medians over forty phrases of flite's four voices, against the times their level rose above and fell below -40 dBFS. */
const onsetDelayMs = 110
const releaseDelayMs = 200

/** Blocks for as long as the detectors take to make. Throws SpeechError for a file that is not the Silero model. */
export function createSileroDetectors(modelFile: string, options: SileroOptions = {}): EndpointDetectors {
  const { inputs } = readOnnxFile(modelFile)
  const names = inputs.toSorted().join(' ')
  if (names !== 'input sr state' && names !== 'c h input sr') {
    throw new SpeechError('engine-failed', `The model file ${modelFile} is not the Silero voice detector`)
  }
  const sherpa = loadSherpa()
  const make = (): SileroDetector => new SileroDetector(sherpa, modelFile, options.threshold ?? 0.5)
  const pool = Array.from({ length: options.size ?? 4 }, make)
  return {
    id: 'silero',
    onsetDelayMs,
    releaseDelayMs,
    take: () => pool.pop() ?? make(),
    give: (detector) => {
      if (!(detector instanceof SileroDetector) || pool.includes(detector)) return
      detector.reset()
      pool.push(detector)
    },
    close: () => {
      pool.length = 0
    },
  }
}

class SileroDetector implements EndpointDetector {
  readonly #vad: SherpaVad
  readonly #upsampler = new Upsampler()
  readonly #window = new Float32Array(windowSize)
  #filled = 0
  #voice = false
  /** Windows since the engine last forgot what it keeps of running speech. */
  #kept = 0

  constructor(sherpa: Sherpa, model: string, threshold: number) {
    this.#vad = new sherpa.Vad(
      {
        sileroVad: {
          model,
          threshold,
          minSpeechDuration: shortestSeconds,
          minSilenceDuration: shortestSeconds,
          maxSpeechDuration: 3600,
          windowSize,
        },
        sampleRate: 16_000,
        numThreads: 1,
        provider: 'cpu',
        debug: 0,
      },
      10,
    )
  }

  push(samples: Int16Array): boolean {
    const audio = this.#upsampler.push(samples)
    for (let start = 0; start < audio.length;) {
      const part = audio.subarray(start, start + windowSize - this.#filled)
      this.#window.set(part, this.#filled)
      this.#filled += part.length
      start += part.length
      if (this.#filled === windowSize) this.#take()
    }
    return this.#voice
  }

  reset(): void {
    this.#vad.reset()
    this.#upsampler.reset()
    this.#filled = 0
    this.#voice = false
    this.#kept = 0
  }

  #take(): void {
    this.#filled = 0
    // The engine keeps all of the running speech, and copies it for every window.
    if (this.#kept >= mostWindows) this.#vad.flush()
    this.#vad.acceptWaveform(this.#window)
    this.#voice = this.#vad.isDetected()
    this.#vad.clear()
    this.#kept = this.#voice && this.#kept < mostWindows ? this.#kept + 1 : 0
  }
}
