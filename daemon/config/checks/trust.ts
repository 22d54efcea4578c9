/** By what a trunk is known for who it says it is, both ways: certificates, realms, proven calls. */
import { X509Certificate } from 'node:crypto'
import { accessSync, constants, readFileSync } from 'node:fs'
import { parseListen } from '../../schema/config/forms.ts'
import type { Config } from '../../schema/config.ts'
import { type MeaningContext, checkNetwork, type SectionCheck } from './context.ts'
import { BlockList, isIP } from 'node:net'

/** The proxies of the house in front of the box (`sip.edges`): known by their addresses, and no trunk's server. */
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

function checkEdges({ sip, trunks }: Config, context: MeaningContext): void {
  const edges = new BlockList()
  sip.edges.forEach((network, index) => {
    let good = true
    checkNetwork(['sip', 'edges', index], network, { ...context, fault: (...said) => ((good = false), context.fault(...said)) })
    if (!good) return
    const [address = '', bits] = network.split('/')
    edges.addSubnet(address, bits === undefined ? (isIP(address) === 6 ? 128 : 32) : Number(bits), familyOf(address))
  })
  trunks.forEach(({ server }, index) => {
    const host = parseListen(server)?.host ?? server.replace(/^\[(.*)\]$/, '$1')
    if (isIP(host) === 0 || !edges.check(host, familyOf(host))) return
    const text = `${host} is an edge (sip.edges), which also serves phones`
    context.fault(['trunks', index, 'server'], `${text}; write the provider as server and ${server} as outboundProxy`)
  })
}

type Trunk = Config['trunks'][number]
type Place = (string | number)[]

/** Where pbx-engine finds the authorities of the system. */
const systemAuthorities = '/etc/ssl/certs/ca-certificates.crt'

function checkTrust({ trunks, sip }: Config, context: MeaningContext): void {
  const { fault, warning } = context
  trunks.forEach((trunk, index) => {
    const path = ['trunks', index]
    if (trunk.transport === 'tls') checkServer(trunk, path, sip, context)
    else if (trunk.caFile !== undefined) fault([...path, 'caFile'], 'a caFile needs transport: tls')
    else if (!trunk.tlsVerify) fault([...path, 'tlsVerify'], 'a certificate needs transport: tls')
    const other = trunks.slice(0, index).find((each) => sameServer(each, trunk) && trustOf(each) !== trustOf(trunk))
    if (other !== undefined)
      fault([...path, 'server'], `trunk "${other.id}" has the same server: both share connections and need the same caFile and tlsVerify`)
    if (trunk.authenticateInbound && ((trunk.authUsername ?? trunk.username) === '' || trunk.password === ''))
      fault([...path, 'authenticateInbound'], 'username and password are missing, so the provider cannot authenticate')
    if (forgeable(trunk)) warning(path, `${forgeableText}; ${forgeableFix}`)
  })
}

export const forgeableText = 'anyone who can send packets from the provider’s address to this system can place calls in the provider’s name'
export const forgeableFix = 'agree on transport: tls or tcp with the provider, or on authenticateInbound: true'

/** Calls of this trunk are believed for their sender's address alone, which anybody can write into a datagram. */
export function forgeable({ transport, register, authenticateInbound, server }: Trunk): boolean {
  const { host } = parseListen(server) ?? { host: server }
  return transport === 'udp' && !register && !authenticateInbound && !/^(127\.[\d.]+|localhost|::1)$/.test(host)
}

function sameServer(a: Trunk, b: Trunk): boolean {
  const hostOf = ({ server, outboundProxy }: Trunk): string => (outboundProxy ?? server).replace(/:\d+$/, '').toLowerCase()
  return a.transport === 'tls' && b.transport === 'tls' && hostOf(a) === hostOf(b)
}

function trustOf({ caFile, tlsVerify }: Trunk): string {
  return JSON.stringify([caFile, tlsVerify])
}

function checkServer(trunk: Trunk, path: Place, sip: Config['sip'], { fault, warning }: MeaningContext): void {
  if (sip.tls === undefined) fault([...path, 'transport'], 'a trunk over TLS needs the TLS listener: sip.tls with a certificate and key')
  const { caFile, tlsVerify, realm, password } = trunk
  if (!tlsVerify) {
    if (caFile !== undefined) fault([...path, 'caFile'], 'with tlsVerify: false no certificate is checked; remove one of the two')
    if (password !== '' && realm === undefined)
      fault([...path, 'tlsVerify'], 'to send a password to a server that is not checked, set realm')
    warning([...path, 'tlsVerify'], 'an attacker on the network path to this server can listen to its calls and make calls in its name')
  } else if (caFile !== undefined) {
    const wrong = authoritiesFault(caFile)
    if (wrong !== '') fault([...path, 'caFile'], wrong)
  } else if (!readable(systemAuthorities)) {
    warning(path, `there is no ${systemAuthorities}: install the package ca-certificates, or set caFile`)
  }
}

function readable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

export function authoritiesFault(file: string): string {
  if (!readable(file)) return `the file ${file} does not exist or cannot be read by this user`
  try {
    return new X509Certificate(readFileSync(file)).subject === undefined ? `the file ${file} holds no certificate` : ''
  } catch {
    return `the file ${file} holds no certificate in PEM form`
  }
}

export const checks: readonly SectionCheck[] = [
  [['trunks', 'sip'], checkTrust],
  [['trunks', 'sip'], checkEdges],
]
