/** How loud a recording is along its time, to be drawn next to its player, and about when each word of it is spoken. */
import { open, type FileHandle } from 'node:fs/promises'

export interface Peaks {
  readonly durationMs: number
  /** Of equal parts of the time, 0 to 255 of the full scale. */
  readonly peaks: readonly number[]
}

export interface TimedWord {
  readonly text: string
  readonly fromMs: number
  readonly toMs: number
}

export const peakCount = 400
const chunkBytes = 256 * 1024
const headBytes = 4096

interface Layout {
  readonly rate: number
  readonly channels: number
  /** Of the samples, in the file. */
  readonly from: number
  readonly bytes: number
}

/** Undefined for what is not RIFF/WAVE with 16 bits: the engine writes nothing else. */
function layoutOf(head: Buffer, fileBytes: number): Layout | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined
  let format: { rate: number; channels: number } | undefined
  for (let at = 12; at + 8 <= head.length;) {
    const name = head.toString('latin1', at, at + 4)
    const size = head.readUInt32LE(at + 4)
    if (name === 'fmt ' && at + 24 <= head.length && head.readUInt16LE(at + 8) === 1 && head.readUInt16LE(at + 22) === 16)
      format = { channels: head.readUInt16LE(at + 10), rate: head.readUInt32LE(at + 12) }
    if (name === 'data') {
      if (format === undefined || format.channels < 1 || format.rate < 1) return undefined
      return { ...format, from: at + 8, bytes: Math.min(size, fileBytes - at - 8) }
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

async function loudest(file: FileHandle, { channels, from, bytes }: Layout): Promise<number[]> {
  const peaks = Array.from({ length: peakCount }, () => 0)
  const samples = Math.floor(bytes / 2)
  const perPeak = Math.max(1, Math.ceil(samples / channels / peakCount)) * channels
  const buffer = Buffer.alloc(chunkBytes)
  for (let done = 0; done < samples;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, (samples - done) * 2), from + done * 2)
    const count = Math.floor(bytesRead / 2)
    if (count === 0) break
    for (let index = 0; index < count; index++) {
      const loud = Math.abs(buffer.readInt16LE(index * 2))
      const part = Math.floor((done + index) / perPeak)
      if (loud > peaks[part]!) peaks[part] = loud
    }
    done += count
  }
  return peaks.map((loud) => Math.min(255, Math.round((loud / 32_768) * 255)))
}

/** Of a WAV file of 16 bits; all silent where it is none. Rejects where there is no file. */
export async function peaksOf(path: string): Promise<Peaks> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(Math.min(headBytes, size))
    await file.read(head, 0, head.length, 0)
    const layout = layoutOf(head, size)
    if (layout === undefined) return { durationMs: 0, peaks: Array.from({ length: peakCount }, () => 0) }
    const durationMs = Math.round((layout.bytes / (2 * layout.channels) / layout.rate) * 1000)
    return { durationMs, peaks: await loudest(file, layout) }
  } finally {
    await file.close()
  }
}

/** A part this much quieter than the loudest is a pause. */
const pauseShare = 0.08

/**
 * About when each word is spoken: what was heard has no times, so the words are laid along what is not a pause, each as long as its
 * letters.
 */
export function timedWords(text: string, { durationMs, peaks }: Peaks): TimedWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const loudest = Math.max(...peaks, 1)
  const spoken = peaks.map((peak) => (peak > loudest * pauseShare ? 1 : 0))
  const total = spoken.reduce<number>((sum, one) => sum + one, 0)
  const letters = words.reduce((sum, word) => sum + word.length + 1, 0)
  if (total === 0 || durationMs === 0) return []
  /** When so large a share of what is spoken has been spoken. */
  const timeAt = (share: number): number => {
    let left = share * total
    for (const [part, one] of spoken.entries()) {
      if (one === 0) continue
      if (left <= 1) return Math.round(((part + left) / peaks.length) * durationMs)
      left -= 1
    }
    return durationMs
  }
  let before = 0
  return words.map((word) => {
    const from = before / letters
    before += word.length + 1
    return { text: word, fromMs: timeAt(from), toMs: timeAt(before / letters) }
  })
}
