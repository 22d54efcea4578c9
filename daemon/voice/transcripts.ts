/**
 * The transcripts of recordings. One that is asked for is a row from the moment the recording is: it goes out with
 * `record.completed` when it is ready in time, else later as `record.transcribed`, also after the end of the call and
 * after a restart of the daemon, which reads the whole recording again. Recordings are read one at a time.
 */
import type { Call } from '../calls/call.ts'
import { eventOfRow } from '../calls/envelope.ts'
import { secretOfEndpoint } from '../calls/new-call.ts'
import { isTerminal } from '../calls/state.ts'
import type { Clock } from '../base/clock.ts'
import { keep } from '../jobs/keep.ts'
import type { Log } from '../base/log.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { LiveTranscript, Transcriber, Transcript } from '../speech/hearing.ts'
import type { Store } from '../store/store.ts'
import type { TranscriptJobRow, TranscriptStatus } from '../store/tables.ts'

export interface TranscriptOrder {
  readonly callId: string
  /** Whose secret signs the late event; '' for that of callbacks. */
  readonly endpointId: string
  readonly language: string
  readonly hints: readonly string[]
  /** Receives the late event; '' for nobody. */
  readonly url: string
  readonly sensitive: boolean
}

/** What a recording's row says of its transcript when it is published; `job` is what is still to be done. */
export interface TranscriptState {
  readonly status: TranscriptStatus
  readonly reason: string
  readonly job: TranscriptJobRow | null
}

export const noTranscript: TranscriptState = { status: 'off', reason: '', job: null }

export interface TranscriptFields {
  readonly transcript: string
  readonly transcriptStatus: TranscriptStatus
  readonly transcriptReason?: string
}

/** The transcript of one recording, from its beginning until its event is sent. */
export interface TakeTranscript {
  audio(samples: Int16Array): void
  /** The recording has ended, for that reason; published next, with the state that is returned. */
  end(recordingId: string, reason: string): TranscriptState
  /** What the event says of a recording that the disk did not take: its transcript is made when it does. */
  postponed(): TranscriptFields
  /** What the event says: waits until it is known, or too late, or until `replaced` aborts: then it comes later. */
  fields(recordingId: string | null, replaced: AbortSignal): Promise<TranscriptFields>
  abandon(): void
}

export interface TranscriptsOptions {
  readonly transcriber: Transcriber
  readonly store: Store
  readonly outbox: Outbox
  readonly recordings: { find(id: string): { readonly file: string } | undefined; onRemoved(observer: (id: string) => void): void }
  /** A call that lives. */
  readonly call: (callId: string) => Call | undefined
  /** Inside the transaction that has the transcript of a recording of that call, or why there is none. */
  readonly settled?: (callId: string) => void
  readonly clock: Clock
  readonly log: Log
  /** How long `record.completed` waits for the transcript. */
  readonly waitMs?: number
}

interface Job {
  readonly row: TranscriptJobRow
  readonly live: Promise<Transcript> | null
  readonly abort: AbortController
  readonly done: PromiseWithResolvers<TranscriptFields>
  phase: 'working' | 'storing' | 'done'
  /** Of the write that is on its way: whether it reached the disk. */
  write: Promise<boolean>
  /** The application was notified that it comes later. */
  late: boolean
}

const waitMs = 10_000

export class Transcripts {
  readonly #options: TranscriptsOptions
  readonly #jobs = new Map<string, Job>()
  readonly #stopped = Promise.withResolvers<void>()
  #stopping = false
  #reading: Promise<unknown> = Promise.resolve()

  constructor(options: TranscriptsOptions) {
    this.#options = options
    options.recordings.onRemoved((id) => this.#cancel(id))
  }

  /** Transcripts that are not ready. */
  get pending(): number {
    return this.#options.store.tables.transcriptJobs.count()
  }

  /** Takes up what was left when the daemon ended. After the outbox has started. */
  start(): void {
    const rows = [...this.#options.store.tables.transcriptJobs.range()].map(({ value }) => value)
    for (const row of rows) if (!this.#jobs.has(row.recordingId)) this.#open(row, null, true)
    if (rows.length > 0) this.#options.log.info({ waiting: rows.length }, 'transcripts wait from before')
  }

  /**
   * A recording that the disk did not take at first is in the store, with this to be done; the application was notified that it comes
   * later.
   */
  takeUp(row: TranscriptJobRow): void {
    if (!this.#stopping && !this.#jobs.has(row.recordingId)) this.#open(row, null, true)
  }

  /** What is not ready is taken up after the next start; nobody is kept waiting for it. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#stopped.resolve()
    for (const job of this.#jobs.values()) job.abort.abort()
    await this.#reading
  }

  begin(order: TranscriptOrder): TakeTranscript {
    const { transcriber } = this.#options
    const { language, hints } = order
    const available = transcriber.available(language)
    const abort = new AbortController()
    const live: LiveTranscript | null = available.ok ? transcriber.live({ language, hints, signal: abort.signal }) : null
    const refused: TranscriptState = { status: 'off', reason: available.reason, job: null }
    let state: TranscriptState = live === null ? refused : { status: 'failed', reason: 'no-recording', job: null }
    let whole: Promise<Transcript> | null = null
    return {
      audio: (samples) => live?.audio(samples),
      end: (recordingId, reason) => {
        if (live === null) return state
        if (reason === 'timeout') {
          live.abandon()
          return (state = { status: 'empty', reason: '', job: null })
        }
        whole = live.end()
        return (state = { status: 'pending', reason: '', job: jobRow(recordingId, order) })
      },
      fields: async (recordingId, replaced) => {
        if (recordingId === null) {
          live?.abandon()
          // A caller who was gone before the tone has said nothing; a recorder that failed has lost what was said.
          const status = live === null ? 'off' : whole === null ? 'empty' : 'failed'
          return fieldsOf('', status, live === null ? state.reason : status === 'failed' ? 'no-recording' : '')
        }
        if (state.job === null) return fieldsOf('', state.status, state.reason)
        const job = this.#open(state.job, whole, false, abort)
        return this.#atMost(job, replaced)
      },
      postponed: () => {
        live?.abandon()
        abort.abort()
        return fieldsOf('', state.status, state.reason)
      },
      abandon: () => {
        live?.abandon()
        abort.abort()
      },
    }
  }

  #open(row: TranscriptJobRow, live: Promise<Transcript> | null, late: boolean, abort = new AbortController()): Job {
    const job: Job = { row, live, abort, late, done: Promise.withResolvers(), phase: 'working', write: Promise.resolve(false) }
    this.#jobs.set(row.recordingId, job)
    void this.#work(job).catch((error: unknown) =>
      this.#options.log.error({ err: error, recordingId: row.recordingId }, 'a transcript could not be made'),
    )
    return job
  }

  async #atMost(job: Job, replaced: AbortSignal): Promise<TranscriptFields> {
    const { clock } = this.#options
    const tooLate = Promise.withResolvers<'late'>()
    const timer = clock.after(this.#options.waitMs ?? waitMs, () => tooLate.resolve('late'))
    const onReplaced = () => tooLate.resolve('late')
    replaced.addEventListener('abort', onReplaced)
    if (replaced.aborted) onReplaced()
    const known = await Promise.race([job.done.promise, tooLate.promise, this.#stopped.promise.then(() => 'late' as const)])
    timer.cancel()
    replaced.removeEventListener('abort', onReplaced)
    if (known !== 'late') return known
    // What is on its way into the store goes out with this event, where it gets there: a late one was not ordered.
    if (job.phase !== 'working' && (job.phase === 'done' || (await job.write))) return job.done.promise
    job.late = true
    return fieldsOf('', 'pending', '')
  }

  async #work(job: Job): Promise<void> {
    const { transcriber } = this.#options
    const { language, hints, recordingId } = job.row
    const began = this.#options.clock.elapsed()
    let made = job.live === null ? null : await job.live
    if ((made === null || made.status === 'failed') && !this.#over(job)) {
      made = await this.#oneAtATime(async () => {
        const found = this.#options.recordings.find(recordingId)
        if (found === undefined || this.#over(job)) return null
        return transcriber.file(found.file, { language, hints, signal: job.abort.signal })
      })
    }
    if (made === null || this.#over(job)) return
    await this.#store(job, made)
    const facts = {
      callId: job.row.callId,
      recordingId,
      status: made.status,
      engine: made.engine,
      ms: Math.round(this.#options.clock.elapsed() - began),
    }
    this.#options.log.info(facts, 'a recording was transcribed')
  }

  /** Nothing more is to be done for it now. */
  #over(job: Job): boolean {
    return this.#stopping || job.abort.signal.aborted
  }

  #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#reading.then(work)
    this.#reading = turn.catch(() => undefined)
    return turn
  }

  /** The transcript, the end of the job and the late event are one transaction, tried until it is on the disk. */
  async #store(job: Job, made: Transcript): Promise<void> {
    const { store, outbox, clock, log } = this.#options
    const { recordingId } = job.row
    const fields = fieldsOf(made.text, made.status, made.reason)
    const taken: { sequence?: number } = {}
    const write = (): Promise<void> => {
      const written = store.transaction(() => {
        const { recordings, transcriptJobs } = store.tables
        const row = recordings.get(recordingId)
        if (!transcriptJobs.remove(recordingId) || row === undefined) return
        recordings.put(recordingId, { ...row, ...fields })
        this.#options.settled?.(row.callId)
        if (job.late && job.row.url !== '') this.#enqueue(job.row, fields, taken)
      })
      job.phase = 'storing'
      job.write = written.then(
        () => true,
        () => false,
      )
      return written
    }
    const failed = (err: unknown): void => {
      job.phase = 'working'
      log.error({ err, recordingId }, 'a transcript could not be stored; trying again')
    }
    if (!(await keep(write, { clock, failed, stopped: () => this.#stopping }))) return
    job.phase = 'done'
    this.#jobs.delete(recordingId)
    job.done.resolve(fields)
    if (job.late) outbox.wake()
  }

  #enqueue(job: TranscriptJobRow, fields: TranscriptFields, taken: { sequence?: number }): void {
    const { store, outbox, clock } = this.#options
    const { calls } = store.tables
    const stored = calls.get(job.callId)
    const live = this.#options.call(job.callId)
    const row = live?.row ?? stored
    if (row === undefined) return
    const sequence = (taken.sequence ??= live?.nextSequence() ?? row.sequence + 1)
    // While a call lives its row is written by its owner, and its end only together with `call.ended`.
    if (stored !== undefined && isTerminal(stored.state)) calls.put(job.callId, { ...row, sequence })
    const content = { event: 'record.transcribed', fields: { recordingId: job.recordingId, ...fields } } as const
    const event = eventOfRow(row, sequence, clock, content)
    outbox.enqueue({ event, subject: job.callId, url: job.url, secret: job.secret, schedule: 'call' })
  }

  #cancel(recordingId: string): void {
    this.#jobs.get(recordingId)?.abort.abort()
    this.#jobs.delete(recordingId)
  }
}

function jobRow(recordingId: string, order: TranscriptOrder): TranscriptJobRow {
  const { callId, endpointId, language, hints, url, sensitive } = order
  return { recordingId, callId, language, hints: [...hints], url, secret: secretOfEndpoint(endpointId), sensitive }
}

function fieldsOf(transcript: string, transcriptStatus: TranscriptStatus, reason: string): TranscriptFields {
  const known = transcriptStatus === 'off' || transcriptStatus === 'failed'
  return { transcript, transcriptStatus, ...(known && reason !== '' ? { transcriptReason: reason } : {}) }
}
