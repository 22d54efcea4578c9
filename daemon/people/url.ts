/** Where people reach the console. */
import { isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import type { Config } from '../schema/config.ts'
import { parseListen } from '../schema/config/forms.ts'

/** By the first of its names, or by the address that it listens on. */
export function urlOf({ http }: Config): string {
  const { host, port } = parseListen(http.listen) ?? { host: 'localhost', port: 0 }
  const open = host === '0.0.0.0' || host === '::'
  const name = http.names[0] ?? (open ? hostname() : host)
  return `${http.tls === undefined ? 'http' : 'https'}://${isIPv6(name) ? `[${name}]` : name}:${port}`
}
