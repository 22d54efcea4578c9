/** A call as a ladder: who says what to whom, from top to bottom. */
import { dim, print, seconds } from '../cli/output.ts'

export interface Rung {
  readonly atMs: number
  readonly from: string
  /** The same as `from`: something that happens there alone. */
  readonly to: string
  readonly text: string
}

const width = 15

/** `columns`: the parties, from left to right. */
export function printLadder(columns: readonly string[], rungs: readonly Rung[]): void {
  const centre = (text: string): string => text.padStart(Math.ceil((width + text.length) / 2)).padEnd(width)
  print(`${' '.repeat(9)}${columns.map(centre).join('')}`)
  for (const { atMs, from, to, text } of rungs) {
    print(`${dim(seconds(atMs).padStart(8))} ${line(columns.length, columns.indexOf(from), columns.indexOf(to))}  ${text}`)
  }
}

function line(count: number, from: number, to: number): string {
  const cells: string[] = Array.from({ length: count * width }, (_, at) => (at % width === Math.floor(width / 2) ? '│' : ' '))
  const place = (column: number): number => column * width + Math.floor(width / 2)
  if (from === to) cells[place(from)] = '●'
  else {
    const [left, right] = [Math.min(place(from), place(to)), Math.max(place(from), place(to))]
    for (let at = left + 1; at < right; at++) cells[at] = '─'
    cells[to > from ? right - 1 : left + 1] = to > from ? '▶' : '◀'
  }
  return cells.join('')
}
