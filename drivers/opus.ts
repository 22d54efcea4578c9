/** Ogg Opus (RFC 7845): looked at, and decoded at the rate of the telephone, channels mixed to one. */
import type { OpusDecoderSampleRate } from 'opus-decoder'

const telephoneRate = 8000 satisfies OpusDecoderSampleRate
/** Five seconds of the usual frames of 20 ms: others have their turn between. */
const framesAtOnce = 250
/** RFC 7845 section 4: whatever the file was made from, positions count samples of 48 kHz. */
const positionsPerSecond = 48_000
const pageHeaderBytes = 27

export class OpusError extends Error {}

export function isOpus(file: Buffer): boolean {
  return file.toString('latin1', 0, 4) === 'OggS' && file.subarray(pageHeaderBytes, 128).includes('OpusHead')
}

/** How long it plays, as its last page says (RFC 3533 section 6). */
export function opusSeconds(file: Buffer): number {
  const last = file.lastIndexOf('OggS')
  if (last < 0 || last + pageHeaderBytes > file.length) return 0
  return Math.max(0, Number(file.readBigInt64LE(last + 6))) / positionsPerSecond
}

/**
 * Samples at 8 kHz. What is damaged is left out. The decoder is loaded when the first file needs it.
 * @throws OpusError where there is nothing to be heard in it
 */
export async function readOpus(file: Buffer): Promise<Int16Array> {
  const [{ default: CodecParser }, { OpusDecoder }] = await Promise.all([import('codec-parser'), import('opus-decoder')])
  const frames = new CodecParser('application/ogg').parseAll(file).flatMap((page) => ('codecFrames' in page ? page.codecFrames : []))
  const [first] = frames
  if (first === undefined || !('preSkip' in first.header)) throw new OpusError('it is not an Opus file, or it is empty')
  const { channels, preSkip, streamCount, coupledStreamCount, channelMappingTable } = first.header
  const several = streamCount === undefined ? {} : { streamCount, coupledStreamCount, channelMappingTable }
  const decoder = new OpusDecoder({ sampleRate: telephoneRate, preSkip, channels, ...several })
  await decoder.ready
  try {
    const parts: Int16Array[] = []
    for (let at = 0; at < frames.length; at += framesAtOnce) {
      const { channelData } = decoder.decodeFrames(frames.slice(at, at + framesAtOnce).map(({ data }) => data))
      parts.push(mixed(channelData))
      await new Promise((resolve) => setImmediate(resolve))
    }
    return joined(parts)
  } finally {
    decoder.free()
  }
}

function mixed(channels: readonly Float32Array[]): Int16Array {
  const out = new Int16Array(channels[0]?.length ?? 0)
  for (let i = 0; i < out.length; i++) {
    const sum = channels.reduce((total, channel) => total + channel[i]!, 0)
    out[i] = Math.max(-32_768, Math.min(32_767, Math.round((sum / channels.length) * 32_767)))
  }
  return out
}

export function joined(parts: readonly Int16Array[], longest = Number.POSITIVE_INFINITY): Int16Array {
  const all = new Int16Array(
    Math.min(
      longest,
      parts.reduce((sum, part) => sum + part.length, 0),
    ),
  )
  let at = 0
  for (const piece of parts) {
    const part = piece.subarray(0, all.length - at)
    all.set(part, at)
    at += part.length
  }
  return all
}
