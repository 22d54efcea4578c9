/**
 * Voicemail: takes calls for a mailbox, records what is said, and brings it into the inbox. A message has a row from before its first
 * sample: what was said is kept whenever the daemon dies.
 */
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import { isTerminal } from '../calls/state.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { ApplicationRunner } from '../routing/application.ts'
import type { TakeRequest } from '../routing/destinations.ts'
import { answered, type Taken } from '../routing/taken.ts'
import type { Config } from '../schema/config.ts'
import { mailboxOf } from '../schema/config/mailboxes.ts'
import type { CallEvent } from '../schema/events.ts'
import type { Store } from '../store/store.ts'
import type { VoicemailRow } from '../store/tables.ts'
import { transcriptLater } from '../voice/inputs.ts'
import type { InternalApplication } from '../voice/internal.ts'
import type { Recordings } from '../voice/recordings.ts'
import { words, type Wording } from '../words/words.ts'
import type { Greetings } from './greetings.ts'
import { Publisher, type PublisherOptions } from './publisher.ts'
import { next, type Effect, type Mailbox, type Stage } from './script.ts'

export const applicationName = 'voicemail'
/** Prefix of the names of prompts that are greetings. */
export const greetingPrompts = 'greeting'

export interface VoicemailOptions extends Omit<PublisherOptions, 'recordings' | 'language'> {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly calls: Pick<Calls, 'get'>
  readonly recordings: Pick<Recordings, 'find' | 'handOver' | 'begun' | 'adopt' | 'remove'>
  readonly greetings: Pick<Greetings, 'prompt'>
  /** Bytes that can still be written below `storage.dir`. */
  readonly freeBytes: () => number
  /** Ends the recording of a conversation that the caller had before. */
  readonly talkOver: (call: Call) => void
  /** Drives calls; shares them with fax machines. */
  readonly applications: Pick<ApplicationRunner, 'takeOver'>
}

/** With less room nobody is asked to speak: the rest is for the store, and for a message that is being spoken. */
const leastBytes = 64 * 1024 * 1024

interface Visit {
  readonly call: Call
  readonly box: Mailbox
  stage: Stage
  /** What is being spoken. */
  message: VoicemailRow | null
}

export class Voicemail implements InternalApplication {
  readonly name = applicationName
  readonly #options: VoicemailOptions
  readonly #publisher: Publisher
  readonly #visits = new Map<string, Visit>()

  constructor(options: VoicemailOptions) {
    this.#options = options
    const { store, clock, log, inbox, recordings } = options
    this.#publisher = new Publisher({ store, clock, log, inbox, recordings, language: options.config.site.language })
  }

  get destinations(): readonly string[] {
    return this.#options.config.mailboxes.flatMap(({ operator }) => operator ?? [])
  }

  /** Messages that are not in the inbox yet. */
  get pending(): number {
    return this.#options.store.tables.voicemails.count()
  }

  /** The same of one mailbox. */
  coming(ext: string): number {
    return [...this.#options.store.tables.voicemails.range()].filter(({ value }) => value.ext === ext && value.recordingId !== '').length
  }

  /** Whether there is no room for another message. */
  get full(): boolean {
    return this.#options.freeBytes() < leastBytes
  }

  /** Takes a call for the mailbox `ext`; resolves when the caller has left it, or was called away. */
  async take(call: Call, ext: string, { signal, arrival, after }: TakeRequest): Promise<Taken> {
    const { config, applications, greetings, log } = this.#options
    const box = mailboxOf(config, ext)
    if (box === undefined) return { outcome: 'failed', sipCode: 404, text: `there is no mailbox ${ext}` }
    const greeting = await greetings.prompt(ext, after === 'busy' || after === 'refused' ? 'busy' : 'usual')
    const prompt = greeting === null ? null : `${greetingPrompts}:${greeting}`
    const { full } = this
    const wording = words(config.site.language)
    const spoken = { words: wording, owner: this.#ownerOf(ext, wording), prompt, full }
    const visit: Visit = { call, box: { ...box, ...spoken }, stage: 'greeting', message: null }
    if (full) {
      call.note('warning', `voicemail of ${ext}: the disk is nearly full, nothing is recorded`)
      log.error({ callId: call.id, ext }, 'a message was not recorded: the disk is nearly full')
    }
    this.#visits.set(call.id, visit)
    this.#options.talkOver(call)
    call.note('state', `voicemail of ${ext}`)
    try {
      await applications.takeOver(call, applicationName, signal, arrival?.faxes ?? false)
    } finally {
      // What is on its way from the recorder is waited for by the end of the call.
      void call.settled.then(() => this.#leave(visit))
      if (!call.over.aborted && !call.ending) this.#leave(visit)
    }
    return answered
  }

  async respond(event: CallEvent): Promise<readonly unknown[]> {
    const visit = this.#visits.get(event.callId)
    const step = visit === undefined ? null : next(visit.box, visit.stage, event)
    if (visit === undefined || step === null) return []
    visit.stage = step.stage
    await this.#apply(visit, step.effect)
    if (event.event === 'record.completed' && step.effect?.kind !== 'keep') await this.#drop(visit, event.recordingId)
    return step.document
  }

  /** A message whose row is durable comes into the inbox. */
  publish(message: VoicemailRow): void {
    this.#publisher.publish(message)
  }

  /** Takes up what the last run of the daemon left. After the calls, before the applications. */
  start(): void {
    const { store, log } = this.#options
    const rows = [...store.tables.voicemails.range()].map(({ value }) => value)
    for (const row of rows) {
      if (row.recordingId !== '') this.#publisher.publish(row)
      else
        void this.#adopt(row).catch((error: unknown) =>
          log.error({ err: error, callId: row.callId }, 'a voicemail that was cut off stays where it is until the next start'),
        )
    }
  }

  stop(): Promise<void> {
    return this.#publisher.stop()
  }

  #ownerOf(ext: string, { mailbox }: Wording): string {
    const { extensions } = this.#options.config
    const name = extensions.find(({ number }) => number === ext)?.name
    return name === undefined || name === '' ? mailbox.extension([...ext].join(' ')) : name
  }

  async #apply(visit: Visit, effect: Effect): Promise<void> {
    if (effect?.kind === 'begin') await this.#begin(visit)
    else if (effect?.kind === 'keep') await this.#keep(visit, effect)
  }

  async #begin(visit: Visit): Promise<void> {
    const { store, clock } = this.#options
    const { row } = visit.call
    const message: VoicemailRow = (visit.message ??= {
      id: newId(),
      ext: visit.box.ext,
      callId: row.callId,
      from: row.from,
      to: row.to,
      callerName: row.callerName,
      receivedAt: clock.now(),
      recordingId: '',
      durationMs: 0,
    })
    await store.transaction(() => store.tables.voicemails.put(message.id, message))
  }

  async #keep(visit: Visit, { recordingId, durationMs }: Effect & { kind: 'keep' }): Promise<void> {
    const { store } = this.#options
    const { message, call } = visit
    if (message === null) return
    visit.message = null
    const kept: VoicemailRow = { ...message, recordingId, durationMs }
    // It is the mailbox's, and no longer one of the call.
    call.row.recordings = call.row.recordings.filter((id) => id !== recordingId)
    call.row.voicemailId = kept.id
    await store.transaction(() => store.tables.voicemails.put(kept.id, kept))
    call.note('state', `a message of ${Math.round(durationMs / 1000)} s for the mailbox ${kept.ext}`)
    this.#publisher.publish(kept)
  }

  /** What is no message is no recording of the call either. */
  async #drop({ call }: Visit, recordingId: string): Promise<void> {
    call.row.recordings = call.row.recordings.filter((id) => id !== recordingId)
    if (recordingId !== '') await this.#options.recordings.remove(recordingId)
  }

  /** The caller has left; what was begun and said nothing leaves nothing. */
  #leave(visit: Visit): void {
    const { store, log } = this.#options
    if (this.#visits.get(visit.call.id) === visit) this.#visits.delete(visit.call.id)
    const { message } = visit
    visit.message = null
    if (message === null) return
    store
      .transaction(() => void store.tables.voicemails.remove(message.id))
      .catch((error: unknown) => log.warn({ err: error, callId: message.callId }, 'the row of no voicemail stays until the next start'))
  }

  /** A message that the end of the daemon cut off: what is on the disk of it. */
  async #adopt(row: VoicemailRow): Promise<void> {
    const { store, recordings } = this.#options
    const { calls, voicemails } = store.tables
    // Ids follow each other in time: an earlier recording, such as of a conversation, is not the mailbox's.
    const later = (id: string): boolean => id > row.id
    const begun = recordings.begun(row.callId).findLast(({ recordingId }) => later(recordingId))
    const adopted = begun === undefined ? null : await recordings.adopt(begun, transcriptLater(begun))
    // Its caller may still be there.
    const live = this.#options.calls.get(row.callId)?.row
    const of = adopted?.recordingId ?? (live ?? calls.get(row.callId))?.recordings.findLast(later)
    const found = of === undefined ? undefined : recordings.find(of)?.row
    if (found === undefined) return void (await store.transaction(() => void voicemails.remove(row.id)))
    const kept: VoicemailRow = { ...row, recordingId: found.recordingId, durationMs: found.durationMs }
    if (live !== undefined) live.recordings = live.recordings.filter((id) => id !== found.recordingId)
    await store.transaction(() => {
      voicemails.put(kept.id, kept)
      const call = calls.get(row.callId)
      if (call !== undefined && isTerminal(call.state)) {
        const others = call.recordings.filter((id) => id !== found.recordingId)
        calls.put(row.callId, { ...call, recordings: others })
      }
    })
    this.#publisher.publish(kept)
  }
}
