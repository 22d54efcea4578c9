/** Calls that no rule fits: what a technician must be told, and at once where somebody sought help. */
import type { Clock } from '../clock.ts'
import { isEmergencyNumber } from '../numbers.ts'
import type { CallRow } from '../store/tables.ts'

const recentMs = 3_600_000
const emergencyMs = 24 * recentMs

export interface UnroutedCall {
  readonly at: number
  readonly to: string
  readonly from: string
  readonly emergency: boolean
}

export class UnroutedCalls {
  readonly #clock: Pick<Clock, 'now'>
  readonly #country: string
  #calls: UnroutedCall[] = []

  constructor(clock: Pick<Clock, 'now'>, country: string) {
    this.#clock = clock
    this.#country = country
  }

  /** Remembers the call; returns what its trace says. `to`: as dialled. */
  add({ extension, trunkId }: CallRow, to: string): string {
    const from = extension === '' ? `trunk ${trunkId}` : `extension ${extension}`
    const emergency = extension !== '' && isEmergencyNumber(to, this.#country)
    this.#calls.push({ at: this.#clock.now(), to, from, emergency })
    if (emergency) return `${extension} dialled the emergency number ${to}, which this version cannot put through`
    if (extension === '') return `no rule of inbound fits a call to ${to} from ${from}`
    return `${extension} dialled ${to}: no extension, no number of this system, and no rule of inbound fits; phones cannot dial out in this version`
  }

  /** Those of the last hour, and of the last day where help was sought; the latest last. */
  recent(): readonly UnroutedCall[] {
    const now = this.#clock.now()
    this.#calls = this.#calls.filter(({ at, emergency }) => now - at < (emergency ? emergencyMs : recentMs)).slice(-1000)
    return this.#calls
  }
}
