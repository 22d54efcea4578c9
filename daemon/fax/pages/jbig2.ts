/**
 * Generic regions of JBIG2 that are coded MMR (ITU-T T.88, 6.2.6), as they come from scanners and office machines: PDFium decodes them
 * and draws nothing. All other kinds of regions it draws.
 */
import type { Bitmap } from './bitmap.ts'
import { decodeT6 } from './t6-decode.ts'

export interface Region {
  /** Of its upper left dot on the page. */
  readonly left: number
  readonly top: number
  /** How it joins what is there (7.4.1.5): 0 OR, 1 AND, 2 XOR, 3 XNOR, 4 REPLACE. */
  readonly operator: number
  readonly bitmap: Bitmap
  /** All of its rows could be decoded. */
  readonly whole: boolean
}

/** Immediate generic regions, and lossless ones (7.3). */
const genericRegions = new Set([38, 39])
const unknownLength = 0xffffffff
const mostDots = 200_000_000

export interface Segment {
  readonly type: number
  readonly data: Buffer
  /** With its header. */
  readonly whole: Buffer
  /** Segments that it refers to. */
  readonly references: number
}

/** Segments as they follow each other in a PDF: without the header of a file (7.2). */
function* segmentsOf(bytes: Buffer): Generator<Segment> {
  let at = 0
  while (at + 11 <= bytes.length) {
    const start = at
    const number = bytes.readUInt32BE(at)
    const flags = bytes.readUInt8(at + 4)
    at += 5
    // Segments it refers to: their number in three bits, or in a long form with a bit for each; then their own numbers.
    const short = bytes.readUInt8(at) >> 5
    const references = short === 7 ? bytes.readUInt32BE(at) & 0x1fffffff : short
    at += short === 7 ? 4 + Math.ceil((references + 1) / 8) : 1
    at += references * (number <= 256 ? 1 : number <= 65_536 ? 2 : 4)
    at += (flags & 0x40) === 0 ? 1 : 4
    if (at + 4 > bytes.length) return
    const length = bytes.readUInt32BE(at)
    at += 4
    const end = length === unknownLength ? bytes.length : Math.min(bytes.length, at + length)
    yield { type: flags & 0x3f, data: bytes.subarray(at, end), whole: bytes.subarray(start, end), references }
    at = end
  }
}

/** Regions of a stream, in their order. Nothing is believed of it: what makes no sense is left out, or is not `whole`. */
export function mmrRegions(bytes: Buffer): Region[] {
  const regions: Region[] = []
  for (const { type, data } of segmentsOf(bytes)) {
    if (!genericRegions.has(type) || data.length < 18 || (data.readUInt8(17) & 1) === 0) continue
    const width = data.readUInt32BE(0)
    const rows = data.readUInt32BE(4)
    if (width === 0 || rows === 0 || width * rows > mostDots) continue
    const { bitmap, decoded } = decodeT6(data.subarray(18), width, rows)
    const place = { left: data.readUInt32BE(8), top: data.readUInt32BE(12), operator: data.readUInt8(16) & 7 }
    regions.push({ ...place, bitmap, whole: decoded === rows })
  }
  return regions
}

const pageInformation = 48
/** Regions that go onto the page as they come: of text, halftones, generic ones, refinements (7.3). */
const immediateRegions = new Set([6, 7, 22, 23, 38, 39, 42, 43])
const refinements = new Set([42, 43])
const mostRegions = 64

export interface Composition {
  readonly width: number
  readonly rows: number
  /** The page is black before anything is on it. */
  readonly black: boolean
  /** In their order: each alone on a page, where it lies, and its operator (see `Region`). */
  readonly regions: readonly {
    readonly alone: Buffer
    readonly left: number
    readonly top: number
    readonly width: number
    readonly rows: number
    readonly operator: number
  }[]
}

/** A copy of a segment with some of its bytes, counted from its data on, changed. */
function changed({ whole, data }: Segment, at: number, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(whole)
  const place = whole.length - data.length + at
  copy[place] = change(copy[place] as number)
  return copy
}

/**
 * The regions of a picture in which not all are joined by OR, which PDFium does not do rightly; undefined where all are, null where it
 * cannot be taken apart.
 */
export function compositionOf(bytes: Buffer): Composition | undefined | null {
  const segments = [...segmentsOf(bytes)]
  const isRegion = ({ type, data }: Segment): boolean => immediateRegions.has(type) && data.length >= 18
  const regions = segments.filter(isRegion)
  if (regions.every(({ data }) => (data.readUInt8(16) & 7) === 0)) return undefined
  const page = segments.find(({ type, data }) => type === pageInformation && data.length >= 19)
  if (page === undefined || regions.length > mostRegions) return null
  // One that refines the page itself needs the page as it is then.
  if (regions.some(({ type, references }) => refinements.has(type) && references === 0)) return null
  const [width, rows] = [page.data.readUInt32BE(0), page.data.readUInt32BE(4)]
  if (width * rows === 0 || width * rows > mostDots) return null
  const white = changed(page, 16, (flags) => flags & ~0b1_1100)
  const others = segments.filter((segment) => segment !== page && !isRegion(segment) && segment.type < pageInformation)
  return {
    width,
    rows,
    black: (page.data.readUInt8(16) & 4) !== 0,
    regions: regions.map((region) => ({
      alone: Buffer.concat([white, ...others.map(({ whole }) => whole), changed(region, 16, (flags) => flags & ~7)]),
      left: region.data.readUInt32BE(8),
      top: region.data.readUInt32BE(12),
      width: region.data.readUInt32BE(0),
      rows: region.data.readUInt32BE(4),
      operator: region.data.readUInt8(16) & 7,
    })),
  }
}
