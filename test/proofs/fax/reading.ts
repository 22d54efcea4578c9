/**
 * Words that tesseract reads of a page. It reads the same page otherwise when it lies a few dots elsewhere, and what it takes for columns of text
 * or for a picture decides more than the letters: where a page seems worse, each raster is read again as a column and as words anywhere, each
 * at two places. The mean of the places counts, and the better of the two ways, for all alike.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { hashOf, kept } from './kept.ts'
import { outputOf } from './peers.ts'

const seconds = 60
/** Rows and bytes of eight dots by which a page is moved. */
const moves = [
  [0, 0],
  [3, 1],
] as const
/** Of tesseract's page segmentation modes: a column of text of many sizes, words anywhere. */
const column = '4'
const anywhere = '11'

export const pbmOf = ({ width, rows, data }: Bitmap): Buffer => Buffer.concat([Buffer.from(`P4\n${width} ${rows}\n`), data])

function moved(bitmap: Bitmap, [down, across]: readonly [number, number]): Bitmap {
  const stride = bitmap.stride + across
  const rows = bitmap.rows + down
  const data = new Uint8Array(stride * rows)
  for (let y = 0; y < bitmap.rows; y++)
    data.set(bitmap.data.subarray(y * bitmap.stride, (y + 1) * bitmap.stride), (y + down) * stride + across)
  return { width: bitmap.width + across * 8, rows, stride, data }
}

async function textOf(bitmap: Bitmap, way: string): Promise<string> {
  const pbm = pbmOf(bitmap)
  const text = await kept(hashOf(`tesseract --psm ${way}`, pbm), async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pbxd-reading-'))
    try {
      const file = join(folder, 'page.pbm')
      writeFileSync(file, pbm)
      return (await outputOf('tesseract', [file, 'stdout', '--dpi', '200', '--psm', way], seconds)) ?? Buffer.alloc(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  return text.toString('utf8')
}

/** Case and punctuation do not count. */
const plain = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

function found(text: string, words: readonly string[]): number {
  const read = new Map<string, number>()
  for (const word of text.split(/\s+/).map(plain)) read.set(word, (read.get(word) ?? 0) + 1)
  return words.map(plain).filter((word) => {
    const left = read.get(word) ?? 0
    read.set(word, left - 1)
    return left > 0
  }).length
}

/** How many of the words are read of the sheets of a page. */
export async function wordsRead(sheets: readonly Bitmap[], words: readonly string[], way = column): Promise<number> {
  const texts: string[] = []
  for (const sheet of sheets) texts.push(await textOf(sheet, way))
  return found(texts.join('\n'), words)
}

async function wordsReadSteadily(sheets: readonly Bitmap[], words: readonly string[]): Promise<number> {
  const means: number[] = []
  for (const way of [column, anywhere]) {
    let sum = 0
    for (const move of moves) {
      const elsewhere = sheets.map((sheet) => moved(sheet, move))
      sum += await wordsRead(elsewhere, words, way)
    }
    means.push(sum / moves.length)
  }
  return Math.max(...means)
}

/** Chance: one word, or two in a hundred. */
export const isLess = (own: number, best: number, words: number): boolean => best - own >= 1 && best - own > words * 0.02

export type Verdict = 'all' | 'better' | 'level' | 'worse'

export interface Compared {
  readonly verdict: Verdict
  /** Words of the page, and how many of them were read: of ours, and of the best of the others. */
  readonly of: number
  readonly ours: number
  readonly best?: number
  readonly by?: string
}

/** `own`: as it is sent, and without the margins of the sheet, which the others do not draw. `others` draws when it is needed: not for a page of which every word was read. */
export async function compareWords(
  own: { readonly sheets: readonly Bitmap[]; readonly alone: readonly Bitmap[] },
  words: readonly string[],
  others: () => Promise<ReadonlyMap<string, Bitmap>>,
): Promise<Compared> {
  const of = words.length
  const first = await wordsRead(own.sheets, words)
  if (first === of) return { verdict: 'all', of, ours: of }
  const drawn = await others()
  const best = async (read: (bitmap: Bitmap) => Promise<number>): Promise<[by: string, count: number]> => {
    let most: [string, number] = ['nobody', 0]
    for (const [name, bitmap] of drawn) {
      const count = await read(bitmap)
      if (count > most[1]) most = [name, count]
    }
    return most
  }
  const [by, count] = await best((bitmap) => wordsRead([bitmap], words))
  if (!isLess(first, count, of)) return { verdict: isLess(count, first, of) ? 'better' : 'level', of, ours: first, best: count, by }
  const ours = await wordsReadSteadily(own.alone, words)
  const [steadilyBy, steadily] = await best((bitmap) => wordsReadSteadily([bitmap], words))
  return { verdict: isLess(ours, steadily, of) ? 'worse' : 'level', of, ours, best: steadily, by: steadilyBy }
}
