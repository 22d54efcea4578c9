/**
 * A GSM modem as its AT manual describes it (ITU-T V.250, 3GPP TS 27.005 and 27.007, PDU mode): bytes in, bytes out, time
 * from outside. Texts and reports come from a SimNetwork, what must outlive a power cut lies on a SimCard.
 */
import type { SimClock, SimTimer } from '../time.ts'
import type { SimCard } from './card.ts'
import { commands, type Answer, type Session } from './commands.ts'
import type { Offer, SimNetwork } from './network.ts'
import { pduLength, readSubmit } from './pdu.ts'
import { plain, type Quirks } from './quirks.ts'

export interface SimModemOptions {
  readonly clock: SimClock
  readonly network: SimNetwork
  readonly card: SimCard
  readonly quirks?: Partial<Quirks>
  output(bytes: Buffer): void
}

const words: Readonly<Record<string, string>> = {
  'CMS 21': 'Short message transfer rejected',
  'CMS 42': 'Congestion',
  'CMS 304': 'Invalid PDU mode parameter',
  'CMS 311': 'SIM PIN required',
  'CMS 321': 'Invalid memory index',
  'CMS 331': 'no network service',
  'CME 10': 'SIM not inserted',
  'CME 11': 'SIM PIN required',
  'CME 14': 'SIM busy',
  'CME 16': 'incorrect password',
}

export class SimModem {
  /** Answers to nothing while true. */
  muted = false
  readonly #options: SimModemOptions
  readonly #quirks: Quirks
  readonly #lost: Map<string, number>
  readonly #late: Map<string, number>
  #session: Session
  #line = ''
  /** `pdu`: behind the prompt. Bytes that come while a command runs are dropped (V.250 5.6). */
  #state: 'command' | 'busy' | 'pdu' = 'command'
  #length = 0
  #notices: string[] = []
  #timers = new Set<SimTimer>()
  #acknowledgement: SimTimer | null = null
  #count = 0
  #prompts = 0
  #power = true

  constructor(options: SimModemOptions) {
    this.#options = options
    this.#quirks = { ...plain, ...options.quirks }
    this.#lost = new Map(Object.entries(this.#quirks.lostAnswers))
    this.#late = new Map(Object.entries(this.#quirks.lateAnswers).map(([name, [times]]) => [name, times]))
    this.#session = this.#fresh()
    options.network.attach(() => this.#offered())
    if (this.#quirks.noise !== '') this.#say(this.#quirks.noise)
  }

  input(bytes: Uint8Array): void {
    for (const byte of bytes) if (this.#power && !this.muted) this.#byte(byte)
  }

  /** Restarts by itself; the flag says whether it reports that. */
  restart(tells: boolean): void {
    this.#forget()
    this.#session = this.#fresh()
    if (tells) this.#say('\r\nRDY\r\n')
  }

  powerOff(): void {
    this.#forget()
    this.#power = false
    this.#options.network.attach(null)
  }

  #fresh(): Session {
    const { card, network } = this.#options
    return {
      card,
      network,
      quirks: this.#quirks,
      echo: true,
      errors: 0,
      pduMode: false,
      phase2plus: false,
      unlocked: card.pin === null,
      busyCard: this.#quirks.busyCard,
      reading: 'SM',
      receiving: 'SM',
      texts: 0,
      reports: 0,
      freed: () => this.#offered(),
      acknowledge: () => this.#acknowledged(),
    }
  }

  #forget(): void {
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
    this.#acknowledgement = null
    this.#notices = []
    this.#line = ''
    this.#state = 'command'
  }

  #after(ms: number, work: () => void): SimTimer {
    const timer = this.#options.clock.after(ms, () => {
      this.#timers.delete(timer)
      work()
    })
    this.#timers.add(timer)
    return timer
  }

  #say(text: string): void {
    if (this.#power && !this.muted) this.#options.output(Buffer.from(text, 'latin1'))
  }

  #byte(byte: number): void {
    if (this.#state === 'busy') return
    if (this.#session.echo || this.#quirks.echoes) this.#say(String.fromCharCode(byte))
    if (this.#state === 'pdu') {
      if (byte === 0x1a) this.#submit()
      else if (byte === 0x1b) this.#finish({ lines: [] })
      else if (byte >= 32) this.#line += String.fromCharCode(byte)
    } else if (byte === 13) {
      const found = /AT(.*)$/i.exec(this.#line)
      this.#line = ''
      if (found !== null) this.#run(found[1]!.trim())
    } else if (byte === 8) this.#line = this.#line.slice(0, -1)
    else if (byte >= 32 && byte < 127) this.#line += String.fromCharCode(byte)
  }

  /** Takes one from the times that a command of this name is to be treated so. */
  #once(times: Map<string, number>, command: string): string | null {
    for (const [name, left] of times) {
      if (!command.startsWith(name) || left === 0) continue
      times.set(name, left - 1)
      return name
    }
    return null
  }

  #run(command: string): void {
    this.#state = 'busy'
    const { errorEvery, answerMs, lateAnswers } = this.#quirks
    if (this.#once(this.#lost, command) !== null) {
      this.#state = 'command'
      return
    }
    const late = this.#once(this.#late, command)
    const ms = late === null ? answerMs : lateAnswers[late]![1]
    const failed = errorEvery > 0 && command !== '' && ++this.#count % errorEvery === 0
    this.#after(ms, () => (failed ? this.#finish({ error: '' }) : this.#execute(command)))
  }

  #execute(command: string): void {
    const send = /^\+CMGS=(\d+)$/i.exec(command)
    if (send === null) return this.#finish(commands(this.#session, command))
    const fault = commands(this.#session, '+CMGS')
    // In text mode the parameter would be a telephone number.
    if ('error' in fault) return this.#finish(fault)
    this.#length = Number(send[1])
    const lost = this.#prompts++ < this.#quirks.lostPrompts
    this.#after(this.#quirks.promptMs, () => {
      this.#state = 'pdu'
      if (!lost) this.#say('\r\n> ')
    })
  }

  #submit(): void {
    const pdu = this.#line.trim()
    this.#line = ''
    this.#state = 'busy'
    this.#after(this.#quirks.networkMs, () => {
      const text = this.#session.pduMode ? readSubmit(pdu, this.#length) : null
      if (text === null) return this.#finish({ error: 'CMS 304' })
      const result = this.#options.network.submit(text)
      if ('cms' in result) this.#finish({ error: `CMS ${result.cms}` })
      else if ('lost' in result) this.#state = 'command'
      else this.#finish({ lines: [`+CMGS: ${result.reference}`] })
    })
  }

  #finish(answer: Answer): void {
    this.#line = ''
    if ('error' in answer) this.#say(`\r\n${this.#errorText(answer.error)}\r\n`)
    else {
      answer.lines.forEach((line, i) => {
        if (i > 0 && this.#quirks.noticesInside) this.#announce()
        this.#say(`${i === 0 ? '\r\n' : ''}${line}\r\n`)
      })
      this.#say('\r\nOK\r\n')
    }
    this.#state = 'command'
    this.#announce()
    this.#offered()
  }

  #errorText(error: string): string {
    const [kind, code] = error.split(' ')
    if (code === undefined || (kind === 'CME' && this.#session.errors === 0)) return 'ERROR'
    const spelt = this.#session.errors === 2 || this.#quirks.wordyErrors
    return `+${kind} ERROR: ${spelt ? (words[error] ?? code) : code}`
  }

  #announce(): void {
    for (const notice of this.#notices.splice(0)) this.#say(notice)
  }

  #notice(text: string): void {
    this.#notices.push(`\r\n${text}\r\n`)
    if (this.#state === 'command') this.#announce()
  }

  /** The network has something, or there is room again. */
  #offered(): void {
    const { network, card } = this.#options
    for (let offer = network.next(); offer !== null; offer = network.next()) {
      if (!this.#power || !card.present || !this.#session.unlocked || this.#acknowledgement !== null) return
      if (!this.#route(offer)) return
    }
  }

  /** False where it stays with the network for now. */
  #route(offer: Offer): boolean {
    const { network, card } = this.#options
    const session = this.#session
    const route = offer.kind === 'text' ? session.texts : session.reports
    const direct = offer.kind === 'text' ? route === 2 : route === 1
    if (direct) {
      this.#notice(`${offer.kind === 'text' ? '+CMT: ,' : '+CDS: '}${pduLength(offer.pdu)}\r\n${offer.pdu}`)
      if (!session.phase2plus) network.taken()
      else this.#acknowledgement = this.#after(this.#quirks.acknowledgeMs, () => this.#unacknowledged())
      return true
    }
    if (offer.kind === 'report' && route === 0) return false
    const memory = card.memories[session.receiving]
    const index = memory.store(offer.pdu)
    if (index === null) return false
    network.taken()
    const name = offer.kind === 'text' ? '+CMTI' : '+CDSI'
    if (route !== 0 && !this.#quirks.forgetsNotices) this.#notice(`${name}: "${session.receiving}",${index}`)
    if (memory.full && this.#quirks.tellsFull) this.#notice('^SMMEMFULL: "SM"')
    return true
  }

  #acknowledged(): boolean {
    if (this.#acknowledgement === null) return false
    this.#acknowledgement.cancel()
    this.#acknowledgement = null
    this.#options.network.taken()
    return true
  }

  /** 27.005 3.4.1: without +CNMA no more notices until they are asked for again. */
  #unacknowledged(): void {
    this.#acknowledgement = null
    this.#session.texts = 0
    this.#session.reports = 0
  }
}
