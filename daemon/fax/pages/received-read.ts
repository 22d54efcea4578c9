/**
 * Reads a page back out of the PDF that was made of a received fax (received.ts), dot for dot. The bytes of the pages came from a stranger, the
 * file around them did not; what is not as it was written is undefined, and PDFium has its turn.
 */
import type { Bitmap } from './bitmap.ts'
import { decodeT6 } from './t6-decode.ts'
import { dotsDown } from './tiff.ts'

export interface FaxSheet {
  readonly bitmap: Bitmap
  /** Dots per inch. */
  readonly down: number
}

const mostDots = 60_000_000

class Objects {
  readonly #pdf: Buffer
  readonly #places: readonly number[]

  constructor(pdf: Buffer) {
    this.#pdf = pdf
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(pdf.toString('latin1', Math.max(0, pdf.length - 64)))?.[1] ?? pdf.length)
    this.#places = [...pdf.toString('latin1', start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place))
  }

  /** What stands before its stream, or before its end. */
  head(number: number): string {
    const from = this.#places[number - 1] ?? this.#pdf.length
    const stream = this.#pdf.indexOf('stream\n', from)
    const end = this.#pdf.indexOf('endobj\n', from)
    const to = stream < 0 ? end : Math.min(stream, end)
    return to < 0 ? '' : this.#pdf.toString('latin1', from, to)
  }

  stream(number: number, bytes: number): Buffer {
    const from = this.#pdf.indexOf('stream\n', this.#places[number - 1] ?? this.#pdf.length)
    return from < 0 ? Buffer.alloc(0) : this.#pdf.subarray(from + 7, from + 7 + bytes)
  }
}

const numberAfter = (text: string, name: string): number => Number(new RegExp(`/${name} (\\d+)`).exec(text)?.[1] ?? 0)

/** Rows of all strips, one below the other. */
function joined(parts: readonly Bitmap[]): Bitmap | undefined {
  const [first] = parts
  if (first === undefined || parts.some(({ width }) => width !== first.width)) return undefined
  return { ...first, rows: parts.reduce((sum, { rows }) => sum + rows, 0), data: Buffer.concat(parts.map(({ data }) => data)) }
}

/** `page` counts from 1. */
export function receivedSheet(pdf: Buffer, page: number): FaxSheet | undefined {
  const objects = new Objects(pdf)
  const [, kids = ''] = /\/Kids \[([^\]]*)\]/.exec(objects.head(2)) ?? []
  const number = [...kids.matchAll(/(\d+) 0 R/g)][page - 1]?.[1]
  if (number === undefined) return undefined
  const head = objects.head(Number(number))
  const [, height] = /\/MediaBox \[0 0 [\d.]+ ([\d.]+)\]/.exec(head) ?? []
  const parts: Bitmap[] = []
  let dots = 0
  for (const [, strip] of head.matchAll(/\/S\d+ (\d+) 0 R/g)) {
    const picture = objects.head(Number(strip))
    const [width, rows] = [numberAfter(picture, 'Width'), numberAfter(picture, 'Height')]
    dots += width * rows
    if (!picture.includes('/K -1 ') || picture.includes('/BlackIs1') || width < 1 || dots > mostDots) return undefined
    parts.push(decodeT6(objects.stream(Number(strip), numberAfter(picture, 'Length')), width, rows).bitmap)
  }
  const bitmap = joined(parts)
  const points = Number(height)
  if (bitmap === undefined || !(points > 0)) return undefined
  const down = (bitmap.rows / points) * 72
  return { bitmap, down: down > (dotsDown.fine + dotsDown.standard) / 2 ? dotsDown.fine : dotsDown.standard }
}
