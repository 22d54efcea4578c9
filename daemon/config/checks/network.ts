/** Whether the listeners, the public address and the trunks belong to one network: IPv4, IPv6, or both at once. */
import { isIP } from 'node:net'
import { parseListen } from '../../schema/config/forms.ts'
import { type MeaningContext, duplicates, type SectionCheck } from './context.ts'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, accessSync, constants } from 'node:fs'
import type { Path } from '../source.ts'
import { mailboxNumbers, type Config } from '../../schema/config.ts'
import { unknownName } from '../routing.ts'

/** What a schema cannot say of access tokens: names that must exist, restrictions that would restrict nothing, dates. */
function checkTokens(config: Config, context: MeaningContext): void {
  const { tokens } = config.auth
  const path = ['auth', 'tokens']
  duplicates(path, 'name', tokens, context)
  const endpoints = config.voice.endpoints.map(({ id }) => id)
  const mailboxes = mailboxNumbers(config)
  tokens.forEach((token, index) => {
    const check = (key: 'endpoints' | 'mailboxes', what: string, known: readonly string[]): void =>
      token[key]?.forEach((id, at) => {
        if (!known.includes(id)) context.fault([...path, index, key, at], unknownName(what, id, known))
      })
    check('endpoints', 'voice endpoint', endpoints)
    check('mailboxes', 'mailbox', mailboxes)
    const restricted = token.endpoints !== undefined || token.mailboxes !== undefined
    const wide = token.scopes.filter((scope) => scope === 'admin' || scope === 'crm')
    if (restricted && wide.length > 0) {
      context.fault(
        [...path, index, 'scopes'],
        `a token with the scope ${wide.join(' and ')} cannot be restricted: the scope allows everything`,
      )
    }
    if (token.expires === undefined) return
    const at = Date.parse(token.expires)
    if (Number.isNaN(at)) context.fault([...path, index, 'expires'], `${token.expires} is not a valid date`)
    else if (at < Date.now() - 86_400_000) context.warning([...path, index, 'expires'], `the token "${token.name}" has expired: remove it`)
  })
}

/** What the schema cannot say of media streams. */
function checkStreams({ voice: { streamCaFile } }: Config, { fault }: MeaningContext): void {
  if (streamCaFile === undefined) return
  try {
    accessSync(streamCaFile, constants.R_OK)
  } catch {
    fault(['voice', 'streamCaFile'], `the file ${streamCaFile} cannot be read by this user`)
  }
}

/** SRTP's keys travel in the signalling (SDES, RFC 4568): an attacker who reads it can listen. They belong into TLS only. */
function checkSrtp({ trunks, extensions, sip }: Config, { fault }: MeaningContext): void {
  trunks.forEach(({ srtp, transport, srtpInClear }, index) => {
    if (srtp === 'off' || transport === 'tls' || srtpInClear) return
    const text = `srtp: ${srtp} over ${transport} sends its keys unencrypted, so others can read them; write transport: tls, or srtpInClear: true if that is intended`
    fault(['trunks', index, 'srtp'], text)
  })
  extensions.forEach(({ srtp, srtpInClear }, index) => {
    if (srtp === 'auto' || srtp === 'off' || sip.tls !== undefined || srtpInClear) return
    const text = `srtp: ${srtp} without sip.tls sends its keys unencrypted, so others can read them; set up sip.tls, or write srtpInClear: true if that is intended`
    fault(['extensions', index, 'srtp'], text)
  })
}

// Whether a certificate and its key can be used together, which would otherwise be seen when the listener is to be opened.

/** Files that are missing, or may not be read, are reported elsewhere. */
export function checkPair(path: Path, { cert, key }: { cert: string; key: string }, { warning }: MeaningContext): void {
  const [certificate, secret] = [readable(cert), readable(key)]
  if (certificate === undefined || secret === undefined) return
  try {
    const whole = new X509Certificate(certificate)
    if (!whole.checkPrivateKey(createPrivateKey(secret)))
      warning([...path, 'key'], `${key} does not belong to the certificate ${cert}: TLS cannot start`)
  } catch {
    warning([...path, 'cert'], `${cert} and ${key} are not a certificate and a key in PEM form without a password: TLS cannot start`)
  }
}

function readable(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

const both = '"[::]:5060"'

/** 4 or 6; 0 for a name. */
const familyOf = (server: string): number => isIP(parseListen(server)?.host ?? server.replace(/^\[(.*)\]$/, '$1'))

function checkNetworks({ sip, trunks }: Config, { fault, warning }: MeaningContext): void {
  const hosts = [sip.udp, sip.tcp, sip.tls?.listen].flatMap((text) => (text ? (parseListen(text)?.host ?? []) : []))
  if (hosts.length === 0) return
  const families = new Set(hosts.includes('::') ? [4, 6] : hosts.map((host) => (host === 'localhost' ? 4 : isIP(host))))
  if (families.size > 1 && !hosts.includes('::')) {
    fault(
      ['sip'],
      `one listener has an IPv4 address and another an IPv6 address: some calls would fail; write udp: ${both}, which covers both`,
    )
    return
  }
  const write = (family: number): string => (family === 6 ? both : '0.0.0.0:5060')
  trunks.forEach((trunk, index) => {
    for (const key of ['server', 'outboundProxy'] as const) {
      const family = familyOf(trunk[key] ?? '')
      if (family === 0 || families.has(family)) continue
      fault(['trunks', index, key], `it has an IPv${family} address, but no listener has one; write sip.udp: ${write(family)}`)
    }
  })
  const place = ['sip', 'publicAddress']
  const { publicAddress } = sip
  if (publicAddress === undefined) return
  const family = isIP(publicAddress)
  if (family === 0) {
    fault(place, `"${publicAddress}" is not an IP address; if it changes or you know only a name, leave it out: the registrar reports it`)
  } else if (!families.has(family)) {
    fault(place, `it is an IPv${family} address, but no listener has one; write sip.udp: ${write(family)}`)
  } else if (hosts.every((host) => host === '::1' || host === 'localhost' || host.startsWith('127.'))) {
    warning(place, 'the listeners accept only this machine, so the address is of no use; write sip.udp: 0.0.0.0:5060')
  }
}

export const checks: readonly SectionCheck[] = [
  [['auth', 'voice', 'extensions'], checkTokens],
  [['trunks', 'sip'], checkNetworks],
  [['trunks', 'extensions', 'sip'], checkSrtp],
  [['voice'], checkStreams],
]
