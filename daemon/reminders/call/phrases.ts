/** What a reminder call says, in one language; the languages are in `phrases/`. */
import { german } from './phrases/de.ts'
import { english } from './phrases/en.ts'
import { spanish } from './phrases/es.ts'
import { french } from './phrases/fr.ts'

export interface Opening {
  /** First name, or a form of address with the surname; '' where no name is known. */
  readonly name: string
  readonly clinic: string
  /** As `number` wrote it; '' for none. Said at the beginning where the rules of a country ask for it. */
  readonly number: string
  /** As `when` wrote it. */
  readonly when: string
  /** Both '' unless they may be spoken. */
  readonly service: string
  readonly staff: string
}

export interface Phrases {
  /** BCP 47 tag of the language without a country, and one with the country whose voice is taken where nobody asks for another. */
  readonly primary: string
  readonly tag: string
  /** A moment as people say it, such as "on Monday, March 9, at 2:30 PM". */
  when(moment: LocalTime): string
  /** A telephone number in the national form, so that a voice reads it digit by digit. */
  number(national: string): string
  opening(facts: Opening): string
  readonly keys: {
    readonly confirm: string
    readonly cancel: string
    readonly reschedule: string
    readonly reception: string
    readonly again: string
    readonly optOut: string
  }
  readonly sure: string
  readonly kept: string
  readonly wrongKey: string
  readonly confirmed: string
  readonly canceled: string
  readonly reschedule: string
  readonly optedOut: string
  readonly toReception: string
  readonly nobodyThere: string
  readonly goodbye: string
  /** Left on a machine: nothing of the person, the time or the treatment. `number` may be ''. */
  message(clinic: string, number: string, optOut: boolean): string
}

export interface LocalTime {
  readonly at: Date
  /** IANA name. */
  readonly zone: string
  readonly hour: number
  readonly minute: number
}

const languages: readonly Phrases[] = [english, spanish, french, german]

/** The phrases of the first wanted language that there are, else English; with the tag for the voice. */
export function phrasesFor(wanted: readonly string[]): { readonly phrases: Phrases; readonly language: string } {
  for (const language of wanted) {
    const phrases = languages.find(({ primary }) => primary === language.toLowerCase().split('-')[0])
    if (phrases !== undefined) return { phrases, language: language.includes('-') ? language : phrases.tag }
  }
  return { phrases: english, language: english.tag }
}

/** Throws RangeError where `zone` is not a time zone. */
export function localTime(at: number, zone: string): LocalTime {
  const date = new Date(at)
  const parts = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: 'numeric', hourCycle: 'h23', timeZone: zone }).formatToParts(
    date,
  )
  const read = (type: 'hour' | 'minute') => Number(parts.find((part) => part.type === type)?.value)
  return { at: date, zone, hour: read('hour'), minute: read('minute') }
}
