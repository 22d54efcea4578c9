/** Cuts text into pieces that are spoken one after the other, so that the first can be heard while the rest is made. */

export interface Piece {
  readonly text: string
  /** Silence behind it: engines' own pauses at the edges are trimmed away. */
  readonly pauseMs: number
}

const sentencePauseMs = 350
const clausePauseMs = 150
/** Where the engine is slow, a first sentence longer than this is cut at a comma: the caller is waiting. */
const longFirst = 60
/** Shorter beginnings and rests sound torn off. */
const shortestClause = 12
/** No engine gets more than this at once. */
const longest = 280

/**
 * Never empty pieces; the last one has no pause behind it.
 * @param early whether the first piece is wanted soon: a long sentence is then cut at its first good place
 */
export function splitSentences(text: string, early = false): Piece[] {
  const pieces: Piece[] = []
  for (const sentence of sentences(text)) {
    const limit = early && pieces.length === 0 ? longFirst : longest
    let rest = sentence
    // Only the first cut is an early one.
    for (let cut = clauseCut(rest, limit); cut !== null; cut = clauseCut(rest, longest)) {
      pieces.push({ text: rest.slice(0, cut.end).trim(), pauseMs: cut.pauseMs })
      rest = rest.slice(cut.end).trim()
    }
    if (rest !== '') pieces.push({ text: rest, pauseMs: sentencePauseMs })
  }
  const spoken = pieces.filter((piece) => /[\p{L}\p{N}]/u.test(piece.text))
  return spoken.map((piece, index) => (index === spoken.length - 1 ? { ...piece, pauseMs: 0 } : piece))
}

function sentences(text: string): string[] {
  const found: string[] = []
  let start = 0
  for (const match of text.matchAll(/(?<![.!?])[.!?]+["')\]]*(?=\s|$)|[。！？]+|\n+/g)) {
    const end = match.index + match[0].length
    const before = text.slice(Math.max(start, match.index - 3), match.index)
    // "J. Smith", "U. S.": a lone capital before the stop is an initial.
    if (match[0].startsWith('.') && /(^|[\s.])\p{Lu}$/u.test(before) && /^\s+\p{Lu}/u.test(text.slice(end)) && !/[AP] M$/.test(before))
      continue
    found.push(text.slice(start, end).trim())
    start = end
  }
  found.push(text.slice(start).trim())
  return found.filter((sentence) => sentence !== '')
}

/** Where a piece that is too long is cut: behind the last clause within the limit, else the first one after it, else (far too long) at a space. */
function clauseCut(text: string, limit: number): { end: number; pauseMs: number } | null {
  if (text.length <= limit) return null
  const ends = [...text.matchAll(/[,;:、，；：](?=\s|$)|[、，；：]/g)]
    .map((match) => match.index + 1)
    .filter((end) => end >= shortestClause && end <= text.length - shortestClause && !insideNumber(text, end))
  const within = ends.findLast((end) => end <= limit) ?? (ends[0] !== undefined && ends[0] <= longest ? ends[0] : undefined)
  if (within !== undefined) return { end: within, pauseMs: clausePauseMs }
  if (text.length <= longest) return null
  const space = text.lastIndexOf(' ', longest)
  return { end: space > 40 ? space : longest, pauseMs: 0 }
}

const numberWord =
  '(?:\\d+|zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w+teen|\\w+ty(?:-\\w+)?|hundred|thousand|\\w+th|first|second|third|\\w+-(?:first|second|third))'
const numberBefore = new RegExp(`${numberWord}[,:、，]$`, 'i')
const numberBehind = new RegExp(`^\\s*${numberWord}\\b`, 'i')

/** "March fifth, twenty twenty-six", "five five five, one two three four": one thing, said in one breath. */
function insideNumber(text: string, end: number): boolean {
  return numberBefore.test(text.slice(Math.max(0, end - 24), end)) && numberBehind.test(text.slice(end, end + 24))
}
