/** What is checked of a text before it is accepted, how it becomes rows of the queue, and the answer to who sent it. */
import { randomInt } from 'node:crypto'
import type { SmsTrunk } from '../../drivers/sms.ts'
import type { Ceilings } from '../ceilings/ceilings.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError, type ErrorCode } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import type { SmsAnswer } from '../schema/sms.ts'
import type { Store } from '../store/store.ts'
import type { SmsRow } from '../store/tables.ts'
import type { SmsQueue } from './queue.ts'
import { mostRecipients, recipientsOf, type GivenRecipients, type Recipient, type RecipientRules } from './recipients.ts'
import { mostSegments, splitText, type SplitText } from './segments.ts'
import { optedOut, textAnswer, type TextResult } from './view.ts'

/** Body of `POST /api/sms`. `message` wins over `text`. */
export interface SmsRequest {
  readonly to: GivenRecipients
  readonly message?: string
  readonly text?: string
}

export interface DeskOptions {
  readonly store: Store
  readonly queue: SmsQueue
  readonly clock: Clock
  readonly rules: RecipientRules
  readonly ceilings: Ceilings
  readonly suppressed: (number: string) => boolean
  readonly choose: () => SmsTrunk | undefined
  readonly smartEncoding: boolean
  readonly validityMs: number
}

/** One text of another part of the daemon, such as a reminder. */
export interface TextRequest {
  readonly to: string
  readonly body: string
  /** What it belongs to, such as the reminder's id. */
  readonly subject?: string
  /** Name of the access token by which it came; '' for none. */
  readonly token?: string
}

export interface PreparedText {
  readonly messageId: string
  /** E.164 or a short code. */
  readonly to: string
  readonly segments: number
  /** Inside the caller's store transaction: from its commit on the text is accepted. Counts, whatever the limit of the day says by then. */
  put(): void
  /** After the commit: otherwise the text is taken up by the next start only. Does nothing where nothing was committed. */
  admit(): void
}

/** `code`: no_sms_trunk, number_invalid, destination_denied, opted_out, message_too_long, validation_failed, overloaded or daily_limit. */
export interface TextRefusal {
  readonly code: string
  readonly error: string
}

/** Far above what any encoding could bring into ten parts: not worth looking at. */
const longestBody = 4000
/** How long the answer waits for trunks. */
export const answerMs = 8000

export class SmsDesk {
  readonly #options: DeskOptions
  #reference = randomInt(0x10000)

  constructor(options: DeskOptions) {
    this.#options = options
  }

  /**
   * Resolves with what became of each recipient within 8 s; what is not sent by then stays in the queue. `alongside` runs in
   * the transaction of the rows, with the answer as it is at that moment. Throws ApiError: no_sms_trunk, validation_failed,
   * message_too_long, number_invalid and destination_denied (where no recipient is left), overloaded, daily_limit. `token`: name of
   * the access token, '' for none.
   */
  async submit(request: SmsRequest, alongside: (answer: SmsAnswer) => void = () => undefined, token = ''): Promise<SmsAnswer> {
    const { queue, ceilings } = this.#options
    const trunk = this.#trunk()
    const split = this.#split(request.message ?? request.text ?? '', request.message === undefined ? '/text' : '/message', trunk)
    const recipients = this.#recipients(request.to)
    const given = recipients.map((recipient) => {
      if (recipient.to === '') return { recipient, row: null }
      return { recipient, row: this.#suppressed(recipient) ? null : this.#row(recipient, split, trunk, '') }
    })
    const rows = given.flatMap(({ row }) => (row === null ? [] : [row]))
    const answer = (now: (row: SmsRow) => SmsRow | undefined): SmsAnswer =>
      textAnswer(
        given.map(({ recipient, row }): TextResult =>
          row === null ? refusalOf(recipient) : { row: now(row) ?? row, warning: recipient.warning },
        ),
      )
    if (rows.length > 0) {
      await queue.add(rows, () => {
        ceilings.take(token, { texts: rows.length * split.segments.length })
        alongside(answer((row) => row))
      })
    }
    const settled = await Promise.all(rows.map((row) => queue.settled(row.messageId, answerMs)))
    const found = new Map(settled.flatMap((row) => (row === undefined ? [] : [[row.messageId, row] as const])))
    return answer(({ messageId }) => found.get(messageId))
  }

  /** One text, to be written in the caller's own transaction. */
  prepare({ to, body, subject = '', token = '' }: TextRequest): PreparedText | TextRefusal {
    const { queue, store, rules, ceilings } = this.#options
    try {
      const trunk = this.#trunk()
      const split = this.#split(body, '/body', trunk)
      const [recipient, ...others] = recipientsOf(to, rules)
      if (recipient === undefined || others.length > 0) return { code: 'number_invalid', error: 'Give one number.' }
      if (recipient.code !== '') return { code: recipient.code, error: recipient.error }
      if (this.#suppressed(recipient)) return optedOut
      queue.checkRoom(1)
      const texts = split.segments.length
      const tooMany = ceilings.refusal(token, { texts })
      if (tooMany !== null) throw tooMany
      const row = this.#row(recipient, split, trunk, subject)
      return {
        messageId: row.messageId,
        to: row.to,
        segments: row.segments.length,
        put: () => {
          ceilings.add(token, { texts })
          store.tables.sms.put(row.messageId, row)
        },
        admit: () => queue.admit(row.messageId),
      }
    } catch (error) {
      if (error instanceof ApiError) return { code: error.code, error: error.message }
      throw error
    }
  }

  #trunk(): SmsTrunk {
    const trunk = this.#options.choose()
    if (trunk === undefined) throw new ApiError('no_sms_trunk', 'No SMS trunk is configured.')
    return trunk
  }

  #suppressed({ to }: Recipient): boolean {
    return this.#options.suppressed(to)
  }

  #split(body: string, path: string, { fits }: SmsTrunk): SplitText {
    if (body.trim() === '') throw refused('validation_failed', '/message', 'must not be empty')
    const split = body.length > longestBody ? null : splitText(body, this.#options.smartEncoding, fits)
    if (split !== null && split.segments.length <= mostSegments) return split
    const most = split?.encoding !== 'UCS-2' ? '1530 characters' : '670 characters, because of characters that GSM-7 does not have'
    throw refused('message_too_long', path, `must have at most ${most}`)
  }

  #recipients(to: GivenRecipients): Recipient[] {
    const recipients = recipientsOf(to, this.#options.rules)
    if (recipients.length === 0) throw refused('validation_failed', '/to', 'must name a recipient')
    if (recipients.length > mostRecipients) throw refused('validation_failed', '/to', `must have at most ${mostRecipients} recipients`)
    if (recipients.some(({ code }) => code === '')) return recipients
    const code = recipients.every((recipient) => recipient.code === 'destination_denied') ? 'destination_denied' : 'number_invalid'
    const details = recipients.slice(0, 20).map(({ raw, error }) => ({ path: '/to', message: `${raw}: ${error}` }))
    throw new ApiError(code, recipients.length === 1 ? recipients[0]!.error : 'No recipient can get a text.', { details })
  }

  #row({ raw, to }: Recipient, { body, encoding, segments }: SplitText, trunk: SmsTrunk, subject: string): SmsRow {
    const now = this.#options.clock.now()
    this.#reference = (this.#reference + 1) & 0xffff
    return {
      messageId: newId(),
      rawTo: raw,
      to,
      from: trunk.number,
      body,
      encoding,
      segments: [...segments],
      reference: this.#reference,
      trunkId: trunk.id,
      state: 'queued',
      accepted: segments.map(() => null),
      reports: segments.map(() => null),
      attempts: 0,
      nextAttemptAt: null,
      createdAt: now,
      expiresAt: now + this.#options.validityMs,
      sentAt: null,
      completedAt: null,
      error: '',
      code: '',
      subject,
    }
  }
}

function refusalOf({ raw, to, code, error }: Recipient): TextResult {
  return { to: to === '' ? raw : to, ...(code === '' ? optedOut : { code, error }) }
}

function refused(code: ErrorCode, path: string, message: string): ApiError {
  return new ApiError(code, `"${path.slice(1)}" ${message}.`, { details: [{ path, message }] })
}
