/** Brings a copy of a message into another mailbox: a message of its own there, published, announced and deleted as any other. */
import { ApiError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Store } from '../store/store.ts'
import type { InboxVoicemailRow, VoicemailRow } from '../store/tables.ts'
import type { Recordings } from '../voice/recordings.ts'

export interface ForwarderOptions {
  readonly store: Store
  readonly inbox: Pick<Inbox, 'media' | 'hasMailbox'>
  readonly recordings: Pick<Recordings, 'copy'>
  /** Brings it into the inbox. */
  readonly publish: (message: VoicemailRow) => void
}

export class Forwarder {
  readonly #options: ForwarderOptions

  constructor(options: ForwarderOptions) {
    this.#options = options
  }

  /**
   * Resolves when it is durable that the copy comes into the mailbox `to`. `record` runs in the transaction, with the id of the copy.
   * Throws ApiError: mailbox_unknown, not_found.
   */
  async forward(message: InboxVoicemailRow, to: string, record: (id: string) => void): Promise<void> {
    const { store, inbox, recordings, publish } = this.#options
    if (!inbox.hasMailbox(to)) throw new ApiError('mailbox_unknown', `There is no mailbox ${to}.`)
    const media = inbox.media('voicemails', message.id)
    if (media === undefined || media === 'purged') throw new ApiError('not_found', 'This message no longer exists.')
    const { callId, from, callerName, receivedAt, transcript, transcriptStatus } = message
    const durationMs = message.durationSeconds * 1000
    const copy = { id: newId(), ext: to, callId, from, to: message.to, callerName, receivedAt, durationMs, forwardedFrom: message.ext }
    const known = { callId, durationMs, transcript, transcriptStatus }
    const recordingId = await recordings.copy(media.file, known, (id) => {
      store.tables.voicemails.put(copy.id, { ...copy, recordingId: id })
      record(copy.id)
    })
    publish({ ...copy, recordingId })
  }
}
