/**
 * How fast the server of a stream may speak. It may say ten minutes of audio at once; one that goes on faster than anybody could listen is
 * read no faster than this, so that it costs its own stream the wait, and no call anything.
 */
import type { WebSocket } from 'ws'
import type { Clock } from '../../base/clock.ts'

/** Ten minutes of audio at 8 kHz as text, and more. */
const mostAtOnceBytes = 8 << 20
/** Sixteen times as fast as audio at 16 kHz is heard. */
const bytesPerMs = 512
/** What reading a frame costs besides its bytes: many small ones are work as well. */
const frameBytes = 200

export class Intake {
  readonly #socket: Pick<WebSocket, 'pause' | 'resume'>
  readonly #clock: Clock
  #left = mostAtOnceBytes
  #at: number
  #paused = false

  constructor(socket: Pick<WebSocket, 'pause' | 'resume'>, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    this.#at = clock.elapsed()
  }

  /** A frame of so many bytes was read, of whatever kind. True: nothing more is read for a while. */
  took(bytes: number): boolean {
    const now = this.#clock.elapsed()
    this.#left = Math.min(mostAtOnceBytes, this.#left + (now - this.#at) * bytesPerMs) - bytes - frameBytes
    this.#at = now
    if (this.#left >= 0) return false
    if (!this.#paused) this.#pause()
    return true
  }

  #pause(): void {
    this.#paused = true
    this.#socket.pause()
    // What was in memory already is still read meanwhile, and counts.
    this.#clock.after(Math.ceil(-this.#left / bytesPerMs), () => {
      this.#paused = false
      this.#socket.resume()
    })
  }
}
