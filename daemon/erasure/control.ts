/** What the technician's socket deletes, and the recordings it may choose from. */
import { isoTime } from '../clock.ts'
import type { Store } from '../store/store.ts'
import type { Erasure, Record as RecordDeed } from './erasure.ts'

type Kind = 'fax' | 'inbox' | 'mail' | 'recording' | 'reminder' | 'sms' | 'trace'

export function erasureControl(erasure: Erasure, store: Store) {
  const removals: Readonly<Record<Kind, (id: string, record: RecordDeed) => Promise<void>>> = {
    fax: (id, record) => erasure.fax(id, record),
    inbox: (id, record) => erasure.item(null, id, record),
    mail: (id, record) => erasure.mail(id, record),
    recording: (id, record) => erasure.recording(id, record),
    reminder: (id, record) => erasure.reminder(id, record),
    sms: (id, record) => erasure.text(id, record),
    trace: (id, record) => erasure.trace(id, record),
  }
  return {
    recordings: (limit: number) =>
      Array.from(store.tables.recordings.range({ reverse: true, limit }), ({ value }) => ({
        recordingId: value.recordingId,
        callId: value.callId,
        createdAt: isoTime(value.createdAt),
        expiresAt: isoTime(value.expiresAt),
        durationMs: value.durationMs,
        bytes: value.bytes,
        transcriptStatus: value.transcriptStatus,
      })),
    remove: (kind: Kind, id: string, alongside: RecordDeed): Promise<void> => removals[kind](id, alongside),
  }
}
