/**
 * Words by which people leave and join again (47 CFR 64.1200(a)(10)): a text, or its first sentence, that is the word and nothing else. How it is
 * written does not matter: case, forms of letters, accents, punctuation, spaces, hyphens, emoji, what cannot be seen, a signature behind it.
 */
import { everyPart, sharedPart } from '../words/words.ts'

export type Keyword = 'STOP' | 'START' | 'HELP' | 'CANCEL' | 'END'

export interface Verdict {
  /** What the text means; CANCEL and END for themselves, since a patient may mean the appointment too. */
  readonly keyword?: Keyword
  /** The sender is to get no more texts. */
  readonly optOut: boolean
  /** Somebody has to look: it may ask for no more texts, in words of its own. */
  readonly unsure: boolean
}

/** Of appointments too, in every language. */
const appointments: ReadonlyMap<string, Keyword> = new Map(
  everyPart('understood').flatMap(({ cancel, end }) => [
    ...cancel.map((word) => [word, 'CANCEL'] as const),
    ...end.map((word) => [word, 'END'] as const),
  ]),
)

/** Nobody who means the word writes more around it, and the patterns need not look at it. */
const mostLooked = 400

export class Keywords {
  readonly #optOut: ReadonlySet<string>
  readonly #start: ReadonlySet<string>
  readonly #help: ReadonlySet<string>

  /** @param languages tags of BCP 47 */
  constructor(optOutWords: readonly string[], languages: readonly string[] = []) {
    // English is always understood.
    const understood = ['en', ...languages].map((language) => sharedPart('understood', language))
    const of = (kind: 'optOut' | 'start' | 'help'): string[] => understood.flatMap((words) => words[kind])
    this.#start = new Set(of('start').map(letters))
    this.#help = new Set(of('help').map(letters))
    this.#optOut = new Set([...optOutWords, ...of('optOut')].map(letters))
  }

  judge(body: string): Verdict {
    const text = folded(body.slice(0, mostLooked))
    for (const sentence of [text, ...firstSentences(text)]) {
      const word = letters(sentence)
      const appointment = appointments.get(word)
      if (this.#optOut.has(word)) return { keyword: appointment ?? 'STOP', optOut: true, unsure: false }
      if (appointment !== undefined) return { keyword: appointment, optOut: false, unsure: false }
      if (this.#start.has(word)) return { keyword: 'START', optOut: false, unsure: false }
      if (this.#help.has(word)) return { keyword: 'HELP', optOut: false, unsure: false }
    }
    return { optOut: false, unsure: asks.some((pattern) => pattern.test(text)) }
  }
}

/** In capitals, without accents, what cannot be seen and halves of an emoji; controls that break no line are spaces. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\p{M}]/gu, '')
    .replaceAll(/[^\P{Cc}\n\r]/gu, ' ')
    .toUpperCase()
}

/** '' where it has digits: they are no decoration. Of a word that is said again and again, the word. */
function letters(sentence: string): string {
  const [word = '', ...more] = folded(sentence)
    .split(/[\s\p{P}\p{S}]+/u)
    .filter((part) => part !== '')
  const plain = more.every((part) => part === word) ? word : [word, ...more].join('')
  return /^\p{L}+$/u.test(plain) ? plain : ''
}

const leading = /^[\s\p{P}\p{S}]+/u
/** A sentence ends at its mark, at a line, and at an emoji. */
const sentenceEnd = /[.!?…。！？;\n\r\u2028\u2029]|\p{Extended_Pictographic}/u
/** What programs and people put behind a text of one line: "Sent from my iPhone", "- Maria", "/MB". */
const signature = /\s+(?:SENT (?:FROM|VIA) |ENVIADO DESDE |GET OUTLOOK |(?:[-–—~|/*_]+\s*)(?:[\p{L}.'’]+\s*){1,3}$)/u

function firstSentences(text: string): string[] {
  const begun = text.replace(leading, '')
  const sentence = begun.split(sentenceEnd, 1)[0]!
  const signed = signature.exec(sentence)
  return signed === null ? [sentence] : [sentence, sentence.slice(0, signed.index)]
}

/** Words that ask for no more texts, in a sentence. They decide nothing. */
const asks: readonly RegExp[] = [
  /\b(?:STOP|QUIT|CEASE)\s+(?:TEXT|MESSAG|SENDING|CONTACT|BOTHER|SPAM|ALL|THESE|THIS|THE\s+(?:TEXT|MESSAG))/,
  /^\W*(?:PLEASE|PLS|PLZ|KINDLY)\W+(?:STOP|QUIT|UNSUBSCRIBE|OPT\W?OUT|END)\W*$/,
  /^\W*(?:STOP|QUIT|UNSUBSCRIBE|REVOKE|OPT\W?OUT)\W+(?:PLEASE|PLS|PLZ|THANKS|THANK YOU|NOW|ME|IT|\d+)\b/,
  /\bUNSUBSCRIBED?\b|\bOPT(?:ED|ING)?[\s-]*(?:ME[\s-]+)?OUT\b|\bREVOKED?\b/,
  // The word ends a short text, or begins one in which nothing follows that somebody could stop doing, or stop at.
  /^\W*(?:\w+\W+){0,2}(?:STOP(?:ALL)?|OPTOUT)\W*$/,
  /^\W*(?:STOP(?:ALL)?|QUIT|OPTOUT)\W+(?!(?:BY|AT|IN|OVER|HERE|THERE|FOR)\b|\w+ING\b)(?:\w+\W*){1,2}$/,
  /^\W*(?:(?:CANCEL|END)\s+(?:ALL|TEXTS?|MESSAGES?)|STOPP+|STOP\d\w*|STPO|SOTP|UNSUB\w*|REMOVE|CEASE.*|SPAM)\W*$|\bLEAVE ME ALONE\b/,
  /\b(?:DO\s?NOT|DON\W?T|NEVER|NO\s+MORE|NO\s+LONGER)\b.{0,30}\b(?:TEXT|MESSAGE|CONTACT|SMS)/,
  /\b(?:REMOVE|TAKE|DELETE|LOSE)\s+(?:ME|MY\s+(?:NUMBER|NAME))\b/,
  /\bWRONG\s+NUMBER\b/,
  /\bNO\s+(?:ME\s+)?(?:ENVIEN?|MANDEN?|ESCRIBAN?)\b|\bNO\s+MAS\s+(?:MENSAJES|TEXTOS)\b/,
]
