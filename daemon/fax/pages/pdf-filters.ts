/** Undoes the filters of a stream (ISO 32000-1, 7.4), and says whether its data reach the end that each filter marks. */
import { constants, inflateRawSync } from 'node:zlib'
import type { PdfFile, Stream } from './pdf-file.ts'
import type { Dictionary, Value } from './pdf-tokens.ts'

export interface Filter {
  readonly name: string
  readonly parameters: Dictionary | undefined
}

export interface Undone {
  readonly bytes: Buffer
  /** The first filter that was not undone, since it is a picture's own: its name, '' for none. */
  readonly left: string
  readonly parameters: Dictionary | undefined
  /** Nothing is missing at the end, as far as the filters show. */
  readonly whole: boolean
}

/** Names of inline pictures (table 94). */
const short: Readonly<Record<string, string>> = {
  A85: 'ASCII85Decode',
  AHx: 'ASCIIHexDecode',
  CCF: 'CCITTFaxDecode',
  DCT: 'DCTDecode',
  Fl: 'FlateDecode',
  LZW: 'LZWDecode',
  RL: 'RunLengthDecode',
}

/** Of one stream: a bomb must not become more. */
const mostBytes = 256 * 1024 * 1024

/** `inline`: of a picture within content, whose names are short ones first. */
export function filtersOf(file: PdfFile, dictionary: Dictionary, inline = false): Filter[] {
  const both = (long: string, brief: string): Value | undefined => (inline ? dictionary.get(brief) : undefined) ?? dictionary.get(long)
  const parameters = file.list(both('DecodeParms', 'DP'))
  return file.list(both('Filter', 'F')).map((value, index) => {
    const name = file.name(value)
    return { name: short[name] ?? name, parameters: file.dictionary(parameters[index]) }
  })
}

interface Part {
  readonly bytes: Buffer
  readonly whole: boolean
  /** Bytes of the input up to its end, where the filter knows. */
  readonly taken: number
}

/** Where a writer flushes, it leaves this; some leave it for good. */
const flushed = Buffer.from([0, 0, 0xff, 0xff])

/** Room for what comes out, so much at once: a picture of a page in small pieces takes twice as long. */
const roomFor = (data: Buffer): number => Math.min(32 * 1024 * 1024, Math.max(16 * 1024, data.length * 4))

/** The sum at the end is not looked at: without it nothing of the data is missing. Throws RangeError where it becomes too long. */
function inflate(data: Buffer): Part {
  if (data.length === 0) return { bytes: data, whole: true, taken: 0 }
  try {
    const { buffer, engine } = inflateRawSync(data.subarray(2), {
      maxOutputLength: mostBytes,
      chunkSize: roomFor(data),
      info: true,
    }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    return { bytes: buffer, whole: true, taken: 2 + engine.bytesWritten }
  } catch (error) {
    if (error instanceof RangeError) throw error
    return inflatePart(data)
  }
}

/** As much of it as there is. */
function inflatePart(data: Buffer): Part {
  const whole = data.subarray(-8).includes(flushed)
  try {
    const bytes = inflateRawSync(data.subarray(2), { maxOutputLength: mostBytes, finishFlush: constants.Z_SYNC_FLUSH })
    return { bytes, whole, taken: data.length }
  } catch (error) {
    if (error instanceof RangeError) throw error
    return { bytes: Buffer.alloc(0), whole: false, taken: data.length }
  }
}

/** 7.4.4.2: codes of 9 to 12 bits; 256 begins again, 257 ends. */
function unpackLzw(data: Buffer, early: number): Part {
  const prefix = new Uint16Array(4097)
  const last = new Uint8Array(4097)
  const length = new Uint16Array(4097)
  for (let code = 0; code < 256; code++) {
    last[code] = code
    length[code] = 1
  }
  const out = new Growing()
  let next = 258
  let width = 9
  let before = -1
  let bits = 0
  let held = 0
  for (let at = 0; at < data.length; at++) {
    held = ((held << 8) | (data[at] as number)) & 0xffffff
    bits += 8
    if (bits < width) continue
    bits -= width
    const code = (held >> bits) & ((1 << width) - 1)
    if (code === 257) return { bytes: out.bytes, whole: true, taken: at + 1 }
    if (code === 256) {
      next = 258
      width = 9
      before = -1
      continue
    }
    if (code > next || (code === next && before < 0)) return { bytes: out.bytes, whole: false, taken: at + 1 }
    const to = out.room((code === next ? (length[before] as number) : (length[code] as number)) + (code === next ? 1 : 0))
    const { memory } = out
    let place = out.length - 1
    let from = code
    if (code === next) {
      place--
      from = before
    }
    for (; place >= to; place--, from = prefix[from] as number) memory[place] = last[from] as number
    if (code === next) memory[out.length - 1] = memory[to] as number
    if (before >= 0 && next < 4096) {
      prefix[next] = before
      last[next] = memory[to] as number
      length[next] = (length[before] as number) + 1
      next++
    }
    before = code
    width = next + early >= 2048 ? 12 : next + early >= 1024 ? 11 : next + early >= 512 ? 10 : 9
  }
  return { bytes: out.bytes, whole: data.length === 0, taken: data.length }
}

class Growing {
  memory = Buffer.alloc(4096)
  length = 0

  get bytes(): Buffer {
    return this.memory.subarray(0, this.length)
  }

  /** Makes room for so many more, and says where they begin. */
  room(count: number): number {
    const from = this.length
    this.length += count
    if (this.length > mostBytes) throw new RangeError('too many bytes')
    if (this.length > this.memory.length) {
      const memory = Buffer.alloc(Math.max(this.length, this.memory.length * 2))
      memory.set(this.memory)
      this.memory = memory
    }
    return from
  }
}

function unpackRuns(data: Buffer): Part {
  const out = new Growing()
  let at = 0
  while (at < data.length) {
    const length = data[at++] as number
    if (length === 128) return { bytes: out.bytes, whole: true, taken: at }
    const count = length < 128 ? length + 1 : 257 - length
    const to = out.room(Math.min(count, length < 128 ? data.length - at : count))
    if (length < 128) {
      if (at + count > data.length) {
        out.memory.set(data.subarray(at), to)
        return { bytes: out.bytes, whole: false, taken: data.length }
      }
      out.memory.set(data.subarray(at, at + count), to)
      at += count
    } else {
      if (at >= data.length) return { bytes: out.memory.subarray(0, to), whole: false, taken: at }
      out.memory.fill(data[at++] as number, to, to + count)
    }
  }
  // Some writers leave the mark of the end out.
  return { bytes: out.bytes, whole: true, taken: at }
}

const end = '~'.charCodeAt(0)

function unpack85(data: Buffer): Part {
  const close = data.indexOf(end)
  const stop = close < 0 ? data.length : close
  const out = Buffer.alloc(stop * 4 + 4)
  let length = 0
  let count = 0
  let word = 0
  for (let at = 0; at < stop; at++) {
    const byte = data[at] as number
    if (byte === 122 && count === 0) {
      length += 4
      continue
    }
    if (byte < 33 || byte > 117) continue
    word = word * 85 + byte - 33
    if (++count < 5) continue
    out.writeUInt32BE(word % 2 ** 32, length)
    length += 4
    count = word = 0
  }
  if (count > 1) {
    for (let more = count; more < 5; more++) word = word * 85 + 84
    out.writeUInt32BE(word % 2 ** 32, length)
    length += count - 1
  }
  return { bytes: out.subarray(0, length), whole: close >= 0 || data.length === 0, taken: Math.min(data.length, stop + 2) }
}

function unpackHex(data: Buffer): Part {
  const close = data.indexOf('>')
  const digits = data.toString('latin1', 0, close < 0 ? data.length : close).replaceAll(/[^0-9A-Fa-f]/g, '')
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex')
  // Many writers leave the mark of the end out.
  return { bytes, whole: true, taken: close < 0 ? data.length : close + 1 }
}

/** The rows of a PNG (RFC 2083, 6): each with the number of its prediction before it. */
function unpredict(file: PdfFile, bytes: Buffer, parameters: Dictionary | undefined): Buffer {
  const number = (key: string, usual: number): number => Math.max(1, file.number(parameters?.get(key)) ?? usual)
  if (number('Predictor', 1) < 10) return bytes
  const dot = Math.max(1, Math.ceil((number('Colors', 1) * number('BitsPerComponent', 8)) / 8))
  const row = Math.ceil((number('Colors', 1) * number('BitsPerComponent', 8) * number('Columns', 1)) / 8)
  const rows = Math.ceil(bytes.length / (row + 1))
  const out = Buffer.alloc(rows * row)
  for (let y = 0; y < rows; y++) {
    const method = bytes[y * (row + 1)] as number
    for (let x = 0; x < row; x++) {
      const left = x < dot ? 0 : (out[y * row + x - dot] as number)
      const up = y === 0 ? 0 : (out[(y - 1) * row + x] as number)
      const corner = x < dot || y === 0 ? 0 : (out[(y - 1) * row + x - dot] as number)
      const guess = left + up - corner
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner
      const by = [0, left, up, (left + up) >> 1, paeth][method] ?? 0
      out[y * row + x] = (bytes[y * (row + 1) + 1 + x] ?? 0) + by
    }
  }
  return out
}

function undoOne(file: PdfFile, { name, parameters }: Filter, data: Buffer): Part | undefined {
  switch (name) {
    case 'FlateDecode':
      return inflate(data)
    case 'LZWDecode':
      return unpackLzw(data, file.number(parameters?.get('EarlyChange')) ?? 1)
    case 'RunLengthDecode':
      return unpackRuns(data)
    case 'ASCII85Decode':
      return unpack85(data)
    case 'ASCIIHexDecode':
      return unpackHex(data)
    case 'Crypt':
      return { bytes: data, whole: true, taken: data.length }
    default:
      return undefined
  }
}

/** Up to the filter of a picture. `predicted`: the rows of a PNG stay as they are. Throws RangeError where it becomes too long. */
export function undo(file: PdfFile, { dictionary, data }: Stream, predicted = false): Undone {
  let bytes = data
  let whole = true
  for (const filter of filtersOf(file, dictionary)) {
    const part = undoOne(file, filter, bytes)
    if (part === undefined) return { bytes, left: filter.name, parameters: filter.parameters, whole }
    bytes = predicted ? part.bytes : unpredict(file, part.bytes, filter.parameters)
    whole &&= part.whole
  }
  return { bytes, left: '', parameters: undefined, whole }
}

/** Where the coded data of an inline picture end: bytes that its first filter takes; undefined where only the picture's own decoder knows. */
export function takenBy(file: PdfFile, filter: Filter, data: Buffer): number | undefined {
  if (filter.name === 'DCTDecode') {
    const last = data.indexOf(Buffer.from([0xff, 0xd9]))
    return last < 0 ? undefined : last + 2
  }
  const part = undoOne(file, filter, data)
  return part?.whole === true ? part.taken : undefined
}
