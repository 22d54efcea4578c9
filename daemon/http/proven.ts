/**
 * Addresses that have shown a right signature: they may send large bodies before they show the next. In memory, and in the store, since a
 * CRM that sends its list each night, or each month, must not be a stranger after a restart.
 */
import { addressKey } from './address.ts'
import { keepRow, type SeenOptions } from './seen-signatures.ts'

const hourMs = 3_600_000
/** As long as from one monthly list to the next, with some days to spare. */
const provenMs = 35 * 24 * hourMs
const mostProven = 1000
/** How exactly the store says when it was: not every request writes a row. */
const writtenAgainMs = 24 * hourMs

interface Shown {
  readonly at: number
  /** When the store got it. */
  readonly writtenAt: number
}

export class ProvenAddresses {
  readonly #options: SeenOptions
  /** By `elapsed()`, the oldest first. */
  readonly #shown = new Map<string, Shown>()

  constructor(options: SeenOptions) {
    this.#options = options
    const { clock, store } = options
    const rows = [...(store?.tables.signatures.range({ start: rowOf(''), end: 'proven!' }) ?? [])]
    for (const { key, value } of rows.toSorted((a, b) => a.value - b.value)) {
      const at = clock.elapsed() - Math.max(0, clock.now() - value)
      this.#shown.set(key, { at, writtenAt: at })
    }
  }

  has(address: string): boolean {
    const shown = this.#shown.get(rowOf(address))
    return shown !== undefined && this.#options.clock.elapsed() - shown.at < provenMs
  }

  add(address: string): void {
    const key = rowOf(address)
    const at = this.#options.clock.elapsed()
    const before = this.#shown.get(key)
    const isWritten = before !== undefined && at - before.writtenAt < writtenAgainMs
    this.#shown.delete(key)
    this.#shown.set(key, { at, writtenAt: isWritten ? before.writtenAt : at })
    const old = [...this.#shown].slice(0, Math.max(0, this.#shown.size - mostProven)).map(([one]) => one)
    for (const one of old) this.#shown.delete(one)
    if (!isWritten)
      void keepRow(this.#options, key, old, 'an address with valid signatures could not be stored: after a restart it is unknown')
  }
}

const rowOf = (address: string): string => `proven ${addressKey(address)}`
