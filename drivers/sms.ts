/**
 * What carries text messages is to the daemon: a GSM modem, an SMPP account, a SIP trunk, a provider with an HTTP API. The
 * daemon queues, splits, retries and reassembles; a driver moves one text or one part and says honestly what became of it.
 * A driver imports nothing of the daemon.
 */

export type SmsEncoding = 'GSM-7' | 'UCS-2'

/** One text, split so that no character is cut. */
export interface OutboundText {
  /** Same on every attempt; what a provider with idempotency is given. */
  readonly messageId: string
  /** E.164 with +, or a short code. */
  readonly to: string
  /** Number of the trunk; '' where it has none of its own. */
  readonly from: string
  readonly body: string
  readonly encoding: SmsEncoding
  /** The body in parts, one for a short text. A trunk that takes whole texts sends `body`. */
  readonly segments: readonly string[]
  /** Joins the parts (3GPP TS 23.040 9.2.3.24.8): 0 to 65535, same on every attempt. */
  readonly reference: number
  /** How long the network may try, counted from now. */
  readonly validitySeconds: number
  /** By part: the network's reference where an earlier attempt got it accepted, otherwise null. Such a part is not sent again. */
  readonly accepted: readonly (string | null)[]
}

/** What became of an attempt. `accepted` names what the network took, by part (one entry where the trunk takes whole texts). */
export type SmsOutcome =
  | { readonly kind: 'accepted'; readonly accepted: readonly (string | null)[] }
  /** Not sent, certainly; worth another attempt later. */
  | {
      readonly kind: 'temporary'
      readonly text: string
      readonly retryAfterSeconds?: number
      readonly accepted: readonly (string | null)[]
    }
  /** Not sent, and never will be. `text` is for a person. */
  | { readonly kind: 'refused'; readonly text: string; readonly code: string; readonly accepted: readonly (string | null)[] }
  /** The answer was lost: it may have been sent, or may not. Not repeated by itself. */
  | { readonly kind: 'unknown'; readonly text: string; readonly accepted: readonly (string | null)[] }

/** What the network said later of a part it had accepted (status report, delivery receipt). */
export interface SmsReport {
  /** As in SmsOutcome. */
  readonly reference: string
  /** The recipient, where the report names it; '' otherwise. References of a modem repeat, so both count. */
  readonly to: string
  readonly state: 'delivered' | 'buffered' | 'failed' | 'expired'
  /** For a person; '' when delivered. */
  readonly text: string
  readonly at: number
}

/** A text, or one part of one, from outside. */
export interface InboundText {
  /** As the network gave it: E.164 where it said so, a short code, or a name of letters. */
  readonly from: string
  /** The number it was sent to, where the network names it; otherwise that of the trunk. */
  readonly to: string
  readonly body: string
  readonly encoding: SmsEncoding
  /** When the network took it (service centre time stamp), milliseconds since the epoch; null where it did not say. */
  readonly sentAt: number | null
  /** Unique at the provider, where there is such a thing; '' otherwise. */
  readonly providerId: string
  /** Of a text in parts: which one, counted from 1. */
  readonly part?: { readonly reference: number; readonly total: number; readonly index: number }
  /** Of a part: its bytes as they came (sms-content.ts), since a character may begin in one part and end in the next. */
  readonly coded?: { readonly alphabet: string; readonly bytes: Uint8Array }
  /** Pictures and other files that came with it, for the daemon to fetch. */
  readonly media?: readonly InboundMedia[]
  /** What else came with it, in words: a place, a button, a subject. Each is shown behind the body, and none is a word of the sender. */
  readonly besides?: readonly string[]
}

export interface InboundMedia {
  /** Where it is; '' where nobody can say, `reason` says why. */
  readonly url: string
  /** As the provider calls it; '' where it does not. */
  readonly contentType: string
  readonly reason?: string
}

/** How a file of a provider is asked for. */
export interface MediaAccess {
  /** The provider is where the configuration says: its addresses may be those of this house. */
  readonly own: boolean
  /** With the account's secret where the address is that of the provider's interface, and nowhere else. */
  readonly headers: Readonly<Record<string, string>>
}

export interface SmsTrunkHandlers {
  /** Resolves when it is durable: only then is it taken from the SIM, or acknowledged to the network. */
  received(text: InboundText): Promise<void>
  /** Resolves when it is durable. */
  report(report: SmsReport): Promise<void>
  /** Whether a text of this trunk has that reference, of any time. */
  knows?(reference: string): boolean
  statusChanged(): void
}

export interface SmsTrunkStatus {
  readonly ok: boolean
  /** `starting`, `ready`, `no-device`, `no-sim`, `pin-needed`, `searching`, `refused`, `unreachable`, `stopped`, ... */
  readonly state: string
  /** For a person; '' when ready. */
  readonly text: string
  readonly since: number
  /** Such as operator, signal (dBm), model, system. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

export interface SmsTrunk {
  readonly id: string
  /** `modem`, `smpp`, `sip`, `http`, `sim`. */
  readonly kind: string
  /** E.164; '' where it is not configured. */
  readonly number: string
  /** Texts it takes at once. */
  readonly window: number
  /** Whether a text of the GSM alphabet can be sent in that of the network; where it cannot, it goes in UCS-2. Absent: always. */
  readonly fits?: (text: string) => boolean
  start(handlers: SmsTrunkHandlers): void
  /** Texts under way get a moment to end. */
  stop(): Promise<void>
  /** Never rejects. `signal`: the daemon stops; what is not written to the network yet comes back as temporary. */
  send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome>
  /** Where the network can be asked what became of a text whose answer was lost. */
  readonly lookUp?: (text: OutboundText, signal: AbortSignal) => Promise<SmsOutcome>
  /** Of a provider whose texts bring files. */
  readonly mediaAccess?: (url: URL) => MediaAccess
  status(): SmsTrunkStatus
}

/** What every driver of text messages needs of the daemon. */
export interface SmsTrunkLog {
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}

/** How far a list of texts was read, on the disk of the box: it outlives a restart. */
export interface SmsPlace {
  /** Milliseconds since the epoch, by the provider's clock where it gave one; null before the first time. */
  get(): number | null
  /** Resolves when it is durable. */
  keep(at: number): Promise<void>
}

/** A request of a provider to the box's web port: a text or a receipt. */
export interface ProviderRequest {
  readonly method: string
  /** The address as the provider called it, with its query: some signatures cover it. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** A trunk whose provider calls the box. */
export interface WebhookTrunk extends SmsTrunk {
  /** Never rejects; `status` and `body` are the answer. Not signed, or signed wrongly: 403. */
  webhook(request: ProviderRequest): Promise<{ readonly status: number; readonly type: string; readonly body: string }>
}
