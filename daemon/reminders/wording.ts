/**
 * The text message next to a reminder call. It goes to a screen that others may see: the practice, the time and a first name, nothing of what
 * the appointment is about.
 */
import { firstName } from '../base/person-name.ts'
import { words } from '../words/words.ts'

export interface TextFacts {
  /** BCP 47, the best first. */
  readonly languages: readonly string[]
  /** IANA name. */
  readonly timeZone: string
  readonly practice: string
  /** Of the practice, as people dial it; '' for none. */
  readonly practiceNumber: string
  readonly customerName: string
  /** Milliseconds since the epoch. */
  readonly appointmentAt: number
}

export function reminderText({ languages, timeZone, practice, practiceNumber, customerName, appointmentAt }: TextFacts): string {
  const wording = words(...languages)
  const format = (options: Intl.DateTimeFormatOptions): string =>
    // Narrow spaces between the digits and "AM" would make the text one of 70 characters a part.
    new Intl.DateTimeFormat(wording.language, { ...options, timeZone }).format(appointmentAt).replaceAll(/[\u00a0\u202f]/g, ' ')
  return wording.reminderText({
    name: firstName(customerName),
    clinic: practice,
    number: practiceNumber,
    date: format({ weekday: 'long', day: 'numeric', month: 'long' }),
    time: format({ hour: 'numeric', minute: '2-digit' }),
  })
}
