/**
 * What the box says and writes to people: callers, patients, and those who work in the clinic. One table for each language, and the one place
 * that decides what is taken where a language has none. What technicians read (log, errors, alarms, the pbx program) is English and not here.
 */
import { german } from './de.ts'
import { english, type Words } from './en.ts'
import { spanish } from './es.ts'
import { french } from './fr.ts'
import { more, type SharedPart } from './more.ts'
import { primarySubtag } from './tag.ts'

const tables: ReadonlyMap<string, Words> = new Map([english, german, spanish, french].map((table) => [primarySubtag(table.tag), table]))

/** The words of one language. */
export interface Wording extends Words {
  /** BCP 47: of the voice that says them, and of dates among them. With the country that was asked for. */
  readonly language: string
}

/** A text, and the language (BCP 47) of the voice that says it. */
export interface Said {
  readonly text: string
  readonly language: string
}

/**
 * Of the first of these languages (BCP 47) that the box has, else English. For somebody whose own language is known, name that and then the
 * language of the site.
 */
export function words(...wanted: readonly string[]): Wording {
  for (const language of wanted) {
    const table = tables.get(primarySubtag(language))
    if (table !== undefined) return { ...table, language: language.includes('-') ? language : table.tag }
  }
  return { ...english, language: english.tag }
}

/** The part of a language (BCP 47) that more languages have than are spoken. */
export function sharedPart<P extends SharedPart>(part: P, language: string): Words[P] {
  return more[placeIn(language)]?.[part] ?? words(language)[part]
}

/** The part in every language that has it. */
export function everyPart<P extends SharedPart>(part: P): Words[P][] {
  return [...tables.values(), ...Object.values(more)].flatMap((table) => table[part] ?? [])
}

function placeIn(language: string): string {
  const primary = primarySubtag(language)
  return primary === 'zh' && /-(?:hant|tw|hk|mo)(?:-|$)/i.test(language) ? 'zh-hant' : primary
}

/** The sentences of these phrases that are the same in each call: those without a value in them. They can be spoken ahead. */
export function fixedSentences(phrases: Readonly<Record<string, string | ((value: string) => string)>>): string[] {
  const value = '\uE000'
  const texts = Object.values(phrases).map((phrase) => (typeof phrase === 'string' ? phrase : phrase(value)))
  return [...new Set(texts.flatMap((text) => text.split(/(?<=\.) /)))].filter((text) => !text.includes(value))
}
