/** What a notice says: who, when, how much, for whom. What a person said or wrote stands in it only where that is configured. */
import type { InboxFaxRow, InboxSmsRow, InboxVoicemailRow } from '../store/tables.ts'
import { phrasesOf, type Phrase } from './languages.ts'

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
export type TextFacts = Pick<InboxSmsRow, 'from' | 'body' | 'receivedAt' | 'media'>

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

type Values = Readonly<Record<string, string>>

class Words {
  readonly #setting: NoticeSetting
  readonly #language: ReturnType<typeof phrasesOf>
  readonly #values: Values

  constructor(setting: NoticeSetting, values: Values) {
    this.#setting = setting
    this.#language = phrasesOf(setting.language)
    this.#values = { for: setting.for, ...values }
  }

  say(name: Phrase): string {
    return this.#language.phrases[name].replaceAll(/\{(\w+)\}/g, (_, key: string) => this.#values[key] ?? '')
  }

  with(values: Values): Words {
    return new Words(this.#setting, { ...this.#values, ...values })
  }

  caller({ from, callerName = '' }: { readonly from: string; readonly callerName?: string }): string {
    const who = [callerName.slice(0, longestName).trim(), from].filter((part) => part !== '').join(', ')
    return who === '' ? this.say('withheld') : who
  }

  time(at: number): string {
    const form = { timeZone: this.#setting.timeZone, dateStyle: 'medium', timeStyle: 'short' } as const
    return new Intl.DateTimeFormat(this.#language.locale, form).format(at).replaceAll(/\s/g, ' ')
  }

  /** `lines` follow what it is in a text message, and are all of a mail but for `more`. */
  notice(what: Phrase, lines: readonly Phrase[], more: readonly string[]): NoticeText {
    const first = this.say(what)
    const subject = lines.includes('from') ? `${first}${this.say('by')}` : first
    // What it is names for whom it is already.
    const brief = [first, ...lines.filter((line) => line !== 'for').map((line) => this.say(line))].join('. ')
    return { subject, text: `${[...lines.map((line) => this.say(line)), ...more].join('\n')}\n`, brief }
  }
}

function wordsOf(
  setting: NoticeSetting,
  item: { readonly from: string; readonly callerName?: string; readonly receivedAt: number },
): Words {
  const words = new Words(setting, {})
  return words.with({ from: words.caller(item), when: words.time(item.receivedAt) })
}

export function voicemailWords(message: VoicemailFacts, setting: NoticeSetting): NoticeText {
  const words = wordsOf(setting, message).with({ length: lengthOf(message.durationSeconds) })
  const more = setting.tooLarge ? ['', words.say('tooLarge')] : []
  // Nothing is said of a transcript that was not to be made.
  if (setting.content && message.transcriptStatus !== 'off')
    more.push('', words.say('transcript'), message.transcript === '' ? words.say('noTranscript') : message.transcript)
  return words.notice('voicemail', ['for', 'from', 'when', 'length'], more)
}

export function faxWords(fax: FaxFacts, setting: NoticeSetting): NoticeText {
  const words = wordsOf(setting, fax).with({ pages: String(fax.pages) })
  const lines: Phrase[] = ['for', 'from', 'when', 'pages', ...(fax.status === 'partial' ? ['incomplete' as const] : [])]
  return words.notice('fax', lines, setting.tooLarge ? ['', words.say('faxTooLarge')] : [])
}

export function textWords(text: TextFacts, setting: NoticeSetting): NoticeText {
  const pictures = text.media?.length ?? 0
  const words = wordsOf(setting, text).with({ pictures: String(pictures) })
  const lines: Phrase[] = ['for', 'from', 'when', ...(pictures > 0 ? ['pictures' as const] : [])]
  const more = setting.tooLarge ? ['', words.say('pictureTooLarge')] : []
  return words.notice('text', lines, setting.content ? [...more, '', words.say('body'), text.body] : more)
}

/** @param calls the oldest first, at least one */
export function missedWords(calls: readonly MissedFacts[], setting: NoticeSetting): NoticeText {
  const words = new Words(setting, { count: String(calls.length) })
  const [only, ...others] = calls
  if (only !== undefined && others.length === 0)
    return words.with({ from: words.caller(only), when: words.time(only.at) }).notice('missed', ['for', 'from', 'when'], [])
  const listed = calls.slice(-mostListed).map((call) => `${words.time(call.at)}  ${words.caller(call)}`)
  return words.notice('missedSeveral', ['for'], ['', ...listed])
}

/** `0:42`, `1:02:07`. */
function lengthOf(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds % 60)}`
}
