/** Words by which people leave and join again, as carriers in the US treat them: the whole text is the word, or it means nothing. */

export type Keyword = 'STOP' | 'START' | 'HELP'

const words: Readonly<Record<string, Keyword>> = {
  STOP: 'STOP',
  STOPALL: 'STOP',
  UNSUBSCRIBE: 'STOP',
  CANCEL: 'STOP',
  END: 'STOP',
  QUIT: 'STOP',
  START: 'START',
  UNSTOP: 'START',
  HELP: 'HELP',
  INFO: 'HELP',
}

/** Any case; spaces, quotes and punctuation around the word do not matter. "stop by tomorrow?" is no keyword. */
export function keywordOf(body: string): Keyword | undefined {
  // Nobody who means the word writes more, and the pattern need not look at it.
  if (body.length > 40) return undefined
  const word = /^[\s\p{P}\p{S}]*([A-Za-z]+)[\s\p{P}\p{S}]*$/u.exec(body.normalize('NFKC'))?.[1]?.toUpperCase()
  return word !== undefined && Object.hasOwn(words, word) ? words[word] : undefined
}
