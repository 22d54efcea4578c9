/** Page data between us and the modem: DLE doubled, DLE ETX at the end (ITU-T T.32 section 8.3). Pure. */

export const dle = 0x10
export const etx = 0x03
export const can = 0x18
export const xon = 0x11
export const dc2 = 0x12
const sub = 0x1a

/** `end`: the characters that follow a DLE at the end. */
export function shielded(data: Uint8Array, end: string): Uint8Array {
  let dles = 0
  for (const byte of data) if (byte === dle) dles += 1
  const out = new Uint8Array(data.length + dles + 2 * end.length)
  let at = 0
  for (const byte of data) {
    if (byte === dle) out[at++] = dle
    out[at++] = byte
  }
  for (let i = 0; i < end.length; i++) {
    out[at++] = dle
    out[at++] = end.charCodeAt(i)
  }
  return out
}

/** The other direction, across the borders of chunks. */
export class Unshield {
  #shielded = false

  /** Data of this chunk; `rest` is what follows DLE ETX, null while there was none. */
  take(bytes: Uint8Array): { readonly data: Uint8Array; readonly rest: Uint8Array | null } {
    const data = new Uint8Array(bytes.length * 2)
    let at = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!
      if (!this.#shielded) {
        if (byte === dle) this.#shielded = true
        else data[at++] = byte
        continue
      }
      this.#shielded = false
      if (byte === etx) return { data: data.subarray(0, at), rest: bytes.subarray(i + 1) }
      if (byte === dle) data[at++] = dle
      else if (byte === sub) data[at++] = data[at++] = dle
      // Anything else behind DLE is an event of the modem, not data.
    }
    return { data: data.subarray(0, at), rest: null }
  }
}
