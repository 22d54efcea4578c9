/**
 * The words of a page at their places: one cut out of a raster and enlarged, so that neither frames nor columns nor what stands next to it
 * decide what a reader makes of it. All rasters of a page are cut alike.
 */
import { readFileSync } from 'node:fs'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { hashOf, kept } from './kept.ts'
import { outputOf } from './peers.ts'

interface Place {
  readonly word: string
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** In points, from the upper left corner of the page as it is read. */
export interface Places {
  readonly width: number
  readonly height: number
  readonly words: readonly Place[]
}

/** Around a word, of its height: a line below it is a part of what there is to see. */
const around = 0.15
const edge = 24

export async function placesOf(path: string): Promise<Places | undefined> {
  const words = ['-l', '1', '-bbox', '-cropbox']
  const page = await kept(
    hashOf(`pdftotext ${words.join(' ')}`, readFileSync(path)),
    async () => (await outputOf('pdftotext', [...words, path, '-'], 20)) ?? Buffer.alloc(0),
  )
  const text = page.toString('utf8')
  const size = /<page width="([\d.]+)" height="([\d.]+)"/.exec(text)
  if (size === null) return undefined
  const found = [...text.matchAll(/<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">([^<]*)</g)].map(
    ([, left, top, right, bottom, word = '']) => ({
      word,
      left: Number(left),
      top: Number(top),
      right: Number(right),
      bottom: Number(bottom),
    }),
  )
  return { width: Number(size[1]), height: Number(size[2]), words: found }
}

/** A word as grey dots, `times` as large, in PGM; turned by quarters to the left. Undefined where the raster is of another part of the page. */
export function wordAlone(raster: Bitmap, page: Places, place: Place, times: number, quarters: number): Buffer | undefined {
  // Of a page with /Rotate pdftotext names the sides before it is turned, and the words after that.
  const found = [
    [page.width, page.height],
    [page.height, page.width],
  ]
    .map(([width = 1, height = 1]) => [raster.width / width, raster.rows / height] as const)
    // 204 dots to an inch, and 196 or 204 rows; turned or not.
    .find(([across, down]) => Math.abs(Math.log(across / down)) < 0.06)
  if (found === undefined) return undefined
  const [across, down] = found
  const { left, top, right, bottom } = place
  const margin = Math.min(bottom - top, right - left) * around
  const x = Math.floor(Math.max(0, left - margin) * across)
  const y = Math.floor(Math.max(0, top - margin) * down)
  const [wide, high] = [Math.ceil((right + margin) * across) - x, Math.ceil((bottom + margin) * down) - y]
  if (wide < 4 || high < 4 || wide * high > 4e6) return undefined
  const isBlack = (dot: number, row: number): number => {
    if (dot < 0 || row < 0 || dot >= wide || row >= high || x + dot >= raster.width || y + row >= raster.rows) return 0
    return ((raster.data[(y + row) * raster.stride + ((x + dot) >> 3)] as number) >> (7 - ((x + dot) & 7))) & 1
  }
  /** Between four dots, as a printer's ink runs. */
  const shade = (dot: number, row: number): number => {
    const [left, upper] = [Math.floor(dot), Math.floor(row)]
    const [toRight, toLower] = [dot - left, row - upper]
    const above = isBlack(left, upper) * (1 - toRight) + isBlack(left + 1, upper) * toRight
    const below = isBlack(left, upper + 1) * (1 - toRight) + isBlack(left + 1, upper + 1) * toRight
    return 255 - Math.round(255 * (above * (1 - toLower) + below * toLower))
  }
  const [ownWide, ownHigh] = quarters % 2 === 0 ? [wide, high] : [high, wide]
  const [columns, rows] = [ownWide * times + 2 * edge, ownHigh * times + 2 * edge]
  const grey = Buffer.alloc(columns * rows, 255)
  for (let row = 0; row < ownHigh * times; row++) {
    for (let column = 0; column < ownWide * times; column++) {
      const [u, v] = [(column + 0.5) / times - 0.5, (row + 0.5) / times - 0.5]
      const [dot, line] = [
        [u, v],
        [wide - 1 - v, u],
        [wide - 1 - u, high - 1 - v],
        [v, high - 1 - u],
      ][quarters] as [number, number]
      grey[(row + edge) * columns + column + edge] = shade(dot, line)
    }
  }
  return Buffer.concat([Buffer.from(`P5\n${columns} ${rows}\n255\n`), grey])
}
