/** What a verb sees of the call it runs on, and what it may answer. */
import type { Call } from '../calls/call.ts'
import type { OwnEnd } from '../calls/state.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { ClassOfService } from '../schema/config/pbx-outbound.ts'
import type { CallEventContent, CallEventName } from '../schema/events.ts'
import type { Ear } from '../speech/hearing.ts'
import type { PromptRequest } from '../speech/prompts.ts'
import type { Speaker, Utterance } from '../speech/speaker.ts'
import type { RecordingBegunRow } from '../store/tables.ts'
import type { VerbAbilities } from './verb-abilities.ts'
import type { CallGuards } from './guards.ts'
import type { PromptPart, PromptPlayer } from './prompts.ts'
import type { TakeTranscript, TranscriptOrder, TranscriptState } from './transcripts.ts'

/** The keys a caller has pressed that nobody has taken yet: what a gather with `typeAhead` begins with. */
export class TypedKeys {
  #kept: string[] = []
  #claim: ((key: string) => boolean) | null = null
  readonly #unlisten: () => void

  constructor(call: Call) {
    this.#unlisten = call.listen((signal) => {
      if (signal.type === 'digit' && this.#claim?.(signal.digit) !== true) this.#kept.push(signal.digit)
    })
  }

  /** Keys pressed since the last gather, given once. */
  take(): readonly string[] {
    return this.#kept.splice(0)
  }

  /** Gives back keys that a gather did not need. */
  giveBack(keys: string): void {
    this.#kept.unshift(...keys)
  }

  /** Keys that are `mine` serve who listens at the moment and are not kept, until the returned function is called. */
  claim(mine: (key: string) => boolean): () => void {
    this.#claim = mine
    return () => {
      if (this.#claim === mine) this.#claim = null
    }
  }

  stop(): void {
    this.#unlisten()
  }
}

/** The application a call belongs to: a configured voice endpoint, or what an originate request named. */
export interface Application {
  /** Endpoint id, or '' for a call that names its own URLs; also the name of its circuit breaker. */
  readonly id: string
  /** Lives in the daemon: its control URL names a function. */
  readonly internal: boolean
  readonly controlUrl: string
  /** Signs the requests; the secret of the endpoint, or that of callbacks for a call that belongs to none. */
  readonly secret: string
  readonly fallbackUrl: string | null
  /** Where a caller goes whom the application fails, one after the other. */
  readonly fallbackDestinations: readonly string[]
  readonly destinations: readonly string[]
  /** Which numbers outside it may forward a call to. */
  readonly classOfService: ClassOfService
  readonly waitAudio: 'none' | 'tone' | 'phrase'
  readonly timeoutMs: number
  readonly maxCallSeconds: number
  /** At the end of a document that says nothing of it the call goes on without the application; by default it ends. */
  readonly givesBack?: boolean
}

/** Audio files for `play`: the box's own prompt library and files fetched by URL. */
export interface PromptSource {
  prepare(request: PromptRequest): Utterance
}

/** What one verb plays; warnings go to the trace, those that turn out later too. */
export interface PreparedPrompt {
  readonly parts: readonly PromptPart[]
  readonly warnings: readonly string[]
  readonly late?: Promise<readonly string[]>
}

/** What the prompt verbs (say, play, pause) need to prepare what they will play. */
export interface PromptContext {
  readonly callId: string
  readonly speaker: Speaker
  readonly promptSource: PromptSource
  /** Aborted when nobody will hear it any more. */
  readonly signal: AbortSignal
}

/** Whose recording it is, and who is notified of it: kept with it from before its first sample. */
export type RecordingOrder = Omit<RecordingBegunRow, 'recordingId' | 'startedAt'>

export interface RecordingStore {
  /** A new recording: its id and the file the driver writes. Resolves when its row is durable; rejects where the disk takes nothing. */
  begin(order: RecordingOrder): Promise<{ id: string; file: string }>
  /**
   * Publishes a finished file with what is known of its transcript; resolves when both are durable. A file the driver never
   * finished is repaired or dropped (`none`). `waiting`: it can be fetched, and is stored as soon as the disk takes it.
   */
  publish(id: string, callId: string, durationMs: number, transcript: TranscriptState): Promise<'stored' | 'waiting' | 'none'>
  discard(id: string): void
}

/** An event of the call, and where it goes. */
export type Question<N extends CallEventName = CallEventName> = CallEventContent<N> & {
  readonly url: string
  /** Values of keys and speech stay out of the trace. */
  readonly sensitive?: boolean
}

export interface VerbCall extends VerbAbilities {
  readonly call: Call
  readonly clock: Clock
  readonly log: Log
  /** URL that returned this document: the default `actionUrl`. */
  readonly documentUrl: string
  /** Aborted on hang-up, and when the document is replaced. */
  readonly signal: AbortSignal
  /** Aborted when the document is replaced while the caller is there. */
  readonly replaced: AbortSignal
  /** Prompts that stand before this verb and have not been played. */
  readonly prompts: PromptPlayer
  /** Plays them to the end; false when the call ended or the document was replaced. */
  playPrompts(): Promise<boolean>
  /** Of an application that lives in the daemon. */
  readonly internal: boolean
  readonly keys: TypedKeys
  readonly recordings: RecordingStore
  /** The row of a recording of this call whose event goes to `url`. */
  recordingOrder(order: Pick<RecordingOrder, 'url' | 'sensitive' | 'transcript'>): RecordingOrder
  /** Understands the caller; null where nobody can. */
  readonly ear: Ear | null
  /** Language of the site, BCP 47. */
  readonly language: string
  /** Begins the transcript of a recording that is about to be made. */
  transcript(order: Pick<TranscriptOrder, 'language' | 'hints' | 'url' | 'sensitive'>): TakeTranscript
  /** Sends an event whose answer does not matter; resolves whether it was taken. */
  tell(event: Question): Promise<boolean>
  /** Until it is stopped the caller, who waits, hears now and then that the call goes on. */
  keepCompany(): { stop(): Promise<void> }
  readonly guards: CallGuards
}

export type VerbOutcome =
  /** The next verb of the document runs. Where there is none the call ends, or, with `failure`, the failure policy decides. */
  | { readonly kind: 'next'; readonly failure: string }
  /** Nothing more in this document: ask for the next one. */
  | { readonly kind: 'ask'; readonly question: Question }
  /** The same, from another address: with how many of these came in a row. */
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'hangup'; readonly own: OwnEnd; readonly sipCode?: number; readonly cause?: number }
  /** The application cannot be followed: the failure policy decides. */
  | { readonly kind: 'fail'; readonly message: string }
  /** The document was replaced, or the call ended with nothing to report. */
  | { readonly kind: 'stop' }
