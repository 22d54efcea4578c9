/** Commands and results on one open port, one command at a time; rings and caller identification at any time. After CONNECT the bytes are the owner's. */
import type { Port } from '../serial/port.ts'
import { ResultParser, type ModemEvent, type ResultCode } from './results.ts'

export interface Reply {
  readonly code: ResultCode | 'timeout' | 'closed' | 'ring'
  readonly text: string
  /** Lines before the result. */
  readonly lines: readonly string[]
}

export interface AtHandlers {
  ring(text: string): void
  caller(field: string, value: string): void
  /** A call comes in already: a number that is dialled now would take it. */
  ringing?(): boolean
  cadence?(on: boolean, ms: number): void
  /** For the trace: what was sent and what came, without data. */
  trace?(sent: boolean, text: string): void
}

type Waiting = { readonly command: string; readonly lines: string[]; readonly ringEnds: boolean; readonly done: (reply: Reply) => void }

export class AtSession {
  readonly #port: Port
  readonly #handlers: AtHandlers
  readonly #parser = new ResultParser()
  #waiting: Waiting | null = null
  #last: Promise<unknown> = Promise.resolve()
  #raw: ((bytes: Buffer) => void) | null = null
  #held: Buffer[] | null = null
  #closed = false
  gapMs = 20
  /** Takes out of the bytes between commands what is no word: codes of a voice call. */
  filter: ((bytes: Buffer) => Buffer) | null = null
  /** The same where no call has it. */
  idleFilter: ((bytes: Buffer) => Buffer) | null = null
  /** What the modem says of itself between two commands. */
  unasked: ((text: string) => void) | null = null

  constructor(port: Port, handlers: AtHandlers) {
    this.#port = port
    this.#handlers = handlers
  }

  /** `ringEnds`: a RING ends it (while dialling: glare). Never rejects. */
  command(command: string, timeoutMs: number, options: { ringEnds?: boolean } = {}): Promise<Reply> {
    const reply = this.#last.then(() => this.#exchange(command, timeoutMs, options.ringEnds ?? false))
    this.#last = reply.then(({ code }) =>
      code === 'ok' && this.gapMs > 0 ? new Promise((done) => setTimeout(done, this.gapMs)) : undefined,
    )
    return reply
  }

  /** A result that no command asks for: at the end of data. */
  result(timeoutMs: number): Promise<Reply> {
    const reply = this.#last.then(() => this.#exchange('', timeoutMs, false))
    this.#last = reply
    return reply
  }

  #exchange(command: string, timeoutMs: number, ringEnds: boolean): Promise<Reply> {
    return new Promise((resolve) => {
      if (this.#closed) return resolve({ code: 'closed', text: '', lines: [] })
      if (ringEnds && this.#handlers.ringing?.() === true) return resolve({ code: 'ring', text: '', lines: [] })
      const timer = setTimeout(() => waiting.done({ code: 'timeout', text: '', lines: waiting.lines }), timeoutMs)
      const waiting: Waiting = {
        command,
        lines: [],
        ringEnds,
        done: (reply) => {
          clearTimeout(timer)
          if (this.#waiting === waiting) this.#waiting = null
          resolve(reply)
        },
      }
      this.#waiting = waiting
      this.#parser.restart()
      const held = this.#held ?? []
      this.#held = null
      if (command === '') {
        for (const bytes of held) this.onData(bytes)
        return
      }
      this.#handlers.trace?.(true, command)
      this.#port.write(`${command}\r`)
    })
  }

  /** A byte that ends a command in progress (dialling). */
  interrupt(): void {
    if (this.#waiting !== null) this.#port.write('\r')
  }

  /** Bytes that belong to no command: escape sequences. */
  write(bytes: string): void {
    this.#port.write(bytes)
  }

  /** After CONNECT: bytes of the owner. */
  writeData(bytes: Buffer): void {
    this.#port.write(bytes)
  }

  /** After CONNECT: all bytes go to `sink`, those that came already first. */
  takeData(sink: (bytes: Buffer) => void): void {
    const held = this.#held ?? []
    this.#held = null
    this.#raw = sink
    for (const bytes of held) sink(bytes)
  }

  /** Bytes wait, `first` ahead of those to come, until somebody waits for a result, takes data, or says the next command. */
  holdData(first: readonly Uint8Array[] = []): void {
    this.#raw = null
    this.#held = [...(this.#held ?? []), ...first.map((bytes) => Buffer.from(bytes))]
  }

  /** Back to commands. */
  releaseData(): void {
    this.#raw = null
    this.#held = null
    this.#parser.restart()
  }

  onData(bytes: Buffer): void {
    if (this.#raw !== null) this.#raw(bytes)
    else if (this.#held !== null) this.#held.push(bytes)
    else {
      const filter = this.filter ?? this.idleFilter
      const { events, rest } = this.#parser.take(filter === null ? bytes : filter(bytes))
      for (const event of events) this.#event(event)
      // A CONNECT that nobody asked for leaves the modem to the next reset.
      if (rest.length > 0) this.onData(Buffer.from(rest))
    }
  }

  closed(): void {
    this.#closed = true
    this.#waiting?.done({ code: 'closed', text: '', lines: [] })
  }

  #event(event: ModemEvent): void {
    const waiting = this.#waiting
    switch (event.kind) {
      case 'ring':
        this.#handlers.trace?.(false, event.text)
        if (waiting?.ringEnds === true) waiting.done({ code: 'ring', text: event.text, lines: waiting.lines })
        this.#handlers.ring(event.text)
        break
      case 'caller':
        this.#handlers.caller(event.field, event.value)
        break
      case 'cadence':
        this.#handlers.cadence?.(event.on, event.ms)
        break
      case 'text':
        this.#handlers.trace?.(false, event.text)
        if (waiting === null) this.unasked?.(event.text)
        else if (event.text !== waiting.command) waiting.lines.push(event.text)
        break
      case 'result':
        this.#handlers.trace?.(false, event.text)
        if (waiting === null) break
        if (event.code === 'connect') this.#held = []
        waiting.done({ code: event.code, text: event.text, lines: waiting.lines })
        break
    }
  }
}
