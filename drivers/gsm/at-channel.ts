/**
 * Commands and results on one open port, one command at a time; notices at any time, in the middle of an answer too. After
 * an answer that did not come in time the channel finds its feet again before the next command: a late answer must not be
 * taken for that of another.
 */
import type { Port } from '../serial/port.ts'
import { readError, type ModemError } from './errors.ts'
import { directHeader, LineParser, readNotice, type Notice } from './lines.ts'

export interface AtReply {
  readonly code: 'ok' | 'error' | 'timeout' | 'closed'
  readonly error: ModemError | null
  /** Lines before the result, without notices and echoes. */
  readonly lines: readonly string[]
}

/** `written`: the PDU was on its way, so an answer that is missing says nothing. */
export interface SubmitReply extends AtReply {
  readonly written: boolean
}

export interface AtHandlers {
  notice(notice: Notice): void
  /** The modem answers to nothing. */
  deaf(): void
  trace?(sent: boolean, text: string): void
}

export interface ChannelTimes {
  /** For an answer of the modem itself. */
  readonly answerMs: number
  /** For the prompt of AT+CMGS. */
  readonly promptMs: number
  /** For the network's answer to a text. */
  readonly sendMs: number
  /** How long the modem must be silent after a missed answer. */
  readonly settleMs: number
}

const escape = '\u001b'
const endOfPdu = '\u001a'
const tries = 4

class Exchange {
  readonly reply: Promise<AtReply>
  readonly lines: string[] = []
  /** Lines of the answer begin so, those of notices otherwise; null where answers have no name. */
  readonly prefix: string | null
  readonly prompt: (() => void) | null
  readonly echoes: string[]
  prompted = false
  readonly #resolve: (reply: AtReply) => void
  #timer: NodeJS.Timeout

  constructor(command: string, timeoutMs: number, prompt: (() => void) | null) {
    const { promise, resolve } = Promise.withResolvers<AtReply>()
    this.reply = promise
    this.#resolve = resolve
    this.echoes = [command]
    this.prefix = /^AT([+^*#%]\w+)/.exec(command)?.[1] ?? null
    this.prompt = prompt
    this.#timer = setTimeout(() => this.end('timeout'), timeoutMs)
  }

  extend(timeoutMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end('timeout'), timeoutMs)
  }

  end(code: AtReply['code'], error: ModemError | null = null): void {
    clearTimeout(this.#timer)
    this.#resolve({ code, error, lines: this.lines })
  }
}

export class AtChannel {
  readonly #port: Port
  readonly #handlers: AtHandlers
  readonly #times: ChannelTimes
  readonly #parser = new LineParser()
  #exchange: Exchange | null = null
  #direct = false
  #last: Promise<unknown> = Promise.resolve()
  #lost = true
  #closed = false
  #heard = 0

  constructor(port: Port, handlers: AtHandlers, times: ChannelTimes) {
    this.#port = port
    this.#handlers = handlers
    this.#times = times
  }

  /** Never rejects. The first command, and one after a missed answer, waits until the modem answers to AT. */
  command(command: string, timeoutMs = this.#times.answerMs): Promise<AtReply> {
    return this.#inTurn(async () => ((await this.#find()) ? this.#say(command, timeoutMs) : this.#nothing()))
  }

  /** AT+CMGS: command, prompt, PDU. `go` is asked again right before the PDU is written; where it says no, nothing is sent. */
  submit(length: number, pdu: string, go: () => boolean): Promise<SubmitReply> {
    return this.#inTurn(async () => {
      if (!go() || !(await this.#find())) return { ...this.#nothing(), written: false }
      const prompt = Promise.withResolvers<void>()
      const reply = this.#say(`AT+CMGS=${length}`, this.#times.promptMs, prompt.resolve)
      await Promise.race([prompt.promise, reply])
      const exchange = this.#exchange
      if (exchange === null || !exchange.prompted || this.#closed) return { ...(await reply), written: false }
      const written = go()
      exchange.extend(written ? this.#times.sendMs : this.#times.answerMs / tries)
      exchange.echoes.push(pdu)
      this.#handlers.trace?.(true, written ? `${pdu}^Z` : '^[')
      this.#port.write(written ? `${pdu}${endOfPdu}` : escape)
      return { ...(await reply), written }
    })
  }

  onData(bytes: Buffer): void {
    this.#heard = performance.now()
    const prompting = (): boolean => this.#exchange !== null && this.#exchange.prompt !== null && !this.#exchange.prompted
    this.#parser.take(bytes, prompting, (token) => {
      if (token.kind === 'line') return this.#line(token.text)
      this.#handlers.trace?.(false, '>')
      this.#exchange!.prompted = true
      this.#exchange!.prompt!()
    })
  }

  closed(): void {
    this.#closed = true
    this.#exchange?.end('closed')
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result
    return result
  }

  #nothing(): AtReply {
    return { code: this.#closed ? 'closed' : 'timeout', error: null, lines: [] }
  }

  async #say(command: string, timeoutMs: number, prompt: (() => void) | null = null): Promise<AtReply> {
    if (this.#closed) return this.#nothing()
    const exchange = new Exchange(command, timeoutMs, prompt)
    this.#exchange = exchange
    this.#handlers.trace?.(true, command.replace(/^AT\+CPIN=.*/, 'AT+CPIN=...'))
    this.#port.write(`${command}\r`)
    const reply = await exchange.reply
    this.#exchange = null
    if (reply.code === 'timeout') this.#lost = true
    return reply
  }

  /** The escape ends a prompt that came too late, or that the modem's former user left. */
  async #find(): Promise<boolean> {
    for (let i = 0; i < tries && this.#lost && !this.#closed; i++) {
      this.#port.write(escape)
      const { code } = await this.#say('AT', this.#times.answerMs / tries)
      if (code !== 'ok') continue
      await this.#quiet()
      this.#lost = false
    }
    if (this.#lost && !this.#closed) this.#handlers.deaf()
    return !this.#lost && !this.#closed
  }

  async #quiet(): Promise<void> {
    const { settleMs } = this.#times
    for (let left = settleMs; left > 0 && !this.#closed; left = this.#heard + settleMs - performance.now())
      await new Promise((done) => setTimeout(done, left))
  }

  #line(text: string): void {
    this.#handlers.trace?.(false, text)
    if (this.#direct) {
      this.#direct = false
      if (/^[0-9A-Fa-f]{20,}$/.test(text)) return this.#handlers.notice({ kind: 'direct', pdu: text })
    }
    const exchange = this.#exchange
    if (directHeader.test(text)) {
      this.#direct = true
      return
    }
    if (exchange === null || this.#isNotice(text, exchange)) {
      const notice = readNotice(text)
      // It has forgotten what it was asked.
      if (notice.kind === 'restarted') exchange?.end('timeout')
      return this.#handlers.notice(notice)
    }
    const error = readError(text)
    if (text === 'OK') exchange.end('ok')
    else if (error !== null) exchange.end('error', error)
    else if (!exchange.echoes.includes(text)) exchange.lines.push(text)
  }

  /** A line with the name of another command, or one of the words that modems say when they start. */
  #isNotice(text: string, { prefix }: Exchange): boolean {
    if (/^\+CM[SE] ERROR/.test(text)) return false
    if (/^RING\b/.test(text)) return true
    const name = /^([+^*#%]\w+):/.exec(text)?.[1]
    if (name !== undefined) return name !== prefix
    return readNotice(text).kind !== 'other'
  }
}
