/** A row of a fax that was just accepted. */
import { newId } from '../../daemon/base/ids.ts'
import type { FaxRow } from '../../daemon/store/tables.ts'

export const windowMs = 3 * 3_600_000

export function faxRow(changes: Partial<FaxRow> = {}, now = 0): FaxRow {
  return {
    faxId: newId(),
    state: 'queued',
    to: '+15551230001',
    from: '+15550001999',
    priority: 0,
    cover: null,
    statusCallbackUrl: '',
    createdAt: now,
    expiresAt: now + windowMs,
    completedAt: null,
    nextAttemptAt: null,
    pages: 0,
    bytesPerPage: [],
    standardBytesPerPage: [],
    pagesSent: 0,
    attempts: 0,
    busy: 0,
    unanswered: 0,
    notFax: 0,
    broken: 0,
    lineFailures: 0,
    standard: false,
    possibleDuplicatePages: [],
    reason: null,
    message: '',
    t30Code: null,
    durationSeconds: 0,
    transport: null,
    bitRate: 0,
    ecm: false,
    resolution: 'fine',
    remoteStationId: '',
    history: [],
    ...changes,
  }
}
