/**
 * A stand-in for the WebSocket of a realtime model, so that the transport of `@openai/agents-extensions` runs unmodified and without a key: takes
 * the session as it is asked for, answers with a tone once it has heard enough, and is interrupted when more is said.
 */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { WebSocketServer, type WebSocket } from 'ws'
import { tonePiece } from '../../harness/streams/tones.ts'

export interface ModelOptions {
  /** Audio that is heard before it answers, ms. */
  readonly afterMs: number
  /** Length of the answer, in pieces of 50 ms that are sent all at once. */
  readonly answerMs: number
  /** Audio after the answer began at which the caller is taken to speak; never without it. */
  readonly interruptedAfterMs?: number
}

const pieceMs = 50

export class RealtimeModel {
  readonly url: string
  /** What the transport sent, by type. */
  readonly received: { readonly type: string; readonly [member: string]: unknown }[] = []
  /** Audio of the caller, mu-law. */
  heardBytes = 0
  readonly #server: WebSocketServer
  readonly #options: ModelOptions
  #answered = 0
  #interrupted = false

  private constructor(server: WebSocketServer, options: ModelOptions) {
    this.#server = server
    this.#options = options
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('connection', (socket) => this.#serve(socket))
  }

  static async open(options: ModelOptions): Promise<RealtimeModel> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    return new RealtimeModel(server, options)
  }

  of(type: string): RealtimeModel['received'] {
    return this.received.filter((one) => one.type === type)
  }

  #serve(socket: WebSocket): void {
    const send = (type: string, members: object): void => socket.send(JSON.stringify({ type, event_id: randomUUID(), ...members }))
    send('session.created', { session: { type: 'realtime', model: 'stand-in' } })
    socket.on('error', () => undefined)
    socket.on('message', (data) => {
      const event = JSON.parse(String(data as Buffer)) as { type: string; audio?: string }
      this.received.push(event)
      if (event.type !== 'input_audio_buffer.append') return
      this.heardBytes += Buffer.from(event.audio ?? '', 'base64').length
      const ms = this.heardBytes / 8
      if (this.#answered === 0 && ms >= this.#options.afterMs) {
        this.#answered = ms
        this.#answer(send)
      }
      const { interruptedAfterMs = Infinity } = this.#options
      if (this.#answered > 0 && !this.#interrupted && ms - this.#answered >= interruptedAfterMs) {
        this.#interrupted = true
        send('input_audio_buffer.speech_started', { item_id: 'item_caller', audio_start_ms: Math.round(ms) })
      }
    })
  }

  #answer(send: (type: string, members: object) => void): void {
    const place = { response_id: 'resp_1', item_id: 'item_1', output_index: 0, content_index: 0 }
    send('response.created', { response: { id: 'resp_1', status: 'in_progress', output: [] } })
    const pieces = this.#options.answerMs / pieceMs
    for (let n = 0; n < pieces; n += 1) {
      const delta = Buffer.from(tonePiece(n * pieceMs * 8, pieceMs * 8)).toString('base64')
      send('response.output_audio.delta', { ...place, delta })
    }
    send('response.output_audio.done', place)
    send('response.done', { response: { id: 'resp_1', status: 'completed', output: [] } })
  }

  async close(): Promise<void> {
    for (const client of this.#server.clients) client.terminate()
    await new Promise((done) => this.#server.close(done))
  }
}
