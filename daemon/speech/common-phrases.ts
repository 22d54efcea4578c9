/** English texts that applications are likely to say: spoken ahead when the program is installed. */
import { cardinal, dateWords, ordinal, timeOfDay } from './number-words.ts'

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

/** Texts as an application writes them: common sentences, digits, days, months, hours. */
export function commonPhrases(): string[] {
  return [
    ...common,
    ...[0, ...upTo(9)].flatMap((key) => withStop(cardinal(key))),
    ...upTo(9).map((key) => `Press ${cardinal(key)}.`),
    ...weekDays.flatMap(withStop),
    ...upTo(12).flatMap((month) => withStop(dateWords(null, month, null)!)),
    ...upTo(31).map((day) => ordinal(day)),
    ...['am', 'pm'].flatMap((half) => upTo(12).map((hour) => timeOfDay(hour, 0, half))),
  ]
}
