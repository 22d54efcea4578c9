/** What the pages say, in the language of the person: a typed catalogue for each page and piece. A key that one language lacks does not compile. */
import { signal } from '@preact/signals'

/** `en-XA`: English with longer words, by which a layout is tried. */
export type Language = 'en' | 'es' | 'en-XA'

/** What depends on the value `n`. */
export interface Plural {
  readonly one: string
  readonly other: string
}

/** Values stand in braces: `{name}`. */
export type Catalogue<K extends string> = Readonly<Record<K, string | Plural>>
export type Values = Readonly<Record<string, string | number>>

export const language = signal<Language>('en')

/** `tag`: BCP 47, such as es-MX; English where there is no catalogue. */
export function speak(tag: string): void {
  language.value = tag === 'en-XA' ? tag : tag.toLowerCase().startsWith('es') ? 'es' : 'en'
}

/** Of site.ts, which knows the country: it decides how a figure is written. */
let place = (): string => (language.value === 'es' ? 'es' : 'en')
const written = new Map<string, Intl.NumberFormat>()

export function writeFiguresAs(locale: () => string): void {
  place = locale
}

/** `1,123`. */
export function figure(n: number): string {
  let format = written.get(place())
  if (format === undefined) written.set(place(), (format = new Intl.NumberFormat(place())))
  return format.format(n)
}

/** A number is a figure; what is none, such as a revision, comes as text. */
const valueText = (value: string | number): string => (typeof value === 'number' ? figure(value) : value)

const plurals = { en: new Intl.PluralRules('en'), es: new Intl.PluralRules('es') }

export interface Say<K extends string> {
  (key: K, values?: Values): string
  /** All that it can say. */
  readonly catalogue: { readonly en: Catalogue<K>; readonly es: Catalogue<K> }
}

export function words<K extends string>(catalogue: { readonly en: Catalogue<K>; readonly es: Catalogue<NoInfer<K>> }): Say<K> {
  const say = (key: K, values: Values = {}): string => {
    const spoken = language.value === 'es' ? 'es' : 'en'
    const entry = catalogue[spoken][key]
    const text = typeof entry === 'string' ? entry : entry[plurals[spoken].select(Number(values['n'] ?? 0)) === 'one' ? 'one' : 'other']
    const said = language.value === 'en-XA' ? lengthened(text) : text
    // A time such as 8:12 a.m. ends with a point of its own.
    return said.replace(/\{(\w+)\}/g, (whole, name: string) => valueText(values[name] ?? whole)).replace(/([ap]\.\s?m\.)\.$/, '$1')
  }
  return Object.assign(say, { catalogue })
}

/** A whole sentence of the box, in which `<a>` stands for a value and `<r>` for a reason, and the same in Spanish. */
export type Sentence = readonly [english: string, spanish: string]
type Translation = (text: string) => string | undefined

/**
 * Finds the Spanish sentence of what the box says in English; undefined where it is none of these. The first that fits counts. `reasons`: of what
 * stands at `<r>`, which stays as it is where it is none of them.
 */
export function sentencesIn(all: readonly Sentence[], reasons: Translation = () => undefined): Translation {
  const known = all.map(([english, spanish]) => {
    const literal = english.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
    return { spanish, pattern: new RegExp(`^${literal.replaceAll(/<(\w)>/g, '(?<$1>[^]*?)')}$`) }
  })
  return (text) => {
    for (const { pattern, spanish } of known) {
      const values = pattern.exec(text)
      if (values === null) continue
      return spanish.replaceAll(/<(\w)>/g, (_, name: string) => {
        const value = values.groups?.[name] ?? ''
        return (name === 'r' ? reasons(value) : undefined) ?? value
      })
    }
    return undefined
  }
}

/** Forty percent more letters, with marks above and below them; what stands in braces stays. */
function lengthened(text: string): string {
  const marked = text.replace(/\{\w+\}|[aeiou]/g, (one) => (one.length > 1 ? one : (accents[one] ?? one)))
  return `${marked}${' ŧëẍŧ'.repeat(Math.ceil((text.length * 0.4) / 5))}`
}

const accents: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ö', u: 'ü' }
