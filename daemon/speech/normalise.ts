/**
 * English text as it is to be read aloud, once, before any engine: telephone numbers digit by digit, times, dates,
 * money, units and abbreviations in words. Other languages are left to their engine.
 */
import { abbreviationRules } from './english-abbreviations.ts'
import { dateRules, moneyRules, numberRules, timeRules, type Rule } from './english-numbers.ts'
import { identifierRules } from './english-identifiers.ts'

/** In this order: what is found first is not looked at again as a mere number. */
const rules: readonly Rule[] = [...dateRules, ...moneyRules, ...timeRules, ...identifierRules, ...abbreviationRules, ...numberRules]

/** No word of English, no number and no address that is read aloud: what would be looked for in it costs the square of its length. */
const longWord = /\S{200}(?=\S)/g

/** Text in any language: control characters and runs of white space gone. */
export function tidy(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Co}\p{Cs}\u200B-\u200F\uFEFF]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** @param language BCP 47; text that is not English comes back tidied only */
export function normalise(text: string, language: string): string {
  const tidied = tidy(text)
  const tag = language.toLowerCase()
  if (tag !== 'en' && !tag.startsWith('en-')) return tidied
  const british = tag !== 'en' && tag !== 'en-us' && tag !== 'en-ca'
  let result = tidied
    .replace(longWord, '$& ')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s*…/g, '...')
    .replace(/\s+[—–]\s+|—/g, ', ')
  for (const [pattern, words] of rules) {
    result = result.replace(pattern, (...match: string[]) => words(match, british) ?? match[0]!)
  }
  return result.replace(/ {2,}/g, ' ').trim()
}
