/** Septets packed into octets and unpacked (3GPP TS 23.038 6.1.2.1); the alphabet itself is that of all drivers. */

/** `count` septets that begin `skipBits` bits into `octets`; fewer where the octets end before. */
export function unpackSeptets(octets: Uint8Array, count: number, skipBits = 0): Buffer {
  const found: number[] = []
  for (let bit = skipBits; found.length < count && bit + 7 <= octets.length * 8; bit += 7) {
    const low = octets[bit >> 3]!
    const high = octets[(bit >> 3) + 1] ?? 0
    found.push(((low | (high << 8)) >> (bit & 7)) & 0x7f)
  }
  return Buffer.from(found)
}

/** `fillBits` (0 to 6) are empty bits in front: septets behind a header begin at a multiple of seven (23.040 9.2.3.24). */
export function packSeptets(septets: Uint8Array, fillBits = 0): Uint8Array {
  const octets = new Uint8Array(Math.ceil((fillBits + septets.length * 7) / 8))
  septets.forEach((septet, i) => {
    const bit = fillBits + i * 7
    const at = bit >> 3
    const shifted = septet << (bit & 7)
    octets[at]! |= shifted & 255
    if (shifted > 255) octets[at + 1]! |= shifted >> 8
  })
  return octets
}
