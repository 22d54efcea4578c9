/**
 * One connection to an SMPP service from login to its end: requests and their answers by sequence number, the test of
 * the link, and what the service sends. Whatever goes wrong ends the session; the trunk opens the next one.
 */
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { attemptMs } from '../connect-patience.ts'
import { decode, encode, head, isResponse, type Pdu, headLength, largestPdu } from './codec.ts'
import { rejected, tryAgain, unknownCommand } from './statuses.ts'

/** Cuts a stream of bytes into PDUs by their length (SMPP 3.4, 3.2). Holds one unfinished PDU at most, whatever its length says. */
export class FrameReader {
  readonly #length = Buffer.alloc(4)
  #frame: Buffer | null = null
  #filled = 0

  /**
   * The PDUs that are whole now.
   * @throws Error where a length cannot be: nothing after it can be read either
   */
  push(chunk: Buffer): Buffer[] {
    const whole: Buffer[] = []
    let rest = chunk
    while (rest.length > 0) {
      const target = this.#frame ?? this.#length
      const taken = rest.copy(target, this.#filled)
      this.#filled += taken
      rest = rest.subarray(taken)
      if (this.#filled < target.length) break
      if (this.#frame === null) {
        this.#frame = this.#begin()
      } else {
        whole.push(this.#frame)
        this.#frame = null
        this.#filled = 0
      }
    }
    return whole
  }

  #begin(): Buffer {
    const length = this.#length.readUInt32BE(0)
    if (length < headLength || length > largestPdu) throw new Error(`a PDU of ${length} bytes`)
    const frame = Buffer.alloc(length)
    this.#length.copy(frame)
    return frame
  }
}

export interface SessionOptions {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** Certificates that are trusted besides those of the system, PEM. */
  readonly ca?: string
  readonly connectMs: number
  /** How long the service may take for an answer. */
  readonly answerMs: number
  readonly enquireMs: number
}

export type Answer =
  | { readonly kind: 'answer'; readonly status: number; readonly pdu: Pdu }
  /** It never left the box. */
  | { readonly kind: 'unsent'; readonly text: string }
  /** It left, and nothing came back. */
  | { readonly kind: 'lost'; readonly text: string }

export interface SessionHandlers {
  /** deliver_sm or data_sm; resolves with the status of the answer. */
  deliver(pdu: Pdu): Promise<number>
  /** Once. `text` says why, for a person. */
  closed(text: string): void
  odd(facts: object, text: string): void
}

type Fields = Parameters<typeof encode>[2]

interface Waiting {
  readonly answered: (answer: Answer) => void
  readonly timer: NodeJS.Timeout
}

/** Messages of the service that may be worked on at once; more are to be sent again. */
const mostDeliveries = 100
/** A peer that asks and does not read its answers gets no more of them. */
const mostUnread = 1 << 20

export class Session {
  readonly #options: SessionOptions
  readonly #handlers: SessionHandlers
  readonly #reader = new FrameReader()
  readonly #waiting = new Map<number, Waiting>()
  readonly #socket: Socket
  #sequence = 0
  #deliveries = 0
  #closed = false
  #reason = ''
  #ready: ((text: string | null) => void) | null = null
  #enquiry: NodeJS.Timeout | null = null

  constructor(options: SessionOptions, handlers: SessionHandlers) {
    this.#options = options
    this.#handlers = handlers
    const { host, port } = options
    const place = { host, port, autoSelectFamilyAttemptTimeout: attemptMs(options.connectMs) }
    this.#socket = options.tls
      ? connectTls({
          ...place,
          ...(options.ca === undefined ? {} : { ca: options.ca }),
          ...(/[a-z]/i.test(host) ? { servername: host } : {}),
        })
      : connectTcp(place)
    this.#socket.setNoDelay(true)
    const patience = setTimeout(() => this.close('the service does not answer'), options.connectMs)
    this.#socket.once(options.tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(patience)
      this.#ready?.(null)
      this.#ready = null
    })
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.close(connectionText(error)))
    this.#socket.on('end', () => this.close('the service ended the connection'))
    this.#socket.on('close', () => {
      clearTimeout(patience)
      this.close('the connection is gone')
    })
  }

  /** Null once connected, otherwise why not. */
  connected(): Promise<string | null> {
    if (this.#closed) return Promise.resolve(this.#reason)
    return new Promise((resolve) => {
      this.#ready = resolve
    })
  }

  /** From here on the link is tested. */
  keepAlive(): void {
    if (this.#closed) return
    this.#enquiry = setInterval(() => {
      void this.request('enquire_link').then((answer) => {
        if (answer.kind === 'lost') this.close('the service does not answer a test of the link')
      })
    }, this.#options.enquireMs)
  }

  request(command: string, fields: Fields = {}): Promise<Answer> {
    if (this.#closed) return Promise.resolve({ kind: 'unsent', text: this.#reason })
    this.#sequence = this.#sequence >= 0x7fffffff ? 1 : this.#sequence + 1
    const sequence = this.#sequence
    const bytes = encode(command, sequence, fields)
    return new Promise((answered) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(sequence)
        answered({ kind: 'lost', text: 'the service did not answer in time' })
      }, this.#options.answerMs)
      this.#waiting.set(sequence, { answered, timer })
      this.#write(bytes)
    })
  }

  /** Says goodbye, waits a moment for the answer, and closes. */
  async leave(moment: number): Promise<void> {
    if (!this.#closed) {
      let timer: NodeJS.Timeout | undefined
      await Promise.race([this.request('unbind'), new Promise((resolve) => (timer = setTimeout(resolve, moment)))])
      clearTimeout(timer)
    }
    this.close('the box ended the connection')
  }

  close(text: string): void {
    if (this.#closed) return
    this.#closed = true
    this.#reason = text
    if (this.#enquiry !== null) clearInterval(this.#enquiry)
    this.#socket.destroy()
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { answered, timer } of waiting) {
      clearTimeout(timer)
      answered({ kind: 'lost', text })
    }
    this.#ready?.(text)
    this.#ready = null
    this.#handlers.closed(text)
  }

  #write(bytes: Buffer): void {
    if (this.#closed) return
    if (this.#socket.writableLength > mostUnread) return this.close('the service does not read what it is sent')
    this.#socket.write(bytes)
  }

  #read(chunk: Buffer): void {
    let frames: Buffer[]
    try {
      frames = this.#reader.push(chunk)
    } catch (error) {
      return this.close(`the service sent what is not SMPP: ${(error as Error).message}`)
    }
    for (const frame of frames) {
      if (this.#closed) return
      this.#take(frame)
    }
  }

  #take(frame: Buffer): void {
    const { id, sequence } = head(frame)
    let pdu: Pdu
    try {
      pdu = decode(frame)
    } catch {
      this.#handlers.odd({ command: id }, 'a PDU of the service cannot be read')
      // Refused for good: answered otherwise it would come again for ever.
      if (isResponse(id)) this.#answered(sequence, { kind: 'lost', text: 'the answer of the service cannot be read' })
      else this.#write(encode('generic_nack', sequence, {}, rejected))
      return
    }
    if (isResponse(id)) return this.#answered(sequence, { kind: 'answer', status: pdu.command_status, pdu })
    if (pdu.command === 'enquire_link') return this.#write(encode('enquire_link_resp', sequence))
    if (pdu.command === 'deliver_sm' || pdu.command === 'data_sm') return void this.#deliver(pdu)
    if (pdu.command === 'unbind') {
      this.#write(encode('unbind_resp', sequence))
      return this.close('the service ended the session')
    }
    // It reports a phone that is in reach again, and wants no answer.
    if (pdu.command === 'alert_notification') return
    this.#write(encode('generic_nack', sequence, {}, unknownCommand))
  }

  #answered(sequence: number, answer: Answer): void {
    const waiting = this.#waiting.get(sequence)
    if (waiting === undefined) return
    this.#waiting.delete(sequence)
    clearTimeout(waiting.timer)
    waiting.answered(answer)
  }

  async #deliver(pdu: Pdu): Promise<void> {
    let status = tryAgain
    if (this.#deliveries < mostDeliveries) {
      this.#deliveries++
      status = await this.#handlers.deliver(pdu)
      this.#deliveries--
    }
    this.#write(encode(`${pdu.command}_resp`, pdu.sequence_number, {}, status))
  }
}

/** Why there is no connection, in words. */
function connectionText(error: NodeJS.ErrnoException): string {
  const code = error.code ?? ''
  if (code === 'ECONNREFUSED') return 'nothing listens at the address of the service'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name of the service cannot be resolved'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'the service broke the connection'
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'the service cannot be reached'
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return `the connection cannot be secured: ${error.message}`
  return `the connection failed: ${error.message}`
}
