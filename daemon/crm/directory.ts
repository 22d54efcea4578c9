/**
 * The directory of the house: who has which number. It answers from the store alone, whatever becomes of anything else, so that calls
 * never wait for it.
 */
import { setImmediate as breath } from 'node:timers/promises'
import type { Store } from '../store/store.ts'
import type { PartyRow } from '../store/tables.ts'
import { isWithheld, numberKey, suffixKeyOf } from './numbers.ts'

/**
 * `exact`: the whole number. `suffix`: the end of it fits a number that was stored without a country: probably. `ambiguous`: several
 * parties have it.
 */
export type MatchType = 'exact' | 'suffix' | 'ambiguous' | 'none'

export interface Match {
  readonly type: MatchType
  /** Of `ambiguous` all of them, else the one. */
  readonly parties: readonly PartyRow[]
}

export type Change = 'created' | 'updated' | 'unchanged'

/** Whom people are shown for a number that calls. */
export interface Known {
  readonly name: string
  readonly customerId: string
  readonly matchType: 'exact' | 'suffix'
}

/** Looked at between two turns of the event loop. */
const batch = 2000
const none: Match = { type: 'none', parties: [] }

export class Directory {
  readonly #store: Pick<Store, 'tables' | 'transaction'>

  constructor(store: Pick<Store, 'tables' | 'transaction'>) {
    this.#store = store
  }

  /** `number`: as calls have it. */
  match(number: string): Match {
    if (isWithheld(number)) return none
    const exact = number.startsWith('+') ? this.#of(number) : []
    if (exact.length > 0) return matched('exact', exact)
    const suffix = suffixKeyOf(number)
    return suffix === null ? none : matched('suffix', this.#of(suffix))
  }

  /** null: nobody, or one of several. Where it is not sure the name has a question mark. */
  known(number: string): Known | null {
    const { type, parties } = this.match(number)
    const [party] = parties
    if (party === undefined || (type !== 'exact' && type !== 'suffix')) return null
    return { name: type === 'exact' ? party.name : `${party.name}?`, customerId: party.id, matchType: type }
  }

  get(id: string): PartyRow | undefined {
    return this.#store.tables.parties.get(id)
  }

  count(): number {
    return this.#store.tables.parties.count()
  }

  /** What `put` would do. */
  compare(party: PartyRow): Change {
    const before = this.get(party.id)
    if (before === undefined) return 'created'
    return sameContent(before, party) ? 'unchanged' : 'updated'
  }

  /** Inside a transaction. */
  put(party: PartyRow): Change {
    const { parties, partyNumbers } = this.#store.tables
    const change = this.compare(party)
    if (change === 'unchanged') return change
    const before = parties.get(party.id)
    for (const key of keysOf(before)) partyNumbers.remove(key)
    for (const key of keysOf(party)) partyNumbers.put(key, true)
    parties.put(party.id, party)
    return change
  }

  /** Inside a transaction; whether it was there. */
  remove(id: string): boolean {
    const { parties, partyNumbers } = this.#store.tables
    for (const key of keysOf(parties.get(id))) partyNumbers.remove(key)
    return parties.remove(id)
  }

  /** Numbers that several parties have; counted in pieces, so that nobody waits. */
  async ambiguous(): Promise<number> {
    let [count, last, twice, start] = [0, '', false, '']
    for (;;) {
      const rows = [...this.#store.tables.partyNumbers.range({ start, limit: batch })]
      for (const { key } of rows) {
        const number = key.slice(0, key.indexOf(' '))
        if (number === last && !twice) count++
        twice = number === last
        last = number
      }
      if (rows.length < batch) return count
      start = `${rows.at(-1)!.key}\0`
      await breath()
    }
  }

  *ids(): Iterable<string> {
    for (const { key } of this.#store.tables.parties.range()) yield key
  }

  #of(key: string): PartyRow[] {
    const { parties, partyNumbers } = this.#store.tables
    const rows = partyNumbers.range({ start: `${key} `, end: `${key}!` })
    return [...rows].flatMap(({ key: found }) => parties.get(found.slice(key.length + 1)) ?? [])
  }
}

/** Who is not active any more, or was only typed here, counts where nobody else has the number. */
function matched(type: 'exact' | 'suffix', parties: readonly PartyRow[]): Match {
  const active = first(parties, ({ status }) => status !== 'inactive')
  const those = first(active, ({ source }) => source !== 'local')
  if (those.length === 0) return none
  return { type: those.length === 1 ? type : 'ambiguous', parties: those }
}

/** Those that are so; all of them where none is. */
function first(parties: readonly PartyRow[], so: (party: PartyRow) => boolean): readonly PartyRow[] {
  const those = parties.filter(so)
  return those.length > 0 ? those : parties
}

function keysOf(party: PartyRow | undefined): string[] {
  return (party?.phones ?? []).map(({ number }) => `${numberKey(number)} ${party!.id}`)
}

function sameContent(before: PartyRow, now: PartyRow): boolean {
  const content = ({ seenAt: _, updatedAt: __, ...rest }: PartyRow): string => JSON.stringify(Object.entries(rest).toSorted())
  return content(before) === content(now)
}
