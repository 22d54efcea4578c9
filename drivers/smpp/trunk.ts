/**
 * A text trunk at an SMPP 3.4 service (SMPP v3.4 issue 1.2): one transceiver session that is kept up, at most `window`
 * requests unanswered, and messages of the service acknowledged only when they are durable.
 */
import type { OutboundText, SmsOutcome, SmsTrunk, SmsTrunkHandlers, SmsTrunkLog, SmsTrunkStatus } from '../sms.ts'
import { fitsDefault, type DefaultAlphabet } from './alphabet.ts'
import { readText } from './inbound.ts'
import { Redeliveries } from './redeliveries.ts'
import { ReceiptIdBook, type ReceiptIds } from './receipt-ids.ts'
import { readReceipt, type Receipt } from './receipts.ts'
import { Session, type Answer } from './session.ts'
import { needsPerson, statusOf, throttled, tryAgain } from './statuses.ts'
import { submission, Slots } from './submit.ts'
import type { Pdu } from './codec.ts'

export interface SmppTrunkOptions {
  readonly id: string
  /** Sender of its texts and recipient of those that come; '' where the service decides. */
  readonly number: string
  readonly log: SmsTrunkLog
  /** host:port */
  readonly server: string
  readonly tls: boolean
  readonly systemId: string
  readonly password: string
  readonly systemType: string
  readonly window: number
  readonly enquireSeconds: number
  /** Whether delivery receipts are asked for. */
  readonly receipts: boolean
  readonly receiptIds?: ReceiptIds
  /** What data_coding 0 is at the service. */
  readonly alphabet?: DefaultAlphabet
  /** Certificates trusted besides those of the system, PEM. */
  readonly ca?: string
  readonly times?: Partial<SmppTimes>
}

/** Milliseconds. */
export interface SmppTimes {
  readonly connect: number
  readonly answer: number
  readonly enquire: number
  /** Wait before the second attempt to connect, and the longest. */
  readonly retryFirst: number
  readonly retryMost: number
  /** A session that lasted so long was a good one. */
  readonly good: number
  /** What texts under way get when the trunk stops. */
  readonly moment: number
  /** How long a receipt waits for the answer it may have overtaken. */
  readonly overtaken: number
}

const usual: SmppTimes = {
  connect: 10_000,
  answer: 30_000,
  enquire: 30_000,
  retryFirst: 1000,
  retryMost: 60_000,
  good: 10_000,
  moment: 3000,
  overtaken: 2000,
}

const version = 0x34
const throttledSeconds = 5

interface Failure {
  readonly state: 'unreachable' | 'refused'
  readonly text: string
}

export function createSmppTrunk(options: SmppTrunkOptions): SmsTrunk {
  return new Trunk(options)
}

class Trunk implements SmsTrunk {
  readonly id: string
  readonly kind = 'smpp'
  readonly number: string
  readonly window: number
  readonly fits?: (text: string) => boolean
  readonly #options: SmppTrunkOptions
  readonly #times: SmppTimes
  readonly #place: { host: string; port: number }
  readonly #slots: Slots
  readonly #book: ReceiptIdBook
  readonly #redeliveries = new Redeliveries()
  /** Texts whose attempt has not ended: a receipt may be faster than the answer it belongs to. */
  readonly #underWay = new Set<Promise<unknown>>()
  #handlers: SmsTrunkHandlers | null = null
  #status: SmsTrunkStatus
  #session: Session | null = null
  #opening: Session | null = null
  #stopping = false
  #wake: (() => void) | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(options: SmppTrunkOptions) {
    this.id = options.id
    this.number = options.number
    this.window = options.window
    this.#options = options
    const fits = fitsDefault(options.alphabet ?? 'gsm')
    if (fits !== undefined) this.fits = fits
    this.#times = { ...usual, enquire: options.enquireSeconds * 1000, ...options.times }
    this.#place = placeOf(options.server)
    this.#slots = new Slots(options.window)
    this.#book = new ReceiptIdBook(options.receiptIds ?? 'auto')
    this.#status = this.#as('stopped', 'not started')
  }

  start(handlers: SmsTrunkHandlers): void {
    this.#handlers = handlers
    this.#stopping = false
    this.#set('starting', 'connecting to the service')
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#wake?.()
    this.#opening?.close('the box stops')
    let timer: NodeJS.Timeout | undefined
    await Promise.race([Promise.allSettled(this.#underWay), new Promise((resolve) => (timer = setTimeout(resolve, this.#times.moment)))])
    clearTimeout(timer)
    await this.#session?.leave(Math.min(1000, this.#times.moment))
    await this.#running
    this.#set('stopped', 'stopped')
  }

  status(): SmsTrunkStatus {
    return this.#status
  }

  send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const attempt = this.#send(text, signal)
    this.#underWay.add(attempt)
    void attempt.finally(() => this.#underWay.delete(attempt))
    return attempt
  }

  async #send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const accepted = text.segments.map((_, index) => text.accepted[index] ?? null)
    for (const index of text.segments.keys()) {
      if (accepted[index] !== null) continue
      const slot = await this.#slots.take(signal)
      if (!slot) return { kind: 'temporary', text: 'the box stops', accepted }
      let answer: Answer
      try {
        answer = await this.#submit(text, index, signal)
      } finally {
        this.#slots.give()
      }
      if (answer.kind === 'unsent') return { kind: 'temporary', text: answer.text, accepted }
      if (answer.kind === 'lost') return { kind: 'unknown', text: `the answer was lost: ${answer.text}`, accepted }
      if (answer.status !== 0) return refusal(answer.status, accepted)
      const id = typeof answer.pdu.message_id === 'string' ? answer.pdu.message_id : ''
      if (id !== '') this.#book.remember(id)
      accepted[index] = id
    }
    return { kind: 'accepted', accepted }
  }

  async #submit(text: OutboundText, index: number, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) return { kind: 'unsent', text: 'the box stops' }
    const session = this.#session
    if (session === null) return { kind: 'unsent', text: `not connected to the service: ${this.#status.text}` }
    return session.request('submit_sm', submission(text, index, this.#options))
  }

  async #run(): Promise<void> {
    let failures = 0
    while (!this.#stopping) {
      const { failure, lasted } = await this.#connection()
      if (this.#stopping) return
      failures = lasted >= this.#times.good ? 1 : failures + 1
      this.#set(failure.state, failure.text)
      this.#options.log.warn({ state: failure.state, failures }, `SMPP: ${failure.text}`)
      await this.#pause(this.#wait(failure, failures))
    }
  }

  /** One connection from its beginning to its end. */
  async #connection(): Promise<{ failure: Failure; lasted: number }> {
    let end: (text: string) => void = () => undefined
    const over = new Promise<string>((resolve) => (end = resolve))
    const { host, port } = this.#place
    const { tls, ca, log } = this.#options
    const session = new Session(
      {
        host,
        port,
        tls,
        ...(ca === undefined ? {} : { ca }),
        connectMs: this.#times.connect,
        answerMs: this.#times.answer,
        enquireMs: this.#times.enquire,
      },
      {
        deliver: (pdu) => this.#deliver(pdu),
        closed: (text) => {
          if (this.#session === session) this.#session = null
          this.#redeliveries.sessionEnded(Date.now())
          end(text)
        },
        odd: (facts, text) => log.warn(facts, `SMPP: ${text}`),
      },
    )
    this.#opening = session
    const failure = await this.#login(session)
    this.#opening = null
    if (failure !== null) {
      session.close(failure.text)
      return { failure, lasted: 0 }
    }
    const since = performance.now()
    this.#session = session
    session.keepAlive()
    this.#set('ready', '')
    log.info({ server: this.#options.server }, 'SMPP: logged in')
    const text = await over
    return { failure: { state: 'unreachable', text }, lasted: performance.now() - since }
  }

  /** Null once logged in (4.1.5). */
  async #login(session: Session): Promise<Failure | null> {
    const unreachable = await session.connected()
    if (unreachable !== null) return { state: 'unreachable', text: unreachable }
    const { systemId, password, systemType } = this.#options
    const fields = { system_id: systemId, password, system_type: systemType, interface_version: version }
    const answer = await session.request('bind_transceiver', fields)
    if (answer.kind !== 'answer') return { state: 'unreachable', text: answer.text }
    if (answer.status === 0 && answer.pdu.command === 'bind_transceiver_resp') return null
    const { name, text } = statusOf(answer.status)
    return { state: needsPerson(answer.status) ? 'refused' : 'unreachable', text: `${text} (${name})` }
  }

  /** Only a person can repair a refused login, and some services lock accounts that try too often. */
  #wait(failure: Failure, failures: number): number {
    const { retryFirst, retryMost } = this.#times
    const plain = failure.state === 'refused' ? retryMost : Math.min(retryMost, retryFirst * 2 ** Math.min(failures - 1, 16))
    return plain * (0.8 + Math.random() * 0.4)
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = null
  }

  /** The status to answer with: what is not durable here must come again. */
  async #deliver(pdu: Pdu): Promise<number> {
    const handlers = this.#handlers
    if (handlers === null) return tryAgain
    try {
      const receipt = readReceipt(pdu, Date.now())
      const known = receipt === null ? undefined : await this.#knownId(receipt, handlers)
      if (receipt === null || (!receipt.marked && known === undefined)) {
        const text = readText(pdu, this.number, this.#options.alphabet ?? 'gsm')
        await this.#redeliveries.once(pdu, Date.now(), () => handlers.received(text))
        return 0
      }
      const { report, ids } = receipt
      if (report === null || ids[0] === undefined) this.#options.log.warn({}, 'SMPP: a delivery receipt that names no message or no state')
      else await handlers.report({ ...report, reference: known ?? this.#book.find(ids[0]) })
      return 0
    } catch (error) {
      this.#options.log.warn({ err: error }, 'SMPP: a message could not be kept; the service is to send it again')
      return tryAgain
    }
  }

  /** The id of the text that a receipt is about, as the answer to that text wrote it. */
  async #knownId({ ids }: Receipt, handlers: SmsTrunkHandlers): Promise<string | undefined> {
    const given = ids.find((id) => this.#book.knows(id))
    if (given !== undefined) return this.#book.find(given)
    await this.#answers()
    const late = ids.find((id) => this.#book.knows(id))
    if (late !== undefined) return this.#book.find(late)
    return ids.flatMap((id) => this.#book.candidates(id)).find((id) => handlers.knows?.(id) === true)
  }

  /** The answers that are still to come may be the ones that name a message. Some services give none before theirs is answered. */
  async #answers(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await Promise.race([Promise.allSettled(this.#underWay), new Promise((resolve) => (timer = setTimeout(resolve, this.#times.overtaken)))])
    clearTimeout(timer)
  }

  #set(state: string, text: string): void {
    if (this.#status.state === state && this.#status.text === text) return
    this.#status = this.#as(state, text)
    this.#handlers?.statusChanged()
  }

  #as(state: string, text: string): SmsTrunkStatus {
    const { server, tls, systemId } = this.#options
    return { ok: state === 'ready', state, text, since: Date.now(), facts: { server, tls, systemId } }
  }
}

function refusal(status: number, accepted: readonly (string | null)[]): SmsOutcome {
  const { name, effect, text } = statusOf(status)
  if (effect === 'refused') return { kind: 'refused', text, code: name, accepted }
  return {
    kind: 'temporary',
    text: `${text} (${name})`,
    accepted,
    ...(status === throttled ? { retryAfterSeconds: throttledSeconds } : {}),
  }
}

function placeOf(server: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:]+)):(\d{1,5})$/i.exec(server)
  if (match === null) throw new Error(`${server} is not host:port`)
  return { host: (match[1] ?? match[2])!, port: Number(match[3]) }
}
