/** One search of the house: people outside, colleagues, calls, and what is to be done. */
import { type CallRecordView, finds } from '../schema/history.ts'
import type { Config } from '../schema/config.ts'
import type { PartyHit, SearchView } from '../schema/desk.ts'
import type { PartyRow, WorkRow } from '../store/tables.ts'
import type { WorkServices } from '../work/routes.ts'

export interface SearchOptions extends WorkServices {
  readonly config: Pick<Config, 'extensions'>
  /** Who fits, one more than `most` where there are more. */
  readonly parties: (
    fits: ReturnType<typeof finds>,
    options: { readonly most: number; readonly signal: AbortSignal },
  ) => Promise<readonly PartyRow[]>
  /** The newest calls of which a part of the number, or of the name, is that. */
  readonly calls: (q: string, limit: number) => Promise<readonly CallRecordView[]>
}

const most = 5

export class Search {
  readonly #options: SearchOptions

  constructor(options: SearchOptions) {
    this.#options = options
  }

  /** `isShown`: whether the reader may see an item of work. */
  async find(q: string, isShown: (row: WorkRow) => boolean, signal: AbortSignal): Promise<SearchView> {
    const { config, calls, work, views } = this.#options
    const fits = finds(q)
    const colleagues = config.extensions
      .filter(({ number, name }) => fits({ names: [name], numbers: [number] }) || number.startsWith(q.trim()))
      .slice(0, most)
      .map(({ number, name }) => ({ extension: number, name }))
    const items = work
      .open()
      .filter(isShown)
      .map((row) => views.view(row))
      .filter(({ callerName, number, note }) => fits({ names: [callerName, note], numbers: [number] }))
    const parties = await this.#parties(fits, signal)
    return { parties, colleagues, calls: [...(await calls(q, most))], items: items.slice(0, most) }
  }

  async #parties(fits: ReturnType<typeof finds>, signal: AbortSignal): Promise<PartyHit[]> {
    const found = await this.#options.parties(fits, { most: most - 1, signal })
    return found.map(({ id, name, company = '', phones }) => {
      const number = (phones.find(({ primary }) => primary === true) ?? phones[0])?.number ?? ''
      return { id, name, number, company }
    })
  }
}
