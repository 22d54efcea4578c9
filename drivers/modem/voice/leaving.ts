/** How a modem is made to leave the sound of a call, and how it says that it has: by an end of its data (V.253), or by its result alone. */
import type { AtSession } from '../at-session.ts'

/** It answers an order to leave within this time, or does not know it. */
const withinMs = 1500
const result = /\r\n(OK|VCON)\r\n/
const resultBytes = 8

export class Leaving {
  readonly #session: AtSession
  readonly #answerMs: number
  #ended: (() => void) | null = null
  #tail = ''
  #told = false

  constructor(session: AtSession, answerMs: number) {
    this.#session = session
    this.#answerMs = answerMs
  }

  /** The modem was asked to leave: what is sent from then on are commands to it. */
  get told(): boolean {
    return this.#told
  }

  /** Its sound begins. */
  forget(): void {
    this.#told = false
    this.#tail = ''
  }

  /** The result in what came since it was asked; null where there is none yet. */
  resultIn(bytes: Buffer): Buffer | null {
    if (!this.#told) return null
    const all = this.#tail + bytes.toString('latin1')
    this.#tail = all.slice(-resultBytes)
    const found = result.exec(all)
    return found === null ? null : Buffer.from(found[0], 'latin1')
  }

  /** Its data have ended; false where no code waits for it. */
  ended(): boolean {
    const tell = this.#ended
    tell?.()
    return tell !== null
  }

  /** The first of these orders that it knows; back to commands. */
  async leave(orders: readonly Buffer[]): Promise<boolean> {
    this.#told = true
    for (const order of orders) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      this.#ended = () => resolve(true)
      const patience = setTimeout(() => resolve(false), Math.min(this.#answerMs, withinMs))
      this.#session.writeData(order)
      const left = await promise
      clearTimeout(patience)
      this.#ended = null
      if (!left) continue
      const { code } = await this.#session.result(this.#answerMs)
      return code === 'ok' || code === 'voice'
    }
    this.#session.releaseData()
    return false
  }
}
