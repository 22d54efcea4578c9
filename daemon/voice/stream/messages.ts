/** The text frames of a media stream: those of Twilio Media Streams, whose counters are strings and whose order is fixed. */

import type { StreamFormat } from './format.ts'

export type StreamTrack = 'inbound' | 'outbound'

export interface StreamIdentity {
  readonly accountSid: string
  readonly streamSid: string
  readonly callSid: string
}

/** What is sent after `connected` has a number, counted from 1. */
export type Numbered = (sequenceNumber: number) => string

export const connected = JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' })

export function start(
  { accountSid, streamSid, callSid }: StreamIdentity,
  tracks: readonly StreamTrack[],
  { encoding, sampleRate }: Pick<StreamFormat, 'encoding' | 'sampleRate'>,
  customParameters: Readonly<Record<string, string>>,
): Numbered {
  const mediaFormat = { encoding, sampleRate, channels: 1 }
  const content = { accountSid, streamSid, callSid, tracks, mediaFormat, customParameters }
  return (number) => JSON.stringify({ event: 'start', sequenceNumber: String(number), start: content, streamSid })
}

/** `chunk` counts the frames of 20 ms of its track from 1, those among them that were never sent. */
export function media({ streamSid }: StreamIdentity, track: StreamTrack, chunk: number, payload: Buffer): Numbered {
  const content = { track, chunk: String(chunk), timestamp: String((chunk - 1) * 20), payload: payload.toString('base64') }
  return (number) => JSON.stringify({ event: 'media', sequenceNumber: String(number), media: content, streamSid })
}

export function dtmf({ streamSid }: StreamIdentity, digit: string): Numbered {
  return (number) => JSON.stringify({ event: 'dtmf', streamSid, sequenceNumber: String(number), dtmf: { track: 'inbound_track', digit } })
}

export function mark({ streamSid }: StreamIdentity, name: string): Numbered {
  return (number) => JSON.stringify({ event: 'mark', sequenceNumber: String(number), streamSid, mark: { name } })
}

export function stop({ streamSid, accountSid, callSid }: StreamIdentity): Numbered {
  return (number) => JSON.stringify({ event: 'stop', sequenceNumber: String(number), stop: { accountSid, callSid }, streamSid })
}

/** Frames beyond those of Twilio, for servers that ask for them by `extensions`; they have no number. */
export function speech({ streamSid }: StreamIdentity, state: 'started' | 'stopped', timestamp: number): string {
  return JSON.stringify({ event: 'speech', streamSid, speech: { state, timestamp: String(timestamp) } })
}

export function queue({ streamSid }: StreamIdentity, ms: number, state: 'xoff' | 'xon' | 'drained'): string {
  return JSON.stringify({ event: 'queue', streamSid, queue: { ms: String(ms), state } })
}

/** What a server asks for. `streamSid`: as it wrote it; a socket has one stream, so that it decides nothing. */
export type ServerFrame =
  | { readonly event: 'media'; readonly payload: Buffer; readonly streamSid: unknown; readonly wav: boolean }
  | { readonly event: 'mark'; readonly name: string; readonly streamSid: unknown }
  | { readonly event: 'clear'; readonly streamSid: unknown }

const longestMark = 256

/** null for what is none of these frames: it is passed over. */
export function readServerFrame(text: string): ServerFrame | null {
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(frame)) return null
  const { streamSid } = frame
  if (frame['event'] === 'clear') return { event: 'clear', streamSid }
  if (frame['event'] === 'mark') {
    const name = isObject(frame['mark']) ? frame['mark']['name'] : undefined
    return typeof name === 'string' && name.length <= longestMark ? { event: 'mark', name, streamSid } : null
  }
  if (frame['event'] !== 'media') return null
  const payload = isObject(frame['media']) ? frame['media']['payload'] : undefined
  if (typeof payload !== 'string') return null
  const bytes = Buffer.from(payload, 'base64')
  const audio = withoutHeader(bytes)
  return { event: 'media', payload: audio, streamSid, wav: audio !== bytes }
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
