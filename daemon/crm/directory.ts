/**
 * The directory of the house: who has which number. It answers from the store alone, whatever becomes of anything else, so that calls
 * never wait for it.
 *
 * Imported parties are of a generation. A whole list that replaces the last one is written next to it, in small transactions, as the next
 * generation. A single row then makes it the current one: whatever is cut off, the directory is the old or the new one.
 */
import { setImmediate as breath } from 'node:timers/promises'
import type { finds } from '../schema/history.ts'
import { removeOld } from '../store/remove-old.ts'
import type { Store } from '../store/store.ts'
import type { PartyRow } from '../store/tables.ts'
import { isWithheld, numberKey, suffixKeyOf, printable } from './numbers.ts'

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

export type Without = (party: PartyRow) => boolean

export type Change = 'created' | 'updated' | 'unchanged'

/** The person that is shown for a caller's number. */
export interface Known {
  readonly name: string
  readonly customerId: string
  readonly matchType: 'exact' | 'suffix'
}

/** Numbers that say less than they should. */
export interface SharedNumbers {
  /** How many are those of several parties. */
  readonly ambiguous: number
  /** Those that too many parties have, the first few. */
  readonly crowded: readonly string[]
}

interface Found {
  readonly key: string
  readonly row: PartyRow
}

/** More parties than this are not kept. */
export const mostParties = 200_000
/** A number of more parties is a placeholder, and says nothing of who calls. */
export const mostOfNumber = 50
const mostCrowded = 5
/** Looked at between two turns of the event loop. */
const batch = 500
/** The same where each row is compared with what a person types. */
const batchFound = 200
const none: Match = { type: 'none', parties: [] }
/** The generation of imported parties that is looked at; and the one up to which all others were removed. */
const [generationKey, sweptKey] = ['importGeneration', 'importsSwept']
/** No id has a `/`, and no number: keys of generations after the first stand between them, all together. */
const [firstOfGenerations, afterGenerations] = ['/', '0']

export class Directory {
  readonly #store: Store
  /** Rows that are there, and not looked at. */
  #hidden = 0
  #version = 0

  constructor(store: Store) {
    this.#store = store
  }

  /** `number`: as calls have it. `without`: parties that do not count. */
  match(number: string, without: Without = () => false): Match {
    if (isWithheld(number)) return none
    const of = (key: string): PartyRow[] => this.#of(key).filter((party) => !without(party))
    const exact = number.startsWith('+') ? of(number) : []
    if (exact.length > 0) return matched('exact', exact)
    const suffix = suffixKeyOf(number)
    return suffix === null ? none : matched('suffix', of(suffix))
  }

  /** null: nobody, or one of several. Where it is not sure the name has a question mark. */
  known(number: string, without?: Without): Known | null {
    const { type, parties } = this.match(number, without)
    const [party] = parties
    if (party === undefined || (type !== 'exact' && type !== 'suffix')) return null
    const name = printable(party.name)
    return { name: type === 'exact' ? name : `${name}?`, customerId: party.id, matchType: type }
  }

  get(id: string): PartyRow | undefined {
    return this.#find(id)?.row
  }

  /** Another one with each change. */
  get version(): number {
    return this.#version
  }

  count(): number {
    return Math.max(0, this.#store.tables.parties.count() - this.#hidden)
  }

  /** What `put` would do. */
  compare(party: PartyRow): Change {
    return changeOf(this.get(party.id), party)
  }

  /** Inside a transaction. */
  put(party: PartyRow): Change {
    const before = this.#find(party.id)
    const change = changeOf(before?.row, party)
    if (change === 'unchanged') return change
    if (before !== undefined) this.#drop(before)
    this.#write(party.source === 'import' ? this.#prefix() : '', party)
    this.#changed()
    return change
  }

  /** Inside a transaction; whether it was there. */
  remove(id: string): boolean {
    const found = this.#find(id)
    if (found !== undefined) {
      this.#drop(found)
      this.#changed()
    }
    return found !== undefined
  }

  /** Inside a transaction: an imported party of the next generation, which is not looked at yet. */
  stage(party: PartyRow): void {
    this.#write(prefixOf(this.#generation() + 1), party)
    this.#hidden++
  }

  /** Inside a transaction: the `staged` parties are the imported ones from now on, in the place of `left` others. */
  switchOver(left: number, staged: number): void {
    this.#store.tables.meta.put(generationKey, this.#generation() + 1)
    this.#store.afterCommit(() => {
      this.#hidden += left - staged
      this.#version++
    })
  }

  /** Removes imported parties that are not looked at, those of a list that was cut off too; how many. Not while one is staged. */
  async sweep(): Promise<number> {
    const { parties, partyNumbers, meta } = this.#store.tables
    const generation = this.#generation()
    const current = prefixOf(generation)
    const others =
      current === ''
        ? [{ start: firstOfGenerations, end: afterGenerations }]
        : [
            { start: firstOfGenerations, end: current },
            { start: behind(current), end: afterGenerations },
          ]
    let removed = 0
    for (const range of others) {
      removed += await removeOld(this.#store, parties, { ...range, isOld: () => true })
      await removeOld(this.#store, partyNumbers, { ...range, isOld: () => true })
    }
    if (generation > 0 && meta.get(sweptKey) !== true) {
      const isOld = ({ source }: PartyRow, key: string): boolean => source === 'import' && !key.startsWith(firstOfGenerations)
      removed += await removeOld(this.#store, parties, { isOld, remove: (row, key) => this.#drop({ key, row }) })
      await this.#store.transaction(() => meta.put(sweptKey, true))
    }
    this.#hidden = 0
    return removed
  }

  /** Numbers that several parties have; looked for in pieces, so that nobody waits. */
  async shared(): Promise<SharedNumbers> {
    const prefix = this.#prefix()
    const areas = [
      { prefix: '', other: prefix, ranges: [{ end: firstOfGenerations }, { start: afterGenerations }] },
      { prefix, other: '', ranges: [{ start: prefix, end: behind(prefix) }] },
    ]
    const found = { ambiguous: 0, crowded: [] as string[] }
    for (const area of prefix === '' ? areas.slice(0, 1) : areas) {
      for await (const { number, count } of this.#numbers(area)) {
        const elsewhere = prefix === '' ? 0 : this.#keysOf(area.other, number).length
        if (area.prefix !== '' && elsewhere > 0) continue
        if (count + elsewhere > 1 && this.#isAmbiguous(number)) found.ambiguous++
        if (count + elsewhere > mostOfNumber && found.crowded.length < mostCrowded) found.crowded.push(number)
      }
    }
    return found
  }

  /** As in a look-up: parties that are not active are ignored when there are active ones. */
  #isAmbiguous(key: string): boolean {
    const parties = this.#of(key)
    return parties.length === 0 || matched('exact', parties).type === 'ambiguous'
  }

  /** Everybody, in pieces, so that nobody waits. */
  async *all(): AsyncIterable<PartyRow> {
    for (let start = ''; ;) {
      const rows = [...this.#store.tables.parties.range({ start, limit: batch })]
      for (const { key, value } of rows) if (this.#isSeen(key, value)) yield value
      if (rows.length < batch) return
      start = `${rows.at(-1)!.key} `
      await breath()
    }
  }

  /** Who fits what a person types: the first of them, one more than `most` where there are more. Ends early where nobody waits any more. */
  async find(
    fits: ReturnType<typeof finds>,
    { most, signal }: { readonly most: number; readonly signal: AbortSignal },
  ): Promise<PartyRow[]> {
    const found: PartyRow[] = []
    let looked = 0
    for await (const party of this.all()) {
      if (++looked % batchFound === 0) await breath()
      if (signal.aborted) return found
      const { name, company = '', phones } = party
      if (fits({ names: [name, company], numbers: phones.map(({ number }) => number) }) && found.push(party) > most) return found
    }
    return found
  }

  /** How many parties have each number of an area. */
  async *#numbers({ prefix, ranges }: { prefix: string; ranges: readonly { start?: string; end?: string }[] }) {
    let [number, count] = ['', 0]
    for (const range of ranges) {
      for (let { start = '' } = range; ;) {
        const rows = [...this.#store.tables.partyNumbers.range({ ...range, start, limit: batch })]
        for (const { key } of rows) {
          const next = key.slice(prefix.length, key.indexOf(' ', prefix.length))
          if (next !== number && count > 0) yield { number, count }
          count = next === number ? count + 1 : 1
          number = next
        }
        if (rows.length < batch) break
        start = `${rows.at(-1)!.key} `
        await breath()
      }
    }
    if (count > 0) yield { number, count }
  }

  /** None where too many have the number. */
  #of(number: string): PartyRow[] {
    const prefix = this.#prefix()
    const own = this.#keysOf('', number)
    const imported = prefix === '' ? [] : this.#keysOf(prefix, number)
    if (own.length + imported.length > mostOfNumber) return []
    return [...own, ...imported].flatMap((key) => {
      const row = this.#store.tables.parties.get(key)
      return row !== undefined && this.#isSeen(key, row) ? row : []
    })
  }

  /** Keys of the parties that have a number; one too many where there are too many. */
  #keysOf(prefix: string, number: string): string[] {
    const from = `${prefix}${number} `
    const rows = this.#store.tables.partyNumbers.range({ start: from, end: `${from.slice(0, -1)}!`, limit: mostOfNumber + 1 })
    return Array.from(rows, ({ key }) => `${prefix}${key.slice(from.length)}`)
  }

  #find(id: string): Found | undefined {
    const { parties } = this.#store.tables
    const prefix = this.#prefix()
    const own = parties.get(id)
    if (own !== undefined && (prefix === '' || own.source !== 'import')) return { key: id, row: own }
    const key = `${prefix}${id}`
    const row = prefix === '' ? undefined : parties.get(key)
    return row && { key, row }
  }

  /** Whether the row with this key is looked at: not one of another generation, nor one in whose place somebody else has the id. */
  #isSeen(key: string, row: PartyRow): boolean {
    return this.#find(row.id)?.key === key
  }

  /** What was learnt of the numbers before holds no more, once this is on the disk. */
  #changed(): void {
    this.#store.afterCommit(() => void this.#version++)
  }

  #write(prefix: string, party: PartyRow): void {
    const { parties, partyNumbers } = this.#store.tables
    for (const key of numbersOf(party)) partyNumbers.put(`${prefix}${key}`, true)
    parties.put(`${prefix}${party.id}`, party)
  }

  #drop({ key, row }: Found): void {
    const { parties, partyNumbers } = this.#store.tables
    const prefix = key.slice(0, key.length - row.id.length)
    for (const number of numbersOf(row)) partyNumbers.remove(`${prefix}${number}`)
    parties.remove(key)
  }

  #generation(): number {
    return Number(this.#store.tables.meta.get(generationKey) ?? 0)
  }

  #prefix(): string {
    return prefixOf(this.#generation())
  }
}

/** In front of keys of imported parties, and of those of their numbers. */
function prefixOf(generation: number): string {
  return generation === 0 ? '' : `/${String(generation).padStart(8, '0')}/`
}

/** The first key that does not begin so. */
const behind = (prefix: string): string => `${prefix.slice(0, -1)}0`

/** Parties that are not active any more, or were only typed here, count where no other has the number. */
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

function numbersOf(party: PartyRow): string[] {
  return party.phones.map(({ number }) => `${numberKey(number)} ${party.id}`)
}

function changeOf(before: PartyRow | undefined, party: PartyRow): Change {
  if (before === undefined) return 'created'
  return sameContent(before, party) ? 'unchanged' : 'updated'
}

function sameContent(before: PartyRow, now: PartyRow): boolean {
  const content = ({ seenAt: _, updatedAt: __, ...rest }: PartyRow): string => JSON.stringify(Object.entries(rest).toSorted())
  return content(before) === content(now)
}
