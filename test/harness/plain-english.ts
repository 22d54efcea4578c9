/** The words that this project does not write (docs/style.md), and the parts of a source file in which they are looked for. */

/** Each with what is written in its place. */
export const banned: readonly (readonly [pattern: string, instead: string])[] = [
  ['told|tells?|telling', 'notified, logged, reported, played, answered'],
  ['mend(?:s|ed|ing)?', 'repaired, fixed'],
  ['anew', 'again'],
  ['(?:is|are|was|were) over', 'ended, cleared, expired'],
  ['of before', 'the earlier, the previous'],
  ['nobody but', 'only'],
  ['beside', 'next to, in addition'],
  ['himself', 'the technician'],
  ['whoever', 'the caller, the technician, you'],
]

const all = new RegExp(`\\b(?:${banned.map(([pattern]) => pattern).join('|')})\\b`, 'giu')

/** Each with some words on both sides. */
export function bannedIn(text: string): string[] {
  const line = text.replaceAll(/\s+/g, ' ')
  return [...line.matchAll(all)].map(({ index, 0: word }) => line.slice(Math.max(0, index - 40), index + word.length + 20))
}

/** A string may hold a quote of the other kinds; a comment, anything. An expression within a template is read as its text. */
const pieces = /(\/\*[^]*?\*\/|(?<![:'"`\\])\/\/[^\n]*)|('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`)/g

/** The comments and the string literals of TypeScript, JavaScript and C++. */
export function wordsOf(source: string): { readonly comments: string; readonly strings: string } {
  const comments: string[] = []
  const strings: string[] = []
  for (const [, comment, string] of source.matchAll(pieces)) {
    if (comment !== undefined) comments.push(comment.replaceAll(/\n\s*\*?/g, '\n'))
    else if (string !== undefined) strings.push(string)
  }
  return { comments: comments.join('\n'), strings: strings.join('\n') }
}
