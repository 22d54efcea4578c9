/**
 * Whose request it is: the peer of the connection, or the address that a trusted proxy passes on (`http.trustedProxies`). Failures,
 * blocks, rates, allow-lists, the audit trail and phones that fetch their settings all go by what is decided here.
 */
import type { BlockList } from 'node:net'
import { addressBytes, addressText, isIn } from './address.ts'

/** What a listener knows of all its requests. */
export interface Door {
  /** Its connections have TLS. */
  readonly secure: boolean
  /** Whose X-Forwarded-For and Forwarded count; null for nobody's. */
  readonly proxies: BlockList | null
}

export interface Client {
  /** As text, IPv4-mapped ones as IPv4; '' of a unix socket. */
  readonly address: string
  /**
   * `none`: no proxy shows itself. `named`: a trusted proxy names the client. `silent`: a trusted proxy names nobody, so that `address` is
   * its own. `unknown`: the request says that it was passed on, by a proxy that is not trusted.
   */
  readonly proxy: 'none' | 'named' | 'silent' | 'unknown'
  /** Whether the client's own connection has TLS, as far as anybody says; undefined where a trusted proxy does not say. */
  readonly secure: boolean | undefined
}

type Headers = ReadonlyMap<string, string>

export function clientOf(peer: string, headers: Headers, { secure, proxies }: Door): Client {
  if (peer === '') return { address: peer, proxy: 'none', secure }
  if (proxies === null || !isIn(proxies, peer)) {
    const passedOn = headers.has('x-forwarded-for') || headers.has('forwarded')
    return { address: peer, proxy: passedOn ? 'unknown' : 'none', secure }
  }
  const said = { secure: schemeSaid(headers) ?? (secure || undefined) }
  for (const hop of hops(headers).reverse()) {
    const address = hopAddress(hop)
    // What cannot be read hides everything to the left of it.
    if (address === undefined) break
    if (!isIn(proxies, address)) return { address, proxy: 'named', ...said }
  }
  return { address: peer, proxy: 'silent', ...said }
}

/** The nearest proxy's word. */
function schemeSaid(headers: Headers): boolean | undefined {
  const said =
    headers.get('x-forwarded-proto')?.split(',').at(-1) ??
    elements(headers.get('forwarded') ?? '')
      .at(-1)
      ?.get('proto')
  return said === undefined ? undefined : said.trim().toLowerCase() === 'https'
}

/** The client first, the nearest proxy last. */
function hops(headers: Headers): string[] {
  const list = headers.get('x-forwarded-for')
  if (list !== undefined) return list.split(',')
  return elements(headers.get('forwarded') ?? '').map((element) => element.get('for') ?? '')
}

/** The address of `192.0.2.7`, `192.0.2.7:80`, `2001:db8::1`, `[2001:db8::1]:80` or `fe80::1%eth0`; undefined for all else. */
function hopAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const [, inBrackets, dotted] = /^(?:\[([^\]]*)\](?::\w*)?|([\d.]+):\d+)$/.exec(trimmed) ?? []
  return addressText(new Uint8Array(addressBytes(inBrackets ?? dotted ?? trimmed))) || undefined
}

/** The elements of a header Forwarded (RFC 7239 section 4), names in lower case; one empty element where it cannot be read. */
function elements(header: string): ReadonlyMap<string, string>[] {
  const found = [new Map<string, string>()]
  const pair = /\s*(?:([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*))\s*)?([,;]|$)/sy
  while (pair.lastIndex < header.length) {
    const match = pair.exec(header)
    if (match === null) return [new Map()]
    const [, name, quoted, plain = '', end] = match
    if (name !== undefined) found.at(-1)!.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain)
    if (end === ',') found.push(new Map())
  }
  return found
}
