/** What a menu says by itself, in the languages that the box has words for. */

const wrongChoice: Readonly<Record<string, string>> = {
  de: 'Das ist keine der Möglichkeiten.',
  en: 'That is not one of the choices.',
  es: 'Esa no es una de las opciones.',
  fr: 'Ce choix n’existe pas.',
}

/** In the language of the site (BCP 47), else in English. */
export function wrongChoiceIn(language: string): { readonly text: string; readonly language: string } {
  const text = wrongChoice[language.toLowerCase().split('-')[0]!]
  return text === undefined ? { text: wrongChoice.en!, language: 'en-US' } : { text, language }
}
