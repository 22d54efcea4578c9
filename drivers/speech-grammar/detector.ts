/**
 * Endpoint detection by WebRTC's voice detector, as SoundSwallower has it: for boxes without the neural one. It takes the
 * steady noise of a line for voice; so only what is louder than the line's own floor is shown to it.
 */
import type { Endpointer } from 'soundswallower'
import type { EndpointDetector, EndpointDetectors } from '../speech.ts'
import { openModule } from './engine.ts'

export interface WebrtcOptions {
  /** 0 takes most for voice, 3 least. */
  readonly mode?: 0 | 1 | 2 | 3
}

const rate = 8000
const frameSeconds = 0.03
/** Voice begins when more than this part of the last so many seconds is voice, and ends when less than the rest is. */
const windowSeconds = 0.21
const ratio = 0.7
/** Frames of silence after which nothing of the last line is left in its window. */
const framesToForget = 20
/** The floor is the quietest frame of so many: somebody who speaks makes a pause in that time, a steady noise does not. */
const floorFrames = 50
const quietestFloorDb = -55
const aboveFloorDb = 9

export async function createWebrtcDetectors(options: WebrtcOptions = {}): Promise<EndpointDetectors> {
  const module = await openModule()
  const free = new Set<WebrtcDetector>()
  const mode = options.mode ?? 2
  return {
    id: 'webrtc',
    onsetDelayMs: 140,
    releaseDelayMs: 300,
    // The engine has no way to give one back to its memory: they are kept and used again.
    take: () => {
      for (const detector of free) {
        free.delete(detector)
        return detector
      }
      return new WebrtcDetector(new module.Endpointer({ samprate: rate, frame_length: frameSeconds, mode, window: windowSeconds, ratio }))
    },
    give: (detector) => {
      detector.reset()
      if (detector instanceof WebrtcDetector) free.add(detector)
    },
    close: () => free.clear(),
  }
}

class WebrtcDetector implements EndpointDetector {
  readonly #endpointer: Endpointer
  readonly #frame: Float32Array
  readonly #silence: Float32Array
  /** Of a line that is new the first frame is the floor: it may hum from the beginning. */
  readonly #levels = new Float64Array(floorFrames).fill(Infinity)
  #filled = 0
  #frames = 0

  constructor(endpointer: Endpointer) {
    this.#endpointer = endpointer
    this.#frame = new Float32Array(endpointer.get_frame_size())
    this.#silence = new Float32Array(this.#frame.length)
  }

  push(samples: Int16Array): boolean {
    for (const sample of samples) {
      this.#frame[this.#filled] = sample / 32_768
      this.#filled += 1
      if (this.#filled < this.#frame.length) continue
      this.#filled = 0
      this.#endpointer.process(this.#standsOut() ? this.#frame : this.#silence)
    }
    return this.#endpointer.get_in_speech()
  }

  reset(): void {
    this.#filled = 0
    this.#levels.fill(Infinity)
    for (let count = 0; count < framesToForget; count += 1) this.#endpointer.process(this.#silence)
  }

  /** Whether the frame is louder than the line itself. */
  #standsOut(): boolean {
    const power = this.#frame.reduce((sum, sample) => sum + sample * sample, 0) / this.#frame.length
    const level = Math.max(quietestFloorDb, 10 * Math.log10(power + 1e-12))
    this.#levels[this.#frames % floorFrames] = level
    this.#frames += 1
    return level > Math.min(...this.#levels) + aboveFloorDb
  }
}
