/**
 * What callers have finished (a gather, a record) and the application has not received yet, in the store: if the daemon dies in between, it
 * is sent after the next start, ahead of the call's end. So are recordings that the end of the daemon cut off.
 */
import type { Call } from '../calls/call.ts'
import { eventAgain } from '../calls/envelope.ts'
import { secretOfEndpoint } from '../calls/new-call.ts'
import { witness } from '../calls/witness.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import { keep } from '../jobs/keep.ts'
import type { Log } from '../base/log.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { CallEventContent, InputEventName } from '../schema/events.ts'
import type { Store } from '../store/store.ts'
import type { InputRow, RecordingBegunRow, RecordingRow, TranscriptJobRow } from '../store/tables.ts'
import { isInternal } from './internal.ts'
import type { Question } from './session-types.ts'
import type { TranscriptState } from './transcripts.ts'

export interface InputsOptions {
  readonly store: Store
  readonly outbox: Outbox
  readonly recordings: {
    begun(callId?: string): RecordingBegunRow[]
    adopt(begun: RecordingBegunRow, transcript: TranscriptState): Promise<RecordingRow | null>
  }
  /** Whether a call of this run goes on. */
  readonly lives: (callId: string) => boolean
  /** Makes the transcript of a recording; its event said that it comes later. */
  readonly transcribe: (job: TranscriptJobRow) => void
  readonly clock: Clock
  readonly log: Log
}

/** An input between its end and the application's answer. */
export interface KeptInput {
  /** It leaves now, with that number. */
  leaves(sequence: number): void
  /** It was delivered, or everything was tried that the failure policy names. */
  done(): void
}

/** The event of a recording has its id, so that it is known as the same whether the daemon died before or after it left. */
export function inputId(content: CallEventContent): string {
  return recordingOf(content) || newId()
}

/** '' for an event of no recording, and where nothing was recorded. */
function recordingOf(content: CallEventContent): string {
  return content.event === 'record.completed' ? content.fields.recordingId : ''
}

const notKept: KeptInput = { leaves: () => undefined, done: () => undefined }

export class FinishedInputs {
  readonly #options: InputsOptions
  readonly #numbers = new Map<string, number>()
  readonly #stopping = new AbortController()

  constructor(options: InputsOptions) {
    this.#options = options
  }

  /** Parts of this program store what they receive themselves. */
  keep(call: Call, eventId: string, input: Question<InputEventName>): KeptInput {
    const { tables } = this.#options.store
    const { url } = input
    const recordingId = recordingOf(input)
    if (isInternal(url)) {
      if (recordingId !== '') this.#write(call.id, () => void tables.recordingsBegun.remove(recordingId))
      return notKept
    }
    const row: InputRow = { ...input, eventId, callId: call.id, secret: secretOfEndpoint(call.row.endpointId), sequence: null }
    witness(call.id, 'finished', `${eventId} ${url}`)
    this.#write(
      call.id,
      () => {
        tables.inputs.put(eventId, row)
        if (recordingId !== '') tables.recordingsBegun.remove(recordingId)
      },
      () => witness(call.id, 'stored', eventId),
    )
    return {
      leaves: (sequence) => this.#write(call.id, () => tables.inputs.put(eventId, { ...row, sequence })),
      done: () => this.#write(call.id, () => void tables.inputs.remove(eventId)),
    }
  }

  /** Reports what the end of the daemon cut off in a call; resolves when that is in the outbox. */
  async tell(call: Call): Promise<void> {
    const { store, log } = this.#options
    const { signal } = this.#stopping
    const tell = async (): Promise<void> => {
      for (const begun of this.#options.recordings.begun(call.id)) await this.#tellRecording(call, begun)
      const rows = [...store.tables.inputs.range()].map(({ value }) => value).filter(({ callId }) => callId === call.id)
      for (const row of rows) await this.#enqueue(call, row.eventId, row, () => undefined)
    }
    const failed = (err: unknown): void => log.error({ err, callId: call.id }, 'the input of a caller could not be sent; trying again')
    await keep(tell, { clock: this.#options.clock, failed, signal, stopped: () => signal.aborted })
  }

  /** Recordings of calls that had ended already, and inputs of calls that are gone. */
  async tidy(): Promise<void> {
    const { store, recordings, lives, log } = this.#options
    const { inputs, liveCalls, recordingsBegun } = store.tables
    const over = (callId: string) => liveCalls.get(callId) === undefined && !lives(callId)
    try {
      for (const begun of recordings.begun().filter(({ callId }) => over(callId))) {
        if ((await recordings.adopt(begun, transcriptLater(begun))) === null) continue
        await store.transaction(() => void recordingsBegun.remove(begun.recordingId))
      }
      const gone = [...inputs.range()].filter(({ value }) => over(value.callId))
      if (gone.length > 0)
        await store.transaction(() => {
          for (const { key } of gone) inputs.remove(key)
        })
    } catch (error) {
      log.error({ err: error }, 'earlier recordings stay as they are until the next start')
    }
  }

  stop(): void {
    this.#stopping.abort()
  }

  async #tellRecording(call: Call, begun: RecordingBegunRow): Promise<void> {
    const { store, recordings } = this.#options
    const { recordingId, url, secret, transcript: wanted } = begun
    const row = await recordings.adopt(begun, transcriptLater(begun))
    if (row === null) return
    // A part of this program takes up itself what it had begun.
    const own = isInternal(url)
    if (!own && !call.row.recordings.includes(recordingId)) call.row.recordings.push(recordingId)
    const fields: CallEventContent<'record.completed'>['fields'] = {
      reason: 'hangup',
      transcript: row.transcript,
      transcriptStatus: row.transcriptStatus,
      ...(row.transcriptReason === undefined ? {} : { transcriptReason: row.transcriptReason }),
      recordingId,
      mediaUrl: `/api/voice/recordings/${recordingId}.wav`,
      durationMs: row.durationMs,
    }
    const forget = () => void store.tables.recordingsBegun.remove(recordingId)
    if (url === '') await store.transaction(forget)
    else if (!own) {
      const told = { event: 'record.completed', fields, eventId: recordingId, callId: call.id, url, secret, sequence: null } as const
      await this.#enqueue(call, recordingId, told, forget)
    }
    const job = wanted === null ? undefined : store.tables.transcriptJobs.get(recordingId)
    if (job !== undefined) this.#options.transcribe(job)
  }

  async #enqueue(call: Call, key: string, row: InputRow, alongside: () => void): Promise<void> {
    const { store, outbox, clock } = this.#options
    const { eventId, url, secret } = row
    if (row.sequence !== null) call.row.sequence = Math.max(call.row.sequence, row.sequence)
    // A write that failed has used up no number.
    const sequence = row.sequence ?? this.#numbers.get(key) ?? call.nextSequence()
    this.#numbers.set(key, sequence)
    const event = eventAgain(call.row, { eventId, sequence }, clock, row)
    call.note('event', `${row.event} -> ${url}, after the restart`)
    await store.transaction(() => {
      store.tables.inputs.remove(eventId)
      outbox.enqueue({ event, subject: call.id, url, secret, schedule: 'call', fifo: call.id })
      alongside()
    })
    this.#numbers.delete(key)
    outbox.wake()
  }

  #write(callId: string, work: () => void, done: () => void = () => undefined): void {
    const { store, log } = this.#options
    store
      .transaction(work)
      .then(done)
      .catch((error: unknown) => log.warn({ err: error, callId }, 'an input is sent, but a restart of the daemon would lose it'))
  }
}

/** Nobody listened while it was made: it is read as a whole. */
export function transcriptLater({ recordingId, callId, url, secret, transcript, sensitive }: RecordingBegunRow): TranscriptState {
  if (transcript === null) return { status: 'off', reason: '', job: null }
  // A part of this program reads a late transcript where it is kept.
  const told = isInternal(url) ? '' : url
  return { status: 'pending', reason: '', job: { recordingId, callId, ...transcript, url: told, secret, sensitive } }
}
