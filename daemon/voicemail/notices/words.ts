/** What a notice of a message says, in the languages that the box has words for: who, when, how long, which mailbox. */
import type { InboxVoicemailRow } from '../../store/tables.ts'

const english = {
  subject: 'Voicemail for B from W',
  brief: 'Voicemail for B. From: W. When: D. Length: L',
  from: 'From: W',
  for: 'For: B',
  when: 'When: D',
  length: 'Length: L',
  withheld: 'withheld number',
  transcript: 'Transcript:',
  noTranscript: 'Nothing was understood.',
  tooLarge: 'The recording is too large to be attached.',
} as const

type Words = Readonly<Record<keyof typeof english, string>>

const languages: Readonly<Record<string, Words>> = {
  en: english,
  de: {
    subject: 'Sprachnachricht für B von W',
    brief: 'Sprachnachricht für B. Von: W. Wann: D. Dauer: L',
    from: 'Von: W',
    for: 'Für: B',
    when: 'Wann: D',
    length: 'Dauer: L',
    withheld: 'unterdrückte Nummer',
    transcript: 'Abschrift:',
    noTranscript: 'Es wurde nichts verstanden.',
    tooLarge: 'Die Aufnahme ist zu groß, um angehängt zu werden.',
  },
  es: {
    subject: 'Mensaje de voz para B de W',
    brief: 'Mensaje de voz para B. De: W. Cuándo: D. Duración: L',
    from: 'De: W',
    for: 'Para: B',
    when: 'Cuándo: D',
    length: 'Duración: L',
    withheld: 'número oculto',
    transcript: 'Transcripción:',
    noTranscript: 'No se entendió nada.',
    tooLarge: 'La grabación es demasiado grande para adjuntarla.',
  },
  fr: {
    subject: 'Message vocal pour B de W',
    brief: 'Message vocal pour B. De : W. Quand : D. Durée : L',
    from: 'De : W',
    for: 'Pour : B',
    when: 'Quand : D',
    length: 'Durée : L',
    withheld: 'numéro masqué',
    transcript: 'Transcription :',
    noTranscript: 'Rien n’a été compris.',
    tooLarge: 'L’enregistrement est trop volumineux pour être joint.',
  },
}

export type NoticeMessage = Pick<
  InboxVoicemailRow,
  'from' | 'callerName' | 'receivedAt' | 'durationSeconds' | 'transcript' | 'transcriptStatus'
>

export interface NoticeWords {
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
  /** The mailbox as people know it, such as `Front desk (101)`. */
  readonly box: string
  readonly transcript: boolean
  /** The recording was to be attached and cannot be. */
  readonly tooLarge: boolean
}

/** Names that fill a text message tell nobody more. */
const longestName = 60

export function noticeWords(message: NoticeMessage, { language, timeZone, box, transcript, tooLarge }: NoticeSetting): NoticeWords {
  const known = languages[language.toLowerCase().split('-')[0]!]
  const words = known ?? english
  const when = { timeZone, dateStyle: 'medium', timeStyle: 'short' } as const
  const filled: Readonly<Record<string, string>> = {
    B: box,
    W: callerOf(message, words.withheld),
    D: new Intl.DateTimeFormat(known === undefined ? 'en-US' : language, when).format(message.receivedAt).replaceAll(/\s/g, ' '),
    L: lengthOf(message.durationSeconds),
  }
  const say = (name: keyof typeof english): string => words[name].replaceAll(/\b[BWDL]\b/g, (letter) => filled[letter]!)
  const lines = [...(['for', 'from', 'when', 'length'] as const).map(say), ...(tooLarge ? ['', words.tooLarge] : [])]
  // Nothing is said of a transcript that was not to be made.
  if (transcript && message.transcriptStatus !== 'off')
    lines.push('', words.transcript, message.transcript === '' ? words.noTranscript : message.transcript)
  return { subject: say('subject'), text: `${lines.join('\n')}\n`, brief: say('brief') }
}

function callerOf({ from, callerName }: NoticeMessage, withheld: string): string {
  const who = [callerName.slice(0, longestName).trim(), from].filter((part) => part !== '').join(', ')
  return who === '' ? withheld : who
}

/** `0:42`, `1:02:07`. */
function lengthOf(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds % 60)}`
}
