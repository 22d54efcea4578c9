/** The lamps of phones: each subscription that the engine reports, and what it is shown. The engine keeps them alive; they go with it. */
import type { Lamp, LampEnd, LampOwner, MessageCounts, WatchedDialog } from '../pbx.ts'
import { encodeMessage, type Message } from './frames.ts'
import { dialogInfo, messageSummary, mostDialogs, shownIn } from './lamp-documents.ts'
import { oneOf, text, whole } from './reading.ts'

export interface LampPort {
  send(frame: Buffer): void
  /** The host that the box calls itself in SIP. */
  realm(): string
  fault(error: unknown): void
}

interface Lit {
  readonly lamp: SipLamp
  readonly owner: LampOwner
}

export class LampBook {
  readonly #port: LampPort
  readonly #lamps = new Map<number, Lit>()
  #serve: ((lamp: Lamp) => LampOwner) | null = null

  constructor(port: LampPort) {
    this.#port = port
  }

  onLamp(serve: (lamp: Lamp) => LampOwner): void {
    if (this.#serve !== null) throw new Error('the lamps are served already')
    this.#serve = serve
  }

  /** Sends the number of waiting messages to all phones of an extension, whether they watch or not. */
  tellMessages(extension: string, counts: MessageCounts): void {
    const body = messageSummary(`sip:${extension}@${this.#port.realm()}`, counts)
    this.#port.send(encodeMessage({ t: 'messages', extension, body }))
  }

  /** false: the message is about no lamp. */
  receive(message: Message): boolean {
    switch (message.t) {
      case 'subscribe':
        this.#subscribed(whole(message['subscription']), message)
        return true
      case 'unsubscribed':
        this.#over(whole(message['subscription']))
        return true
      default:
        return false
    }
  }

  /** The engine has gone, and its subscriptions with it: phones subscribe again. */
  lost(): void {
    for (const number of this.#lamps.keys()) this.#over(number)
  }

  #subscribed(number: number, message: Message): void {
    const known = this.#lamps.get(number)
    if (known !== undefined) return this.#guard(() => known.owner.refreshed())
    const lamp = new SipLamp(number, message, this.#port)
    const serve = this.#serve
    if (serve === null) return lamp.end('rejected')
    this.#guard(() => {
      const owner = serve(lamp)
      if (!lamp.isTerminal) this.#lamps.set(number, { lamp, owner })
    })
  }

  #over(number: number): void {
    const lit = this.#lamps.get(number)
    if (lit === undefined) return
    this.#lamps.delete(number)
    lit.lamp.isTerminal = true
    this.#guard(() => lit.owner.ended())
  }

  #guard(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      this.#port.fault(error)
    }
  }
}

class SipLamp implements Lamp {
  readonly extension: string
  readonly watches: string
  readonly kind: 'dialog' | 'message-summary'
  isTerminal = false
  readonly #number: number
  readonly #port: LampPort
  /**
   * That were sent, and the version of the next one: phones expect versions that count from 0 without a gap (RFC 4235 section 4.1), whichever
   * engine sends them.
   */
  #documents: number
  /** The ids of dialogs that were shown to the phone and whose end was not. */
  #shown: readonly string[]

  constructor(number: number, message: Message, port: LampPort) {
    this.#number = number
    this.#port = port
    this.#documents = whole(message['documents'])
    this.#shown = shownIn(text(message['last']))
    this.extension = text(message['extension'])
    this.watches = text(message['to'])
    this.kind = oneOf(message['event'], ['dialog', 'message-summary'], 'dialog')
  }

  showDialogs(dialogs: readonly WatchedDialog[]): void {
    if (this.kind !== 'dialog') return
    const live = dialogs.slice(0, mostDialogs)
    const gone = this.#shown.filter((id) => !live.some((dialog) => dialog.id === id))
    // What finds no room now is named with the next change.
    const named = gone.slice(0, mostDialogs - live.length)
    this.#notify(dialogInfo({ entity: this.#uri(this.watches), idle: this.watches }, this.#documents, live, named))
    this.#shown = [...live.map(({ id }) => id), ...gone.slice(named.length)]
  }

  showMessages(mailbox: string, counts: MessageCounts): void {
    if (this.kind === 'message-summary') this.#notify(messageSummary(this.#uri(mailbox), counts))
  }

  showUnknown(): void {
    if (this.#documents > 0) this.end('deactivated')
    else this.#notify('')
  }

  end(reason: LampEnd): void {
    if (this.isTerminal) return
    this.isTerminal = true
    this.#port.send(encodeMessage({ t: 'notify', subscription: this.#number, body: '', end: reason }))
  }

  #uri(name: string): string {
    return `sip:${encodeURIComponent(name)}@${this.#port.realm()}`
  }

  #notify(body: string): void {
    if (this.isTerminal) return
    if (body !== '') this.#documents += 1
    this.#port.send(encodeMessage({ t: 'notify', subscription: this.#number, body }))
  }
}
