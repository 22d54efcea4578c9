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
