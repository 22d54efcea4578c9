/** What every box says: spoken ahead when the program is installed, in English whatever the box's language. */
import { cardinal, dateWords, ordinal, timeOfDay } from './number-words.ts'

/** Phrases the box itself plays, by prompt name: a recording of that name replaces each. */
export const builtInPrompts = {
  apology: 'We are sorry, an application error has occurred. Goodbye.',
  nobody: 'We are sorry, nobody can take your call at the moment. Please call again later. Goodbye.',
  'not-in-service': 'The number you have called is not in service. Goodbye.',
  'one-moment': 'One moment please.',
} as const satisfies Record<string, string>

const common = [
  'Goodbye.',
  'Hello.',
  'Thank you.',
  'Thank you for calling.',
  'Please hold.',
  'Please wait.',
  'Please try again.',
  'Please leave a message after the tone.',
  'I did not understand that.',
  'Sorry, I did not understand that.',
  'Please say yes or no.',
  'Your message was saved.',
  'Connecting you now.',
  'All lines are busy.',
  'We are closed now.',
]
const weekDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
const withStop = (text: string): string[] => [text, `${text}.`]

/** Texts as an application writes them: the built-in prompts, common sentences, digits, days, months, hours. */
export function ownPhrases(): string[] {
  return [
    ...Object.values(builtInPrompts),
    ...common,
    ...[0, ...upTo(9)].flatMap((key) => withStop(cardinal(key))),
    ...upTo(9).map((key) => `Press ${cardinal(key)}.`),
    ...weekDays.flatMap(withStop),
    ...upTo(12).flatMap((month) => withStop(dateWords(null, month, null)!)),
    ...upTo(31).map((day) => ordinal(day)),
    ...['am', 'pm'].flatMap((half) => upTo(12).map((hour) => timeOfDay(hour, 0, half))),
  ]
}
