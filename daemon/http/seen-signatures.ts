/**
 * Signatures that are known, for as long as they could still be taken: in memory, and in the store so that a restart forgets none. Their
 * age goes by time that has passed, not by the clock of the box, which may be put right meanwhile.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { toleranceSeconds } from '../base/signing.ts'
import type { Store } from '../store/store.ts'

export interface SeenOptions {
  readonly clock: Clock
  readonly log: Log
  /** Without it a restart forgets them. */
  readonly store?: Pick<Store, 'tables' | 'transaction'>
}

/** The clocks of both sides may differ either way. */
const keptMs = 2 * toleranceSeconds * 1000
const mostKept = 20_000

export class SeenSignatures {
  readonly #kind: 'taken' | 'sent'
  readonly #options: SeenOptions
  /** The oldest first, and when each came. */
  readonly #seen = new Map<string, number>()

  constructor(kind: 'taken' | 'sent', options: SeenOptions) {
    this.#kind = kind
    this.#options = options
    const rows = [...(options.store?.tables.signatures.range({ start: `${kind} `, end: `${kind}!` }) ?? [])]
    const now = options.clock.elapsed()
    for (const { key } of rows.toSorted((a, b) => a.value - b.value)) this.#seen.set(key, now)
  }

  has(what: string): boolean {
    return this.#seen.has(this.#keyOf(what))
  }

  /** Resolves when it is on the disk. Never rejects: where the disk takes nothing, the memory of this run has to do. */
  async add(what: string): Promise<void> {
    const { clock } = this.#options
    const key = this.#keyOf(what)
    if (this.#seen.has(key)) return
    const now = clock.elapsed()
    const old: string[] = []
    for (const [one, at] of this.#seen) {
      if (now - at < keptMs && this.#seen.size < mostKept) break
      this.#seen.delete(one)
      old.push(one)
    }
    this.#seen.set(key, now)
    await keepRow(this.#options, key, old, 'a signature could not be stored: after a restart it would be taken again')
  }

  #keyOf(what: string): string {
    return `${this.#kind} ${hash('sha256', what, 'base64url')}`
  }
}

/** Writes a row in the place of old ones. Never rejects: `lost` is logged where the disk takes nothing. */
export async function keepRow({ clock, log, store }: SeenOptions, key: string, old: readonly string[], lost: string): Promise<void> {
  if (store === undefined) return
  try {
    await store.transaction(() => {
      for (const one of old) store.tables.signatures.remove(one)
      store.tables.signatures.put(key, clock.now())
    })
  } catch (error) {
    log.warn({ err: error }, lost)
  }
}
