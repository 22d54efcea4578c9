/**
 * Words that tesseract reads of a page. It reads the same page otherwise when it lies a dot elsewhere, and what it takes for columns of text
 * or for a picture decides more than the letters. So where a page seems worse its chance is measured: each raster is read again as a column and
 * as words anywhere, each at three places on the sheet. Of the others a word counts that most of these readings have; of ours one counts that
 * any of them has, or that is read when it is cut out and enlarged (places.ts). A page is worse by the words that are read steadily from another
 * raster, and never from ours.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { hashOf, kept } from './kept.ts'
import { outputOf } from './peers.ts'
import { wordAlone, type Places } from './places.ts'

const seconds = 60
/** Rows and dots by which a page is moved. */
const moves = [
  [0, 0],
  [1, 1],
  [3, 8],
] as const
/** Of tesseract's page segmentation modes: a column of text of many sizes, words anywhere, a line, a word. */
const column = '4'
const anywhere = '11'
const oneLine = '7'
const oneWord = '8'
const enlarged = [2, 3] as const

export const pbmOf = ({ width, rows, data }: Bitmap): Buffer => Buffer.concat([Buffer.from(`P4\n${width} ${rows}\n`), data])

function moved(bitmap: Bitmap, [down, across]: readonly [number, number]): Bitmap {
  const [stride, rows] = [bitmap.stride + (across >> 3) + 1, bitmap.rows + down]
  const data = new Uint8Array(stride * rows)
  for (let y = 0; y < bitmap.rows; y++) {
    let at = (y + down) * stride + (across >> 3)
    for (const bits of bitmap.data.subarray(y * bitmap.stride, (y + 1) * bitmap.stride)) {
      data[at++]! |= bits >> (across & 7)
      data[at]! |= (bits << (8 - (across & 7))) & 0xff
    }
  }
  return { width: stride * 8, rows, stride, data }
}

async function readBy(image: Buffer, way: string): Promise<string> {
  const text = await kept(hashOf(`tesseract --psm ${way}`, image), async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pbxd-reading-'))
    try {
      const file = join(folder, 'page.pnm')
      writeFileSync(file, image)
      return (await outputOf('tesseract', [file, 'stdout', '--dpi', '200', '--psm', way], seconds)) ?? Buffer.alloc(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  return text.toString('utf8')
}

/** Case and punctuation do not count. */
const plain = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

const wordsIn = (text: string): string[] => text.split(/\s+/).map(plain)

function found(text: string, words: readonly string[]): number {
  const read = countsOf(wordsIn(text))
  return [...countsOf(words.map(plain))].reduce((sum, [word, count]) => sum + Math.min(count, read.get(word) ?? 0), 0)
}

async function textOf(sheets: readonly Bitmap[], way: string): Promise<string> {
  const texts: string[] = []
  for (const sheet of sheets) texts.push(await readBy(pbmOf(sheet), way))
  return texts.join('\n')
}

/** How many of the words are read of the sheets of a page. */
export const wordsRead = async (sheets: readonly Bitmap[], words: readonly string[]): Promise<number> =>
  found(await textOf(sheets, column), words)

/** Places of a word at which it is read, at most `wanted`. */
async function placesRead(sheet: Bitmap, places: Places, word: string, wanted: number): Promise<number> {
  let read = 0
  for (const place of places.words) {
    if (read === wanted) return read
    if (plain(place.word) !== word) continue
    // A short word is higher than wide, as a word that stands on its end.
    const wide = place.right - place.left >= place.bottom - place.top
    if (await isRead(sheet, places, place, wide ? [0, 2] : [0, 1, 3])) read += 1
  }
  return read
}

async function isRead(sheet: Bitmap, places: Places, place: Places['words'][number], turns: readonly number[]): Promise<boolean> {
  for (const way of [oneWord, oneLine]) {
    for (const times of enlarged) {
      for (const turn of turns) {
        const image = wordAlone(sheet, places, place, times, turn)
        if (image !== undefined && wordsIn(await readBy(image, way)).includes(plain(place.word))) return true
      }
    }
  }
  return false
}

/** By word, how often each reading of the page has it. */
async function readingsOf(sheets: readonly Bitmap[]): Promise<Map<string, number>[]> {
  const readings: Map<string, number>[] = []
  for (const way of [column, anywhere]) {
    for (const move of moves) {
      const elsewhere = sheets.map((sheet) => moved(sheet, move))
      readings.push(countsOf(wordsIn(await textOf(elsewhere, way))))
    }
  }
  return readings
}

/** By word, how often it is read by more than half of the readings. */
async function steadilyRead(sheet: Bitmap, words: readonly string[]): Promise<Map<string, number>> {
  const readings = await readingsOf([sheet])
  const steady = new Map<string, number>()
  for (const [word, count] of countsOf(words.map(plain))) {
    const counts = readings.map((reading) => reading.get(word) ?? 0).toSorted((a, b) => b - a)
    steady.set(word, Math.min(count, counts[counts.length >> 1]!))
  }
  return steady
}

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0)

/** Of words that another raster shows steadily, those that cannot be read of ours; `wanted`: how often each. */
async function missing(sheets: readonly Bitmap[], wanted: ReadonlyMap<string, number>, places: Places | undefined): Promise<string[]> {
  const readings = await readingsOf(sheets)
  const words: string[] = []
  for (const [word, count] of wanted) {
    let read = Math.min(count, Math.max(...readings.map((reading) => reading.get(word) ?? 0)))
    if (read < count && places !== undefined && sheets.length === 1)
      read = Math.max(read, await placesRead(sheets[0]!, places, word, count))
    words.push(...Array.from({ length: count - read }, () => word))
  }
  return words
}

/** Chance: one word, or two in a hundred. */
export const isLess = (own: number, best: number, words: number): boolean => best - own >= 1 && best - own > words * 0.02

export type Verdict = 'all' | 'better' | 'level' | 'worse'

export interface Compared {
  readonly verdict: Verdict
  /** Words of the page, and how many of them were read: of ours, and of the best of the others; of a page that seemed worse, of those that this one shows steadily. */
  readonly of: number
  readonly ours: number
  readonly best?: number
  readonly by?: string
  readonly lacking?: readonly string[]
}

/** `own`: as it is sent, and without the margins of the sheet, which the others do not draw. `others` draws when it is needed: not for a page of which every word was read. */
export async function compareWords(
  own: { readonly sheets: readonly Bitmap[]; readonly alone: readonly Bitmap[] },
  words: readonly string[],
  others: () => Promise<ReadonlyMap<string, Bitmap>>,
  places?: Places,
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
  let worst: Compared = { verdict: 'level', of, ours: first, best: count, by }
  let most = 0
  for (const [name, bitmap] of drawn) {
    const wanted = await steadilyRead(bitmap, words)
    const steady = sumOf(wanted)
    const lacking = await missing(own.alone, wanted, places)
    if (lacking.length <= most) continue
    most = lacking.length
    const ours = steady - most
    worst = { verdict: isLess(ours, steady, of) ? 'worse' : 'level', of, ours, best: steady, by: name, lacking }
  }
  return worst
}
