/** Brings messages into the inbox, each once and complete: when its transcript is settled, or was waited for long enough. */
import { pause, type Clock } from '../base/clock.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Log } from '../base/log.ts'
import type { InboxVoicemailRow, RecordingRow, VoicemailRow } from '../store/tables.ts'
import type { Store } from '../store/store.ts'
import type { Recordings } from '../voice/recordings.ts'

export interface PublisherOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly inbox: Pick<Inbox, 'publishVoicemail'>
  readonly recordings: Pick<Recordings, 'find' | 'handOver'>
  /** Of the transcripts. */
  readonly language: string
}

/** A transcript that is not there by then is not waited for. */
const transcriptMs = 120_000
const lookMs = 1000
const retryMs = 5000

export class Publisher {
  readonly #options: PublisherOptions
  readonly #stopping = new AbortController()
  readonly #under = new Set<Promise<void>>()

  constructor(options: PublisherOptions) {
    this.#options = options
  }

  /** `message` has been spoken, and its row is durable. Goes on until it is in the inbox, or the daemon ends. */
  publish(message: VoicemailRow): void {
    const work = this.#publish(message).finally(() => this.#under.delete(work))
    this.#under.add(work)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#under)
  }

  async #publish(message: VoicemailRow): Promise<void> {
    const { clock, log } = this.#options
    const { signal } = this.#stopping
    await this.#transcribed(message.recordingId)
    while (!signal.aborted) {
      try {
        return await this.#place(message)
      } catch (error) {
        log.error({ err: error, callId: message.callId, ext: message.ext }, 'a voicemail could not be brought into the inbox; trying again')
        await pause(clock, retryMs, signal)
      }
    }
  }

  async #transcribed(recordingId: string): Promise<void> {
    const { clock, recordings } = this.#options
    const { signal } = this.#stopping
    const until = clock.elapsed() + transcriptMs
    while (!signal.aborted && clock.elapsed() < until && recordings.find(recordingId)?.row.transcriptStatus === 'pending')
      await pause(clock, lookMs, signal)
  }

  async #place(message: VoicemailRow): Promise<void> {
    const { store, inbox, recordings, log } = this.#options
    const { id, ext, callId, recordingId } = message
    const found = recordings.find(recordingId)
    // After the move and before its transaction the file has gone, and the row has not.
    if (found === undefined) return this.#forget(message)
    await recordings.handOver(recordingId, async (file, alongside) => {
      await inbox.publishVoicemail(this.#item(message, found.row), file, () => {
        alongside()
        store.tables.voicemails.remove(id)
      })
    })
    log.info({ callId, ext, voicemail: id }, 'a voicemail is in the inbox')
  }

  /** Its recording was deleted through the API meanwhile. */
  async #forget({ id, callId, ext }: VoicemailRow): Promise<void> {
    const { store, log } = this.#options
    await store.transaction(() => void store.tables.voicemails.remove(id))
    log.warn({ callId, ext }, 'the recording of a voicemail was deleted before it was in the inbox')
  }

  #item(message: VoicemailRow, recording: RecordingRow): Omit<InboxVoicemailRow, 'sha256' | 'bytes'> {
    const { id, ext, callId, from, to, callerName, receivedAt, durationMs, forwardedFrom } = message
    const { transcript, transcriptStatus } = recording
    return {
      id,
      ext,
      callId,
      from,
      to,
      callerName,
      receivedAt,
      durationSeconds: Math.round((durationMs || recording.durationMs) / 1000),
      transcript,
      transcriptStatus: transcriptStatus === 'pending' ? 'failed' : transcriptStatus,
      language: this.#options.language,
      ...(forwardedFrom === undefined ? {} : { forwardedFrom }),
    }
  }
}
