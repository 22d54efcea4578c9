/** Reads a WAV file of any length piece by piece, as 8 kHz mono. */
import { open, type FileHandle } from 'node:fs/promises'
import { WavError } from '../../../drivers/wav.ts'
import { TelephoneRate } from './telephone-rate.ts'
import { bytesPerFrame, parseFormat, toMono, type WavFormat } from './wav-format.ts'

/** Bytes read at a time. */
const pieceBytes = 64 * 1024
/** Files have a handful; one with more was made to be searched for ever. */
const mostChunks = 1000
/** What a program writes as length that does not know it yet. */
const unknownLength = 0xffff_ffff

export interface WavStream {
  readonly format: WavFormat
  readonly totalMs: number
  /** Once only. 8 kHz mono signed 16 bit, in pieces of any length. */
  samples(): AsyncGenerator<Int16Array>
  close(): Promise<void>
}

interface Layout {
  readonly format: WavFormat
  readonly start: number
  readonly bytes: number
}

/**
 * Lengths in the headers are hints: they may be wrong, and programs that write to a pipe do not know them.
 * @throws WavError in words for a person, and what the file system throws
 */
export async function openWav(path: string): Promise<WavStream> {
  const file = await open(path, 'r')
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new WavError('The WAV file is no file')
    const layout = await findData(file, stat.size)
    return {
      format: layout.format,
      totalMs: Math.floor((Math.floor(layout.bytes / bytesPerFrame(layout.format)) * 1000) / layout.format.rate),
      samples: () => readSamples(file, layout),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function findData(file: FileHandle, size: number): Promise<Layout> {
  const head = await readAt(file, 0, 12)
  const kind = head.toString('latin1', 0, 4)
  if (kind === 'RIFX') throw new WavError('The WAV file is big-endian (RIFX); only little-endian ones are understood')
  if (head.length < 12 || (kind !== 'RIFF' && kind !== 'RF64') || head.toString('latin1', 8, 12) !== 'WAVE')
    throw new WavError('The file is not a WAV file')
  let format: WavFormat | null = null
  let at = 12
  for (let chunk = 0; chunk < mostChunks && at + 8 <= size; chunk += 1) {
    const header = await readAt(file, at, 8)
    if (header.length < 8) break
    const name = header.toString('latin1', 0, 4)
    const length = header.readUInt32LE(4)
    if (name === 'fmt ') format = parseFormat(await readAt(file, at + 8, Math.min(length, 40)))
    if (name === 'data') {
      if (format === null) throw new WavError('The WAV file has no format before its data')
      const left = size - at - 8
      // A header that was completed says an honest zero: the length of the file then agrees.
      const complete = head.readUInt32LE(4) + 8 === size
      const unknown = length === unknownLength || (length === 0 && !complete)
      return { format, start: at + 8, bytes: unknown ? left : Math.min(left, length) }
    }
    at += 8 + length + (length % 2)
  }
  throw new WavError('The WAV file has no audio data')
}

async function* readSamples(file: FileHandle, { format, start, bytes }: Layout): AsyncGenerator<Int16Array> {
  const rate = new TelephoneRate(format.rate)
  const frame = bytesPerFrame(format)
  const step = Math.floor(pieceBytes / frame) * frame
  for (let done = 0; done < bytes;) {
    const data = await readAt(file, start + done, Math.min(step, bytes - done))
    const samples = toMono(data, format)
    if (samples.length === 0) break
    yield rate.push(samples)
    done += samples.length * frame
  }
  yield rate.end()
}

/** Fewer bytes at the end of the file only. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
