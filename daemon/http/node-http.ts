/**
 * Node's own HTTP, loaded as CommonJS. An `import` of node:http makes a module of all its names, and one of them (WebSocket) loads the whole
 * of Node's fetch: 10 MB of a box at rest that serve nobody.
 */
import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

export const { createServer, STATUS_CODES } = load('node:http') as typeof import('node:http')

/** For a listener with TLS; elsewhere nothing needs it. */
export function createSecureServer(
  ...options: Parameters<typeof import('node:https').createServer>
): ReturnType<typeof import('node:https').createServer> {
  return (load('node:https') as typeof import('node:https')).createServer(...options)
}
