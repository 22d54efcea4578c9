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

/**
 * Other words for the two answers that applications name, each of a sound of its own: a caller who is asked for "yes" says "yeah"
 * as often. An application that names one of them as well means it by itself: `right`, next to `left`.
 */
const alsoSaid: Readonly<Record<string, readonly string[]>> = {
  yes: ['yeah', 'yes please', 'correct', 'that is correct', "that's correct", "that's right", 'sure', 'okay'],
  no: ['no thanks', 'no thank you'],
}
/** Those that sound like one of the others, and so are only read, in what another recogniser wrote. */
const alsoWritten: Readonly<Record<string, readonly string[]>> = {
  yes: [
    'yep',
    'yup',
    'yah',
    'ya',
    'ok',
    'right',
    'that is right',
    'of course',
    'absolutely',
    'exactly',
    'yes it is',
    'yes i am',
    'yes i do',
  ],
  no: ['nope', 'nah', 'no it is not', "no it isn't", "no i'm not", 'no i am not', "no i don't", 'no i do not'],
}

export const spokenInstead = (phrase: string): readonly string[] => (Object.hasOwn(alsoSaid, phrase) ? alsoSaid[phrase]! : [])
export const writtenInstead = (phrase: string): readonly string[] => [
  ...spokenInstead(phrase),
  ...(Object.hasOwn(alsoWritten, phrase) ? alsoWritten[phrase]! : []),
]

/**
 * What recognisers of free speech write for a digit: words of the same sound, and words of nearly the same that they were seen to write
 * ("hero" for "zero"). Where nothing but digits is asked for, and the right number of them, they can mean nothing else.
 */
const soundsLike: Readonly<Record<string, (typeof digits)[number]>> = {
  oh: 'zero',
  o: 'zero',
  hero: 'zero',
  euro: 'zero',
  nero: 'zero',
  little: 'zero',
  won: 'one',
  to: 'two',
  too: 'two',
  tree: 'three',
  free: 'three',
  for: 'four',
  fore: 'four',
  fife: 'five',
  hive: 'five',
  sex: 'six',
  sicks: 'six',
  sixth: 'six',
  heaven: 'seven',
  ate: 'eight',
  a: 'eight',
  nein: 'nine',
  niner: 'nine',
  nice: 'nine',
}

/** The digit that a word stands for in a string of digits; undefined for any other word. */
export function digitMeant(word: string): (typeof digits)[number] | undefined {
  return digits.find((digit) => digit === word) ?? (Object.hasOwn(soundsLike, word) ? soundsLike[word] : undefined)
}

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

/** All that an answer can be, with such words around it taken away; the answer as it is comes first. */
export function* withoutPoliteWords(words: readonly string[]): Generator<readonly string[]> {
  const beginsWith = (all: readonly string[], phrase: string): readonly string[] | null => {
    const some = phrase === '' ? [] : phrase.split(' ')
    return some.every((word, at) => all[at] === word) ? all.slice(some.length) : null
  }
  for (const first of ['', ...before])
    for (const second of ['', ...between]) {
      const left = beginsWith(words, [first, second].filter((phrase) => phrase !== '').join(' '))
      if (left === null) continue
      for (const last of ['', ...after]) {
        const at = left.length - (last === '' ? 0 : last.split(' ').length)
        if (at > 0 && left.slice(at).join(' ') === last) yield left.slice(0, at)
      }
    }
}

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
