/** Items of the feeds as the API and the technician's socket show them. */
import { isoTime } from '../base/clock.ts'
import type { InboxFaxRow, InboxItem, InboxSmsRow, InboxVoicemailRow, TextMediaRow } from '../store/tables.ts'

function head({ id, from, to, receivedAt }: InboxItem) {
  return { id, from, to, receivedAt: isoTime(receivedAt) }
}

const named = (callerName: string) => (callerName === '' ? {} : { callerName })

export function faxItem(row: InboxFaxRow) {
  return {
    ...head(row),
    pages: row.pages,
    mediaUrl: `/api/inbox/faxes/${row.id}.pdf`,
    status: row.status,
    complete: row.status === 'complete',
    ...named(row.callerName),
    trunkId: row.trunkId,
    callId: row.callId,
    remoteStationId: row.remoteStationId,
    ...(row.remoteStationId === '' ? {} : { remoteId: row.remoteStationId }),
    durationSeconds: row.durationSeconds,
    bitRate: row.bitRate,
    ecm: row.ecm,
    resolution: row.resolution,
    transport: row.transport,
    badRows: row.badRows,
    bytes: row.bytes,
    sha256: row.sha256,
  }
}

/** @param media of the text, as it is now */
export function smsItem(row: InboxSmsRow, media: readonly TextMediaRow[]) {
  const { body, segments, encoding, trunkId, keyword, mayOptOut } = row
  return {
    ...head(row),
    body,
    mediaUrl: null,
    segments,
    encoding,
    trunkId,
    ...(keyword === undefined ? {} : { keyword }),
    ...(mayOptOut === undefined ? {} : { mayOptOut }),
    ...(media.length === 0 ? {} : { media: media.map(mediaItem) }),
  }
}

function mediaItem({ id, contentType, bytes, state, reason }: TextMediaRow) {
  return {
    id,
    contentType,
    bytes: state === 'stored' ? bytes : null,
    state,
    ...(reason === '' ? {} : { reason }),
    mediaUrl: `/api/inbox/sms/media/${id}`,
  }
}

export function voicemailItem(row: InboxVoicemailRow) {
  const { ext, callId, durationSeconds, transcript, transcriptStatus, language, forwardedFrom } = row
  return {
    ...head(row),
    ext,
    ...named(row.callerName),
    callId,
    durationSeconds,
    transcript,
    transcriptStatus,
    ...(language === undefined ? {} : { language }),
    ...(forwardedFrom === undefined ? {} : { forwardedFrom }),
    mediaUrl: `/api/inbox/voicemails/${row.id}.wav`,
  }
}
