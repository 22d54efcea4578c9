/**
 * The frames of a media stream as this box and Twilio send them, for tests: sizes, forms of ids, and what a server sends back. Nothing here
 * comes from the product, so that a fault of the product cannot hide behind the same fault of the test.
 */

export const frameMs = 20
/** Mu-law at 8 kHz: a byte a sample. */
export const frameBytes = 160
/** Silence in mu-law. */
export const quiet = 0xff

/** A frame after `JSON.parse`. */
export type Frame = Readonly<Record<string, unknown>>

export const ids = {
  account: /^AC[0-9a-f]{32}$/,
  call: /^CA[0-9a-f]{32}$/,
  stream: /^MZ[0-9a-f]{32}$/,
} as const

export type Track = 'inbound' | 'outbound'

export const asObject = (value: unknown): Frame | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Frame) : undefined

/** What a server sends. */
export const toBox = {
  media: (streamSid: string, audio: Uint8Array): string =>
    JSON.stringify({ event: 'media', streamSid, media: { payload: Buffer.from(audio).toString('base64') } }),
  mark: (streamSid: string, name: string): string => JSON.stringify({ event: 'mark', streamSid, mark: { name } }),
  clear: (streamSid: string): string => JSON.stringify({ event: 'clear', streamSid }),
} as const

/** Frame number `n` (from 0) of a stream begun before, in order of the members that Twilio sends. */
export function mediaFrame(streamSid: string, sequence: number, n: number, audio: Uint8Array, track: Track = 'inbound'): string {
  const payload = Buffer.from(audio).toString('base64')
  const media = { track, chunk: String(n + 1), timestamp: String(n * frameMs), payload }
  return JSON.stringify({ event: 'media', sequenceNumber: String(sequence), media, streamSid })
}
