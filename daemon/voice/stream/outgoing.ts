/** What goes to the server of a stream, in order. One that reads too slowly loses the oldest audio, and at last the stream. */
import type { WebSocket } from 'ws'
import type { Clock } from '../../base/clock.ts'
import type { Numbered } from './messages.ts'

interface Waiting {
  readonly frame: Numbered | string
  readonly isMedia: boolean
}

/** Of audio as it is sent: two seconds of each track. */
const mostWaiting = 100
/** What may lie in the connection itself, of a frame's own bytes: a fifth of a second. */
const mostBuffered = 25
const stuckMs = 10_000

export class Outgoing {
  readonly #socket: WebSocket
  readonly #clock: Clock
  readonly #mostWaiting: number
  readonly #mostBuffered: number
  #waiting: Waiting[] = []
  #waitingMedia = 0
  #stuckSince: number | null = null
  #sequence = 0
  mediaSent = 0
  mediaDropped = 0

  constructor(socket: WebSocket, clock: Clock, { tracks, frameBytes }: { readonly tracks: number; readonly frameBytes: number }) {
    this.#socket = socket
    this.#clock = clock
    this.#mostWaiting = mostWaiting * tracks
    this.#mostBuffered = mostBuffered * frameBytes * tracks
  }

  send(frame: Numbered | string): void {
    this.#add({ frame, isMedia: false })
  }

  media(frame: Numbered): void {
    this.#add({ frame, isMedia: true })
    if (this.#waitingMedia <= this.#mostWaiting) return
    const oldest = this.#waiting.findIndex(({ isMedia }) => isMedia)
    this.#waiting.splice(oldest, 1)
    this.#waitingMedia--
    this.mediaDropped++
  }

  /** Answers a ping (RFC 6455, 5.5.2): of many that a slow server sends, those for which there is room. */
  pong(data: Buffer): void {
    if (this.#socket.readyState === this.#socket.OPEN && this.#socket.bufferedAmount < this.#mostBuffered) this.#socket.pong(data)
  }

  /** True when the server has taken nothing for too long. */
  flush(): boolean {
    while (this.#waiting.length > 0 && this.#socket.bufferedAmount < this.#mostBuffered) {
      const { frame, isMedia } = this.#waiting.shift()!
      if (isMedia) {
        this.#waitingMedia--
        this.mediaSent++
      }
      this.#socket.send(typeof frame === 'string' ? frame : frame(++this.#sequence), () => undefined)
    }
    if (this.#waiting.length === 0) this.#stuckSince = null
    else this.#stuckSince ??= this.#clock.elapsed()
    return this.#stuckSince !== null && this.#clock.elapsed() - this.#stuckSince > stuckMs
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting)
    if (waiting.isMedia) this.#waitingMedia++
    this.flush()
  }
}
