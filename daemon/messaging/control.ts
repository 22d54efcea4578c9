/** What the technician's socket does with texts. */
import { isoTime } from '../clock.ts'
import { ApiError } from '../errors.ts'
import { idPattern } from '../ids.ts'
import type { SmsState } from '../store/tables.ts'
import type { TextTrunkView } from './condition.ts'
import type { Messaging } from './messaging.ts'
import { textSummary, textView, type TextAnswer } from './view.ts'

type Summary = ReturnType<typeof textSummary>
type View = ReturnType<typeof textView>

export interface SuppressedView {
  readonly number: string
  readonly since: string
  readonly by: string
}

export interface SmsControl {
  /** `alongside`, here and below, runs in the transaction of what is written. */
  send(request: { to: readonly string[]; text: string }, alongside: (messageIds: readonly string[]) => void): Promise<TextAnswer>
  /** Newest first. */
  list(options: { state?: string; limit: number }): readonly Summary[]
  /** `idOrPart`: an id, a part of it that no other has, or `last`. Throws ApiError `message_unknown`. */
  show(idOrPart: string): View
  trunks(): readonly TextTrunkView[]
  readonly stopList: {
    list(): readonly SuppressedView[]
    /** Throws ApiError `number_invalid`. */
    add(number: string, alongside: () => void): Promise<SuppressedView>
    /** False where it was not on the list. */
    remove(number: string, alongside: () => void): Promise<boolean>
  }
}

/** Rows looked at for a part of an id. */
const searched = 1000

export function smsControl({ desk, queue, suppression, trunks }: Messaging): SmsControl {
  const suppressedView = ({ number, since, by }: { number: string; since: number; by: string }): SuppressedView => ({
    number,
    since: isoTime(since),
    by,
  })
  return {
    send: ({ to, text }, alongside) =>
      desk.submit({ to, message: text }, ({ messages }) => alongside(messages.flatMap(({ messageId }) => messageId ?? []))),
    list: ({ state, limit }) =>
      queue.list({ limit, ...(state === undefined ? {} : { state: state as SmsState }) }).rows.map((row) => textSummary(row)),
    show(text) {
      const exact = idPattern.test(text) ? queue.find(text) : undefined
      if (exact !== undefined) return textView(exact)
      const { rows } = queue.list({ limit: text === 'last' ? 1 : searched })
      const found = text === 'last' ? rows : rows.filter(({ messageId }) => text.length >= 4 && messageId.includes(text))
      if (found.length === 1) return textView(found[0]!)
      const none = found.length === 0
      throw new ApiError(
        'message_unknown',
        none ? `There is no text ${text}: see "pbx sms list".` : `More than one text has ${text} in its id.`,
      )
    },
    trunks,
    stopList: {
      list: () => suppression.list().map(suppressedView),
      add: async (number, alongside) => suppressedView(await suppression.add(number, alongside)),
      remove: (number, alongside) => suppression.remove(number, alongside),
    },
  }
}
