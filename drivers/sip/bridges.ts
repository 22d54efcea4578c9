/**
 * Bridges of SIP legs. The engine mixes; which keys pass from one leg to the others, and which are codes for the box, is decided
 * here: the engine reports every key to the daemon and passes none on by itself.
 */
import type { Leg } from '../line.ts'
import type { BridgePlace, LineBridge } from '../pbx.ts'
import { encodeMessage } from './frames.ts'
import { SipLeg } from './legs.ts'

/** A caller who begins a code and does not finish it meant the keys for the other side. */
const codeWithinMs = 2000

interface Member {
  readonly place: BridgePlace
  readonly keys: KeyFilter
}

export class SipBridge implements LineBridge {
  readonly #number: number
  readonly #send: (frame: Buffer) => void
  readonly #members = new Map<SipLeg, Member>()

  /** `number`: never used by another bridge of this engine. */
  constructor(number: number, send: (frame: Buffer) => void) {
    this.#number = number
    this.#send = send
  }

  join(leg: Leg, place: BridgePlace = {}): boolean {
    if (!(leg instanceof SipLeg) || leg.isTerminal) return false
    this.#members.get(leg)?.keys.drop()
    leg.enter(this)
    const keys = new KeyFilter(place, (digits) => this.#pass(leg, digits))
    this.#members.set(leg, { place, keys })
    const { hears = true, speaks = true } = place
    this.#send(encodeMessage({ t: 'join', leg: leg.number, bridge: this.#number, hears, speaks }))
    return true
  }

  leave(leg: Leg): void {
    if (!(leg instanceof SipLeg) || !this.#members.has(leg)) return
    leg.enter(null)
    this.#send(encodeMessage({ t: 'leave', leg: leg.number }))
  }

  /** Forgets a leg that has ended or has joined another bridge: nothing more is reported about it here. */
  forget(leg: SipLeg): void {
    this.#members.get(leg)?.keys.drop()
    this.#members.delete(leg)
  }

  /** A tone among the audio has been heard by the others already: only codes are looked for. */
  pressed(leg: SipLeg, digit: string, audible: boolean): void {
    this.#members.get(leg)?.keys.press(digit, audible)
  }

  #pass(from: SipLeg, digits: string): void {
    if (this.#members.get(from)?.place.speaks === false) return
    for (const [leg, { place }] of this.#members) if (leg !== from && place.hears !== false) leg.sendDigits(digits)
  }
}

/** Keys of one leg, on their way to the others. */
class KeyFilter {
  readonly #place: BridgePlace
  readonly #pass: (digits: string) => void
  /** The beginning of a code. */
  #typed = ''
  /** Those of them that the others have not heard. */
  #kept = ''
  #timer: NodeJS.Timeout | null = null

  constructor(place: BridgePlace, pass: (digits: string) => void) {
    this.#place = place
    this.#pass = pass
  }

  press(digit: string, audible: boolean): void {
    this.#stopTimer()
    const codes = this.#place.codes ?? []
    const begins = (typed: string): boolean => codes.some((code) => code.startsWith(typed))
    if (!begins(this.#typed + digit)) this.#flush()
    this.#typed += digit
    if (!audible) this.#kept += digit
    if (codes.includes(this.#typed)) {
      const code = this.#typed
      this.drop()
      this.#place.onCode?.(code)
    } else if (begins(this.#typed)) {
      this.#timer = setTimeout(() => this.#flush(), codeWithinMs)
    } else {
      this.#flush()
    }
  }

  drop(): void {
    this.#stopTimer()
    this.#typed = this.#kept = ''
  }

  #flush(): void {
    const kept = this.#kept
    this.drop()
    if (kept !== '') this.#pass(kept)
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
