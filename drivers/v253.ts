/**
 * What passes between a voice modem and the box while sound does (ITU-T V.253, clause 9): samples, with DLE (0x10) before everything that is
 * none. Towards the modem a DLE among the samples is doubled; from the modem come codes: keys, tones, states of the line. Pure.
 */

export const DLE = 0x10
const ETX = 0x03
const SUB = 0x1a
const ESC = 0x1b

/** One code of the modem. A key that is shielded comes once, when it is released, and its length with it where the modem repeats it. */
export type VoiceCode =
  /** The modem has no more samples: the data have ended, a result follows. */
  | { readonly kind: 'end' }
  | { readonly kind: 'key'; readonly key: string; readonly edge: 'once' | 'begin' | 'end' }
  /** Any other, as its character: `b` busy, `d` dial tone, `c` a fax that calls, `l` loop break, ... */
  | { readonly kind: 'code'; readonly code: string }

const keys = '0123456789*#ABCD'

/** Takes the stream apart, across the borders of its pieces. */
export class VoiceUnshielder {
  readonly #ends: readonly number[]
  #escaped = false
  #shield = ''
  #shielded = false

  /** `ends`: codes that end the data. */
  constructor(ends: readonly number[] = [ETX]) {
    this.#ends = ends
  }

  /**
   * Samples' bytes in `into` (twice as long as `bytes`), codes to `code`. Answers how many of each there are: of samples, and of bytes
   * that were read: what follows the end of data is left.
   */
  take(bytes: Uint8Array, into: Uint8Array, code: (code: VoiceCode) => void): { readonly length: number; readonly read: number } {
    let length = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!
      if (!this.#escaped) {
        if (byte === DLE) this.#escaped = true
        else into[length++] = byte
        continue
      }
      this.#escaped = false
      if (byte === DLE) into[length++] = DLE
      else if (byte === SUB) {
        into[length++] = DLE
        into[length++] = DLE
      } else {
        this.#code(byte, code)
        if (this.#ends.includes(byte)) return { length, read: i + 1 }
      }
    }
    return { length, read: bytes.length }
  }

  #code(byte: number, tell: (code: VoiceCode) => void): void {
    const text = String.fromCharCode(byte)
    if (this.#ends.includes(byte)) return tell({ kind: 'end' })
    if (text === '/') {
      this.#shielded = true
      this.#shield = ''
    } else if (text === '~') {
      if (this.#shielded && this.#shield !== '') tell({ kind: 'key', key: this.#shield, edge: 'end' })
      this.#shielded = false
      this.#shield = ''
    } else if (keys.includes(text)) {
      if (!this.#shielded) return tell({ kind: 'key', key: text, edge: 'once' })
      if (this.#shield === text) return
      this.#shield = text
      tell({ kind: 'key', key: text, edge: 'begin' })
    } else tell({ kind: 'code', code: text })
  }
}

/** Of a modem: ETX, or the byte it was ordered to end listening by (Silicon Laboratories AN93, +VRX). */
export const modemEnds: readonly number[] = [ETX, ESC]

/** Samples' bytes as the modem wants them. */
export function shield(bytes: Uint8Array): Buffer {
  let doubled = 0
  for (const byte of bytes) if (byte === DLE) doubled++
  if (doubled === 0) return Buffer.from(bytes)
  const shielded = Buffer.allocUnsafe(bytes.length + doubled)
  let at = 0
  for (const byte of bytes) {
    if (byte === DLE) shielded[at++] = DLE
    shielded[at++] = byte
  }
  return shielded
}

/** Orders among the samples. */
export const orders = {
  /** No more samples: what was sent is played to its end. */
  end: Buffer.from([DLE, ETX]),
  /** What was sent and not played yet is thrown away. */
  clear: Buffer.from([DLE, 0x18]),
  /** Listening ends. */
  stop: Buffer.from([DLE, 0x21]),
  /** The same, for modems that know no `!`. */
  escape: Buffer.from([DLE, ESC]),
  /** Listening and speaking end. */
  stopBoth: Buffer.from([DLE, 0x5e]),
} as const
