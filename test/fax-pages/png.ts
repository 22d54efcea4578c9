/** Reads back the PNG files that are written here: gray, no filters. */
import { crc32, inflateSync } from 'node:zlib'

export interface Png {
  readonly width: number
  readonly rows: number
  readonly depth: number
  /** Dots across and down a metre. */
  readonly across: number
  readonly down: number
  /** Packed rows, as they are in the file: 0 is black. */
  readonly lines: readonly Buffer[]
}

/** Throws where the file is not as ISO 15948 has it. */
export function readPng(file: Buffer): Png {
  if (file.subarray(0, 8).toString('hex') !== '89504e470d0a1a0a') throw new Error('no PNG')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < file.length;) {
    const bytes = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const data = file.subarray(at + 8, at + 8 + bytes)
    if (crc32(file.subarray(at + 4, at + 8 + bytes)) !== file.readUInt32BE(at + 8 + bytes)) throw new Error(`the chunk ${type} is damaged`)
    chunks.set(type, data)
    at += 12 + bytes
  }
  const [head, size, packed] = [chunks.get('IHDR'), chunks.get('pHYs'), chunks.get('IDAT')]
  if (head === undefined || size === undefined || packed === undefined || !chunks.has('IEND')) throw new Error('a chunk is missing')
  const [width, rows, depth] = [head.readUInt32BE(0), head.readUInt32BE(4), head[8]!]
  const stride = Math.ceil((width * depth) / 8)
  const data = inflateSync(packed)
  if (data.length !== (stride + 1) * rows) throw new Error('there are not as many rows as it says')
  const lines = Array.from({ length: rows }, (_, row) => {
    const at = row * (stride + 1)
    if (data[at] !== 0) throw new Error('a filter')
    return data.subarray(at + 1, at + 1 + stride)
  })
  return { width, rows, depth, across: size.readUInt32BE(0), down: size.readUInt32BE(4), lines }
}

/** Rows of dots as faxes have them, 1 is black, packed. */
export function dotsOf({ depth, lines }: Png): Buffer {
  if (depth !== 1) throw new Error('it has shades')
  return Buffer.concat(lines.map((line) => Buffer.from(line.map((byte) => ~byte & 0xff))))
}

/** Share of black of the whole. */
export function blackOf({ depth, width, rows, lines }: Png): number {
  let black = 0
  for (const line of lines)
    for (let dot = 0; dot < width; dot++) {
      const byte = line[(dot * depth) >> 3]!
      black += depth === 1 ? 1 - ((byte >> (7 - (dot & 7))) & 1) : 1 - ((dot & 1) === 0 ? byte >> 4 : byte & 15) / 15
    }
  return black / (width * rows)
}
