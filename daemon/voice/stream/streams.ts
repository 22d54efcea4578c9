/** The media streams of the box: how many there may be, and how one is opened for a call. */
import type { Call } from '../../calls/call.ts'
import type { Clock } from '../../base/clock.ts'
import { placeOf } from '../../base/for-log.ts'
import { newStreamSid } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { AddressPolicy } from '../../outbox/address.ts'
import type { CallEventContent } from '../../schema/events.ts'
import { MediaStream, type MediaStreamOptions, type StreamEnd } from './media-stream.ts'
import type { FrameCheck } from './messages.ts'
import { openSocket } from './open.ts'
import { AudioBudget } from './playout.ts'

export interface StreamsOptions {
  readonly policy: AddressPolicy
  readonly clock: Clock
  readonly log: Log
  readonly userAgent: string
  readonly checkFrame: FrameCheck
  /** As streams name the box. */
  readonly accountSid: string
  /** Open at once. */
  readonly most: number
  /** Of servers, besides those that are known everywhere: PEM. */
  readonly authority?: string
}

type StatusEvent = CallEventContent<'stream.started' | 'stream.stopped' | 'stream.error'>

export interface StreamOrder extends Pick<
  MediaStreamOptions,
  'call' | 'customParameters' | 'tracks' | 'format' | 'extensions' | 'drainOnClose' | 'maxMs' | 'signal' | 'replaced'
> {
  readonly url: string
  readonly name: string
  readonly secret: string
  /** One way: the server hears the call, and other verbs run meanwhile. */
  readonly background: boolean
  /** Called with what becomes of it. */
  readonly status: (event: StatusEvent) => void
}

export interface FinishedStream extends StreamEnd {
  readonly streamSid: string
}

const budgetBytes = 64 << 20
const mostInBackground = 2

export class Streams {
  readonly #options: StreamsOptions
  readonly #budget = new AudioBudget(budgetBytes)
  readonly #background = new WeakMap<Call, number>()
  #open = 0

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  get open(): number {
    return this.#open
  }

  /** Resolves when the stream has ended; what went wrong is part of the result. */
  async run(order: StreamOrder): Promise<FinishedStream> {
    const { call, background } = order
    const streamSid = newStreamSid()
    const others = this.#background.get(call) ?? 0
    const refused = this.#refusal(background, others)
    if (refused !== null) return this.#failed(order, streamSid, refused)
    this.#open++
    if (background) this.#background.set(call, others + 1)
    try {
      return await this.#run(order, streamSid)
    } finally {
      this.#open--
      if (background) this.#background.set(call, (this.#background.get(call) ?? 1) - 1)
    }
  }

  #refusal(background: boolean, others: number): string | null {
    if (this.#open >= this.#options.most) return `${this.#options.most} streams are already open (voice.streams)`
    return background && others >= mostInBackground ? `the call has ${mostInBackground} background streams already` : null
  }

  async #run(order: StreamOrder, streamSid: string): Promise<FinishedStream> {
    const { call, name, url, signal, replaced, background } = order
    const { clock, checkFrame } = this.#options
    const began = clock.elapsed()
    call.note('stream', `connecting to ${placeOf(url)}`, { streamSid, ...(name === '' ? {} : { name }) })
    const opened = await openSocket(this.#options, { url, secret: order.secret, callId: call.id, signal })
    if ('error' in opened) {
      if (!signal.aborted) return this.#failed(order, streamSid, opened.error)
      const reason = replaced.aborted ? 'replaced' : 'hangup'
      return { reason, streamSid, error: '', closeCode: null, durationMs: 0, framesIn: 0, framesOut: 0 }
    }
    call.note('stream', 'connected', { ms: clock.elapsed() - began })
    order.status({ event: 'stream.started', fields: { streamSid, name } })
    const identity = { accountSid: this.#options.accountSid, streamSid, callSid: call.id }
    const { socket } = opened
    const stream = new MediaStream({ ...order, socket, identity, clock, checkFrame, budget: this.#budget, speaks: !background })
    const end = await stream.run()
    const { reason, error, durationMs, closeCode } = end
    call.note(error === '' ? 'stream' : 'error', `stream ended: ${reason}${error === '' ? '' : ` (${error})`}`, { durationMs, closeCode })
    if (reason === 'error') order.status({ event: 'stream.error', fields: { streamSid, name, error } })
    order.status({ event: 'stream.stopped', fields: { streamSid, name } })
    return { ...end, streamSid }
  }

  #failed({ call, name, url, status }: StreamOrder, streamSid: string, error: string): FinishedStream {
    call.note('error', `stream to ${placeOf(url)}: ${error}`, { streamSid })
    this.#options.log.warn({ callId: call.id, streamSid }, 'a media stream could not be opened')
    status({ event: 'stream.error', fields: { streamSid, name, error } })
    return { reason: 'connect-failed', streamSid, error, closeCode: null, durationMs: 0, framesIn: 0, framesOut: 0 }
  }
}
