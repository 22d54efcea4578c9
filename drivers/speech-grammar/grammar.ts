/** The closed grammar of one request, as JSGF over words with names of our own: nothing an application writes gets into it. */
import { saidAs } from './spelling.ts'
import {
  digitMeant,
  digits as digitWords,
  politely,
  politeWords,
  spokenInstead,
  timeOfDay,
  timeWords,
  usualPhrases,
  withoutPoliteWords,
  writtenInstead,
} from './words.ts'

export interface Wanted {
  readonly hints: readonly string[]
  readonly digits: number | null
}

export interface Phrase {
  /** As it is given back. */
  readonly text: string
  readonly words: readonly string[]
}

export interface Grammar {
  /** What may be said besides digits. */
  readonly phrases: readonly Phrase[]
  /** How many digits; `any` for strings of any length, null for none. */
  readonly digits: number | 'any' | null
  readonly times: boolean
  /** Whether a phrase may stand in a longer answer: `billing, please`. */
  readonly polite: boolean
}

/** Marks the words around a phrase, to distinguish them from the same words in one. */
const polite = (word: string): string => `~${word}`
const isPolite = (word: string): boolean => word.startsWith('~')
/** How a word of the grammar is spelled. */
export const spelling = (word: string): string => (isPolite(word) ? word.slice(1) : word)

const mostHints = 200
/** What would take longer to decode than anybody waits. */
const mostWordsInAll = 1500
const mostDigits = 32

export function grammarFor({ hints, digits }: Wanted): Grammar {
  const exact = digits === null || !Number.isInteger(digits) || digits < 1 ? null : Math.min(digits, mostDigits)
  const usual = hints.length === 0 && exact === null
  const phrases = phrasesOf(usual ? usualPhrases : hints)
  return { phrases, digits: usual ? 'any' : exact, times: usual, polite: !usual && phrases.length > 0 }
}

/** The first of two hints that are said alike counts, and a hint before what is said instead of another. */
function phrasesOf(hints: readonly string[], instead = spokenInstead): Phrase[] {
  const phrases = new Map<string, Phrase>()
  const named = hints.slice(0, mostHints).map((hint) => hint.trim())
  let left = mostWordsInAll
  const ways = [
    ...named.map((text) => ({ text, said: text.slice(0, 200) })),
    ...named.flatMap((text) => instead(text.toLowerCase()).map((said) => ({ text, said }))),
  ]
  for (const { text, said } of ways) {
    for (const words of saidAs(said)) {
      const key = words.join(' ')
      left -= words.length
      if (left < 0) return [...phrases.values()]
      if (!phrases.has(key)) phrases.set(key, { text, words })
    }
  }
  return [...phrases.values()]
}

export function wordsOf(grammar: Grammar): Set<string> {
  const words = new Set(grammar.phrases.flatMap((phrase) => phrase.words))
  if (grammar.digits !== null) for (const word of digitWords) words.add(word)
  if (grammar.digits === 'any') words.add('oh')
  if (grammar.times) for (const word of timeWords) words.add(word)
  if (grammar.polite) for (const word of politeWords) words.add(polite(word))
  return words
}

/** null when nothing is left that could be said. `name` gives the decoder's name of a word, undefined when it knows none. */
export function toJsgf(grammar: Grammar, name: (word: string) => string | undefined): string | null {
  const phrases = grammar.phrases
    .map((phrase) => phrase.words.map(name))
    .filter((names) => names.every((word) => word !== undefined))
    .map((names) => names.join(' '))
  const alternatives = grammar.polite && phrases.length > 0 ? [politely(phrases.join(' | '), (word) => name(polite(word)))] : phrases
  const named = (word: string): string => name(word) ?? name('one') ?? ''
  if (grammar.digits !== null) {
    const digit = `(${digitWords.map(named).join(' | ')})`
    const open = `(${[...digitWords, 'oh'].map(named).join(' | ')})`
    alternatives.push(grammar.digits === 'any' ? `${open}+` : Array.from({ length: grammar.digits }, () => digit).join(' '))
  }
  if (grammar.times) alternatives.push(timeOfDay(named))
  return alternatives.length === 0 ? null : `#JSGF V1.0; grammar said; public <said> = ${alternatives.join(' | ')};`
}

/**
 * What another recogniser wrote, as this one would have, when it is one of the answers, with or without polite words around it, once
 * or said again and again; null otherwise.
 */
export function expected({ hints, digits }: Wanted, text: string): string | null {
  const answers = new Map(phrasesOf(hints, writtenInstead).map(({ text: hint, words }) => [words.join(' '), hint]))
  for (const words of saidAs(text)) {
    for (const said of withoutPoliteWords(words)) {
      const hint = answers.get(said.join(' ')) ?? answers.get(once(said).join(' '))
      if (hint !== undefined) return hint
    }
    const each = words.map(digitMeant)
    if (each.length === digits && each.every((digit) => digit !== undefined)) return each.join(' ')
  }
  return null
}

/** The phrase of which these words are nothing but repetitions; the words themselves when they are of none. */
function once(words: readonly string[]): readonly string[] {
  for (let length = 1; length <= words.length / 2; length += 1)
    if (words.length % length === 0 && words.every((word, at) => word === words[at % length])) return words.slice(0, length)
  return words
}

/** What was said, in the spelling of the application where a hint was. */
export function spell(grammar: Grammar, words: readonly string[]): string {
  const said = words.filter((word) => !isPolite(word)).join(' ')
  return grammar.phrases.find((phrase) => phrase.words.join(' ') === said)?.text ?? said
}
