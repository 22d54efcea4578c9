/** Makes and reads the text frames of a media stream; daemon/schema/stream-frames.ts says what each is. */
import type { BoxFrame, ServerFrame as SentByServer, StreamTrack } from '../../schema/stream-frames.ts'
import { parseForeignJson } from '../../../drivers/foreign-json.ts'
import type { StreamFormat } from './format.ts'

export interface StreamIdentity {
  readonly accountSid: string
  readonly streamSid: string
  readonly callSid: string
}

/** What is sent after `connected` has a number, counted from 1. */
export type Numbered = (sequenceNumber: number) => string

/** The text of a frame: nothing else is sent. */
const wire = (frame: BoxFrame): string => JSON.stringify(frame)

export const connected = wire({ event: 'connected', protocol: 'Call', version: '1.0.0' })

export function start(
  { accountSid, streamSid, callSid }: StreamIdentity,
  tracks: readonly StreamTrack[],
  { encoding, sampleRate }: Pick<StreamFormat, 'encoding' | 'sampleRate'>,
  customParameters: Readonly<Record<string, string>>,
): Numbered {
  const mediaFormat = { encoding, sampleRate, channels: 1 } as const
  const content = { accountSid, streamSid, callSid, tracks: [...tracks], mediaFormat, customParameters }
  return (number) => wire({ event: 'start', sequenceNumber: String(number), start: content, streamSid })
}

/** `chunk` counts the frames of 20 ms of its track from 1, those among them that were never sent. */
export function media({ streamSid }: StreamIdentity, track: StreamTrack, chunk: number, payload: Buffer): Numbered {
  const content = { track, chunk: String(chunk), timestamp: String((chunk - 1) * 20), payload: payload.toString('base64') }
  return (number) => wire({ event: 'media', sequenceNumber: String(number), media: content, streamSid })
}

export function dtmf({ streamSid }: StreamIdentity, digit: string): Numbered {
  return (number) => wire({ event: 'dtmf', streamSid, sequenceNumber: String(number), dtmf: { track: 'inbound_track', digit } })
}

export function mark({ streamSid }: StreamIdentity, name: string): Numbered {
  return (number) => wire({ event: 'mark', sequenceNumber: String(number), streamSid, mark: { name } })
}

export function stop({ streamSid, accountSid, callSid }: StreamIdentity): Numbered {
  return (number) => wire({ event: 'stop', sequenceNumber: String(number), stop: { accountSid, callSid }, streamSid })
}

/** Frames beyond those of Twilio, for servers that ask for them by `extensions`; they have no number. */
export function speech({ streamSid }: StreamIdentity, state: 'started' | 'stopped', timestamp: number): string {
  return wire({ event: 'speech', streamSid, speech: { state, timestamp: String(timestamp) } })
}

export function queue({ streamSid }: StreamIdentity, ms: number, state: 'xoff' | 'xon' | 'drained'): string {
  return wire({ event: 'queue', streamSid, queue: { ms: String(ms), state } })
}

/** What a server asks for. `streamSid`: as it wrote it; a socket has one stream, so that it decides nothing. */
export type ServerFrame =
  | { readonly event: 'media'; readonly payload: Buffer; readonly streamSid: unknown; readonly wav: boolean }
  | { readonly event: 'mark'; readonly name: string; readonly streamSid: unknown }
  | { readonly event: 'clear'; readonly streamSid: unknown }

/** What is wrong with a frame of the server, by its schema (`ServerFrameSchema`); undefined for nothing. */
export type FrameCheck = (frame: unknown) => readonly unknown[] | undefined

/** Of a larger frame only what is around its audio is read as JSON. */
const mostReadWhole = 16 << 10

/** null for what is none of these frames: it is passed over. */
export function readServerFrame(raw: Buffer, check: FrameCheck): ServerFrame | null {
  let read: unknown
  try {
    read = raw.length <= mostReadWhole ? parseForeignJson(raw) : readLarge(raw)
  } catch {
    return null
  }
  if (check(read) !== undefined) return null
  const frame = read as SentByServer
  const { event, streamSid } = frame
  if (event === 'clear') return { event, streamSid }
  if (event === 'mark') return { event, name: frame.mark.name, streamSid }
  const bytes = Buffer.from(frame.media.payload, 'base64')
  const audio = withoutHeader(bytes)
  return { event, payload: audio, streamSid, wav: audio !== bytes }
}

/** Throws where it is no JSON; undefined where more than its audio is large. */
function readLarge(raw: Buffer): unknown {
  const found = /"payload"\s*:\s*"/.exec(raw.toString('latin1', 0, mostReadWhole))
  const from = found === null ? -1 : found.index + found[0].length
  const to = raw.indexOf('"', from)
  if (from < 0 || to < 0 || raw.length - (to - from) > mostReadWhole) return undefined
  const frame = parseForeignJson(Buffer.concat([raw.subarray(0, from), raw.subarray(to)])) as { media?: { payload?: unknown } } | null
  const payload = raw.toString('latin1', from, to)
  // Some write + and / of base64 as escapes.
  if (frame?.media?.payload === '') frame.media.payload = payload.includes('\\') ? JSON.parse(`"${payload}"`) : payload
  return frame
}

/** The header of a WAV file would be heard as noise. */
function withoutHeader(bytes: Buffer): Buffer {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') return bytes
  for (let at = 12; at + 8 <= bytes.length;) {
    if (bytes.toString('latin1', at, at + 4) === 'data') return bytes.subarray(at + 8)
    at += 8 + bytes.readUInt32LE(at + 4)
  }
  return Buffer.alloc(0)
}
