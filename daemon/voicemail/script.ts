/** What a mailbox says, and in what order: a pure machine over the events of the call. */
import type { CallEvent } from '../schema/events.ts'
import type { MailboxConfig } from '../schema/config.ts'
import type { Wording } from '../words/words.ts'

/** Where the caller is. `second`: what was said was too short, and is asked for once more. */
export type Stage = 'greeting' | 'operator' | 'recording' | 'second' | 'end'

/** What is to be done before the document is heard. */
export type Effect =
  { readonly kind: 'begin' } | { readonly kind: 'keep'; readonly recordingId: string; readonly durationMs: number } | null

export interface Step {
  readonly stage: Stage
  readonly document: readonly unknown[]
  readonly effect: Effect
}

/** A shorter message is a caller who hung up, or cleared his throat. */
export const leastMs = 2000
/** Of silence: the caller has said it all, or nothing. */
const silenceSeconds = 10
const operatorSeconds = 30

export interface Mailbox extends MailboxConfig {
  readonly words: Wording
  /** Whose it is, as callers hear it. */
  readonly owner: string
  /** Name of the prompt that is the greeting; null where it is said. */
  readonly prompt: string | null
  /** The disk has no room for a message. */
  readonly full: boolean
}

export function greetingOf({ greeting, owner, words }: Pick<Mailbox, 'greeting' | 'owner' | 'words'>): string {
  return typeof greeting === 'string' ? greeting : words.mailbox.greeting(owner)
}

/** What comes after `event`; null: it is no concern of the mailbox. */
export function next(box: Mailbox, stage: Stage, event: CallEvent): Step | null {
  switch (event.event) {
    case 'call.inbound.pre_route':
      if (box.full) return { stage: 'end', effect: null, document: says(box, 'full') }
      return { stage: 'greeting', effect: null, document: greet(box) }
    case 'gather.completed':
      if (event.reason === 'hangup') return { stage: 'end', effect: null, document: [] }
      if (event.digits === '0' && box.operator !== undefined)
        return { stage: 'operator', effect: null, document: callOperator(box.operator) }
      return { stage: 'recording', effect: { kind: 'begin' }, document: [listen(box)] }
    case 'route.completed':
      return { stage: 'recording', effect: { kind: 'begin' }, document: [...says(box, 'afterTone'), listen(box)] }
    case 'record.completed':
      return recorded(box, stage, event)
    default:
      return null
  }
}

function recorded(box: Mailbox, stage: Stage, event: CallEvent & { event: 'record.completed' }): Step {
  const { recordingId, durationMs, reason } = event
  if (reason === 'error') return { stage: 'end', effect: keep(event), document: says(box, 'notRecorded') }
  // A caller who said nothing has left a file of silence.
  const spoken = recordingId !== '' && durationMs >= leastMs && reason !== 'timeout'
  if (spoken) return { stage: 'end', effect: keep(event), document: says(box, 'saved', 'goodbye') }
  if (reason === 'hangup' || stage === 'second') return { stage: 'end', effect: null, document: says(box, 'goodbye') }
  return { stage: 'second', effect: { kind: 'begin' }, document: [...says(box, 'afterTone'), listen(box)] }
}

function keep({ recordingId, durationMs }: CallEvent & { event: 'record.completed' }): Effect {
  return recordingId === '' ? null : { kind: 'keep', recordingId, durationMs }
}

type Phrase = Exclude<keyof Wording['mailbox'], 'extension' | 'greeting'>

const say = ({ words: { language } }: Mailbox, text: string) => ({ say: { text, language } })
const says = (box: Mailbox, ...spoken: Phrase[]) => spoken.map((name) => say(box, box.words.mailbox[name]))

/** Any key goes on to the tone. */
const greet = (box: Mailbox) => [
  box.prompt === null ? say(box, greetingOf(box)) : { play: { prompt: box.prompt } },
  { gather: { input: 'dtmf', numDigits: 1, timeout: 0, bargeIn: 'dtmf' } },
]

const callOperator = (operator: string) => [{ route: { to: operator, timeout: operatorSeconds } }]

function listen({ maxSeconds, transcribe }: Mailbox): unknown {
  return { record: { maxSeconds, transcribe, finishOnKey: '#', silenceTimeout: silenceSeconds, initialTimeout: silenceSeconds } }
}
