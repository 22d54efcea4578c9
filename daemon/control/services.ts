/**
 * What the technician's socket needs of the daemon: one interface, wired in main. Every view is a plain JSON value;
 * times are ISO 8601 UTC, durations whole seconds unless the name ends in `Ms`, sizes bytes. `pbx --json` prints these
 * views as they are, so a member that is published here stays.
 */
import type { LineStatus } from '../../drivers/line.ts'
import type { CallbackState } from '../schema/states.ts'
import type { CallLeg } from '../schema/voice-api.ts'
import type { AuditServicesView } from './audit-services.ts'
import type { FaxServicesView, ModemServicesView } from './fax-services.ts'
import type { InboxServicesView } from './inbox-services.ts'
import type { LimitsServicesView } from './limits-services.ts'
import type { MailServicesView } from './mail-services.ts'
import type { ReminderServicesView } from './reminder-services.ts'
import type { SmsServicesView } from './sms-services.ts'
import type { StoredServicesView } from './stored-services.ts'

export type * from './audit-services.ts'
export type * from './fax-services.ts'
export type * from './inbox-services.ts'
export type * from './limits-services.ts'
export type * from './mail-services.ts'
export type * from './reminder-services.ts'
export type * from './sms-services.ts'
export type * from './stored-services.ts'

/** A part of the daemon, as in `GET /readyz`. */
export interface PartView {
  readonly name: string
  readonly ok: boolean
  /** Why it is not well; when it is, a fact worth knowing or ''. */
  readonly reason: string
}

/** Something the technician should act on, with the command (or the line of configuration) that mends it. */
export interface WarningView {
  readonly text: string
  readonly fix: string
}

/** One queue of work that waits: callbacks, calls to be placed. */
export interface QueueView {
  readonly name: string
  readonly waiting: number
  readonly oldestAt: string | null
  /** Given up; only a person can send them again. */
  readonly dead: number
}

export type LineView = LineStatus

/** A source of wrong passwords that is ignored. */
export interface BanView {
  /** An IPv4 address, or an IPv6 network of 64 bits. */
  readonly address: string
  /** Left. */
  readonly seconds: number
  readonly failures: number
}

export interface StatusView {
  readonly version: string
  readonly pid: number
  readonly startedAt: string
  readonly uptimeSeconds: number
  readonly ready: boolean
  /** Stopping: calls in progress go on, new ones are refused. */
  readonly draining: boolean
  readonly configFile: string | null
  readonly addresses: { readonly http: string | null; readonly sip: readonly string[] }
  readonly parts: readonly PartView[]
  readonly lines: readonly LineView[]
  readonly calls: { readonly active: number; readonly queued: number; readonly sinceStart: number }
  readonly queues: readonly QueueView[]
  readonly disk: { readonly dir: string; readonly usedBytes: number; readonly freeBytes: number }
  /** `synchronised` is null where the system does not say. */
  readonly clock: { readonly now: string; readonly timeZone: string; readonly synchronised: boolean | null }
  readonly memory: { readonly daemonBytes: number; readonly engineBytes: number | null }
  readonly warnings: readonly WarningView[]
}

export interface CallView {
  readonly callId: string
  readonly direction: 'inbound' | 'outbound'
  /** Call state, such as `in-progress`, and what it is doing in it, such as `app` or `recording`. */
  readonly state: string
  readonly activity: string
  readonly from: string
  readonly to: string
  readonly trunkId: string
  /** Voice endpoint that drives it; '' where none does. */
  readonly endpoint: string
  readonly startedAt: string
  readonly answeredAt: string | null
  readonly endedAt: string | null
  readonly talkSeconds: number
  /** '' while the call lives. */
  readonly endReason: string
  /** Those with whom it was to be connected; left out where there was nobody. */
  readonly legs?: readonly CallLeg[]
}

/** One thing that happened in a call. `text` is complete for a person; `data` holds more of it for a program. */
export interface TraceEntryView {
  readonly at: string
  /** Milliseconds since the call began. */
  readonly ms: number
  /** `event`, `document`, `verb`, `key`, `prompt`, `state`, `warning`, `error`, `leg`; a kind that is not known is shown as it is. */
  readonly kind: string
  readonly text: string
  readonly data?: unknown
}

export interface TraceView {
  readonly call: CallView
  readonly entries: readonly TraceEntryView[]
}

export interface CallbackView {
  readonly eventId: string
  /** Event, such as `call.ended`. */
  readonly kind: string
  /** Id of what it reports: a callId. */
  readonly subject: string
  readonly url: string
  readonly state: CallbackState
  readonly attempts: number
  readonly createdAt: string
  readonly nextAttemptAt: string | null
  /** Outcome of the last attempt: a status or the error's text; '' before the first. */
  readonly lastResult: string
}

export interface CallbackDetailView extends CallbackView {
  readonly lastAttemptAt: string | null
  /** The exact bytes that are sent; '' once delivered. */
  readonly body: string
}

export interface TokenView {
  readonly name: string
  readonly scopes: readonly string[]
  /** Null for one of the configuration. */
  readonly createdAt: string | null
  readonly source: 'config' | 'store'
  /** Voice endpoints and mailboxes it is restricted to; both null for one that is not. */
  readonly endpoints: readonly string[] | null
  readonly mailboxes: readonly string[] | null
  readonly expiresAt: string | null
  /** To about a minute; null before the first. */
  readonly lastUsedAt: string | null
  /** Where the last request came from; '' before the first. */
  readonly lastAddress: string
}

export interface NewToken {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresInDays?: number
  /** With either, the token reaches these alone. */
  readonly endpoints?: readonly string[]
  readonly mailboxes?: readonly string[]
}

export interface SimulateOptions {
  readonly from: string
  readonly to: string
  /** Keys pressed, one group for each gather or record in turn; a group may hold several keys (`12#`). */
  readonly keys: readonly string[]
  /** What the caller says where speech is expected; '' for silence. */
  readonly say: string
  /** Factor on the simulated audio clock: 1 is real time, 20 is twenty times as fast. */
  readonly speed: number
}

/** What happens in the simulated call, as it happens; `ended` is the last. */
export type SimulateEvent =
  | { readonly type: 'started'; readonly callId: string }
  | { readonly type: 'trace'; readonly entry: TraceEntryView }
  | { readonly type: 'ended'; readonly endReason: string; readonly talkSeconds: number }

export interface CheckView {
  readonly name: string
  readonly level: 'ok' | 'warning' | 'failure'
  readonly text: string
  /** What to do; '' when all is well. */
  readonly fix: string
}

export interface SpeechRoleView {
  /** `call`, `recording`, `voice`, `detector`. */
  readonly role: string
  /** Id of the model or engine that serves; '' for none. */
  readonly engine: string
  /** `closed` understands only what a gather expects; `none` for nobody. Of recognisers only. */
  readonly vocabulary?: 'open' | 'closed' | 'none'
  /** Why this one, or why none. */
  readonly why: string
  /** What would make it better, such as a model to install; '' when nothing. */
  readonly fix: string
}

export interface SpeechProcessView {
  readonly name: string
  /** `running`, `starting`, `idle` (started when it is needed), `waiting` (before a restart), `off`. */
  readonly state: string
  readonly pid: number | null
  readonly memoryBytes: number | null
  readonly limitBytes: number
  readonly restarts: number
  /** Of the last end; '' when it has not ended. */
  readonly reason: string
}

export interface SpeechView {
  readonly roles: readonly SpeechRoleView[]
  readonly processes: readonly SpeechProcessView[]
  /** Engines that speak a language, the preferred one first. */
  readonly voices: readonly { readonly language: string; readonly engines: readonly string[] }[]
  /** Installed, but not used. */
  readonly leftOut: readonly { readonly id: string; readonly reason: string; readonly fix: string }[]
  readonly problems: readonly WarningView[]
}

export interface SayRequest {
  readonly text: string
  readonly voice?: string
  readonly language?: string
  readonly rate?: number
}

export interface SaidView {
  /** RIFF/WAVE: 8 kHz, mono, signed 16 bit. */
  readonly wav: Buffer
  /** Who spoke; several when one could not say everything. */
  readonly engine: string
  /** Until the first sound was there, and until all was. */
  readonly firstMs: number
  readonly ms: number
  readonly seconds: number
  readonly warnings: readonly string[]
}

export interface TranscribeOptions {
  /** BCP 47; the box's own language when absent. */
  readonly language?: string
  readonly hints: readonly string[]
}

export interface TranscriptView {
  readonly status: 'done' | 'empty' | 'off' | 'failed'
  readonly text: string
  /** '' when done; `model-missing`, `switched-off`, ... */
  readonly reason: string
  /** Id of the recogniser; '' when none worked. */
  readonly engine: string
  readonly ms: number
}

export interface SpeechServices {
  view(): SpeechView | Promise<SpeechView>
  /** Rejects with ApiError when nobody can speak. */
  say(request: SayRequest): Promise<SaidView>
  /** Whether a file would be transcribed now: asked before it is sent. */
  transcribes(language: string | undefined): { readonly ok: boolean; readonly reason: string }
  /** Folder for the files of `transcribe`; made by the service. */
  readonly uploads: string
  /** Never rejects. `onProgress`: milliseconds of audio done, of how many. */
  transcribe(
    file: string,
    options: TranscribeOptions,
    onProgress: (doneMs: number, totalMs: number) => void,
    signal: AbortSignal,
  ): Promise<TranscriptView>
  /** Looks at the installed models again; resolves when what was found serves. */
  reload(): Promise<void>
}

export interface ControlServices {
  status(): StatusView | Promise<StatusView>
  readonly calls: {
    /** Live calls; with `all` the latest ended ones too, newest first, at most `limit`. */
    list(options: { all: boolean; limit: number }): readonly CallView[]
    show(callId: string): CallView | undefined
    trace(callId: string): TraceView | undefined
  }
  lines(): readonly LineView[]
  readonly bans: {
    /** The latest first. */
    list(): Promise<readonly BanView[]>
    /** False when the address was not banned. */
    lift(address: string): Promise<boolean>
  }
  readonly callbacks: {
    list(options: { state?: CallbackState; limit: number }): readonly CallbackView[]
    show(eventId: string): CallbackDetailView | undefined
    /** Makes it due now; false when there is none with that id or it is already delivered. */
    retry(eventId: string, alongside: () => void): Promise<boolean>
  }
  readonly tokens: {
    /**
     * The one time the token is shown: only its sha256 is kept. `alongside`, here and below, runs in the transaction. Rejects with
     * ApiError `validation_failed` when the name is taken, or an endpoint or mailbox is not known.
     */
    create(token: NewToken, alongside: () => void): Promise<{ token: string; view: TokenView }>
    list(): readonly TokenView[]
    /** False when the store holds no token of that name. */
    revoke(name: string, alongside: () => void): Promise<boolean>
  }
  /** Runs one call through the whole voice path on the simulated line; resolves when it is over. `signal` hangs up. */
  simulate(options: SimulateOptions, onEvent: (event: SimulateEvent) => void, signal: AbortSignal): Promise<void>
  readonly audit?: AuditServicesView
  readonly faxes?: FaxServicesView
  readonly reminders?: ReminderServicesView
  readonly inbox?: InboxServicesView
  readonly limits?: LimitsServicesView
  readonly mail?: MailServicesView
  readonly modems?: ModemServicesView
  readonly sms?: SmsServicesView
  readonly stored?: StoredServicesView
  doctor(): Promise<readonly CheckView[]>
  readonly speech: SpeechServices
}
