/**
 * Reader of received faxes: the whole pages of a TIFF file, wherever it breaks off. The bytes come from strangers: every
 * address is checked against the file, the number of pages, entries and strips is bounded, and a loop of directories ends.
 */
import { readSync } from 'node:fs'
import { compression, dotsAcross, dotsDown, tag } from './tiff.ts'

export interface Strip {
  readonly offset: number
  readonly bytes: number
  readonly rows: number
}

export interface TiffPage {
  readonly width: number
  readonly rows: number
  readonly compression: 2 | 3 | 4
  readonly t4Options: number
  /** White is 0, as faxes have it. */
  readonly whiteIsZero: boolean
  /** The lowest bit of each byte is the leftmost pixel (FillOrder 2). */
  readonly reversed: boolean
  /** Dots per inch. */
  readonly across: number
  readonly down: number
  readonly strips: readonly Strip[]
}

export interface TiffContents {
  readonly pages: readonly TiffPage[]
  /** False when something of the file could not be used: it broke off, or a page is damaged. */
  readonly whole: boolean
}

const mostPages = 1000
const mostEntries = 200
const mostStrips = 20_000
const mostWidth = 10_000
const mostRows = 65_535

interface Source {
  readonly file: number
  readonly size: number
  readonly little: boolean
}

/** Bytes at an address; nothing when they are not all there. */
function bytesAt(source: Pick<Source, 'file' | 'size'>, offset: number, length: number): Buffer | undefined {
  if (offset < 0 || length <= 0 || offset + length > source.size) return undefined
  const buffer = Buffer.alloc(length)
  return readSync(source.file, buffer, 0, length, offset) === length ? buffer : undefined
}

const sizes: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 5: 8 }

/** Values of one directory entry; a rational is its quotient. */
function valuesOf(source: Source, entry: Buffer): number[] {
  const { little } = source
  const short = (buffer: Buffer, at: number): number => (little ? buffer.readUInt16LE(at) : buffer.readUInt16BE(at))
  const long = (buffer: Buffer, at: number): number => (little ? buffer.readUInt32LE(at) : buffer.readUInt32BE(at))
  const type = short(entry, 2)
  const count = long(entry, 4)
  const size = sizes[type]
  if (size === undefined || count === 0 || count > mostStrips) return []
  const bytes = size * count <= 4 ? entry.subarray(8, 12) : bytesAt(source, long(entry, 8), size * count)
  if (bytes === undefined) return []
  return Array.from({ length: count }, (_, index) => {
    const at = index * size
    if (type === 1) return bytes[at] as number
    if (type === 3) return short(bytes, at)
    if (type === 4) return long(bytes, at)
    const below = long(bytes, at + 4)
    return below === 0 ? 0 : long(bytes, at) / below
  })
}

/** 204 x 196 or 204 x 98 is what a fax has; anything out of reason is taken for that. */
function resolutionOf(field: (number: number) => number[]): { across: number; down: number } {
  const factor = field(tag.resolutionUnit)[0] === 3 ? 2.54 : 1
  const reasonable = (value: number | undefined, otherwise: number): number =>
    value !== undefined && value * factor >= 50 && value * factor <= 1200 ? value * factor : otherwise
  return { across: reasonable(field(tag.xResolution)[0], dotsAcross), down: reasonable(field(tag.yResolution)[0], dotsDown.fine) }
}

function pageOf(source: Source, fields: ReadonlyMap<number, number[]>): TiffPage | undefined {
  const field = (number: number): number[] => fields.get(number) ?? []
  const width = field(tag.imageWidth)[0] ?? 0
  const rows = field(tag.imageLength)[0] ?? 0
  const coding = field(tag.compression)[0]
  const known = coding === compression.huffman || coding === compression.group3 || coding === compression.group4
  if (!known || width < 1 || width > mostWidth || rows < 1 || rows > mostRows) return undefined
  if ((field(tag.bitsPerSample)[0] ?? 1) !== 1 || (field(tag.samplesPerPixel)[0] ?? 1) !== 1) return undefined
  const rowsPerStrip = Math.min(field(tag.rowsPerStrip)[0] ?? rows, rows)
  const offsets = field(tag.stripOffsets)
  const counts = field(tag.stripByteCounts)
  if (rowsPerStrip < 1 || offsets.length !== Math.ceil(rows / rowsPerStrip) || counts.length !== offsets.length) return undefined
  const strips = offsets.map((offset, index) => ({
    offset,
    bytes: counts[index] as number,
    rows: Math.min(rowsPerStrip, rows - index * rowsPerStrip),
  }))
  if (strips.some((strip) => strip.bytes < 1 || strip.offset < 8 || strip.offset + strip.bytes > source.size)) return undefined
  return {
    width,
    rows,
    compression: coding,
    t4Options: field(tag.t4Options)[0] ?? 0,
    whiteIsZero: (field(tag.photometric)[0] ?? 0) === 0,
    reversed: field(tag.fillOrder)[0] === 2,
    ...resolutionOf(field),
    strips,
  }
}

/** Reads the directories of an open file of `size` bytes. */
export function readTiff(file: number, size: number): TiffContents {
  const header = bytesAt({ file, size }, 0, 8)
  const order = header?.toString('latin1', 0, 2)
  if (header === undefined || (order !== 'II' && order !== 'MM')) return { pages: [], whole: false }
  const little = order === 'II'
  const source: Source = { file, size, little }
  if ((little ? header.readUInt16LE(2) : header.readUInt16BE(2)) !== 42) return { pages: [], whole: false }
  const pages: TiffPage[] = []
  const seen = new Set<number>()
  let whole = true
  /** Strips of a real file share no bytes; a file made to swell is cut off here. */
  let bytesLeft = size
  let next = little ? header.readUInt32LE(4) : header.readUInt32BE(4)
  if (next === 0) return { pages, whole: false }
  while (next !== 0) {
    const count = bytesAt(source, next, 2)
    const entries = count === undefined ? 0 : little ? count.readUInt16LE(0) : count.readUInt16BE(0)
    const directory = entries === 0 || entries > mostEntries ? undefined : bytesAt(source, next + 2, entries * 12 + 4)
    if (directory === undefined || seen.has(next) || seen.size >= mostPages) return { pages, whole: false }
    seen.add(next)
    const fields = new Map<number, number[]>()
    const wanted: readonly number[] = Object.values(tag)
    for (let index = 0; index < entries; index++) {
      const entry = directory.subarray(index * 12, index * 12 + 12)
      const number = little ? entry.readUInt16LE(0) : entry.readUInt16BE(0)
      if (wanted.includes(number)) fields.set(number, valuesOf(source, entry))
    }
    const page = pageOf(source, fields)
    const bytes = page === undefined ? 0 : page.strips.reduce((sum, strip) => sum + strip.bytes, 0)
    if (page === undefined || bytes > bytesLeft) whole = false
    else pages.push(page)
    bytesLeft -= bytes
    next = little ? directory.readUInt32LE(entries * 12) : directory.readUInt32BE(entries * 12)
  }
  return { pages, whole }
}
