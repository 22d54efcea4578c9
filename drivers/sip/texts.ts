/**
 * Texts over pbx-engine (PROTOCOL.md, "Texts"). Every text sent gets one outcome, whatever becomes of the engine. A text that comes in is
 * answered once the handler of the trunk's texts has stored it.
 */
import { randomInt } from 'node:crypto'
import { encodeMessage, type Message } from './frames.ts'
import { text, whole } from './reading.ts'
import type { DriverLog } from './engine-log.ts'

export interface SipText {
  readonly trunkId: string
  /** As for a call of the trunk. */
  readonly to: string
  /** '' for no number. */
  readonly from: string
  /** At most 1300 bytes of UTF-8. */
  readonly body: string
}

export interface SipTextOutcome {
  /** Final SIP status of the far end; 0 where none came. 513 also where the body is too long, and `sent` is false. */
  readonly code: number
  /** The far end's words, or what went wrong on this side. */
  readonly reason: string
  /** It left, or may have left. */
  readonly sent: boolean
  /** As the far end asked; 0 where it did not. */
  readonly retryAfterSeconds: number
  readonly sipCallId: string
}

export interface InboundSipText {
  /** '' where the sender withholds it. */
  readonly from: string
  readonly to: string
  /** Without control characters other than line ends and tabs. */
  readonly body: string
  /** The Date header as it came, '' for none. */
  readonly date: string
  /** The same for the same request, different for every other. */
  readonly key: string
  readonly sipCallId: string
}

export type TakeSipText = (text: InboundSipText) => Promise<void>

/** What a SipDriver offers besides calls. */
export interface SipTexts {
  /** Never rejects. An outcome follows within 35 s: PJSIP gives up after 32. */
  send(request: SipText): Promise<SipTextOutcome>
  /** Announces that this trunk takes texts: until `take` is given, senders are asked to try again (503); without a claim they get 405. */
  claim(trunkId: string): void
  /** `null`: nobody takes them now. When `take` resolves, the sender gets 200; when it rejects, 503. */
  onText(trunkId: string, take: TakeSipText | null): void
  /** Called whenever a line of the driver may have changed; answers how to end that. */
  onStatus(listener: () => void): () => void
}

export interface TextPort {
  readonly log: DriverLog
  send(frame: Buffer): void
  isUp(): boolean
}

export class TextExchange implements SipTexts {
  readonly #port: TextPort
  readonly #takers = new Map<string, TakeSipText | null>()
  readonly #listeners = new Set<() => void>()
  readonly #waiting = new Map<number, (outcome: SipTextOutcome) => void>()
  /** Starts at a random number: an engine that has outlived its daemon may still report the outcome of an earlier text. */
  #next = randomInt(1, 0x7fff_ffff)
  /** Counts engines: an answer must not reach the text of another one. */
  #generation = 0

  constructor(port: TextPort) {
    this.#port = port
  }

  /** Whether a far end is still to answer. */
  get busy(): boolean {
    return this.#waiting.size > 0
  }

  send(request: SipText): Promise<SipTextOutcome> {
    if (!this.#port.isUp()) return Promise.resolve(failed('The SIP engine is not running', false))
    const id = this.#next
    this.#next = (this.#next % 0xffff_fffe) + 1
    const { trunkId, to, from, body } = request
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#port.send(encodeMessage({ t: 'textSend', id, trunk: trunkId, to, from, body }))
    })
  }

  claim(trunkId: string): void {
    if (!this.#takers.has(trunkId)) this.#takers.set(trunkId, null)
  }

  onText(trunkId: string, take: TakeSipText | null): void {
    this.#takers.set(trunkId, take)
  }

  onStatus(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  statusChanged(): void {
    for (const listener of this.#listeners) listener()
  }

  /** The engine is gone: what it had not answered may have been sent. */
  lost(reason: string): void {
    this.#generation += 1
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const resolve of waiting) resolve(failed(`The SIP engine was lost: ${reason}`, true))
  }

  /** false: the message is none of a text. */
  receive(message: Message): boolean {
    if (message.t === 'textSent') this.#sent(message)
    else if (message.t === 'text') void this.#take(message)
    else return false
    return true
  }

  #sent(message: Message): void {
    const id = whole(message['id'])
    const resolve = this.#waiting.get(id)
    this.#waiting.delete(id)
    resolve?.({
      code: whole(message['code']),
      reason: text(message['reason']),
      sent: message['sent'] === true,
      retryAfterSeconds: whole(message['retryAfter']),
      sipCallId: text(message['sipCallId']),
    })
  }

  async #take(message: Message): Promise<void> {
    const id = whole(message['id'])
    const generation = this.#generation
    const taker = this.#takers.get(text(message['trunk']))
    const code = taker === undefined ? 405 : taker === null ? 503 : await this.#kept(taker, message)
    if (generation === this.#generation) this.#port.send(encodeMessage({ t: 'textReply', id, code }))
  }

  async #kept(take: TakeSipText, message: Message): Promise<200 | 503> {
    const of = (name: string): string => text(message[name])
    try {
      await take({ from: of('from'), to: of('to'), body: of('body'), date: of('date'), key: of('key'), sipCallId: of('sipCallId') })
      return 200
    } catch (error) {
      const facts = { trunk: of('trunk'), sipCallId: of('sipCallId'), error: error instanceof Error ? error.message : String(error) }
      this.#port.log.error(facts, 'A text could not be stored; its sender must try again')
      return 503
    }
  }
}

function failed(reason: string, sent: boolean): SipTextOutcome {
  return { code: 0, reason, sent, retryAfterSeconds: 0, sipCallId: '' }
}
