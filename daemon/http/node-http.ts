/**
 * Node's own HTTP, loaded as CommonJS. An `import` of node:http makes a module of all its names, and one of them (WebSocket) loads the whole
 * of Node's fetch: 10 MB of a box at rest that serve nobody.
 */
import { createRequire } from 'node:module'

export const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http')
