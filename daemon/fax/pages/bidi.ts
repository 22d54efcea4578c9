/**
 * Order of text on a line, for scripts that run from right to left: a simplified Unicode bidirectional algorithm (UAX #9) of one
 * paragraph without embeddings. Enough for names and subjects in Hebrew and Arabic with numbers and Latin words among them.
 */

export interface Run {
  /** In reading order; the shaper turns a run from right to left around itself. */
  readonly text: string
  readonly rightToLeft: boolean
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}]/u
const leftToRight = /\p{L}/u
const digit = /\p{Nd}/u
const insideNumber = /[.,:/+-]/
const mark = /\p{M}/u
const mirrored: Readonly<Record<string, string>> = { '(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<' }

type Kind = 'L' | 'R' | 'N' | '-'

function kindsOf(characters: readonly string[]): Kind[] {
  const kinds = characters.map((character): Kind => {
    if (rightToLeft.test(character) && !digit.test(character)) return 'R'
    if (digit.test(character)) return 'N'
    return leftToRight.test(character) ? 'L' : '-'
  })
  characters.forEach((character, index) => {
    const before = kinds[index - 1]
    if (mark.test(character) && before !== undefined) kinds[index] = before
    else if (insideNumber.test(character) && before === 'N' && kinds[index + 1] === 'N') kinds[index] = 'N'
  })
  return kinds
}

/** Runs from left to right as they are drawn. */
export function visualRuns(text: string): { runs: Run[]; rightToLeft: boolean } {
  const characters = [...text]
  const kinds = kindsOf(characters)
  const base = kinds.find((kind) => kind === 'L' || kind === 'R') === 'R' ? 1 : 0
  const strong = (kind: Kind | undefined): 'L' | 'R' => (kind === undefined ? (base === 1 ? 'R' : 'L') : kind === 'L' ? 'L' : 'R')
  const levels = kinds.map((kind, index) => {
    if (kind === 'R') return 1
    if (kind === 'L') return base === 1 ? 2 : 0
    const before = kinds.slice(0, index).findLast((other) => other === 'L' || other === 'R')
    if (kind === 'N') return strong(before) === 'R' ? 2 : 0
    const leftSide = strong(kinds.slice(0, index).findLast((other) => other !== '-'))
    const rightSide = strong(kinds.slice(index).find((other) => other !== '-'))
    if (leftSide !== rightSide) return base
    return leftSide === 'R' ? 1 : base === 1 ? 2 : 0
  })
  let runs: (Run & { level: number })[] = []
  levels.forEach((level, index) => {
    const last = runs.at(-1)
    const character = level === 1 ? (mirrored[characters[index] as string] ?? (characters[index] as string)) : (characters[index] as string)
    if (last !== undefined && last.level === level) runs[runs.length - 1] = { ...last, text: last.text + character }
    else runs.push({ text: character, rightToLeft: level === 1, level })
  })
  // L2 of UAX #9: sequences of level 2 and above are turned, then those of level 1 and above.
  for (const level of [2, 1]) {
    const turned: typeof runs = []
    for (let at = 0; at < runs.length;) {
      let end = at
      while (end < runs.length && (runs[end] as { level: number }).level >= level) end++
      if (end === at) turned.push(runs[at++] as (typeof runs)[number])
      else {
        turned.push(...runs.slice(at, end).toReversed())
        at = end
      }
    }
    runs = turned
  }
  return { runs: runs.map((run) => ({ text: run.text, rightToLeft: run.rightToLeft })), rightToLeft: base === 1 }
}
