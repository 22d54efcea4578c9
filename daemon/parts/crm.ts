/** The directory of the house, and what other software reads of it and writes into it. */
import type { Core } from '../core.ts'
import { Directory } from '../crm/directory.ts'
import { Importer } from '../crm/import.ts'
import { Lookup } from '../crm/lookup.ts'
import type { History } from '../history/history.ts'
import { crmRoutes } from '../http/routes/crm.ts'
import { checker } from '../http/validate.ts'
import type { Part } from '../part.ts'
import { PartyInputSchema } from '../schema/crm.ts'

export interface CrmPart extends Part {
  readonly directory: Directory
}

/** `history`: not before the first request. */
export function crmPart(core: Core, history: () => Pick<History, 'withNumber'>): CrmPart {
  const directory = new Directory(core.store)
  const calls = { withNumber: (number: string, limit: number) => history().withNumber(number, limit) }
  return {
    name: 'crm',
    directory,
    routes: crmRoutes({
      lookup: new Lookup({ ...core, directory, history: calls }),
      importer: new Importer({ ...core, directory, check: checker(PartyInputSchema, false) }),
    }),
    figures: [{ name: 'pbx_directory_parties', help: 'Parties of the directory.', type: 'gauge', read: () => [[{}, directory.count()]] }],
  }
}
