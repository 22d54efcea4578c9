/** What a notice says: who, when, how much, for whom. What a person said or wrote stands in it only where that is configured. */
import type { InboxFaxRow, InboxSmsRow, InboxVoicemailRow } from '../store/tables.ts'
import { words, type Wording } from '../words/words.ts'

export interface NoticeText {
  readonly subject: string
  /** All there is to say. */
  readonly text: string
  /** The same in as few words as a telephone shows. */
  readonly brief: string
}

export interface NoticeSetting {
  /** Of the site: BCP 47, IANA. */
  readonly language: string
  readonly timeZone: string
  /** For whom it is, as people know it, such as `Front desk (101)`. */
  readonly for: string
  /** Whether what was said or written stands in the mail. */
  readonly content: boolean
  /** A file was to be attached and cannot be. */
  readonly tooLarge: boolean
}

export type VoicemailFacts = Pick<
  InboxVoicemailRow,
  'from' | 'callerName' | 'receivedAt' | 'durationSeconds' | 'transcript' | 'transcriptStatus'
>
export type FaxFacts = Pick<InboxFaxRow, 'from' | 'callerName' | 'receivedAt' | 'pages' | 'status'>
export type TextFacts = Pick<InboxSmsRow, 'from' | 'body' | 'receivedAt' | 'media'> & {
  /** The picture that was to be attached could not be fetched. */
  readonly pictureLost?: boolean
}

export interface MissedFacts {
  readonly from: string
  readonly callerName: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Names that fill a text message say no more. */
const longestName = 60
/** So many calls are listed one by one. */
const mostListed = 50

interface Lines {
  /** What arrived, and for whom. */
  readonly first: string
  /** Who sent it, where that is one. */
  readonly from?: string
  /** They follow who sent it, and are all of a text message. */
  readonly others: readonly string[]
  /** In a mail alone. */
  readonly more: readonly string[]
}

/** How a notice is written in the language and the time of the site. */
class Hand {
  readonly words: Wording['notices']
  readonly #setting: NoticeSetting
  readonly #language: string

  constructor(setting: NoticeSetting) {
    const { notices, language } = words(setting.language)
    this.words = notices
    this.#setting = setting
    this.#language = language
  }

  caller({ from, callerName = '' }: { readonly from: string; readonly callerName?: string }): string {
    const who = [callerName.slice(0, longestName).trim(), from].filter((part) => part !== '').join(', ')
    return who === '' ? this.words.withheld : who
  }

  time(at: number): string {
    const form = { timeZone: this.#setting.timeZone, dateStyle: 'medium', timeStyle: 'short' } as const
    return new Intl.DateTimeFormat(this.#language, form).format(at).replaceAll(/\s/g, ' ')
  }

  notice({ first, from, others, more }: Lines): NoticeText {
    const { by, for: whom, from: sender } = this.words
    const lines = [...(from === undefined ? [] : [sender(from)]), ...others]
    return {
      subject: from === undefined ? first : `${first}${by(from)}`,
      text: `${[whom(this.#setting.for), ...lines, ...more].join('\n')}\n`,
      // What it is names for whom it is already.
      brief: [first, ...lines].join('. '),
    }
  }
}

export function voicemailWords(message: VoicemailFacts, setting: NoticeSetting): NoticeText {
  const hand = new Hand(setting)
  const { voicemail, when, length, tooLarge, transcript, noTranscript } = hand.words
  const more = setting.tooLarge ? ['', tooLarge] : []
  // Nothing is said of a transcript that was not to be made.
  if (setting.content && message.transcriptStatus !== 'off')
    more.push('', transcript, message.transcript === '' ? noTranscript : message.transcript)
  const others = [when(hand.time(message.receivedAt)), length(lengthOf(message.durationSeconds))]
  return hand.notice({ first: voicemail(setting.for), from: hand.caller(message), others, more })
}

export function faxWords(fax: FaxFacts, setting: NoticeSetting): NoticeText {
  const hand = new Hand(setting)
  const { fax: first, when, pages, incomplete, faxTooLarge } = hand.words
  const others = [when(hand.time(fax.receivedAt)), pages(fax.pages), ...(fax.status === 'partial' ? [incomplete] : [])]
  return hand.notice({ first: first(setting.for), from: hand.caller(fax), others, more: setting.tooLarge ? ['', faxTooLarge] : [] })
}

export function textWords(text: TextFacts, setting: NoticeSetting): NoticeText {
  const hand = new Hand(setting)
  const { text: first, when, pictures, pictureTooLarge, pictureLost, body } = hand.words
  const count = text.media?.length ?? 0
  const others = [when(hand.time(text.receivedAt)), ...(count > 0 ? [pictures(count)] : [])]
  const missing = setting.tooLarge ? ['', pictureTooLarge] : text.pictureLost === true ? ['', pictureLost] : []
  const more = [...missing, ...(setting.content ? ['', body, text.body] : [])]
  return hand.notice({ first: first(setting.for), from: hand.caller(text), others, more })
}

/** @param calls the oldest first, at least one */
export function missedWords(calls: readonly MissedFacts[], setting: NoticeSetting): NoticeText {
  const hand = new Hand(setting)
  const { missed, missedSeveral, when } = hand.words
  const [only, ...others] = calls
  if (only !== undefined && others.length === 0)
    return hand.notice({ first: missed(setting.for), from: hand.caller(only), others: [when(hand.time(only.at))], more: [] })
  const listed = calls.slice(-mostListed).map((call) => `${hand.time(call.at)}  ${hand.caller(call)}`)
  return hand.notice({ first: missedSeveral(calls.length, setting.for), others: [], more: ['', ...listed] })
}

/** `0:42`, `1:02:07`. */
function lengthOf(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds % 60)}`
}
