/** Dots in a row that are even, or run evenly from one shade to another, and which of them touch: what shades are found by. */
import type { Gray } from './bitmap.ts'

/** Dots of a run at least; how far the next dot, and the row below, may differ. */
const leastRun = 6
export const steepest = 2
/** Darker than this is ink, not a shade. */
const ink = 40
/** Mean length of the runs of a shade that is wide; letters are thinner. */
export const leastMean = 16

/** Runs of even dots, from row to row; `from` and `to` are dots of the page. */
export interface Runs {
  readonly from: Int32Array
  readonly to: Int32Array
  /** First run of each row, and one more. */
  readonly rows: Int32Array
  /** The first run of the same shade. */
  readonly of: Int32Array
}

function rootOf(of: Int32Array, run: number): number {
  let at = run
  while (of[at] !== at) at = of[at] = of[of[at] as number] as number
  return at
}

/** `palest`: what is lighter is paper. */
export function findRuns({ width, rows, data }: Gray, palest: number): Runs {
  const most = Math.ceil(data.length / leastRun)
  const runs: Runs = { from: new Int32Array(most), to: new Int32Array(most), rows: new Int32Array(rows + 1), of: new Int32Array(most) }
  const { from, to, of } = runs
  const quads = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2)
  let count = 0
  for (let y = 0; y < rows; y++) {
    runs.rows[y] = count
    const limit = (y + 1) * width
    for (let at = y * width; at + leastRun <= limit;) {
      if ((at & 3) === 0 && quads[at >> 2] === 0xffffffff) {
        at += 4
        continue
      }
      const first = data[at] as number
      const end = first > palest || first < ink ? at + 1 : endOfRun(data, at, limit)
      if (end - at >= leastRun) {
        from[count] = at
        to[count] = end
        of[count] = count++
      }
      at = end
    }
    if (y > 0) joinRows(runs, y, count, data, width)
  }
  runs.rows[rows] = count
  // What refers to another comes after it.
  for (let run = 0; run < count; run++) of[run] = of[of[run] as number] as number
  return runs
}

/** Where dots that are the same, or go up or down in small steps, end. */
function endOfRun(data: Uint8Array, start: number, limit: number): number {
  let direction = 0
  let before = data[start] as number
  let at = start + 1
  for (; at < limit; at++) {
    const value = data[at] as number
    if (value === before) continue
    const up = value > before ? 1 : -1
    if (Math.abs(value - before) > steepest || direction === -up) break
    direction = up
    before = value
  }
  return at
}

function joinRows({ from, to, rows, of }: Runs, y: number, count: number, data: Uint8Array, width: number): void {
  let above = rows[y - 1] as number
  const aboveEnd = rows[y] as number
  for (let run = aboveEnd; run < count; run++) {
    const [start, end] = [(from[run] as number) - width, (to[run] as number) - width]
    while (above < aboveEnd && (to[above] as number) <= start) above++
    for (let other = above; other < aboveEnd && (from[other] as number) < end; other++) {
      const at = Math.max(start, from[other] as number)
      if (Math.abs((data[at + width] as number) - (data[at] as number)) > steepest) continue
      const [a, b] = [rootOf(of, run), rootOf(of, other)]
      of[Math.max(a, b)] = Math.min(a, b)
    }
  }
}

/** Whether there is any shade at all, by every fourth row: pages of text have none, and are most. */
export function hasShade({ width, rows, data }: Gray, palest: number): boolean {
  for (let y = 0; y < rows; y += 4) {
    for (let at = y * width; at + leastMean < (y + 1) * width; at += leastMean >> 1) {
      const value = data[at] as number
      if (value > palest || value < ink || Math.abs((data[at + (leastMean >> 1)] as number) - value) > leastMean) continue
      if (endOfRun(data, at, (y + 1) * width) - at >= leastMean) return true
    }
  }
  return false
}

/** Dots of each shade, by its first run. */
export function countDots({ from, to, of, rows }: Runs): Int32Array {
  const count = rows.at(-1) as number
  const dots = new Int32Array(count)
  for (let run = 0; run < count; run++) dots[of[run] as number]! += (to[run] as number) - (from[run] as number)
  return dots
}
