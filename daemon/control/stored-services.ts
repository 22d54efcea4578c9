/** What the technician's socket needs for deletion: the part of `services.ts` about it. */

export const storedKinds = ['fax', 'inbox', 'mail', 'recording', 'reminder', 'sms', 'trace'] as const
export type StoredKind = (typeof storedKinds)[number]

export interface RecordingView {
  readonly recordingId: string
  readonly callId: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly durationMs: number
  readonly bytes: number
  readonly transcriptStatus: string
}

export interface StoredServicesView {
  /** Newest first; without their transcripts. */
  recordings(limit: number): readonly RecordingView[]
  /** With everything that repeats its content; `alongside` runs in the transaction. Throws ApiError: that there is no such item, being_sent, call_live, media_expired. */
  remove(kind: StoredKind, id: string, alongside: (id: string) => void): Promise<void>
}
