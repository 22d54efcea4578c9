/** What the record of a call says of its recording: read where it is kept, so that what is deleted there is deleted here. */
import type { CallRecordView } from '../schema/history.ts'
import type { Store } from '../store/store.ts'

/** Of the last; undefined where the call has none. */
export function recordingOf({ recordings, recordingsBegun }: Store['tables'], ids: readonly string[]): CallRecordView['recording'] {
  const id = ids.at(-1)
  if (id === undefined) return undefined
  const row = recordings.get(id)
  if (row === undefined) return { state: recordingsBegun.get(id) === undefined ? 'expired' : 'pending' }
  return {
    state: row.transcriptStatus === 'pending' ? 'pending' : 'ready',
    mediaUrl: `/api/voice/recordings/${id}`,
    durationSeconds: Math.round(row.durationMs / 1000),
    ...(row.transcript === '' ? {} : { transcript: row.transcript }),
  }
}
