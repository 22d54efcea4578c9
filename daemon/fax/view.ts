/** A fax as the interface shows it, and the callback that reports its end. */
import { isoTime } from '../base/clock.ts'
import type { Callback } from '../outbox/outbox.ts'
import type { FaxEvent } from '../schema/events.ts'
import type { FaxSummary, FaxView } from '../schema/fax.ts'
import type { FaxPreviewView } from '../schema/fax-preview.ts'
import type { FaxRow } from '../store/tables.ts'
import { newId } from '../base/ids.ts'
import { ladder } from './job.ts'
import type { ShownProgress } from './look.ts'
import { wireSeconds } from './pages/wire-time.ts'
import { previewMs, type FaxPreview } from './previews.ts'

const rates = { v17: 14_400, v29: 9_600, v27ter: 4_800 } as const

/** Seconds the rest of the fax takes on the wire; null until the pages are drawn. */
export function estimatedSeconds(row: FaxRow): number | null {
  const bytes = (row.standard ? row.standardBytesPerPage : row.bytesPerPage).slice(row.pagesSent)
  if (row.bytesPerPage.length === 0) return null
  return bytes.length === 0 ? 0 : Math.round(wireSeconds(bytes, rates[ladder(row).modems[0]!]))
}

export function faxSummary(row: FaxRow, live: ShownProgress | null): FaxSummary {
  return {
    faxId: row.faxId,
    status: row.state,
    to: row.to,
    from: row.from,
    pages: row.pages,
    pagesSent: row.pagesSent,
    attempts: row.attempts,
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
    sendAt: isoTime(row.sendAt ?? null),
    nextAttemptAt: isoTime(row.nextAttemptAt),
    completedAt: isoTime(row.completedAt),
    estimatedSeconds: row.completedAt === null ? estimatedSeconds(row) : 0,
    durationSeconds: row.durationSeconds,
    transport: row.transport,
    bitRate: row.bitRate,
    ecm: row.ecm,
    resolution: row.resolution,
    remoteStationId: row.remoteStationId,
    reason: row.reason,
    message: row.message,
    t30Code: row.t30Code,
    possibleDuplicatePages: row.possibleDuplicatePages,
    warnings: row.warnings ?? [],
    sentBy: row.token ?? '',
    replaces: row.replaces ?? null,
    replacedBy: row.replacedBy ?? null,
    progress:
      live === null
        ? null
        : { phase: live.phase, page: Math.min(row.pages, row.pagesSent + 1), bitRate: live.bitRate, percent: live.percent },
  }
}

export function faxView(row: FaxRow, live: ShownProgress | null): FaxView {
  const calls = row.history.map(({ at, class: outcome, ...rest }) => ({ at: isoTime(at), outcome, ...rest }))
  return { ...faxSummary(row, live), calls }
}

export function previewView({ previewId, pages, warnings, bytesPerPage, createdAt, to, cover }: FaxPreview): FaxPreviewView {
  const expiresAt = isoTime(createdAt + previewMs)
  return { previewId, pages, warnings: [...warnings], estimatedSeconds: Math.round(wireSeconds(bytesPerPage)), expiresAt, to, cover }
}

/** `fax.sent` or `fax.failed`: one a fax. */
export function faxCallback(row: FaxRow): Callback {
  return { event: faxEvent(row), subject: row.faxId, url: row.statusCallbackUrl, secret: 'callbacks', schedule: 'standard' }
}

function faxEvent(row: FaxRow): FaxEvent {
  const ids = { eventId: newId(), faxId: row.faxId }
  const facts = {
    to: row.to,
    from: row.from,
    pages: row.pages,
    pagesSent: row.pagesSent,
    attempts: row.attempts,
    durationSeconds: row.durationSeconds,
    transport: row.transport,
    bitRate: row.bitRate,
    ecm: row.ecm,
    resolution: row.resolution,
    remoteStationId: row.remoteStationId,
    createdAt: isoTime(row.createdAt),
    completedAt: isoTime(row.completedAt),
  }
  const { possibleDuplicatePages } = row
  if (row.state === 'sent') return { event: 'fax.sent', ...ids, status: row.state, ...facts, possibleDuplicatePages }
  const why = { reason: row.reason ?? 'internal', message: row.message, t30Code: row.t30Code } as const
  const status = row.state === 'canceled' ? row.state : 'failed'
  return { event: 'fax.failed', ...ids, status, ...facts, ...why, possibleDuplicatePages }
}
