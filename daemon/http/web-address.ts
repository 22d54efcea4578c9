/** Where people reach the web port: on the sheet, in invitations, and where plain http leads. */
import { isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { parseListen } from '../schema/config/forms.ts'

export interface WebPort {
  readonly listen: string
  readonly tls?: unknown
  readonly names?: readonly string[]
}

/** By the first of its names, or by the address that it listens on, such as https://192.168.1.20:8443. */
export function webAddress({ listen, tls, names = [] }: WebPort): string {
  const { host, port } = parseListen(listen) ?? { host: 'localhost', port: 0 }
  return urlOf(names[0] ?? (isEvery(host) ? ownAddress() : host), port, tls !== undefined)
}

/** Without the port where it is the usual one. */
export function urlOf(host: string, port: number, secure: boolean): string {
  const usual = port === (secure ? 443 : 80)
  return `${secure ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}${usual ? '' : `:${port}`}`
}

const isEvery = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** An address leads to the box wherever no DNS knows its name. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list = []) => list)
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? hostname()
}
