/** Calls that no rule fits: what a technician must know. */
import type { Clock } from '../base/clock.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import type { CallRow } from '../store/tables.ts'

const recentMs = 3_600_000

export interface UnroutedCall {
  readonly at: number
  /** As dialled. */
  readonly to: string
  /** Number of the caller; '' where it is withheld. */
  readonly from: string
  /** `trunk main`, `extension 101`. */
  readonly by: string
}

export class UnroutedCalls {
  readonly #clock: Pick<Clock, 'now'>
  #calls: UnroutedCall[] = []

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Remembers the call; returns what its trace says. `to`: as dialled. */
  add({ extension, trunkId, from }: CallRow, to: string): string {
    const by = extension === '' ? `trunk ${trunkId}` : `extension ${extension}`
    this.#calls.push({ at: this.#clock.now(), to, from, by })
    if (extension === '') return `no inbound rule matches a call to ${to} from ${from === '' ? 'a withheld number' : from} through ${by}`
    return `${extension} dialled ${to}: no extension, no number of this system and no inbound rule matches, and there are no outbound rules`
  }

  /** The clock was set: an hour stays an hour. */
  stepped(stepMs: number): void {
    this.#calls = this.#calls.map((each) => ({ ...each, at: each.at + stepMs }))
  }

  /** Those of the last hour, the latest last. */
  recent(): readonly UnroutedCall[] {
    const now = this.#clock.now()
    this.#calls = this.#calls.filter(({ at }) => now - at < recentMs).slice(-1000)
    return this.#calls
  }
}

export function* unroutedWarnings(calls: readonly UnroutedCall[]): Iterable<CodedWarning> {
  const last = calls.at(-1)
  if (last === undefined) return
  const { to, from, by } = last
  yield {
    code: 'no-route',
    severity: 'warning',
    text: said`${calls.length === 1 ? 'A call' : `${calls.length} calls`} of the last hour ${calls.length === 1 ? 'was' : 'were'} refused because no rule matches, the last to ${to} from ${by.startsWith('trunk') && from !== '' ? said`${from} through ${ours(by)}` : ours(by)}`,
    fix: 'pbx where NUMBER says what fits; write a rule under inbound',
  }
}
