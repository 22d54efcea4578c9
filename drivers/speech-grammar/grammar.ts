/** The closed grammar of one request, as JSGF over words with names of our own: nothing an application writes gets into it. */
import { saidAs } from './spelling.ts'
import { digits as digitWords, politely, politeWords, timeOfDay, timeWords, usualPhrases } from './words.ts'

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

/** The first of two hints that are said alike counts. */
function phrasesOf(hints: readonly string[]): Phrase[] {
  const phrases = new Map<string, Phrase>()
  let left = mostWordsInAll
  for (const hint of hints.slice(0, mostHints)) {
    const text = hint.trim()
    for (const words of saidAs(text.slice(0, 200))) {
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

/** What another recogniser wrote, as this one would have, when it is one of the answers; null otherwise. */
export function expected(grammar: Grammar, text: string): string | null {
  for (const words of saidAs(text)) {
    const said = words.join(' ')
    const phrase = grammar.phrases.find((candidate) => candidate.words.join(' ') === said)
    if (phrase !== undefined) return phrase.text
    const each = words.map((word) => (word === 'oh' ? 'zero' : word))
    if (each.length === grammar.digits && each.every((word) => (digitWords as readonly string[]).includes(word))) return each.join(' ')
  }
  return null
}

/** What was said, in the spelling of the application where a hint was. */
export function spell(grammar: Grammar, words: readonly string[]): string {
  const said = words.filter((word) => !isPolite(word)).join(' ')
  return grammar.phrases.find((phrase) => phrase.words.join(' ') === said)?.text ?? said
}
