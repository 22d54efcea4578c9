/** Which languages a model serves. */

/** First part of a BCP 47 tag, in lower case. */
export function primary(language: string): string {
  return language.toLowerCase().split('-')[0] ?? ''
}

/** A model of one English understands and speaks all Englishes. */
export function serves(languages: readonly string[], language: string): boolean {
  return languages.some((known) => known === '*' || primary(known) === primary(language))
}
