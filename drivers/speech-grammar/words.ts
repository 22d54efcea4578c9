/** What is understood when the application names nothing: yes and no, digits, menu words, days and times. */

export const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const

/** Of words that sound alike and mean the same only one is here: yep is taken for yeah, nope for no. */
const yesAndNo = [
  'yes',
  'yeah',
  'yes please',
  'correct',
  'that is correct',
  "that's right",
  'right',
  'sure',
  'okay',
  'no',
  'no thanks',
  'no thank you',
  'not now',
]
const menu = [
  'operator',
  'agent',
  'representative',
  'reception',
  'front desk',
  'repeat',
  'help',
  'cancel',
  'stop',
  'goodbye',
  'main menu',
  'go back',
  'continue',
  'appointment',
  'new appointment',
  'billing',
  'insurance',
  'prescription',
  'refill',
  'prescription refill',
  'pharmacy',
  'nurse',
  'doctor',
  'lab results',
  'results',
  'medical records',
  'new patient',
  'fax',
  'emergency',
  'voicemail',
  'leave a message',
  'hours',
  'directions',
]
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const dates = [
  ...days,
  ...days.map((day) => `next ${day}`),
  'today',
  'tomorrow',
  'next week',
  'morning',
  'afternoon',
  'evening',
  'this morning',
  'this afternoon',
  'tomorrow morning',
  'tomorrow afternoon',
]

export const usualPhrases: readonly string[] = [...yesAndNo, ...menu, ...dates]

/** What people say around the word they were asked for; each is what it sounds like, and none is given back. */
const before = [
  'um',
  'uh',
  'yes',
  'the',
  'a',
  'to',
  'for',
  'hello',
  'i want',
  'i need',
  "i'd like",
  'i would like',
  'can i have',
  'could i speak to',
  'can i speak to',
  'it is about',
  "it's about",
]
const between = ['the', 'a', 'an', 'my', 'to', 'to speak to', 'to talk to']
const after = ['please', 'thanks', 'thank you', 'department', 'department please']

const wordsIn = (phrases: readonly string[]): string[] => [...new Set(phrases.flatMap((phrase) => phrase.split(' ')))]
export const politeWords: readonly string[] = wordsIn([...before, ...between, ...after])

/** A rule of JSGF: `inner` with or without such words around it. `word` names one of them, undefined where it cannot be pronounced. */
export function politely(inner: string, word: (spelling: string) => string | undefined): string {
  const any = (phrases: readonly string[]): string => {
    const named = phrases.map((phrase) => phrase.split(' ').map(word)).filter((names) => names.every((name) => name !== undefined))
    return named.length === 0 ? '' : `[${named.map((names) => names.join(' ')).join(' | ')}]`
  }
  return `(${any(before)} ${any(between)} (${inner}) ${any(after)})`
}

/** Rules of JSGF for a time of day and its words; `word` names a word. */
export function timeOfDay(word: (spelling: string) => string): string {
  const any = (list: string): string => `(${list.split(' ').map(word).join(' | ')})`
  const hour = any('one two three four five six seven eight nine ten eleven twelve')
  const minutes = `(${any('ten fifteen twenty thirty forty fifty')} | ${any('twenty thirty forty fifty')} ${word('five')} | ${word('oh')} ${word('five')})`
  const half = `((${word('a')} | ${word('p')}) ${word('m')})`
  return `(${word('noon')} | ${hour} ${word("o'clock")} | ${hour} [${minutes}] ${half} | ${any('eight nine ten eleven twelve')} ${minutes})`
}

export const timeWords: readonly string[] =
  "noon o'clock a p m oh one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty".split(' ')
