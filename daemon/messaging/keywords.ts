/** Words by which people leave and join again: the whole text is the word, or it means nothing. */

export type Keyword = 'STOP' | 'START' | 'HELP' | 'CANCEL' | 'END'

const words: Readonly<Record<string, Keyword>> = {
  START: 'START',
  UNSTOP: 'START',
  HELP: 'HELP',
  INFO: 'HELP',
  // Carriers in the US take these for STOP; a patient who answers an appointment's text means the appointment.
  CANCEL: 'CANCEL',
  END: 'END',
}

/**
 * Any case; spaces, quotes and punctuation around the word do not matter. "stop by tomorrow?" is no keyword. `optOutWords` are those
 * that put the sender on the stop list.
 */
export function keywordOf(body: string, optOutWords: readonly string[]): Keyword | undefined {
  // Nobody who means the word writes more, and the pattern need not look at it.
  if (body.length > 40) return undefined
  const word = /^[\s\p{P}\p{S}]*(\p{L}+)[\s\p{P}\p{S}]*$/u.exec(body.normalize('NFKC'))?.[1]?.toUpperCase()
  if (word === undefined) return undefined
  if (optOutWords.some((one) => one.toUpperCase() === word)) return 'STOP'
  return Object.hasOwn(words, word) ? words[word] : undefined
}
