/** Addresses of peers, from the bytes the socket gives. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parseIPv6 } from '../base/ip.ts'

/** Text of 4 bytes (IPv4) or 16 bytes (IPv6; IPv4-mapped ones as IPv4); '' where there are none. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return dotted(bytes, 0)
  if (bytes.length !== 16) return ''
  if (isMapped(bytes)) return dotted(bytes, 12)
  const groups: string[] = []
  for (let at = 0; at < 16; at += 2) groups.push(((bytes[at]! << 8) | bytes[at + 1]!).toString(16))
  return groups
    .join(':')
    .replace(/\b0(:0)+\b/, ':')
    .replace(':::', '::')
}

function dotted(bytes: Uint8Array, at: number): string {
  return `${bytes[at]}.${bytes[at + 1]}.${bytes[at + 2]}.${bytes[at + 3]}`
}

export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}

/** Whether the peer is a program on this machine, whichever address of it that uses. */
export function isOfThisMachine(address: string): boolean {
  return isLoopback(address) || Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address))
}

/** Of addresses and networks (10.0.0.0/8); null for none. */
export function networksOf(texts: readonly string[]): BlockList | null {
  if (texts.length === 0) return null
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', bits] = text.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return list
}

/** False for what is no address. */
export function isIn(networks: BlockList, address: string): boolean {
  return address !== '' && networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Whom failures are counted against: an IPv4 address, or the /64 network of an IPv6 one, which is one household's to choose from. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const full = tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return full.slice(0, 4).join(':')
}

/** The same as a network, for people. */
export function addressNetwork(address: string): string {
  return address.includes(':') ? `${addressKey(address)}::/64` : address
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
}

/** The other way round; no bytes for what is no address. */
export function addressBytes(text: string): ArrayBuffer {
  const [plain = ''] = text.split('%')
  if (isIPv4(plain)) return Uint8Array.from(plain.split('.'), Number).buffer
  const groups = parseIPv6(plain)
  return groups === undefined ? new ArrayBuffer(0) : Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff])).buffer
}
