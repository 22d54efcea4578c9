/**
 * Names that people of the house give numbers. A party that the CRM owns is not changed by that: the name is proposed to the CRM, and what it
 * answers is so (sync/proposals.ts).
 */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Config } from '../schema/config.ts'
import type { TypedNameView } from '../schema/crm.ts'
import type { Store } from '../store/store.ts'
import type { PartyRow } from '../store/tables.ts'
import type { Directory } from './directory.ts'
import type { Lookup } from './lookup.ts'
import { partyNumber, printable } from './numbers.ts'
import type { Proposals } from './sync/proposals.ts'

export interface TypedNamesOptions {
  readonly config: Pick<Config, 'site' | 'extensions'>
  readonly store: Pick<Store, 'tables' | 'transaction'>
  readonly clock: Clock
  readonly directory: Directory
  readonly lookup: Pick<Lookup, 'numberOf'>
  readonly proposals: Pick<Proposals, 'mustBeTaken' | 'put' | 'wake'>
}

export class TypedNames {
  readonly #options: TypedNamesOptions

  constructor(options: TypedNamesOptions) {
    this.#options = options
  }

  /**
   * `given`: a number as people write it. A name of '' takes back one that was typed. `alongside` runs in the transaction. Throws ApiError
   * `number_invalid`, `validation_failed` (several parties, or nobody whose name could be taken back), `integration_disabled`.
   */
  async name(given: string, name: string, alongside: (customerId: string) => void): Promise<TypedNameView> {
    const { store, directory, proposals } = this.#options
    const number = this.#numberOf(given)
    const shown = printable(name)
    const done = await store.transaction((): TypedNameView => {
      const { type, parties } = directory.match(number)
      if (type === 'ambiguous') throw refused('/phoneNumber', 'Several customers have this number, so the name could be for any of them')
      const before = type === 'exact' ? parties[0] : undefined
      const view = this.#change(number, shown, before)
      alongside(view.customerId)
      return view
    })
    if (done.result === 'proposed') proposals.wake()
    return done
  }

  #change(number: string, name: string, before: PartyRow | undefined): TypedNameView {
    const { directory, clock, proposals } = this.#options
    const now = clock.now()
    if (name === '') {
      if (before?.source !== 'local') throw refused('/name', 'Only a name that was given here can be removed')
      directory.remove(before.id)
      return { number, customerId: before.id, name, result: 'deleted' }
    }
    if (before?.source === 'crm') {
      proposals.mustBeTaken()
      proposals.put(before.id, name)
      return { number, customerId: before.id, name, result: before.name === name ? 'unchanged' : 'proposed' }
    }
    const typed = { kind: 'person', status: 'active', version: '', source: 'local' } as const
    const party: PartyRow = before ?? {
      ...typed,
      id: `local-${number}`,
      name,
      phones: [{ number, label: 'other' }],
      updatedAt: now,
      seenAt: now,
    }
    return { number, customerId: party.id, name, result: directory.put({ ...party, name, updatedAt: now, seenAt: now }) }
  }

  #numberOf(given: string): string {
    const { config, lookup } = this.#options
    const number = lookup.numberOf(given)
    const own = config.extensions.some((extension) => extension.number === number)
    const known = own ? null : partyNumber(number, config.site.country)
    if (known === null) throw new ApiError('number_invalid', 'You can give names only to outside numbers with at least seven digits.')
    return known
  }
}

function refused(path: string, message: string): ApiError {
  return new ApiError('validation_failed', `${message}.`, { details: [{ path, message }] })
}
