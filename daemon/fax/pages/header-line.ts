/**
 * The line above each page of a fax (47 CFR 68.318(d)): date, time, sender, station and page. spandsp draws it while it sends; here it is
 * drawn for pictures of what is sent, in the same words, with the same letters and in the same rows.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../base/root.ts'
import { createBitmap, type Bitmap } from './bitmap.ts'

export interface HeaderFacts {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Of the time in the line, east of Greenwich. */
  readonly utcOffsetMinutes: number
  readonly sender: string
  /** Our number, as the fax machines have it. */
  readonly station: string
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `page` counts from 1, the pages of the whole fax. */
export function headerText({ at, utcOffsetMinutes, sender, station }: HeaderFacts, page: number): string {
  const local = new Date(at + utcOffsetMinutes * 60_000)
  const two = (value: number): string => String(value).padStart(2, '0')
  const date = `${String(local.getUTCDate()).padStart(2)}-${months[local.getUTCMonth()]}-${local.getUTCFullYear()}`
  const time = `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`
  const name = [...sender].slice(0, 50).join('').padEnd(50)
  const own = station
    .replaceAll(/[^0-9+ ]/g, '')
    .slice(0, 20)
    .padEnd(21)
  return `  ${date}  ${time}    ${name} ${own}   p.${page}`
}

/** Upper half of the character set of the font, code page 437. */
const upperHalf =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

/** 256 letters of 16 rows of 16 dots. */
const fontFile = join(root, 'daemon/fax/pages/font/header-font.bin')
const letterRows = 16
const letterBytes = 2
let font: Uint8Array | undefined

function codeOf(letter: string): number {
  const code = letter.codePointAt(0) as number
  if (code < 0x80) return code < 0x20 || code === 0x7f ? 0x20 : code
  const place = upperHalf.indexOf(letter)
  return place < 0 ? 0x3f : 0x80 + place
}

/** The rows of the line. `dotsDown` 196 or 98: at the higher resolution each row of the font is two. */
export function headerRows(text: string, width: number, dotsDown: number): Bitmap {
  font ??= readFileSync(fontFile)
  const repeated = dotsDown > 150 ? 2 : 1
  const bitmap = createBitmap(width, letterRows * repeated)
  const letters = [...text].slice(0, Math.floor(bitmap.stride / letterBytes))
  letters.forEach((letter, column) => {
    const from = codeOf(letter) * letterRows * letterBytes
    for (let row = 0; row < bitmap.rows; row++) {
      const source = from + Math.floor(row / repeated) * letterBytes
      bitmap.data.set(font!.subarray(source, source + letterBytes), row * bitmap.stride + column * letterBytes)
    }
  })
  return bitmap
}
