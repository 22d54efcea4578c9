/** The simulated SIM card and the modem's memory: what outlives a power cut. */

export interface Stored {
  /** 27.005 3.1: 0 received and unread, 1 received and read, 2 written, 3 sent. */
  status: number
  readonly pdu: string
}

export class Memory {
  readonly slots = new Map<number, Stored>()
  capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get full(): boolean {
    return this.slots.size >= this.capacity
  }

  /** Index of its slot, counted from 1; null where there is no room. */
  store(pdu: string, status = 0): number | null {
    for (let index = 1; index <= this.capacity; index++) {
      if (this.slots.has(index)) continue
      this.slots.set(index, { status, pdu })
      return index
    }
    return null
  }
}

export class SimCard {
  present = true
  /** Null: not asked for. */
  pin: string | null
  tries = 3
  centre = '+31624000000'
  readonly memories = { SM: new Memory(20), ME: new Memory(50) }
  /** PINs that were given, right or wrong. */
  readonly attempts: string[] = []

  constructor(pin: string | null = null) {
    this.pin = pin
  }

  /** True where it was right. */
  unlock(pin: string): boolean {
    this.attempts.push(pin)
    if (this.tries === 0) return false
    this.tries = pin === this.pin ? 3 : this.tries - 1
    return pin === this.pin
  }
}
