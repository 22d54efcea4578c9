/** What people hear of recordings, in the languages that the box has words for. */

const english = {
  recorded: 'This call is recorded.',
  begun: 'The call is being recorded.',
  ended: 'The call is not recorded any more.',
  failed: 'The call cannot be recorded.',
} as const

export type RecordingPhrase = keyof typeof english

const languages: Readonly<Record<string, Readonly<Record<RecordingPhrase, string>>>> = {
  en: english,
  de: {
    recorded: 'Dieses Gespräch wird aufgezeichnet.',
    begun: 'Das Gespräch wird jetzt aufgezeichnet.',
    ended: 'Das Gespräch wird nicht mehr aufgezeichnet.',
    failed: 'Das Gespräch kann nicht aufgezeichnet werden.',
  },
  es: {
    recorded: 'Esta llamada se graba.',
    begun: 'La llamada se está grabando.',
    ended: 'La llamada ya no se graba.',
    failed: 'La llamada no se puede grabar.',
  },
  fr: {
    recorded: 'Cet appel est enregistré.',
    begun: 'L’appel est maintenant enregistré.',
    ended: 'L’appel n’est plus enregistré.',
    failed: 'L’appel ne peut pas être enregistré.',
  },
}

export const recordingPhrases = Object.keys(english) as readonly RecordingPhrase[]

/** In the language of the site (BCP 47), else in English. */
export function recordingPhrase(language: string, name: RecordingPhrase): { readonly text: string; readonly language: string } {
  const words = languages[language.toLowerCase().split('-')[0]!]
  return words === undefined ? { text: english[name], language: 'en-US' } : { text: words[name], language }
}
