/** What carries out one reminder call, and what sends the accompanying text, as the planner sees them. */

export interface ReminderCallRequest {
  readonly reminderId: string
  /** Chosen by the planner, so that it is known before the call exists. */
  readonly callId: string
  /** E.164. */
  readonly number: string
  /** BCP 47. */
  readonly language: string
  /** IANA name. */
  readonly timeZone: string
  readonly customerName: string
  /** Milliseconds since the epoch. */
  readonly appointmentAt: number
  readonly serviceName: string
  readonly staffName: string
  readonly ringSeconds: number
  /** Counted from 1. */
  readonly attempt: number
  /** Name of the access token by which the reminder came; '' for none. */
  readonly token: string
}

export type ReminderCallResult =
  | {
      readonly kind: 'answer'
      readonly outcome: 'confirmed' | 'canceled' | 'reschedule' | 'opted-out'
      readonly reason: 'keypad' | 'speech'
    }
  /** Connected to the reception, which settles it with the person. */
  | { readonly kind: 'reception' }
  /** Answered, and heard to the end without a key. */
  | { readonly kind: 'no-input' }
  /** A message was left. */
  | { readonly kind: 'voicemail' }
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly text: string }
  /** No line could be had: nobody was called, so it is not an attempt. */
  | { readonly kind: 'not-placed'; readonly text: string }

export interface ReminderCallEvents {
  /** Somebody, or something, answered; `at` in milliseconds since the epoch. */
  inCall(at: number): void
  /** A key or word that decides. Resolves when it is durable: only then is it confirmed to the person. Rejects where it cannot be kept. */
  decided(outcome: string, reason: string): Promise<void>
}

/** A channel that is held for one reminder call. */
export interface ReminderLine {
  /** Inside the store transaction that moves the reminder to `dialing`: the call's row is written with it. */
  prepare(request: ReminderCallRequest): void
  /** After the commit. Never rejects. `signal`: the call is no longer wanted. */
  call(request: ReminderCallRequest, events: ReminderCallEvents, signal: AbortSignal): Promise<ReminderCallResult>
  /** Gives the channel back where no call was made of it; does nothing afterwards. */
  release(): void
}

export interface ReminderCaller {
  /** A channel for a call to `number` (E.164), never the last free one of the trunk; null while there is none. */
  claim(number: string): ReminderLine | null
  /** At the start: what is known, from its row, of a call that was under way when the daemon died. */
  fate(callId: string): 'never-dialed' | 'dialed' | 'answered'
}

/** The part of text messages that reminders use: `Messaging` is one. */
export interface ReminderTexts {
  /** Whether a trunk that carries texts is configured. */
  hasTrunk(): boolean
  /** `subject`: `reminder:<reminderId>`. */
  prepare(request: { readonly to: string; readonly body: string; readonly subject: string; readonly token: string }):
    | {
        /** Inside a store transaction: from its commit on the text is accepted. */
        put(): void
        /** After the commit. */
        admit(): void
      }
    | { readonly error: string }
}
