/** Both ends of a call in the hand of a test: a leg as a driver has it, and the requests that reach the application. */
import type { Dispatcher } from 'undici'
import type { Leg, LegAudio, LegEnd, LegEvent, PlaySource } from '../../drivers/line.ts'
import { writeWav } from '../../drivers/sim/leg.ts'

const remoteEnd: LegEnd = { by: 'remote', reason: 'hangup', sipCode: 200, cause: 16, text: '' }
const localEnd: LegEnd = { ...remoteEnd, by: 'local' }
const lostEnd: LegEnd = { by: 'system', reason: 'driver-lost', sipCode: 0, cause: 41, text: 'the engine was lost' }

/** A leg that follows orders when the test lets it: what it answers waits in `answers`. */
export class WireLeg implements Leg, LegAudio {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  onEvent: (event: LegEvent) => void = () => undefined
  /** What was ordered to be played since the beginning, and whether it was before the last `clear`. */
  readonly played: { readonly text: string; readonly kind: string }[] = []
  queue: { readonly playId: number; readonly text: string }[] = []
  readonly answers: LegEvent[] = []
  /** When the end was ordered by us. */
  endedBy: 'us' | 'them' | null = null
  bridged: Leg | null = null
  isAnswered = false
  /** Says nothing more of its own end. */
  mute = false
  /** Lengths of the silences that were ordered. */
  readonly silences: number[] = []
  over = false
  readonly #records = new Map<number, string>()

  constructor(id: string, direction: 'inbound' | 'outbound') {
    this.id = id
    this.direction = direction
  }

  get audio(): LegAudio {
    return this
  }
  progress(): void {}
  answer(): void {
    if (this.over || this.isAnswered) return
    this.isAnswered = true
    this.answers.push({ type: 'answered', codec: 'PCMU', secure: false })
  }
  reject(): void {
    this.hangup()
  }
  hangup(): void {
    if (this.over || this.endedBy !== null) return
    this.endedBy = 'us'
    if (!this.mute) this.answers.push({ type: 'ended', end: localEnd })
  }
  play(playId: number, source: PlaySource): void {
    if (this.over) return
    const text = source.kind === 'clip' ? (source.clip.text ?? '') : source.kind
    if (source.kind === 'silence') this.silences.push(source.ms)
    this.played.push({ text, kind: source.kind })
    this.queue.push({ playId, text })
  }
  clear(): void {
    const cut = this.queue.splice(0)
    for (const { playId } of cut) this.answers.push({ type: 'played', playId, completed: false, playedMs: 0 })
  }
  record(recordId: number, { file }: { readonly file: string }): void {
    if (!this.over) this.#records.set(recordId, file)
  }
  stopRecord(recordId: number): void {
    this.#recorded(recordId, 'stopped')
  }
  bridge(other: Leg): boolean {
    if (other instanceof WireLeg) this.bridged = other
    return other instanceof WireLeg
  }
  unbridge(): void {
    this.bridged = null
  }
  sendDigits(): void {}
  listen(): void {}
  tap(): void {}
  fork(): void {}

  /** The first item of the queue was heard to its end, with the silence before it. */
  heard(): void {
    for (;;) {
      const item = this.queue.shift()
      if (item === undefined) return
      this.onEvent({ type: 'played', playId: item.playId, completed: true, playedMs: 1000 })
      if (item.text !== 'silence') return
    }
  }
  key(digit: string): void {
    if (!this.over) this.onEvent({ type: 'digit', digit, method: 'rfc4733', durationMs: 100 })
  }
  /** Delivers the waiting answers. */
  pump(): void {
    for (let next = this.answers.shift(); next !== undefined; next = this.answers.shift()) {
      if (this.over && next.type !== 'recorded') continue
      if (next.type === 'ended') this.end(next.end)
      else this.onEvent(next)
    }
  }
  end(end: LegEnd): void {
    if (this.over) return
    this.endedBy ??= 'them'
    for (const id of this.#records.keys()) this.#recorded(id, 'ended')
    this.over = true
    this.onEvent({ type: 'ended', end })
  }
  hangUp(): void {
    this.end(remoteEnd)
  }
  lose(): void {
    this.end(lostEnd)
  }
  #recorded(recordId: number, reason: 'stopped' | 'ended'): void {
    const file = this.#records.get(recordId)
    if (file === undefined) return
    this.#records.delete(recordId)
    writeWav(file, new Int16Array(800))
    this.answers.push({ type: 'recorded', recordId, file, durationMs: 100, reason })
  }
}

/** One attempt that reached the wire of the application. */
export class Attempt {
  readonly event: Record<string, any>
  readonly path: string
  readonly number: number
  readonly #settled = Promise.withResolvers<unknown>()
  outcome: 'open' | 'answered' | 'failed' | 'cut' = 'open'

  constructor(options: Dispatcher.RequestOptions) {
    this.event = JSON.parse(String(options.body))
    this.path = String(options.path)
    this.number = Number((options.headers as Record<string, string>)['X-Service-Attempt'])
    const signal = options.signal as AbortSignal
    const cut = () => {
      if (this.outcome === 'open') this.outcome = 'cut'
      this.#settled.reject(new Error('aborted'))
    }
    if (signal.aborted) cut()
    signal.addEventListener('abort', cut)
  }

  get response(): Promise<unknown> {
    return this.#settled.promise
  }

  answer(status: number, document: unknown = []): void {
    if (this.outcome !== 'open') return
    this.outcome = status === 200 ? 'answered' : 'failed'
    const text = Buffer.from(JSON.stringify(document))
    const body = {
      async *[Symbol.asyncIterator]() {
        yield text
      },
      dump: async () => undefined,
    }
    this.#settled.resolve({ statusCode: status, headers: { 'content-type': 'application/json' }, body })
  }
}
