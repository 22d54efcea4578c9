/** What somebody does with the messages of a mailbox, by keys: a pure machine. Nothing is deleted for good before the end of the visit. */

export interface VisitMessage {
  readonly id: string
  readonly heard: boolean
  /** Number of the caller; '' where it was withheld. */
  readonly from: string
  /** Whether it may be called back. */
  readonly callable: boolean
}

export interface Visit {
  /** New ones first. */
  readonly messages: readonly VisitMessage[]
  readonly deleted: ReadonlySet<string>
  /** Of the message that is being heard, or was last. -1 before the first. */
  readonly at: number
}

/** `atMs`: how far the message had been played when the key came; null where nothing was playing. */
export type VisitInput =
  /** `back`: the work outside the messages is done. */
  { readonly type: 'begin' | 'played' | 'back' } | { readonly type: 'key'; readonly key: string; readonly atMs: number | null }

export type VisitSaid =
  | 'settingsHint'
  | 'counts'
  | 'noMore'
  | 'noEarlier'
  | 'deleted'
  | 'restored'
  | 'saved'
  | 'help'
  | 'options'
  | 'noCallBack'
  | 'notCallable'
  | 'goodbye'

export interface VisitStep {
  readonly visit: Visit
  readonly said: readonly VisitSaid[]
  /** The message is played from here; `introduced`: who left it and when is said before. */
  readonly play: { readonly message: VisitMessage; readonly fromMs: number; readonly introduced: boolean } | null
  /** Has been heard. */
  readonly heard: string | null
  /** Work outside the messages, until `back`: greetings and PIN, or a copy of the message for another mailbox. */
  readonly aside: { readonly kind: 'settings' } | { readonly kind: 'forward'; readonly message: VisitMessage } | null
  readonly end: { readonly dial: string | null } | null
}

const skipMs = 5000

export function beginning(messages: readonly VisitMessage[]): Visit {
  return { messages: [...messages.filter(({ heard }) => !heard), ...messages.filter(({ heard }) => heard)], deleted: new Set(), at: -1 }
}

export function visitStep(visit: Visit, input: VisitInput): VisitStep {
  const current = visit.messages[visit.at]
  const stay = (...said: readonly VisitSaid[]): VisitStep => ({ visit, said, play: null, heard: null, aside: null, end: null })
  switch (input.type) {
    case 'begin':
      return visit.messages.length === 0 ? stay('counts', 'settingsHint') : goTo(visit, 0, ['counts'])
    case 'back':
      return stay(current === undefined ? 'settingsHint' : 'options')
    case 'played':
      return { ...stay('options'), heard: current?.id ?? null }
    case 'key':
      // A caller who presses a key has heard enough.
      return { ...pressed(visit, current, input.key, input.atMs, stay), heard: input.atMs === null ? null : (current?.id ?? null) }
  }
}

function pressed(
  visit: Visit,
  current: VisitMessage | undefined,
  key: string,
  atMs: number | null,
  stay: (...said: readonly VisitSaid[]) => VisitStep,
): VisitStep {
  if (key === '#') return { ...stay('goodbye'), end: { dial: null } }
  if (key === '*') return { ...stay(), aside: { kind: 'settings' } }
  if (current === undefined) return stay('settingsHint')
  const again = (fromMs: number, introduced: boolean): VisitStep => ({ ...stay(), play: { message: current, fromMs, introduced } })
  switch (key) {
    case '1':
      return again(Math.max(0, (atMs ?? 0) - skipMs), false)
    case '3':
      return atMs === null ? stay('options') : again(atMs + skipMs, false)
    case '2':
      if (!current.callable) return stay(current.from === '' ? 'noCallBack' : 'notCallable')
      return { ...stay(), end: { dial: current.from } }
    case '4':
      return goTo(visit, visit.at - 1)
    case '5':
      return again(0, true)
    case '6':
      return goTo(visit, visit.at + 1)
    case '7': {
      const deleted = new Set(visit.deleted)
      const restored = deleted.delete(current.id)
      if (!restored) deleted.add(current.id)
      return { ...stay(restored ? 'restored' : 'deleted', 'options'), visit: { ...visit, deleted } }
    }
    case '8':
      return { ...stay(), aside: { kind: 'forward', message: current } }
    case '9': {
      const deleted = new Set(visit.deleted)
      deleted.delete(current.id)
      return goTo({ ...visit, deleted }, visit.at + 1, ['saved'])
    }
    default:
      return stay('help')
  }
}

function goTo(visit: Visit, at: number, said: readonly VisitSaid[] = []): VisitStep {
  const message = visit.messages[at]
  if (message === undefined) {
    const none = at < 0 ? 'noEarlier' : 'noMore'
    return { visit, said: [...said, none, 'options'], play: null, heard: null, aside: null, end: null }
  }
  return { visit: { ...visit, at }, said, play: { message, fromMs: 0, introduced: true }, heard: null, aside: null, end: null }
}
