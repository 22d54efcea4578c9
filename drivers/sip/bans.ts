/** The addresses that pbx-engine shuts out after wrong passwords: asked for, and lifted, by questions it answers one by one. */
import { encodeMessage, type Message } from './frames.ts'
import { text, whole } from './reading.ts'

export interface SipBan {
  /** An IPv4 address, or an IPv6 network of 64 bits (`2001:db8:1:2::/64`). */
  readonly address: string
  /** Seconds left. */
  readonly seconds: number
  readonly failures: number
}

/** What a SipDriver offers besides calls. They live in the engine: none survives its restart. */
export interface SipBans {
  /** The latest first; none while the engine is not up. */
  list(): Promise<readonly SipBan[]>
  /** Ends the ban of an address; false: it was not banned. */
  lift(address: string): Promise<boolean>
}

/** An engine that does not answer within this is not going to. */
const patienceMs = 3000

export interface BanPort {
  send(frame: Buffer): void
  isUp(): boolean
}

export class BanExchange implements SipBans {
  readonly #port: BanPort
  readonly #waiting = new Map<number, (answer: Message | null) => void>()
  #next = 1

  constructor(port: BanPort) {
    this.#port = port
  }

  async list(): Promise<readonly SipBan[]> {
    const answer = await this.#ask({ t: 'bans' })
    const list = answer?.['list']
    if (!Array.isArray(list)) return []
    return list.map((ban) => ({ address: text(ban?.address), seconds: whole(ban?.seconds), failures: whole(ban?.failures) }))
  }

  async lift(address: string): Promise<boolean> {
    return (await this.#ask({ t: 'unban', address }))?.['lifted'] === true
  }

  /** false: the message answers no question of these. */
  receive(message: Message): boolean {
    if (message.t !== 'bans' && message.t !== 'unbanned') return false
    this.#waiting.get(whole(message['n']))?.(message)
    return true
  }

  /** The engine is gone, and its bans with it. */
  lost(): void {
    for (const answer of this.#waiting.values()) answer(null)
  }

  #ask(question: Message): Promise<Message | null> {
    if (!this.#port.isUp()) return Promise.resolve(null)
    const n = this.#next
    this.#next = (this.#next % 0xffff_fffe) + 1
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#waiting.get(n)?.(null), patienceMs)
      this.#waiting.set(n, (answer) => {
        clearTimeout(timer)
        this.#waiting.delete(n)
        resolve(answer)
      })
      this.#port.send(encodeMessage({ ...question, n }))
    })
  }
}
