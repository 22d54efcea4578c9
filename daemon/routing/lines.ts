/** The line drivers of the box, SIP and whatever else carries voice calls, and which of them serves a trunk or the phones. */
import type { DialRequest, LineDriver } from '../../drivers/line.ts'

export type Via = DialRequest['via']

export interface ServedLines {
  readonly driver: Pick<LineDriver, 'dial' | 'lines' | 'isUp'>
  /** Whether this trunk, or the desk phones, are reached through this driver. */
  serves(via: Via): boolean
}

export class LineDrivers {
  readonly #served: readonly ServedLines[]

  /** Of several that serve the same line the first one is taken. */
  constructor(served: readonly ServedLines[]) {
    this.#served = served
  }

  of(via: Via): ServedLines['driver'] | undefined {
    return this.#served.find((part) => part.serves(via))?.driver
  }

  /** Whether any of them can dial at all. */
  get isUp(): boolean {
    return this.#served.some(({ driver }) => driver.isUp)
  }

  /** Whether a phone of the extension can be rung, as far as its driver knows. */
  hasPhone(extension: string): boolean {
    const state = this.of({ kind: 'extension' })
      ?.lines()
      .find(({ id, kind }) => id === extension && kind === 'extension')
    return state?.ok !== false
  }

  /** Why a trunk cannot be used at the moment, in words for a person; null where it can, or nothing is known. */
  fault(trunkId: string): string | null {
    const state = this.of({ kind: 'trunk', trunkId })
      ?.lines()
      .find(({ id, kind }) => id === trunkId && kind !== 'extension')
    return state?.ok === false ? state.reason || state.state || 'down' : null
  }
}
