/** What one call of a fax is to do: which pages, in which form, at which speeds. */
import type { FaxSendRequest } from '../../drivers/fax.ts'
import type { FaxRow } from '../store/tables.ts'
import type { FaxFiles } from './documents.ts'
import { ladder } from './job.ts'

export interface FaxSettings {
  readonly stationId: string
  readonly header: string
  readonly timeZone: string
  readonly ecm: boolean
  readonly v17: boolean
}

export function sendRequest(row: FaxRow, files: FaxFiles, settings: FaxSettings): FaxSendRequest {
  const { modems, t38 } = ladder(row)
  return {
    file: row.standard ? files.standard : files.fine,
    standardFile: row.standard ? '' : files.standard,
    firstPage: row.pagesSent,
    stationId: settings.stationId,
    header: settings.header,
    timeZone: settings.timeZone,
    ecm: settings.ecm,
    modems: settings.v17 ? modems : modems.filter((modem) => modem !== 'v17'),
    t38,
  }
}
