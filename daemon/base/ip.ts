/** IPv6 addresses as numbers, so that every spelling of an address is the same address (RFC 4291 section 2.2). */
import { isIPv6 } from 'node:net'

/** The eight groups; undefined where the text is no IPv6 address. */
export function parseIPv6(text: string): number[] | undefined {
  if (!isIPv6(text)) return undefined
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  const plain = dotted === null ? text : `${dotted[1]}${hex(dotted[2]!, dotted[3]!)}:${hex(dotted[4]!, dotted[5]!)}`
  const [head = '', tail] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after].map((group) => parseInt(group, 16))
}

function hex(high: string, low: string): string {
  return ((Number(high) << 8) | Number(low)).toString(16)
}

/**
 * The IPv4 address inside an IPv6 one: mapped (::ffff:0:0/96) and compatible (::/96, RFC 4291 section 2.5.5), NAT64
 * (64:ff9b::/96, RFC 6052) and 6to4 (2002::/16, RFC 3056). Undefined for all others, `::` and `::1` among them.
 */
export function unwrapIPv4(groups: readonly number[]): string | undefined {
  const quad = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  const [a, b, c, d, e, f, g = 0, h = 0] = groups
  if (a === 0x2002) return quad(b!, c!)
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return quad(g, h)
  if (a !== 0 || b !== 0 || c !== 0 || d !== 0) return undefined
  if (e === 0 && f === 0xffff) return quad(g, h)
  if (e === 0xffff && f === 0) return quad(g, h)
  if (e === 0 && f === 0 && (g !== 0 || h > 1)) return quad(g, h)
  return undefined
}
