/**
 * Wire format between the daemon and pbx-engine (PROTOCOL.md, "Frames"): `u32 length`, `u8 kind`, payload, all
 * little-endian. Encoding gives buffers for one vectored write; decoding is incremental and allocates only where a
 * frame was cut by the socket.
 */

export const protocolVersion = 2

export const frameKind = { message: 1, clip: 2, audio: 3, pcm: 4, fork: 5 } as const

/** Largest `length` of a frame: kind byte and payload together. */
export const maxFrameBytes = 16 * 1024 * 1024

/** Samples that fit in one `clip` frame: the frame less kind and clip number. */
export const maxClipSamples = Math.floor((maxFrameBytes - 5) / 2)

/** The same of a `pcm` frame, which names leg and play item. */
const maxPcmSamples = Math.floor((maxFrameBytes - 9) / 2)

const audioRecordBytes = 4 + 4 + 320
const forkHeadBytes = 4 + 4 + 2 + 2

/** A frame that breaks the rules of PROTOCOL.md; the connection is of no further use. */
export class FrameError extends Error {}

/** A JSON message with its type in `t`. */
export interface Message {
  readonly t: string
  readonly [member: string]: unknown
}

/** Half a surrogate pair is no character: JSON can write it, and no other program reads it. */
const wellFormed = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value)

export function encodeMessage(message: Message): Buffer {
  const text = JSON.stringify(message, wellFormed)
  const bytes = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(5 + bytes)
  frame.writeUInt32LE(1 + bytes, 0)
  frame[4] = frameKind.message
  frame.write(text, 5, bytes, 'utf8')
  return frame
}

/** Head and samples apart: the samples are not copied, so they must never change afterwards. */
export function encodeClip(clip: number, samples: Int16Array): readonly [head: Buffer, pcm: Buffer] {
  if (samples.length > maxClipSamples) throw new FrameError(`A clip of ${samples.length} samples does not fit in one frame`)
  const head = Buffer.allocUnsafe(9)
  head.writeUInt32LE(5 + samples.byteLength, 0)
  head[4] = frameKind.clip
  head.writeUInt32LE(clip, 5)
  return [head, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]
}

/** Appends to the streaming play item of that number. */
export function encodePcm(leg: number, play: number, samples: Int16Array): Buffer {
  if (samples.length > maxPcmSamples) throw new FrameError(`${samples.length} samples do not fit in one frame`)
  const frame = Buffer.allocUnsafe(13 + samples.byteLength)
  frame.writeUInt32LE(9 + samples.byteLength, 0)
  frame[4] = frameKind.pcm
  frame.writeUInt32LE(leg, 5)
  frame.writeUInt32LE(play, 9)
  frame.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), 13)
  return frame
}

export function parseMessage(payload: Buffer): Message {
  let value: unknown
  try {
    value = JSON.parse(payload.toString('utf8'))
  } catch {
    throw new FrameError('A message is not JSON')
  }
  if (typeof value !== 'object' || value === null || typeof (value as { t?: unknown }).t !== 'string') {
    throw new FrameError('A message is not an object with a type')
  }
  return value as Message
}

/** Calls `each` for every record of an `audio` frame; the samples are copies of their own. */
export function decodeAudio(payload: Buffer, each: (leg: number, timestampMs: number, samples: Int16Array) => void): void {
  if (payload.length % audioRecordBytes !== 0) throw new FrameError('An audio frame is not made of whole records')
  for (let at = 0; at < payload.length; at += audioRecordBytes) {
    const samples = new Int16Array(160)
    payload.copy(new Uint8Array(samples.buffer), 0, at + 8, at + audioRecordBytes)
    each(payload.readUInt32LE(at), payload.readUInt32LE(at + 4), samples)
  }
}

/** The same of a `fork` frame, whose pieces say how long they are. */
export function decodeFork(payload: Buffer, each: (leg: number, timestampMs: number, said: boolean, samples: Int16Array) => void): void {
  let at = 0
  while (payload.length - at >= forkHeadBytes) {
    const bytes = 2 * payload.readUInt16LE(at + 10)
    const end = at + forkHeadBytes + bytes
    if (end > payload.length) break
    const samples = new Int16Array(bytes / 2)
    payload.copy(new Uint8Array(samples.buffer), 0, at + forkHeadBytes, end)
    each(payload.readUInt32LE(at), payload.readUInt32LE(at + 4), payload.readUInt16LE(at + 8) === 1, samples)
    at = end
  }
  if (at !== payload.length) throw new FrameError('A fork frame is not made of whole pieces')
}

/** Cuts a byte stream into frames. The payload given to `onFrame` is valid during that call only. */
export class FrameDecoder {
  readonly #onFrame: (kind: number, payload: Buffer) => void
  /** Pieces of the frame that is not complete yet, and their bytes together. */
  #pieces: Buffer[] = []
  #have = 0
  #need = 4

  constructor(onFrame: (kind: number, payload: Buffer) => void) {
    this.#onFrame = onFrame
  }

  /** @throws FrameError when the stream is not made of frames; whatever `onFrame` throws */
  push(chunk: Buffer): void {
    let data = chunk
    if (this.#have > 0) {
      this.#pieces.push(chunk)
      this.#have += chunk.length
      if (this.#have < this.#need) return
      data = Buffer.concat(this.#pieces, this.#have)
      this.#pieces = []
      this.#have = 0
    }
    let at = 0
    this.#need = 4
    while (data.length - at >= 4) {
      const length = data.readUInt32LE(at)
      if (length < 1 || length > maxFrameBytes) throw new FrameError(`A frame claims ${length} bytes`)
      if (data.length - at < 4 + length) {
        this.#need = 4 + length
        break
      }
      this.#onFrame(data[at + 4]!, data.subarray(at + 5, at + 4 + length))
      at += 4 + length
    }
    if (at < data.length) {
      this.#pieces = [at === 0 ? data : data.subarray(at)]
      this.#have = data.length - at
    }
  }
}
