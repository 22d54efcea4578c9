/** What somebody outside hears who answers for a group, in the languages that the box has words for. */

const phrases: Readonly<Record<string, (group: string) => string>> = {
  de: (group) => `Ein Anruf für ${group}. Drücken Sie die 1, um ihn anzunehmen.`,
  en: (group) => `A call for ${group}. Press 1 to take it.`,
  es: (group) => `Una llamada para ${group}. Pulse 1 para aceptarla.`,
  fr: (group) => `Un appel pour ${group}. Appuyez sur 1 pour le prendre.`,
}

/** In the language of the site (BCP 47), else in English. */
export function offerIn(language: string, group: string): { readonly text: string; readonly language: string } {
  const phrase = phrases[language.toLowerCase().split('-')[0]!]
  return phrase === undefined ? { text: phrases['en']!(group), language: 'en-US' } : { text: phrase(group), language }
}
